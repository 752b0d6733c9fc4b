"""What the host adds to tooltips: for how many items a merged bar stands (OC-4)."""

from __future__ import annotations

import numpy as np

from cbvtool.plots.layers import Bars
from cbvtool.plots.plot import Hit, Plot

IN_BAR = "in this bar"  # of a line by which a view itself tells it


def merging(plot: Plot) -> tuple[Bars, ...]:
    """The layers of a plot that may hold merged bars."""
    return tuple(
        each for each in plot.layers if isinstance(each, Bars) and each.merged is not None and each.item is not None
    )


def with_merged(lines: tuple[str, ...], layers: tuple[Bars, ...], hit: Hit) -> tuple[str, ...]:
    """The lines, and for how many items the bar stands that was hit; nothing is added to no lines."""
    layer = next((each for each in layers if each.name == hit.layer), None)
    if not lines or layer is None or layer.merged is None or layer.item is None:
        return lines
    if any(IN_BAR in line for line in lines):
        return lines
    (found,) = np.nonzero(np.asarray(layer.item) == hit.item)
    count = int(np.asarray(layer.merged)[found].max(initial=1))
    more = f"one of {count:,} {IN_BAR}, too narrow to be told apart: zoom in to see them"
    return (lines[0], more, *lines[1:]) if count > 1 else lines
