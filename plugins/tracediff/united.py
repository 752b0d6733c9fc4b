"""Both threads in one icicle plot: nothing that vanished is lost, blue takes less in B, red more (TD-11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    BoxShape,
    CallChange,
    Labels,
    LevelFolding,
    Pane,
    Plot,
    Segments,
    Theme,
    ViewContext,
    Viewport,
    duration,
    level_tops,
    signed_duration,
)

from .comparison import plain_sentence
from .difference import OWN, Amounts, Causes, Difference, amounts_in, causes_in, difference_in
from .legend import Color, Measure
from .matching import compared_in, known_in
from .pair import chosen_in
from .state import LOWER, UPPER, TraceDiffState, Window
from .telling import WORKING, sentence

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Colors = npt.NDArray[np.uint8]
PANE, BARS = "union", "bars union"
_HEADER, _LEGEND, _LEVEL, _LEAST, _FOLDED = 24.0, 24.0, 18.0, 12.5, 4.0  # logical pixels
_NARROWEST, _MARK, _LABEL, _LEGIBLE, _MOST_LABELS = 0.7, 14.0, 26.0, 11.0, 600
_MORE, _LESS = (214, 39, 40), (31, 105, 190)
_LIGHT = 128.0  # 0..255: on lighter ground letters are dark
_STRONGEST = 0.85  # of the way to red or blue
_NEW = (CallChange.INSERTED, CallChange.WRAPPED)
_GONE = (CallChange.REMOVED, CallChange.UNWRAPPED)


@dataclass(frozen=True, eq=False)
class Placed:
    """k contexts that are seen. row: int64[k]; x0, x1: ns of the width; depth: int64[k], 0 = the outermost calls.

    tops    float64: y of the levels, logical pixels
    cut     so many inner levels have no room
    """

    row: Ints
    x0: Floats
    x1: Floats
    depth: Ints
    tops: Floats
    cut: int


def edges(difference: Difference, amounts: Amounts) -> tuple[Floats, Floats]:
    """float64[n], float64[n]: where each context begins and ends; what it calls lies at its left end, its own time at
    the right.
    """
    union = difference.union
    after = union.end_row - union.depth - 1  # place of each context if what is called comes first
    own = np.empty(len(union))
    own[after] = np.maximum(amounts.own, 0.0).max(axis=0)
    end = np.cumsum(own)[after]
    return end - amounts.wide, end


def draw_union(context: ViewContext, state: TraceDiffState, viewport: Viewport) -> Plot:
    """The icicle plot, or the sentence that says why there is none."""
    pair = chosen_in(context, state)
    compared = compared_in(context, pair) if pair is not None else None
    difference = difference_in(context, pair) if pair is not None else None
    if pair is None or compared is None or difference is None or not compared.shares():
        known = known_in(context, pair) if pair is not None else None
        return plain_sentence(context, viewport, sentence(context, pair, compared, known) or WORKING)
    amounts = amounts_in(context, difference)
    whole = (0.0, max(float(amounts.wide[0]), 1.0))
    window = state.union or whole
    size = (viewport.width, viewport.height)
    placed = context.memo(_placed, difference, amounts, window, size)
    scale = size[0] / (window[1] - window[0])
    by_total = bool(context.values["change"] == "total")
    room = max(size[1] - _HEADER - _LEGEND, 20.0)
    pane = context.memo(_pane, size[0], room, window, whole)
    layers: list[Bars | Labels | Segments] = [
        *context.memo(_bars, difference, amounts, placed, by_total, context.theme),
        context.memo(_labels, difference, amounts, placed, by_total, scale, context.theme),
    ]
    chosen = -1 if state.chosen is None else difference.context_of(*state.chosen)
    for row, color, width in ((state.context, context.theme.text, 1.2), (chosen, context.theme.accent, 2.2)):
        layers += _frame(placed, row, color, width)
    causes = causes_in(context, difference)
    if isinstance(causes, Causes):
        layers += context.memo(_changed, causes, placed, scale, context.theme)
    layers += context.memo(
        _words, difference, amounts, by_total, placed.cut, _reason(causes), size, context.theme, viewport.measure
    )
    return Plot((pane,), tuple(layers), input=(BARS,))


def _reason(causes: Causes | str) -> str:
    """What is known of the code, for the line at the bottom."""
    if isinstance(causes, str):
        return causes
    count = len({(one.file, one.name) for one in causes.code})
    dirty = " (recorded with changes that are in no commit)" if any(causes.dirty) else ""
    return f"◆ Own code changed: {count:,} functions between the commits{dirty}" if count else f"One commit{dirty}"


def _pane(width: float, room: float, window: Window, whole: Window) -> Pane:
    return Pane(PANE, BoxShape(0.0, _HEADER, width, room), window, (0.0, room), limit=whole, home=whole)


def _placed(difference: Difference, amounts: Amounts, window: Window, size: tuple[float, float]) -> Placed:
    begin, end = edges(difference, amounts)
    scale = size[0] / (window[1] - window[0])
    low, high = window
    seen = (end > low) & (begin < high) & ((end - begin) * scale >= _NARROWEST)
    seen[0] = False
    row = np.flatnonzero(seen)
    depth = difference.union.depth[row] - 1
    levels = int(depth.max(initial=0)) + 1
    # Outer levels that hold nothing but one path to what is looked at are folded, all but the last two.
    covers = (begin[row] <= low + 1e-6 * (high - low)) & (end[row] >= high - 1e-6 * (high - low))
    alone = np.zeros(levels, np.bool_)
    alone[depth[covers]] = True
    outer = int(np.argmin(alone)) if not alone.all() else levels
    room = max(size[1] - _HEADER - _LEGEND, 20.0)
    folded = max(outer - 2, 0)
    free = room - folded * _FOLDED
    high_level = min(max(free / max(levels - folded, 1), _LEAST), _LEVEL)
    tops = level_tops(LevelFolding(folded, None, min(_FOLDED, high_level), high_level), max(levels - 1, 0))
    drawn = min(int(np.searchsorted(tops, room + 0.5, "right")) - 1, levels)
    kept = depth < drawn
    row = row[kept]  # what is cut off at the edges has its name in sight
    return Placed(row, np.maximum(begin[row], low), np.minimum(end[row], high), depth[kept], tops, levels - drawn)


def differences_of(amounts: Amounts, by_total: bool) -> Floats:
    """float64[n]: ns that B takes more in each context."""
    which = amounts.total if by_total else amounts.own
    found: Floats = which[LOWER] - which[UPPER]
    return found


def change_shades(change: Floats, strongest: float, theme: Theme) -> Colors:
    """uint8[k, 4]: from neutral to red where B takes more, to blue where less."""
    share = _STRONGEST * np.sqrt(np.clip(np.abs(change) / max(strongest, 1.0), 0.0, 1.0))[:, None]
    neutral = np.array([70, 76, 84] if theme.is_dark else [226, 228, 230], np.float64)
    hue = np.where((change > 0)[:, None], np.array(_MORE, np.float64), np.array(_LESS, np.float64))
    found = np.full((len(change), 4), 255, np.uint8)
    found[:, :3] = np.rint(neutral * (1 - share) + hue * share)
    return found


def _bars(
    difference: Difference, amounts: Amounts, placed: Placed, by_total: bool, theme: Theme
) -> tuple[Bars | Segments, ...]:
    change = differences_of(amounts, by_total)
    strongest = float(np.abs(change[1:]).max(initial=0.0))
    row, top, bottom = placed.row, placed.tops[placed.depth], placed.tops[placed.depth + 1]
    bottom = bottom - (bottom - top > 4)
    plain = Bars(
        name=BARS,
        pane=PANE,
        x0=placed.x0,
        x1=placed.x1,
        y0=top,
        y1=bottom,
        color=change_shades(change[row], strongest, theme),
        item=row.astype(np.int32),
        outline=theme.ground,
    )
    found: list[Bars | Segments] = [plain]
    kind = difference.union.kind[row]
    for name, kinds, pattern in (("new", _NEW, "diagonal"), ("gone", _GONE, "cross")):
        which = np.flatnonzero(np.isin(kind, kinds))
        found.append(
            Bars(
                name=f"union {name}",
                pane=PANE,
                x0=placed.x0[which],
                x1=placed.x1[which],
                y0=top[which],
                y1=bottom[which],
                color=(*theme.text[:3], 70),
                pattern=pattern,
            )
        )
    return tuple(found)


def _changed(causes: Causes, placed: Placed, scale: float, theme: Theme) -> tuple[Labels, ...]:
    """A mark on contexts whose own code was changed."""
    top, bottom = placed.tops[placed.depth], placed.tops[placed.depth + 1]
    seen = ((placed.x1 - placed.x0) * scale > _MARK) & (bottom - top > _LEGIBLE)
    which = np.flatnonzero(seen & (causes.kind[placed.row] == OWN))
    which = which[np.argsort(-(placed.x1 - placed.x0)[which], kind="stable")[:_MOST_LABELS]]
    return (
        Labels(
            name="union changed",
            pane=PANE,
            x=placed.x0[which],
            y=(top[which] + bottom[which]) / 2,
            text=("◆",) * len(which),
            size=9.0,
            color=theme.text,
            halo=theme.halo,
        ),
    )


def signed_name(difference: Difference, amounts: Amounts, row: int, by_total: bool) -> str:
    """A context's function with "+" or "-" where it is new or gone, and its change."""
    kind = CallChange(int(difference.union.kind[row]))
    sign = "+ " if kind in _NEW else "- " if kind in _GONE else ""
    name = difference.name(row)
    if kind is CallChange.RENAMED:
        name = f"{difference.name(row, UPPER)} → {name}"
    change = float(differences_of(amounts, by_total)[row])
    return f"{sign}{name}  {signed_duration(change)}"


def _labels(
    difference: Difference, amounts: Amounts, placed: Placed, by_total: bool, scale: float, theme: Theme
) -> Labels:
    top, bottom = placed.tops[placed.depth], placed.tops[placed.depth + 1]
    room = (placed.x1 - placed.x0) * scale - 16
    change = differences_of(amounts, by_total)
    strongest = float(np.abs(change[1:]).max(initial=0.0))
    which = np.flatnonzero((room > _LABEL) & (bottom - top > _LEGIBLE))
    which = np.sort(which[np.argsort(-room[which], kind="stable")[:_MOST_LABELS]])
    return Labels(
        name="labels union",
        pane=PANE,
        x=placed.x0[which] + 12 / scale,
        y=(top[which] + bottom[which]) / 2,
        text=tuple(signed_name(difference, amounts, row, by_total) for row in placed.row[which].tolist()),
        size=11.0,
        room=room[which],
        color=_readable(change_shades(change[placed.row[which]], strongest, theme)),
    )


def _readable(ground: Colors) -> Colors:
    """uint8[k, 4]: black or white, whichever is seen better on each colour."""
    light = ground[:, :3].astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    found = np.full((len(ground), 4), 255, np.uint8)
    found[light > _LIGHT, :3] = 20
    return found


def _frame(placed: Placed, row: int, color: Color, width: float) -> list[Segments]:
    which = np.flatnonzero(placed.row == row)
    if not len(which):
        return []
    x0, x1 = placed.x0[which], placed.x1[which]
    y0, y1 = placed.tops[placed.depth[which]], placed.tops[placed.depth[which] + 1]
    return [
        Segments(
            name=f"union frame {width:g}",
            pane=PANE,
            x0=np.concatenate((x0, x0, x0, x1)),
            x1=np.concatenate((x1, x1, x0, x1)),
            y0=np.concatenate((y0, y1, y0, y0)),
            y1=np.concatenate((y0, y1, y1, y1)),
            color=color,
            width=width,
        )
    ]


def _key(name: str, x: float, y: float, color: Color, outline: Color | None, pattern: str) -> Bars:
    one = np.array([x])
    return Bars(
        name=name,
        x0=one,
        x1=one + 14,
        y0=np.array([y - 6]),
        y1=np.array([y + 6]),
        color=color,
        outline=outline,
        pattern=pattern,
    )


def _words(
    difference: Difference,
    amounts: Amounts,
    by_total: bool,
    cut: int,
    reason: str,
    size: tuple[float, float],
    theme: Theme,
    wide: Measure,
) -> tuple[Bars | Labels, ...]:
    """The headline at the top; what colours and patterns mean at the bottom."""
    one, other = (float(each) for each in amounts.total[:, 0])
    scaled = f", A scaled by {amounts.factor:.3g}" if amounts.factor != 1.0 else ""
    share = f" ({(other - one) / one:+.0%})" if one else ""
    head = f"A {duration(one)}, B {duration(other)}: {signed_duration(other - one)}{share}, {difference.clock}{scaled}"
    if cut > 0:
        head += f" · {cut:,} inner levels have no room"
    middle = size[1] - _LEGEND / 2
    found: list[Bars | Labels] = []
    texts: list[tuple[float, str]] = []
    x = 8.0
    less, more, plain = (
        (int(red), int(green), int(blue), 255)
        for red, green, blue, _ in change_shades(np.array([-1.0, 1.0, 0.0]), 1.0, theme)
    )
    of = "total time" if by_total else "self time"
    for text, color, pattern in (
        (f"- less {of} in B", less, ""),
        (f"+ more {of}", more, ""),
        ("+ only in B", plain, "diagonal"),
        ("- only in A", plain, "cross"),
    ):
        found.append(_key(f"union key {text}", x, middle, color, theme.line, ""))
        if pattern:
            found.append(_key(f"union pattern {text}", x, middle, (*theme.text[:3], 110), None, pattern))
        texts.append((x + 19, text))
        x += 19 + wide(text, 11.0, False) + 16
    found.append(
        Labels(
            name="union key texts",
            x=np.array([at for at, _ in texts]),
            y=np.full(len(texts), middle),
            text=tuple(text for _, text in texts),
            color=theme.text,
            size=11.0,
        )
    )
    room = size[0] - x - 8
    if room > 60:
        found.append(
            Labels(
                name="union reason",
                x=np.array([x]),
                y=np.array([middle]),
                text=(reason,),
                color=theme.muted,
                size=11.0,
                room=np.array([room]),
            )
        )
    found.append(
        Labels(
            name="union headline",
            x=np.array([8.0]),
            y=np.array([_HEADER / 2]),
            text=(head,),
            color=theme.text,
            size=12.0,
            bold=True,
            room=np.array([size[0] - 16]),
        )
    )
    return tuple(found)
