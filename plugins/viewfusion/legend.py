"""What colours mean, with absolute values, and which of the two the pointer brushes (VF-2, VF-3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.api import Bars, Graph, Labels, Theme, ViewContext, Viewport

from .coloring import PALE, Linked
from .focus import Focused
from .metrics import METRICS, Shares, written
from .palette import PACKAGES, WHITE, Color, blue, far_blue, focus_grey, grey, mixed, share_colors
from .scene import RULER, Scene, legend_height
from .state import ViewFusionState

INPUT = "input ground"  # the label: a click on it is Ctrl
_SQUARE, _APART, _LINE = 11.0, 14.0, 20.0
_STEPS, _SCALE = 40, 110.0  # of a scale, and its logical pixels
_SIZE = 11.0
Layers = list[Bars | Labels]


@dataclass(frozen=True)
class _Entry:
    """A square of a colour, of two, or a scale, and what it means. striped: as code that ran elsewhere is."""

    text: str
    color: Color | None = None
    scale: tuple[tuple[int, int, int, int], ...] = ()
    least: str = ""
    striped: bool = False

    @property
    def wide(self) -> float:
        """Logical pixels of its sign."""
        return _SCALE if len(self.scale) > 2 else _SQUARE * len(self.scale) or (_SQUARE if self.color else 0.0)


def legend_layers(
    context: ViewContext, state: ViewFusionState, scene: Scene, focus: Focused, colors: Linked, viewport: Viewport
) -> Layers:
    """Two lines below the code, and the label above it."""
    theme = context.theme
    whose = _whose(scene, focus, colors)
    entries = [entry for of, shares in colors.told for entry in _of_metric(context, scene, of, shares, whose)]
    entries = [
        *(entry for entry in entries if entry.scale),
        *_special(scene, focus, colors, state.code, context.memo(_is_code_missing, scene), theme),
        *(entry for entry in entries if not entry.scale),
    ]
    top = viewport.height - legend_height(viewport)
    return [*_drawn(tuple(entries), top, viewport, theme), *_label(context, state, viewport)]


def _whose(scene: Scene, focus: Focused, colors: Linked) -> str:
    """Whose calls values are of, where there are several."""
    if focus.by == "calls" and not colors.outside:
        return ", in focus"
    if len(scene.prepared.trace.threads) < 2:
        return ""
    return ", all threads" if scene.prepared.of_all else ", this thread"


def _of_metric(context: ViewContext, scene: Scene, of: str, shares: Shares, whose: str) -> list[_Entry]:
    metric = dict(METRICS)[shares.metric]
    if context.values["self"] and shares.metric == "time":
        metric = "Own time of the file"
    if context.values["per"] == "cell":
        metric = metric.replace("of the file", "of the cell")
    title = f"{metric}{whose}" if of == "calls and code" else f"{metric}{whose} ({of})"
    if shares.metric == "package":
        shown = [rank for rank in range(len(scene.packages.cells)) if (shares.cell == rank).any()]
        names = _package_names(context.graph, scene)
        colors = share_colors(np.arange(len(PACKAGES) + 1.0), "package", "", context.theme).tolist()
        own = [rank for rank in shown if rank < len(PACKAGES)]
        found = [_Entry(names[rank], tuple(colors[rank])) for rank in own]
        if others := len(shown) - len(own):
            found.append(_Entry(f"{others:,} others" if others > 1 else names[shown[-1]], tuple(colors[-1])))
        if found and whose:
            found.insert(0, _Entry(f"{title}:"))
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


def _special(
    scene: Scene, focus: Focused, colors: Linked, code: bool, is_code_missing: bool, theme: Theme
) -> list[_Entry]:
    """What has no value, and why; grey, as it is meant. Nothing comes and goes with the place of the pointer.

    code  whether the pointer is for the code; is_code_missing: whether a call that is shown has no place in it
    """
    found: list[_Entry] = []
    if focus.by and colors.outside:
        found.append(_Entry("in focus", focus_grey(theme)))
    elif focus.by:
        red, green, around, _ = mixed(np.array([grey(theme)], np.uint8), theme.ground, PALE)[0].tolist()
        found.append(_Entry("ran outside the focus", (red, green, around, 255)))
    missing, elsewhere = (scene.calls[scene.layout.leaf] == 0), scene.elsewhere[scene.layout.leaf]
    plain, far = bool((missing & ~elsewhere).any()), bool(elsewhere.any())
    looks = [("", blue(theme), far_blue(theme)), *([("in focus, ", WHITE, WHITE)] if code else [])]
    for of, color, striped in looks:
        found += [_Entry(f"{of}did not run", color)] if plain else []
        found += [_Entry(f"{of}ran {_where(scene)}", striped, striped=True)] if far else []
    if is_code_missing:
        found.append(_Entry("a call of code that is not open", scale=(WHITE, blue(theme))))
    return found


def _where(scene: Scene) -> str:
    """Where code without calls that count has some."""
    low, high = scene.window
    part = low > 0 or high < scene.prepared.trace.length
    if scene.prepared.of_all:
        return "at another time"
    return "in another thread or at another time" if part else "in another thread"


def _is_code_missing(scene: Scene) -> bool:
    """Whether a call is shown that has no place in the code."""
    function = scene.prepared.trace.calls.function[scene.bars.row]
    return bool((scene.prepared.cell[function] < 0).any())


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
    boxes, striped, fills = list[tuple[float, float, float]](), list[int](), list[Color]()
    texts, places = list[str](), list[tuple[float, float]]()
    x, line, lines = 8.0, 0, 2 if legend_height(viewport) > 30 else 1
    for number, entry in enumerate(entries):
        before = viewport.measure(entry.least, _SIZE, False) + 5 if entry.least else 0.0
        mark = entry.wide
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
        striped += [len(boxes)] if entry.striped else []
        boxes += [(x + before + step * each, x + before + (step + 1) * each, y) for step in range(len(colors))]
        fills += colors
        texts.append(entry.text)
        places.append((x + before + mark + (5 if mark else 0), y))
        x += wide
    color = np.array(fills or np.empty((0, 4)), np.uint8)
    left, right, middle = np.array(boxes or np.empty((0, 3))).T
    far = np.array(striped, np.int64)
    at = np.array(places or np.empty((0, 2)))
    return [
        ground,
        Bars(name="legend", x0=left, x1=right, y0=middle - _SQUARE / 2, y1=middle + _SQUARE / 2, color=color),
        Bars(
            name="legend stripes",
            x0=left[far],
            x1=right[far],
            y0=middle[far] - _SQUARE / 2,
            y1=middle[far] + _SQUARE / 2,
            color=color[far],
            pattern="diagonal",
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
