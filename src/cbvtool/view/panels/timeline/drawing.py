"""The timeline as a plot: stacked bars, the chosen range, releases, pinned ranges and dates. Without Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import CLASS_COLORS, Theme
from cbvtool.geometry.picture import Color
from cbvtool.history.activity import OTHERS, Activity, bins
from cbvtool.history.time_range import Mark, day
from cbvtool.metrics.history.baseline import Span
from cbvtool.plots.layers import Bars, Labels, Layer, Points, Segments
from cbvtool.plots.panes import BoxShape, Pane
from cbvtool.plots.plot import Plot, Viewport

TIME, DATES = "time", "dates"  # panes
ACTIVITY, RELEASES, PINS = "activity", "releases", "pins"  # layers on which the pointer can pick items
TOP, BOTTOM = 34.0, 18.0  # px above the bars, for releases and pinned ranges, and below, for dates
MARGIN = 10.0  # px at the left and the right: an edge of the range can be taken there
LEGEND, LEGEND_FROM = 168.0, 620.0  # px: width of the legend; least width of a canvas with a legend
ROW = 15.0  # px of a row of the legend
FINEST = 4.0  # px: least width of a bin
PER_DATE, PER_RELEASE = 84.0, 10.0  # px: width of a date; least space between two names of releases
FAR, USUAL = 3.0, 0.98  # a bin higher than FAR times the USUAL quantile is cut off, because it would flatten the others
FADED = 0.22  # opacity of bars outside of the range
_EARLY = re.compile(r"(?:rc|alpha|beta|pre|dev|[ab]\d|m\d)[.\d]*$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class TimelineContent:
    """The content of the timeline.

    activity  in the time that is shown
    unit      of the heights, plural: `commits`
    shown     first and last second that are shown
    limit     first and last second of the history
    releases  tags, by date
    plan      the commit on which the plan was made
    pinned    ranges that the user keeps
    """

    activity: Activity
    unit: str
    shown: Span
    limit: Span
    releases: Sequence[Mark] = ()
    plan: Mark | None = None
    pinned: Sequence[Span] = ()


@dataclass(frozen=True, eq=False)
class Stack:
    """The bars of an activity, kept while only the range moves, so that they need not be filled again.

    top  upper end of the scale; cut: float64[k], middles of the bins that exceed it
    """

    x0: npt.NDArray[np.float64]
    x1: npt.NDArray[np.float64]
    y0: npt.NDArray[np.float64]
    y1: npt.NDArray[np.float64]
    color: npt.NDArray[np.uint8]
    faded: Bars
    top: float
    cut: npt.NDArray[np.float64]


def stack(activity: Activity, theme: Theme) -> Stack:
    """Bars of g groups in b bins, the first group at the bottom; the item is `group * b + bin`."""
    amount = activity.amount
    groups, count = amount.shape
    upper = np.cumsum(amount, axis=0)
    edges = activity.bins.edges.astype(np.float64)
    x0, x1 = np.tile(edges[:-1], groups), np.tile(edges[1:], groups)
    y0, y1 = (upper - amount).ravel(), upper.ravel()
    there = np.flatnonzero(amount.ravel() > 0)
    colors = np.array([group_color(name, row, theme) for row, name in enumerate(activity.groups)], np.uint8)
    color = np.repeat(colors.reshape(-1, 4), count, axis=0)[there]
    pale = color.copy()
    pale[:, 3] = round(255 * FADED)
    x0, x1, y0, y1 = (each[there] for each in (x0, x1, y0, y1))
    item = there.astype(np.int32)
    faded = Bars(name=ACTIVITY, pane=TIME, x0=x0, x1=x1, y0=y0, y1=y1, color=pale, item=item)
    top = _top(activity.total)
    cut = np.flatnonzero(activity.total > top)
    return Stack(x0, x1, y0, y1, color, faded, top, (edges[cut] + edges[cut + 1]) / 2)


def group_color(name: str, row: int, theme: Theme) -> Color:
    """The colour of a group by its place, grey for all others."""
    return theme.other if name == OTHERS or row >= len(CLASS_COLORS) else CLASS_COLORS[row]


@dataclass(frozen=True, eq=False)
class Fixed:
    """The layers that do not change while the range moves, so that they need not be filled or laid out again."""

    panes: tuple[Pane, ...]
    bars: Stack
    above: tuple[Layer, ...]


def fixed(content: TimelineContent, theme: Theme, viewport: Viewport) -> Fixed:
    """Everything except the chosen range, for a viewport."""
    wide = plot_width(viewport)
    tall = max(viewport.height - TOP - BOTTOM, 10.0)
    x = (float(content.shown[0]), float(max(content.shown[1], content.shown[0] + 1)))
    limit = (float(content.limit[0]), float(max(content.limit[1], content.limit[0] + 1)))
    bars = stack(content.activity, theme)
    pane = Pane(TIME, BoxShape(MARGIN, TOP, wide, tall), x, (bars.top, 0.0), zoom="x", pan="", limit=limit)
    dates = Pane(DATES, BoxShape(MARGIN, TOP + tall, wide, BOTTOM), x, (0.0, 1.0), zoom="x", pan="x", limit=limit)
    above = (
        *_cut(bars, theme),
        *_scale(content, bars, theme, wide, tall),
        *_dates(x, wide, TOP + tall, theme),
        *_pinned(content, pane, theme),
        *_releases(content, pane, theme, viewport),
        *(_legend(content, theme, viewport) if viewport.width >= LEGEND_FROM else ()),
    )
    return Fixed((pane, dates), bars, above)


def timeline_plot(fixed: Fixed, span: Span, words: str, theme: Theme, viewport: Viewport) -> Plot:
    """The whole plot with the range `span`, and a text about it."""
    said = _said(span, words, fixed.panes[0], theme, viewport)
    layers = (fixed.bars.faded, *_range(span, fixed.bars, theme), *fixed.above, said)
    return Plot(fixed.panes, layers, (RELEASES, PINS, ACTIVITY))


def plot_width(viewport: Viewport) -> float:
    """Logical pixels for the time axis."""
    legend = LEGEND if viewport.width >= LEGEND_FROM else 0.0
    return max(viewport.width - 2 * MARGIN - legend, 10.0)


def pixel_of(time: float, shown: tuple[float, float], wide: float) -> float:
    """Position of a second, in logical pixels."""
    return MARGIN + (time - shown[0]) / max(shown[1] - shown[0], 1) * wide


def is_early(name: str) -> bool:
    """Whether a tag's name is that of a pre-release: `v2.0-rc1`."""
    return _EARLY.search(name) is not None


def _top(total: npt.NDArray[np.float64]) -> float:
    """Upper end of the scale: the highest bin, unless few bins are far above all others."""
    busy = total[total > 0]
    if not len(busy):
        return 1.0
    high, usual = float(busy.max()), float(np.quantile(busy, USUAL))
    return (high if high <= FAR * usual else 1.5 * usual) * 1.04


def _range(span: Span, bars: Stack, theme: Theme) -> tuple[Layer, ...]:
    """The chosen range: tinted ground, bars in full colours, and two edges that can be dragged."""
    first, last = float(span[0]), float(span[1]) + 1.0
    inside = (bars.x1 > first) & (bars.x0 < last)
    ends = np.array([first, last])
    tint = (*theme.accent[:3], 30)
    one = partial(np.full, 1)
    ground = Bars(name="range", pane=TIME, x0=one(first), x1=one(last), y0=one(0.0), y1=one(bars.top), color=tint)
    full = Bars(
        name="inside",
        pane=TIME,
        x0=np.maximum(bars.x0[inside], first),
        x1=np.minimum(bars.x1[inside], last),
        y0=bars.y0[inside],
        y1=bars.y1[inside],
        color=bars.color[inside],
    )
    top = np.full(2, bars.top)
    edges = Segments(name="edges", pane=TIME, x0=ends, y0=0 * top, x1=ends, y1=top, color=theme.accent, width=2.0)
    grips = Points(name="grips", pane=TIME, x=ends, y=top / 2, color=theme.accent, size=9.0, shape="square")
    return ground, full, edges, grips


def _said(span: Span, words: str, pane: Pane, theme: Theme, viewport: Viewport) -> Layer:
    """A text about the content of the range, over its middle."""
    shape = pane.shape
    assert isinstance(shape, BoxShape)
    low, high = MARGIN, MARGIN + shape.width
    left, right = (min(max(pixel_of(end, pane.x, shape.width), low), high) for end in span)
    half = viewport.measure(words, 11.5, True) / 2 + 3
    x = min(max((left + right) / 2, low + half), max(high - half, low + half))
    return Labels(
        name="said",
        x=np.array([x]),
        y=np.array([TOP + 9]),
        text=(words,),
        color=theme.text,
        size=11.5,
        anchor="center",
        bold=True,
        halo=theme.halo,
    )


def _cut(bars: Stack, theme: Theme) -> tuple[Layer, ...]:
    """A triangle on each bar that exceeds the scale."""
    y = np.full(len(bars.cut), bars.top * 0.96)
    marks = Points(name="cut", pane=TIME, x=bars.cut, y=y, color=theme.text, size=6.0, shape="triangle")
    return (marks,) if len(bars.cut) else ()


def _scale(content: TimelineContent, bars: Stack, theme: Theme, wide: float, tall: float) -> tuple[Layer, ...]:
    """One line with its value, by which heights of bars can be read."""
    value = round_below(bars.top * 0.95)
    if value <= 0 or tall < 30:
        return ()
    at = np.array([TOP + tall * (1 - value / bars.top)])
    left = np.array([MARGIN])
    line = _lines("level", left, left + wide, at, at + 1, theme.level)
    words = f"{value:,.0f} {content.unit} a {content.activity.bins.width}"
    label = Labels(name="amount", x=left + 3, y=at + 8, text=(words,), color=theme.muted, size=11.0, halo=theme.halo)
    return line, label


def _lines(
    name: str,
    x0: npt.NDArray[np.float64],
    x1: npt.NDArray[np.float64],
    y0: npt.NDArray[np.float64],
    y1: npt.NDArray[np.float64],
    color: Color,
) -> Bars:
    """Straight lines on the canvas, as bars: hundreds of them are filled at once."""
    return Bars(name=name, x0=np.round(x0), x1=np.round(x1), y0=np.round(y0), y1=np.round(y1), color=color)


def round_below(value: float) -> float:
    """The largest number of the form 1, 2 or 5 times a power of ten that is at most `value`; 0 below 1."""
    if value < 1:
        return 0.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(step * power for step in (1, 2, 5) if step * power <= value))


def _dates(shown: tuple[float, float], wide: float, top: float, theme: Theme) -> tuple[Layer, ...]:
    marks = bins(int(shown[0]), int(shown[1]), max(int(wide / PER_DATE), 1))
    edge = marks.edges.astype(np.float64)
    edge = edge[(edge >= shown[0]) & (edge <= shown[1])]
    x = (edge - shown[0]) / (shown[1] - shown[0]) * wide
    room = x < wide - 30
    text = [date_words(int(time), marks.width) for time in edge[room].tolist()]
    x = x + MARGIN
    low, edge = np.full(len(x), top), np.array([MARGIN])
    ticks = _lines("ticks", x, x + 1, low, low + 4, theme.muted)
    ground = _lines("ground", edge, edge + wide, np.array([top]), np.array([top + 1]), theme.line)
    labels = Labels(
        name="dates", x=x[room] + 3, y=np.full(len(text), top + 10), text=text, color=theme.muted, size=11.0
    )
    return ground, ticks, labels


def date_words(time: int, width: str) -> str:
    """The begin of a bin, as precise as its width requires."""
    text = day(time)
    if width in ("month", "quarter"):
        return text[:7]
    if width in ("day", "week"):
        return text
    if width in ("hour", "6 hours"):
        return f"{text[5:]} {time // 3600 % 24:02}:00"
    return text[:4]


def bin_words(activity: Activity, bin_: int) -> str:
    """A bin for people: `2024-05`, or from when to when it goes."""
    first, last = int(activity.bins.edges[bin_]), int(activity.bins.edges[bin_ + 1]) - 1
    width = activity.bins.width
    if width in ("month", "year", "day", "hour"):
        return date_words(first, width)
    return f"{day(first)} to {day(last)}"


def _pinned(content: TimelineContent, pane: Pane, theme: Theme) -> tuple[Layer, ...]:
    """The pinned ranges, as brackets over the bars."""
    shape = pane.shape
    assert isinstance(shape, BoxShape)
    if not content.pinned:
        return ()
    x = [[pixel_of(end, pane.x, shape.width) for end in span] for span in content.pinned]
    x0 = np.clip(np.array([pair[0] for pair in x]), MARGIN, MARGIN + shape.width)
    x1 = np.maximum(np.clip(np.array([pair[1] for pair in x]), MARGIN, MARGIN + shape.width), x0 + 2)
    y = np.full(len(x), TOP - 14.0)
    item = np.arange(len(x), dtype=np.int32)
    tint = (*theme.accent[:3], 90)
    bars = Bars(name=PINS, x0=x0, x1=x1, y0=y, y1=y + 11, color=tint, item=item)
    names = [chr(ord("A") + row) for row in range(len(x))]
    labels = Labels(
        name="pin names", x=(x0 + x1) / 2, y=y + 5.5, text=names, color=theme.text, size=10.0, anchor="center"
    )
    return bars, labels


def _releases(content: TimelineContent, pane: Pane, theme: Theme, viewport: Viewport) -> tuple[Layer, ...]:
    """Tags as ticks, and as many names as there is room for: releases before release candidates, new before old."""
    shape = pane.shape
    assert isinstance(shape, BoxShape)
    marks = [*content.releases, *([content.plan] if content.plan is not None else [])]
    x = np.array([pixel_of(mark.time, pane.x, shape.width) for mark in marks])
    seen = np.flatnonzero((x >= MARGIN) & (x <= MARGIN + shape.width)) if len(x) else np.zeros(0, np.int64)
    plan = len(marks) - 1 if content.plan is not None else -1
    order = sorted(seen.tolist(), key=lambda row: (row != plan, is_early(marks[row].name), _parts(marks[row]), -row))
    named = list[int]()
    taken = list[tuple[float, float]]()
    for row in order:
        half = viewport.measure(marks[row].name, 10.5, False) / 2
        left = min(max(x[row] - half, 2.0), max(shape.width + 2 * MARGIN - 2 * half - 2, 2.0))
        room = (left - PER_RELEASE, left + 2 * half + PER_RELEASE)
        if all(room[1] <= other[0] or room[0] >= other[1] for other in taken):
            taken.append((left, left + 2 * half))
            named.append(row)
        if len(named) * 40 > shape.width:
            break
    if not named:
        return ()
    ticks = seen[[not is_early(marks[row].name) for row in seen.tolist()]] if len(seen) > shape.width / 6 else seen
    low = TOP + shape.height
    at, top = x[named], np.full(len(named), 18.0)
    lines = _lines("release lines", at, at + 1, top, np.full(len(named), low), (*theme.muted[:3], 70))
    small = np.full(len(ticks), TOP)
    tick = _lines("release ticks", x[ticks], x[ticks] + 1, small - 4, small, theme.muted)
    labels = Labels(
        name=RELEASES,
        x=np.array([place[0] for place in taken]),
        y=np.full(len(named), 9.0),
        text=[marks[row].name for row in named],
        color=np.array([theme.accent if row == plan else theme.text for row in named], np.uint8),
        size=10.5,
        item=np.array(named, np.int32),
    )
    return lines, tick, labels


def _parts(mark: Mark) -> int:
    """How many numbers a version has: `v2.0` ranks above `v2.0.1`."""
    return len(re.findall(r"\d+", mark.name)) or 9


def _legend(content: TimelineContent, theme: Theme, viewport: Viewport) -> tuple[Layer, ...]:
    """The groups, in the order of the stack from its top."""
    names = content.activity.groups
    rows = min(len(names), max(int((viewport.height - 6) / ROW), 1))
    left = viewport.width - LEGEND + 14
    order = list(range(rows))[::-1]
    y = 10.0 + ROW * np.arange(rows)
    x0 = np.full(rows, left)
    color = np.array([group_color(names[row], row, theme) for row in order], np.uint8).reshape(-1, 4)
    boxes = Bars(name="legend", x0=x0, x1=x0 + 9, y0=y - 4.5, y1=y + 4.5, color=color)
    labels = Labels(
        name="legend names",
        x=x0 + 15,
        y=y,
        text=[names[row] for row in order],
        color=theme.text,
        size=11.0,
        room=np.full(rows, LEGEND - 34),
    )
    return boxes, labels
