"""Dynamic evidence in planning: relations that weigh what a trace saw of them (NEW-7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Edges, Graph, are_dependencies
from cbvtool.trace.overlay.run_time import RunTime

Floats = npt.NDArray[np.float64]
UNSEEN = 2.0**-16  # the weight of a dependency that no call went along: the least that a judgement counts


def weighed(graph: Graph, run_time: RunTime, by: Literal["count", "time"] = "count") -> Graph:
    """The same graph, whose dependencies weigh the calls (or their ns) that went along them.

    A plan for such a base is judged by run-time coupling: modularity and TurboMQ. Nothing else changes, as no relation
    comes or goes.

    The calls of a pair of nodes belong to the dependency between these two; else to one of the caller on what the
    callee lies in; else to one between their files. Where there are several, each has an equal share. Calls along
    which the source has no dependency (callbacks of a framework) weigh nothing.
    """
    edges = graph.edges
    counted = np.flatnonzero(are_dependencies(edges))
    amount = (run_time.count if by == "count" else run_time.time).astype(np.float64)
    apart = run_time.caller != run_time.callee
    caller, callee, amount = run_time.caller[apart], run_time.callee[apart], amount[apart]
    weight = np.full(len(edges), UNSEEN)
    left = np.ones(len(caller), np.bool_)
    above, file = np.where(graph.parent >= 0, graph.parent, np.arange(len(graph))), _files(graph)
    same = np.arange(len(graph))
    for of_caller, of_callee, of_edge in ((same, same, same), (same, above, same), (file, file, file)):
        wanted = _code(graph, of_caller[caller], of_callee[callee])
        offered = _code(graph, of_edge[edges.source[counted]], of_edge[edges.target[counted]])
        codes, place = np.unique(offered, return_inverse=True)
        if not len(codes):
            continue
        found = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        fits = left & (codes[found] == wanted)
        sums = np.bincount(found[fits], amount[fits], len(codes)) / np.bincount(place, minlength=len(codes))
        weight[counted] += sums[place]
        left &= ~fits
    changed = edges.weight.astype(np.float64)
    changed[counted] = weight[counted]
    return graph.with_(edges=_with_weight(graph, changed))


def weights_kept(planned: Graph, base: Graph, plain: Graph) -> Graph:
    """`planned`, to which a plan led from `plain`, with the weights of `base`, which is `plain` weighed.

    A relation that the plan adds weighs as one that no call went along; where one is cut, its calls go with it.
    """
    if planned.edges is plain.edges:
        return planned.with_(edges=base.edges)
    edges, kinds = planned.edges, sorted({*planned.edges.kind_names, *base.edges.kind_names})
    codes = [_relations(each, kinds, max(len(planned), len(base))) for each in (base.edges, edges)]
    order = np.argsort(codes[0], kind="stable")
    weight = np.where(are_dependencies(edges), UNSEEN, edges.weight.astype(np.float64))
    if len(order):
        place = np.minimum(np.searchsorted(codes[0][order], codes[1]), len(order) - 1)
        same = codes[0][order[place]] == codes[1]
        weight[same] = base.edges.weight[order[place[same]]]
    return planned.with_(edges=_with_weight(planned, weight))


def _relations(edges: Edges, kinds: list[str], size: int) -> npt.NDArray[np.int64]:
    """int64[m]: a number for each relation, the same for the same ends and kind."""
    number = np.array([kinds.index(name) for name in edges.kind_names], np.int64)
    kind = number[edges.kind] if len(number) else np.zeros(len(edges), np.int64)
    return (edges.source.astype(np.int64) * size + edges.target) * max(len(kinds), 1) + kind


def _code(graph: Graph, source: npt.NDArray[np.integer], target: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    return source.astype(np.int64) * len(graph) + target


def _files(graph: Graph) -> npt.NDArray[np.int64]:
    """int64[n]: key of the file that each node lies in; the node itself outside files."""
    item = np.arange(len(graph), dtype=np.int64)
    is_file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds]
    depth = graph.tree.depth
    for level in range(1, int(depth.max(initial=0)) + 1):
        keys = np.flatnonzero(depth == level)
        above = item[graph.parent[keys]]
        item[keys] = np.where(is_file[above], above, keys)
    return item


def _with_weight(graph: Graph, weight: Floats) -> Edges:
    return replace(graph.edges, weight=weight.astype(np.float32))
