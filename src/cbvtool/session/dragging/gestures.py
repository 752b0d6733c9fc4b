"""From what is held and where the pointer is to the operations of one gesture (DND-1 to DND-4). Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from cbvtool.geometry.state.view_state import Drag
from cbvtool.graph import EXTERNAL, Graph
from cbvtool.plan import (
    CONTAINERS,
    Create,
    Extract,
    Form,
    Merge,
    Move,
    Operation,
    Refused,
    Split,
    can_hold,
    can_merge,
    count_of,
    interface_name,
    refusal_of,
    split_relations,
    with_nodes,
)
from cbvtool.plan.containment import holds_code

KINDS = ("folder", "package", "file", "class", "interface")  # of nodes that a plan can make
USUAL = {"folder": "new_folder", "package": "new_package", "file": "new_file", "class": "NewClass"}
USUAL_INTERFACE = "NewInterface"


@dataclass(frozen=True)
class Gesture:
    """The operations of one gesture, and what stands after "Undo"; empty = what the operations say of themselves.

    made      what stands for the ids of the nodes that it makes
    at_home   everything is there already: nothing is to be done
    """

    operations: tuple[Operation, ...]
    label: str
    made: tuple[str, ...]
    at_home: bool = False

    def refusal(self, graph: Graph) -> str | None:
        """Why it cannot be done on `graph`, in one sentence; None if it can."""
        return refusal_of(self.operations, graph)

    def named(self, taken: Iterable[str]) -> tuple[Operation, ...]:
        """The operations with ids of their own for the nodes that they make."""
        ids = dict(zip(self.made, taken, strict=False))
        return tuple(with_nodes(operation, ids) for operation in self.operations)


def gesture(drag: Drag, graph: Graph, new: str) -> Gesture:
    """What a drop on `drag.target` does.

    new   id that stands for the node that it makes
    """
    held, target = tuple(graph.ids[key] for key in drag.keys), graph.ids[drag.target]
    made: tuple[Operation, ...] = ()
    name = drag.name or usual_name(drag, graph)
    if drag.splits:
        return _split(drag, graph, new, name)
    if drag.fresh:
        kind = drag.kind or next(iter(new_kinds(drag, graph)), "folder")
        made, target = (Create(new, target, name, kind),), new
    into, ids = (name, (new,)) if made else (graph.names[drag.target], ())
    if drag.act == "pull":
        container, partner = drag.relation
        out = Extract(graph.ids[container], graph.ids[partner], target)
        what = f"{_names(drag.keys, graph)} out of {graph.names[container]} to {into}"
        return Gesture((*made, out), f"pull-out of {what}", ids)
    if drag.act == "merge":
        label = f"merge of {_names(drag.keys, graph)} into {into}"
        return Gesture((*made, *(Merge(node, target) for node in held)), label, ids)
    at_home = not made and all(graph.parent[key] == drag.target for key in drag.keys)
    label = f"grouping of {_names(drag.keys, graph)} in {into}" if made else ""
    return Gesture((*made, *(() if at_home else (Move(held, target),))), label, ids, at_home)


def _split(drag: Drag, graph: Graph, new: str, name: str) -> Gesture:
    """A split goes over a file: where a folder is the target, over one in it, which is made if it is not there."""
    user, used = (graph.ids[key] for key in drag.relation)
    form: Form = "route" if drag.act == "route" else "invert"
    made: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    via, over, file = graph.ids[drag.target], graph.names[drag.target], ""
    if drag.fresh and (kind := drag.kind or next(iter(new_kinds(drag, graph)), "file")) != "file":
        operations, made = (Create(new, via, name, kind),), (new,)
        via, over, file = new, name, _role_name(drag, graph)
    elif graph.kind(drag.target) in CONTAINERS:
        over = file = name
    ends = f"{graph.names[drag.relation[0]]} → {graph.names[drag.relation[1]]}"
    how = f"both use {over}" if form == "invert" else f"routed via {over}"
    return Gesture((*operations, Split(user, used, via, form, file)), f"split of {ends}: {how}", made)


def target_at(drag: Drag, key: int, graph: Graph) -> int:
    """Key of what a drop on node `key` is meant for: the nearest at or above it that can take what is held.

    Where none can it is `key` itself, so that the reason names it.
    """
    if drag.splits:
        return key
    kinds = {graph.kind(held) for held in drag.keys}
    for above in (key, *graph.ancestors(key)):
        holder = graph.kind(above)
        takes = (can_merge(kind, holder) if drag.act == "merge" else can_hold(holder, kind, graph) for kind in kinds)
        if all(takes):
            return above
    return key


def new_kinds(drag: Drag, graph: Graph) -> tuple[str, ...]:
    """Kinds that the node which a drop makes may have, the usual one first; none if it makes none."""
    if drag.target < 0:
        return ()
    if not drag.splits:
        return kinds_in(drag.target, drag.keys, graph) if drag.fresh else ()
    if graph.kind(drag.target) not in CONTAINERS:
        return ()
    containers = [kind for kind in kinds_in(drag.target, (), graph) if kind in CONTAINERS]
    return ("file", *containers) if drag.fresh else ("file",)


def kinds_in(parent: int, keys: Iterable[int], graph: Graph) -> tuple[str, ...]:
    """Kinds of nodes that can be made in `parent` to hold `keys`, the usual one first."""
    kinds = {graph.kind(key) for key in keys}
    holder = graph.kind(parent)
    beside = {graph.kind(key) for key in graph.children(parent).tolist()}
    usual = "package" if holder == "package" or ("package" in beside and "folder" not in beside) else "folder"
    order = (usual, *(kind for kind in KINDS if kind != usual))
    if holder == "file" and not holds_code(graph, parent):
        return ()
    found = (kind for kind in order if can_hold(holder, kind, graph))
    return tuple(kind for kind in found if all(can_hold(kind, inner, graph) for inner in kinds))


def kind_named(name: str, graph: Graph) -> str:
    """The kind that a new node's name stands for: `file` if it ends as a file of the graph does, else empty."""
    ending = PurePosixPath(name).suffix
    if not ending or "file" not in graph.kind_names:
        return ""
    files = (graph.kinds == graph.kind_names.index("file")).nonzero()[0].tolist()
    return "file" if any(graph.names[key].endswith(ending) for key in files) else ""


def usual_name(drag: Drag, graph: Graph) -> str:
    """What the node that a drop makes is called if nobody says otherwise; empty if it makes none."""
    kinds = new_kinds(drag, graph)
    if not kinds:
        return ""
    kind = drag.kind or kinds[0]
    if drag.splits and kind == "file":
        return _role_name(drag, graph)
    return free_name(new_name(kind, drag.target, graph, drag.keys), drag.target, graph)


def new_name(kind: str, parent: int, graph: Graph, content: Iterable[int] = ()) -> str:
    """A name for a new node of that kind in `parent`, for `content`: a file ends as where that lies now."""
    if kind == "file":
        return f"{USUAL['file']}{_ending([*content, parent], graph)}"
    return USUAL.get(kind, USUAL_INTERFACE)


def with_ending(name: str, key: int, graph: Graph) -> str:
    """A new name for a node: that of a file that is given without an ending keeps the one that it has."""
    has_none = graph.kind(key) == "file" and name and not PurePosixPath(name).suffix
    return f"{name}{PurePosixPath(graph.names[key]).suffix}" if has_none else name


def free_name(name: str, parent: int, graph: Graph) -> str:
    """`name`, or with a number if there is one of that name in `parent`."""
    taken = {graph.names[key] for key in graph.children(parent).tolist()}
    path = PurePosixPath(name)
    number, free = 2, name
    while free in taken:
        free, number = f"{path.stem}_{number}{path.suffix}", number + 1
    return free


def _role_name(drag: Drag, graph: Graph) -> str:
    """`orders_interface.py`: after the node that is used, and what the file is for."""
    user, used = drag.relation
    form: Form = "route" if drag.act == "route" else "invert"
    ending = _ending([used, user], graph)
    return interface_name(graph.names[used], [f"file{ending}"], form)


def _ending(keys: Iterable[int], graph: Graph) -> str:
    """How most files of code in the subtrees of the first of `keys` end, `.py` say; of a file itself its own."""
    tree = graph.tree
    if "file" not in graph.kind_names:
        return ""
    file = graph.kind_names.index("file")
    for key in keys:
        below = tree.order[tree.pos[key] : tree.end[key]]
        files = below[graph.kinds[below] == file]
        above = [key for key in (key, *graph.ancestors(key)) if graph.kind(key) == "file"]
        there = (*files[:SAMPLE].tolist(), *above)
        code = [one for one in there if len(graph.children(one))]
        endings = Counter(PurePosixPath(graph.names[one]).suffix for one in code or there)
        if endings:
            return max(endings, key=lambda ending: (endings[ending], ending))
    return ""


SAMPLE = 1_000  # files that are looked at


@dataclass(frozen=True)
class Bundle:
    """What a relation between two nodes stands for.

    counts   (kind, how many): how many relations of each kind, the most first
    """

    counts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """How many relations there are."""
        return sum(count for _, count in self.counts)


def bundle_of(relation: Sequence[int], graph: Graph) -> Bundle:
    """The dependencies of one subtree on the other, (key of the user, of the used one): what a split cuts."""
    user, used = relation
    try:
        found = split_relations(graph.ids[user], graph.ids[used], graph)
    except Refused:
        found = []
    kinds = Counter(kind for _, _, kind in found)
    return Bundle(tuple(sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))))


def common_parent(keys: Iterable[int], graph: Graph) -> int:
    """Key of the innermost node that all `keys` lie in."""
    return graph.tree.common_ancestor({max(int(graph.parent[key]), graph.root) for key in keys})


def place_for(key: int, kind: str, graph: Graph) -> int:
    """Key of the nearest node at or above `key` that can hold a new one of that kind."""
    above = (one for one in (key, *graph.ancestors(key)) if graph.kind(one) != EXTERNAL)
    above = (one for one in above if graph.kind(one) != "file" or holds_code(graph, one))
    return next((one for one in above if can_hold(graph.kind(one), kind, graph)), graph.root)


def _names(keys: tuple[int, ...], graph: Graph) -> str:
    if len(keys) <= 2:
        return " and ".join(graph.names[key] for key in keys) or "nothing"
    return count_of([graph.kind(key) for key in keys])
