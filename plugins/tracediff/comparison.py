"""The comparison: two mirrored icicle plots, and tubes between the calls that match (TD-5 to TD-7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    CallTree,
    Cushion,
    Labels,
    Plot,
    Raster,
    Segments,
    Theme,
    Trace,
    ViewContext,
    Viewport,
    function_title,
    grid_of,
    tick_times,
    time_text,
)

from .arranging import HEADER, LEGEND, PANES, Plane, body, window_of
from .changes import Changes, change_colors, changes_in
from .legend import legend_layers
from .matching import Compared, Known, compared_in, tau_in
from .pair import Chosen, Source, chosen_in, names_in, source_of
from .palette import Colors, function_colors, mixed, strengths, tube_colors, with_strength
from .repeats import Runs, runs_of
from .state import LOWER, UPPER, TraceDiffState
from .telling import headline, ratio_words, sentence
from .tubes import Tubes, painted
from .visible import Drawn, drawn_in, matches_in, planes_of

Layer = Bars | Labels | Raster | Segments
Ints = npt.NDArray[np.int64]
_LABEL, _LEGIBLE, _MOST_LABELS = 34.0, 11.0, 600
_FRAME = 8.0  # logical pixels that a run of repeated calls needs for its frame, and
_COUNT = 26.0  # for its count
_MOST_FRAMES = 300
_MANY = 300  # tubes that are brushed at once without delay
_COARSE = 0.5  # device pixels a logical one while the picture moves
RED = (214, 39, 40, 255)


def draw_comparison(context: ViewContext, state: TraceDiffState, viewport: Viewport) -> Plot:
    """Both threads with what lies between them, or the sentence that says why there is nothing."""
    pair = chosen_in(context, state)
    if pair is None:
        return plain_sentence(context, viewport, sentence(context, None, None, None))
    source = source_of(context, pair)
    planes = planes_of(context, state, pair, viewport)
    if planes is None:
        return plain_sentence(context, viewport, "Sorting the calls …")
    compared = compared_in(context, pair)
    known = matches_in(context, state, pair, compared, planes) if compared is not None else None
    drawn = drawn_in(context, compared, known, planes) if compared is not None and known is not None else None
    layers: list[Layer] = [
        *context.memo(band_layers, viewport.width, planes[0].side.edge, planes[1].side.edge, context.theme)
    ]
    if compared is not None and known is not None and drawn is not None:
        layers += tube_layers(context, state, compared, known, drawn, viewport)
    changes = changes_in(context, pair)
    for side in (UPPER, LOWER):
        layers += _icicle(context, state, source, planes[side], side, changes)
    if compared is not None:
        for side in (UPPER, LOWER):
            layers += context.memo(
                _frames,
                context.memo(runs_of, compared.trees[side]),
                compared.trees[side],
                planes[side],
                side,
                context.theme,
            )
    if drawn is not None and (drawn.match == state.match).any():
        size = (viewport.width, viewport.height)
        layers.append(context.memo(lit_tube, drawn, state.match, context.theme.accent, size, viewport.scale))
    layers += _headers(context, state, pair, source, planes, viewport)
    layers += _selected(context, state, planes)
    said = sentence(context, pair, compared, known)
    if said:
        layers += sentence_layers(said, viewport, context.theme)
    layers += legend_layers(context, state, viewport, headline(context, compared, known, drawn))
    names = tuple(layer.name for layer in layers if layer.name in {"bars upper", "bars lower", "tubes", "tubes lit"})
    order = [name for name in ("tubes lit", "bars upper", "bars lower", "tubes") if name in names]
    return Plot((planes[0].pane, planes[1].pane), tuple(layers), input=tuple(order))


def plain_sentence(context: ViewContext, viewport: Viewport, say: str) -> Plot:
    """Nothing but a sentence."""
    return Plot((), sentence_layers(say, viewport, context.theme))


def sentence_layers(say: str, viewport: Viewport, theme: Theme) -> tuple[Bars | Labels, ...]:
    """A sentence in a box in the middle."""
    top, bottom = body((viewport.width, viewport.height))
    wide = min(viewport.measure(say, 13.0, False) + 24, viewport.width - 8)
    x, y = viewport.width / 2, (top + bottom) / 2
    return (
        Bars(
            name="said ground",
            x0=np.array([x - wide / 2]),
            x1=np.array([x + wide / 2]),
            y0=np.array([y - 14]),
            y1=np.array([y + 14]),
            color=theme.plane,
            outline=theme.line,
        ),
        Labels(
            name="said",
            x=np.array([x]),
            y=np.array([y]),
            text=(say,),
            color=theme.text,
            anchor="center",
            size=13.0,
            room=np.array([viewport.width - 16]),
        ),
    )


def band_layers(width: float, top: float, bottom: float, theme: Theme) -> tuple[Layer, ...]:
    """The band in which tubes are bundled."""
    zero = np.zeros(1)
    return (
        Bars(name="band", x0=zero, x1=zero + width, y0=zero + top, y1=zero + bottom, color=theme.plane),
        Segments(
            name="band edges",
            x0=np.zeros(2),
            x1=np.full(2, width),
            y0=np.array([top, bottom]),
            y1=np.array([top, bottom]),
            color=theme.line,
            dashed=True,
        ),
    )


# -- tubes --


def tube_layers(
    context: ViewContext, state: TraceDiffState, compared: Compared, known: Known, drawn: Drawn, viewport: Viewport
) -> tuple[Layer, ...]:
    """All tubes; where a call is pointed at, those of matches below it keep their colours, the others are grey."""
    by, side = str(context.values["color"]), max(state.side, 0) if context.values["color"] == "position" else 0
    colors = context.memo(_colors, compared, known, drawn, by, side, tau_in(context), _shiny(context), context.theme)
    size, scale = (viewport.width, viewport.height), _COARSE if viewport.moving else viewport.scale
    mine = _below_pointer(context, state, compared, known, drawn)
    plain = context.memo(tube_raster, "tubes", drawn, *colors, size, scale)
    if mine is None or len(mine) == len(drawn) or viewport.moving:
        return (plain,)
    below = context.memo(_greyed, plain, context.theme)
    if not len(mine):
        return (below,)
    scale = _COARSE * viewport.scale if len(mine) > _MANY else scale  # the pointer moves on
    # What is brushed is counted from the call under the pointer and its match (TD-2: groups are rooted anew).
    rooted = context.memo(
        _colors, compared, known, drawn, by, side, tau_in(context), _shiny(context), context.theme, state.match
    )
    return below, context.memo(_some, "tubes brushed", drawn, rooted, mine, size, scale)


def _shiny(context: ViewContext) -> bool:
    return bool(context.values["strength"])


def _below_pointer(
    context: ViewContext, state: TraceDiffState, compared: Compared, known: Known, drawn: Drawn
) -> Ints | None:
    """Places in `Drawn` of matches in the subtree of the call under the pointer; None = none is pointed at."""
    if state.call < 0 or state.side < 0:
        return None
    tree = compared.trees[state.side]
    row = tree.row(state.call)
    return context.memo(_below, tree.end_row, known, drawn, state.side, row) if 0 <= row < len(tree) else None


def _below(end_row: Ints, known: Known, drawn: Drawn, side: int, row: int) -> Ints:
    rows = known.rows[drawn.match, side]
    found: Ints = np.flatnonzero((rows >= row) & (rows < end_row[row]))
    return found


def _colors(
    compared: Compared,
    known: Known,
    drawn: Drawn,
    by: str,
    side: int,
    tau: float,
    shiny: bool,
    theme: Theme,
    top: int = -1,
) -> tuple[Colors, npt.NDArray[np.float64]]:
    colors = tube_colors(compared, known, drawn.match, by, side, theme, top)
    if not shiny:
        return colors, np.zeros(len(drawn))
    return with_strength(colors, drawn.wide, strengths(known.similarity[drawn.match], tau))


def _greyed(layer: Raster, theme: Theme) -> Raster:
    """Tubes that are not brushed."""
    image = layer.image.copy()
    light = (layer.image[..., 0].astype(np.uint16) * 77 + layer.image[..., 1] * np.uint16(150)) >> 8
    light += layer.image[..., 2] >> 3
    for channel in range(3):
        image[..., channel] = (light * 5 + theme.ground[channel] * 11) >> 4
    return replace(layer, image=image)


def tube_raster(
    name: str, drawn: Drawn, colors: Colors, shine: npt.NDArray[np.float64], size: tuple[float, float], scale: float
) -> Raster:
    """All tubes as one picture, with the match at each pixel. scale: device pixels a logical one."""
    made = painted(drawn.tubes, colors, shine, _around(drawn.tubes, size), scale)
    item = np.where(made.item >= 0, np.append(drawn.match, -1)[made.item], -1).astype(np.int32)
    return Raster(name=name, image=made.image, box=made.box, item=item, smooth=scale < 1)


def _around(tubes: Tubes, size: tuple[float, float]) -> tuple[float, float, float, float]:
    """The part of the canvas that tubes may touch, in whole even pixels."""
    top, bottom = body(size)
    if not len(tubes):
        return 0.0, top, 2.0, top + 2
    x, y = tubes.middle[..., 0], tubes.middle[..., 1]
    edges = (x - tubes.half).min() - 40, y.min() - 2, (x + tubes.half).max() + 40, y.max() + 2
    low_x, low_y, high_x, high_y = (2 * round(float(edge) / 2) for edge in edges)
    left, upper = max(float(low_x), 0.0), max(float(low_y), top)
    return left, upper, max(min(float(high_x), size[0]), left + 2), max(min(float(high_y), bottom), upper + 2)


def _some(
    name: str,
    drawn: Drawn,
    colors: tuple[Colors, npt.NDArray[np.float64]],
    which: Ints,
    size: tuple[float, float],
    scale: float,
) -> Raster:
    tubes = drawn.tubes
    few = Tubes(tubes.middle[which], tubes.half[which], tubes.depth[which], tubes.length[which])
    part = Drawn(drawn.match[which], drawn.bar[which], drawn.wide[which], few, drawn.total)
    return tube_raster(name, part, colors[0][which], colors[1][which], size, scale)


def lit_tube(
    drawn: Drawn, match: int, color: tuple[int, int, int, int], size: tuple[float, float], scale: float
) -> Raster:
    """The match that is pointed at, over the bars as well."""
    colors = np.tile(np.array((*color[:3], 235), np.uint8), (len(drawn), 1))
    return _some(
        "tubes lit", drawn, (colors, np.full(len(drawn), 0.5)), np.flatnonzero(drawn.match == match), size, scale
    )


# -- icicle plots --


def _icicle(
    context: ViewContext, state: TraceDiffState, source: Source, plane: Plane, side: int, changes: Changes | None
) -> list[Layer]:
    colors = context.memo(function_colors, source, side, context.theme)
    at = state.at if state.side == side and state.call >= 0 else None
    fixed = context.memo(_bars, source, plane, side, colors, context.theme, changes)
    found: list[Layer] = [fixed]
    if at is not None:
        found.append(_cushioned(fixed, at, state.call, source, side))
    found.append(context.memo(bar_labels, (source.upper, source.lower)[side], plane, side, "calls", context.theme))
    return found


def _bars(
    source: Source, plane: Plane, side: int, colors: Colors, theme: Theme, changes: Changes | None = None
) -> Bars:
    trace, bars = (source.upper, source.lower)[side], plane.bars
    function = trace.calls.function[bars.row]
    lighter = np.where(bars.count > 1, np.minimum(0.42 + 0.02 * bars.depth, 0.7), 0.0)
    if changes is None:
        color = mixed(colors[function], theme.ground, lighter)
    else:
        color = change_colors(changes, plane, side, colors[function], theme)
    return replace(plane_bars(plane, side, color), shade=Cushion())


def plane_bars(plane: Plane, side: int, color: Colors) -> Bars:
    """The bars of an icicle, color uint8[n, 4] each; there is a gap below those that are high enough."""
    bars = plane.bars
    top, bottom = plane.tops[bars.depth], plane.tops[bars.depth + 1]
    return Bars(
        name=f"bars {PANES[side]}",
        pane=plane.pane.name,
        x0=bars.x0,
        x1=bars.x1,
        y0=top,
        y1=bottom - (bottom - top > 4),
        color=color,
        item=bars.row.astype(np.int32),
        merged=bars.count,
    )


def _cushioned(bars: Bars, at: float, call: int, source: Source, side: int) -> Bars:
    """What the call under the pointer holds, with the light at the pointer (TV-8)."""
    trace = (source.upper, source.lower)[side]
    end = int(trace.calls.end_row[call])
    assert bars.item is not None
    which = np.flatnonzero((bars.item >= call) & (bars.item < end))
    color = np.asarray(bars.color)[which]
    merged = None if bars.merged is None else bars.merged[which]
    return Bars(
        name=f"focus {bars.pane}",
        pane=bars.pane,
        x0=bars.x0[which],
        x1=bars.x1[which],
        y0=bars.y0[which],
        y1=bars.y1[which],
        color=color,
        merged=merged,
        shade=Cushion(at=at),
        outline=None,
    )


def bar_labels(trace: Trace, plane: Plane, side: int, many: str, theme: Theme) -> Labels:
    """Names in bars that have room for them; many: what a bar that stands for several counts."""
    bars = plane.bars
    top, bottom = plane.tops[bars.depth], plane.tops[bars.depth + 1]
    room = (bars.x1 - bars.x0) * plane.scale - 8
    which = np.flatnonzero((room > _LABEL - 8) & (bottom - top > _LEGIBLE))
    which = np.sort(which[np.argsort(-room[which], kind="stable")[:_MOST_LABELS]])
    texts = tuple(
        f"{count:,} {many}" if count > 1 else function_title(trace.functions, function)
        for function, count in zip(
            trace.calls.function[bars.row[which]].tolist(), bars.count[which].tolist(), strict=True
        )
    )
    return Labels(
        name=f"labels {PANES[side]}",
        pane=plane.pane.name,
        x=bars.x0[which] + 4 / plane.scale,
        y=(top[which] + bottom[which]) / 2,
        text=texts,
        size=11.0,
        room=room[which],
        color=theme.text,
    )


def _frames(runs: Runs, tree: CallTree, plane: Plane, side: int, theme: Theme) -> tuple[Layer, ...]:
    """Red frames around runs of repeated siblings, with how many there are."""
    low, high = plane.pane.x
    x0, x1 = np.maximum(tree.start[runs.first], low), np.minimum(tree.end[runs.last], high)
    depth = tree.depth[runs.first] - tree.virtual
    wide = (x1 - x0) * plane.scale
    some = np.flatnonzero((wide >= _FRAME) & (depth < plane.levels))
    some = np.sort(some[np.argsort(-wide[some], kind="stable")[:_MOST_FRAMES]])
    x0, x1, wide = x0[some], x1[some], wide[some]
    y0, y1 = plane.tops[depth[some]], plane.tops[depth[some] + 1]
    frame = Segments(
        name=f"runs {PANES[side]}",
        pane=plane.pane.name,
        x0=np.concatenate((x0, x0, x0, x1)),
        x1=np.concatenate((x1, x1, x0, x1)),
        y0=np.concatenate((y0, y1, y0, y0)),
        y1=np.concatenate((y0, y1, y1, y1)),
        color=RED,
        width=1.3,
    )
    named = (wide >= _COUNT) & (y1 - y0 >= _LEGIBLE - 1)
    count = Labels(
        name=f"run counts {PANES[side]}",
        pane=plane.pane.name,
        x=x1[named] - 3 / plane.scale,
        y=(y0[named] + y1[named]) / 2,
        text=tuple(f"{each:,}×" for each in runs.count[some][named].tolist()),
        color=RED,
        size=10.5,
        anchor="right",
        bold=True,
        halo=theme.halo,
    )
    return frame, count


# -- around them --


def _headers(
    context: ViewContext,
    state: TraceDiffState,
    pair: tuple[Chosen, Chosen],
    source: Source,
    planes: tuple[Plane, Plane],
    viewport: Viewport,
) -> list[Layer]:
    found: list[Layer] = []
    names, ratio, size = names_in(context, pair), ratio_words(context, pair), (viewport.width, viewport.height)
    for side in (UPPER, LOWER):
        window = window_of(context, state, pair, side)
        trace = (source.upper, source.lower)[side]
        left_out = planes[side].deepest - planes[side].levels
        found += context.memo(
            _header,
            trace,
            pair[side].thread,
            names[side],
            ratio if side == LOWER else "",
            side,
            window,
            size,
            left_out,
            context.theme,
        )
    return found


def _header(
    trace: Trace,
    thread: int,
    name: str,
    ratio: str,
    side: int,
    window: tuple[float, float],
    size: tuple[float, float],
    left_out: int,
    theme: Theme,
) -> tuple[Layer, ...]:
    top = 0.0 if side == UPPER else size[1] - LEGEND - HEADER
    name_y, tick_y = (top + 10, top + HEADER - 8) if side == UPPER else (top + HEADER - 10, top + 8)
    low, high = trace.threads.ptr[thread : thread + 2]
    text = f"{'AB'[side]}   {name}   {int(high - low):,} calls{ratio}"
    if left_out > 0:
        text += f", {left_out:,} inner levels have no room"
    grid = grid_of(window, size[0])
    times = tick_times(grid, size[0])
    x = (times - window[0]) / (window[1] - window[0]) * size[0]
    steps = np.diff(times)
    least = float(steps.min()) if len(steps) else window[1] - window[0]
    edge = top + HEADER if side == UPPER else top
    return (
        Labels(
            name=f"name {PANES[side]}",
            x=np.array([8.0]),
            y=np.array([name_y]),
            text=(text,),
            color=theme.text,
            size=12.0,
            bold=True,
        ),
        Segments(
            name=f"ticks {PANES[side]}",
            x0=x,
            x1=x,
            y0=np.full(len(x), edge),
            y1=np.full(len(x), edge + (-5 if side == UPPER else 5)),
            color=theme.level,
        ),
        Labels(
            name=f"times {PANES[side]}",
            x=x + 3,
            y=np.full(len(x), tick_y),
            text=tuple(time_text(time, least) for time in times.tolist()),
            color=theme.muted,
            size=10.5,
        ),
    )


def _selected(context: ViewContext, state: TraceDiffState, planes: tuple[Plane, Plane]) -> list[Layer]:
    """A frame around the call that was clicked."""
    if state.chosen is None:
        return []
    side, call = state.chosen
    bars, tops = planes[side].bars, planes[side].tops
    which = np.flatnonzero((bars.row <= call) & (call <= bars.last) & (bars.row == call))[:1]
    if not len(which):
        return []
    x0, x1 = bars.x0[which], bars.x1[which]
    y0, y1 = tops[bars.depth[which]], tops[bars.depth[which] + 1]
    return [
        Segments(
            name="selected",
            pane=planes[side].pane.name,
            x0=np.concatenate((x0, x0, x0, x1)),
            x1=np.concatenate((x1, x1, x0, x1)),
            y0=np.concatenate((y0, y1, y0, y0)),
            y1=np.concatenate((y0, y1, y1, y1)),
            color=context.theme.accent,
            width=2.0,
        )
    ]
