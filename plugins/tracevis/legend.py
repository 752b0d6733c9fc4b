"""What the colours of calls mean: a line at the bottom."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Bars, Labels, Theme, Trace, ViewContext, Viewport, WindowFigures, duration, function_title

from .palette import Colors, function_colors, value_colors
from .shown import LEGEND

_MOST = 24
_SAMPLE = 100_000  # calls
_STEPS = 48  # of a scale
_SCALE = 160.0  # logical pixels of it
_SQUARE, _APART = 11.0, 14.0


def legend_layers(context: ViewContext, viewport: Viewport) -> tuple[Bars | Labels, ...]:
    """Functions or modules with the most own time first, as many as there is room for; else a scale."""
    by, theme, top = str(context.values["color"]), context.theme, viewport.top + viewport.height - LEGEND
    ground = Bars(
        name="legend ground",
        x0=np.zeros(1),
        x1=np.array([viewport.width]),
        y0=np.array([top]),
        y1=np.array([top + LEGEND]),
        color=theme.plane,
    )
    trace = context.trace()
    if by in {"duration", "depth"}:
        deepest = int(context.memo(_deepest, trace))
        ends = ("0", duration(int(trace.length))) if by == "duration" else ("outermost", f"depth {deepest}")
        return (ground, *_scale(ends, top, theme))
    found: WindowFigures | None = context.found.get("figures")
    names, colors = context.memo(_classes, trace, by, theme, found)
    return (ground, *_squares(names, colors, top, viewport, theme))


def _deepest(trace: Trace) -> int:
    return int(trace.calls.depth.max(initial=0))


def _classes(trace: Trace, by: str, theme: Theme, found: WindowFigures | None) -> tuple[tuple[str, ...], Colors]:
    """Names and colours, most own time in the window first; by some of its calls while that is not known."""
    every = function_colors(trace, by, theme)
    f = len(trace.functions)
    some = trace.calls.function[:: len(trace.calls) // _SAMPLE + 1]
    weight = np.bincount(some, minlength=f) if found is None else found.flat.own
    order = np.argsort(-weight, kind="stable")
    order = order[weight[order] > 0]
    if by == "function":
        rows = order[:_MOST].tolist()
        return tuple(function_title(trace.functions, row) for row in rows), every[rows]
    first, total = dict[str, int](), dict[str, int]()
    for row in order.tolist():
        module = trace.functions.module[row]
        first.setdefault(module, row)
        total[module] = total.get(module, 0) + int(weight[row])
    modules = sorted(total, key=lambda module: -total[module])[:_MOST]
    return tuple(module or "no module" for module in modules), every[[first[module] for module in modules]]


def _squares(
    names: tuple[str, ...], colors: Colors, top: float, viewport: Viewport, theme: Theme
) -> tuple[Bars | Labels, ...]:
    x, at = list[float](), 8.0
    for name in names:
        wide = _SQUARE + 5 + viewport.measure(name, 11.0, False) + _APART
        if at + wide > viewport.width:
            break
        x.append(at)
        at += wide
    if not x:
        return ()
    left, middle = np.array(x), np.full(len(x), top + LEGEND / 2)
    return (
        Bars(
            name="legend",
            x0=left,
            x1=left + _SQUARE,
            y0=middle - _SQUARE / 2,
            y1=middle + _SQUARE / 2,
            color=colors[: len(x)],
        ),
        Labels(name="legend names", x=left + _SQUARE + 5, y=middle, text=names[: len(x)], color=theme.text, size=11.0),
    )


def _scale(ends: tuple[str, str], top: float, theme: Theme) -> tuple[Bars | Labels, ...]:
    """From the least to the most; of durations the scale is logarithmic."""
    share = np.arange(_STEPS) / (_STEPS - 1)
    x = 70.0 + np.arange(_STEPS) * (_SCALE / _STEPS)
    y = np.full(_STEPS, top + LEGEND / 2)
    both = np.array([64.0, 70.0 + _SCALE + 6])
    return (
        Bars(
            name="legend",
            x0=x,
            x1=x + _SCALE / _STEPS,
            y0=y - _SQUARE / 2,
            y1=y + _SQUARE / 2,
            color=value_colors(share, theme),
        ),
        Labels(name="legend least", x=both[:1], y=y[:1], text=ends[:1], color=theme.text, size=11.0, anchor="right"),
        Labels(name="legend most", x=both[1:], y=y[:1], text=ends[1:], color=theme.text, size=11.0),
    )
