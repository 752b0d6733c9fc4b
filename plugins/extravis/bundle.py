"""The circular bundle view: the calls of the part that is looked at, over the hierarchy around them (EX-1, EX-4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    Graph,
    IdentityFigures,
    Labels,
    Pane,
    Plot,
    Raster,
    SectorShape,
    Segments,
    Theme,
    ViewContext,
    Viewport,
    curve_image,
    curves_on_circle,
    map_colors,
)

from .highlight import Told, highlight_in, highlighted
from .palette import call_colors, only_colors, with_alpha
from .room import levels_of
from .scene import Scene, part_figures_in
from .state import ExtraVisState
from .tree import box_name

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Layers = list[Bars | Labels | Segments | Raster]
RING, CURVES = "ring", "curves"
MOST_CURVES, MOST_MOVING = 2_000, 400
THICKEST = 9.0  # logical pixels of a curve
_DEEPEST = 40  # levels along which curves are bundled
_SAMPLES = 40
_LEGEND = 40.0
_VEIL = 215


@dataclass(frozen=True)
class Circle:
    """Centre and radii, logical pixels: curves up to `inner`, columns up to `middle`, containers up to `outer`."""

    cx: float
    cy: float
    inner: float
    middle: float
    outer: float


def circle_of(scene: Scene, viewport: Viewport, scale: float) -> Circle:
    """As large as fits. scale: of the names."""
    radius = max(min(viewport.width, viewport.height - _LEGEND) / 2 - 6.0, 20.0)
    levels = levels_of(scene.icicle)
    containers = min(levels * 15.0 * scale, radius * 0.28)
    middle = radius - containers
    leaves = min(64.0 * scale, radius * 0.34)
    if 2 * math.pi * (middle - leaves) / max(len(scene.icicle), 1) < 10.0 * scale:  # no room for names
        leaves = min(14.0, radius * 0.1)
    return Circle(viewport.width / 2, 6.0 + radius, middle - leaves, middle, radius)


def draw_bundle(context: ViewContext, state: ExtraVisState, scene: Scene, viewport: Viewport) -> Plot:
    """The ring of the hierarchy, and a curve for each pair of columns that has calls."""
    memo, theme = context.memo, context.theme
    scale = float(context.values["labels"])
    circle = memo(circle_of, scene, viewport, scale)
    told = highlight_in(context, state, scene)
    figures = [part_figures_in(context, state, scene, number) for number in range(len(scene.lanes))]
    strongest = MOST_MOVING if viewport.moving or state.dragging else MOST_CURVES
    chosen = memo(_strongest, strongest, *(each.count for each in figures))
    mode = str(context.values["color"])
    if mode == "differs" and len(figures) < 2:
        mode = "direction"
    blend = "over"
    if bool(context.values["minimum"]) and mode == "direction":
        blend = "max" if theme.is_dark else "min"
    look = (mode, str(context.values["map"]), blend, float(context.values["bundling"]), viewport.scale)
    colors = memo(_colors, mode, str(context.values["map"]), theme, chosen, *figures)
    layers = Layers()
    layers.append(memo(_curves, CURVES, scene, circle, chosen, colors, look, theme, figures[0], None))
    if told is not None and (mask := highlighted(context, scene, told)).any():
        layers.append(memo(_cover, circle, with_alpha(theme.ground, _VEIL)))
        layers.append(memo(_curves, "highlighted curves", scene, circle, chosen, colors, look, theme, figures[0], mask))
    layers += memo(_ring, scene, circle, context.graph, theme, scale, figures[0])
    if told is not None:
        layers += _framed(scene, circle, told, theme)
    layers += _legend(context, scene, viewport, mode, figures, chosen)
    panes = (_pane(scene, circle),)
    return Plot(panes, tuple(layers), (RING, "highlighted curves", CURVES))


def _pane(scene: Scene, circle: Circle) -> Pane:
    """Columns round the circle from the top, clockwise; y from the inner radius outward, pixels."""
    turn = SectorShape(circle.cx, circle.cy, circle.inner, circle.outer, -math.pi / 2, 1.5 * math.pi)
    return Pane(RING, turn, (0.0, float(max(len(scene.icicle), 1))), (0.0, circle.outer - circle.inner), "", "")


def _strongest(most: int, *counts: Rows) -> Rows:
    """Identities with calls, those with most calls first, at most so many."""
    total = np.asarray(sum(counts))
    found = np.flatnonzero(total > 0)
    return found[np.argsort(-total[found], kind="stable")][:most]


def _colors(mode: str, name: str, theme: Theme, chosen: Rows, *figures: IdentityFigures) -> Floats:
    """float64[e, 2, 4] of the chosen identities."""
    found = np.empty((len(chosen), 2, 4))
    alpha = 235.0 if len(chosen) <= 80 else 190.0 if len(chosen) <= 600 else 140.0
    if mode == "time":
        last = figures[0].last.astype(np.float64)
        for each in figures[1:]:
            last = np.where(last < 0, each.last, last)
        some = last[chosen]
        low, high = (float(some.min()), float(some.max())) if len(some) else (0.0, 1.0)
        share = (some - low) / max(high - low, 1e-9)
        found[:, 0] = found[:, 1] = time_colors(share, theme)
    elif mode == "differs":
        one, other = figures[0].count[chosen].astype(np.float64), figures[1].count[chosen].astype(np.float64)
        share = (other - one) / np.maximum(other + one, 1.0)
        ends = np.array(only_colors(theme), np.float64)
        grey = np.array(theme.muted, np.float64)
        toward = np.where(share[:, None] < 0, ends[0], ends[1])
        found[:, 0] = found[:, 1] = grey + (toward - grey) * np.abs(share)[:, None] ** 0.5
    else:
        found[:] = np.array(call_colors(name, theme), np.float64)
    found[..., 3] = alpha
    return found


def time_colors(share: Floats, theme: Theme) -> npt.NDArray[np.uint8]:
    """uint8[k, 4]: from the oldest to the newest, without the end of the map that the ground hides."""
    return map_colors(0.3 + 0.7 * share if theme.is_dark else 0.88 * share, "cividis")


def _curves(
    name: str,
    scene: Scene,
    circle: Circle,
    chosen: Rows,
    colors: Floats,
    look: tuple[str, str, str, float, float],
    theme: Theme,
    figures: IdentityFigures,
    mask: npt.NDArray[np.bool_] | None,
) -> Raster:
    mode, _, blend, beta, scale = look
    some = np.arange(len(chosen)) if mask is None else np.flatnonzero(mask[chosen])
    # What lies on top: in temporal mode the newest, else the thinnest.
    some = some[np.argsort(figures.last[chosen[some]], kind="stable")] if mode == "time" else some
    rows = chosen[some]
    side = 2 * circle.inner
    size = max(round(side * scale), 1)
    points = unit_curves(scene, rows, beta).astype(np.float64)
    points = (points * circle.inner + circle.inner) * (size / side)
    width = thickness(figures.count)[rows] * scale
    shade = colors[some].copy()
    if mask is not None:
        shade[..., 3] = 255.0
        width = np.maximum(width, 1.6 * scale)
    image, which = curve_image(points, width, shade, theme.ground, (size, size), blend)
    item = np.where(which >= 0, rows[np.maximum(which, 0)] if len(rows) else -1, -1).astype(np.int32)
    x, y = circle.cx - circle.inner, circle.cy - circle.inner
    return Raster(name=name, image=image, box=(x, y, x + side, y + side), item=item)


def thickness(count: Rows) -> Floats:
    """float64[i]: logical pixels of each curve: the logarithm of the number of calls."""
    most = max(int(count.max(initial=1)), 1)
    share = np.log1p(count) / math.log1p(max(most, 2))
    return np.where(count > 0, 0.8 + (THICKEST - 0.8) * share**1.5, 0.8)


def unit_curves(scene: Scene, rows: Rows, beta: float) -> npt.NDArray[np.float32]:
    """float32[e, samples, 2] in a circle of radius 1: a caller's calls leave left of its middle, calls of it arrive
    right of it, so that opposite ones lie beside each other.
    """
    shown, pairs = scene.icicle, scene.pairs
    turn = np.float64(2 * math.pi / max(len(shown), 1))
    parent = shown.parent.copy()
    deep = np.flatnonzero(shown.depth > _DEEPEST)
    for box in deep.tolist():
        above = int(parent[box])
        parent[box] = above if shown.depth[above] <= _DEEPEST else parent[above]
    boxes = shown.column
    angle = (np.arange(len(shown)) + 0.5) * turn
    ends = (np.concatenate((boxes, boxes)), np.concatenate((angle - 0.16 * turn, angle + 0.16 * turn)))
    between = (pairs.caller[rows], pairs.callee[rows] + len(shown))
    return curves_on_circle(
        parent,
        (np.asarray(shown.first * turn, np.float64), np.asarray(shown.last * turn, np.float64)),
        ends,
        between,
        beta,
        _SAMPLES,
    )


def _cover(circle: Circle, color: tuple[int, int, int, int]) -> Bars:
    x, y, r, one = circle.cx, circle.cy, circle.inner, np.ones(1)
    return Bars(name="faded", x0=one * (x - r), x1=one * (x + r), y0=one * (y - r), y1=one * (y + r), color=color)


def _ring(
    scene: Scene, circle: Circle, graph: Graph, theme: Theme, scale: float, figures: IdentityFigures
) -> tuple[Bars | Labels, ...]:
    shown = scene.icicle
    levels = levels_of(shown)
    thick = (circle.outer - circle.middle) / max(levels, 1)
    depth = np.minimum(shown.depth, levels)
    rows = np.arange(len(shown.key))
    column = np.zeros(len(rows), np.bool_)
    column[shown.column] = True
    y1 = circle.outer - circle.inner - depth * thick
    y0 = np.where(column, 0.0, y1 - thick)
    active = np.zeros(len(shown), np.bool_)
    called = figures.count > 0
    active[scene.pairs.caller[called]] = active[scene.pairs.callee[called]] = True
    pale = np.array([with_alpha(color, 255) for pair in theme.inner for color in pair], np.uint8)
    color = pale[(shown.first % 2) + 2 * (shown.depth % 2)]
    color[shown.column] = np.where(
        active[:, None], np.array(theme.inner[0][1], np.uint8), np.array(theme.plane, np.uint8)
    )
    seen = (shown.depth <= levels) | column
    arc = (shown.last - shown.first) * (2 * math.pi / max(len(shown), 1)) * circle.inner
    gap = np.where(arc > 4.0, 0.7 / np.maximum(arc, 1.0) * (shown.last - shown.first), 0.0)
    boxes = Bars(
        name=RING,
        pane=RING,
        x0=(shown.first + gap / 2)[seen],
        x1=(shown.last - gap / 2)[seen],
        y0=y0[seen],
        y1=np.maximum(y1 - 1.0, y0 + 0.5)[seen],
        color=color[seen],
        item=rows[seen].astype(np.int32),
    )
    return (boxes, *_ring_names(scene, circle, graph, theme, scale, y0, y1, active))


def _ring_names(
    scene: Scene,
    circle: Circle,
    graph: Graph,
    theme: Theme,
    scale: float,
    y0: Floats,
    y1: Floats,
    active: npt.NDArray[np.bool_],
) -> tuple[Labels, ...]:
    """Of columns along the radius, of containers along the ring; upright on both sides."""
    shown, size = scene.icicle, 11.0 * scale
    turn = 2 * math.pi / max(len(shown), 1)
    angle = (shown.first + shown.last) / 2 * turn - math.pi / 2
    columns = np.zeros(len(shown.key), np.bool_)
    columns[shown.column] = True
    radial = np.flatnonzero(columns & ((shown.last - shown.first) * turn * circle.inner >= size * 0.9))
    radial = radial[y1[radial] - y0[radial] >= 20.0]
    middle = circle.inner + (y0 + y1) / 2
    left = np.cos(angle) < 0
    texts = [box_name(graph, scene, box) for box in radial.tolist()]
    muted = ~active[shown.first[radial]]
    labels = [
        Labels(
            name=name,
            x=circle.cx + middle[rows] * np.cos(angle[rows]),
            y=circle.cy + middle[rows] * np.sin(angle[rows]),
            text=tuple(text for text, good in zip(texts, which, strict=True) if good),
            size=size,
            anchor="center",
            color=color,
            room=(y1 - y0)[rows] - 4.0,
            angle=np.where(left[rows], angle[rows] + math.pi, angle[rows]),
        )
        for name, which, color in (("column names", ~muted, theme.text), ("unused names", muted, theme.muted))
        for rows in (radial[which],)
    ]
    arc = (shown.last - shown.first) * turn * middle
    around = np.flatnonzero(~columns & (arc >= 26.0) & (y1 - y0 >= size * 0.9))
    along = angle[around] + math.pi / 2
    below = np.sin(angle[around]) > 0.0
    return (
        *labels,
        Labels(
            name="container names",
            x=circle.cx + middle[around] * np.cos(angle[around]),
            y=circle.cy + middle[around] * np.sin(angle[around]),
            text=tuple(box_name(graph, scene, box) for box in around.tolist()),
            size=size,
            anchor="center",
            color=theme.text,
            room=np.minimum(arc[around] - 6.0, 1.2 * middle[around]),
            angle=np.where(below, along + math.pi, along),
        ),
    )


def _framed(scene: Scene, circle: Circle, told: Told, theme: Theme) -> Layers:
    """An arc below each end of what stands out."""
    shown = scene.icicle
    if told[0] == "pair":
        ends = (scene.pairs.caller[told[1][0]], scene.pairs.callee[told[1][0]])
        boxes = [int(shown.column[int(end)]) for end in ends]
    elif told[0] == "box":
        boxes = list(told[1][:200])
    else:
        return []
    low, high = shown.first[boxes].astype(np.float64), shown.last[boxes].astype(np.float64)
    zero = np.zeros(len(boxes))
    return [
        Bars(
            name="framed ring", pane=RING, x0=low, x1=high, y0=zero, y1=zero + 4.0, color=with_alpha(theme.accent, 255)
        )
    ]


def _legend(
    context: ViewContext, scene: Scene, viewport: Viewport, mode: str, figures: list[IdentityFigures], chosen: Rows
) -> Layers:
    """Two lines: how much is shown, and what colour means."""
    theme = context.theme
    counts = [int(each.count.sum()) for each in figures]
    pairs = int(np.count_nonzero(sum(each.count for each in figures)))
    calls = f"{counts[0]:,} calls" if len(counts) == 1 else f"A {counts[0]:,} and B {counts[1]:,} calls"
    first = f"{calls} of {pairs:,} pairs"
    if pairs > len(chosen):
        first += f"; the {len(chosen):,} with most calls are drawn"
    most = int(figures[0].count.max(initial=0))
    first += f"; thickness: calls of a pair, up to {most:,}" if most else ""
    left, right = {
        "time": ("called longer ago", "called last"),
        "differs": ("fewer calls in B", "more calls in B"),
    }.get(mode, ("caller", "callee"))
    steps = 40
    share = np.linspace(0.0, 1.0, steps)
    if mode == "time":
        colors = time_colors(share, theme)
    else:
        ends = np.array(only_colors(theme) if mode == "differs" else call_colors(str(context.values["map"]), theme))
        middle = np.array(theme.muted) if mode == "differs" else ends.mean(axis=0)
        low = ends[0] + (middle - ends[0]) * np.minimum(share * 2, 1)[:, None]
        colors = np.rint(low + (ends[1] - middle) * np.maximum(share * 2 - 1, 0)[:, None]).astype(np.uint8)
    y, wide = viewport.height - 12.0, 70.0
    begin = 8.0 + viewport.measure(left, 11.0, False) + 6.0
    return [
        Bars(
            name="scale",
            x0=begin + share[:-1] * wide,
            x1=begin + share[1:] * wide + 0.5,
            y0=np.full(steps - 1, y - 5.0),
            y1=np.full(steps - 1, y + 5.0),
            color=colors[:-1],
        ),
        Labels(
            name="bundle legend",
            x=np.array([8.0, 8.0, begin + wide + 6.0]),
            y=np.array([y - 17.0, y, y]),
            text=(first, left, right),
            color=theme.text,
            size=11.0,
            room=np.maximum(np.array([viewport.width - 12.0] * 3), 0.0),
        ),
    ]
