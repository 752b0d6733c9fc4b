"""Frames around rectangles, as segments."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color
from cbvtool.plots.layers import Segments
from cbvtool.plots.panes import CANVAS

Edges = npt.NDArray[np.float64]


def frames_around(
    name: str, x0: Edges, x1: Edges, y0: Edges, y1: Edges, color: Color, *, pane: str = CANVAS, width: float = 1.6
) -> Segments:
    """The four sides of n rectangles: upper ones, lower ones, left ones, right ones; `width` in logical pixels."""
    return Segments(
        name=name,
        pane=pane,
        x0=np.concatenate((x0, x0, x0, x1)),
        x1=np.concatenate((x1, x1, x0, x1)),
        y0=np.concatenate((y0, y1, y0, y0)),
        y1=np.concatenate((y0, y1, y1, y1)),
        color=color,
        width=width,
    )
