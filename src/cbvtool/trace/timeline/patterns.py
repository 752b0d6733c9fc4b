"""The overview by pattern (TV-2; 002 §4.1.2): functions down, time across, dark where a function runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.timeline.bars import TimeGrid

_ROWS = 1 << 21  # calls between two looks at whether somebody wants to stop


def activity_pattern(
    trace: Trace, threads: tuple[int, ...], grid: TimeGrid, progress: Progress = silent
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """How much of each column of a window each function runs, on some threads.

    Returns float32[f, columns], 0 to 1 (the share of the column's time; recursion and several threads count once at
    most), and int64[f]: the functions of its rows, the first called first. Linear in the calls. May raise Cancelled.
    """
    calls, ptr, f = trace.calls, trace.threads.ptr.tolist(), len(trace.functions)
    order = np.full(f, -1, np.int64)
    known = 0
    for thread in threads:
        which, first = np.unique(calls.function[ptr[thread] : ptr[thread + 1]], return_index=True)
        for function in which[np.argsort(first)].tolist():
            if order[function] < 0:
                order[function] = known
                known += 1
    shares = np.zeros((known, len(grid.edges) - 1), np.float32)
    for thread in threads:
        for low in range(ptr[thread], ptr[thread + 1], _ROWS):
            progress("Finding patterns", low, len(calls))
            high = min(low + _ROWS, ptr[thread + 1])
            _add(calls.function, calls.start, calls.end, low, high, trace.span[0], order, grid.edges, shares)
    functions = np.empty(known, np.int64)
    functions[order[order >= 0]] = np.flatnonzero(order >= 0)
    return np.minimum(shares, 1.0, out=shares), functions


@kernel
def _add(
    function: npt.NDArray[np.uint32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    low: int,
    high: int,
    origin: int,
    order: npt.NDArray[np.int64],
    edges: npt.NDArray[np.float64],
    shares: npt.NDArray[np.float32],
) -> None:
    """Add to each column the share of it that each call covers. Columns are found by halves."""
    columns = len(edges) - 1
    for row in range(low, high):
        begin, stop = float(start[row] - origin), float(end[row] - origin)
        if stop < edges[0] or begin > edges[columns]:
            continue
        below, above = 0, columns
        while above - below > 1:
            middle = (below + above) // 2
            if edges[middle] <= begin:
                below = middle
            else:
                above = middle
        place = order[function[row]]
        for column in range(below, columns):
            if edges[column] > stop:
                break
            wide = edges[column + 1] - edges[column]
            part = min(stop, edges[column + 1]) - max(begin, edges[column])
            if wide > 0.0 and part > 0.0:
                shares[place, column] += part / wide
