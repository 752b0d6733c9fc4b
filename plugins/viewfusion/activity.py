"""The calls of the thread, drawn over the code: all of them, and on top those in focus (VF-1, TV-6, TV-8)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_CALL,
    NO_FUNCTION,
    Bars,
    BoxShape,
    Cushion,
    Labels,
    Pane,
    Segments,
    Theme,
    TimeGrid,
    ViewContext,
    frames_around,
    function_title,
    standing_for,
    tick_times,
    time_ruler,
    time_text,
)

from .coloring import Linked
from .focus import Focused, selected_cells
from .palette import Colors
from .scene import RULER, Scene
from .state import ViewFusionState

PANE, BARS, FOCUS = "calls", "bars", "focus"
_LABEL = 30.0  # logical pixels that a bar needs for its label
_LEGIBLE = 11.0  # logical pixels of a level that has labels
_MOST_LABELS = 1200
Layers = list[Bars | Labels | Segments]


def pane_of(scene: Scene) -> Pane:
    """Time to the right; y in pixels. It can be panned until nothing of the code is covered."""
    whole = scene.prepared.trace.length
    x, y, width, height = scene.box
    grid = scene.grid
    return Pane(
        PANE,
        BoxShape(x, y, width, height),
        (grid.left, grid.right),
        (0.0, height),
        limit=(-whole, 2 * whole),
        home=(0.0, whole),
    )


def activity_layers(
    context: ViewContext, state: ViewFusionState, scene: Scene, focus: Focused, colors: Linked
) -> Layers:
    """All bars, then those in focus with cushions, then frames."""
    memo, theme = context.memo, context.theme
    found = Layers([memo(_bars, scene, colors.base)])
    legible = scene.tops[1] - scene.tops[0] >= _LEGIBLE
    if colors.focus is None:
        found += [memo(_labels, scene, None, theme)] if legible else []
    else:
        which = np.flatnonzero(focus.rows != NO_CALL)
        found.append(_focused(scene, which, colors.focus, focus))
        found += [_labels(scene, which, theme)] if legible else []
    return found + _framed(context, state, scene)


def _bars(scene: Scene, colors: Colors) -> Bars:
    bars, top, bottom = scene.bars, *_levels(scene)
    return Bars(
        name=BARS,
        pane=PANE,
        x0=bars.x0,
        x1=bars.x1,
        y0=top,
        y1=bottom,
        color=colors,
        item=bars.row.astype(np.int32),
        merged=bars.count,
    )


def _levels(scene: Scene) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    top, bottom = scene.tops[scene.bars.depth], scene.tops[scene.bars.depth + 1].copy()
    bottom -= bottom - top > 4  # a hairline to the next level
    return top, bottom


def _focused(scene: Scene, which: npt.NDArray[np.int64], colors: Colors, focus: Focused) -> Bars:
    bars = scene.bars.take(which)
    top, bottom = (each[which] for each in _levels(scene))
    return Bars(
        name=FOCUS,
        pane=PANE,
        x0=bars.x0,
        x1=bars.x1,
        y0=top,
        y1=bottom,
        color=colors[which],
        item=bars.row.astype(np.int32),
        merged=bars.count,
        shade=Cushion(at=focus.at),
    )


def _labels(scene: Scene, some: npt.NDArray[np.int64] | None, theme: Theme) -> Labels:
    bars = scene.bars if some is None else scene.bars.take(some)
    top, bottom = _levels(scene)
    middle = (top + bottom) / 2 if some is None else ((top + bottom) / 2)[some]
    trace, scale = scene.prepared.trace, scene.box[2] / (scene.grid.right - scene.grid.left)
    room = (bars.x1 - bars.x0) * scale - 8
    which = np.flatnonzero(room > _LABEL - 8)
    if len(which) > _MOST_LABELS:
        which = np.sort(which[np.argsort(-room[which], kind="stable")[:_MOST_LABELS]])
    function = trace.calls.function[bars.row[which]]
    texts = tuple(
        f"{count:,} calls" if count > 1 else function_title(trace.functions, number)
        for number, count in zip(function.tolist(), bars.count[which].tolist(), strict=True)
    )
    return Labels(
        name="labels" if some is None else "focus labels",
        pane=PANE,
        x=bars.x0[which] + 4 / scale,
        y=middle[which],
        text=texts,
        size=11.0,
        room=room[which],
        color=theme.text,
        halo=theme.halo,
    )


def _framed(context: ViewContext, state: ViewFusionState, scene: Scene) -> Layers:
    """Around the selected call, and calls of what is selected here or in the picture of the code."""
    theme, prepared, bars = context.theme, scene.prepared, scene.bars
    marked = context.memo(_selected_bars, scene, selected_cells(context, scene), context.focus.function)
    found = Layers()
    if len(marked):
        found.append(_frames("calls of the selection", scene, marked, theme.accent))
    row = prepared.here(state.selected)
    if row != NO_CALL:
        chosen = np.flatnonzero((bars.row == row) & (bars.count == 1))
        if len(chosen):
            found.append(_frames("selected call", scene, chosen, theme.text))
    return found


def _selected_bars(scene: Scene, cells: tuple[int, ...], function: int) -> npt.NDArray[np.int64]:
    """Bars of calls of the selected function and of functions in selected cells."""
    prepared = scene.prepared
    if not cells and function == NO_FUNCTION:
        return np.empty(0, np.int64)
    marked = np.zeros(len(prepared.cell), np.bool_)
    if cells:
        marked = np.where(prepared.cell >= 0, prepared.tree.below(np.array(cells))[prepared.cell], False)
    if function != NO_FUNCTION:
        marked[function] = True
    rows = standing_for(prepared.trace, prepared.levels, prepared.thread, scene.bars, marked)
    return np.flatnonzero(rows != NO_CALL)


def _frames(name: str, scene: Scene, which: npt.NDArray[np.int64], color: tuple[int, int, int, int]) -> Segments:
    bars = scene.bars.take(which)
    top, bottom = (each[which] for each in _levels(scene))
    return frames_around(name, bars.x0, bars.x1, top, bottom, (*color[:3], 255), pane=PANE)


def ruler_layers(context: ViewContext, state: ViewFusionState, scene: Scene) -> Layers:
    """Times above, and which of the two the pointer brushes."""
    found = Layers(context.memo(_ticks, scene.grid, scene.box[2], context.theme))
    width, theme = scene.box[2], context.theme
    if state.hover is not None and not state.code:
        step = (scene.window[1] - scene.window[0]) / max(width, 1.0)
        place = np.array([(state.hover[0] - scene.grid.left) * width / (scene.grid.right - scene.grid.left)])
        if 0.0 <= place[0] <= width:
            found.append(
                Labels(
                    name="pointer time",
                    x=place,
                    y=np.array([RULER / 2]),
                    text=(time_text(state.hover[0], step),),
                    color=theme.text,
                    size=11.0,
                    anchor="center",
                    bold=True,
                    halo=(*theme.ground[:3], 255),
                )
            )
    return found


def _ticks(grid: TimeGrid, width: float, theme: Theme) -> tuple[Bars | Labels | Segments, ...]:
    return time_ruler(grid, tick_times(grid, width), width, 0.0, RULER, theme)
