"""Edits planted in a call tree of 170,000 calls, and how much of the truth the alignment finds (TD-11).

alignment.py [SEEDS]: means over 20 seeds of 60 and of 600 edits; status 1 when a mean is below what is asked for.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from cbvtool.trace.compare.alignment.align import align
from tests.trace.compare.planted import judged, plant
from tests.trace.compare.test_alignment import program_tree

CALLS = 170_000
ASKED = {60: 0.999, 600: 0.995}


def main() -> int:
    """Print a line for each number of edits."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    function, end_row = program_tree(CALLS, 2000, 1)
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
        missed |= right < asked
        print(
            f"{edits} edits, {seeds} seeds: right {right:.5f} (asked {asked}), below the same call {strict:.5f}, "
            f"removed {removed:.3f}, wrapped {wrapped:.3f}, moved {moved:.3f}; {np.median(taken):.2f} s"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
