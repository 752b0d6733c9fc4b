"""What calls are the same in a sequence view: those of one pair of visible columns (EX-3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.sequence.call_sequence import CallSequence

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Identities:
    """Identity of each of m calls, and the columns of each of i identities.

    of_call  int32[m]
    caller   int64[i]  column
    callee   int64[i]  column
    """

    of_call: npt.NDArray[np.int32]
    caller: Rows
    callee: Rows

    def __len__(self) -> int:
        """Number of identities."""
        return len(self.caller)


def identities(sequence: CallSequence, column: Rows) -> Identities:
    """The visible pairs of the calls. column: int64[f] of each function, -1 = not shown.

    Calls of which an end is not shown have the identity -1 and are drawn nowhere.
    """
    return shared_identities((sequence,), (column,))[0]


def shared_identities(sequences: tuple[CallSequence, ...], columns: tuple[Rows, ...]) -> tuple[Identities, ...]:
    """The same for several sequences over the same columns: equal numbers are equal pairs of columns."""
    ends = [
        (column[sequence.caller], column[sequence.callee]) for sequence, column in zip(sequences, columns, strict=True)
    ]
    codes = [np.where((a < 0) | (b < 0), -1, a << 32 | b) for a, b in ends]
    known = np.unique(np.concatenate([code[code >= 0] for code in codes]))
    caller, callee = known >> 32, known & 0xFFFFFFFF
    found = []
    for sequence, code in zip(sequences, codes, strict=True):
        of_pair = np.where(code < 0, -1, np.searchsorted(known, code)).astype(np.int32)
        found.append(Identities(of_pair[sequence.pair], caller, callee))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class IdentityFigures:
    """Of i identities, over a part of the calls.

    count  int64[i]
    first  int64[i]  place of the first call, -1 = none
    last   int64[i]  place of the last call, -1 = none
    """

    count: Rows
    first: Rows
    last: Rows


def identity_figures(known: Identities, low: int, high: int) -> IdentityFigures:
    """Figures of the calls at the places `low:high`."""
    low, high = max(low, 0), min(high, len(known.of_call))
    count, first, last = np.zeros(len(known), np.int64), np.full(len(known), -1), np.full(len(known), -1)
    _count(known.of_call, low, high, count, first, last)
    return IdentityFigures(count, first, last)


@kernel
def _count(of_call: Any, low: int, high: int, count: Any, first: Any, last: Any) -> None:
    for place in range(low, high):
        one = of_call[place]
        if one >= 0:
            if count[one] == 0:
                first[one] = place
            count[one] += 1
            last[one] = place
