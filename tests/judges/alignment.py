"""Edits planted in a call tree of 170,000 calls, and how much of the truth the alignment finds (TD-11).

alignment.py [SEEDS] [TRACE]: means over 20 seeds of 60 and of 600 edits, in made-up calls, or in those of the thread of
a recording with the most; status 1 when a mean is below what is asked for.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.align import align
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from tests.trace.compare.planted import judged, plant
from tests.trace.compare.test_alignment import program_tree

CALLS = 170_000
ASKED = {60: 0.999, 600: 0.995}
ASKED_OF_EACH = {60: (0.9, 0.8, 0.9), 600: (0.9, 0.8, 0.9)}  # removed, wrapped, moved


def recorded(path: Path) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Functions and ends of the calls of the thread with the most."""
    trace = next(part for part in read_traces(path) if isinstance(part, Trace))
    thread = int(np.argmax(np.diff(trace.threads.ptr)))
    low, high = trace.threads.ptr[thread : thread + 2].tolist()
    return trace.calls.function[low:high].astype(np.int64), trace.calls.end_row[low:high].astype(np.int64) - low


def main() -> int:
    """Print a line for each number of edits."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    function, end_row = recorded(Path(sys.argv[2])) if len(sys.argv) > 2 else program_tree(CALLS, 2000, 1)
    print(f"{len(function):,} calls")
    missed = False
    for edits, asked in ASKED.items():
        rows, taken = [], []
        for seed in range(seeds):
            edited = plant(function, end_row, edits, seed)
            began = time.thread_time()
            found = align(function, end_row, edited.function, edited.end_row)
            taken.append(time.thread_time() - began)
            told = judged(function, end_row, edited, found)
            rows.append([told.right, told.strict, told.removed, told.wrapped, told.moved])
        right, strict, removed, wrapped, moved = np.nanmean(rows, axis=0)
        missed |= right < asked or any(np.less((removed, wrapped, moved), ASKED_OF_EACH[edits]))
        print(
            f"{edits} edits, {seeds} seeds: right {right:.5f} (asked {asked}), below the same call {strict:.5f}, "
            f"removed {removed:.3f}, wrapped {wrapped:.3f}, moved {moved:.3f}; {np.median(taken):.2f} s"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
