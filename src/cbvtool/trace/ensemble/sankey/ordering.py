"""The order of boxes in each column: few and light crossings.

Barycentres from several begins, then each box is moved to the place in its column where least crosses (sifting;
Matuszewski, Schoenfeld, Molitor 1999), until nothing gains. A crossing weighs the product of both flows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
STARTS = 12
SWEEPS = 8
_LARGE = 2_000  # boxes and bends: beyond, one start


class FlowColumns(NamedTuple):
    """m boxes and bends in columns, with s pieces of flow, each from a column to the next.

    layer         int32[m]
    left, right   int32[s]  ends of each piece
    weight        float64[s]
    """

    layer: Ints
    left: Ints
    right: Ints
    weight: Floats


def ordered(columns: FlowColumns, seed: int = 1) -> Ints:
    """int32[m]: the place of each in its column, from 0 at the top. The same for the same input and seed."""
    m = len(columns.layer)
    by_layer = np.argsort(columns.layer, kind="stable").astype(np.int64)
    begins = np.searchsorted(columns.layer[by_layer], np.arange(int(columns.layer.max(initial=0)) + 2)).astype(np.int64)
    before = _neighbours(columns.right, columns.left, columns.weight, m)
    after = _neighbours(columns.left, columns.right, columns.weight, m)
    rng = np.random.default_rng(seed)
    best, least = by_layer, np.inf
    for start in range(1 if m > _LARGE else STARTS):
        rows = by_layer.copy()
        if start:
            for low, high in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
                rows[low:high] = rng.permutation(rows[low:high])
        cost = float(_improve(rows, begins, *before, *after, SWEEPS))
        if cost < least - 1e-9 * max(least if least < np.inf else 0.0, 1.0):
            best, least = rows, cost
        if least == 0:
            break
    place = np.empty(m, np.int32)
    place[best] = np.arange(m) - begins[columns.layer[best]]
    return place


def crossings(columns: FlowColumns, place: npt.NDArray[np.integer | np.floating]) -> float:
    """The weight of all crossings of pieces between two columns, by the places of their ends."""
    total = 0.0
    for layer in np.unique(columns.layer[columns.left]).tolist():
        rows = np.flatnonzero(columns.layer[columns.left] == layer)
        left, right = place[columns.left[rows]].astype(float), place[columns.right[rows]].astype(float)
        weight = columns.weight[rows]
        crossed = (left[:, None] - left[None, :]) * (right[:, None] - right[None, :]) < 0
        total += float((weight[:, None] * weight[None, :])[crossed].sum()) / 2
    return total


def _neighbours(of: Ints, other: Ints, weight: Floats, m: int) -> tuple[Longs, Longs, Floats]:
    """Those that each one has on one side: begins int64[m + 1], neighbours, weights."""
    order = np.argsort(of, kind="stable")
    return np.searchsorted(of[order], np.arange(m + 1)).astype(np.int64), other[order].astype(np.int64), weight[order]


@kernel
def _improve(  # noqa: C901 - one compiled loop over tables
    rows: Longs,
    begins: Longs,
    before_ptr: Longs,
    before: Longs,
    before_weight: Floats,
    after_ptr: Longs,
    after: Longs,
    after_weight: Floats,
    sweeps: int,
) -> float:
    """Reorder `rows`, those of each column between two `begins`; the weight of the crossings that are left."""
    m = len(rows)
    place = np.empty(m, np.float64)
    kept = rows.copy()
    for layer in range(len(begins) - 1):
        for at in range(begins[layer], begins[layer + 1]):
            place[rows[at]] = at - begins[layer]
    least = np.inf
    for sweep in range(2 * sweeps):
        forward = sweep % 2 == 0
        for step in range(len(begins) - 1):
            layer = step if forward else len(begins) - 2 - step
            low, high = begins[layer], begins[layer + 1]
            wanted = np.empty(high - low, np.float64)
            for at in range(low, high):
                node = rows[at]
                total, mean = 0.0, 0.0
                if forward:
                    for k in range(before_ptr[node], before_ptr[node + 1]):
                        total += before_weight[k]
                        mean += before_weight[k] * place[before[k]]
                else:
                    for k in range(after_ptr[node], after_ptr[node + 1]):
                        total += after_weight[k]
                        mean += after_weight[k] * place[after[k]]
                wanted[at - low] = mean / total if total > 0.0 else place[node]
            for at in range(low + 1, high):  # sorted by insertion: equal ones keep their order
                node, value, free = rows[at], wanted[at - low], at
                while free > low and wanted[free - 1 - low] > value:
                    rows[free], wanted[free - low] = rows[free - 1], wanted[free - 1 - low]
                    free -= 1
                rows[free], wanted[free - low] = node, value
            for at in range(low, high):
                place[rows[at]] = at - low
        cost = 0.0
        for _ in range(20):
            gained = 0.0
            for layer in range(len(begins) - 1):
                low, high = begins[layer], begins[layer + 1]
                for one in kept[low:high]:
                    # The box walks to the top, then to the bottom; it stays where least crosses.
                    at = low + int(place[one])
                    delta, best, best_at = 0.0, 0.0, at
                    where = at
                    for direction in (-1, 1):
                        if direction == 1:
                            where, delta = at, 0.0
                        while low <= where + direction < high:
                            other = rows[where + direction]
                            change = 0.0  # of the weight that crosses when `one` and `other` change places
                            for side in range(2):
                                ptr = before_ptr if side == 0 else after_ptr
                                ends = before if side == 0 else after
                                weights = before_weight if side == 0 else after_weight
                                for k in range(ptr[one], ptr[one + 1]):
                                    for j in range(ptr[other], ptr[other + 1]):
                                        gap = place[ends[k]] - place[ends[j]]
                                        if gap != 0.0:
                                            crossing = weights[k] * weights[j]
                                            # `other` stands above where the direction is up
                                            above = gap > 0.0 if direction == -1 else gap < 0.0
                                            change += crossing if above else -crossing
                            delta += change
                            where += direction
                            if delta < best - 1e-12:
                                best, best_at = delta, where
                    if best_at != at:
                        gained -= best
                        step = 1 if best_at > at else -1
                        while at != best_at:
                            rows[at] = rows[at + step]
                            place[rows[at]] = at - low
                            at += step
                        rows[at] = one
                        place[one] = at - low
            if gained <= 1e-12:
                break
        for layer in range(len(begins) - 1):
            for at in range(begins[layer], begins[layer + 1]):
                one = rows[at]
                for further in range(at + 1, begins[layer + 1]):
                    other = rows[further]
                    for k in range(after_ptr[one], after_ptr[one + 1]):
                        for j in range(after_ptr[other], after_ptr[other + 1]):
                            if place[after[k]] > place[after[j]]:
                                cost += after_weight[k] * after_weight[j]
        if cost < least:
            least = cost
            best_rows = rows.copy()
    for at in range(m):
        rows[at] = best_rows[at]
    return least
