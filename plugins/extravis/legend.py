"""What colours mean, how many calls a row of pixels holds, and what stands out."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Bars, Labels, Raster, Segments, ViewContext, Viewport

from .highlight import Told, highlighted
from .palette import call_colors, only_colors
from .room import LEGEND, Room
from .scene import Scene, shown_rows
from .state import ExtraVisState
from .tree import box_name

Layers = list[Bars | Labels | Segments | Raster]
_STEPS, _SCALE = 40, 64.0


def legend_layers(
    context: ViewContext, state: ExtraVisState, scene: Scene, room: Room, viewport: Viewport, told: Told | None
) -> Layers:
    """One line below the rows."""
    theme, y = context.theme, viewport.height - LEGEND / 2
    texts, places, x = list[str](), list[float](), 8.0

    def say(text: str) -> None:
        nonlocal x
        texts.append(text)
        places.append(x)
        x += viewport.measure(text, 11.0, False) + 6.0

    say("caller")
    bar = x
    x += _SCALE + 6.0
    say("callee")
    boxes = [(bar + step * _SCALE / _STEPS, bar + (step + 1) * _SCALE / _STEPS) for step in range(_STEPS)]
    share = np.linspace(0.0, 1.0, _STEPS)[:, None]
    ends = np.array(call_colors(str(context.values["map"]), theme), np.float64)
    colors = list(np.rint(ends[0] * (1 - share) + ends[1] * share).astype(np.uint8))
    x += 10.0
    shown = shown_rows(context, state, scene)
    each = (shown[1] - shown[0]) / max(room.lanes[0][3] * viewport.scale, 1.0)
    part = "" if shown[1] - shown[0] >= scene.length else f"{shown[1] - shown[0]:,.0f} of "
    say(f"{part}{scene.length:,} rows, {_rows(each)}")
    if len(scene.lanes) == 2:
        for side, word in enumerate(("A alone", "B alone")):
            x += 10.0
            boxes.append((x, x + 11.0))
            colors.append(np.array(only_colors(theme)[side], np.uint8))
            x += 15.0
            say(word)
    if told is not None:
        x += 10.0
        say(told_words(context, scene, told))
    left, right = np.array(boxes).T
    return [
        Bars(
            name="legend",
            x0=left,
            x1=right,
            y0=np.full(len(left), y - 5.0),
            y1=np.full(len(left), y + 5.0),
            color=np.array(colors, np.uint8),
        ),
        Labels(
            name="legend texts",
            x=np.array(places),
            y=np.full(len(texts), y),
            text=tuple(texts),
            color=theme.text,
            size=11.0,
            room=np.maximum(viewport.width - np.array(places) - 6.0, 0.0),
        ),
    ]


def _rows(each: float) -> str:
    if each > 1.05:
        return f"{each:,.1f} in a row of pixels" if each < 10 else f"{each:,.0f} in a row of pixels"
    return "each with room of its own"


def told_words(context: ViewContext, scene: Scene, told: Told) -> str:
    """What stands out, in words."""
    mask = highlighted(context, scene, told)
    pairs = int(mask.sum())
    kind, numbers = told
    if kind == "rare":
        return f"{pairs:,} pairs with at most {numbers[0]:,} call{'' if numbers[0] == 1 else 's'}"
    if kind == "rules":
        none = "no call is, or Traces > Apply rules to run-time calls is off"
        return "against the rules: " + (f"{pairs:,} pair{'' if pairs == 1 else 's'}" if pairs else none)
    if kind == "differs":
        return f"{pairs:,} pairs that one alone calls"
    if kind == "pair":
        ends = (int(scene.pairs.caller[numbers[0]]), int(scene.pairs.callee[numbers[0]]))
        names = [box_name(context.graph, scene, int(scene.icicle.column[end])) for end in ends]
        return f"{names[0]} calls {names[1]}"
    if len(numbers) == 1:
        return f"calls of {box_name(context.graph, scene, numbers[0])}, {pairs:,} pairs"
    return f"calls of {len(numbers):,} selected nodes, {pairs:,} pairs"
