"""Two sequences of calls row by row: what both have, what one of them alone has (EX-6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
GAP = -1
_MOST_CELLS = 4_000_000  # of a block that is aligned exactly
_PIECE = 512  # calls a side of a block that is aligned piece by piece
_CONTEXTS = (64, 16, 4, 1)  # lengths of what occurs once in each


@dataclass(frozen=True, eq=False)
class RowAlignment:
    """l rows of two sequences.

    a, b   int64[l]  places in either; `GAP` where the row is the other's alone
    exact  whether no longer common subsequence can be: what lies between the common begin and end was small enough
    """

    a: Rows
    b: Rows
    exact: bool

    def __len__(self) -> int:
        return len(self.a)

    @property
    def same(self) -> npt.NDArray[np.bool_]:
        """bool[l]: the rows that both have."""
        found: npt.NDArray[np.bool_] = (self.a != GAP) & (self.b != GAP)
        return found

    def rows_of(self, side: int) -> Rows:
        """int64[m]: the row of each place of a side, 0 = a."""
        of = self.b if side else self.a
        return np.flatnonzero(of != GAP)


def aligned_rows(a: Numbers, b: Numbers, progress: Progress = silent) -> RowAlignment:
    """The longest common subsequence of two sequences of identities, as far as that costs little. May raise Cancelled.

    What both begin and end with is the same. Between, stretches that occur once in each hold the blocks apart
    (patience); a block is aligned by the whole table (Wagner and Fischer 1974), or, where that is too large, piece by
    piece along its diagonal. Calls of -1 equal nothing. Between matches, calls of a come first.
    """
    waiting = [(0, len(a), 0, len(b), 0)]
    pairs: list[tuple[Rows, Rows]] = []
    exact, done = True, 0
    while waiting:
        a0, a1, b0, b1, context = waiting.pop()
        progress("Aligning calls", done, len(a))
        head = _common(a[a0:a1], b[b0:b1])
        pairs.append((np.arange(a0, a0 + head), np.arange(b0, b0 + head)))
        a0, b0 = a0 + head, b0 + head
        tail = _common(a[a0:a1][::-1], b[b0:b1][::-1])
        done += head + tail
        tails = (np.arange(a1 - tail, a1), np.arange(b1 - tail, b1))
        a1, b1 = a1 - tail, b1 - tail
        if tail:
            pairs.append(tails)
        if a0 == a1 or b0 == b1:
            done += a1 - a0
            continue
        if (a1 - a0) * (b1 - b0) <= _MOST_CELLS:
            pairs.append(_by_table(a[a0:a1], b[b0:b1], a0, b0))
            done += a1 - a0
            continue
        exact = False
        anchors, level = _anchors(a[a0:a1], b[b0:b1], context)
        if len(anchors[0]):
            ends = zip([0, *anchors[0].tolist()], [0, *anchors[1].tolist()], strict=True)
            stops = zip([*anchors[0].tolist(), a1 - a0], [*anchors[1].tolist(), b1 - b0], strict=True)
            blocks = [(a0 + i, a0 + k, b0 + j, b0 + m, level) for (i, j), (k, m) in zip(ends, stops, strict=True)]
            waiting.extend(reversed(blocks))
        else:
            pieces = max(-(-(a1 - a0) // _PIECE), -(-(b1 - b0) // _PIECE))
            cuts_a = np.linspace(a0, a1, pieces + 1).astype(np.int64).tolist()
            cuts_b = np.linspace(b0, b1, pieces + 1).astype(np.int64).tolist()
            for i in range(pieces):
                if not i % 16:
                    progress("Aligning calls", done + cuts_a[i] - a0, len(a))
                low_a, high_a, low_b, high_b = cuts_a[i], cuts_a[i + 1], cuts_b[i], cuts_b[i + 1]
                pairs.append(_by_table(a[low_a:high_a], b[low_b:high_b], low_a, low_b))
            done += a1 - a0
    in_a = np.concatenate([each for each, _ in pairs])
    in_b = np.concatenate([each for _, each in pairs])
    order = np.argsort(in_a, kind="stable")
    return _rows(in_a[order], in_b[order], len(a), len(b), exact)


def _rows(in_a: Rows, in_b: Rows, m: int, n: int, exact: bool) -> RowAlignment:
    """Rows of all calls, of the matches between them."""
    length = m + n - len(in_a)
    before = np.arange(len(in_a))  # matches before each one: each took one row for two calls
    at = in_a + in_b - before
    a, b = np.full(length, GAP, np.int64), np.full(length, GAP, np.int64)
    a[at], b[at] = in_a, in_b
    only_a, only_b = np.ones(m, np.bool_), np.ones(n, np.bool_)
    only_a[in_a] = only_b[in_b] = False
    rest = np.flatnonzero(only_a)
    matched = np.searchsorted(in_a, rest)  # matches before it
    ends_b = np.concatenate(([0], in_b + 1))[matched]  # calls of b that lie before them
    a[rest + ends_b - matched] = rest
    rest = np.flatnonzero(only_b)
    matched = np.searchsorted(in_b, rest)
    ends_a = np.concatenate((in_a, [m]))[matched]  # calls of a that lie before the next match
    b[rest + ends_a - matched] = rest
    return RowAlignment(a, b, exact)


def _common(a: Numbers, b: Numbers) -> int:
    """How many both begin with."""
    size = min(len(a), len(b))
    unlike = (a[:size] != b[:size]) | (a[:size] < 0)
    return int(np.argmax(unlike)) if unlike.any() else size


def _anchors(a: Numbers, b: Numbers, context: int) -> tuple[tuple[Rows, Rows], int]:
    """((places in a, in b) of stretches that occur once in each, ascending in both), the level to go on with."""
    for level in range(context, len(_CONTEXTS)):
        size = _CONTEXTS[level]
        if min(len(a), len(b)) < size:
            continue
        one, other = _hashes(a, size), _hashes(b, size)
        where_a, where_b = _once(one), _once(other)
        _, x, y = np.intersect1d(one[where_a], other[where_b], return_indices=True)
        in_a, in_b = where_a[x], where_b[y]
        same = a[in_a] == b[in_b]
        order = np.argsort(in_a[same], kind="stable")
        in_a, in_b = in_a[same][order], in_b[same][order]
        chosen = _ascending(in_b)
        if len(chosen):
            in_a, in_b = in_a[chosen], in_b[chosen]
            first = np.append(True, (np.diff(in_a) != 1) | (np.diff(in_b) != 1))  # of neighbours the first is enough
            return (in_a[first], in_b[first]), level + 1
    nothing = np.empty(0, np.int64)
    return (nothing, nothing), len(_CONTEXTS)


def _hashes(numbers: Numbers, size: int) -> npt.NDArray[np.uint64]:
    """uint64[m - size + 1]: a hash of each stretch of `size` numbers."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    found = np.zeros(len(numbers) - size + 1, np.uint64)
    for at in range(size):
        found = found * np.uint64(0xBF58476D1CE4E5B9) + mixed[at : at + len(found)]
    return found


def _once(hashes: npt.NDArray[np.uint64]) -> Rows:
    """The places of what occurs once."""
    _, first, count = np.unique(hashes, return_index=True, return_counts=True)
    return np.sort(first[count == 1])


def _ascending(values: Rows) -> Rows:
    """Rows of the longest ascending subsequence."""
    if not len(values):
        return values
    size = np.empty(len(values), np.int64)
    before = np.empty(len(values), np.int64)
    last = _longest(values, size, before)
    found = []
    while last >= 0:
        found.append(last)
        last = int(before[last])
    return np.array(found[::-1], np.int64)


@kernel
def _longest(values: Any, tail: Any, before: Any) -> int:
    """Patience sorting; the row with which the longest one ends. before: the row before each in its own."""
    long = 0
    for row in range(len(values)):
        low, high = 0, long
        while low < high:
            middle = (low + high) // 2
            if values[tail[middle]] < values[row]:
                low = middle + 1
            else:
                high = middle
        before[row] = tail[low - 1] if low else -1
        tail[low] = row
        if low == long:
            long += 1
    return int(tail[long - 1])


def _by_table(a: Numbers, b: Numbers, a0: int, b0: int) -> tuple[Rows, Rows]:
    """Places of a longest common subsequence of two blocks that begin at `a0` and `b0`."""
    table = np.zeros((len(a) + 1, len(b) + 1), np.uint16 if min(len(a), len(b)) < 65_000 else np.uint32)
    found = np.empty((min(len(a), len(b)), 2), np.int64)
    count = _fill(a, b, table, found)
    return found[:count, 0][::-1] + a0, found[:count, 1][::-1] + b0


@kernel
def _fill(a: Any, b: Any, table: Any, found: Any) -> int:
    """table[i, j]: length of the longest common subsequence of `a[i:]` and `b[j:]`; then the way through it, last
    match first. How many matches there are.
    """
    m, n = len(a), len(b)
    for i in range(m - 1, -1, -1):
        for j in range(n - 1, -1, -1):
            if a[i] == b[j] and a[i] >= 0:
                table[i, j] = table[i + 1, j + 1] + 1
            else:
                table[i, j] = max(table[i + 1, j], table[i, j + 1])
    count = int(table[0, 0])
    i, j, at = 0, 0, count - 1
    while i < m and j < n and at >= 0:
        if a[i] == b[j] and a[i] >= 0:
            found[at, 0] = i
            found[at, 1] = j
            at, i, j = at - 1, i + 1, j + 1
        elif table[i + 1, j] >= table[i, j + 1]:
            i += 1
        else:
            j += 1
    return count
