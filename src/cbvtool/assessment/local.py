"""A step that moves nothing from one of the found modules to another, assessed at the fork where it happens.

A choice that somebody has made is kept: only found modules are refined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from cbvtool.assessment.change import StepChange, change
from cbvtool.assessment.judged import Judged, judged, lowered
from cbvtool.assessment.modules import CHILDREN, FOUND
from cbvtool.assessment.places import levels
from cbvtool.assessment.prepared import PreparedGraph
from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.plan.operations import Operation

KEPT = 6  # forks that are kept


def fork_of(now: Judged, operations: Sequence[Operation]) -> int | None:
    """Key of the lowest common container of all of the product that a step moves and where it goes, if the step changes
    the module of nothing: it stays inside one, or takes whole modules along. None = it moves something from one module
    to another, or nothing of the product, or is refused.
    """
    primitives = lowered(now.planned.graph, operations) if now.asked.modules.by == FOUND else None
    if not primitives:
        return None
    return _fork(now, change(now.planned, primitives))


def fork_around(now: Judged, keys: Iterable[int]) -> int | None:
    """The same for a move of `keys` as far as they alone decide it: the container around them, if they are whole
    modules wherever they go. None also where there are no keys.
    """
    graph, place = now.planned.graph, now.planned.places
    keys = tuple(keys)
    if not keys or now.asked.modules.by != FOUND or now.planned.marks.modules.by == CHILDREN:
        return None  # in another folder, a child of the fork becomes a part of another module
    for key in keys:
        below = graph.subtree(key)
        modules = place.module[below]
        modules = modules[modules >= 0]  # tests are in none
        if not len(modules) or not np.isin(modules, below).all():
            return None
    return _in_base(graph, graph.tree.common_ancestor({int(graph.parent[key]) for key in keys}), len(now.asked.base))


class Forks:
    """The same plan assessed at forks, each prepared once; for one thread at a time, and one drag after the other."""

    def __init__(self) -> None:
        self._of: Judged | None = None
        self._known: dict[int, Judged] = {}

    def at(self, now: Judged, fork: int | None) -> Judged:
        """The plan assessed by what lies directly in `fork`; None = by the modules of `now`."""
        if fork is None:
            return now
        if self._of is not now:
            self._of, self._known = now, {}
        if fork not in self._known:
            while len(self._known) >= KEPT:
                del self._known[next(iter(self._known))]
            self._known[fork] = judged(replace(now.asked, fork=fork), now)
        return self._known[fork]


def _fork(now: Judged, step: StepChange) -> int | None:
    prepared = now.planned
    graph, n = prepared.graph, len(prepared.graph)
    product = (prepared.places.module >= 0) & ~of_kinds(graph, ("folder", "package"))  # tests, say, are in no module
    around = set[int]()
    for key, parent in step.parent.items():
        if key < n and product[graph.subtree(key)].any():
            around.add(int(graph.parent[key]))
            while parent >= n:
                parent = step.parent[parent]
            around.update({parent} - {REMOVED})
    if not around or _changes_modules(prepared, step):
        return None
    return _in_base(graph, graph.tree.common_ancestor(around), len(now.asked.base))


def _changes_modules(prepared: PreparedGraph, step: StepChange) -> bool:
    """Whether something is in another module after a step."""
    graph, before = prepared.graph, prepared.places
    place, mark = before.copy(len(step.created)), prepared.marks.longer(step.created)
    for key, parent in step.parent.items():
        place.parent[key] = parent
    tops = [key for key in step.parent if key < len(graph)]
    created = np.arange(len(graph), len(graph) + len(step.created))
    keys = np.unique(np.concatenate((*(graph.subtree(key) for key in tops), created)).astype(np.int64))
    for level in levels(place.parent, keys):
        place.settle(mark, level)
    old = keys[keys < len(graph)]
    return bool((place.module[old] != before.module[old]).any())


def _in_base(graph: Graph, key: int, count: int) -> int:
    """The node, or the nearest above it that no plan has made."""
    while key >= count:
        key = int(graph.parent[key])
    return key
