"""Collect the sampled stacks of threads, and hand them to a trace."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import OUT_OF_ORDER, TraceBuilder
from cbvtool.trace.making.samples import events_of_samples, intervals

_FRAME, _SAMPLE = 4, 24  # bytes of memory


@dataclass
class StackSamples:
    """The stacks of one thread as they come; `time` is when the sample was taken, ns.

    period  ns that each sample stands for, 0 = unknown
    """

    budget: Budget
    ptr: array[int] = field(default_factory=lambda: array("q", [0]))
    frames: array[int] = field(default_factory=lambda: array("I"))
    time: array[int] = field(default_factory=lambda: array("q"))
    period: array[int] = field(default_factory=lambda: array("q"))

    def add(self, time: int, stack: Iterable[int], period: int = 0) -> None:
        """A stack, the outermost function first."""
        self.frames.extend(stack)
        length = len(self.frames) - self.ptr[-1]
        self.budget.spend(count=1 + length, size=_SAMPLE + _FRAME * length)
        self.ptr.append(len(self.frames))
        self.time.append(min(max(time, -(2**62)), 2**62))
        self.period.append(min(max(period, 0), 2**62))

    def hand_to(self, builder: TraceBuilder, thread: int) -> None:
        """Make the calls of a thread of them. Samples that came late are sorted by time, and counted."""
        builder.mark_sampled(thread)
        if not self.time:
            return
        ptr, frames = np.array(self.ptr, np.int64), np.array(self.frames, np.uint32)
        time, period = np.array(self.time, np.int64), np.array(self.period, np.int64)
        if late := int(np.count_nonzero(np.diff(time) < 0)):
            builder.repairs[OUT_OF_ORDER] += late
            order = np.argsort(time, kind="stable")
            length = np.diff(ptr)[order]
            begin = ptr[:-1][order]
            ptr = np.concatenate(([0], np.cumsum(length)))
            frames = frames[np.repeat(begin - ptr[:-1], length) + np.arange(len(frames))]
            time, period = time[order], period[order]
        start, end = intervals(time, period if period.any() else None)
        builder.alive(thread, int(start[0]))
        builder.alive(thread, int(end[-1]))
        builder.bulk(thread, events_of_samples(ptr, frames, start, end))
