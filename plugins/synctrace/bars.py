"""The calls of each thread as bars, with stripes at their right ends (ST-3, ST-7)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    BoxShape,
    Cushion,
    Labels,
    Levels,
    Pane,
    Theme,
    TimeBars,
    Trace,
    ViewContext,
    bars_of,
    function_title,
    grid_of,
)

from .arranging import Arrangement, Floats
from .pairs import Known
from .palette import IO, activities, call_colors

_LABEL = 26.0  # logical pixels that a bar needs for its label
_LEGIBLE = 10.0  # logical pixels of a level that has labels
_MOST_LABELS = 400
_SAG = 4.0  # logical pixels by which a straight label may leave its bent bar


def bars_in(context: ViewContext, at: Arrangement, thread: int) -> TimeBars:
    """What is drawn of a thread."""
    return context.memo(_bars, at.trace, at.levels, thread, at.windows[thread], max(at.pixels[thread], 4.0))


def _bars(trace: Trace, levels: Levels, thread: int, window: tuple[float, float], pixels: float) -> TimeBars:
    return bars_of(trace, levels, thread, grid_of(window, pixels))


def bar_layers(context: ViewContext, at: Arrangement, thread: int, known: Known | None) -> tuple[Bars, ...]:
    """The bars of a thread; those that mostly read and write are hatched besides: not all tell red from green."""
    bars = bars_in(context, at, thread)
    return context.memo(_layers, at.trace, at.panes[thread].name, bars, at.tops, known, context.theme)


def _layers(
    trace: Trace, pane: str, bars: TimeBars, tops: Floats, known: Known | None, theme: Theme
) -> tuple[Bars, ...]:
    row = bars.row
    duration = (trace.calls.end[row] - trace.calls.start[row]).astype(np.int64)
    none = np.zeros(len(row), np.int64)
    wait, io = (none, none) if known is None else (known.wait[row], known.io[row])
    top, bottom = tops[bars.depth], tops[bars.depth + 1] - 0.05
    plain = Bars(
        name=f"bars {pane}",
        pane=pane,
        x0=bars.x0,
        x1=bars.x1,
        y0=top,
        y1=bottom,
        color=call_colors(wait, io, duration, theme),
        item=row.astype(np.int32),
        merged=bars.count,
        shade=Cushion(at=-1.0),  # the bright place lies left of all bars: each is dark at its right end
    )
    hatched = np.flatnonzero(activities(wait, io) == IO)
    return (plain, striped(f"io {pane}", plain, hatched)) if len(hatched) else (plain,)


def striped(name: str, plain: Bars, some: npt.NDArray[np.int64]) -> Bars:
    """Some bars of a layer once more, hatched."""
    return Bars(
        name=name,
        pane=plain.pane,
        x0=plain.x0[some],
        x1=plain.x1[some],
        y0=plain.y0[some],
        y1=plain.y1[some],
        color=np.asarray(plain.color)[some],
        shade=plain.shade,
        pattern="diagonal",
        merged=None if plain.merged is None else plain.merged[some],
    )


def label_layer(context: ViewContext, at: Arrangement, thread: int) -> Labels | None:
    """Names of calls where they fit: along the bars, in sectors along the arc, deeper ones with more room (ST-3)."""
    if at.level_height(thread) < _LEGIBLE:
        return None
    bars = bars_in(context, at, thread)
    return context.memo(_labels, at.trace, at.panes[thread], bars, at.tops, at.pixels[thread], context.theme)


def _labels(trace: Trace, pane: Pane, bars: TimeBars, tops: Floats, pixels: float, theme: Theme) -> Labels:
    x0, x1, shape = bars.x0, bars.x1, pane.shape
    y = (tops[bars.depth] + tops[bars.depth + 1]) / 2
    scale = pixels / max(pane.x[1] - pane.x[0], 1e-12)
    middle = (x0 + x1) / 2
    if isinstance(shape, BoxShape):
        room, angle, x = (x1 - x0) * scale - 8, None, x0 + 4 / scale
    else:
        radius = shape.r0 + (y - pane.y[0]) / max(pane.y[1] - pane.y[0], 1e-9) * (shape.r1 - shape.r0)
        room = np.minimum((x1 - x0) * scale * radius / shape.r1 - 4, np.sqrt(8 * _SAG * radius))
        turn = shape.a0 + (middle - pane.x[0]) / max(pane.x[1] - pane.x[0], 1e-12) * (shape.a1 - shape.a0)
        angle, x = turn - math.pi / 2, middle
    which = np.flatnonzero((room > _LABEL) & (tops[bars.depth + 1] - tops[bars.depth] > 0.5))
    if len(which) > _MOST_LABELS:
        which = np.sort(which[np.argsort(-room[which], kind="stable")[:_MOST_LABELS]])
    functions, counts = trace.calls.function[bars.row[which]].tolist(), bars.count[which].tolist()
    texts = tuple(
        f"{count:,} calls" if count > 1 else function_title(trace.functions, function)
        for function, count in zip(functions, counts, strict=True)
    )
    return Labels(
        name=f"labels {pane.name}",
        pane=pane.name,
        x=x[which],
        y=y[which],
        text=texts,
        size=10.5,
        color=theme.text,
        halo=theme.halo,
        room=room[which],
        anchor="left" if angle is None else "center",
        angle=None if angle is None else angle[which],
    )
