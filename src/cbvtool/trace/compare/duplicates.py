"""Unlike functions below which nearly the same functions are called: they may do the same (TD-10).

The similarity of two functions is that of TD-1, |A and B| / |A or B|, of the sets of functions called below them in
any of their calls. Functions of which one calls the other are no candidates: all that is below the one is below both.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.trace.model.profile import Profile

MOST_FUNCTIONS = 5_000  # that are compared with each other
_AT_ONCE = 512  # functions that are compared with all others at once


@dataclass(frozen=True)
class Overlap:
    """Two functions whose call trees overlap: rows of `Profile.functions`, the smaller one first.

    shared               functions that are called below both
    only_one, only_other  functions that are called below one of them
    """

    one: int
    other: int
    shared: int
    only_one: int
    only_other: int

    @property
    def similarity(self) -> float:
        """0 to 1."""
        return self.shared / (self.shared + self.only_one + self.only_other)


def overlapping(
    run: Profile, least: float = 0.5, fewest: int = 3, among: Collection[int] | None = None
) -> list[Overlap]:
    """Pairs of functions with overlapping call trees, the most alike first.

    least   similarity that counts
    fewest  functions that must be called below both of them
    among   only these functions; None = all

    Raises InputError for more than `MOST_FUNCTIONS` functions with so many below them.
    """
    below = functions_below(run)
    chosen = sorted(row for row, bits in below.items() if bits.bit_count() >= fewest)
    if among is not None:
        chosen = [row for row in chosen if row in among]
    if len(chosen) > MOST_FUNCTIONS:
        raise InputError(
            f"{len(chosen):,} functions have {fewest} others below them, and {MOST_FUNCTIONS:,} can be compared: "
            "ask for more below them."
        )
    members = _matrix([below[row] for row in chosen], len(run.functions))
    sizes = members.sum(axis=1)
    found = []
    for begin in range(0, len(chosen), _AT_ONCE):
        shared = members[begin : begin + _AT_ONCE] @ members.T
        either = sizes[begin : begin + _AT_ONCE, None] + sizes[None, :] - shared
        for i, j in np.argwhere((shared >= max(fewest, 1)) & (shared >= least * either)).tolist():
            one, other = chosen[begin + i], chosen[j]
            if one < other and not (below[one] >> other & 1 or below[other] >> one & 1):
                common = int(shared[i, j])
                found.append(Overlap(one, other, common, int(sizes[begin + i]) - common, int(sizes[j]) - common))
    return sorted(found, key=lambda pair: (-pair.similarity, -pair.shared, pair.one, pair.other))


def functions_below(run: Profile) -> dict[int, int]:
    """Function -> bits of the functions that are called below any of its calls, itself left out."""
    function, parent = run.function.tolist(), run.parent.tolist()
    below = [0] * len(function)  # a node comes before those below it
    found: dict[int, int] = {}
    for node in range(len(function) - 1, -1, -1):
        own, bits = function[node], below[node]
        found[own] = found.get(own, 0) | bits
        if parent[node] >= 0:
            below[parent[node]] |= bits | 1 << own
        below[node] = 0  # it is not needed any more
    return {own: bits & ~(1 << own) for own, bits in found.items()}


def _matrix(sets: list[int], functions: int) -> npt.NDArray[np.float32]:
    """float32[s, f]: 1 where a set holds a function."""
    length = functions // 8 + 1
    data = np.frombuffer(b"".join(bits.to_bytes(length, "little") for bits in sets), np.uint8)
    return np.unpackbits(data.reshape(len(sets), length), axis=1, bitorder="little").astype(np.float32)
