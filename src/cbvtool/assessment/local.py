"""A step that stays inside one module, assessed at the fork where it happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cbvtool.assessment.change import change, needs_replay
from cbvtool.assessment.judged import Judged, judged, lowered
from cbvtool.assessment.modules import CHILDREN, ModuleChoice
from cbvtool.assessment.places import levels
from cbvtool.graph import Graph
from cbvtool.plan.operations import Operation


def fork_of(now: Judged, operations: Sequence[Operation]) -> int | None:
    """Key of the lowest common container of all that a step moves and where it goes, if these lie in one module and the
    step changes none; None = it leads from one module to another, or is refused.
    """
    primitives = lowered(now.planned.graph, operations)
    prepared = now.planned
    if not primitives or needs_replay(prepared.graph, (), primitives):
        return None
    step, graph, before = change(prepared, primitives), prepared.graph, prepared.places
    if not step.parent:
        return None
    place, mark = before.copy(len(step.created)), prepared.marks.longer(step.created)
    for key, parent in step.parent.items():
        place.parent[key] = parent
    keys = np.array(sorted(step.parent), np.int64)
    for level in levels(place.parent, keys):
        place.settle(mark, level)
    old = keys[keys < len(graph)]
    around = {int(graph.parent[key]) for key in old.tolist()}
    around |= {parent for parent in step.parent.values() if 0 <= parent < len(graph)}
    modules = {*place.module[keys].tolist(), *before.module[old].tolist(), *before.module[sorted(around)].tolist()}
    if len(modules) > 1 or -1 in modules or not around:
        return None
    return _in_base(graph, _common(graph, around), len(now.asked.base))


def at_fork(now: Judged, fork: int, known: Judged | None = None) -> Judged:
    """The same plan assessed by what lies directly in `fork`; what `known` holds is taken over if it is about that."""
    asked = replace(now.asked, modules=ModuleChoice(CHILDREN, tests=now.asked.modules.tests), root=fork)
    if known is not None and known.asked.same_base(asked) and known.asked.planned is asked.planned:
        return known
    return judged(asked, now)


def _common(graph: Graph, keys: set[int]) -> int:
    """Key of the innermost node at or above all of `keys`."""
    paths = [[key, *graph.ancestors(key)] for key in keys]
    return next(key for key in paths[0] if all(key in path for path in paths))


def _in_base(graph: Graph, key: int, count: int) -> int:
    """The node, or the nearest above it that no plan has made."""
    while key >= count:
        key = int(graph.parent[key])
    return key
