"""Where resources deviate from those like them, ranked by time: the one that is late before those that wait for it.

A resource is compared with its peers: its siblings, or where they are few those of the same depth. In each slice the
median of the peers is what is usual, for each state. Half the sum of the differences is the time in which the resource
does something else. Intervals are the stretches in which that time exceeds what is common, all in all the most; they
count where they exceed by far what deviates most at the peers (median), or what three quarters of the cells have.
What everybody has now and then is noise. Each state is looked at alone as well: where all deviate in most slices, as
on a machine with too few processors, what one alone does stands out nevertheless.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.trace.resources.cells import ResourceCells
from cbvtool.trace.resources.resource_tree import ResourceTree
from cbvtool.trace.resources.states import is_waiting

Floats = npt.NDArray[np.float64]
IDLE = "no state"
LEAST_PEERS = 3
_ENOUGH = 4  # siblings; with fewer, resources of the same depth elsewhere are peers as well
_FAR = 4.0  # times the largest deviation of the peers (median): what a finding has at least
_PEAK = 8.0  # times what three quarters of the cells have: where all deviate in turn, peers are no measure
_COMMON = 0.94  # quantile of the deviations of a resource in single slices that are common
_SLIGHT = 0.02  # of a slice: less is never worth a look
_MOST = 200
_DIGITS = re.compile(r"\d+")
ALWAYS, ROTATING, PASSING = "always", "rotating", "passing"


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


def deviations(cells: ResourceCells) -> tuple[Deviation, ...]:
    """The findings, those that explain others first, then by seconds. Empty where no resource has peers."""
    measured = _measured(cells)
    found: list[Deviation] = []
    for rows in peer_groups(cells.tree):
        excess = _excess(measured, rows)
        found += _of_peers(cells, measured, rows, excess)
    found = _explained(_distinct(cells.tree, found))
    found = _with_patterns(cells, found)
    found.sort(key=lambda each: (each.noise, each.behind >= 0, _only_waits(each), -each.seconds, each.row, each.first))
    return tuple(found[:_MOST])


def _only_waits(one: Deviation) -> bool:
    """Whether it does so all the time, as a process does that has started the others: what passes is more urgent."""
    return one.waits and one.pattern == ALWAYS


def peer_groups(tree: ResourceTree) -> list[list[int]]:
    """Rows that are compared with one another: siblings; few of them together with those of their depth nearby.

    Names that differ in numbers alone say what is alike (`rank 0`, `rank 1`): others are no peers of these.
    """
    stem = [_DIGITS.sub("#", name.split(" / ")[0]) for name in tree.name]
    depth, known = tree.depth, dict[tuple[int, int], dict[str, list[int]]]()
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in range(1, len(tree)):
        above, deep = int(tree.parent[row]), int(depth[row])
        while True:
            if (above, deep) not in known:
                inside = np.arange(above + 1, int(tree.end[above]))
                known[above, deep] = _alike(inside[depth[inside] == deep].tolist(), stem)
            alike = known[above, deep]
            peers = alike.get(stem[row], alike[""])
            if len(peers) >= _ENOUGH or above == 0:
                break
            above = int(tree.parent[above])
        if len(peers) >= LEAST_PEERS:
            groups.setdefault((above, deep, peers[0]), peers)
    return list(groups.values())


def _alike(rows: list[int], stem: Sequence[str]) -> dict[str, list[int]]:
    """Rows by their stems; below "" those whose stem no other has."""
    found: dict[str, list[int]] = {"": []}
    often = Counter(stem[row] for row in rows)
    for row in rows:
        found.setdefault(stem[row] if often[stem[row]] > 1 else "", []).append(row)
    return found


@dataclass(frozen=True, eq=False)
class _Measured:
    """Of n resources, k slices and x states; the last state is time in which no state was recorded.

    mean    float64[n, k, x + 1]: amount per leaf that lives then
    living  int64[n, k]: leaves between the begin of their first state and the end of their last one
    length  float64[k]: the most that a mean can be
    """

    mean: Floats
    living: npt.NDArray[np.int64]
    length: Floats


def _measured(cells: ResourceCells) -> _Measured:
    tree, k = cells.tree, cells.slices
    sums = np.zeros((len(tree), k, len(cells.state) + 1))
    living = np.zeros((len(tree), k), np.int64)
    sums[tree.leaves, :, :-1] = cells.amount
    length = np.diff(cells.edges).astype(np.float64)
    if cells.what == "time":
        busy = np.asarray(cells.amount.any(axis=2))
        begun, still = np.logical_or.accumulate(busy, axis=1), np.logical_or.accumulate(busy[:, ::-1], axis=1)[:, ::-1]
        living[tree.leaves] = begun & still
        sums[tree.leaves, :, -1] = np.where(begun & still, np.maximum(length - cells.amount.sum(axis=2), 0.0), 0.0)
    else:
        living[tree.leaves] = 1
        length = length * cells.highest
    for row in range(len(tree) - 1, 0, -1):
        sums[tree.parent[row]] += sums[row]
        living[tree.parent[row]] += living[row]
    if cells.what == "time":
        sums[..., -1] += np.where(living == 0, length, 0.0)
    return _Measured(sums / np.maximum(living, 1)[..., None], living, length)


def _excess(measured: _Measured, rows: Sequence[int]) -> Floats:
    """float64[r, k, x + 1]: what each has more than the median of its peers; where most do not live, those that do."""
    mean, lives = measured.mean[list(rows)], measured.living[list(rows)] > 0
    excess = mean - np.median(mean, axis=0)
    for slice_ in np.flatnonzero(2 * lives.sum(axis=0) < len(rows)).tolist():
        some = lives[:, slice_]
        excess[:, slice_] = 0.0
        if some.sum() >= LEAST_PEERS:
            excess[some, slice_] = mean[some, slice_] - np.median(mean[some, slice_], axis=0)
    return excess


def _of_peers(cells: ResourceCells, measured: _Measured, rows: Sequence[int], excess: Floats) -> list[Deviation]:
    """What sticks out of some peers: in all states together, or else in one of them."""
    length, size = measured.length, np.abs(excess).sum(axis=2) / 2
    found = _stretches(size, length, _FAR)
    usual = float(np.median(size.max(axis=1)))
    for state in range(excess.shape[2]):
        for each in _stretches(np.maximum(excess[:, :, state], 0.0), length, _FAR, usual):
            same = [other for other in found if other.clear and other.meets(each)]
            if each.clear and sum(other.amount for other in same) < each.amount:
                found = [*(other for other in found if other not in same), each]
    return [_deviation(cells, measured, rows[each.row], excess[each.row], each) for each in found]


class _Stretch(NamedTuple):
    """Slices `first` to `last` of a row of some peers, and how far they deviate; clear: they stick out of the noise."""

    row: int
    first: int
    last: int
    amount: float
    clear: bool

    def meets(self, other: _Stretch) -> bool:
        """Whether both have a cell in common."""
        return self.row == other.row and self.first <= other.last and other.first <= self.last


def _stretches(size: Floats, length: Floats, far: float, least: float = 0.0) -> list[_Stretch]:
    """The maximal stretches that are worth a look.

    size   float64[r, k]: how far each of r peers deviates
    least  what the largest deviation of the peers counts as at least
    """
    often = np.quantile(size / length, (_COMMON, 0.75), axis=1)  # of each; the median of all hides no odd one
    slight, common = np.maximum(np.median(often, axis=1), _SLIGHT)[:, None] * length
    stretches = [maximal_stretches(line) for line in size - slight]
    amounts = [[float(size[row, a : b + 1].sum()) for a, b in each] for row, each in enumerate(stretches)]
    single = float(np.median(size.max(axis=1)))
    usual = max(float(np.median([max(each, default=0.0) for each in amounts])), single)
    limit = far * max(min(usual, _PEAK * float(np.median(common))), least)
    return [
        _Stretch(row, first, last, amount, amount > limit)
        for row, each in enumerate(stretches)
        for (first, last), amount in zip(each, amounts[row], strict=True)
        if amount > limit or (first == last and amount > single)
    ]


def _deviation(cells: ResourceCells, measured: _Measured, row: int, excess: Floats, stretch: _Stretch) -> Deviation:
    """What a row of the tree does there, in words and seconds. excess: float64[k, x] of it."""
    names, first, last = (*cells.state, IDLE), stretch.first, stretch.last
    part = excess[first : last + 1]
    leaves = np.maximum(measured.living[row, first : last + 1], 1)
    seconds = float((np.abs(part).sum(axis=1) / 2) @ leaves) * (1e-9 if cells.what == "time" else 1.0)
    total = part.sum(axis=0)
    more, less = int(np.argmax(total)), int(np.argmin(total))
    waiting = np.array([is_waiting(name) for name in names])
    most = np.maximum(total, 0.0)
    return Deviation(
        row,
        first,
        last,
        seconds,
        names[more] if total[more] > 0 else "",
        names[less] if total[less] < 0 else "",
        bool(most[waiting].sum() > most[~waiting].sum()),
        noise=not stretch.clear,
    )


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
