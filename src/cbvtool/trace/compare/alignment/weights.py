"""How much speaks for a call of A and one of B being the same call, or one that got another name."""

from __future__ import annotations

from cbvtool.trace.compare.alignment.columns import (
    ANCHOR,
    CLASS,
    END_ROW,
    FLAGS,
    FUNCTION,
    ONE_SIDED,
    PARTNER,
    Counts,
    Pairing,
)
from cbvtool.trace.compare.alignment.likeness import likeness
from cbvtool.trace.compare.alignment.pairing import is_free
from cbvtool.trace.kernels import kernel

# What a chain takes: pairs of at least this weight, of two calls of one function that are alike, or however unlike;
# or pairs of different functions, weighed as one call that got another name.
ALIKE, SAME, RENAMED = 1.0, 0.25, 0.0
# Of two calls that stand in one place, and no more: a chain leaves them in one gap, where layers are looked through
# first.
_OTHER = 0.0625
_LIKENESS = 0.5  # from which on two calls of one function are alike, and a call that one side knows may be renamed
_MOST_LOOKED_AT = 256  # calls below one whose partners are looked at


@kernel
def weight_of(pairs: Pairing, counts: Counts, a: int, b: int) -> float:
    """How much speaks for two children being the same call, or joined; 0 = they are not."""
    if pairs[ANCHOR, a] == b:
        return float(4 * (pairs[END_ROW, a] - a) + 4)
    if pairs[PARTNER, a] >= 0 or pairs[PARTNER, b] >= 0:
        return 0.0
    if pairs[FUNCTION, a] != pairs[FUNCTION, b]:
        return _OTHER
    size, other = pairs[END_ROW, a] - a, pairs[END_ROW, b] - b
    if pairs[CLASS, a] == pairs[CLASS, b]:
        return float(4 * size + 2)
    alike = likeness(pairs, counts, a, b)
    return ALIKE + 2.0 * alike * min(size, other) if alike >= _LIKENESS else SAME


@kernel
def renaming_weight(pairs: Pairing, counts: Counts, a: int, b: int) -> float:
    """How much speaks for two calls in the same place being one that got another name."""
    size, other = pairs[END_ROW, a] - a, pairs[END_ROW, b] - b
    if same_below(pairs, a, b):
        return float(4 * size)
    if share_below(pairs, a, b) > 0.5 and share_below(pairs, b, a) > 0.5:
        return float(2 * min(size, other))
    if (pairs[FLAGS, a] | pairs[FLAGS, b]) & ONE_SIDED:
        alike = likeness(pairs, counts, a, b)
        return 1.0 + alike * min(size, other) if alike >= _LIKENESS else 0.0
    return 0.0


@kernel
def same_below(pairs: Pairing, a: int, b: int) -> bool:
    """Whether two calls make the same calls, which are unpaired and at least one."""
    last = pairs[END_ROW, a]
    if last - a == 1 or last - a != pairs[END_ROW, b] - b or not (is_free(pairs, a) and is_free(pairs, b)):
        return False
    child, other = a + 1, b + 1
    while child < last and pairs[CLASS, child] == pairs[CLASS, other]:
        child, other = pairs[END_ROW, child], pairs[END_ROW, other]
    return bool(child >= last)


@kernel
def share_below(pairs: Pairing, a: int, b: int) -> float:
    """Which share of the paired calls below `a` (the first ones) have their partners below `b`; 0 without such."""
    known, shared = 0, 0
    for row in range(a + 1, min(pairs[END_ROW, a], a + _MOST_LOOKED_AT)):
        if pairs[PARTNER, row] >= 0:
            known += 1
            shared += b < pairs[PARTNER, row] < pairs[END_ROW, b]
    return shared / known if known else 0.0
