"""Heights and places of boxes and bends in their columns: near what they are connected to, and none over another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.sankey.ordering import FlowColumns, Ints
from cbvtool.trace.kernels import kernel

Floats = npt.NDArray[np.float64]
ROUNDS = 24


def scale_of(columns: FlowColumns, value: Floats, gap: Floats, height: float) -> float:
    """px for one unit of value so that the fullest column fills the height; gap: px below each box or bend."""
    if not len(value):
        return 0.0
    sums, gaps = np.bincount(columns.layer, value), np.bincount(columns.layer, gap)
    last = np.zeros(len(sums))
    np.maximum.at(last, columns.layer, gap)
    room = np.maximum(height - (gaps - last), height * 0.2)
    fits = room[sums > 0] / sums[sums > 0]
    return float(fits.min()) if len(fits) else 0.0


def placed(columns: FlowColumns, place: Ints, size: Floats, gap: Floats, height: float) -> Floats:
    """float64[m], px: the top of each box or bend, which is `size` high, with `gap` below, in the order of `place`.

    Where a column does not fit at all, its gaps shrink.
    """
    if not len(size):
        return np.empty(0)
    rows = np.lexsort((place, columns.layer)).astype(np.int64)
    begins = np.searchsorted(columns.layer[rows], np.arange(int(columns.layer.max()) + 2)).astype(np.int64)
    apart = gap.copy()
    for low, high in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        own = rows[low:high]
        free = height - size[own].sum()
        wanted = apart[own[:-1]].sum()
        if wanted > max(free, 0.0):
            apart[own] *= max(free, 0.0) / wanted
    top = np.zeros(len(size))
    _relax(rows, begins, columns.left, columns.right, columns.weight, size, apart, height, ROUNDS, top)
    return top


@kernel
def _relax(  # noqa: PLR0913 - tables, as compiled loops take them
    rows: npt.NDArray[np.int64],
    begins: npt.NDArray[np.int64],
    left: Ints,
    right: Ints,
    weight: Floats,
    size: Floats,
    apart: Floats,
    height: float,
    rounds: int,
    top: Floats,
) -> None:
    """Pull each towards the mean of those it is connected to, then push apart what lies over one another."""
    m = len(size)
    for layer in range(len(begins) - 1):
        low, high = begins[layer], begins[layer + 1]
        used = 0.0
        for at in range(low, high):
            used += size[rows[at]] + (apart[rows[at]] if at + 1 < high else 0.0)
        y = (height - used) / 2
        for at in range(low, high):
            top[rows[at]] = y
            y += size[rows[at]] + apart[rows[at]]
    pull, total = np.empty(m), np.empty(m)
    for number in range(rounds):
        strength = 0.9**number
        pull[:] = 0.0
        total[:] = 0.0
        for edge in range(len(left)):
            one, other = left[edge], right[edge]
            gap = top[other] + size[other] / 2 - top[one] - size[one] / 2
            pull[one] += weight[edge] * gap
            pull[other] -= weight[edge] * gap
            total[one] += weight[edge]
            total[other] += weight[edge]
        for node in range(m):
            if total[node] > 0.0:
                top[node] += strength * 0.5 * pull[node] / total[node]
        for layer in range(len(begins) - 1):
            low, high = begins[layer], begins[layer + 1]
            y = 0.0
            for at in range(low, high):
                node = rows[at]
                top[node] = max(top[node], y)
                y = top[node] + size[node] + apart[node]
            y = height
            for at in range(high - 1, low - 1, -1):
                node = rows[at]
                top[node] = min(top[node], y - size[node])
                y = top[node] - (apart[rows[at - 1]] if at > low else 0.0)
