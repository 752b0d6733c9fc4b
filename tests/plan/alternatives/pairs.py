"""Random pairs of histories that begin alike, on trees whose ids are paths, as those of code are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.plan import Create, Extract, Group, History, Merge, Move, Operation, Remove, Rename, Split, check
from cbvtool.plan.operations import nodes_of


@dataclass(frozen=True, eq=False)
class Pair:
    """Two histories that have the steps of `base` in common."""

    base: History
    ours: History
    theirs: History

    @property
    def is_apart(self) -> bool:
        """Whether they share no node, no target and no container, nor lies what one names in what the other names."""
        ours, theirs = (set(self.named(side)) for side in (self.ours, self.theirs))
        graphs = [self.base.base, self.base.graph, self.ours.graph, self.theirs.graph]
        return not any(_above(ours, graph) & theirs or _above(theirs, graph) & ours for graph in graphs)

    def named(self, side: History) -> Iterator[str]:
        """What its own steps name, and what that lies in directly, but for the root."""
        graphs = (self.base.base, self.base.graph, side.graph)
        for step in side.done[len(self.base.done) :]:
            for operation in step.operations:
                for node in nodes_of(operation):
                    yield node
                    keys = [(graph, graph.key_of[node]) for graph in graphs if node in graph.key_of]
                    yield from (graph.ids[int(graph.parent[key])] for graph, key in keys if graph.parent[key] >= 0)


def _above(nodes: set[str], graph: Graph) -> set[str]:
    keys = [graph.key_of[node] for node in nodes if node in graph.key_of]
    return nodes | {graph.ids[above] for key in keys for above in graph.ancestors(key)} - {""}


def pair(seed: int) -> Pair:
    """A pair; half of them keep to different halves of the tree."""
    lot = random.Random(seed)
    base = History(_tree(lot))
    base = _planned(base, lot, lot.randrange(4), f"b{seed}", "")
    halves = ("one", "two") if lot.random() < 0.5 else ("", "")
    ours, theirs = (
        _planned(base, lot, lot.randrange(1, 6), f"{side}{seed}", half)
        for side, half in zip(("o", "t"), halves, strict=True)
    )
    return Pair(base, ours, theirs)


def _tree(lot: random.Random) -> Graph:
    builder = GraphBuilder("subject")
    folders, files = ["one", "two"], list[str]()
    for name in folders:
        builder.add_node(name, "", name, "package")
    for number in range(lot.randrange(3, 9)):
        above = lot.choice(folders)
        folders.append(f"{above}/d{number}")
        builder.add_node(folders[-1], above, f"d{number}", "package")
    for number in range(lot.randrange(6, 16)):
        above = lot.choice(folders)
        files.append(f"{above}/{lot.choice('abc')}{number}.py")
        builder.add_node(files[-1], above, files[-1].rpartition("/")[2], "file")
    keys = {name: number for number, name in enumerate(["", *folders[:2], *folders[2:], *files])}
    for _ in range(lot.randrange(30)):
        source, target = lot.sample(files, 2)
        builder.add_edge(keys[source], keys[target], "import", sites=[(source, 1)])
    return builder.freeze()


def _planned(history: History, lot: random.Random, steps: int, own: str, half: str) -> History:
    """With some steps more that are possible, below the folder `half`, or anywhere."""
    for number in range(steps):
        for _ in range(8):
            operation = _operation(history.graph, lot, f"plan:{own}x{number}", half)
            if operation is not None and check(operation, history.graph) is None:
                history = history.do(Group(f"{operation.row.label} {own}.{number}", (operation,)))
                break
    return history


def _operation(graph: Graph, lot: random.Random, made: str, half: str) -> Operation | None:
    there = [key for key in np.flatnonzero(graph.parent != REMOVED).tolist() if key and _lies_in(graph, key, half)]
    folders = [graph.ids[key] for key in there if graph.kind(key) == "package"]
    inner = [graph.ids[key] for key in there if graph.ids[key] != half]
    if len(folders) < 2 or len(inner) < 2:
        return None
    node, other = lot.sample(inner, 2)
    name = f"{lot.choice('abxyz')}{lot.randrange(9)}.py"
    kind = lot.choice(["move"] * 6 + ["rename"] * 3 + ["create"] * 3 + ["remove", "merge", "split", "extract"])
    possible: dict[str, Operation] = {
        "move": Move((node,), lot.choice(folders)),
        "rename": Rename(node, name),
        "create": Create(made, lot.choice(folders), name, lot.choice(["package", "file"])),
        "remove": Remove((node,)),
        "merge": Merge(*lot.sample(folders, 2)),
        "split": Split(node, other, lot.choice(folders), "invert", lot.choice(["", name])),
        "extract": Extract(lot.choice(folders), other, lot.choice(folders)),
    }
    return possible[kind]


def _lies_in(graph: Graph, key: int, half: str) -> bool:
    return not half or half in (graph.ids[key], *(graph.ids[above] for above in graph.ancestors(key)))
