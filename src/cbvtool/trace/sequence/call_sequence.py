"""The calls of a trace that have a caller, from first to last (Holten et al. 2007, §3.3)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Trace

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CallSequence:
    """m calls by their start, those of one time by thread, then preorder; p pairs of caller and callee.

    row     uint32[m]  rows of `Calls`
    start   int64[m]   ns, ascending
    pair    int32[m]   row of
    caller  int32[p]   function
    callee  int32[p]   function
    roots   how many calls have no caller and are therefore left out
    """

    row: npt.NDArray[np.uint32]
    start: Rows
    pair: npt.NDArray[np.int32]
    caller: npt.NDArray[np.int32]
    callee: npt.NDArray[np.int32]
    roots: int

    def __len__(self) -> int:
        return len(self.row)

    def within(self, window: tuple[float, float]) -> tuple[int, int]:
        """(first, one past the last) call that starts in a window of ns, both ends included."""
        low, high = np.searchsorted(self.start, window[0], "left"), np.searchsorted(self.start, window[1], "right")
        return int(low), max(int(high), int(low))

    def place_of(self, row: int) -> int:
        """The place of a call, by its row; -1 = it is none of them."""
        found = np.flatnonzero(self.row == row)
        return int(found[0]) if len(found) else -1


def call_sequence(trace: Trace, threads: Container[int] | None = None, progress: Progress = silent) -> CallSequence:
    """The calls of some threads (None = all that count, see `Threads.counted`). May raise Cancelled.

    Linear, but for sorting the starts of several threads.
    """
    chosen = [row for row in trace.threads.counted() if threads is None or row in threads]
    calls, ptr = trace.calls, trace.threads.ptr
    row = np.empty(int((ptr[1:] - ptr[:-1])[chosen].sum()) if chosen else 0, np.uint32)
    caller = np.empty(len(row), np.int32)
    stack = np.empty(int(calls.depth.max(initial=0)) + 1, np.int32)
    found = 0
    for number, thread in enumerate(chosen):
        if not number % 64:
            progress("Reading calls in order", found, len(row))
        low, high = int(ptr[thread]), int(ptr[thread + 1])
        found = _with_callers(calls.function, calls.depth, low, high, stack, row, caller, found)
    roots = len(row) - found
    row, caller = row[:found], caller[:found]
    start = calls.start[row]
    if len(chosen) > 1:
        progress("Sorting calls by time", 0, 0)
        order = np.argsort(start, kind="stable")
        row, caller, start = row[order], caller[order], start[order]
    progress("Telling pairs apart", 0, 0)
    codes, pair = np.unique(caller.astype(np.int64) << 32 | calls.function[row], return_inverse=True)
    return CallSequence(
        row, start, pair.astype(np.int32), (codes >> 32).astype(np.int32), (codes & 0xFFFFFFFF).astype(np.int32), roots
    )


@kernel
def _with_callers(function: Any, depth: Any, low: int, high: int, stack: Any, row: Any, caller: Any, found: int) -> int:
    """Append the calls `low:high` of a thread that have a caller; how many there are by now."""
    for at in range(low, high):
        deep = int(depth[at])
        stack[deep] = function[at]
        if deep > 0:
            row[found] = at
            caller[found] = stack[deep - 1]
            found += 1
    return found
