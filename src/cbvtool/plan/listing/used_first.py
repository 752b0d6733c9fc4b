"""The order of moves out of one file into another, so that the two files never import each other in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from cbvtool.graph import Graph
from cbvtool.plan.place import file_of
from cbvtool.plan.primitives import MoveTo, Primitive
from cbvtool.rules import dependencies, files


def used_first(base: Graph, target: Graph, units: Sequence[Sequence[Primitive]], order: Sequence[int]) -> list[int]:
    """`order`, indices of `units`, with each unit behind those that it waits for; otherwise as it was.

    Where what one unit moves uses what another one moves from the same file to the same place: what is used goes first
    if the old file needs the new one in the end, what uses it if the new file needs the old one, directly or not. Of
    units that wait for each other, the first one comes first.
    """
    mover: dict[int, tuple[int, int, int]] = {}  # key -> its unit, the file that it leaves, the one that it goes to
    for index in order:
        for primitive in units[index]:
            if isinstance(primitive, MoveTo) and primitive.node in base.key_of:
                key = base.key_of[primitive.node]
                ends = file_of(base, key), file_of(target, key)
                if ends[0] not in (-1, key) and ends[1] != -1:
                    mover |= dict.fromkeys(base.subtree(key).tolist(), (index, *ends))
    if len({index for index, _, _ in mover.values()}) < 2:
        return list(order)
    needed = _needed(target)

    @cache
    def reached(start: int) -> frozenset[int]:
        found, todo = {start}, [start]
        while todo:
            new = needed.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return frozenset(found)

    waits: dict[int, set[int]] = defaultdict(set)
    rows = np.flatnonzero(dependencies(base, type_checking=False))
    for source, used in zip(base.edges.source[rows].tolist(), base.edges.target[rows].tolist(), strict=True):
        one, other = mover.get(source), mover.get(used)
        if one and other and one[0] != other[0] and one[1:] == other[1:]:
            _, old, new = one
            if new in reached(old):
                waits[one[0]].add(other[0])
            elif old in reached(new):
                waits[other[0]].add(one[0])
    return _behind(order, waits)


def _needed(graph: Graph) -> dict[int, set[int]]:
    """File -> the files that it needs."""
    file, rows = files(graph), np.flatnonzero(dependencies(graph, type_checking=False))
    found: dict[int, set[int]] = defaultdict(set)
    ends = np.unique(np.stack([file[graph.edges.source[rows]], file[graph.edges.target[rows]]], 1), axis=0)
    for source, target in ends.tolist():
        found[source].add(target)
    return found


def _behind(order: Sequence[int], waits: Mapping[int, set[int]]) -> list[int]:
    """The order, each index behind those that it waits for."""
    position = {index: at for at, index in enumerate(order)}
    found: dict[int, None] = {}
    seen: set[int] = set()
    for first in order:
        todo = [first]
        while todo:
            seen.add(todo[-1])
            missing = [other for other in waits.get(todo[-1], ()) if other not in seen]
            if missing:
                todo.append(min(missing, key=position.__getitem__))
            else:
                found.setdefault(todo.pop())
    return list(found)
