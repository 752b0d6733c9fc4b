"""The best partition for one p: exact, over all that keep to the hierarchy and the order of time (OC-2).

Of each resource and interval, bottom-up over the resources: keep it whole, cut it into the resources below, or cut
its time in two. `pIC = p * gain - (1 - p) * loss` (paper 003, equation 1). Of equal partitions the coarser one is
taken: each area costs `ROUNDING` of the information there is, and p is higher by as much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel
from cbvtool.trace.resources.information import Information

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
ROUNDING = 2.0**-44


@dataclass(frozen=True, eq=False)
class Partition:
    """a areas that tile the plane of resources and time, by resource, then by time.

    row          int32[a]: of the tree
    first, last  int32[a]: slices, the last one included
    gain, loss   sums over the areas, in the unit of `Information`
    """

    row: Ints
    first: Ints
    last: Ints
    gain: float
    loss: float

    def __len__(self) -> int:
        return len(self.row)


def best_partition(information: Information, p: float, kept: Floats | None = None) -> Partition:
    """The best partition for p, 0 (each cell alone, if it differs) to 1 (one area).

    kept  float64[n, m] to work in, so that solving many times takes no memory anew
    """
    parent, k, p = information.parent, information.slices, min(p + ROUNDING, 1.0)
    best = np.empty_like(information.gain) if kept is None else kept
    cost = ROUNDING * sum(information.whole)
    solve(information.gain, information.loss, parent, information.end, k, p, cost, best)
    most = int((information.end == np.arange(1, len(parent) + 1)).sum()) * k
    areas = np.empty((most, 3), np.int32)
    count = trace_back(information.gain, information.loss, information.end, k, p, cost, best, areas)
    areas = areas[:count]
    areas = areas[np.lexsort((areas[:, 1], areas[:, 0]))]
    at = interval_numbers(k, areas[:, 1], areas[:, 2])
    gain, loss = (float(values[areas[:, 0], at].sum()) for values in (information.gain, information.loss))
    row, first, last = (np.ascontiguousarray(areas[:, column]) for column in range(3))
    return Partition(row, first, last, gain, loss)


def interval_numbers(slices: int, first: Ints, last: Ints) -> npt.NDArray[np.int64]:
    """`information.interval` of many."""
    begin = first.astype(np.int64)
    return begin * slices - begin * (begin - 1) // 2 + last - begin


@kernel
def solve(gain: Floats, loss: Floats, parent: Ints, end: Ints, k: int, p: float, cost: float, best: Floats) -> None:
    """Write the best value of each resource and interval: float64[n, m].

    A time cut is tried only behind a left part that is best uncut: other cuts are found from its own left part. So
    many left parts fall away. Those that stay are tried four at once, for all ends side by side.
    """
    q = 1.0 - p
    alone = np.empty(k, np.float64)
    left = np.empty(4, np.float64)
    right = np.empty(4, np.int64)  # best[row, right + end] is what lies behind a left part, up to that end
    best[:] = 0.0
    for row in range(len(gain) - 1, -1, -1):
        here, up, down = best[row], gain[row], loss[row]
        is_leaf = end[row] == row + 1
        for at in range(len(here)):
            whole = p * up[at] - q * down[at] - cost
            here[at] = whole if is_leaf or whole > here[at] else here[at]
        begin = len(here)
        for first in range(k - 1, -1, -1):
            long = k - first
            begin -= long
            values = here[begin : begin + long]
            alone[:long] = values
            behind, waiting = begin + long, 0
            for cut in range(long):
                value = values[cut]
                for one in range(waiting):
                    value = max(value, left[one] + here[right[one] + cut])
                values[cut] = value
                if value <= alone[cut] and cut < long - 1:
                    left[waiting], right[waiting] = value, behind - cut - 1
                    waiting += 1
                    if waiting == 4:
                        take_best_of_four(here, begin, cut + 1, long, left, right)
                        waiting = 0
                behind += long - cut - 1
        if parent[row] >= 0:
            above = best[parent[row]]
            for at in range(len(here)):
                above[at] += here[at]


@kernel
def take_best_of_four(
    here: Floats, begin: int, low: int, high: int, left: Floats, right: npt.NDArray[np.int64]
) -> None:
    """Raise the values of the ends `low` to `high` to the best of four left parts with what lies behind them."""
    to = here[begin + low : begin + high]
    size = high - low
    first, second = here[right[0] + low : right[0] + high], here[right[1] + low : right[1] + high]
    third, fourth = here[right[2] + low : right[2] + high], here[right[3] + low : right[3] + high]
    a, b, c, d = left[0], left[1], left[2], left[3]
    for at in range(size):
        one, other = a + first[at], b + second[at]
        one = one if one > other else other
        next_, other = c + third[at], d + fourth[at]
        next_ = next_ if next_ > other else other
        one = one if one > next_ else next_
        to[at] = one if one > to[at] else to[at]


@kernel
def trace_back(gain: Floats, loss: Floats, end: Ints, k: int, p: float, cost: float, best: Floats, areas: Ints) -> int:
    """Write the areas of the best partition: int32[a, 3] of row, first and last slice; how many there are."""
    q = 1.0 - p
    waiting = np.empty((64, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, 0, k - 1
    height, count = 1, 0
    while height:
        height -= 1
        row, first, last = waiting[height, 0], waiting[height, 1], waiting[height, 2]
        begin = first * k - first * (first - 1) // 2
        at = begin + last - first
        value = p * gain[row, at] - q * loss[row, at] - cost
        cut = -2  # keep
        if end[row] > row + 1:
            space = 0.0
            child = row + 1
            while child < end[row]:
                space += best[child, at]
                child = np.int64(end[child])
            if space > value:
                value, cut = space, -1
        right = begin + k - first
        for middle in range(first, last):
            split = best[row, begin + middle - first] + best[row, right + last - middle - 1]
            if split > value:
                value, cut = split, middle
            right += k - middle - 1
        if cut == -2:
            areas[count, 0], areas[count, 1], areas[count, 2] = row, first, last
            count += 1
            continue
        if height + 2 + end[row] - row > len(waiting):
            more = np.empty((len(waiting) + end[row] - row + 64, 3), np.int64)
            waiting = np.concatenate((waiting, more))
        if cut == -1:
            child = row + 1
            while child < end[row]:
                waiting[height, 0], waiting[height, 1], waiting[height, 2] = child, first, last
                height += 1
                child = np.int64(end[child])
        else:
            waiting[height, 0], waiting[height, 1], waiting[height, 2] = row, first, cut
            waiting[height + 1, 0], waiting[height + 1, 1], waiting[height + 1, 2] = row, cut + 1, last
            height += 2
    return count
