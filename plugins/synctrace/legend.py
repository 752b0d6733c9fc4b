"""The legend: what colours, marks and curves mean; as many rows as it needs, so that no width leaves a word out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cbvtool.api import Bars, Labels, Points, Theme, ViewContext, Viewport

from .palette import IO, OTHERS, SAME, SHARES, WAITS, class_color, compare_color

Color = tuple[int, int, int, int]
Measure = Callable[[str, float, bool], float]
ROW, AROUND = 18.0, 6.0  # logical pixels of a row, and around all
_SIZE, _SQUARE, _APART = 11.0, 11.0, 14.0
_MOST = 1 / 3  # of the height of the canvas
_COUNT = "20,000 of 888,888 waits are drawn, the longest first."  # the longest sentence about what is drawn
_BUSY = "computes"
_MARKS = (("disc", "released here"), ("cross", "ended, no release recorded"), ("square", "never ended"))
_BY_THREAD, _BY_OBJECT = "curve: colour of the thread that waits", "curve: colour of the object"
_LONE, _LINK = "one thread alone waits for it", "link: a start or a message, no wait"  # the greys of curves
_FAR = "pale curve: released outside of what is shown"
_COMPARED = ((SAME, "waits for the same objects, outlined"), (SHARES, "shares one of them"), (OTHERS, "for others"))
_SAVED = "would be saved"


@dataclass(frozen=True)
class _Entry:
    """A sign with its words. sign: "call", "compare", "grey", "saved", "mark" or "" (words alone); of: which one."""

    sign: str
    of: int | str
    words: str

    def wide(self, measure: Measure) -> float:
        """Logical pixels."""
        return (_SQUARE + 5 if self.sign else 0.0) + measure(self.words, _SIZE, False)


def _entries(by: str, compared: bool, saved: bool, links: bool) -> tuple[_Entry, ...]:
    calls = ((0, _BUSY), (WAITS, "waits, the more the stronger"), (IO, "reads and writes"))
    found = [_Entry("call", what, words) for what, words in calls]
    found += [_Entry("mark", shape, words) for shape, words in _MARKS]
    if by == "thread":
        found.append(_Entry("", "", _BY_THREAD))
    elif compared:
        found += [_Entry("compare", what, words) for what, words in _COMPARED]
    else:
        found += [_Entry("", "", _BY_OBJECT), _Entry("grey", "lone", _LONE)]
    found += [_Entry("grey", "link", _LINK)] if links else []
    found.append(_Entry("", "", _FAR))
    return (*found, _Entry("saved", "", _SAVED)) if saved else tuple(found)


def _flow(entries: tuple[_Entry, ...], width: float, measure: Measure) -> tuple[list[tuple[float, int]], int]:
    """(left end and row of each entry, rows of all): row by row, with room for the count at the end."""
    x, row, places = 8.0, 0, []
    for entry in entries:
        wide = entry.wide(measure)
        if x > 8.0 and x + wide > width - 8:
            x, row = 8.0, row + 1
        places.append((x, row))
        x += wide + _APART
    return places, row + 1 + (x > 8.0 and x + measure(_COUNT, _SIZE, False) > width - 8)


def legend_height(viewport: Viewport) -> float:
    """Logical pixels of the legend: the same, whatever curves are coloured by and compared with."""
    every = ((by, compared, True, True) for by, compared in (("thread", False), ("object", False), ("object", True)))
    rows = max(_flow(_entries(*each), viewport.width, viewport.measure)[1] for each in every)
    return AROUND + ROW * max(min(rows, int(viewport.height * _MOST / ROW)), 1)


def legend_layers(
    context: ViewContext,
    waits: bool | None,
    count: tuple[int, int],
    viewport: Viewport,
    *,
    compared: bool,
    saved: bool,
    links: bool,
) -> tuple[Bars | Labels | Points, ...]:
    """What colours and marks mean, and how many curves are drawn of those that are seen (count).

    waits  whether there are any; None while they are being matched
    links  whether links were recorded, which are no waits
    """
    says = "Matching waits …" if waits is None else "" if waits else "The recording holds no waits."
    if count[0] < count[1]:
        says = f"{count[0]:,} of {count[1]:,} waits are drawn, the longest first."
    entries = _entries(str(context.values["color"]), compared, saved, links)
    size = (viewport.width, viewport.height, legend_height(viewport))
    return context.memo(_legend, entries, says, size, viewport.measure, context.theme)


def _legend(
    entries: tuple[_Entry, ...], says: str, size: tuple[float, float, float], measure: Measure, theme: Theme
) -> tuple[Bars | Labels | Points, ...]:
    width, height, high = size
    places, _ = _flow(entries, width, measure)
    first = height - high + (AROUND + ROW) / 2
    one = np.ones(1)
    layers: list[Bars | Labels | Points] = [
        Bars(
            name="legend ground",
            x0=0 * one,
            x1=width * one,
            y0=(height - high) * one,
            y1=height * one,
            color=theme.ground,
        )
    ]
    names = list[tuple[float, float, str]]()
    for entry, (x, row) in zip(entries, places, strict=True):
        y = first + ROW * row
        if y > height:
            break
        names.append((x + (_SQUARE + 5 if entry.sign else 0.0), y, entry.words))
        layers += _sign(entry, x, y, theme)
    return (
        *layers,
        Labels(
            name="legend names",
            x=np.array([x for x, _, _ in names]),
            y=np.array([y for _, y, _ in names]),
            text=tuple(words for _, _, words in names),
            color=theme.text,
            size=_SIZE,
        ),
        Labels(
            name="legend count",
            x=np.array([width - 8]),
            y=np.array([height - (AROUND + ROW) / 2]),
            text=(says,),
            color=theme.muted,
            size=_SIZE,
            anchor="right",
        ),
    )


def _sign(entry: _Entry, x: float, y: float, theme: Theme) -> tuple[Bars | Points, ...]:
    if not entry.sign:
        return ()
    if entry.sign == "mark":
        color = theme.warning if entry.of == "square" else theme.muted
        at = np.array([x + _SQUARE / 2]), np.array([y])
        return (Points(name=f"legend {entry.of}", x=at[0], y=at[1], size=8.0, shape=str(entry.of), color=color),)
    name = f"legend {entry.sign} {entry.of}"
    if entry.sign == "grey" and entry.of == "lone":
        return (_square(name, x, y, theme.other),)
    if entry.sign == "grey":  # links take no time: their curves are lines
        x0, y0 = np.array([x]), np.array([y - 1.0])
        return (Bars(name=name, x0=x0, x1=x0 + _SQUARE, y0=y0, y1=y0 + 2, color=theme.muted),)
    if entry.sign == "saved":
        return (_square(name, x, y, theme.accent, pattern="diagonal"),)
    what = int(entry.of)
    if entry.sign == "call":
        return (_square(name, x, y, class_color(what, theme), pattern="diagonal" if what == IO else ""),)
    rim = (_square(f"{name} rim", x, y, theme.text),) if what == SAME else ()
    return (*rim, _square(name, x, y, compare_color(what, theme), inset=1.5))


def _square(name: str, x: float, y: float, color: Color, *, inset: float = 0.0, pattern: str = "") -> Bars:
    half = _SQUARE / 2 - inset
    x0, y0 = np.array([x + inset]), np.array([y - half])
    return Bars(name=name, x0=x0, x1=x0 + 2 * half, y0=y0, y1=y0 + 2 * half, color=color, pattern=pattern)
