"""Bands between boxes, bent where they pass columns, arcs below for what closes a cycle, loops of self-calls (CF-2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import Areas, Curves, SankeyLayout, SuperGraph

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Colors = npt.NDArray[np.uint8]
Color = tuple[int, int, int, int]
BOX = 0.27  # width of a box, in columns
THINNEST = 0.9  # of a band, in the layout's pixels
ARCS = 26.0  # of the layout's pixels below it, where arcs run
LOOP = 14.0  # of the layout's pixels: the control points of a loop above its box
_REACH = 0.16  # how far arcs swing out beside boxes, in columns
_WIDTHS = (1.5, 3.0, 6.0, 10.0)  # pixels of arcs
_T = np.linspace(0.0, 1.0, 25)[:-1]  # places along a cubic piece whose control points lie half way, level with its ends
_X_BEGIN, _X_END = (1 - _T) ** 3 + 1.5 * _T * (1 - _T), _T**3 + 1.5 * _T * (1 - _T)
_Y_END = 3 * _T**2 - 2 * _T**3


@dataclass(frozen=True, eq=False)
class FlowPaths:
    """The ways of f bands, as m places round all of them: along one border, and back along the other.

    flow    int64[f]  rows of the flows that go ahead
    ptr     int64[f+1]
    x, middle, size  float64[m]
    side    float64[m]  -0.5 on the upper border, 0.5 on the lower one
    """

    flow: Longs
    ptr: Longs
    x: Floats
    middle: Floats
    size: Floats
    side: Floats


def paths_of(graph: SuperGraph, layout: SankeyLayout) -> FlowPaths:
    """Cubic pieces from box to bend to box, level at each."""
    flow = np.flatnonzero(~layout.back)
    parts: list[list[Floats]] = [[], [], [], []]
    lengths = [0]
    for row in flow.tolist():
        x, top, size = _stations(graph, layout, row)
        along = _between(x, _X_BEGIN, _X_END)
        middle, wide = (_between(each, 1.0 - _Y_END, _Y_END) for each in (top + size / 2, size))
        half = np.full(len(along), 0.5)
        for part, there, back in zip(parts, (along, middle, wide, -half), (along, middle, wide, half), strict=True):
            part += [there, back[::-1]]
        lengths.append(2 * len(along))
    x, middle, size, side = (np.concatenate([np.zeros(0), *part]) for part in parts)
    return FlowPaths(flow, np.cumsum(lengths), x, middle, size, side)


def bands(name: str, pane: str, paths: FlowPaths, part: Floats, color: Colors | Color, picked: bool = False) -> Areas:
    """Bands of the flows that go ahead. part: float64[e], of each one's width, in its middle; not above 0 = left out.

    color: one, or uint8[e, 4]. They are areas, which the host fills once and keeps.
    """
    own = part[paths.flow]
    lengths = np.diff(paths.ptr)
    wide = np.maximum(paths.size * np.repeat(own, lengths), THINNEST)
    points = np.stack((paths.x, paths.middle + paths.side * wide), axis=1)
    drawn = own > 0
    rows = paths.flow[drawn]
    return Areas(
        name=name,
        pane=pane,
        points=points[np.repeat(drawn, lengths)],
        ptr=np.concatenate(([0], np.cumsum(lengths[drawn]))).astype(np.int64),
        color=color[rows] if isinstance(color, np.ndarray) else color,
        item=rows.astype(np.int32) if picked else None,
    )


def arcs(name: str, pane: str, graph: SuperGraph, layout: SankeyLayout, scale: float, color: Color) -> list[Curves]:
    """Flows that close a cycle: from the right of their source below all boxes to the left of their target.

    scale: pixels of the canvas for one of the layout, for their width.
    """
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
                name=f"{name} {number}",
                pane=pane,
                points=np.concatenate(points),
                ptr=ptr,
                color=color,
                width=width,
                item=rows[own].astype(np.int32),
            )
        )
    return found


def loops(name: str, pane: str, graph: SuperGraph, layout: SankeyLayout, color: Color) -> Curves:
    """A loop on top of each box whose module calls itself in some run."""
    rows = np.flatnonzero(~np.isnan(graph.within).all(axis=0))
    x = layout.layer[rows].astype(np.float64)[:, None] + BOX * np.array([0.62, 0.55, 1.0, 0.93])
    y = layout.top[rows][:, None] - LOOP * np.array([0.0, 1.0, 1.0, 0.0])
    return Curves(
        name=name,
        pane=pane,
        points=np.stack((x.ravel(), y.ravel()), axis=1),
        ptr=np.arange(len(rows) + 1, dtype=np.int64) * 4,
        color=color,
        width=1.5,
        item=rows.astype(np.int32),
    )


def _arc(graph: SuperGraph, layout: SankeyLayout, row: int, depth: float) -> Floats:
    """float64[10, 2]: out to the right, back below, in from the left."""
    x0 = float(layout.layer[graph.source[row]]) + BOX
    x1 = float(layout.layer[graph.target[row]])
    y0 = float(layout.out_top[row] + layout.out_size[row] / 2)
    y1 = float(layout.in_top[row] + layout.in_size[row] / 2)
    return np.array(
        [
            (x0, y0),
            (x0 + _REACH, y0),
            (x0 + _REACH, depth),
            (x0, depth),
            (x0 - (x0 - x1) / 3, depth),
            (x1 + (x0 - x1) / 3, depth),
            (x1, depth),
            (x1 - _REACH, depth),
            (x1 - _REACH, y1),
            (x1, y1),
        ]
    )


def _stations(graph: SuperGraph, layout: SankeyLayout, row: int) -> tuple[Floats, Floats, Floats]:
    """x, top and height where a flow begins, where it enters and leaves the columns that it passes, where it ends."""
    low, high = layout.bend_ptr[row : row + 2]
    passed = layout.bend_layer[low:high].astype(np.float64)
    begin, end = float(layout.layer[graph.source[row]]) + BOX, float(layout.layer[graph.target[row]])
    x = np.concatenate(([begin], np.stack((passed, passed + BOX), axis=1).ravel(), [end]))
    top = np.concatenate(([layout.out_top[row]], np.repeat(layout.bend_top[low:high], 2), [layout.in_top[row]]))
    size = np.concatenate(([layout.out_size[row]], np.repeat(layout.bend_size[low:high], 2), [layout.in_size[row]]))
    return x, top, size


def _between(values: Floats, begin: Floats, end: Floats) -> Floats:
    """Values along pieces: parts of the value where each begins, and where it ends."""
    inner = values[:-1, None] * begin + values[1:, None] * end
    return np.append(inner.ravel(), values[-1])
