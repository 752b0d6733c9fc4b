"""Parents, own times and subtree ends of calls, in portions: what a table of calls says in columns of its own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Depth = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
Times = npt.NDArray[np.int64]


@kernel
def parents_and_self(
    depth: Depth,
    start: Times,
    end: Times,
    end_row: npt.NDArray[np.uint32],
    low: int,
    stack: npt.NDArray[np.int64],
    parent: npt.NDArray[np.int64],
    own: Times,
) -> None:
    """Row of the caller (-1 = none) and ns without the calls below, of the calls from row `low` on.

    depth ... end_row  columns of `Calls`, all of them
    stack              int64[deepest + 1], kept from one portion to the next: the call at each depth
    parent, own        int64[portion], written
    """
    for at in range(len(parent)):
        row = low + at
        level = int(depth[row])
        stack[level] = row
        parent[at] = stack[level - 1] if level > 0 else -1
        rest = end[row] - start[row]
        below = row + 1
        while below < end_row[row]:
            rest -= end[below] - start[below]
            below = int(end_row[below])
        own[at] = rest


@kernel
def end_rows(
    depth: Depth, start: Times, end: Times, ptr: npt.NDArray[np.int64], deepest: int, out: npt.NDArray[np.uint32]
) -> bool:
    """Write `Calls.end_row`, which follows from the depths; False = these calls are not nested.

    ptr      int64[threads + 1]: the calls of each thread
    deepest  the largest depth
    """
    stack = np.zeros(deepest + 1, np.int64)
    for thread in range(len(ptr) - 1):
        height = 0
        for row in range(ptr[thread], ptr[thread + 1]):
            level = int(depth[row])
            if level > height or start[row] > end[row]:
                return False
            while height > level:
                height -= 1
                out[stack[height]] = row
            if level > 0:
                above = stack[level - 1]
                if start[row] < start[above] or end[row] > end[above]:
                    return False
            stack[height] = row
            height += 1
        while height > 0:
            height -= 1
            out[stack[height]] = ptr[thread + 1]
    return True
