"""Merged calls (left-heavy): the stacks of a part of the trace without time, the heaviest to the left."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_FUNCTION,
    Bars,
    BoxShape,
    Labels,
    MergedCalls,
    Pane,
    Plot,
    Theme,
    Trace,
    ViewContext,
    Viewport,
    duration,
    function_title,
)

from .about import part_of
from .legend import legend_layers
from .palette import Colors, function_colors, mixed, value_colors
from .shown import LEGEND
from .state import TraceVisState, Window

_HEAD = 26.0  # logical pixels of the title
_LABEL = 26.0  # that a box needs for its label
_MOST_LABELS = 1500


def draw_merged(context: ViewContext, state: TraceVisState, viewport: Viewport) -> Plot:
    """Boxes of stacks, as wide as their time."""
    theme, found = context.theme, context.found.get("merged")
    if found is None or not len(found.x0):
        say = "Merging the calls …" if found is None else "No call lies here."
        return Plot((), (_text("empty", viewport.width / 2, viewport.height / 2, say, theme, "center"),))
    row, whole = float(context.values["height"]), (0.0, found.width)
    seen = _seen(state, whole)
    by = str(context.values["color"])
    bars, boxes = context.memo(_boxes, context.trace(), found, seen, viewport.width, row, by, theme)
    height = _HEAD + row * (int(found.depth.max(initial=0)) + 1) + LEGEND
    first = min(viewport.top + _HEAD, height)
    room = max(viewport.height - _HEAD - LEGEND, 1.0)
    pane = Pane(
        "merged", BoxShape(0.0, first, viewport.width, room), seen, (viewport.top, viewport.top + room), limit=whole
    )
    labels = context.memo(_labels, context.trace(), found, boxes, seen, viewport.width, row, theme)
    calls = int(found.count[found.parent < 0].sum())
    title = (
        f"Merged calls of {part_of(context, state).title}: {duration(int(found.width))} in {calls:,} outermost calls"
    )
    head = _text("title", 8.0, viewport.top + _HEAD / 2, title, theme, "left")
    marked = _marked(found, boxes, context.focus.function, row, theme)
    return Plot((pane,), (bars, *marked, labels, head, *legend_layers(context, viewport)), height=height)


def _text(name: str, x: float, y: float, text: str, theme: Theme, anchor: str) -> Labels:
    return Labels(
        name=name, x=np.array([x]), y=np.array([y]), text=(text,), color=theme.text, size=12.0, anchor=anchor, bold=True
    )


def _seen(state: TraceVisState, whole: Window) -> Window:
    if state.merged_x is None:
        return whole
    low = min(max(state.merged_x[0], 0.0), whole[1])
    high = min(max(state.merged_x[1], low), whole[1])
    return (low, high) if high > low else whole


def _boxes(
    trace: Trace, found: MergedCalls, seen: Window, width: float, row: float, by: str, theme: Theme
) -> tuple[Bars, npt.NDArray[np.int64]]:
    """The boxes at least half a pixel wide, and which they are."""
    least = (seen[1] - seen[0]) / max(width, 1.0) / 2
    which = np.flatnonzero((found.x1 - found.x0 >= least) & (found.x0 < seen[1]) & (found.x1 > seen[0]))
    y = found.depth[which] * row
    return Bars(
        name="merged",
        pane="merged",
        x0=found.x0[which],
        x1=found.x1[which],
        y0=y,
        y1=y + max(row - 1, row * 0.8),
        color=_colors(trace, found, which, by, theme),
        item=which.astype(np.int32),
    ), which


def _colors(trace: Trace, found: MergedCalls, which: npt.NDArray[np.int64], by: str, theme: Theme) -> Colors:
    if by == "duration":
        share = np.log1p(found.x1[which] - found.x0[which]) / np.log1p(found.width)
        return value_colors(share, theme)
    if by == "depth":
        return value_colors(found.depth[which] / max(int(found.depth.max()), 1), theme)
    return mixed(function_colors(trace, by, theme)[found.function[which]], theme.ground, 0.0)


def _labels(
    trace: Trace, found: MergedCalls, boxes: npt.NDArray[np.int64], seen: Window, width: float, row: float, theme: Theme
) -> Labels:
    scale = width / (seen[1] - seen[0])
    left = np.maximum(found.x0[boxes], seen[0])
    room = (np.minimum(found.x1[boxes], seen[1]) - left) * scale - 8
    fits = np.flatnonzero((room > _LABEL) & (row > 9))
    if len(fits) > _MOST_LABELS:
        fits = np.sort(fits[np.argsort(-room[fits], kind="stable")[:_MOST_LABELS]])
    rows = boxes[fits]
    names = tuple(function_title(trace.functions, function) for function in found.function[rows].tolist())
    return Labels(
        name="merged names",
        pane="merged",
        x=left[fits] + 4 / scale,
        y=(found.depth[rows] + 0.5) * row,
        text=names,
        color=theme.text,
        size=11.0,
        room=room[fits],
    )


def _marked(
    found: MergedCalls, boxes: npt.NDArray[np.int64], function: int, row: float, theme: Theme
) -> tuple[Bars, ...]:
    """The boxes of the chosen function, framed."""
    rows = boxes[found.function[boxes] == function] if function != NO_FUNCTION else boxes[:0]
    if not len(rows):
        return ()
    y = found.depth[rows] * row
    return (
        Bars(
            name="marked",
            pane="merged",
            x0=found.x0[rows],
            x1=found.x1[rows],
            y0=y,
            y1=y + max(row - 1, row * 0.8),
            color=(*theme.accent[:3], 40),
            outline=theme.accent,
        ),
    )


def tell_merged(context: ViewContext, box: int) -> tuple[str, ...]:
    """On the calls of a box."""
    found: MergedCalls | None = context.found.get("merged")
    if found is None or not 0 <= box < len(found.x0):
        return ()
    functions, function = context.trace().functions, int(found.function[box])
    long, count = float(found.x1[box] - found.x0[box]), int(found.count[box])
    return (
        function_title(functions, function),
        *([functions.module[function]] if functions.module[function] else []),
        f"{duration(int(long))} in {count:,} calls, {100 * long / found.width:.1f} % of all",
        f"{duration(int(found.own[box]))} without the calls below, {duration(int(long / max(count, 1)))} a call",
    )
