"""Run time from a profile: a calling context tree knows pairs, counts and times, but no window."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.overlay.call_classes import call_classes
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.trace.overlay.windows import summed

_COUNTS = ("calls", "samples")
_UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "usec": 1e3, "ms": 1e6, "msec": 1e6, "s": 1e9, "sec": 1e9, "seconds": 1e9}


def run_time_of_profile(
    profile: Profile, nodes: NodeMap, graph: Graph, count: str | None = None, time: str | None = None
) -> RunTime:
    """Run time of a whole profile; means over ranks and threads, where it has several. Raises ValueError, KeyError.

    count, time  names of metrics; None = the first one in calls (or samples), and the first one in a unit of time

    If no count is measured at all, each node is one call; a missing value adds nothing. A node has the samples that hit
    it or what lies below it. A metric in another unit than of time (bytes, cycles) can stand for the time.
    """
    if len(nodes) != len(profile.functions):
        raise ValueError("the map is not one from this profile")
    counts = _metric(profile, count, lambda metric: metric.unit in _COUNTS)
    times = _metric(profile, time, lambda metric: metric.unit in _UNITS)
    classes = call_classes(profile.function, _depth(profile.end_row), nodes, graph)
    number = np.ones(len(profile)) if counts is None else _values(profile, counts, inclusive=counts.unit == "samples")
    spent = np.zeros(len(profile)) if times is None else _values(profile, times, inclusive=True)
    scale = 1.0 if times is None else _UNITS.get(times.unit, 1.0)
    return summed(
        classes,
        _by_class(classes.row_class, number, len(classes)),
        _by_class(classes.row_class, spent * scale, len(classes)),
        (0, 0),
        profile.sampled or (counts is not None and counts.unit == "samples"),
    )


def _metric(profile: Profile, name: str | None, fits: Callable[[ProfileMetric], bool]) -> ProfileMetric | None:
    if name is None:
        return next((metric for metric in profile.metrics if fits(metric)), None)
    found = {metric.name: metric for metric in profile.metrics}
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
    sums: npt.NDArray[np.int64] = np.rint(np.bincount(row_class, values, classes)).astype(np.int64)
    return sums
