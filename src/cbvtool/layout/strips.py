"""A strip treemap: nested rectangles in rows, in a given order.

Source: Bederson, Shneiderman, Wattenberg, "Ordered and Quantum Treemaps", ACM Transactions on Graphics 21(4), 2002, the
strip layout, here from the bottom up, so that the first of each group of siblings lies at the bottom left (VF-4).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def strip_boxes(
    parent: npt.NDArray[np.integer], weight: Floats, rank: Floats, box: tuple[float, float, float, float]
) -> Floats:
    """float64[m, 4]: x0, y0, x1, y1 of each of m nodes; siblings have areas proportional to their weights.

    parent  int[m]  row of the parent, which comes before its children; -1 for the root, row 0
    weight  float64[m]  of each leaf; the weight of a node with children is their sum, and its entry is ignored
    rank    float64[m]  siblings are placed by descending rank, equal ones by row: in strips from the bottom, left to
            right
    box     of the root

    A node of weight 0 has an empty box. Raises ValueError if a weight is negative or not finite, if a rank is not
    finite, or if a parent does not come before its children.
    """
    rows = np.arange(len(parent))
    if len(parent) and (parent[0] != -1 or (parent[1:] < 0).any() or (parent >= rows).any()):
        raise ValueError("one root, and parents before their children")
    if not (np.isfinite(weight).all() and np.isfinite(rank).all() and (weight >= 0).all()):
        raise ValueError("a weight that is negative or no number, or a rank that is none")
    found = np.zeros((len(parent), 4))
    if len(parent):
        found[0] = box
        above = np.asarray(parent, np.int64)
        order = 1 + np.lexsort((-rank[1:], above[1:]))  # stable
        ptr = np.searchsorted(above[order], np.arange(len(parent) + 1))
        _all_strips(above, order, ptr, _sums(above, np.asarray(weight, np.float64)), found)
    return found


@kernel
def _sums(parent: Rows, weight: Floats) -> Floats:
    """The weight of each node: the sum of its children if it has some."""
    found = np.zeros(len(parent))
    inner = np.zeros(len(parent), np.bool_)
    for row in range(len(parent) - 1, -1, -1):
        if not inner[row]:
            found[row] = weight[row]
        if row:
            found[parent[row]] += found[row]
            inner[parent[row]] = True
    return found


@kernel
def _aspect(weight: Floats, order: Rows, first: int, last: int, total: float, wide: float, area: float) -> float:
    """Mean aspect ratio of the boxes in the strip `order[first:last]` of weight `total`. area: of a unit of weight."""
    high = total * area / wide
    found, count = 0.0, 0
    for place in range(first, last):
        own = weight[order[place]]
        if own > 0.0:
            broad = own * wide / total
            found += max(high / broad, broad / high)
            count += 1
    return found / max(count, 1)


@kernel
def _all_strips(parent: Rows, order: Rows, ptr: Rows, weight: Floats, found: Floats) -> None:
    """Compute the boxes of all nodes but the root. order[ptr[p]:ptr[p + 1]]: the children of p."""
    for above in range(len(parent)):
        low, high = ptr[above], ptr[above + 1]
        x0, y0, x1, y1 = found[above, 0], found[above, 1], found[above, 2], found[above, 3]
        wide, total = x1 - x0, weight[above]
        if low == high:
            continue
        if not (total > 0.0 and wide > 0.0 and y1 > y0):
            for place in range(low, high):
                found[order[place]] = np.array([x0, y1, x0, y1])
            continue
        area = wide * (y1 - y0) / total
        first, bottom, left = low, y1, total
        while first < high:
            last, own = first + 1, weight[order[first]]
            aspect = _aspect(weight, order, first, last, own, wide, area) if own > 0.0 else np.inf
            while last < high:  # add a box as long as that does not make the mean aspect ratio worse
                more = own + weight[order[last]]
                with_it = _aspect(weight, order, first, last + 1, more, wide, area) if more > 0.0 else np.inf
                if with_it > aspect:
                    break
                last, own, aspect = last + 1, more, with_it
            left -= own
            top = y0 if last == high else bottom - own * area / wide
            at, done = x0, 0.0
            for place in range(first, last):
                row = order[place]
                done += weight[row]
                right = x1 if place == last - 1 else x0 + wide * (done / own if own > 0.0 else 0.0)
                found[row, 0], found[row, 1], found[row, 2], found[row, 3] = at, top, right, bottom
                if weight[row] <= 0.0:
                    found[row, 0], found[row, 1] = right, bottom
                at = right
            first, bottom = last, top
