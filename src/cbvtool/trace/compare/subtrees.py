"""Gamma(f): the set of functions in the call tree below a call, the call's own function included (TD-1).

Calls of two trees with equal sets are of one class; a real pair of a million calls has some ten thousand classes. The
set of a call is its own function, joined with the sets of the calls it made one after the other; joining the same two
sets again is looked up, so that a loop over a thousand equal calls costs a thousand look-ups.

Source: Trümper, Döllner, Telea 2013, section III-B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.trace.compare.trees import CallTree
from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int64]

MOST_MEMBERS = 100_000_000  # of all sets together: 400 MB


@dataclass(frozen=True, eq=False)
class FunctionSets:
    """c sets of functions, and the set of each call of two trees.

    members       int32[m]  set i holds `members[ptr[i]:ptr[i + 1]]`, common ids, ascending
    ptr           int64[c + 1]
    of_reference  int64[n]  the set of each call of the reference
    of_test       int64[k]  of the test
    """

    members: npt.NDArray[np.int32]
    ptr: Ints
    of_reference: Ints
    of_test: Ints

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def sizes(self) -> Ints:
        """int64[c]: how many functions each set holds."""
        return np.diff(self.ptr)

    def functions(self, which: int) -> npt.NDArray[np.int32]:
        """The common ids in one set."""
        return self.members[self.ptr[which] : self.ptr[which + 1]]


def function_sets(reference: CallTree, test: CallTree) -> FunctionSets:
    """Gamma of each call of two trees, equal sets once. Raises InputError when the sets need too much memory."""
    function = np.concatenate((reference.function, test.function))
    n = len(reference)
    end_row = np.concatenate((reference.end_row, test.end_row + n))
    mixed = _mixed(int(function.max()) + 1)
    found, pool, ptr, count = _sets(function, end_row, mixed, MOST_MEMBERS)
    if count < 0:
        raise InputError(
            "The call trees hold too many different sets of functions to be compared. "
            "Choose other threads, or record fewer functions."
        )
    used = np.flatnonzero(np.bincount(found, minlength=count))
    number = np.empty(count, np.int64)
    number[used] = np.arange(len(used))
    of_call = number[found]
    sizes = np.diff(ptr[: count + 1])[used]
    new_ptr = np.concatenate(([0], np.cumsum(sizes)))
    places = np.repeat(ptr[used] - new_ptr[:-1], sizes) + np.arange(new_ptr[-1])
    return FunctionSets(pool[places], new_ptr, of_call[:n], of_call[n:])


def _mixed(count: int) -> npt.NDArray[np.uint64]:
    """A fixed random number for each id: the sum over a set tells it from others."""
    return np.random.default_rng(20130227).integers(1, 2**63, count, np.uint64)


@kernel
def _sets(
    function: npt.NDArray[np.int64], end_row: npt.NDArray[np.int64], mixed: npt.NDArray[np.uint64], most: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64], int]:
    """The class of each row; members and starts of the classes; how many there are, -1 = more than `most` members.

    The classes of single functions come first: class i < f holds function i alone.
    """
    n, f = len(function), len(mixed)
    pool = np.empty(max(4 * f, 1024), np.int32)
    ptr = np.zeros(max(4 * f, 1024), np.int64)
    sums = np.empty(max(4 * f, 1024), np.uint64)
    for each in range(f):
        pool[each] = each
        ptr[each + 1] = each + 1
        sums[each] = mixed[each]
    count = f
    room = 1 << 12
    while room < 4 * f:
        room *= 2
    by_sum = _empty_table(room)  # open addressing: class by the sum of its members' numbers
    for each in range(f):
        slot = np.int64(sums[each] & np.uint64(len(by_sum) - 1))
        while by_sum[slot] >= 0:
            slot = (slot + np.int64(1)) & np.int64(len(by_sum) - 1)
        by_sum[slot] = each
    known_joins = _empty_table(8 * room)  # open addressing: pairs (left << 32 | right, what they are together)
    joins = 0
    found = np.empty(n, np.int64)
    for row in range(n - 1, -1, -1):
        mine = function[row]
        child = row + 1
        before = -1
        while child < end_row[row]:
            other = found[child]
            child = end_row[child]
            if other in (before, mine):
                continue
            before = other
            key = mine << 32 | other
            slot = _slot_of_join(key, known_joins)
            if known_joins[slot] == key:
                mine = known_joins[slot + 1]
                continue
            end = ptr[count]
            needed = end + ptr[mine + 1] - ptr[mine] + ptr[other + 1] - ptr[other]
            if needed > most:
                return found, pool, ptr, -1
            if needed > len(pool):
                wider = np.empty(2 * needed, np.int32)
                for place in range(end):
                    wider[place] = pool[place]
                pool = wider
            size, total = _join(pool, ptr, mine, other, end, mixed)
            slot_of_set, joined = _known(pool, ptr, sums, by_sum, end, size, total)
            if joined < 0:
                joined = count
                by_sum[slot_of_set] = joined
                if count + 2 >= len(ptr):
                    longer = np.zeros(2 * len(ptr), np.int64)
                    more = np.empty(len(longer), np.uint64)
                    for each in range(count + 1):
                        longer[each] = ptr[each]
                        more[each] = sums[min(each, count - 1)]
                    ptr, sums = longer, more
                sums[count] = total
                ptr[count + 1] = end + size
                count += 1
                if 2 * count > len(by_sum):
                    by_sum = _rehashed(sums, count, 2 * len(by_sum))
            known_joins[slot], known_joins[slot + 1] = key, joined
            joins += 1
            if 4 * joins > len(known_joins):
                known_joins = _wider(known_joins)
            mine = joined
        found[row] = mine
    return found, pool, ptr, count


@kernel
def _empty_table(size: int) -> npt.NDArray[np.int64]:
    table = np.empty(size, np.int64)
    for slot in range(size):
        table[slot] = -1
    return table


@kernel
def _join(
    pool: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    one: int,
    other: int,
    end: int,
    mixed: npt.NDArray[np.uint64],
) -> tuple[int, np.uint64]:
    """Write what is in one of two classes, or in both, behind `end`; how many members it has, and their sum."""
    left, high = ptr[one], ptr[one + 1]
    right, high_other = ptr[other], ptr[other + 1]
    total = np.uint64(0)
    at = end
    while left < high or right < high_other:
        if right >= high_other or (left < high and pool[left] < pool[right]):
            member = pool[left]
            left += 1
        else:
            member = pool[right]
            if left < high and pool[left] == member:
                left += 1
            right += 1
        pool[at] = member
        at += 1
        total += mixed[member]
    return at - end, total


@kernel
def _known(
    pool: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    sums: npt.NDArray[np.uint64],
    by_sum: npt.NDArray[np.int64],
    begin: int,
    size: int,
    total: np.uint64,
) -> tuple[np.int64, int]:
    """Where the class of the members from `begin` on stands in the table, or would stand; the class, -1 = none."""
    last = np.int64(len(by_sum) - 1)
    place = np.int64(total & np.uint64(len(by_sum) - 1))
    while by_sum[place] >= 0:
        known = by_sum[place]
        if sums[known] == total and ptr[known + 1] - ptr[known] == size:
            same = True
            for offset in range(size):
                if pool[ptr[known] + offset] != pool[begin + offset]:
                    same = False
                    break
            if same:
                return place, int(known)
        place = (place + np.int64(1)) & last
    return place, -1


@kernel
def _slot_of_join(key: int, known_joins: npt.NDArray[np.int64]) -> np.int64:
    """Where a pair of classes stands in the table, or would stand."""
    pairs = np.uint64(len(known_joins) >> 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    last = np.int64(len(known_joins) // 2 - 1)
    place = np.int64((mixed ^ (mixed >> np.uint64(32))) & (pairs - np.uint64(1)))
    while known_joins[2 * place] >= 0 and known_joins[2 * place] != key:
        place = (place + np.int64(1)) & last
    return 2 * place


@kernel
def _rehashed(sums: npt.NDArray[np.uint64], count: int, size: int) -> npt.NDArray[np.int64]:
    """The table of classes by sum with more room."""
    table = _empty_table(size)
    for each in range(count):
        slot = np.int64(sums[each] & np.uint64(size - 1))
        while table[slot] >= 0:
            slot = (slot + np.int64(1)) & np.int64(size - 1)
        table[slot] = each
    return table


@kernel
def _wider(known_joins: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The table of joins with twice the room."""
    table = _empty_table(2 * len(known_joins))
    for old in range(0, len(known_joins), 2):
        if known_joins[old] >= 0:
            slot = _slot_of_join(known_joins[old], table)
            table[slot], table[slot + 1] = known_joins[old], known_joins[old + 1]
    return table
