"""Flat figures: of each function and thread, how often and how long, as `gprof` and `uftrace report` tell it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Trace

UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class FlatFigures:
    """Of f functions; `UNKNOWN` where a profile does not say.

    count    int64[f]  calls (of samples: nothing that means calls)
    total    int64[f]  ns, of the outermost calls of the function on each thread: recursion once
    own      int64[f]  ns, without the calls below
    longest  int64[f]  ns, of one call
    """

    count: npt.NDArray[np.int64]
    total: npt.NDArray[np.int64]
    own: npt.NDArray[np.int64]
    longest: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ThreadFigures:
    """Of t threads.

    calls      int64[t]
    functions  int64[t]  different ones
    cpu        int64[t]  ns of CPU time of the outermost calls, `UNKNOWN` where none was measured
    """

    calls: npt.NDArray[np.int64]
    functions: npt.NDArray[np.int64]
    cpu: npt.NDArray[np.int64]


@kernel
def add_flat(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    function: npt.NDArray[np.uint32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    end_row: npt.NDArray[np.uint32],
    low: int,
    high: int,
    count: npt.NDArray[np.int64],
    total: npt.NDArray[np.int64],
    own: npt.NDArray[np.int64],
    longest: npt.NDArray[np.int64],
) -> None:
    """Add the calls of one thread (rows `low` to `high`) to the figures of functions."""
    stack = np.empty(64, np.int64)
    running = np.zeros(len(count), np.int64)  # calls of each function on the stack
    height = 0
    for row in range(low, high):
        while height and end_row[stack[height - 1]] <= row:
            height -= 1
            running[function[stack[height]]] -= 1
        what, time = function[row], end[row] - start[row]
        count[what] += 1
        own[what] += time
        if height:
            own[function[stack[height - 1]]] -= time
        if not running[what]:
            total[what] += time
        longest[what] = max(longest[what], time)
        running[what] += 1
        if height == len(stack):
            stack = np.concatenate((stack, np.empty(height, np.int64)))
        stack[height] = row
        height += 1


def flat_figures(trace: Trace) -> FlatFigures:
    """The figures of each function of a trace. Linear in its calls."""
    figures = [np.zeros(len(trace.functions), np.int64) for _ in range(4)]
    calls, ptr = trace.calls, trace.threads.ptr
    for thread in trace.threads.counted():
        rows = int(ptr[thread]), int(ptr[thread + 1])
        add_flat(calls.function, calls.start, calls.end, calls.end_row, *rows, *figures)
    return FlatFigures(*figures)


def thread_figures(trace: Trace) -> ThreadFigures:
    """The figures of each thread of a trace."""
    ptr, calls = trace.threads.ptr, trace.calls
    functions, cpu = [], []
    for low, high in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
        functions.append(int(np.count_nonzero(np.bincount(calls.function[low:high], minlength=1))))
        if calls.cpu is None:
            cpu.append(UNKNOWN)
            continue
        outer = calls.cpu[low:high][calls.depth[low:high] == 0]
        known = outer[outer >= 0]
        cpu.append(int(known.sum()) if len(known) else UNKNOWN)
    return ThreadFigures(np.diff(ptr), np.array(functions, np.int64), np.array(cpu, np.int64))


def flat_of_profile(profile: Profile) -> FlatFigures:
    """The figures of functions of a profile, by its first metrics in calls and in ns; the longest call is unknown."""
    f = len(profile.functions)
    unknown = np.full(f, UNKNOWN, np.int64)
    inclusive, exclusive = _times(profile)
    counted = next((metric for metric in profile.metrics if metric.unit == "calls" and not metric.inclusive), None)
    outermost = np.ones(len(profile), np.bool_)
    above: list[int] = []
    running = [0] * f
    for row, what in enumerate(profile.function.tolist()):
        while above and profile.end_row[above[-1]] <= row:
            running[profile.function[above.pop()]] -= 1
        outermost[row] = not running[what]
        running[what] += 1
        above.append(row)
    return FlatFigures(
        unknown if counted is None else _by_function(profile, _sum_of_places(counted)),
        unknown if inclusive is None else _by_function(profile, np.where(outermost, inclusive, np.nan)),
        unknown if exclusive is None else _by_function(profile, exclusive),
        unknown,
    )


def _sum_of_places(metric: ProfileMetric) -> npt.NDArray[np.float64]:
    """float64[n]: the values over all ranks and threads, NaN where none is known; else the mean of them."""
    if metric.by_place is None:
        return metric.mean
    missing = np.isnan(metric.by_place).all(axis=0)
    return np.where(missing, np.nan, np.nansum(metric.by_place, axis=0))


def _times(profile: Profile) -> tuple[npt.NDArray[np.float64] | None, npt.NDArray[np.float64] | None]:
    """Inclusive and exclusive ns of each node: as measured, or one made of the other."""
    known = {metric.inclusive: _sum_of_places(metric) for metric in reversed(profile.metrics) if metric.unit == "ns"}
    with_below, alone = known.get(True), known.get(False)
    rows = np.arange(len(profile))
    if with_below is None and alone is not None:
        sums = np.concatenate(([0.0], np.cumsum(np.nan_to_num(alone))))
        with_below = sums[profile.end_row] - sums[rows]
    elif alone is None and with_below is not None:
        alone = with_below.copy()
        inner = np.flatnonzero(profile.parent >= 0)
        np.subtract.at(alone, profile.parent[inner], np.nan_to_num(with_below[inner]))
    return with_below, alone


def _by_function(profile: Profile, values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Sums of the values of nodes, rounded; `UNKNOWN` for functions of which no node has a value."""
    known = ~np.isnan(values)
    f, function = len(profile.functions), profile.function[known]
    sums = np.clip(np.round(np.bincount(function, values[known], f)), -(2.0**62), 2.0**62).astype(np.int64)
    return np.where(np.bincount(function, minlength=f) > 0, sums, UNKNOWN)
