"""The picture: shapes of a partition along time and resources, marks of what is merged, names, legend (OC-3, OC-4)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import (
    AREA,
    OTHER_TIMES,
    Bars,
    BoxShape,
    Labels,
    Pane,
    Plot,
    Segments,
    Shapes,
    Theme,
    ViewContext,
    Viewport,
    grid_of,
    shapes_of,
    tick_times,
    time_text,
)

from .figures import ShapeFigures, figures_of, items_of
from .frame import LEGEND, NAMES, PLANE, RULER, STATUS, Frame, frame_of, plane_of
from .palette import Colors, between, faded, state_colors
from .preparing import Model, fault_in, model_in, optima_of, shown
from .state import OcelotlState, Region

Layer = Bars | Labels | Segments
CELLS, AREAS, MERGED = "cells", "areas", "merged"
_NAME_HEIGHT, _SIZE = 12.0, 11.0
_ROOM = 46.0  # logical pixels that a name in a shape takes at least


def shapes_in(context: ViewContext, model: Model, viewport: Viewport) -> Shapes:
    """What is seen of the partition at this size."""
    _, partition = shown(context, model)
    frame = frame_of(model, viewport)
    return context.memo(shapes_of, model.cells.tree, partition, model.cells.slices, frame.leaf, _least(context))


def _least(context: ViewContext) -> float:
    value: float = float(context.values["least"])
    return value


def draw_picture(context: ViewContext, state: OcelotlState, viewport: Viewport) -> Plot:
    """All of it, or a sentence."""
    model = model_in(context)
    if model is None:
        return _sentence(context, viewport, fault_in(context) or "Summing up resources and time …")
    frame = frame_of(model, viewport)
    pane = plane_of(context, state, model, frame)
    shapes = shapes_in(context, model, viewport)
    figures = context.memo(figures_of, model, shapes)
    two = len(model.cells.state) == 2 and bool(context.values["ratio"])
    colors = context.memo(shape_colors, model, figures, two, context.theme)
    layers: list[Layer] = [
        *context.memo(_shapes, context.trace().span[0], model, shapes, figures, colors, context.theme),
        *context.memo(_words, context.trace().span[0], model, shapes, figures, frame, pane.x, context.theme),
        *context.memo(_names, model, frame, context.theme),
        *context.memo(_ruler, pane.x, frame, viewport.width, context.theme),
        *_legend(model, two, viewport, context.theme),
        _status(context, model, viewport),
        *_regions(context, state, model),
    ]
    names = Pane(NAMES, BoxShape(0.0, frame.top, max(frame.left, 1.0), frame.height), (0.0, 1.0), pane.y, "", "")
    return Plot((names, pane), tuple(layers), input=("resources", MERGED, AREAS, CELLS), gradual=(CELLS, AREAS, MERGED))


def shape_colors(model: Model, figures: ShapeFigures, two: bool, theme: Theme) -> Colors:
    """uint8[s, 4]: the mode's colour, as strong as its share; of two states their ratio, as strong as both."""
    colors = state_colors(model.cells, theme)
    if two:
        share = figures.amount[:, 1] / np.maximum(figures.amount.sum(axis=1), 1e-300)
        return faded(between(colors[0], colors[1], share), figures.total, theme)
    return faded(colors[figures.mode], figures.strength, theme)


def _shapes(
    origin: int, model: Model, shapes: Shapes, figures: ShapeFigures, colors: Colors, theme: Theme
) -> tuple[Layer, ...]:
    """Cells of the model without a border, areas with one; what is merged for the eye has a diagonal or a cross."""
    cells = model.cells
    tree = cells.tree
    x0 = (cells.edges[shapes.first] - origin).astype(np.float64)
    x1 = (cells.edges[shapes.last + 1] - origin).astype(np.float64)
    y0 = tree.first_leaf[shapes.row].astype(np.float64)
    y1 = tree.first_leaf[tree.end[shapes.row]].astype(np.float64)
    item = items_of(cells.slices, shapes)
    single = figures.cells == 1
    found: list[Layer] = []
    edge = theme.outline if not theme.is_dark else theme.line
    for name, which, outline in (
        (CELLS, single, None),
        (AREAS, ~single & (shapes.mark == AREA), edge),
        (MERGED, shapes.mark != AREA, edge),
    ):
        at = np.flatnonzero(which)
        found.append(
            Bars(
                name=name,
                pane=PLANE,
                x0=x0[at],
                x1=x1[at],
                y0=y0[at],
                y1=y1[at],
                color=colors[at],
                item=item[at],
                outline=outline,
                grab=True,
            )
        )
    same, other = np.flatnonzero(shapes.mark != AREA), np.flatnonzero(shapes.mark == OTHER_TIMES)
    begin = np.concatenate((x0[same], x0[other]))
    end = np.concatenate((x1[same], x1[other]))
    found.append(
        Segments(
            name="marks",
            pane=PLANE,
            x0=begin,
            x1=end,
            y0=np.concatenate((y1[same], y0[other])),
            y1=np.concatenate((y0[same], y1[other])),
            color=(*theme.text[:3], 150),
        )
    )
    return tuple(found)


def _words(
    origin: int, model: Model, shapes: Shapes, figures: ShapeFigures, frame: Frame, x: tuple[float, float], theme: Theme
) -> tuple[Labels, ...]:
    """The name of the mode in shapes that have room for it."""
    cells, tree = model.cells, model.cells.tree
    scale = frame.width / max(x[1] - x[0], 1e-9)
    left = np.maximum(cells.edges[shapes.first] - origin, x[0])
    right = np.minimum(cells.edges[shapes.last + 1] - origin, x[1])
    high = tree.size[shapes.row] * frame.leaf
    room = (right - left) * scale - 8.0
    at = np.flatnonzero((room >= _ROOM) & (high >= 14.0) & (figures.strength > 0.0))
    middle = (tree.first_leaf[shapes.row] + tree.first_leaf[tree.end[shapes.row]]) / 2
    return (
        Labels(
            name="modes",
            pane=PLANE,
            x=left[at] + 4.0 / scale,
            y=middle[at],
            text=tuple(cells.state[each] for each in figures.mode[at].tolist()),
            color=theme.text,
            size=_SIZE,
            room=room[at],
            halo=(*theme.ground[:3], 170),
        ),
    )


def _names(model: Model, frame: Frame, theme: Theme) -> tuple[Layer, ...]:
    """The resources that are high enough, as an icicle: groups at the left, what lies in them to the right."""
    if not frame.left:
        return ()
    tree = model.cells.tree
    high = tree.size * frame.leaf
    rows = np.flatnonzero((high >= _NAME_HEIGHT - 1) & (np.arange(len(tree)) > 0))
    if not len(rows):
        rows = np.zeros(1, np.int64)
    depth = np.maximum(tree.depth[rows], 1).astype(np.float64)
    deepest = float(depth.max())
    told = set(rows.tolist())
    closed = np.array([not any(child in told for child in tree.children(row)) for row in rows.tolist()])
    x0, x1 = (depth - 1) / deepest, np.where(closed, 1.0, depth / deepest)
    y0 = tree.first_leaf[rows].astype(np.float64)
    y1 = tree.first_leaf[tree.end[rows]].astype(np.float64)
    return (
        Bars(
            name="resources",
            pane=NAMES,
            x0=x0,
            x1=x1,
            y0=y0,
            y1=y1,
            color=theme.plane,
            outline=theme.line,
            item=rows.astype(np.int32),
        ),
        Labels(
            name="resource names",
            pane=NAMES,
            x=x0 + 4.0 / frame.left,
            y=(y0 + y1) / 2,
            text=tuple(tree.name[row] for row in rows.tolist()),
            color=theme.text,
            size=_SIZE,
            room=(x1 - x0) * frame.left - 7.0,
        ),
    )


def _ruler(window: tuple[float, float], frame: Frame, width: float, theme: Theme) -> tuple[Layer, ...]:
    grid = grid_of(window, max(frame.width, 1.0))
    times = tick_times(grid, frame.width)
    x = frame.left + (times - window[0]) * (frame.width / max(window[1] - window[0], 1e-9))
    keep = (x >= frame.left - 0.5) & (x <= frame.left + frame.width)
    times, x = times[keep], x[keep]
    least = float(np.diff(times).min()) if len(times) > 1 else window[1] - window[0]
    zero, bottom = np.zeros(1), STATUS + RULER
    return (
        Bars(name="ruler ground", x0=zero, x1=zero + width, y0=zero + STATUS, y1=zero + bottom, color=theme.plane),
        Segments(
            name="ruler ticks",
            x0=np.append(x, 0.0),
            x1=np.append(x, width),
            y0=np.append(x * 0 + bottom - 6, bottom),
            y1=np.full(len(x) + 1, bottom),
            color=theme.level,
        ),
        Labels(
            name="ruler times",
            x=x + 4.0,
            y=np.full(len(x), STATUS + RULER / 2 - 1),
            text=tuple(time_text(time, least) for time in times.tolist()),
            color=theme.muted,
            size=_SIZE,
            room=np.maximum(width - x - 6.0, 0.0),
        ),
    )


def status_text(context: ViewContext, model: Model) -> str:
    """Which partition is shown, what it saves and what it loses."""
    number, partition = shown(context, model)
    every = optima_of(model)
    areas = f"{len(partition):,} area{'' if len(partition) == 1 else 's'}"
    quality = f"{every.gain[number]:.0%} simpler, {every.loss[number]:.0%} of the information lost"
    if model.every is None:
        return f"{areas}: {quality} (first picture; finding all partitions …)"
    return f"Partition {number + 1:,} of {len(every):,}: {areas}, {quality} (p = {every.low[number]:.3g})"


def _status(context: ViewContext, model: Model, viewport: Viewport) -> Labels:
    looks_at = f"{model.look.resource}  ·  " if model.look.resource else ""
    text = " ".join((looks_at + status_text(context, model), *model.cells.notes))
    return Labels(
        name="status",
        x=np.array([8.0]),
        y=np.array([STATUS / 2]),
        text=(text,),
        color=context.theme.text,
        size=12.0,
        room=np.array([max(viewport.width - 16.0, 0.0)]),
    )


def _legend(model: Model, two: bool, viewport: Viewport, theme: Theme) -> tuple[Layer, ...]:
    """What colours mean; what finds no room is counted."""
    cells = model.cells
    colors = state_colors(cells, theme)
    top, x = viewport.height - LEGEND, 8.0
    order = list(range(len(cells.state)))
    texts, places, boxes, fills = list[str](), list[float](), list[float](), list[list[int]]()
    for count, state in enumerate(order):
        wide = viewport.measure(cells.state[state], _SIZE, False) + 30.0
        if x + wide + (0 if count == len(order) - 1 else 70) > viewport.width:
            texts.append(f"and {len(order) - count:,} more")
            places.append(x)
            break
        boxes.append(x)
        fills.append(colors[state].tolist())
        texts.append(cells.state[state])
        places.append(x + 16.0)
        x += wide
    else:
        paler = "paler: both together are a smaller part" if two else "paler: a smaller part of the time"
        if cells.what != "time":
            paler = "paler: less than in the densest cell"
        if x + viewport.measure(paler, _SIZE, False) + 8 <= viewport.width:
            texts.append(paler)
            places.append(x)
    left, zero = np.array(boxes), np.zeros(1)
    middle = top + LEGEND / 2
    return (
        Bars(
            name="legend ground",
            x0=zero,
            x1=zero + viewport.width,
            y0=zero + top,
            y1=zero + viewport.height,
            color=theme.plane,
        ),
        Bars(
            name="legend",
            x0=left,
            x1=left + 11.0,
            y0=left * 0 + middle - 5.5,
            y1=left * 0 + middle + 5.5,
            color=np.array(fills, np.uint8).reshape(-1, 4),
        ),
        Labels(
            name="legend texts",
            x=np.array(places),
            y=np.full(len(places), middle),
            text=tuple(texts),
            color=theme.text,
            size=_SIZE,
        ),
    )


def _regions(context: ViewContext, state: OcelotlState, model: Model) -> tuple[Segments, ...]:
    """Frames around what is selected, and around what it is compared with."""
    found = []
    for name, region, dashed in (("selected", state.selected, False), ("second", state.second, True)):
        if region is not None and usable_region(model, region):
            found.append(_framed(context, model, name, region, dashed))
    return tuple(found)


def usable_region(model: Model, region: Region) -> bool:
    """Whether the model has these leaves and slices."""
    leaves, slices = len(model.cells.tree.leaves), model.cells.slices
    return 0 <= region.top < region.bottom <= leaves and 0 <= region.first <= region.last < slices


def _framed(context: ViewContext, model: Model, name: str, region: Region, dashed: bool) -> Segments:
    edges = model.cells.edges - context.trace().span[0]
    a, b = float(edges[region.first]), float(edges[region.last + 1])
    c, d = float(region.top), float(region.bottom)
    return Segments(
        name=name,
        pane=PLANE,
        x0=np.array([a, a, a, b]),
        x1=np.array([b, b, a, b]),
        y0=np.array([c, d, c, c]),
        y1=np.array([c, d, d, d]),
        color=context.theme.accent,
        width=2.5,
        dashed=dashed,
    )


def _sentence(context: ViewContext, viewport: Viewport, say: str) -> Plot:
    text = Labels(
        name="empty",
        x=np.array([viewport.width / 2]),
        y=np.array([viewport.height / 2]),
        text=(say,),
        color=context.theme.muted,
        anchor="center",
        size=13.0,
        room=np.array([max(viewport.width - 20.0, 0.0)]),
    )
    return Plot((), (text,))
