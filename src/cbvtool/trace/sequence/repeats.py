"""Parts of a sequence that are nearly the same as a marked one (EX-5; Holten et al. 2007, §6.1).

Approximate matching by edit distance in bit vectors: 64 calls of the marked part in one step. Source: Myers, *A fast
bit-vector algorithm for approximate string matching based on dynamic programming*, JACM 46(3), 1999.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel

Rows = npt.NDArray[np.int64]
LEAST = 0.75  # similarity of what is found
MOST = 1_000  # parts that are found
_MOST_STEPS = 1_500_000_000  # words of 64 calls times calls: some seconds
_MOST_WORDS = 16_000_000  # of the table of the marked part
_STEPS_AT_ONCE = 40_000_000  # between two looks at Cancel


class TooMuchMarked(ValueError):
    """The marked part is too long to be looked for in this sequence."""


@dataclass(frozen=True, eq=False)
class Repeats:
    """Parts in the order of the sequence, none of which overlap.

    low, high   int64[r]  the places `low:high`
    similarity  float64[r]  1 - edits / calls of the longer of both parts
    edits       int64[r]  calls put in, taken out or replaced
    more        whether there are more than `MOST`
    """

    low: Rows
    high: Rows
    similarity: npt.NDArray[np.float64]
    edits: Rows
    more: bool = False

    def __len__(self) -> int:
        return len(self.low)


def repeats(
    identity: npt.NDArray[np.int32],
    low: int,
    high: int,
    least: float = LEAST,
    runs: bool = False,
    progress: Progress = silent,
) -> Repeats:
    """The parts of a sequence that are at least so similar to `low:high`, this one included; the most similar first
    choose their place. Raises `TooMuchMarked`; may raise Cancelled.

    identity  int32[m]
    runs      equal calls after one another count once, in the marked part as elsewhere
    """
    low, high = max(low, 0), min(high, len(identity))
    if high <= low:
        return Repeats(*(np.empty(0, np.int64),) * 2, np.empty(0), np.empty(0, np.int64))
    text, first = identity, None
    if runs:
        first = np.flatnonzero(np.append(True, identity[1:] != identity[:-1]))
        text = identity[first]
        low, high = int(np.searchsorted(first, low, "right")) - 1, int(np.searchsorted(first, high))
    marked, long = text[low:high], high - low
    blocks = -(-long // 64)
    symbols = len(np.unique(marked)) + 1
    if blocks * len(text) > _MOST_STEPS or blocks * symbols > _MOST_WORDS:
        raise TooMuchMarked(f"{long:,} calls are marked, too many to look for among {len(text):,}: mark fewer")
    most = int((1.0 - least) * long + 1e-9)
    table, symbol = _table(marked, text)
    distance = _distances(table, symbol, long, progress)
    return _placed(distance, _Backward(marked, text), long, most, low, first, len(identity), progress)


def _table(marked: npt.NDArray[np.int32], text: npt.NDArray[np.int32]) -> tuple[Any, npt.NDArray[np.int32]]:
    """(uint64[symbols + 1, blocks]: where each symbol stands in the marked part; int32[m]: the symbol of each call)."""
    kinds, inverse = np.unique(marked, return_inverse=True)
    table = np.zeros((len(kinds) + 1, -(-len(marked) // 64)), np.uint64)
    at = np.arange(len(marked))
    np.bitwise_or.at(table, (inverse, at // 64), np.uint64(1) << (at % 64).astype(np.uint64))
    found = np.searchsorted(kinds, text)
    found[found == len(kinds)] = 0
    return table, np.where(kinds[found] == text, found, len(kinds)).astype(np.int32)


def _distances(table: Any, symbol: npt.NDArray[np.int32], long: int, progress: Progress) -> Rows:
    """int64[m]: fewest edits from the marked part to a part that ends with each call."""
    blocks = table.shape[1]
    plus, minus = np.full(blocks, np.uint64(2**64 - 1)), np.zeros(blocks, np.uint64)
    distance, score = np.empty(len(symbol), np.int64), long
    step = max(_STEPS_AT_ONCE // blocks, 1)
    for begin in range(0, len(symbol), step):
        progress("Looking for similar parts", begin, len(symbol))
        end = min(begin + step, len(symbol))
        score = _advance((table, symbol), (begin, end), plus, minus, score, long, 0, distance)
    return distance


@kernel
def _advance(of: Any, part: Any, plus: Any, minus: Any, score: int, long: int, enter: int, distance: Any) -> int:
    """Some columns of the table of edit distances, as differences in bits; the last row of the last one.

    of           see `_table`
    part         the columns `part[0]:part[1]`
    plus, minus  uint64[blocks]: where the column before them grows and falls by one
    enter        what the top row grows by a column: 0 = a part may begin anywhere, 1 = it begins with the text
    """
    table, symbol = of
    begin, end = part
    one, blocks = np.uint64(1), table.shape[1]
    top, last = np.uint64(63), np.uint64((long - 1) % 64)
    for at in range(begin, end):
        carry = enter
        for block in range(blocks):
            equal, up, down = table[symbol[at], block], plus[block], minus[block]
            vertical = equal | down
            if carry < 0:
                equal |= one
            horizontal = (((equal & up) + up) ^ up) | equal
            grows = down | ~(horizontal | up)
            falls = up & horizontal
            bit = last if block == blocks - 1 else top
            leave = 0
            if (grows >> bit) & one:
                leave = 1
            elif (falls >> bit) & one:
                leave = -1
            grows <<= one
            falls <<= one
            if carry < 0:
                falls |= one
            elif carry > 0:
                grows |= one
            plus[block] = falls | ~(vertical | grows)
            minus[block] = grows & vertical
            carry = leave
        score += carry
        distance[at] = score
    return score


class _Backward:
    """Where a part begins, by the same table from its end backward."""

    def __init__(self, marked: npt.NDArray[np.int32], text: npt.NDArray[np.int32]) -> None:
        self._long, self._size = len(marked), len(text)
        table, symbol = _table(marked[::-1].copy(), text)
        self._table, self._symbol = table, symbol

    def begin(self, end: int, edits: int) -> int:
        """The first call of the part that ends before `end` with so many edits, as long as the marked one if it can."""
        low = max(end - self._long - edits, 0)
        symbol = self._symbol[low:end][::-1].copy()
        blocks = self._table.shape[1]
        plus, minus = np.full(blocks, np.uint64(2**64 - 1)), np.zeros(blocks, np.uint64)
        distance = np.empty(len(symbol), np.int64)
        _advance((self._table, symbol), (0, len(symbol)), plus, minus, self._long, self._long, 1, distance)
        best = np.flatnonzero(distance == distance.min())
        return end - 1 - int(best[np.argmin(np.abs(best + 1 - self._long))])


def _placed(
    distance: Rows,
    backward: _Backward,
    long: int,
    most: int,
    low: int,
    first: Rows | None,
    calls: int,
    progress: Progress,
) -> Repeats:
    """Parts that do not overlap: the marked one, then the one with fewest edits, the earlier one first."""
    ends = np.flatnonzero(distance <= most)
    ends = ends[np.lexsort((ends, distance[ends]))]
    taken = [(low, low + long)]
    edits = {low: 0}
    more = False
    for number, end in enumerate((ends + 1).tolist()):
        if not number % 4096:
            progress("Choosing similar parts", number, len(ends))
        need = int(distance[end - 1])
        if not _free(taken, end - max(long - need, 1), end):
            continue
        if len(taken) >= MOST:
            more = True
            break
        begin = backward.begin(end, need)
        if _free(taken, begin, end):
            taken.insert(bisect_left(taken, (begin, end)), (begin, end))
            edits[begin] = need
    begins, stops = np.array(taken, np.int64).T
    count = np.array([edits[begin] for begin in begins.tolist()], np.int64)
    similarity = 1.0 - count / np.maximum(long, stops - begins)
    if first is not None:
        begins, stops = first[begins], np.append(first, calls)[stops]
    return Repeats(begins, stops, similarity, count, more)


def _free(taken: list[tuple[int, int]], low: int, high: int) -> bool:
    """Whether `low:high` overlaps none of the parts, which are sorted."""
    if low < 0:
        return False
    at = bisect_left(taken, (low, -1))
    return not (at > 0 and taken[at - 1][1] > low) and not (at < len(taken) and taken[at][0] < high)
