"""Amounts of states in slices of time, summed exactly in one compiled pass: time of calls, begins, counters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint32]


def edges_of(first: int, last: int, slices: int) -> Ints:
    """int64[k + 1], ns: where the slices of a window begin, and its end; fewer where slices were shorter than 1 ns."""
    length = max(int(last) - int(first), 1)
    slices = max(1, min(slices, length))
    return np.array([first + length * number // slices for number in range(slices + 1)], np.int64)


@kernel
def add_times(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    state_of: npt.NDArray[np.int32],
    function: Rows,
    start: Ints,
    end: Ints,
    depth: npt.NDArray[Any],
    low: int,
    high: int,
    deepest: int,
    edges: Ints,
    out: Ints,
) -> None:
    """Add the time in which each state is the innermost one, of the calls `low` to `high`, which are one stack.

    state_of  int32[f]: the state of each function
    depth     of each call, at most `deepest`
    edges     int64[k + 1]: where slices begin
    out       int64[k, x + 1]: ns; the last column takes the time in which no call runs
    """
    last, idle = edges[len(edges) - 1], out.shape[1] - 1
    ends = np.empty(deepest + 2, np.int64)
    state = np.empty(deepest + 2, np.int64)  # of the call at each depth, behind that of none
    state[0] = idle
    time, bound, slice_ = edges[0], edges[1], 0
    height = np.int64(0)
    for row in range(low, high + 1):
        level = np.int64(0) if row == high else np.int64(depth[row])
        while height > level:
            until = min(ends[height], last)
            if until > time:
                while bound < until:
                    out[slice_, state[height]] += bound - time
                    time = bound
                    slice_ += 1
                    bound = edges[slice_ + 1]
                out[slice_, state[height]] += until - time
                time = until
            height -= 1
        if row == high:
            break
        until = min(start[row], last)
        if until > time:
            while bound < until:
                out[slice_, state[height]] += bound - time
                time = bound
                slice_ += 1
                bound = edges[slice_ + 1]
            out[slice_, state[height]] += until - time
            time = until
        height = level + 1
        ends[height], state[height] = end[row], state_of[function[row]]


@kernel
def add_begins(
    state_of: npt.NDArray[np.int32], function: Rows, start: Ints, low: int, high: int, edges: Ints, out: Ints
) -> None:
    """Add the calls of each state that begin in each slice: int64[k, x + 1]. Starts of a stack never go back."""
    last = len(edges) - 2
    slice_ = 0
    for row in range(low, high):
        if start[row] < edges[0]:
            continue
        if start[row] > edges[last + 1]:
            break
        while slice_ < last and start[row] >= edges[slice_ + 1]:
            slice_ += 1
        out[slice_, state_of[function[row]]] += 1


@kernel
def add_levels(time: Ints, value: npt.NDArray[np.float64], end: int, edges: Ints, out: npt.NDArray[np.float64]) -> None:
    """Add the integral of a counter over each slice: value x ns, float64[k]. It holds until its next time, or `end`.

    time  ascending. Below 0 it counts as 0.
    """
    slice_ = 0
    for row in range(len(time)):
        begin = max(time[row], edges[0])
        until = min(time[row + 1] if row + 1 < len(time) else end, edges[len(edges) - 1])
        while begin < until:
            while edges[slice_ + 1] <= begin:
                slice_ += 1
            part = min(until, edges[slice_ + 1])
            out[slice_] += max(value[row], 0.0) * (part - begin)
            begin = part


@kernel
def depths_of(resource: npt.NDArray[np.int32], start: Ints, end: Ints, out: npt.NDArray[np.uint32]) -> None:
    """How many intervals of its resource lie around each; they stand by resource, start, the longest first."""
    stack = np.empty(64, np.int64)
    height = 0
    for row in range(len(end)):
        while height and (resource[stack[height - 1]] != resource[row] or end[stack[height - 1]] <= start[row]):
            height -= 1
        out[row] = height
        if height == len(stack):
            stack = np.concatenate((stack, np.empty(height, np.int64)))
        stack[height] = row
        height += 1
