"""What each shape of a picture shows: its amounts, its mode, how strong it is, what merging costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import Shapes, interval

from .preparing import Model

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ShapeFigures:
    """Of s shapes.

    amount    float64[s, x]
    mode      int64[s]: the state with the largest amount
    strength  float64[s], 0 to 1: see `ResourceCells.strength`, of the mode
    total     float64[s], 0 to 1: the same of all states together
    cells     int64[s]: how many cells each merges
    """

    amount: Floats
    mode: Ints
    strength: Floats
    total: Floats
    cells: Ints


def figures_of(model: Model, shapes: Shapes) -> ShapeFigures:
    """The figures of all shapes."""
    cells = model.cells
    amount = model.sums[shapes.row, shapes.last + 1] - model.sums[shapes.row, shapes.first]
    mode = np.argmax(amount, axis=1)
    size = cells.tree.size[shapes.row].astype(np.float64)
    length = (cells.edges[shapes.last + 1] - cells.edges[shapes.first]).astype(np.float64)
    room = size * length * (1.0 if cells.what == "time" else cells.highest)
    strongest = amount[np.arange(len(shapes)), mode] / room
    total = amount.sum(axis=1) / room
    count = size.astype(np.int64) * (shapes.last - shapes.first + 1)
    return ShapeFigures(amount, mode, np.minimum(strongest, 1.0), np.minimum(total, 1.0), count)


def quality(model: Model, row: int, first: int, last: int) -> tuple[float, float]:
    """Gain and loss of one aggregate, in parts of those of a single area."""
    information = model.information
    at = interval(information.slices, first, last)
    gain, loss = information.whole
    return float(information.gain[row, at]) / (gain or 1.0), float(information.loss[row, at]) / (loss or 1.0)


def items_of(slices: int, shapes: Shapes) -> npt.NDArray[np.int32]:
    """int32[s]: a number that says which resource and which slices each shape is; see `place_of`."""
    first = shapes.first.astype(np.int64)
    each = slices * (slices + 1) // 2
    found: npt.NDArray[np.int32] = (
        shapes.row * each + first * slices - first * (first - 1) // 2 + shapes.last - first
    ).astype(np.int32)
    return found


def place_of(slices: int, item: int) -> tuple[int, int, int]:
    """The row, first and last slice of an item."""
    row, rest = divmod(item, slices * (slices + 1) // 2)
    begins = [interval(slices, first, first) for first in range(slices)]
    first = int(np.searchsorted(begins, rest, "right")) - 1
    return row, first, first + rest - begins[first]
