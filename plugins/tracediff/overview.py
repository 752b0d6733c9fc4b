"""The overview: both threads whole, with bars for where they are alike, and the focus area of each (TD-4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    BoxShape,
    Labels,
    Levels,
    Pane,
    Plot,
    Segments,
    Theme,
    Trace,
    ViewContext,
    Viewport,
    bars_of,
    grid_of,
    kernel,
)

from .arranging import levels_in, root_start, whole_of, window_of
from .matching import Compared, compared_in, tau_in
from .pair import chosen_in, source_of
from .palette import Colors, function_colors, grey_of
from .state import LOWER, UPPER, TraceDiffState, Window

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
INTERVAL = 10.0  # logical pixels of a bar
OVER = ("over upper", "over lower")
_PAST, _FUTURE = np.array([214, 39, 40], np.float64), np.array([24, 140, 76], np.float64)
_CHART = 0.5  # of the height of a side, that its bars have
_LINE = 15.0  # logical pixels for words
_HIT = (11, 132, 243, 70)


@dataclass(frozen=True, eq=False)
class Intervals:
    """n equal parts of time of a side.

    mean    float64[n]  mean over the interval of the similarity of the innermost call's best match, 0 where none
    total   float64[n]  the sum of the similarities of the best matches of all calls that begin there
    offset  float64[n]  mean of how much later the match begins, ns since the roots began; away: of its absolute value
    """

    mean: Floats
    total: Floats
    offset: Floats
    away: Floats


def intervals_of(compared: Compared, side: int, tau: float, long: float, count: int) -> Intervals:
    """The bars of a side. long: ns from the root's start to the end of the last interval."""
    tree, other = compared.trees[side], compared.trees[LOWER if side == UPPER else UPPER]
    best, alike = compared.best(side), compared.similarity(side)
    mean, total, offset, away = _intervals(
        tree.start, tree.end, tree.end_row, best, alike, other.start, tau, count / long, count
    )
    return Intervals(mean, total, offset, away)


@kernel
def _intervals(
    start: Ints, end: Ints, end_row: Ints, best: Ints, alike: Floats, starts: Ints, tau: float, scale: float, count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    mean, total, known = np.zeros(count), np.zeros(count), np.zeros(count)
    offset, away = np.zeros(count), np.zeros(count)
    n = len(start)
    above = np.empty(n, np.int64)  # callers of the call that runs, the outermost first
    depth, row, now = 0, 0, float(start[0])
    while row < n or depth > 0:
        # The call that runs goes on until the next one begins, or until it ends.
        if depth > 0 and (row >= n or end_row[above[depth - 1]] <= row):
            inner, until = above[depth - 1], float(end[above[depth - 1]])
            depth -= 1
        else:
            inner, until = (above[depth - 1] if depth > 0 else -1), float(start[row])
            above[depth] = row
            depth += 1
            if best[row] >= 0 and alike[row] > tau:
                total[min(int(start[row] * scale), count - 1)] += alike[row]
            row += 1
        if inner >= 0 and until > now and best[inner] >= 0 and alike[inner] > tau:
            by = float(starts[best[inner]] - start[inner])
            first, last = now * scale, until * scale
            for place in range(int(first), min(int(last) + 1, count)):
                part = min(last, place + 1.0) - max(first, float(place))
                if part > 0:
                    mean[place] += part * alike[inner]
                    known[place] += part
                    offset[place] += part * by
                    away[place] += part * abs(by)
        now = max(now, until)
    for place in range(count):
        if known[place] > 0:
            offset[place] /= known[place]
            away[place] /= known[place]
    return mean, total, offset, away


def offset_colors(offset: Floats, away: Floats, long: float, theme: Theme) -> Colors:
    """uint8[n, 4]: red where matches lie in the past of the other trace, green in its future, grey where aligned."""
    share = np.sqrt(np.clip(away / max(long, 1.0), 0.0, 1.0))[:, None]
    hue = np.where((offset < 0)[:, None], _PAST, _FUTURE)
    found = np.full((len(offset), 4), 255, np.uint8)
    found[:, :3] = np.rint(grey_of(theme) * (1 - share) + hue * share)
    return found


def hit_intervals(compared: Compared, side: int, row: int, tau: float, long: float, count: int) -> tuple[Ints, Ints]:
    """The intervals of each side in which calls of a subtree, or their best matches, begin."""
    tree, other = compared.trees[side], compared.trees[LOWER if side == UPPER else UPPER]
    rows = np.arange(row, int(tree.end_row[row]))
    best = compared.best(side)[rows]
    good = (best >= 0) & (compared.similarity(side)[rows] > tau)
    places = []
    for begin in (tree.start[rows[good]], other.start[best[good]]):
        hit = np.minimum((begin * (count / long)).astype(np.int64), count - 1)
        places.append(np.flatnonzero(np.bincount(hit, minlength=count)))
    return (places[0], places[1]) if side == UPPER else (places[1], places[0])


def draw_overview(context: ViewContext, state: TraceDiffState, viewport: Viewport) -> Plot:
    """A's bars above its icicle plot, B mirrored below."""
    pair = chosen_in(context, state)
    if pair is None:
        return Plot()
    source, whole = source_of(context, pair), whole_of(context, pair)
    compared, tau = compared_in(context, pair), tau_in(context)
    size, long = (viewport.width, viewport.height), whole[1] - whole[0]
    count = max(int(viewport.width / INTERVAL), 1)
    panes, layers = [], list[Bars | Labels | Segments]()
    hit: tuple[Ints, Ints] | None = None
    if compared is not None and state.side >= 0 and state.call >= 0:
        row = compared.trees[state.side].row(state.call)
        hit = context.memo(hit_intervals, compared, state.side, row, tau, long, count)
    bars = [
        None if compared is None else context.memo(intervals_of, compared, side, tau, long, count)
        for side in (UPPER, LOWER)
    ]
    literal = bool(context.values["sum"])
    highest = max(
        (float((each.total if literal else each.mean).max()) for each in bars if each is not None), default=1.0
    )
    for side in (UPPER, LOWER):
        trace, thread = (source.upper, source.lower)[side], pair[side].thread
        pane = context.memo(_pane, side, size, whole)
        panes.append(pane)
        if hit is not None:
            layers.append(_hit_layer(hit[side], side, pane, long / count))
        found = bars[side]
        if found is not None:
            top = highest if literal else 1.0
            layers += context.memo(_chart, found, side, pane, (long, top), literal, context.theme)
        levels = levels_in(context, trace, thread, side)
        if levels is not None:
            colors = context.memo(function_colors, source, side, context.theme)
            layers.append(context.memo(_miniature, trace, levels, thread, side, pane, colors))
        layers += _focus(window_of(context, state, pair, side), side, pane, context.theme)
    layers += context.memo(_words, size, literal, highest, context.theme)
    return Plot(tuple(panes), tuple(layers))


def _pane(side: int, size: tuple[float, float], whole: Window) -> Pane:
    half = max((size[1] - _LINE) / 2 - 1, 1.0)
    shape = BoxShape(0.0, _LINE if side == UPPER else _LINE + half + 2, size[0], half)
    return Pane(OVER[side], shape, whole, (0.0, 1.0) if side == UPPER else (1.0, 0.0), zoom="", pan="")


def _chart(
    found: Intervals, side: int, pane: Pane, scales: tuple[float, float], literal: bool, theme: Theme
) -> tuple[Bars, ...]:
    long, top = scales
    count = len(found.mean)
    height = (found.total if literal else found.mean) / max(top, 1e-9) * (_CHART - 0.06)
    some = np.flatnonzero(height > 0)
    x0 = some * (long / count)
    colors = offset_colors(found.offset, found.away, long, theme)[some]
    plain = Bars(
        name=f"alike {side}",
        pane=pane.name,
        x0=x0,
        x1=x0 + 0.86 * long / count,
        y0=_CHART - height[some],
        y1=np.full(len(some), _CHART - 0.01),
        color=colors,
        item=some.astype(np.int32),
    )
    past = np.flatnonzero((found.offset[some] < 0) & (found.away[some] > 0.02 * long))
    if not len(past):
        return (plain,)
    marked = Bars(
        name=f"past {side}",
        pane=pane.name,
        x0=x0[past],
        x1=x0[past] + 0.86 * long / count,
        y0=_CHART - height[some][past],
        y1=np.full(len(past), _CHART - 0.01),
        color=(*theme.ground[:3], 40),
        pattern="diagonal",
    )
    return plain, marked


def _miniature(trace: Trace, levels: Levels, thread: int, side: int, pane: Pane, colors: Colors) -> Bars:
    begin = root_start(trace, thread)
    shape = pane.shape
    assert isinstance(shape, BoxShape)
    grid = grid_of((pane.x[0] + begin, pane.x[1] + begin), max(shape.width, 4.0))
    room = max(int(shape.height * (1 - _CHART)), 1)
    deepest = min(levels.depth_of(thread), room)
    bars = bars_of(trace, levels, thread, grid, max(deepest, 1))
    high = min((1 - _CHART) / max(deepest, 1), 8.0 / max(shape.height, 1.0))
    y0 = _CHART + bars.depth * high
    return Bars(
        name=f"miniature {side}",
        pane=pane.name,
        x0=bars.x0 - begin,
        x1=bars.x1 - begin,
        y0=y0,
        y1=y0 + high,
        color=colors[trace.calls.function[bars.row]],
        item=bars.row.astype(np.int32),
    )


def _hit_layer(places: Ints, side: int, pane: Pane, step: float) -> Bars:
    x0 = places * step
    return Bars(
        name=f"hit {side}",
        pane=pane.name,
        x0=x0,
        x1=x0 + step,
        y0=np.zeros(len(x0)),
        y1=np.full(len(x0), _CHART),
        color=_HIT,
    )


def _focus(window: Window, side: int, pane: Pane, theme: Theme) -> list[Bars | Segments]:
    """What lies outside of the focus area is veiled; the area has a frame."""
    low, high = max(window[0], pane.x[0]), min(window[1], pane.x[1])
    x0, x1 = np.array([pane.x[0], high]), np.array([low, pane.x[1]])
    some = x1 > x0
    veil = Bars(
        name=f"veil {side}",
        pane=pane.name,
        x0=x0[some],
        x1=x1[some],
        y0=np.zeros(int(some.sum())),
        y1=np.ones(int(some.sum())),
        color=(*theme.ground[:3], 150),
    )
    ends = np.array([low, high])
    frame = Segments(
        name=f"focus {side}",
        pane=pane.name,
        x0=np.append(ends, [low, low]),
        x1=np.append(ends, [high, high]),
        y0=np.array([0.0, 0.0, 0.005, 0.995]),
        y1=np.array([1.0, 1.0, 0.005, 0.995]),
        color=theme.accent,
        width=1.6,
    )
    return [veil, frame]


def _words(size: tuple[float, float], literal: bool, highest: float, theme: Theme) -> tuple[Labels, ...]:
    what = f"sum of similarities, up to {highest:,.0f}" if literal else "mean similarity, full height = 1"
    text = f"How alike: {what} · its match begins earlier: red, striped; later: green; at the same moment: grey"
    return (
        Labels(
            name="over words",
            x=np.array([6.0]),
            y=np.array([8.0]),
            text=(text,),
            color=theme.muted,
            size=10.5,
            halo=theme.halo,
            room=np.array([size[0] - 12]),
        ),
        Labels(
            name="over sides",
            x=np.full(2, 6.0),
            y=np.array([_LINE + 9.0, size[1] - 9.0]),
            text=("A", "B"),
            color=theme.text,
            size=11.0,
            bold=True,
            halo=theme.halo,
        ),
    )
