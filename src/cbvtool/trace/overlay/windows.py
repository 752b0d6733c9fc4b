"""Run time of a window: calls counted and their times added, class by class."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.progress import checkpoint
from cbvtool.trace.kernels import kernel
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.overlay.call_classes import DIRECT, FIRST_OF_NODE, FIRST_OF_PAIR, CallClasses, call_classes
from cbvtool.trace.overlay.run_time import RunTime

_ROWS = 1 << 23  # between two looks at whether somebody wants to stop


def classes_of(trace: Trace, nodes: NodeMap, graph: Graph) -> CallClasses:
    """What windows of a trace share: made once for a trace, a map and a graph. Raises ValueError if they do not fit."""
    if len(nodes.node) != len(trace.functions) or int(nodes.node.max(initial=-1)) >= len(graph):
        raise ValueError("the map is not one from this trace to this graph")
    return call_classes(trace.calls.function, trace.calls.depth, nodes, graph)


def run_time(
    trace: Trace, classes: CallClasses, window: tuple[int, int] | None = None, threads: Collection[int] | None = None
) -> RunTime:
    """Counts and times of a window (ns, both ends belong to it; None = all) and of some threads (rows; None = all).

    A call that overlaps the window counts; its time is clipped. One addition for each call that overlaps.
    Tracks of tasks count as in `Threads.counted`.
    """
    first, last = window or trace.span
    chosen = trace.threads.counted(threads)
    sums = np.zeros((len(classes), 2), np.int64)
    calls = trace.calls
    for thread in chosen:
        low, high = int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1])
        start = calls.start[low:high]
        begin = low + int(np.searchsorted(start, first, "left"))
        finish = low + int(np.searchsorted(start, last, "right"))
        _add_running(classes.row_class, calls.start, calls.end, calls.depth, low, begin, first, last, sums)
        for row in range(begin, finish, _ROWS):
            checkpoint()
            _add(classes.row_class, calls.start, calls.end, row, min(row + _ROWS, finish), last, sums)
    sampled = bool(trace.threads.sampled[chosen].any())
    return summed(classes, sums[:, 0], sums[:, 1], (first, last), sampled)


def summed(
    classes: CallClasses,
    count: npt.NDArray[np.int64],
    time: npt.NDArray[np.int64],
    window: tuple[int, int],
    sampled: bool,
) -> RunTime:
    """The run time that follows from how many calls of each class there are, and how long they take together."""
    n = len(classes.graph)
    called = classes.callee >= 0
    has_caller = (classes.flags & DIRECT) > 0
    first_of_pair, first_of_node = (classes.flags & FIRST_OF_PAIR) > 0, (classes.flags & FIRST_OF_NODE) > 0
    codes, pair = classes.pairs
    related = pair >= 0
    pair_count = _sums(pair[related], count[related], len(codes))
    pair_time = _sums(pair[related & first_of_pair], time[related & first_of_pair], len(codes))
    seen = pair_count > 0
    callee, around = classes.callee[called], classes.around[called]
    own = _sums(callee, time[called], n)
    below = _sums(classes.caller[has_caller], time[has_caller], n)
    inside = around >= 0
    opened = own - _sums(around[inside], time[called][inside], n)
    return RunTime(
        (codes[seen] >> 32).astype(np.int32),
        (codes[seen] & 0xFFFFFFFF).astype(np.int32),
        pair_count[seen],
        pair_time[seen],
        _sums(callee, count[called], n),
        own - below,
        _sums(classes.callee[called & first_of_node], time[called & first_of_node], n),
        _subtree_sums(classes.graph, opened),
        window,
        sampled,
    )


def _sums(place: npt.NDArray[np.integer[Any]], value: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.int64]:
    """int64[length]: the values at each place, added."""
    sums = np.zeros(length, np.int64)
    np.add.at(sums, place, value)
    return sums


def _subtree_sums(graph: Graph, own: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64[n]: sum of `own` over each subtree."""
    tree = graph.tree
    before = np.concatenate(([0], np.cumsum(own[tree.order])))
    sums = np.zeros(len(own), np.int64)
    sums[tree.order] = before[tree.end[tree.order]] - before[tree.pos[tree.order]]
    return sums


@kernel
def _add(
    row_class: npt.NDArray[np.int32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    begin: int,
    finish: int,
    last: int,
    sums: npt.NDArray[np.int64],
) -> None:
    """Add the calls of rows that begin in the window."""
    for row in range(begin, finish):
        number = row_class[row]
        sums[number, 0] += 1
        sums[number, 1] += min(end[row], last) - start[row]


@kernel
def _add_running(
    row_class: npt.NDArray[np.int32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    depth: npt.NDArray[Any],
    low: int,
    begin: int,
    first: int,
    last: int,
    sums: npt.NDArray[np.int64],
) -> None:
    """Add the calls of the thread from row `low` on that began before row `begin` and end in the window, or later.

    They stand in one another: whatever begins before the window and reaches it holds row `begin` - 1, or is that row.
    """
    row = begin - 1
    level = -1
    while row >= low:
        if level < 0 or depth[row] < level:
            level = depth[row]
            if end[row] >= first:
                number = row_class[row]
                sums[number, 0] += 1
                sums[number, 1] += min(end[row], last) - max(start[row], first)
            if level == 0:
                return
        row -= 1
