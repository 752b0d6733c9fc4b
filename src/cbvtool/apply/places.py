"""From the tasks of a plan to where every file goes, task by task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import assert_never

from cbvtool.apply.languages import are_rewritten
from cbvtool.apply.python.relocation import INIT
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.lower import run
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.rules import dependencies

DEFINITIONS = frozenset({"class", "function"})  # kinds of nodes that can get another name inside of files
_FILES = CONTAINERS | {"file"}
_BY_PLACE = frozenset(
    {INIT, "__main__.py", "conftest.py", "setup.py"}
)  # Python, pip and pytest find them by their places


def check_task(base: Graph, primitives: Iterable[Primitive]) -> None:
    """Raise Stopped for a task about something else than files and folders, or about files that must stay."""
    for primitive in primitives:
        match primitive:
            case AddEdge() | CutEdge():
                raise Stopped("It changes relations between files, which is done by hand.")
            case CreateNode(_, _, name, kind):
                if kind not in _FILES:
                    raise Stopped(f"It makes a {kind}, {name}, which is done by hand.")
            case MoveTo(node) | RenameNode(node) | RemoveNode(node):
                if node in base.key_of:
                    _check_node(base, base.key_of[node], primitive)
            case _:
                assert_never(primitive)


def _check_node(base: Graph, key: int, primitive: MoveTo | RenameNode | RemoveNode) -> None:
    kind, path, name = base.kind(key), place(base, key), base.names[key]
    if isinstance(primitive, RenameNode) and kind in DEFINITIONS:
        return
    if kind not in _FILES:
        raise Stopped(f"{path} is a {kind}: moves of those are done by hand.")
    if kind == "file" and name in _BY_PLACE:
        raise Stopped(f"{path} is found by its name and place, so it cannot be moved alone.", path)
    if isinstance(primitive, RenameNode):
        if primitive.name in _BY_PLACE:
            raise Stopped(f"{path} cannot be called {primitive.name}, which has a meaning of its own.", path)
        if kind == "file" and PurePosixPath(primitive.name).suffix != PurePosixPath(name).suffix:
            raise Stopped(f"{path} would be a file of another kind as {primitive.name}.", path)


def check_languages(base: Graph, places: Mapping[str, str | None]) -> None:
    """Raise Stopped for a file that moves away from what it uses, or is used by, if its language is not rewritten."""
    edges = base.edges
    rows = dependencies(base, type_checking=True)
    moving: dict[int, str] = {}
    for path, new in places.items():
        if path != new and not is_python(path) and path in base.key_of:
            for key in base.subtree(base.key_of[path]).tolist():
                moving[key] = path
    if not moving:
        return
    for source, target in zip(edges.source[rows].tolist(), edges.target[rows].tolist(), strict=True):
        path = moving.get(source) or moving.get(target, "")
        importer, imported = file_of(base, source), file_of(base, target)
        if not path or importer < 0 or imported < 0:  # what is outside of the folder stays where it is
            continue
        if not are_rewritten(base.ids[importer], base.ids[imported]):
            raise Stopped(
                f"{path} cannot be moved with what names it, for that is not done in its language: move it by hand.",
                path,
            )


def state(base: Graph, primitives: Sequence[Primitive], *, last: bool) -> Graph:
    """The graph after these primitives.

    last  no task follows; else what has the place of something that has still to leave gets a temporary name

    Raises Stopped if they need a task that is left out.
    """
    wanted = [one for one in primitives if not isinstance(one, AddEdge | CutEdge)]
    replayed = run(base, wanted)
    if replayed.refusals:
        raise Stopped("It builds on a task that is left out.")
    graph = replayed.graph
    if last:
        return graph
    names = list[RenameNode]()
    for node in dict.fromkeys(one.node for one in wanted if isinstance(one, MoveTo | RenameNode)):
        key = graph.key_of[node]
        if graph.tree.pos[key] < 0:
            continue
        same = [
            other for other in graph.children(int(graph.parent[key])).tolist() if graph.names[other] == graph.names[key]
        ]
        if len(same) > 1 and not any(graph.ids[other] in {one.node for one in names} for other in same):
            path = PurePosixPath(graph.names[key])
            names.append(RenameNode(node, f"{path.stem}_meanwhile{path.suffix}"))
    return run(base, [*wanted, *names]).graph if names else graph


def file_places(base: Graph, graph: Graph, paths: Iterable[str]) -> dict[str, str | None]:
    """Where each file of the repository is in `graph`, which is `base` after some steps; None = it is gone.

    A file that the graph does not know goes with the folder that it lies in. Raises Stopped where that folder goes
    without it.
    """
    folders: dict[str, str | None] = {}
    found: dict[str, str | None] = {}
    for path in paths:
        if path in base.key_of and base.kind(base.key_of[path]) == "file":
            found[path] = _place(graph, graph.key_of[path])
            continue
        above, _, name = path.rpartition("/")
        rest = name
        while above and above not in base.key_of:
            above, _, folder = above.rpartition("/")
            rest = f"{folder}/{rest}"
        if above not in folders:
            folders[above] = _place(graph, graph.key_of[above]) if above else ""
        new = folders[above]
        if new is None:
            raise Stopped(f"{above} would be gone, and {path} with it, which the plan does not know.", path)
        found[path] = f"{new}/{rest}" if new else rest
    return found


def _place(graph: Graph, key: int) -> str | None:
    return None if graph.tree.pos[key] < 0 else place(graph, key)


def made_packages(graph: Graph, base: Graph) -> list[str]:
    """Places of the packages that the plan makes."""
    return [place(graph, key) for key in range(len(base), len(graph)) if graph.kind(key) == "package"]


def made_files(graph: Graph, base: Graph) -> list[str]:
    """Places of the files that the plan makes."""
    return [place(graph, key) for key in range(len(base), len(graph)) if graph.kind(key) == "file"]
