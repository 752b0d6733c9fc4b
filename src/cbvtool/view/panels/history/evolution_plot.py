"""The lines of an evolution: a figure of some nodes over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cbvtool.evolution.evolution import Evolution
from cbvtool.evolution.figures import FIGURES
from cbvtool.geometry.colors import CLASS_COLORS, Theme
from cbvtool.metrics.history.last_change import day
from cbvtool.plots.layers import Bars, Labels, Layer, Points, Segments
from cbvtool.plots.panes import BoxShape, Pane
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.words import one_line

VALUES = "values"  # the layer that is picked: item = place of the node * commits + commit
MOST_LINES = len(CLASS_COLORS)
_LEFT, _TOP, _BOTTOM, _NAMES = 58.0, 14.0, 22.0, 170.0  # px
_NAMES_FROM = 420.0  # px: a canvas so wide has the names beside its lines
_PER_DATE = 84.0


def evolution_plot(found: Evolution, figure: str, keys: Sequence[int], theme: Theme, viewport: Viewport) -> Plot:
    """A line for each of the `keys` (of the evolution), from 0 to the highest value; a dot is a commit."""
    names = _NAMES if viewport.width >= _NAMES_FROM else 10.0
    wide, tall = max(viewport.width - _LEFT - names, 20.0), max(viewport.height - _TOP - _BOTTOM, 20.0)
    time = np.array([commit.time for commit in found.commits], np.float64)
    x = (float(time[0]), float(max(time[-1], time[0] + 1)))
    series = [found.series(figure, key).astype(np.float64) for key in keys]
    top = max((float(np.nanmax(one)) for one in series if not np.isnan(one).all()), default=0.0) or 1.0
    free = 5 * (x[1] - x[0]) / wide  # the first and the last dot are seen whole
    x = x[0] - free, x[1] + free
    pane = Pane("plot", BoxShape(_LEFT, _TOP, wide, tall), x, (top * 1.04, 0.0))
    layers: list[Layer] = [*_scale(figure, top, wide, tall, theme), *_dates(x, wide, tall, theme, viewport)]
    ends = list[tuple[float, int]]()
    for place, values in enumerate(series):
        color = CLASS_COLORS[place % len(CLASS_COLORS)]
        there = np.flatnonzero(~np.isnan(values))
        if not len(there):
            continue
        a, b = there[:-1], there[1:]
        kept = b == a + 1  # no line over a time in which it was not there
        a, b = a[kept], b[kept]
        name = f"line {place}"
        layers.append(
            Segments(name=name, pane="plot", x0=time[a], y0=values[a], x1=time[b], y1=values[b], color=color, width=2.0)
        )
        ends.append((_TOP + tall * (1 - values[there[-1]] / (top * 1.04)), place))
    every = [(place, at) for place, one in enumerate(series) for at in np.flatnonzero(~np.isnan(one)).tolist()]
    if every:
        colors = np.array([CLASS_COLORS[place % len(CLASS_COLORS)] for place, _ in every], np.uint8)
        dots = Points(
            name=VALUES,
            pane="plot",
            x=np.array([time[at] for _, at in every]),
            y=np.array([series[place][at] for place, at in every]),
            color=colors,
            size=6.0,
            item=np.array([place * len(time) + at for place, at in every], np.int32),
        )
        layers.append(dots)
    if names > 10:
        layers += _names(found, keys, ends, wide, tall, theme)
    return Plot((pane,), tuple(layers), (VALUES,))


def words(found: Evolution, figure: str, keys: Sequence[int], item: int) -> tuple[str, ...]:
    """The tooltip of a dot."""
    place, row = divmod(item, len(found.commits))
    if place >= len(keys):
        return ()
    commit, key = found.commits[row], keys[place]
    value = float(found.values[figure][row, key])
    return (
        f"{one_line(_name(found, key))}: {value:,.0f}",
        FIGURES[figure],
        f"{day(commit.time)}, commit {commit.sha[:8]}",
    )


def _name(found: Evolution, key: int) -> str:
    return found.graph.ids[key] or found.graph.name


def _scale(figure: str, top: float, wide: float, tall: float, theme: Theme) -> list[Layer]:
    marks = np.array([0.0, top / 2, top] if top >= 2 else [0.0, top])  # what is counted has no half
    y = _TOP + tall * (1 - marks / (top * 1.04))
    left = np.full(len(marks), _LEFT)
    lines = Bars(name="levels", x0=left, x1=left + wide, y0=np.round(y), y1=np.round(y) + 1, color=theme.line)
    text = [f"{mark:,.0f}" for mark in marks.tolist()]
    labels = Labels(name="level names", x=left - 6, y=y, text=text, color=theme.muted, size=11.0, anchor="right")
    return [lines, labels]


def _dates(x: tuple[float, float], wide: float, tall: float, theme: Theme, viewport: Viewport) -> list[Layer]:
    count = max(min(int(wide / _PER_DATE), 8), 2)
    at = np.linspace(0, 1, count)
    text = [day(x[0] + (x[1] - x[0]) * float(share)) for share in at]
    half = viewport.measure(text[0], 11.0, False) / 2
    place = np.clip(_LEFT + at * wide, _LEFT + half - 20, _LEFT + wide - half + 20)
    y = np.full(count, _TOP + tall + 12)
    return [Labels(name="dates", x=place, y=y, text=text, color=theme.muted, size=11.0, anchor="center")]


def _names(
    found: Evolution, keys: Sequence[int], ends: Sequence[tuple[float, int]], wide: float, tall: float, theme: Theme
) -> list[Layer]:
    """The names beside the ends of the lines, moved apart where they would overlap."""
    y, below, row = list[float](), -1e9, sorted(ends)
    for end, _ in row:
        below = max(end, below + 14.0)
        y.append(below)
    if not row:
        return []
    for at in range(len(y) - 1, -1, -1):  # none below the plot
        y[at] = min(y[at], _TOP + tall - 14.0 * (len(y) - 1 - at))
    x = np.full(len(row), _LEFT + wide + 8)
    color = np.array([CLASS_COLORS[place % len(CLASS_COLORS)] for _, place in row], np.uint8)
    boxes = Bars(name="marks", x0=x, x1=x + 8, y0=np.array(y) - 4, y1=np.array(y) + 4, color=color)
    text = [one_line(_name(found, keys[place])) for _, place in row]
    room = np.full(len(row), _NAMES - 30)
    return [boxes, Labels(name="names", x=x + 13, y=np.array(y), text=text, color=theme.text, size=11.0, room=room)]
