"""The picture: boxes of modules with the runs spread inside, and the flows between them (CF-2, CF-4)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Areas, Bars, Curves, Labels, Plot, Segments, SuperGraph, Theme, ViewContext, Viewport

from .figures import Floats, RunSpread, differences, shares_of, signed, spread_of, written
from .flows import BOX, arcs, bands, loops
from .frame import PLANE, STATUS, pane_of, scales_of
from .headline import headline
from .legend import draw_legend
from .naming import box_values, box_words
from .noise import BesideNoise, noise_in
from .palette import (
    Color,
    Colors,
    border_colors,
    box_ground,
    count_colors,
    difference_colors,
    noise_color,
    target_color,
)
from .preparing import (
    FlowModel,
    fault_in,
    highest,
    is_exclusive,
    model_in,
    path_of,
    second_of,
    selected_module,
    target_of,
)
from .state import CallFlowState

Layer = Areas | Bars | Curves | Labels | Segments
_ROOMY = 11.0  # logical pixels of a bin in which the number of its runs is written
BOXES, BINS, FLOWS, BACK, LOOPS = "boxes", "bins", "flows", "back", "loops"
WAITING = "Uniting runs …"


def draw_picture(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """All of it, or a sentence."""
    model = model_in(context)
    if model is None:
        return sentence(context.theme, viewport, fault_in(context) or WAITING)
    theme, mode = context.theme, str(context.values["mode"])
    pane = pane_of(model, state, viewport)
    spread = spread_in(context, model)
    inside: tuple[Layer, ...]
    if mode == "difference":
        preset, pair = str(context.values["colors"]), (target_of(context, model), second_of(context, model))
        noise = (
            noise_in(context, model, model.values(is_exclusive(context))),
            noise_in(context, model, model.graph.flow),
        )
        inside = context.memo(_difference, model, is_exclusive(context), *pair, *noise, theme, preset)
    else:
        inside = context.memo(_summary, model, spread, theme, mode == "target" or bool(state.runs))
        if state.runs:
            inside += context.memo(_selected, model, spread, state.runs, theme)
        elif mode == "summary":
            inside += context.memo(_counts, model, spread, scales_of(pane)[1], theme)
        if mode == "target":
            target = target_of(context, model)
            inside += context.memo(_target, model, spread, is_exclusive(context), target, theme, scales_of(pane)[1])
    layers: list[Layer] = [
        *inside,
        *context.memo(_arcs, model, scales_of(pane)[1], theme),
        context.memo(_borders, model, scales_of(pane), theme),
        *_highlights(state, model, scales_of(pane), theme),
        *context.memo(
            box_words,
            model,
            box_values(context, model, mode),
            None if mode == "difference" else spread,
            scales_of(pane),
            theme,
            viewport.measure,
        ),
        *draw_legend(context, state, model, spread, viewport),
        *_status(context, state, model, viewport),
    ]
    return Plot((pane,), tuple(layers))


def spread_in(context: ViewContext, model: FlowModel) -> RunSpread:
    """How the runs are spread in each box."""
    return context.memo(spread_of, model.values(is_exclusive(context)), int(context.values["bins"]))


def axis_y(model: FlowModel, share: Floats) -> Floats:
    """Where on the layout a share 0..1 of the axis of each box lies: the largest value on top."""
    found: Floats = model.layout.top + model.layout.size * (1.0 - share)
    return found


def _boxes(model: FlowModel, color: object, hollow: np.ndarray | None = None) -> Bars:
    layout = model.layout
    x = layout.layer.astype(np.float64)
    fill = np.broadcast_to(np.asarray(color, np.uint8), (len(x), 4)).copy()
    if hollow is not None:
        fill[hollow, 3] = 0
    return Bars(
        name=BOXES,
        pane=PLANE,
        x0=x,
        x1=x + BOX,
        y0=layout.top,
        y1=layout.top + layout.size,
        color=fill,
        item=np.arange(len(x), dtype=np.int32),
    )


def _pale(theme: Theme) -> tuple[int, int, int, int]:
    """Flows of the ensemble."""
    return (*theme.muted[:3], 62)


def _all(graph: SuperGraph) -> Floats:
    return np.ones(len(graph.source))


def _summary(model: FlowModel, spread: RunSpread, theme: Theme, plain: bool) -> tuple[Layer, ...]:
    """Flows, and boxes with a bar for each bin that holds a run."""
    layout = model.layout
    module, number = np.nonzero(spread.count)
    bins = spread.count.shape[1]
    part = layout.size[module] / bins
    y0 = layout.top[module] + part * (bins - 1 - number)
    x = layout.layer[module].astype(np.float64)
    share = spread.count[module, number] / max(int(spread.count.max(initial=0)), 1)
    return (
        bands(FLOWS, PLANE, model.paths, _all(model.graph), _pale(theme), True),
        _boxes(model, box_ground(theme)),
        Bars(
            name=BINS,
            pane=PLANE,
            x0=x,
            x1=x + BOX,
            y0=y0,
            y1=y0 + part,
            color=count_colors(share, theme, plain),
            item=(module * bins + number).astype(np.int32),
        ),
    )


def _counts(model: FlowModel, spread: RunSpread, high: float, theme: Theme) -> tuple[Layer, ...]:
    """The number of runs in each bin that is high enough to be written in."""
    bins = spread.count.shape[1]
    module, number = np.nonzero(spread.count * (model.layout.size * high / bins >= _ROOMY)[:, None])
    count = spread.count[module, number]
    strong = count / max(int(spread.count.max(initial=0)), 1) > 0.5
    inner = np.array(box_ground(theme), np.uint8)
    return (
        Labels(
            name="counts",
            pane=PLANE,
            x=model.layout.layer[module] + BOX / 2,
            y=model.layout.top[module] + model.layout.size[module] * (bins - 0.5 - number) / bins,
            text=tuple(f"{each:,}" for each in count.tolist()),
            color=np.where(strong[:, None], inner, np.array(theme.text, np.uint8)),
            size=9.0,
            anchor="center",
        ),
    )


def _selected(model: FlowModel, spread: RunSpread, runs: tuple[int, ...], theme: Theme) -> tuple[Layer, ...]:
    """The bins of the selected runs alone, in the right half of each box."""
    layout, bins = model.layout, spread.count.shape[1]
    rows = np.array([run for run in runs if run < len(spread.bin)], np.int64)
    number = spread.bin[rows]
    module = np.broadcast_to(np.arange(number.shape[1]), number.shape)
    count = np.bincount((module * bins + number)[number >= 0], minlength=number.shape[1] * bins)
    item = np.flatnonzero(count)
    own, at = item // bins, item % bins
    part = layout.size[own] / bins
    x1 = layout.layer[own] + BOX
    y0 = layout.top[own] + part * (bins - 1 - at)
    return (
        Bars(
            name="selected bins",
            pane=PLANE,
            x0=x1 - BOX / 2,
            x1=x1,
            y0=y0,
            y1=y0 + part,
            color=count_colors(count[item] / max(int(count.max(initial=0)), 1), theme),
        ),
    )


def _target(
    model: FlowModel, spread: RunSpread, exclusive: bool, target: int, theme: Theme, high: float
) -> tuple[Layer, ...]:
    """The target's flows over those of the ensemble, its value in each box; boxes that it lacks are emptied."""
    layout, green = model.layout, target_color(theme)
    values = model.values(exclusive)[target]
    lacks = np.isnan(values)
    most = highest(model.graph.flow)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.nan_to_num(np.where(most > 0, model.graph.flow[target] / most, 0.0))
    x = layout.layer.astype(np.float64)
    empty = np.flatnonzero(lacks)
    at = np.flatnonzero(~lacks)
    y = axis_y(model, shares_of(values, spread.low, spread.high))[at]
    inset = np.minimum(layout.size[at] / 2, 2.5)  # whole within the border
    y = np.clip(y, layout.top[at] + inset, layout.top[at] + layout.size[at] - inset)
    return (
        bands("target flows", PLANE, model.paths, part, (*green[:3], 95)),
        Bars(
            name="lacking",
            pane=PLANE,
            x0=x[empty],
            x1=x[empty] + BOX,
            y0=layout.top[empty],
            y1=layout.top[empty] + layout.size[empty],
            color=theme.ground,
            pattern="",
        ),
        _line("target ground", x[at], x[at] + BOX, y, 2.5 / high, box_ground(theme)),
        _line("target", x[at] - 0.02, x[at] + BOX + 0.02, y, 1.5 / high, green),
    )


def _line(name: str, x0: Floats, x1: Floats, y: Floats, half: float, color: Color) -> Bars:
    """Lines as areas, which the host fills once and keeps. half: of their width, in the layout's pixels."""
    return Bars(name=name, pane=PLANE, x0=x0, x1=x1, y0=y - half, y1=y + half, color=color)


def _difference(
    model: FlowModel,
    exclusive: bool,
    one: int,
    other: int,
    noise: BesideNoise,
    flow_noise: BesideNoise,
    theme: Theme,
    preset: str,
) -> tuple[Layer, ...]:
    """Boxes and flows by what B spends more than A; grey within the noise of repeats; what both lack is empty."""
    own = differences(model.values(exclusive), one, other)
    flow = differences(model.graph.flow, one, other)
    most = largest(own)
    tint = difference_colors(flow / most, theme, preset)
    strong = np.clip(np.abs(np.nan_to_num(flow)) / most, 0.0, 1.0) ** 0.5
    strong[flow_noise.is_noise] = 0.0
    grey = np.array(theme.muted[:3], np.float64)
    tint[:, :3] = np.rint(grey + (tint[:, :3] - grey) * strong[:, None])
    tint[:, 3] = np.rint(62 + 110 * strong)
    fill = difference_colors(own / most, theme, preset)
    fill[noise.is_noise] = noise_color(theme)
    hatched = np.flatnonzero(noise.is_noise & ~np.isnan(own))
    layout, x = model.layout, model.layout.layer.astype(np.float64)[hatched]
    return (
        bands(FLOWS, PLANE, model.paths, _all(model.graph), tint, True),
        _boxes(model, fill, np.isnan(own)),
        Bars(
            name="within noise",
            pane=PLANE,
            x0=x,
            x1=x + BOX,
            y0=layout.top[hatched],
            y1=layout.top[hatched] + layout.size[hatched],
            color=noise_color(theme),
            pattern="hatched",
        ),
    )


def largest(values: Floats) -> float:
    """The largest size of a difference, which the scale of colours ends at; 1 where there is none."""
    found = float(np.abs(np.nan_to_num(values)).max(initial=0.0))
    return found or 1.0


def _arcs(model: FlowModel, scale: float, theme: Theme) -> tuple[Curves, ...]:
    color = (*theme.muted[:3], 150)
    return (
        *arcs(BACK, PLANE, model.graph, model.layout, scale, color),
        loops(LOOPS, PLANE, model.graph, model.layout, color),
    )


def _borders(model: FlowModel, scales: tuple[float, float], theme: Theme) -> Segments:
    """Round each box, by the most that the module spends by itself in a run."""
    own = np.nan_to_num(highest(model.graph.exclusive))
    color = border_colors(own / max(float(own.max(initial=0.0)), 1e-300), theme)
    return _framed("borders", model, np.arange(len(own)), scales, color, 2.0)


def _framed(
    name: str, model: FlowModel, rows: np.ndarray, scales: tuple[float, float], color: Colors | Color, width: float
) -> Segments:
    """Round boxes, and not over them: the bins at both ends are a pixel or two in low boxes."""
    layout = model.layout
    aside, above = width / 2 / scales[0], width / 2 / scales[1]
    x0 = layout.layer[rows] - aside
    x1, y0 = x0 + BOX + 2 * aside, layout.top[rows] - above
    y1 = y0 + layout.size[rows] + 2 * above
    each = np.tile(color, (4, 1)).astype(np.uint8) if isinstance(color, np.ndarray) else color
    return Segments(
        name=name,
        pane=PLANE,
        x0=np.concatenate((x0, x0, x0, x1)),
        x1=np.concatenate((x1, x1, x0, x1)),
        y0=np.concatenate((y0, y1, y0, y0)),
        y1=np.concatenate((y0, y1, y1, y1)),
        color=each,
        width=width,
    )


def _highlights(state: CallFlowState, model: FlowModel, scales: tuple[float, float], theme: Theme) -> list[Layer]:
    """The selected module; or the modules of the selected call path with the flows between them."""
    path = path_of(state, model)
    if not path:
        module = selected_module(state, model)
        return [] if module < 0 else [_framed("selected", model, np.array([module]), scales, theme.accent, 3.0)]
    modules = model.graph.of_node[path]
    steps = set(zip(modules[:-1].tolist(), modules[1:].tolist(), strict=True))
    on = np.array(
        [pair in steps for pair in zip(model.graph.source.tolist(), model.graph.target.tolist(), strict=True)], np.bool_
    )
    return [
        bands("path flows", PLANE, model.paths, np.where(on, 0.25, 0.0), (*theme.accent[:3], 200)),
        _framed("path", model, np.unique(modules), scales, theme.accent, 3.0),
    ]


def _status(context: ViewContext, state: CallFlowState, model: FlowModel, viewport: Viewport) -> list[Labels]:
    """Two lines: what matters, and what is seen."""
    room = np.array([max(viewport.width - 16.0, 0.0)])
    lines = (
        ("headline", STATUS * 0.28, headline(context, model), context.theme.text, 12.5),
        ("status", STATUS * 0.72, status_text(context, state, model), context.theme.muted, 11.5),
    )
    return [
        Labels(name=name, x=np.array([8.0]), y=np.array([y]), text=(text,), color=color, size=size, room=room)
        for name, y, text, color, size in lines
        if text
    ]


def status_text(context: ViewContext, state: CallFlowState, model: FlowModel) -> str:
    """Which runs, what is measured, what is compared, what is split, what was odd."""
    mode = context.values["mode"]
    ensemble, runs = model.ensemble, len(model.ensemble)
    names, totals, unit = ensemble.names, ensemble.totals, ensemble.unit
    own = "exclusive" if is_exclusive(context) else "inclusive"
    one, other = target_of(context, model), second_of(context, model)
    if mode == "difference":
        change = signed(float(totals[other] - totals[one]), unit)
        said = f"B minus A: {names[other]} minus {names[one]}, {change} of {written(float(totals[one]), unit)} in all"
    elif mode == "target":
        place = int((totals > totals[one]).sum()) + 1
        total = written(float(totals[one]), unit)
        said = f"target {names[one]}: {total} in all, number {place:,} of {runs:,} from the most"
    else:
        ends = written(float(totals.min()), unit), written(float(totals.max()), unit)
        said = ends[0] if runs == 1 else f"{ends[0]} to {ends[1]} in all"
    if state.runs:
        said += f"  ·  {len(state.runs):,} selected"
    if state.splits:
        said += f"  ·  {', '.join(dict.fromkeys(each.module for each in state.splits))} split"
    if model.note:
        said += f"  ·  {model.note}"
    odd = "".join(f"  ·  {count:,} {what}" for what, count in ensemble.repairs.items())
    many = "1 run" if runs == 1 else f"{runs:,} runs"
    return f"{many}  ·  {ensemble.metric}, {own}, means over ranks  ·  {said}{odd}"


def sentence(theme: Theme, viewport: Viewport, say: str) -> Plot:
    """A sentence in place of a picture."""
    text = Labels(
        name="empty",
        x=np.array([viewport.width / 2]),
        y=np.array([viewport.height / 2]),
        text=(say,),
        color=theme.muted,
        anchor="center",
        size=13.0,
        room=np.array([max(viewport.width - 20.0, 0.0)]),
    )
    return Plot((), (text,))
