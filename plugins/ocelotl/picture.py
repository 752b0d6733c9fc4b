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
from .frame import NAMES, PLANE, RULER, STATUS, Frame, frame_of, plane_of
from .headline import headline, marked_findings
from .legend import legend
from .naming import resource_names
from .palette import Colors, between, faded, state_colors
from .preparing import Model, fault_in, model_in, shown
from .state import OcelotlState, Region

Layer = Bars | Labels | Segments
CELLS, AREAS, LOW, MERGED = "cells", "areas", "low", "merged"
SHAPES = (CELLS, AREAS, LOW, MERGED)
_SIZE = 11.0
_LOW = 9.0  # logical pixels: of lower shapes borders are faint, else nothing of their colour was left
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
        *context.memo(_shapes, context.trace().span[0], model, shapes, figures, colors, frame.leaf, context.theme),
        *context.memo(_words, context.trace().span[0], model, shapes, figures, frame, pane.x, context.theme),
        *context.memo(resource_names, model, frame, context.theme),
        *context.memo(_ruler, pane.x, frame, viewport.width, context.theme),
        *legend(model, shapes, two, viewport, context.theme),
        *headline(context, model, viewport),
        *(
            context.memo(marked_findings, context.trace().span[0], model, pane, frame, context.theme)
            if context.values["marks"]
            else ()
        ),
        *_regions(context, state, model),
    ]
    names = Pane(NAMES, BoxShape(0.0, frame.top, max(frame.left, 1.0), frame.height), (0.0, 1.0), pane.y, "", "")
    return Plot((names, pane), tuple(layers), input=("resources", *reversed(SHAPES)), gradual=SHAPES)


def shape_colors(model: Model, figures: ShapeFigures, two: bool, theme: Theme) -> Colors:
    """uint8[s, 4]: the mode's colour, as strong as its share; of two states their ratio, as strong as both."""
    colors = state_colors(model.cells, theme)
    if two:
        share = figures.amount[:, 1] / np.maximum(figures.amount.sum(axis=1), 1e-300)
        return faded(between(colors[0], colors[1], share), figures.total, theme)
    return faded(colors[figures.mode], figures.strength, theme)


def _shapes(
    origin: int, model: Model, shapes: Shapes, figures: ShapeFigures, colors: Colors, leaf: float, theme: Theme
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
    low = ~single & (tree.size[shapes.row] * leaf < _LOW)
    found: list[Layer] = []
    edge = theme.outline if not theme.is_dark else theme.line
    for name, which, outline in (
        (CELLS, single, None),
        (AREAS, ~single & ~low & (shapes.mark == AREA), edge),
        (LOW, low, (*edge[:3], 80)),
        (MERGED, ~low & (shapes.mark != AREA), edge),
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
