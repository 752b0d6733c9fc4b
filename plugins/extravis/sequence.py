"""The massive sequence view: calls as rows below their columns, the whole trace in miniature (EX-2, EX-3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    BoxShape,
    Labels,
    Pane,
    Plot,
    Raster,
    Segments,
    Theme,
    ViewContext,
    Viewport,
    paint_sequence,
    pixel_spans,
    time_text,
)

from .differences import difference_layers
from .highlight import Told, highlight_in, highlighted
from .legend import legend_layers
from .palette import Color, call_colors, with_alpha
from .room import LEGEND, TIMES, Box, Room, room_of
from .scene import Scene, part_in, shown_rows
from .similar import mark_layers
from .state import ExtraVisState, Part
from .tree import head_layers

Image = npt.NDArray[np.uint8]
Layers = list[Bars | Labels | Segments | Raster]
ROWS, WHOLE, GROUND, OVERVIEW = "rows", "whole", "calls", "overview"  # panes, and the layers that are picked
_VEIL, _ASIDE = 205, 150  # how opaque what is faded is covered, and what lies outside of the part that is looked at
_FINEST = 1e-5  # of the whole time that two labels are told apart by
_EVERY = 44.0  # logical pixels from one time to the next


def draw_sequence(context: ViewContext, state: ExtraVisState, scene: Scene, viewport: Viewport) -> Plot:
    """Columns above, rows below; the legend at the bottom."""
    room, shown, theme = context.memo(room_of, scene, viewport), shown_rows(context, state, scene), context.theme
    told = highlight_in(context, state, scene)
    layers = Layers([context.memo(_grounds, room, theme)])
    for number in range(len(scene.lanes)):
        layers += _lane(context, scene, room, number, shown, told, viewport)
    layers += difference_layers(context, scene, room, shown, viewport)
    layers += head_layers(context, scene, room, viewport, told)
    layers += context.memo(_times, scene, room, shown, theme)
    layers += _overview(context, scene, room, shown, viewport)
    layers += _part(context, state, scene, room, shown)
    layers += mark_layers(context, state, scene, room, shown)
    layers += legend_layers(context, state, scene, room, viewport, told)
    return Plot(panes_of(scene, room, shown), tuple(layers), ("boxes", "boxes 1", "found", GROUND, OVERVIEW))


def panes_of(scene: Scene, room: Room, shown: Part) -> tuple[Pane, ...]:
    """Rows of all traces, and the miniature."""
    x, y, _, height = room.lanes[0]
    wide = room.marks[0] + room.marks[2] - x
    whole = Pane(WHOLE, BoxShape(*room.overview), (0.0, 1.0), (0.0, float(max(scene.length, 1))), "", "")
    return (whole, Pane(ROWS, BoxShape(x, y, wide, height), (x, x + wide), shown, "y", ""))


def _grounds(room: Room, theme: Theme) -> Bars:
    """What is picked where nothing else lies: the calls."""
    x, y, _, height = room.lanes[0]
    right = room.lanes[-1][0] + room.lanes[-1][2]
    return Bars(
        name=GROUND,
        x0=np.array([x]),
        x1=np.array([right]),
        y0=np.array([y]),
        y1=np.array([y + height]),
        color=theme.ground,
        item=np.zeros(1, np.int32),
    )


def _lane(
    context: ViewContext, scene: Scene, room: Room, number: int, shown: Part, told: Told | None, viewport: Viewport
) -> Layers:
    box, colors = room.lanes[number], call_colors(str(context.values["map"]), context.theme)
    size = pixels(box, viewport)
    every = (*colors, context.theme.ground)
    found = Layers([context.memo(_picture, scene, number, box, shown, size, every)])
    if told is not None and (mask := highlighted(context, scene, told)).any():  # nothing fades for nothing
        found.append(context.memo(_veil, number, box, with_alpha(context.theme.ground, _VEIL)))
        found.append(context.memo(_alone, scene, number, box, shown, size, every, mask))
    return found


def pixels(box: Box, viewport: Viewport) -> tuple[int, int]:
    """Device pixels of a box."""
    return max(round(box[2] * viewport.scale), 1), max(round(box[3] * viewport.scale), 1)


def painted(
    scene: Scene,
    number: int,
    shown: Part,
    size: tuple[int, int],
    colors: tuple[Color, Color, Color],
    mask: npt.NDArray[np.bool_] | None = None,
) -> Image:
    """uint8[h, w, 4]: the rows of a trace."""
    edges, lane = np.linspace(0.0, float(size[0]), len(scene.icicle) + 1), scene.lanes[number]
    pairs = scene.pairs
    spans = pixel_spans(pairs.caller, pairs.callee, edges[:-1], edges[1:], size[0])
    return paint_sequence(lane.identity, lane.weight, spans, shown, size, colors, mask)


def _picture(
    scene: Scene, number: int, box: Box, shown: Part, size: tuple[int, int], colors: tuple[Color, Color, Color]
) -> Raster:
    image = painted(scene, number, shown, size, colors)
    return Raster(name=f"rows {number}", image=image, box=_edges(box))


def _alone(
    scene: Scene,
    number: int,
    box: Box,
    shown: Part,
    size: tuple[int, int],
    colors: tuple[Color, Color, Color],
    mask: npt.NDArray[np.bool_],
) -> Raster:
    return Raster(name=f"highlight {number}", image=painted(scene, number, shown, size, colors, mask), box=_edges(box))


def _edges(box: Box) -> Box:
    return box[0], box[1], box[0] + box[2], box[1] + box[3]


def _veil(number: int, box: Box, color: Color) -> Bars:
    x, y, width, height = box
    one = np.ones(1)
    return Bars(name=f"veil {number}", x0=one * x, x1=one * (x + width), y0=one * y, y1=one * (y + height), color=color)


def _times(scene: Scene, room: Room, shown: Part, theme: Theme) -> Layers:
    """When the calls of some rows begin, since the start of the first trace."""
    x, y, _, height = room.lanes[0]
    count = max(int(height / _EVERY), 1)
    at = np.arange(count) * _EVERY + 8.0
    rows = np.floor(shown[0] + (shown[1] - shown[0]) * at / height).astype(np.int64)
    trace = scene.columns.prepared[0].trace
    starts, places = list[int](), list[float]()
    for row, place in zip(rows.tolist(), at.tolist(), strict=True):
        call = scene.lanes[0].at(row)
        if call >= 0:
            starts.append(int(scene.columns.prepared[0].sequence.start[call]) - trace.span[0])
            places.append(y + place)
    steps = np.diff(starts)
    steps = steps[steps > 0]
    # Neighbours differ where calls are rows: much may happen in little time.
    step = max(float(steps.min()) if len(steps) else trace.length, trace.length * _FINEST, 1.0)
    texts = [time_text(float(start), step) for start in starts]
    spots = np.array(places)
    return [
        Labels(
            name="times",
            x=np.full(len(spots), x - 10.0),
            y=spots,
            text=tuple(texts),
            color=theme.muted,
            size=10.5,
            anchor="right",
            room=np.full(len(spots), TIMES - 12.0),
        ),
        Segments(
            name="time ticks",
            x0=np.full(len(spots), x - 7.0),
            x1=np.full(len(spots), x - 1.0),
            y0=spots,
            y1=spots,
            color=theme.level,
        ),
    ]


def _overview(context: ViewContext, scene: Scene, room: Room, shown: Part, viewport: Viewport) -> Layers:
    """The whole trace, and a frame around the rows that are shown."""
    colors = (*call_colors(str(context.values["map"]), context.theme), context.theme.plane)
    found = Layers([context.memo(_miniature, scene, room.overview, pixels(room.overview, viewport), colors)])
    x, y, width, height = room.overview
    if shown[0] > 0 or shown[1] < scene.length:
        scale = height / max(scene.length, 1)
        top, bottom = y + shown[0] * scale, max(y + shown[1] * scale, y + shown[0] * scale + 2)
        found.append(
            Bars(
                name="overview veil",
                x0=np.array([x, x]),
                x1=np.array([x + width] * 2),
                y0=np.array([y, bottom]),
                y1=np.array([top, y + height]),
                color=with_alpha(context.theme.ground, 170),
            )
        )
        found.append(frame("overview frame", (x, top, width, bottom - top), context.theme.text, 1.4))
    return found


def _miniature(scene: Scene, box: Box, size: tuple[int, int], colors: tuple[Color, Color, Color]) -> Raster:
    image = painted(scene, 0, (0.0, float(max(scene.length, 1))), size, colors)
    return Raster(name=OVERVIEW, image=image, box=_edges(box), item=np.zeros(image.shape[:2], np.int32))


def frame(name: str, box: Box, color: Color, width: float) -> Segments:
    """Four lines around a box."""
    x0, y0, x1, y1 = _edges(box)
    return Segments(
        name=name,
        x0=np.array([x0, x0, x0, x1]),
        x1=np.array([x1, x1, x0, x1]),
        y0=np.array([y0, y1, y0, y0]),
        y1=np.array([y0, y1, y1, y1]),
        color=with_alpha(color, 255),
        width=width,
    )


def to_y(room: Room, shown: Part, row: float) -> float:
    """Where a row lies, logical pixels; cut off just outside of the rows that are shown."""
    _, y, _, height = room.lanes[0]
    at = (row - shown[0]) / max(shown[1] - shown[0], 1e-9)
    return y + min(max(at, -0.01), 1.01) * height


def _part(context: ViewContext, state: ExtraVisState, scene: Scene, room: Room, shown: Part) -> Layers:
    """What lies outside of the part that is looked at is veiled; its ends are lines (EX-4)."""
    low, high = part_in(context, state, scene)
    if high - low >= scene.length or (context.values["rows"] == "window" and state.shown is None):
        return []
    x, y, _, height = room.lanes[0]
    right = room.lanes[-1][0] + room.lanes[-1][2]
    top, bottom = to_y(room, shown, low), max(to_y(room, shown, high), to_y(room, shown, low) + 1)
    inside = [each for each in (top, bottom) if y <= each <= y + height]
    spots = np.array(inside)
    veil = with_alpha(context.theme.ground, _ASIDE)
    return [
        Bars(
            name="aside",
            x0=np.array([x, x]),
            x1=np.array([right, right]),
            y0=np.array([y, min(max(bottom, y), y + height)]),
            y1=np.array([min(max(top, y), y + height), y + height]),
            color=veil,
        ),
        Segments(
            name="part",
            x0=np.full(len(spots), x - 4.0),
            x1=np.full(len(spots), right + 4.0),
            y0=spots,
            y1=spots,
            color=with_alpha(context.theme.accent, 255),
            width=2.0,
        ),
    ]


def legend_top(viewport: Viewport) -> float:
    """Where the legend begins."""
    return viewport.height - LEGEND
