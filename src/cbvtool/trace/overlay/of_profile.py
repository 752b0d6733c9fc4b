"""Run time from a profile: a calling context tree knows pairs, counts and times, but no window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.overlay.call_classes import call_classes
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.trace.overlay.windows import summed

Keys = npt.NDArray[np.int64]
_MOST = 2.0**62  # of a sum
_VAGUE = ("", "events")
_COUNTS = ("calls", "samples")
_UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "usec": 1e3, "ms": 1e6, "msec": 1e6, "s": 1e9, "sec": 1e9, "seconds": 1e9}


def run_time_of_profile(
    profile: Profile, nodes: NodeMap, graph: Graph, count: str | None = None, time: str | None = None
) -> RunTime:
    """Run time of a whole profile; means over ranks and threads, where it has several. Raises ValueError, KeyError.

    count, time  names of metrics; None = the first one in calls (or samples), and the first one in a unit of time

    If no count is measured at all, each node is one call; a missing value adds nothing. A node has the samples that hit
    it or what lies below it. A metric in another unit than of time (bytes, cycles) stands for the time where there is
    none.
    """
    if len(nodes) != len(profile.functions):
        raise ValueError("the map is not one from this profile")
    counts = _metric(profile.metrics, count, lambda metric: metric.unit in _COUNTS)
    cost = _cost(profile.metrics, time)
    found = _of_pairs(profile, nodes, graph, counts, cost) if profile.is_call_graph else None
    if found is None:
        classes = call_classes(profile.function, _depth(profile.end_row), nodes, graph)
        number = (
            np.ones(len(profile)) if counts is None else _values(profile, counts, inclusive=counts.unit == "samples")
        )
        spent = np.zeros(len(profile)) if cost is None else _values(profile, cost, inclusive=True) * _scale(cost)
        found = summed(
            classes,
            _by_class(classes.row_class, number, len(classes)),
            _by_class(classes.row_class, spent, len(classes)),
            (0, 0),
            False,
        )
    sampled = profile.sampled or (counts is not None and counts.unit == "samples")
    unit = "" if cost is None else "ns" if cost.unit in _UNITS else cost.name if cost.unit in _VAGUE else cost.unit
    return replace(found, sampled=sampled, unit=unit, counted=counts is not None)


def _of_pairs(
    profile: Profile, nodes: NodeMap, graph: Graph, counts: ProfileMetric | None, cost: ProfileMetric | None
) -> RunTime:
    """Of a call graph, whose functions and pairs are known and no paths: so pairs are those that were recorded alone.

    What calls through a library come to a container from outside is not known. So its time is an estimate: what the
    functions in it took without the calls that they got from one another, at most the whole run, at least the longest
    of them.
    """
    assert profile.pairs is not None
    pairs, n = profile.pairs, len(graph)
    node = nodes.node.astype(np.int64)
    name = "" if cost is None else cost.name
    of_cost = [metric for metric in profile.metrics if metric.name == name]
    inside = {metric.inclusive: np.nan_to_num(metric.mean) * _scale(metric) for metric in of_cost}
    total = inside.get(True, inside.get(False, np.zeros(len(profile))))
    own = inside.get(False, total)
    number = np.ones(len(profile)) if counts is None else np.nan_to_num(counts.mean)
    key = node[profile.function]
    known = key >= 0
    caller, callee = node[pairs.caller], node[pairs.callee]
    there = (caller >= 0) & (callee >= 0)
    pair_time = _of_pair(pairs.metrics, lambda metric: metric.name == name)
    pair_count = (
        np.ones(len(pairs))
        if counts is None
        else _of_pair(pairs.metrics, lambda metric: metric.name == counts.name or metric.unit == counts.unit)
    )
    codes, place = np.unique(caller[there] << 32 | callee[there], return_inverse=True)
    calls, self_time = (_rounded(np.bincount(key[known], values[known], n)) for values in (number, own))
    entered = np.bincount(key[known], total[known], n).astype(np.float64)
    within = entered.copy()
    apart = there & (pairs.caller != pairs.callee)
    np.subtract.at(entered, _shared(graph, caller[apart], callee[apart]), pair_time[apart])
    same = apart & (caller == callee)  # a lambda, called by the function that it stands in
    np.subtract.at(within, caller[same], pair_time[same])
    total_time = np.maximum(_rounded(within), self_time)
    return RunTime(
        (codes >> 32).astype(np.int32),
        (codes & 0xFFFFFFFF).astype(np.int32),
        _rounded(np.bincount(place, pair_count[there], len(codes))),
        _rounded(np.bincount(place, pair_time[there], len(codes))),
        calls,
        self_time,
        total_time,
        np.maximum(
            _rounded(np.minimum(graph.tree.subtree_sum(entered), own.sum())), _longest_inside(graph, total_time)
        ),
        (0, 0),
    )


def _of_pair(metrics: Sequence[ProfileMetric], fits: Callable[[ProfileMetric], bool]) -> npt.NDArray[np.float64]:
    """float64[p]: the metric of pairs that fits, inclusive where there is such a one; 0 where it is missing."""
    found = sorted((metric for metric in metrics if fits(metric)), key=lambda metric: not metric.inclusive)
    if not found:
        return np.zeros(len(metrics[0].mean) if metrics else 0)
    return np.nan_to_num(found[0].mean) * _scale(found[0])


def _shared(graph: Graph, first: Keys, second: Keys) -> Keys:
    """int64[p]: the innermost node that holds both, or is one of them."""
    first, second, depth = first.copy(), second.copy(), graph.tree.depth
    while len(rows := np.flatnonzero(first != second)):
        deeper = depth[first[rows]] >= depth[second[rows]]
        first[rows[deeper]] = graph.parent[first[rows[deeper]]]
        second[rows[~deeper]] = graph.parent[second[rows[~deeper]]]
    return first


def _longest_inside(graph: Graph, time: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    longest, depth = time.copy(), graph.tree.depth
    for level in range(int(depth.max(initial=0)), 0, -1):
        keys = np.flatnonzero(depth == level)
        np.maximum.at(longest, graph.parent[keys], longest[keys])
    return longest


def _rounded(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    whole: npt.NDArray[np.int64] = np.rint(np.clip(values, -_MOST, _MOST)).astype(np.int64)
    return whole


def _scale(metric: ProfileMetric) -> float:
    return _UNITS.get(metric.unit, 1.0)


def _cost(metrics: Sequence[ProfileMetric], name: str | None) -> ProfileMetric | None:
    """The metric of that name; else a time, else what is no count of calls."""
    for fits in (
        lambda metric: metric.unit in _UNITS,
        lambda metric: metric.unit not in _COUNTS,
        lambda metric: metric.unit != "calls",
    ):
        if (found := _metric(metrics, name, fits)) is not None:
            return found
    return None


def _metric(
    metrics: Sequence[ProfileMetric], name: str | None, fits: Callable[[ProfileMetric], bool]
) -> ProfileMetric | None:
    if name is None:
        return next((metric for metric in metrics if fits(metric)), None)
    found = {metric.name: metric for metric in metrics}
    return found[name]


def _values(profile: Profile, metric: ProfileMetric, *, inclusive: bool) -> npt.NDArray[np.float64]:
    """float64[n]: the values with, or without, those of the nodes below; missing ones are 0."""
    values = np.nan_to_num(metric.mean)
    if metric.inclusive == inclusive or metric.unit == "calls":
        return values
    if inclusive:
        before = np.concatenate(([0.0], np.cumsum(values)))
        return before[profile.end_row] - before[np.arange(len(values))]
    below = np.flatnonzero(profile.parent >= 0)
    return values - np.bincount(profile.parent[below], values[below], len(values))


def _depth(end_row: npt.NDArray[np.int32]) -> npt.NDArray[np.uint32]:
    """uint32[n]: how many nodes stand above each: those that have begun before it and end after it."""
    change = np.zeros(len(end_row) + 2, np.int64)
    change[1 : len(end_row) + 1] += 1
    np.subtract.at(change, end_row, 1)
    return np.cumsum(change)[: len(end_row)].astype(np.uint32)


def _by_class(row_class: npt.NDArray[np.int32], values: npt.NDArray[np.float64], classes: int) -> npt.NDArray[np.int64]:
    return _rounded(np.bincount(row_class, values, classes))
