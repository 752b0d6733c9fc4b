"""Samples of call stacks to begins and ends: what stays on the stack from one sample to the next is one call."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.builder import ThreadEvents
from cbvtool.trace.making.matching import ANY_FUNCTION, BEGIN, END

Times = npt.NDArray[np.int64]


def events_of_samples(
    ptr: npt.NDArray[np.int64], frames: npt.NDArray[np.uint32], start: Times, end: Times
) -> ThreadEvents:
    """Events of one thread, whose calls are runs of equal stack prefixes.

    ptr         int64[s + 1]: sample i saw `frames[ptr[i]:ptr[i + 1]]`, the outermost function first
    frames      uint32[ptr[s]]: functions
    start, end  int64[s], ns: for how long sample i stands; ascending, no overlap. Where a sample ends before the next
                one starts, all calls end, too
    """
    kept = np.zeros(len(start), np.int64)
    stops = int(_kept_frames(ptr, frames, start, end, kept)) if len(start) else 0
    total = stops * 2  # each call begins and ends
    kind, function = np.empty(total, np.uint8), np.empty(total, np.uint32)
    time = np.empty(total, np.int64)
    if total:
        _write_events(ptr, frames, start, end, kept, kind, function, time)
    return ThreadEvents(kind, function, time, np.zeros(total, np.int64))


def intervals(time: Times, period: Times | None = None) -> tuple[Times, Times]:
    """For how long each sample of a thread stands: (start, end), both int64[s] ns.

    time    int64[s], ns, ascending
    period  int64[s], ns that each sample stands for; None = unknown: the median distance of the samples

    A sample stands from the one before it, if that is at most two periods ago; otherwise the thread did not run
    meanwhile, and it stands for one period. The first one stands for one period.
    """
    if not len(time):
        return time, time
    if period is None:
        distances = np.diff(time)
        usual = int(np.median(distances[distances > 0])) if (distances > 0).any() else 0
        period = np.full(len(time), usual, np.int64)
    start = time - period
    before = time[:-1]
    start[1:] = np.where(start[1:] - before <= period[1:], before, start[1:])
    return start, time


@kernel
def _kept_frames(
    ptr: npt.NDArray[np.int64], frames: npt.NDArray[np.uint32], start: Times, end: Times, kept: Times
) -> int:
    """Write how many frames of the sample before stay on the stack in each; return how many calls there are."""
    calls = ptr[1] - ptr[0]
    for sample in range(1, len(start)):
        length = ptr[sample + 1] - ptr[sample]
        same = 0
        if start[sample] <= end[sample - 1]:
            most = min(length, ptr[sample] - ptr[sample - 1])
            while same < most and frames[ptr[sample] + same] == frames[ptr[sample - 1] + same]:
                same += 1
        kept[sample] = same
        calls += length - same
    return int(calls)


@kernel
def _write_events(
    ptr: npt.NDArray[np.int64],
    frames: npt.NDArray[np.uint32],
    start: Times,
    end: Times,
    kept: Times,
    kind: npt.NDArray[np.uint8],
    function: npt.NDArray[np.uint32],
    time: Times,
) -> None:
    """Write the ends of what a sample no longer has, then the begins of what it has in addition."""
    at = 0
    for sample in range(len(start) + 1):
        last = sample == len(start)
        same = 0 if last else kept[sample]
        if sample:
            for _ in range(ptr[sample] - ptr[sample - 1] - same):
                kind[at] = END
                function[at] = ANY_FUNCTION
                time[at] = end[sample - 1]
                at += 1
        if not last:
            for frame in range(ptr[sample] + same, ptr[sample + 1]):
                kind[at] = BEGIN
                function[at] = frames[frame]
                time[at] = start[sample]
                at += 1
