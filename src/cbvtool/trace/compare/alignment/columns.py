"""Two forests of calls, and the pairs while they are found, as the columns of one matrix.

One array is what compiled loops compile fastest and call each other with cheapest: each further array is seven more
arguments of every loop.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

# int32[COLUMNS, n], used as `pairs[PARTNER, row]`. The rows of A come first, then those of B, each below a virtual
# root: row 0 and row `first_b`. Functions and classes are numbers below n.
Pairing = npt.NDArray[np.int32]
Counts = npt.NDArray[np.uint32]  # uint32[k, BUCKETS]: see `likeness.count_functions`
Work = npt.NDArray[np.int64]  # int64[1]: steps that sequences may still take before they become inexact
Rows = npt.NDArray[np.int64]  # a list of rows, or of places in such a list

FUNCTION = 0  # a number that means the same function on both sides; -1 of the roots
END_ROW = 1  # the row after the last call below this one
PARENT = 2  # -1 of the roots
CLASS = 3  # equal numbers = identical subtrees; -1 of the roots
PARTNER = 4  # row of the other side, `UNPAIRED`
FLAGS = 5  # the sum of those below
ANCHOR = 6  # place to note which children of two paired calls belong together; -1 in between
LABEL = 7  # by class or function: place to number them; -1 in between
JOINED = 8  # by row: place to number calls that an anchor joins; -1 in between
LARGE = 9  # row of `Counts`, -1 = the subtree is small
BITS = 10  # and 11: one bit for each function below, the lower and the upper half of 64; functions may share a bit
COLUMNS = 12

TOUCHED = 1  # a call below is paired
WHOLE = 2  # the call was paired with the rest of an identical subtree
ALIGNED = 4  # the calls below this paired one were aligned
ONE_SIDED = 8  # no call of the other side is of its function

UNPAIRED = -1


@kernel
def wide(number: int) -> int:
    """The number as int64: a loop is compiled once for each type of its arguments, and columns hold int32."""
    return int(np.int64(number))
