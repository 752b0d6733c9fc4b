"""Bands between boxes, bent where they pass columns, and arcs below for what closes a cycle (CF-2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Bands, Curves, ModuleGraph, SankeyLayout

from .preparing import FlowModel

Floats = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint8]
Color = tuple[int, int, int, int]
BOX = 0.27  # width of a box, in columns
THINNEST = 0.9  # of a band, in the layout's pixels
ARCS = 26.0  # of the layout's pixels below it, where arcs run
_REACH = 0.16  # how far arcs swing out beside boxes, in columns
_WIDTHS = (1.5, 3.0, 6.0, 10.0)  # pixels of arcs


def bands(name: str, pane: str, model: FlowModel, part: Floats, color: Colors | Color, picked: bool = False) -> Bands:
    """Bands of the flows that go ahead. part: float64[e], of each one's width, in its middle; not above 0 = left out.

    color: one, or uint8[e, 4].
    """
    layout = model.layout
    rows = np.flatnonzero(~layout.back & (part > 0))
    upper: list[Floats] = []
    lower: list[Floats] = []
    lengths = [0]
    for row in rows.tolist():
        x, top, size = _stations(model.graph, layout, row)
        wide = np.maximum(size * part[row], THINNEST)
        middle = top + size / 2
        upper.append(_smooth(x, middle - wide / 2))
        lower.append(_smooth(x, middle + wide / 2))
        lengths.append(len(upper[-1]))
    nothing = np.zeros((0, 2))
    return Bands(
        name=name, pane=pane, left=np.concatenate([nothing, *upper]), right=np.concatenate([nothing, *lower]),
        ptr=np.cumsum(lengths), color=color[rows] if isinstance(color, np.ndarray) else color,
        item=rows.astype(np.int32) if picked else None,
    )  # fmt: skip


def arcs(name: str, pane: str, model: FlowModel, scale: float, color: Color) -> list[Curves]:
    """Flows that close a cycle: from the right of their source below all boxes to the left of their target.

    scale: pixels of the canvas for one of the layout, for their width.
    """
    graph, layout = model.graph, model.layout
    rows = np.flatnonzero(layout.back)
    wide = np.maximum(layout.out_size, layout.in_size)[rows] * scale
    which = np.searchsorted(np.array(_WIDTHS[:-1]), wide)
    depth = layout.height + ARCS * (np.arange(len(rows)) + 1) / (len(rows) + 1)
    found = []
    for number, width in enumerate(_WIDTHS):
        own = np.flatnonzero(which == number)
        if not len(own):
            continue
        points = [_arc(graph, layout, int(rows[each]), float(depth[each])) for each in own]
        ptr = np.arange(len(own) + 1, dtype=np.int64) * len(points[0])
        found.append(
            Curves(
                name=f"{name} {number}", pane=pane, points=np.concatenate(points), ptr=ptr, color=color, width=width,
                item=rows[own].astype(np.int32),
            )
        )  # fmt: skip
    return found


def _arc(graph: ModuleGraph, layout: SankeyLayout, row: int, depth: float) -> Floats:
    """float64[10, 2]: out to the right, back below, in from the left."""
    x0 = float(layout.layer[graph.source[row]]) + BOX
    x1 = float(layout.layer[graph.target[row]])
    y0 = float(layout.out_top[row] + layout.out_size[row] / 2)
    y1 = float(layout.in_top[row] + layout.in_size[row] / 2)
    return np.array(
        [
            (x0, y0), (x0 + _REACH, y0), (x0 + _REACH, depth), (x0, depth),
            (x0 - (x0 - x1) / 3, depth), (x1 + (x0 - x1) / 3, depth), (x1, depth),
            (x1 - _REACH, depth), (x1 - _REACH, y1), (x1, y1),
        ]
    )  # fmt: skip


def _stations(graph: ModuleGraph, layout: SankeyLayout, row: int) -> tuple[Floats, Floats, Floats]:
    """x, top and height where a flow begins, where it enters and leaves the columns that it passes, where it ends."""
    low, high = layout.bend_ptr[row : row + 2]
    passed = layout.bend_layer[low:high].astype(np.float64)
    begin, end = float(layout.layer[graph.source[row]]) + BOX, float(layout.layer[graph.target[row]])
    x = np.concatenate(([begin], np.stack((passed, passed + BOX), axis=1).ravel(), [end]))
    top = np.concatenate(([layout.out_top[row]], np.repeat(layout.bend_top[low:high], 2), [layout.in_top[row]]))
    size = np.concatenate(([layout.out_size[row]], np.repeat(layout.bend_size[low:high], 2), [layout.in_size[row]]))
    return x, top, size


def _smooth(x: Floats, y: Floats) -> Floats:
    """float64[3 k + 1, 2]: cubic pieces through k + 1 places, level at each of them."""
    points = np.empty((3 * len(x) - 2, 2))
    points[0::3] = np.stack((x, y), axis=1)
    middle = (x[:-1] + x[1:]) / 2
    points[1::3] = np.stack((middle, y[:-1]), axis=1)
    points[2::3] = np.stack((middle, y[1:]), axis=1)
    return points
