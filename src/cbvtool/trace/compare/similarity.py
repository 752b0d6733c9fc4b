"""Which sets of functions are most alike: s = |A and B| / |A or B| (TD-1).

What two sets share is counted through the lists of the sets that hold a function. Two prunings keep this far from all
pairs: a set b can be as alike as s to a set a only if s|a| <= |b| <= |a|/s, and only if it holds one of any
|a| - ceil(s|a|) + 1 members of a, for which those that the fewest sets hold are taken.

Source: Trümper, Döllner, Telea 2013, section III-B; prefix filter: Chaudhuri, Ganti, Kaushik 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.subtrees import FunctionSets
from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int64]

MOST_TRIES = 500  # sets that are looked at one by one for a set
LEAST = 0.1  # the lowest similarity that counts as one


@dataclass(frozen=True, eq=False)
class MostAlike:
    """For each set of one tree the sets of the other that are most alike.

    similarity  float64[c]  by set; 0 where none reaches the least, or where the tree has no such set
    ptr         int64[c + 1]
    sets        int64[...]  those of set i are `sets[ptr[i]:ptr[i + 1]]`, equally alike, ascending
    """

    similarity: npt.NDArray[np.float64]
    ptr: Ints
    sets: Ints


def similarity(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """|A and B| / |A or B| of two sets of ids; 0 of two empty ones."""
    left, right = np.unique(np.asarray(one)), np.unique(np.asarray(other))
    common = len(np.intersect1d(left, right, assume_unique=True))
    either = len(left) + len(right) - common
    return common / either if either else 0.0


def most_alike(sets: FunctionSets, own: Ints, others: Ints, least: float = LEAST) -> MostAlike:
    """For each of the sets `own` those of `others` with the highest similarity, where it is at least `least` (> 0)."""
    if least <= 0.0:
        raise ValueError("the least similarity must be above 0")
    count = len(sets)
    has = np.zeros(count, np.bool_)
    has[others] = True
    sizes = sets.sizes
    of_entry = np.repeat(np.arange(count), sizes)
    held = has[of_entry]
    members = sets.members[held].astype(np.int64)
    holder = of_entry[held]
    functions = int(sets.members.max(initial=0)) + 1
    by_size = np.lexsort((holder, sizes[holder], members))
    lists = holder[by_size]
    list_ptr = np.concatenate(([0], np.cumsum(np.bincount(members, minlength=functions))))
    rarity = np.diff(list_ptr)
    rarest = np.lexsort((rarity[sets.members], of_entry))
    found, ptr, best = _most_alike(
        sets.members, sets.members[rarest], sets.ptr, sizes, has, np.sort(own), lists, list_ptr, least
    )
    return MostAlike(best, ptr, found)


@kernel
def _most_alike(
    members: npt.NDArray[np.int32],
    rarest: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    has: npt.NDArray[np.bool_],
    own: npt.NDArray[np.int64],
    lists: npt.NDArray[np.int64],
    list_ptr: npt.NDArray[np.int64],
    least: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """See `MostAlike`. `lists` holds for each function the sets of the others that hold it, small ones first."""
    count = len(sizes)
    best = np.zeros(count, np.float64)
    out = np.empty(max(len(own), 16), np.int64)
    out_ptr = np.zeros(count + 1, np.int64)
    shared = np.zeros(count, np.int32)
    touched, found = np.empty(count, np.int64), np.empty(count, np.int64)
    tried = np.full(count, -1, np.int64)
    marked = np.full(len(list_ptr) - 1, -1, np.int64)
    at = 0
    following = 0
    for place in range(len(own)):
        a = own[place]
        while following <= a:
            out_ptr[following] = at
            following += 1
        if has[a]:  # the same set is there: nothing else is as alike
            best[a] = 1.0
            if at + 1 > len(out):
                longer = np.empty(2 * len(out), np.int64)
                longer[:at] = out[:at]
                out = longer
            out[at] = a
            at += 1
            continue
        for entry in range(ptr[a], ptr[a + 1]):
            marked[members[entry]] = a
        top, alike_sets = _one_by_one(a, members, rarest, ptr, sizes, lists, list_ptr, marked, tried, found, least)
        if alike_sets < 0:
            top, alike_sets = _all_at_once(a, rarest, ptr, sizes, lists, list_ptr, shared, touched, found, top)
        while at + alike_sets > len(out):
            out = np.concatenate((out, out))
        out[at : at + alike_sets] = np.sort(found[:alike_sets])
        at += alike_sets
        best[a] = top if alike_sets > 0 else 0.0
    while following <= count:
        out_ptr[following] = at
        following += 1
    return out[:at], out_ptr, best


@kernel
def _one_by_one(  # noqa: PLR0913 - tables of sets, as compiled loops take them
    a: int,
    members: npt.NDArray[np.int32],
    rarest: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    lists: npt.NDArray[np.int64],
    list_ptr: npt.NDArray[np.int64],
    marked: npt.NDArray[np.int64],
    tried: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
    top: float,
) -> tuple[float, int]:
    """The highest similarity to a set, and how many sets have it, which stand in `found`; -1 = too many to look at."""
    size, count, tries = sizes[a], 0, 0
    for offset in range(size):
        if offset >= size - np.ceil(top * size - 1e-9) + 1:
            break
        low, high = _of_size(lists, list_ptr, sizes, rarest[ptr[a] + offset], size, top)
        for position in range(low, high):
            b = lists[position]
            if sizes[b] * top > size + 1e-9:
                break
            if tried[b] == a:
                continue
            tried[b] = a
            tries += 1
            if tries > MOST_TRIES:
                return top, -1
            # so many of b must be in a: what b may lack is used up one by one
            missing = sizes[b] - int(np.ceil(top * (size + sizes[b]) / (1.0 + top) - 1e-9))
            common = 0
            for entry in range(ptr[b], ptr[b + 1]):
                if marked[members[entry]] == a:
                    common += 1
                else:
                    missing -= 1
                    if missing < 0:
                        break
            if missing < 0:
                continue
            alike = common / (size + sizes[b] - common)
            if alike >= top:
                count = 0 if alike > top else count
                top = alike
                found[count] = b
                count += 1
    return top, count


@kernel
def _all_at_once(  # noqa: PLR0913 - likewise
    a: int,
    rarest: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    lists: npt.NDArray[np.int64],
    list_ptr: npt.NDArray[np.int64],
    shared: npt.NDArray[np.int32],
    touched: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
    top: float,
) -> tuple[float, int]:
    """The same by counting what each set shares with it; `top` is known to be reached, or the least."""
    size, met = sizes[a], 0
    for offset in range(size):
        low, high = _of_size(lists, list_ptr, sizes, rarest[ptr[a] + offset], size, top)
        if offset < size - np.ceil(top * size - 1e-9) + 1:
            for position in range(low, high):
                b = lists[position]
                if shared[b] == 0:
                    touched[met] = b
                    met += 1
                shared[b] += 1
        else:  # what has none of the members before cannot have enough of them
            for position in range(low, high):
                shared[lists[position]] += shared[lists[position]] > 0
    count = 0
    for place in range(met):
        b = touched[place]
        alike = shared[b] / (size + sizes[b] - shared[b])
        shared[b] = 0
        if alike >= top:
            count = 0 if alike > top else count
            top = alike
            found[count] = b
            count += 1
    return top, count


@kernel
def _of_size(
    lists: npt.NDArray[np.int64],
    list_ptr: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    member: int,
    size: int,
    alike: float,
) -> tuple[int, int]:
    """The part of a function's list that is neither too small nor too large to be so alike to a set of this size."""
    return (
        _first_of_size(lists, sizes, list_ptr[member], list_ptr[member + 1], alike * size - 1e-9),
        _first_of_size(lists, sizes, list_ptr[member], list_ptr[member + 1], size / alike + 1e-9),
    )


@kernel
def _first_of_size(lists: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64], low: int, high: int, size: float) -> int:
    """The first place of a list whose set is at least so large."""
    while low < high:
        middle = (low + high) // 2
        if sizes[lists[middle]] < size:
            low = middle + 1
        else:
            high = middle
    return low
