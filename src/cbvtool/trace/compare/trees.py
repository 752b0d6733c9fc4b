"""The calls of a thread as a tree with one root; a virtual one where nobody called several of them (TD-1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.model.trace import Trace

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CallTree:
    """n calls in preorder; row 0 is the root.

    function  int64[n]  common id (`identity.CommonFunctions`); of the virtual root the number of common ids
    end_row   int64[n]  the row after the last call below this one
    depth     int64[n]  0 = the root
    start     int64[n]  ns since the root's start
    end       int64[n]  likewise
    first     row of the trace that row 0 is, or would be before a virtual root: row r is row `first + r` of the trace
    virtual   whether row 0 is no call of the trace but the root over several
    """

    function: Ints
    end_row: Ints
    depth: Ints
    start: Ints
    end: Ints
    first: int
    virtual: bool

    def __len__(self) -> int:
        return len(self.function)

    @cached_property
    def parent(self) -> Ints:
        """int64[n]: the row of the caller; -1 of the root."""
        return _parents(self.end_row)

    @cached_property
    def breadth_first(self) -> Ints:
        """int64[n]: the rows level by level, each level from left to right."""
        return counted_order(self.depth, np.arange(len(self)), int(self.depth.max(initial=0)) + 1)

    @cached_property
    def rank(self) -> Ints:
        """int64[n]: the place of each row in `breadth_first`."""
        found = np.empty(len(self), np.int64)
        found[self.breadth_first] = np.arange(len(self))
        return found

    def call(self, row: int) -> int:
        """The row of the trace that a row of the tree stands for; -1 for the virtual root."""
        return -1 if self.virtual and row == 0 else self.first + row

    def row(self, call: int) -> int:
        """The row of the tree that stands for a call of the trace."""
        return call - self.first


def call_tree(trace: Trace, thread: int, common: Ints, ids: int) -> CallTree:
    """The calls of one thread.

    `common` is the common id of each function of the trace, `ids` how many there are. Raises ValueError when the
    thread made no call.
    """
    low, high = int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1])
    if low == high:
        raise ValueError(f"thread {trace.threads.name[thread] or thread} made no call")
    calls = trace.calls
    function = common[calls.function[low:high]].astype(np.int64)
    end_row = calls.end_row[low:high].astype(np.int64) - low
    depth = calls.depth[low:high].astype(np.int64)
    begin = int(calls.start[low])
    start, end = calls.start[low:high] - begin, calls.end[low:high] - begin
    if end_row[0] == high - low:
        return CallTree(function, end_row, depth, start, end, low, False)
    n = high - low + 1
    return CallTree(
        np.concatenate(([ids], function)),
        np.concatenate(([n], end_row + 1)),
        np.concatenate(([0], depth + 1)),
        np.concatenate(([0], start)),
        np.concatenate(([end.max()], end)),
        low - 1,
        True,
    )


@kernel
def counted_order(key: npt.NDArray[np.int64], order: npt.NDArray[np.int64], keys: int) -> npt.NDArray[np.int64]:
    """The rows of `order` by their key, 0 <= key < keys; those of one key stay as they are. Linear in rows and keys."""
    at = np.zeros(keys + 1, np.int64)
    for row in order:
        at[key[row] + 1] += 1
    for each in range(keys):
        at[each + 1] += at[each]
    found = np.empty(len(order), np.int64)
    for row in order:
        found[at[key[row]]] = row
        at[key[row]] += 1
    return found


@kernel
def _parents(end_row: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The row of each call's caller: of the open calls the last."""
    parent = np.empty(len(end_row), np.int64)
    above = -1
    for row in range(len(end_row)):
        while above >= 0 and end_row[above] <= row:
            above = parent[above]
        parent[row] = above
        above = row
    return parent
