"""The activity view (TV-1): a pane for each thread, time across, stack depth down, over one ruler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_CALL,
    Bars,
    BoxShape,
    Brushed,
    Cushion,
    Labels,
    LevelFolding,
    Levels,
    Pane,
    Plot,
    Points,
    Segments,
    Theme,
    TimeBars,
    TimeGrid,
    Trace,
    ViewContext,
    Viewport,
    Warp,
    bars_of,
    brushed,
    clustered,
    frames_around,
    function_title,
    in_focus,
    level_tops,
    thread_title,
    tick_times,
)

from .emphasis import found_functions, selected_functions
from .legend import legend_layers
from .palette import Colors, function_colors, mixed, value_colors
from .ruler import ruler_layers
from .shown import GAP, LEGEND, RULER, Lane, Shown, alike, grid_in, shown
from .state import TraceVisState
from .strips import instants_layer, range_layers, strip_layers

Floats = npt.NDArray[np.float64]
_LABEL = 34.0  # logical pixels that a bar needs for its label
_MOST_LABELS = 1500
_LEGIBLE = 12.0  # logical pixels of a level that has labels
_NAMED = 9.0  # logical pixels of a thread without a header, from which on its name stands in it
SWITCH = "levels"  # the layer of what shows all levels of a thread, or fewer
_PALE = 0.72  # how far what is out of focus goes toward the ground


@dataclass(frozen=True, eq=False)
class LanePicture:
    """The heavy part of a thread.

    bars         what is drawn
    function     uint32[k]: of the (first) call of each
    top, bottom  float64[k]: y of each, a hairline apart from the next level where there is room
    tops         y of levels
    """

    bars: TimeBars
    function: npt.NDArray[np.uint32]
    top: Floats
    bottom: Floats
    tops: Floats
    color: Colors

    def take(self, which: npt.NDArray[np.int64]) -> LanePicture:
        """Some of the bars."""
        columns = (self.function[which], self.top[which], self.bottom[which])
        return LanePicture(self.bars.take(which), *columns, self.tops, self.color[which])


def draw_activity(context: ViewContext, state: TraceVisState, viewport: Viewport) -> Plot:
    """All threads, with what is in focus on top."""
    at = shown(context, state, viewport)
    theme = context.theme
    if at.levels is None or not at.lanes:
        say = "Sorting the calls of the trace …" if at.levels is None else _why_nothing(context)
        text = Labels(
            name="empty",
            x=np.array([viewport.width / 2]),
            y=np.array([viewport.height / 2]),
            text=(say,),
            color=theme.muted,
            anchor="center",
            size=13.0,
        )
        return Plot((), (text,))
    grid = grid_in(context, at.window, viewport.width)
    x_range, whole = (grid.left, grid.right), _whole(at)
    times = context.memo(tick_times, grid, viewport.width)
    bottom = _bottom(viewport)
    seen = [lane.above(bottom) for lane in at.lanes if lane.top + lane.height > viewport.top and lane.top < bottom]
    focus_lane = next((lane for lane in seen if state.hover is not None and lane.thread == state.hover[0]), None)
    pale = focus_lane is not None
    panes: list[Pane] = []
    layers: list[Bars | Segments] = []
    instants: list[Points] = []
    for lane in seen:
        pane = _pane(lane, x_range, whole, viewport)
        panes.append(pane)
        layers.append(context.memo(_gridlines, pane.name, grid.warp, times, theme))
        picture = picture_of(context, at.levels, lane, grid)
        layers.append(context.memo(_bars_layer, at.trace, lane, picture, theme, pale))
        marks = instants_layer(context, lane.thread, pane.name, grid, viewport.width)
        instants += [marks] if marks is not None else []
    on_top = _on_top(context, state, at, seen, grid, viewport)
    below: list[Labels] = []
    for lane in seen:
        picture = picture_of(context, at.levels, lane, grid)
        if lane.folding.unfolded >= _LEGIBLE:
            look = "pale" if pale else "plain"
            below.append(context.memo(_labels, at.trace, lane, picture, x_range, viewport.width, theme, look))
    alike_of = tuple(alike(context, lane.thread) for lane in seen)
    headers = context.memo(_headers, at.trace, tuple(seen), alike_of, theme)
    switches = context.memo(_level_switches, tuple(seen), state.whole, viewport.width, theme)
    ruler = Pane(
        "ruler", BoxShape(0.0, viewport.top, viewport.width, RULER - 4), x_range, (0.0, 1.0), pan="", limit=whole
    )
    strips = strip_layers(context, grid, viewport)
    on_ruler = ruler_layers(context, state, grid, times, viewport)
    chosen = range_layers(state.about_range, grid, viewport, theme)
    legend = legend_layers(context, viewport)
    every = (*layers, *below, *on_top, *instants, *headers, *switches, *strips, *chosen, *on_ruler, *legend)
    return Plot((*panes, ruler), every, height=at.height, reveal=_selected_place(at, state))


def _selected_place(at: Shown, state: TraceVisState) -> tuple[int, float, float] | None:
    """Where the selected call stands on the canvas, for the host to scroll there."""
    if state.selected == NO_CALL:
        return None
    thread = int(at.trace.thread_of(np.array([state.selected]))[0])
    lane = next((lane for lane in at.lanes if lane.thread == thread), None)
    depth = int(at.trace.calls.depth[state.selected])
    if lane is None or depth >= lane.seen:
        return None
    tops = level_tops(lane.folding, max(lane.depth - 1, 0)) + lane.top + lane.header
    return state.selected, float(tops[depth]) - RULER - lane.header, float(tops[depth + 1]) + LEGEND


def _bottom(viewport: Viewport) -> float:
    return viewport.top + viewport.height - LEGEND


def _why_nothing(context: ViewContext) -> str:
    if not len(context.trace().calls):
        return "No call is of the code that is open." if context.values["own"] else "The trace holds no calls."
    return "No thread with calls is chosen. Tick some in the table of threads."


def _whole(at: Shown) -> tuple[float, float]:
    ends = at.warp.forward(np.array([0.0, at.trace.length])).tolist()
    return ends[0], ends[1]


def _pane(lane: Lane, x: tuple[float, float], whole: tuple[float, float], viewport: Viewport) -> Pane:
    header = lane.header
    height = max(lane.height - header, 0.1)
    # The gap below belongs to the pane as well: the pointer brushes from there. Nothing reaches under the ruler.
    top = lane.top + header
    first = max(top, min(viewport.top + RULER, top + height))
    last = max(min(top + height + GAP - 2, _bottom(viewport)), first + 0.1)
    shape = BoxShape(0.0, first, viewport.width, last - first)
    return Pane(f"thread {lane.thread}", shape, x, (first - top, last - top), limit=whole)


def colors_in(context: ViewContext) -> tuple[str, Colors]:
    """By what calls are coloured, and uint8[f, 4] for what follows from the function."""
    by = str(context.values["color"])
    return by, context.memo(function_colors, context.trace(), by, context.theme)


def picture_of(context: ViewContext, levels: Levels, lane: Lane, grid: TimeGrid) -> LanePicture:
    """The bars of a thread; kept while the window, the warp and the colours stay."""
    by, colors = colors_in(context)
    style = str(context.values["aggregates"])
    return context.memo(
        _picture,
        context.trace(),
        levels,
        lane.thread,
        (lane.depth, lane.drawn),
        lane.folding,
        grid,
        style,
        by,
        colors,
        context.theme,
    )


def _picture(  # noqa: PLR0913 -- each decides by itself whether the picture is made anew
    trace: Trace,
    levels: Levels,
    thread: int,
    depths: tuple[int, int],
    folding: LevelFolding,
    grid: TimeGrid,
    style: str,
    by: str,
    colors: Colors,
    theme: Theme,
) -> LanePicture:
    depth, drawn = depths
    bars = bars_of(trace, levels, thread, grid, drawn)
    deepest = bars.depth
    if style == "clusters":
        bars, deepest = clustered(bars)
    calls = trace.calls
    function = calls.function[bars.row]
    if by == "duration":
        long = (calls.end[bars.row] - calls.start[bars.row]).astype(np.float64)
        color = value_colors(np.log1p(long) / np.log1p(trace.length), theme)
    elif by == "depth":
        color = value_colors(bars.depth / max(depth - 1, 1), theme)
    else:
        color = colors[function]
    # TV-9: what stands for several is lighter, and lighter still further down.
    lighter = np.where(bars.count > 1, np.minimum(0.42 + 0.02 * bars.depth, 0.7), 0.0)
    tops = level_tops(folding, max(depth - 1, 0))
    top, bottom = tops[bars.depth], tops[deepest + 1]
    bottom -= bottom - top > 4
    return LanePicture(bars, function, top, bottom, tops, mixed(color, theme.ground, lighter))


def _bars_layer(trace: Trace, lane: Lane, picture: LanePicture, theme: Theme, pale: bool) -> Bars:
    bars = picture.bars
    top, bottom = picture.top, picture.bottom
    color = mixed(picture.color, theme.ground, _PALE) if pale else picture.color
    return Bars(
        name=f"bars {lane.thread}",
        pane=f"thread {lane.thread}",
        x0=bars.x0,
        x1=bars.x1,
        y0=top,
        y1=bottom,
        color=color,
        item=bars.row.astype(np.int32),
        merged=bars.count,
    )


def _gridlines(pane: str, warp: Warp, times: Floats, theme: Theme) -> Segments:
    x = warp.forward(times)
    return Segments(
        name=f"grid {pane}",
        pane=pane,
        x0=x,
        x1=x,
        y0=np.zeros(len(x)),
        y1=np.full(len(x), 1e6),
        color=(*theme.line[:3], 140),
        width=1.0,
    )


def _labels(
    trace: Trace, lane: Lane, picture: LanePicture, x: tuple[float, float], width: float, theme: Theme, look: str
) -> Labels:
    """Names where they fit: of single calls; of merged bars how many. look: "plain", "pale" or "focus"."""
    bars, scale = picture.bars, width / max(x[1] - x[0], 1e-12)
    top, bottom = picture.top, picture.bottom
    room = (bars.x1 - bars.x0) * scale - 8
    which = np.flatnonzero((room > _LABEL - 8) & (bottom - top > _LEGIBLE - 2))
    if len(which) > _MOST_LABELS:
        which = np.sort(which[np.argsort(-room[which], kind="stable")[:_MOST_LABELS]])
    texts = tuple(
        f"{count:,} calls" if count > 1 else function_title(trace.functions, function)
        for function, count in zip(picture.function[which].tolist(), bars.count[which].tolist(), strict=True)
    )
    return Labels(
        name=f"{look} labels {lane.thread}",
        pane=f"thread {lane.thread}",
        x=bars.x0[which] + 4 / scale,
        y=(top[which] + bottom[which]) / 2,
        text=texts,
        size=11.0,
        room=room[which],
        color=(*theme.muted[:3], 150) if look == "pale" else theme.text,
        halo=theme.halo if look == "focus" else None,
    )


def _headers(
    trace: Trace, lanes: tuple[Lane, ...], alike_of: tuple[int, ...], theme: Theme
) -> tuple[Labels | Segments, ...]:
    """Name and size of each thread above its pane, and for how many it stands; the name can be dragged."""
    stands = {lane.thread: count for lane, count in zip(lanes, alike_of, strict=True)}
    tall = [lane for lane in lanes if lane.header >= 11 or lane.height >= _NAMED]
    middle = np.array([lane.top + (lane.header or min(lane.height, 16.0)) / 2 for lane in tall])
    names = tuple(thread_title(trace.threads, lane.thread) for lane in tall)
    count = np.diff(trace.threads.ptr)
    more = {thread: f", one of {many:,} alike" for thread, many in stands.items() if many > 1}
    sizes = tuple(
        f"{int(count[lane.thread]):,} calls{more.get(lane.thread, '')}" if lane.header else "" for lane in tall
    )
    item = np.array([lane.thread for lane in tall], np.int32)
    left = np.full(len(tall), 8.0)
    after = left + np.array([7.2 * len(name) + 14 for name in names]) if tall else left
    above = np.array([lane.top - GAP / 2 for lane in tall if lane.header])
    line = Segments(
        name="lane lines", x0=np.zeros(len(above)), x1=np.full(len(above), 1e5), y0=above, y1=above, color=theme.line
    )
    return (
        line,
        Labels(
            name="threads",
            x=left,
            y=middle,
            text=names,
            color=theme.text,
            size=12.0 if all(lane.header for lane in tall) else 9.5,
            bold=True,
            halo=theme.halo,
            item=item,
            grab=True,
        ),
        Labels(name="sizes", x=after, y=middle, text=sizes, color=theme.muted, size=11.0, halo=theme.halo),
    )


def _level_switches(lanes: tuple[Lane, ...], whole: tuple[int, ...], width: float, theme: Theme) -> tuple[Labels, ...]:
    """At the right of a header: how many levels are left out, or that all are shown; a click changes it."""
    some = [lane for lane in lanes if lane.header >= 11 and (lane.seen < lane.depth or lane.thread in whole)]
    if not some:
        return ()
    texts = tuple(
        "fewer levels" if lane.seen == lane.depth else f"{lane.depth - lane.seen:,} more levels" for lane in some
    )
    return (
        Labels(
            name=SWITCH,
            x=np.full(len(some), width - 10),
            y=np.array([lane.top + lane.header / 2 for lane in some]),
            text=texts,
            color=theme.accent,
            size=11.0,
            anchor="right",
            halo=theme.halo,
            item=np.array([lane.thread for lane in some], np.int32),
        ),
    )


def focus_of(
    context: ViewContext, state: TraceVisState, at: Shown, lane: Lane, grid: TimeGrid, width: float
) -> Brushed:
    """What the pointer means in a thread (TV-6)."""
    if state.hover is None or at.levels is None:
        return Brushed()
    picture = picture_of(context, at.levels, lane, grid)
    scale = width / (grid.right - grid.left)
    x = np.column_stack((picture.bars.x0, picture.bars.x1))
    return brushed(
        at.trace,
        at.levels,
        picture.bars,
        (x - grid.left) * scale,
        picture.tops,
        ((state.hover[1] - grid.left) * scale, state.hover[2]),
    )


def _on_top(
    context: ViewContext, state: TraceVisState, at: Shown, lanes: list[Lane], grid: TimeGrid, viewport: Viewport
) -> list[Bars | Labels | Segments | Points]:
    """The focus subset with cushions; frames around what was searched for, selected functions, the selected call."""
    theme = context.theme
    marked = (found_functions(context, state), theme.used), (selected_functions(context), theme.accent)
    marks = [(name, *mark) for name, mark in zip(("found", "function"), marked, strict=True) if mark[0].any()]
    layers: list[Bars | Labels | Segments | Points] = []
    assert at.levels is not None
    for lane in lanes:
        picture = picture_of(context, at.levels, lane, grid)
        if state.hover is not None and lane.thread == state.hover[0]:
            focus = focus_of(context, state, at, lane, grid, viewport.width)
            which = np.flatnonzero(in_focus(picture.bars, focus))
            layers.append(_focused(at.trace, lane, picture, which, focus, state.hover[1], theme))
            if lane.folding.unfolded >= _LEGIBLE:
                layers.append(
                    _labels(
                        at.trace, lane, picture.take(which), (grid.left, grid.right), viewport.width, theme, "focus"
                    )
                )
        for name, which_functions, color in marks:
            same = np.flatnonzero(which_functions[picture.function] & (picture.bars.count == 1))
            if len(same):
                layers.append(_outlined(f"{name} {lane.thread}", lane, picture, same, (*color[:3], 255)))
        if state.selected != NO_CALL:
            chosen = np.flatnonzero((picture.bars.row == state.selected) & (picture.bars.count == 1))
            if len(chosen):
                layers.append(_outlined(f"selected {lane.thread}", lane, picture, chosen, theme.text))
    return layers


def _focused(
    trace: Trace, lane: Lane, picture: LanePicture, which: npt.NDArray[np.int64], focus: Brushed, x: float, theme: Theme
) -> Bars:
    """Opaque, shaded, most saturated at the focus item."""
    some = picture.take(which)
    bars = some.bars
    depth = int(trace.calls.depth[focus.items[0]]) if focus.items else 0
    away = np.abs(bars.depth - depth)
    far = mixed(some.color, theme.ground, 0.45 * away / max(int(away.max(initial=1)), 1))
    return Bars(
        name=f"focus {lane.thread}",
        pane=f"thread {lane.thread}",
        x0=bars.x0,
        x1=bars.x1,
        y0=some.top,
        y1=some.bottom,
        color=far,
        item=bars.row.astype(np.int32),
        merged=bars.count,
        shade=Cushion(at=x),
    )


def _outlined(
    name: str, lane: Lane, picture: LanePicture, which: npt.NDArray[np.int64], color: tuple[int, int, int, int]
) -> Segments:
    """Frames around bars."""
    some = picture.take(which)
    bars = some.bars
    return frames_around(name, bars.x0, bars.x1, some.top, some.bottom, color, pane=f"thread {lane.thread}")
