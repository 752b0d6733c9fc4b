"""How much ink each relation gets where it runs: less in a crowd, so that the dense middle shows where the weight is.

Curves of one opacity that cross by the dozen add up to a flat blob, in which 20 and 200 of them look alike. So the
opacity of a curve falls, from place to place, with how many others lie there: what they add up to grows with the
logarithm of their number, as loudness does with power (Fechner), from that of a single curve to `FULL`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Curves = npt.NDArray[np.float32]
FloatArray = npt.NDArray[np.float32]

CELLS = 32  # of the grid, in each direction, in which curves are counted: no finer than their samples
COUNTED = 6_000  # curves that are counted: of more, an even sample stands for all
FULL = 0.88  # opacity of the densest place
CROWD = 24.0  # curves on top of each other from which on a place counts as dense, wherever the densest is
FAINTEST_INK = 0.04  # of a curve: with less, 8 bits for a channel would swallow it


@dataclass(frozen=True, eq=False)
class Crowd:
    """Length of curves for each area of the disc, by cells of a square around its middle.

    length   float32[CELLS * CELLS] in the radius of the disc, for each unit of area
    half     half the side of the square
    most     the largest of them
    """

    length: FloatArray
    half: float
    most: float

    def overlap(self, curves: Curves, width: float) -> FloatArray:
        """float32[e, S]: how many curves of that width lie on top of each other at each sample, 1 or more."""
        found = self.length[_cell(curves, self.half)] * np.float32(width)
        result: FloatArray = np.maximum(found, np.float32(1.0))
        return result

    def opacity(self, curves: Curves, width: float, alone: float) -> FloatArray:
        """float32[e, S]: the opacity of each curve at each sample; `alone`: that of a single one."""
        over = self.overlap(curves, width)
        return ink(over, alone, max(self.most * width, CROWD))


def ink(overlap: npt.ArrayLike, alone: float, most: float) -> FloatArray:
    """The opacity of each of `overlap` (1 or more) curves on top of each other, of which one alone has `alone`.

    most   curves on top of each other in the densest place
    """
    over = np.asarray(overlap, np.float32)
    share = np.minimum(np.log(over) / np.float32(math.log(max(most, 2.0))), np.float32(1.0))
    together = np.float32(alone) + np.float32(max(FULL - alone, 0.0)) * share
    each = -np.expm1(np.log1p(-together) / over)
    result: FloatArray = np.maximum(each, np.float32(min(FAINTEST_INK, alone)))
    return result


def crowd(curves: Curves, half: float) -> Crowd:
    """How dense the curves, float32[e, S, 3], lie in the square of 2 `half` around the middle of the disc."""
    counted = curves[:: max(len(curves) // COUNTED, 1)]
    if not len(counted):
        return Crowd(np.zeros(CELLS * CELLS, np.float32), half, 0.0)
    steps = np.diff(counted[:, :, :2], axis=1)
    length = np.sqrt((steps * steps).sum(axis=2))
    area = (2 * half / CELLS) ** 2
    cells = _cell(counted[:, 1:], half)
    found = np.bincount(cells.ravel(), length.ravel(), CELLS * CELLS).reshape(CELLS, CELLS)
    density = (_smooth(found) * (len(curves) / len(counted) / area)).astype(np.float32).ravel()
    return Crowd(density, half, float(density.max()))


def _cell(curves: Curves, half: float) -> npt.NDArray[np.int32]:
    """int32[e, S]: the cell that each sample lies in."""
    place = (curves[:, :, :2] * np.float32(CELLS / 2 / half) + np.float32(CELLS / 2)).astype(np.int32)
    np.clip(place, 0, CELLS - 1, out=place)
    result: npt.NDArray[np.int32] = place[:, :, 1] * np.int32(CELLS) + place[:, :, 0]
    return result


def _smooth(cells: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The mean of each cell and its neighbours, so that no edge of a cell is seen."""
    padded = np.pad(cells, 1)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    result: npt.NDArray[np.float64] = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9
    return result
