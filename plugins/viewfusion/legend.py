"""What colours mean, with absolute values, and which of the two the pointer brushes (VF-2, VF-3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.api import Bars, Graph, Labels, Theme, ViewContext, Viewport

from .coloring import PALE, Linked
from .focus import Focused
from .metrics import METRICS, Shares, written
from .palette import PACKAGES, WHITE, Color, blue, focus_grey, grey, mixed, share_colors
from .scene import RULER, Scene, legend_height
from .state import ViewFusionState

INPUT = "input ground"  # the label: a click on it is Ctrl
_SQUARE, _APART, _LINE = 11.0, 14.0, 20.0
_STEPS, _SCALE = 40, 110.0  # of a scale, and its logical pixels
_SIZE = 11.0
Layers = list[Bars | Labels]


@dataclass(frozen=True)
class _Entry:
    """A square of a colour, or a scale, and what it means."""

    text: str
    color: Color | None = None
    scale: tuple[tuple[int, int, int, int], ...] = ()
    least: str = ""


def legend_layers(
    context: ViewContext, state: ViewFusionState, scene: Scene, focus: Focused, colors: Linked, viewport: Viewport
) -> Layers:
    """Two lines below the code, and the label above it."""
    theme = context.theme
    entries = [entry for of, shares in colors.told for entry in _of_metric(context, scene, of, shares)]
    entries = [
        *(entry for entry in entries if entry.scale),
        *_special(focus, colors, theme),
        *(entry for entry in entries if not entry.scale),
    ]
    top = viewport.height - legend_height(viewport)
    return [*_drawn(tuple(entries), top, viewport, theme), *_label(context, state, viewport)]


def _of_metric(context: ViewContext, scene: Scene, of: str, shares: Shares) -> list[_Entry]:
    metric = dict(METRICS)[shares.metric]
    if context.values["self"] and shares.metric == "time":
        metric = "Own time of the file"
    if context.values["per"] == "cell":
        metric = metric.replace("of the file", "of the cell")
    title = metric if of == "calls and code" else f"{metric} ({of})"
    if shares.metric == "package":
        shown = [rank for rank in range(len(scene.packages.cells)) if (shares.cell == rank).any()]
        names = _package_names(context.graph, scene)
        colors = share_colors(np.arange(len(PACKAGES) + 1.0), "package", "", context.theme).tolist()
        own = [rank for rank in shown if rank < len(PACKAGES)]
        found = [_Entry(names[rank], tuple(colors[rank])) for rank in own]
        if others := len(shown) - len(own):
            found.append(_Entry(f"{others:,} others" if others > 1 else names[shown[-1]], tuple(colors[-1])))
        return found or [_Entry("no call of a package")]
    steps = share_colors(np.linspace(0.0, 1.0, _STEPS), shares.metric, str(context.values["map"]), context.theme)
    range_ = shares.high - shares.low
    least, most = (written(shares.metric, value, range_) for value in (shares.low, shares.high))
    if np.isnan(shares.cell).all():
        return [_Entry(f"{title}: no call")]
    return [_Entry(most, None, tuple(map(tuple, steps.tolist())), f"{title}: {least}")]


def _package_names(graph: Graph, scene: Scene) -> list[str]:
    keys = scene.prepared.tree.key[scene.packages.cells].tolist()
    names = [graph.names[key] for key in keys]
    return [graph.path(key) if names.count(name) > 1 else name for key, name in zip(keys, names, strict=True)]


def _special(focus: Focused, colors: Linked, theme: Theme) -> list[_Entry]:
    """White and blue, wherever they may be seen; grey, as it is meant."""
    if colors.outside:
        found = [_Entry("in focus", focus_grey(theme))] if focus.by else []
        return [*found, _Entry("in focus, no data", WHITE), _Entry("outside the focus, no data", blue(theme))]
    around = tuple(int(value) for value in mixed(np.array([grey(theme)], np.uint8), theme.ground, PALE)[0])
    found = [_Entry("outside the focus", (around[0], around[1], around[2], 255))] if focus.by else []
    return [*found, _Entry("in focus, no data", WHITE), _Entry("outside the focus, no data", blue(theme))]


def _drawn(entries: tuple[_Entry, ...], top: float, viewport: Viewport, theme: Theme) -> Layers:
    """One after the other, in two lines; packages that find no room are counted."""
    zero = np.zeros(1)
    ground = Bars(
        name="legend ground",
        x0=zero,
        x1=zero + viewport.width,
        y0=zero + top,
        y1=zero + viewport.height,
        color=theme.plane,
    )
    boxes, fills = list[tuple[float, float, float]](), list[Color]()
    texts, places = list[str](), list[tuple[float, float]]()
    x, line, lines = 8.0, 0, 2 if legend_height(viewport) > 30 else 1
    for number, entry in enumerate(entries):
        before = viewport.measure(entry.least, _SIZE, False) + 5 if entry.least else 0.0
        mark = _SCALE if entry.scale else _SQUARE if entry.color else 0.0
        wide = before + mark + 5 + viewport.measure(entry.text, _SIZE, False) + _APART
        last = number == len(entries) - 1
        bottom = line == lines - 1
        if x > 8.0 and x + wide + (0 if last or not bottom else 70) > viewport.width:
            if bottom:
                texts.append(f"and {len(entries) - number:,} more")
                places.append((x, top + 13 + line * _LINE))
                break
            x, line = 8.0, 1
        y = top + 13 + line * _LINE
        if entry.least:
            texts.append(entry.least)
            places.append((x, y))
        colors = entry.scale or ((entry.color,) if entry.color else ())
        each = mark / max(len(colors), 1)
        boxes += [(x + before + step * each, x + before + (step + 1) * each, y) for step in range(len(colors))]
        fills += colors
        texts.append(entry.text)
        places.append((x + before + mark + (5 if mark else 0), y))
        x += wide
    left, right, middle = np.array(boxes or np.empty((0, 3))).T
    at = np.array(places or np.empty((0, 2)))
    return [
        ground,
        Bars(
            name="legend",
            x0=left,
            x1=right,
            y0=middle - _SQUARE / 2,
            y1=middle + _SQUARE / 2,
            color=np.array(fills or np.empty((0, 4)), np.uint8),
        ),
        Bars(
            name="legend edges",
            x0=left,
            x1=right,
            y0=middle + _SQUARE / 2,
            y1=middle + _SQUARE / 2 + 1,
            color=theme.line,
        ),
        Labels(name="legend texts", x=at[:, 0], y=at[:, 1], text=tuple(texts), color=theme.text, size=_SIZE),
    ]


def _label(context: ViewContext, state: ViewFusionState, viewport: Viewport) -> Layers:
    """Which of the two the pointer brushes; Ctrl is the other one."""
    text = "Pointer: calls   (Ctrl: code)"
    if state.code:
        levels = "the cell" if not state.height else f"{state.height} level{'' if state.height == 1 else 's'} up"
        text = f"Pointer: code, {levels} (wheel)   (Ctrl: calls)"
    wide = viewport.measure(text, 12.0, True) + 20
    right, zero = viewport.width - 4.0, np.zeros(1)
    color = context.theme.accent if state.code else context.theme.muted
    return [
        Bars(
            name=INPUT,
            x0=zero + max(right - wide, 0.0),
            x1=zero + right,
            y0=zero + 2,
            y1=zero + RULER - 2,
            color=(*color[:3], 255),
            item=np.zeros(1, np.int32),
        ),
        Labels(
            name="input",
            x=zero + right - 10,
            y=zero + RULER / 2,
            text=(text,),
            color=(*context.theme.ground[:3], 255),
            size=12.0,
            bold=True,
            anchor="right",
        ),
    ]
