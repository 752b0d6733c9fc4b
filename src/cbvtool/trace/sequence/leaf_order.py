"""Leaves that call each other brought together: an order of the siblings in each container (EX-6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.kernels import kernel
from cbvtool.trace.sequence.icicles import Icicle

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MOST_CHILDREN = 1_500  # shown ones of a container; one with more keeps its order
_ROUNDS = 3  # over all containers
_SWEEPS = 30  # over the children of one
_MOST_MOVED = 250  # children that are also moved over several others at once, and put in order by a spectrum


def call_length(caller: Rows, callee: Rows, count: Rows, position: Rows) -> float:
    """Columns that all calls run over: what an order of leaves keeps small. position: int64[k] of each column."""
    return float((count * np.abs(position[caller] - position[callee])).sum())


def leaf_order(
    shown: Icicle, caller: Rows, callee: Rows, count: Rows, progress: Progress = silent
) -> npt.NDArray[np.int64]:
    """int64[k]: a place for each column of the icicle, so that calls run over as few columns as local search finds.

    caller, callee, count  int64[i]  columns of pairs, and how many calls they have

    Siblings change places, the hierarchy stays. In each container, from the outermost on: as they are, by the
    barycentre of what they call and are called by, or by the spectrum; then they are moved while that shortens the
    calls, and the shortest is taken. Never longer than before.
    Source: minimum linear arrangement; Sugiyama et al. 1981 (barycentre); Juvan and Mohar 1992 (spectrum).
    """
    position = np.arange(len(shown), dtype=np.int64)
    apart = caller != callee
    a, b, weight = caller[apart], callee[apart], count[apart].astype(np.float64)
    holders = _holders(shown)
    for _ in range(_ROUNDS):
        before = position
        for number, children in enumerate(holders):
            if not number % 16:
                progress("Ordering leaves", number, len(holders))
            position = _arranged(shown, children, a, b, weight, position)
        if np.array_equal(before, position):
            break
    return position


def _holders(shown: Icicle) -> list[Rows]:
    """The children of each container that has several which may move, outermost containers first."""
    by_parent = np.argsort(shown.parent, kind="stable")
    parents, begins = np.unique(shown.parent[by_parent], return_index=True)
    found = []
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(by_parent)], strict=True):
        rows = by_parent[begin:end]
        rows = rows[~shown.own[rows] & (shown.key[rows] >= 0)]
        if 2 <= len(rows) <= MOST_CHILDREN:
            found.append((int(shown.depth[rows[0]]), rows))
    del parents
    return [rows for _, rows in sorted(found, key=lambda each: (each[0], int(each[1][0])))]


def _arranged(shown: Icicle, children: Rows, a: Rows, b: Rows, weight: Floats, position: Rows) -> Rows:
    """The positions after the children of one container were put in order."""
    place = np.full(len(shown), -1, np.int64)
    size = (shown.last - shown.first)[children]
    start = position[shown.first[children]].copy()
    for number, child in enumerate(children.tolist()):
        columns = slice(int(shown.first[child]), int(shown.last[child]))
        place[columns] = number
        start[number] = position[columns].min()
    left = int(start.min())
    known = (place[a] >= 0) | (place[b] >= 0)
    a, b, weight = a[known], b[known], weight[known]
    if not len(a):
        return position
    c = len(children)
    between, shift, pull = np.zeros((c, c)), np.zeros((c, c)), np.zeros(c)
    inner = position - start[np.maximum(place, 0)]
    one, other = place[a], place[b]
    both = (one >= 0) & (other >= 0) & (one != other)
    for x, y, at in ((one, other, a), (other, one, b)):
        np.add.at(between, (x[both], y[both]), weight[both])
        np.add.at(shift, (x[both], y[both]), (weight * inner[at])[both])
    for x, y, far in ((one, other, b), (other, one, a)):
        outside = (x >= 0) & (y < 0)
        np.add.at(pull, x[outside], np.where(position[far] < left, weight, -weight)[outside])
    order = np.argsort(start, kind="stable")
    begins = [order, _by_barycentre(order, size, between, pull)]
    if c <= _MOST_MOVED:
        begins.append(_by_spectrum(between, pull))
    tried = [order, *(_improved(each, size, between, shift, pull) for each in begins)]
    cost = np.array([_cost(each, size, between, shift, pull) for each in tried])
    cost[0] -= 1e-6  # nothing moves for nothing
    chosen = tried[int(np.argmin(cost))]
    new = np.empty(c, np.int64)
    new[chosen] = left + np.concatenate(([0], np.cumsum(size[chosen])[:-1]))
    found = position.copy()
    inside = place >= 0
    found[inside] = new[place[inside]] + inner[inside]
    return found


def _by_barycentre(order: Rows, size: Rows, between: Floats, pull: Floats) -> Rows:
    """Each child where the mean of those is that it calls or is called by; what lies outside is at either end."""
    total = between.sum(axis=1) + np.abs(pull)
    whole = float(size.sum())
    for _ in range(20):
        middle = np.empty(len(order))
        middle[order] = np.cumsum(size[order]) - size[order] / 2
        ends = np.where(pull > 0, 0.0, whole) * np.abs(pull)
        aim = np.where(total > 0, (between @ middle + ends) / np.where(total > 0, total, 1.0), middle)
        after = np.argsort((aim + middle) / 2, kind="stable")
        if np.array_equal(after, order):
            break
        order = after
    return order


def _by_spectrum(between: Floats, pull: Floats) -> Rows:
    """By the Fiedler vector: the second one of the Laplacian; the side that is pulled to the left comes first."""
    values, vectors = np.linalg.eigh(np.diag(between.sum(axis=1)) - between)
    fiedler = vectors[:, min(1, len(values) - 1)]
    if float((fiedler * pull).sum()) > 0 or (not pull.any() and fiedler[np.argmax(np.abs(fiedler))] < 0):
        fiedler = -fiedler
    return np.argsort(np.round(fiedler, 9), kind="stable")


def _cost(order: Rows, size: Rows, between: Floats, shift: Floats, pull: Floats) -> float:
    """Columns that calls run over, but for a constant: between two children, and from them to the outside."""
    start = np.empty(len(order))
    start[order] = np.cumsum(size[order]) - size[order]
    apart = start[None, :] - start[:, None]
    ahead = apart > 0
    return float((np.where(ahead, between * apart + shift.T - shift, 0.0)).sum() + (pull * start).sum())


def _improved(order: Rows, size: Rows, between: Floats, shift: Floats, pull: Floats) -> Rows:
    """Neighbours swapped as long as each swap shortens the calls."""
    found = order.astype(np.int64).copy()
    _swap(found, size.astype(np.int64), between, shift, pull, _SWEEPS, len(order) <= _MOST_MOVED)
    return found


@kernel
def _gain(order: Any, rank: Any, at: int, size: Any, between: Any, shift: Any, pull: Any) -> float:
    """What the calls grow by if the children at places `at` and `at + 1` change places."""
    i, j = order[at], order[at + 1]  # i moves right by the size of j, j left by that of i
    gain = pull[i] * size[j] - pull[j] * size[i]
    for k in range(len(order)):
        if k != i and k != j:
            side = 1.0 if rank[k] < at else -1.0
            gain += side * (between[i, k] * size[j] - between[j, k] * size[i])
    return float(gain + between[i, j] * (size[j] - size[i]) + 2.0 * (shift[i, j] - shift[j, i]))


@kernel
def _swap(order: Any, size: Any, between: Any, shift: Any, pull: Any, sweeps: int, far: bool) -> None:
    """far: a child may also move over several others at once."""
    c = len(order)
    rank = np.empty(c, np.int64)
    for at in range(c):
        rank[order[at]] = at
    for _ in range(sweeps):
        changed = False
        for at in range(c - 1):
            if _gain(order, rank, at, size, between, shift, pull) < -1e-6:
                i, j = order[at], order[at + 1]
                order[at], order[at + 1], rank[i], rank[j] = j, i, at + 1, at
                changed = True
        for i in range(c if far else 0):
            for step in (1, -1):
                begin, best, total, least = rank[i], rank[i], 0.0, -1e-6
                for back in range(2):  # to the end and, on the way back, to the best place
                    while (0 <= rank[i] + step < c) if back == 0 else (rank[i] != best):
                        way = step if back == 0 else -step
                        at = rank[i] if way > 0 else rank[i] - 1
                        if back == 0:
                            total += _gain(order, rank, at, size, between, shift, pull)
                        x, y = order[at], order[at + 1]
                        order[at], order[at + 1], rank[x], rank[y] = y, x, at + 1, at
                        if back == 0 and total < least:
                            least, best = total, rank[i]
                changed = changed or best != begin
        if not changed:
            break
