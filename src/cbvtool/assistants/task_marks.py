"""How far a task is carried out, read off the code as it is now: what it names is at its new place, or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from cbvtool.graph import Graph
from cbvtool.plan.place import place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, RemoveNode, RenameNode
from cbvtool.plan.task import Task

Mark = Literal["open", "partly", "done", "overtaken"]


class TaskMark(NamedTuple):
    """How many of the `total` things that a task changes are `done`; `mark` sums it up."""

    mark: Mark
    done: int
    total: int


class _Place(NamedTuple):
    """Where something was (empty: nowhere), and where the plan puts it (empty: it goes)."""

    before: str
    after: str


def mark_of(task: Task, base: Graph, target: Graph, now: Graph) -> TaskMark:
    """The mark of a task of a plan that leads from `base` to `target`, in the code base `now`.

    Of a folder or file each file counts, of a definition itself. Something is done when it is at its new place and,
    unless something else is to come there, no more at its old one. Where nothing is done, and nothing that the task
    names is at its old place either, the task is overtaken.
    """
    places = [one for primitive in task.primitives for one in _places(primitive, base, target)]
    coming = {one.after for one in places}
    done = sum(_is_done(one, coming, now) for one in places)
    for primitive in task.primitives:
        if isinstance(primitive, AddEdge | CutEdge):
            is_there = _has_relation(primitive, base, target, now)
            places.append(_Place(*_ends(primitive, base, target)))
            done += is_there == isinstance(primitive, AddEdge)
    total = len(places)
    if done == total:
        return TaskMark("done", done, total)
    if done:
        return TaskMark("partly", done, total)
    is_there = any(not one.before or one.before in now.key_of for one in places)
    return TaskMark("open" if is_there else "overtaken", done, total)


def ways_of(task: Task, base: Graph, target: Graph) -> list[tuple[str, str]]:
    """(where it is, where it comes) of each thing that a task moves, renames, makes (from nowhere) or removes."""
    found = []
    for primitive in task.primitives:
        if not isinstance(primitive, AddEdge | CutEdge):
            before, after = base.key_of.get(primitive.node), target.key_of.get(primitive.node)
            way = ("" if before is None else place(base, before), "" if after is None else place(target, after))
            found.append(way)
    return list(dict.fromkeys(found))


def _is_done(one: _Place, coming: set[str], now: Graph) -> bool:
    is_gone = not one.before or one.before not in now.key_of or one.before in coming
    return is_gone and (not one.after or one.after in now.key_of)


def _places(primitive: object, base: Graph, target: Graph) -> Iterator[_Place]:
    match primitive:
        case CreateNode(node) if node in target.key_of:
            yield _Place("", place(target, target.key_of[node]))
        case MoveTo(node) | RenameNode(node) if node in base.key_of:
            for key in _moved(base, base.key_of[node]):
                yield _Place(place(base, key), place(target, key) if base.ids[key] in target.key_of else "")
        case RemoveNode(node) if node in base.key_of:
            for key in _moved(base, base.key_of[node]):
                yield _Place(place(base, key), "")


def _moved(graph: Graph, key: int) -> list[int]:
    """The files of a folder; of a file or definition itself."""
    files = [below for below in graph.subtree(key).tolist() if graph.kind(below) == "file"]
    return files or [key]


def _ends(primitive: AddEdge | CutEdge, base: Graph, target: Graph) -> tuple[str, str]:
    """Where both ends of a relation are to be."""
    graph = target if isinstance(primitive, AddEdge) else base
    source, target_end = (place(graph, graph.key_of[end]) for end in (primitive.source, primitive.target))
    return source, target_end


def _has_relation(primitive: AddEdge | CutEdge, base: Graph, target: Graph, now: Graph) -> bool:
    """Whether anything in the one end uses anything in the other."""
    ends = _ends(primitive, base, target)
    if any(end not in now.key_of for end in ends):
        return False
    source, used = (now.tree.below((now.key_of[end],)) for end in ends)
    return bool((source[now.edges.source] & used[now.edges.target]).any())
