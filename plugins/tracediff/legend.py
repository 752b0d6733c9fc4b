"""What colours mean, and how much of what matches is drawn: a line at the bottom."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cbvtool.api import Bars, CallChange, Labels, Theme, ViewContext, Viewport, map_colors

from .arranging import LEGEND
from .changes import COLORS, WORDS, change_counts, changes_in
from .pair import chosen_in
from .palette import RED, grey_of
from .state import TraceDiffState

Color = tuple[int, int, int, int]
Key = tuple[str, Color, Color | None]  # text, fill, outline
Measure = Callable[[str, float, bool], float]  # text, size, bold -> logical pixels
_STEPS, _SCALE, _HIGH = 40, 110.0, 10.0
_RAMPS = {
    "permutation": ("same moment in their group", "another moment"),
    "raw": ("same moment", "another moment"),
    "position": ("begins early in {other}", "late"),
}


def legend_layers(
    context: ViewContext, state: TraceDiffState, viewport: Viewport, headline: str
) -> tuple[Bars | Labels, ...]:
    """The scale of the colours, what is framed and hatched, and the headline at the right."""
    side = max(state.side, 0)
    by = str(context.values["color"])
    size = (viewport.width, viewport.height)
    pair = chosen_in(context, state)
    found = changes_in(context, pair) if pair is not None else None
    changes = () if found is None else tuple(context.memo(change_counts, found).items())
    return context.memo(_legend, by, side, changes, size, headline, context.theme, viewport.measure)


def _legend(
    by: str,
    side: int,
    changes: tuple[tuple[CallChange, int], ...],
    size: tuple[float, float],
    headline: str,
    theme: Theme,
    wide: Measure,
) -> tuple[Bars | Labels, ...]:
    middle = size[1] - LEGEND / 2
    found: list[Bars | Labels] = [legend_ground(size, theme)]
    right = size[0] - 8 - min(wide(headline, 11.0, True), size[0] * (0.35 if changes else 1.0))
    texts: list[tuple[float, str]] = []
    x = 8.0
    x = legend_keys(
        [(f"{count:,} {WORDS[each]}", COLORS[each], None) for each, count in changes],
        x,
        right,
        middle,
        found,
        texts,
        wide,
    )
    if by in _RAMPS and (not changes or x + _SCALE + 250 < right):
        least, most = (text.format(other="BA"[side]) for text in _RAMPS[by])
        texts.append((x, least))
        x += wide(least, 11.0, False) + 6
        share = np.arange(_STEPS) / (_STEPS - 1)
        at = x + np.arange(_STEPS) * (_SCALE / _STEPS)
        if by == "position":
            color = map_colors(share, "cividis")
        else:
            color = np.full((_STEPS, 4), 255, np.uint8)
            part = np.sqrt(share)[:, None]
            color[:, :3] = np.rint(grey_of(theme) * (1 - part) + RED * part)
        y = np.full(_STEPS, middle)
        found.append(
            Bars(name="legend", x0=at, x1=at + _SCALE / _STEPS, y0=y - _HIGH / 2, y1=y + _HIGH / 2, color=color)
        )
        x += _SCALE + 6
        texts.append((x, most))
        x += wide(most, 11.0, False) + 18
    elif by == "group":
        texts.append((x, "a colour for each group of matches"))
        x += wide(texts[-1][1], 11.0, False) + 18
    keys: list[Key] = [("repeated calls", theme.plane, (214, 39, 40, 255))]
    if not changes:
        keys.append(("only in one trace", theme.missing, None))
    x = legend_keys(keys, x, right, middle, found, texts, wide)
    return (*found, *legend_texts(texts, headline, size, x, theme))


def legend_keys(
    keys: list[Key],
    x: float,
    right: float,
    middle: float,
    layers: list[Bars | Labels],
    texts: list[tuple[float, str]],
    wide: Measure,
) -> float:
    """A box and a word for each that fits; where the next one goes."""
    for text, filled, outline in keys:
        if x + 20 + wide(text, 11.0, False) > right:
            break
        one = np.array([x])
        layers.append(
            Bars(
                name=f"legend {text}",
                x0=one,
                x1=one + 12,
                y0=np.array([middle - _HIGH / 2]),
                y1=np.array([middle + _HIGH / 2]),
                color=filled,
                outline=outline,
            )
        )
        texts.append((x + 17, text))
        x += 17 + wide(text, 11.0, False) + 18
    return x


def legend_ground(size: tuple[float, float], theme: Theme) -> Bars:
    """The ground of a legend, across the bottom of a canvas of that size."""
    return Bars(
        name="legend ground",
        x0=np.zeros(1),
        x1=np.array([size[0]]),
        y0=np.array([size[1] - LEGEND]),
        y1=np.array([size[1]]),
        color=theme.plane,
    )


def legend_texts(
    texts: list[tuple[float, str]], headline: str, size: tuple[float, float], x: float, theme: Theme
) -> tuple[Labels, Labels]:
    """The words of a legend, each with its left end, and the headline at the right, in the room that `x` leaves."""
    middle = size[1] - LEGEND / 2
    return (
        Labels(
            name="legend texts",
            x=np.array([at for at, _ in texts]),
            y=np.full(len(texts), middle),
            text=tuple(text for _, text in texts),
            color=theme.text,
            size=11.0,
        ),
        Labels(
            name="headline",
            x=np.array([size[0] - 8]),
            y=np.array([middle]),
            text=(headline,),
            color=theme.text,
            size=11.0,
            bold=True,
            anchor="right",
            room=np.array([max(size[0] - x - 16, 40.0)]),
        ),
    )
