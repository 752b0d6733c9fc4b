"""Where resources deviate from those like them, ranked by time: the one that is late before those that wait for it.

A resource is compared with its peers: its siblings, or where they are few those of the same depth. In each slice the
median of the peers is what is usual, for each state. Half the sum of the differences is the time in which the resource
does something else. Intervals are the stretches in which that time exceeds what is common, all in all the most; they
count where they exceed by far what deviates most at the peers (median), or what three quarters of the cells have.
What everybody has now and then is noise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from cbvtool.trace.resources.cells import ResourceCells
from cbvtool.trace.resources.resource_tree import ResourceTree

Floats = npt.NDArray[np.float64]
IDLE = "no state"
LEAST_PEERS = 3
_ENOUGH = 4  # siblings; with fewer, resources of the same depth elsewhere are peers as well
_FAR = 4.0  # times the largest deviation of the peers (median): what a finding has at least
_PEAK = 8.0  # times what three quarters of the cells have: where all deviate in turn, peers are no measure
_COMMON = 0.9  # quantile of the deviations in single cells that are common
_SLIGHT = 0.02  # of a slice: less is never worth a look
_MOST = 200
ALWAYS, ROTATING, PASSING = "always", "rotating", "passing"
_WAITING = re.compile(
    r"wait|barrier|idle|sleep|block|poll|select|recv|receive|\bjoin|acquire|allreduce|allgather|alltoall|bcast"
    r"|reduce|gather|scatter|sync|futex|no state",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Deviation:
    """A resource that does something else than its peers for a while.

    row          of the tree
    first, last  slices, the last one included
    seconds      of resource time in which it deviates (of counts and counters: their amount)
    more, less   state of which it has most more, and most less, than its peers; "" = none
    waits        whether it waits more than its peers, rather than works more
    behind       row of the resource that works more meanwhile, for which it seems to wait; -1 = none
    noise        whether it is a single slice within what the peers have now and then, too
    pattern      "always" = this resource for most of the time; "rotating" = one resource after another; "passing"
    """

    row: int
    first: int
    last: int
    seconds: float
    more: str
    less: str
    waits: bool
    behind: int = -1
    noise: bool = False
    pattern: str = PASSING


@dataclass(frozen=True, eq=False)
class _Judged:
    """Deviations of r rows of the tree.

    row      int64[r]
    excess   float64[r, k, x]: what each has more than its peers, per leaf; the last state is time without a state
    size     float64[r, k]: half the sum of the differences
    slight   float64[r, k]: what of that is common
    common   what three quarters of the cells have at most, and at least a bit
    """

    row: npt.NDArray[np.int64]
    excess: Floats
    size: Floats
    slight: Floats
    common: float


def deviations(cells: ResourceCells) -> tuple[Deviation, ...]:
    """The findings, those that explain others first, then by seconds. Empty where no resource has peers."""
    names = (*cells.state, IDLE)
    means, lengths = _means(cells), np.diff(cells.edges).astype(np.float64)
    found: list[Deviation] = []
    for rows in peer_groups(cells.tree):
        judged = _judged(means, rows, lengths if cells.what == "time" else lengths * cells.highest)
        found += _stretches(cells, judged, names)
    found = _explained(_distinct(cells.tree, found))
    found.sort(key=lambda each: (each.noise, each.behind >= 0, -each.seconds, each.row, each.first))
    return tuple(_with_patterns(cells, found[:_MOST]))


def peer_groups(tree: ResourceTree) -> list[list[int]]:
    """Rows that are compared with one another: siblings; few of them together with those of their depth nearby."""
    groups: dict[tuple[int, int], list[int]] = {}
    depth = tree.depth
    for row in range(1, len(tree)):
        above = int(tree.parent[row])
        while True:
            inside = np.arange(above + 1, int(tree.end[above]))
            peers = inside[depth[inside] == depth[row]]
            if len(peers) >= _ENOUGH or above == 0:
                break
            above = int(tree.parent[above])
        if len(peers) >= LEAST_PEERS:
            groups.setdefault((above, int(depth[row])), peers.tolist())
    return list(groups.values())


def _means(cells: ResourceCells) -> Floats:
    """float64[n, k, x + 1]: amounts per leaf of each resource; last, time in which no state was recorded."""
    tree, k = cells.tree, cells.slices
    sums = np.zeros((len(tree), k, len(cells.state) + 1))
    sums[tree.leaves, :, :-1] = cells.amount
    if cells.what == "time":
        sums[tree.leaves, :, -1] = np.maximum(np.diff(cells.edges)[None] - cells.amount.sum(axis=2), 0.0)
    for row in range(len(tree) - 1, 0, -1):
        sums[tree.parent[row]] += sums[row]
    found: Floats = sums / tree.size[:, None, None]
    return found


def _judged(means: Floats, rows: Sequence[int], lengths: Floats) -> _Judged:
    part = means[list(rows)]
    excess = part - np.median(part, axis=0)
    size = np.abs(excess).sum(axis=2) / 2
    common = np.quantile(size / lengths, _COMMON)
    slight = np.maximum(common, _SLIGHT) * lengths
    most = max(float(np.quantile(size, 0.75)), _SLIGHT * float(np.median(lengths)))
    return _Judged(np.array(rows, np.int64), excess, size, np.broadcast_to(slight, size.shape), most)


def _stretches(cells: ResourceCells, judged: _Judged, names: Sequence[str]) -> list[Deviation]:
    """The maximal stretches of each row, as far as they stick out."""
    above = judged.size - judged.slight
    stretches = [maximal_stretches(line) for line in above]
    largest = np.array(
        [max((judged.size[row, a : b + 1].sum() for a, b in each), default=0.0) for row, each in enumerate(stretches)]
    )
    single = judged.size.max(axis=1)
    usual = max(float(np.median(largest)), float(np.median(single)))
    limit = _FAR * min(usual, _PEAK * judged.common)
    sizes = cells.tree.size
    found = []
    for row, each in enumerate(stretches):
        for first, last in each:
            amount = float(judged.size[row, first : last + 1].sum())
            sticks_out = amount > limit
            if not sticks_out and (last > first or amount <= float(np.median(single))):
                continue
            excess = judged.excess[row, first : last + 1].sum(axis=0)
            more, less = int(np.argmax(excess)), int(np.argmin(excess))
            waiting = sum(value for value, name in zip(excess, names, strict=True) if value > 0 and is_waiting(name))
            working = sum(
                value for value, name in zip(excess, names, strict=True) if value > 0 and not is_waiting(name)
            )
            tree_row = int(judged.row[row])
            scale = 1e-9 if cells.what == "time" else 1.0
            found.append(
                Deviation(
                    tree_row,
                    first,
                    last,
                    amount * float(sizes[tree_row]) * scale,
                    names[more] if excess[more] > 0 else "",
                    names[less] if excess[less] < 0 else "",
                    bool(waiting > working),
                    noise=not sticks_out,
                )
            )
    return found


def is_waiting(state: str) -> bool:
    """Whether the name of a state says that a resource waits in it."""
    return _WAITING.search(state) is not None


def maximal_stretches(score: Floats) -> list[tuple[int, int]]:
    """All maximal scoring stretches: first and last place of each, from left to right. Source: Ruzzo and Tompa 1999.

    score  float64[k], above 0 where a place speaks for a stretch
    """
    kept: list[tuple[int, int, float, float]] = []  # first, last, sum before it, sum with it
    total = 0.0
    for place, value in enumerate(score.tolist()):
        before, total = total, total + value
        if value <= 0:
            continue
        first, left, right = place, before, total
        while True:
            other = next((at for at in range(len(kept) - 1, -1, -1) if kept[at][2] < left), -1)
            if other < 0 or kept[other][3] >= right:
                break
            first, left = kept[other][0], kept[other][2]
            del kept[other:]
        kept.append((first, place, left, right))
    return [(first, last) for first, last, _, _ in kept]


def _distinct(tree: ResourceTree, found: list[Deviation]) -> list[Deviation]:
    """Without groups that deviate since some of what lies below does, and without parts of a group that does as one."""
    kept: list[Deviation] = []
    for one in found:
        inside = [
            other
            for other in found
            if one.row < other.row < tree.end[one.row] and _shared(one, other) > 0 and not other.noise
        ]
        below = sum(other.seconds * _shared(one, other) / (other.last - other.first + 1) for other in inside)
        if below < 0.5 * one.seconds or _all_of(tree, one, inside):
            kept.append(one)
    whole = [one for one in kept if tree.end[one.row] > one.row + 1 and not one.noise]
    return [
        one
        for one in kept
        if not any(
            other.row < one.row < tree.end[other.row] and _shared(one, other) * 2 > one.last - one.first + 1
            for other in whole
        )
    ]


def _all_of(tree: ResourceTree, one: Deviation, inside: list[Deviation]) -> bool:
    """Whether all that lies right below a group deviates in most of its time."""
    most = (one.last - one.first + 1) / 2
    return all(
        sum(_shared(one, other) for other in inside if child <= other.row < tree.end[child]) >= most
        for child in tree.children(one.row)
    )


def _shared(one: Deviation, other: Deviation) -> int:
    """How many slices two have in common."""
    return max(min(one.last, other.last) - max(one.first, other.first) + 1, 0)


def _explained(found: list[Deviation]) -> list[Deviation]:
    """Those that wait while another works more: behind which one."""
    workers = [one for one in found if not one.waits and not one.noise]
    result = []
    for one in found:
        if one.waits:
            over = [(other, _shared(one, other)) for other in workers if other.row != one.row]
            over = [(other, shared) for other, shared in over if shared * 2 >= one.last - one.first + 1]
            if over:
                one = replace(one, behind=max(over, key=lambda pair: (pair[1], pair[0].seconds))[0].row)
        result.append(one)
    return result


def _with_patterns(cells: ResourceCells, found: list[Deviation]) -> list[Deviation]:
    """Always the same resource, one after another, or passing."""
    clear = [one for one in found if not one.noise and one.behind < 0]
    long: dict[int, int] = {}
    for one in clear:
        long[one.row] = long.get(one.row, 0) + one.last - one.first + 1
    in_time = sorted(clear, key=lambda one: one.first)
    turns = sum(one.row != other.row and other.first >= one.last for one, other in pairwise(in_time))
    rotating = len(long) >= 3 and turns * 3 >= 2 * (len(in_time) - 1)
    result = []
    for one in found:
        pattern = PASSING
        if not one.noise and long.get(one.row, 0) * 3 >= 2 * cells.slices:
            pattern = ALWAYS
        elif not one.noise and one.behind < 0 and rotating:
            pattern = ROTATING
        result.append(replace(one, pattern=pattern))
    return result
