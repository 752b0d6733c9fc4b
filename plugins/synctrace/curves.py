"""Correspondence curves: three anchors, bent toward the centre, with a circle where the wait was ended (ST-4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import MUTEX, Areas, Bars, Labels, Points, Theme, ViewContext, duration

from .arranging import Arrangement
from .pairs import Known, Seen, alike, unanswered
from .palette import OTHERS, SAME, SHARES, compare_color, object_colors, thread_color

Floats = npt.NDArray[np.float64]
Colors = npt.NDArray[np.uint8]
PIECES = 14  # straight pieces of each border
_BENT = 0.7  # of the way to the centre that the control points go
_THIN = 0.7  # logical pixels: half the least width
_INSIDE, _OUTSIDE, _LIT = 100, 40, 190  # alpha of curves whose release is seen, and is not; of the one pointed at
_OVER = 0.4  # of that alpha where curves lie over bars
_RIM = 0.5  # logical pixels: half the width of an outline
_SHADED, _STEPS = 14.0, 4  # logical pixels of a start shading, and its steps


@dataclass(frozen=True, eq=False)
class Anchors:
    """Where n correspondences lie on the canvas.

    start, end, release  float64[n, 2]: logical pixels; cut off at the windows
    inside               bool[n]: whether the release lies in its thread's window
    """

    start: Floats
    end: Floats
    release: Floats
    inside: npt.NDArray[np.bool_]


def anchors(at: Arrangement, known: Known, rows: npt.NDArray[np.int64]) -> Anchors:
    """The anchors of some correspondences: on the bars of the calls that wait and release."""
    pairs, origin, depth = known.pairs, at.trace.span[0], at.trace.calls.depth
    waiter, releaser = pairs.waiting_thread[rows], pairs.releasing_thread[rows]
    waits_at = at.toward_center(waiter, depth[pairs.waiting[rows]].astype(np.int64))
    ends_at = at.toward_center(releaser, depth[pairs.releasing[rows]].astype(np.int64))
    moment = (pairs.moment[rows] - origin).astype(np.float64)
    low = np.array([at.windows[thread][0] for thread in releaser.tolist()])
    high = np.array([at.windows[thread][1] for thread in releaser.tolist()])
    return Anchors(
        at.places(waiter, (pairs.wait_start[rows] - origin).astype(np.float64), waits_at),
        at.places(waiter, (pairs.wait_end[rows] - origin).astype(np.float64), waits_at),
        at.places(releaser, moment, ends_at),
        (low <= moment) & (moment <= high),
    )


def bent(begin: Floats, end: Floats, center: tuple[float, float]) -> Floats:
    """float64[n, PIECES + 1, 2]: places along cubic curves that are bent toward the centre."""
    middle = np.array(center)
    one, two = begin + _BENT * (middle - begin), end + _BENT * (middle - end)
    t = np.linspace(0.0, 1.0, PIECES + 1)[:, None]
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    found: Floats = sum(
        weight[None] * point[:, None] for weight, point in zip(weights, (begin, one, two, end), strict=True)
    )  # type: ignore[assignment] # a sum of arrays
    return found


def outlines(where: Anchors, center: tuple[float, float]) -> Floats:
    """float64[n, 2 * PIECES + 2, 2]: from the begin of the wait to the release, and back to its end."""
    start, end, release = widened(where.start, where.end), widened(where.end, where.start), where.release
    aside = _left_of(release - np.array(center)) * _THIN
    way, off = np.array(center) - (start + end) / 2, start - end
    aside *= np.where(way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0] > 0, 1.0, -1.0)[:, None]  # borders do not cross
    back = bent(end, release - aside, center)[:, ::-1]
    return np.concatenate((bent(start, release + aside, center), back), axis=1)


def _left_of(way: Floats) -> Floats:
    """float64[n, 2]: unit vectors across directions; cross(way, found) > 0."""
    across = np.stack((-way[:, 1], way[:, 0]), axis=1)
    found: Floats = across / np.maximum(np.hypot(across[:, 0], across[:, 1]), 1e-9)[:, None]
    return found


def widened(place: Floats, other: Floats) -> Floats:
    """Places, moved off those of another array where they are less than a hairline apart."""
    away = place - other
    long = np.hypot(away[:, 0], away[:, 1])
    near = long < 2 * _THIN
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = np.where(long[:, None] > 1e-6, away / long[:, None], 0.0)
    sideways = np.where(np.arange(2)[None] == 0, _THIN, 0.0) * np.ones((len(place), 1))
    push = np.where(long[:, None] > 1e-6, unit * (_THIN - long[:, None] / 2), sideways)
    return np.where(near[:, None], place + push, place)


def curve_layers(
    context: ViewContext, at: Arrangement, known: Known, seen: Seen, colors: dict[int, int], lit: int, moving: bool
) -> tuple[tuple[Areas, ...], tuple[Areas | Bars | Points, ...]]:
    """(what lies below the bars, what lies over them) of all that is seen: curves, pale over bars, and markers.

    lit     the correspondence that the others are compared with, -1 = none
    moving  coarse will do: no markers, and nothing over the bars but the circles
    """
    by, lit = color_choice(context, lit)
    how = (at, known, seen.rows, tuple(colors.items()), by, lit, context.theme)
    if not len(seen.rows):
        return (), ()
    area, rims, discs = context.memo(curve_shapes, *how)
    same = context.memo(same_layer, area, known, seen.rows, by, lit, context.theme)
    return (area, *same), (rims, discs) if moving else (*context.memo(over_bars, area, *how), rims, discs)


def color_choice(context: ViewContext, lit: int) -> tuple[str, int]:
    """(by what curves are coloured, the correspondence that they are compared with: by object alone; -1 = none)."""
    by = str(context.values["color"])
    return by, lit if by == "object" else -1


def curve_shapes(
    at: Arrangement,
    known: Known,
    longest: npt.NDArray[np.int64],
    numbers: tuple[tuple[int, int], ...],
    by: str,
    lit: int,
    theme: Theme,
) -> tuple[Areas, Points, Points]:
    """The curves of some rows, the longest first and on top, with the rims and the circles of their releases."""
    rows = longest[::-1]
    color = curve_colors(at, known, rows, dict(numbers), by, lit, theme)
    return _areas("curves", anchors(at, known, rows), at, rows, color, theme)


def same_layer(
    area: Areas, known: Known, longest: npt.NDArray[np.int64], by: str, lit: int, theme: Theme
) -> tuple[Areas, ...]:
    """Outlines of the curves that wait for the same objects as `lit`: not all tell red from brown (ST-7)."""
    if by != "object" or lit < 0:
        return ()
    same = np.flatnonzero(alike(known, lit, longest[::-1])[0])
    if not len(same):
        return ()
    rim = np.asarray(area.points, np.float64).reshape(-1, int(area.ptr[1] - area.ptr[0]), 2)[same]
    shape = ribbons(rim, _RIM)  # no `outline`: an image of many curves, made on a worker, holds areas alone
    ptr = np.arange(len(same) + 1, dtype=np.int64) * shape.shape[1]
    return (Areas(name="same objects", points=shape.reshape(-1, 2), ptr=ptr, color=(*theme.text[:3], 210)),)


def ribbons(line: Floats, half: float) -> Floats:
    """float64[n, 2 * q, 2]: areas along n lines of q places, `half` a width to both sides."""
    along = np.gradient(line, axis=1)
    aside = np.stack((-along[..., 1], along[..., 0]), axis=-1)
    aside *= half / np.maximum(np.hypot(aside[..., 0], aside[..., 1]), 1e-9)[..., None]
    found: Floats = np.concatenate((line + aside, (line - aside)[:, ::-1]), axis=1)
    return found


def over_bars(
    area: Areas,
    at: Arrangement,
    known: Known,
    longest: npt.NDArray[np.int64],
    numbers: tuple[tuple[int, int], ...],
    by: str,
    lit: int,
    theme: Theme,
    *,
    marked: bool = True,
) -> tuple[Areas | Bars, ...]:
    """Of the curves of some rows what lies over bars: markers, where `marked`, and the curves once more, paler."""
    rows = longest[::-1]
    over = np.array(area.color, np.uint8)
    over[:, 3] = np.rint(over[:, 3] * _OVER)
    above = replace(area, name="curves over bars", color=over, item=None)
    if not marked:
        return (above,)
    return (*_markers(at, known, rows, curve_colors(at, known, rows, dict(numbers), by, lit, theme)), above)


def curve_colors(
    at: Arrangement, known: Known, rows: npt.NDArray[np.int64], number: dict[int, int], by: str, lit: int, theme: Theme
) -> Colors:
    """uint8[n, 4]: by waiting thread, or by object; compared with one red = the same set, brown = shares one (ST-7)."""
    pairs = known.pairs
    if by == "object" and lit >= 0:
        same, shares = alike(known, lit, rows)
        color = np.tile(np.array(compare_color(OTHERS, theme), np.uint8), (len(rows), 1))
        color[shares], color[same] = compare_color(SHARES, theme), compare_color(SAME, theme)
        return color
    if by == "object":
        return object_colors(pairs.object[rows], known.several(pairs.object[rows]), theme)
    color = np.array([thread_color(number.get(thread, 0)) for thread in pairs.waiting_thread[rows].tolist()], np.uint8)
    color = color.reshape(-1, 4)
    color[pairs.kind[rows] > MUTEX] = theme.muted  # links that were recorded: no wait
    return color


def _areas(
    name: str, where: Anchors, at: Arrangement, rows: npt.NDArray[np.int64], color: Colors, theme: Theme
) -> tuple[Areas, Points, Points]:
    shape = outlines(where, at.center)
    pale = color.copy()
    pale[:, 3] = np.where(where.inside, _INSIDE, _OUTSIDE) if name == "curves" else _LIT
    inside = np.flatnonzero(where.inside)
    x, y = where.release[inside, 0], where.release[inside, 1]
    solid = color[inside].copy()
    solid[:, 3] = 255
    return (
        Areas(
            name=name,
            points=shape.reshape(-1, 2),
            ptr=np.arange(len(shape) + 1, dtype=np.int64) * shape.shape[1],
            color=pale,
            item=rows.astype(np.int32),
        ),
        Points(name=f"{name} rims", x=x, y=y, color=theme.ground, size=9.0),
        Points(name=f"{name} releases", x=x, y=y, color=solid, size=7.0, item=rows[inside].astype(np.int32)),
    )


def _markers(at: Arrangement, known: Known, rows: npt.NDArray[np.int64], color: Colors) -> tuple[Bars, ...]:
    """On the thread that released: the time of the wait, and a shading at its begin, where that is seen."""
    pairs, origin, tops = known.pairs, at.trace.span[0], at.tops
    layers: list[Bars] = []
    for thread in np.unique(pairs.releasing_thread[rows]).tolist():
        low, high = at.windows[thread]
        here = np.flatnonzero(pairs.releasing_thread[rows] == thread)
        own = rows[here]
        x0 = (pairs.wait_start[own] - origin).astype(np.float64)
        x1 = (pairs.wait_end[own] - origin).astype(np.float64)
        seen = (x1 >= low) & (x0 <= high) & (x1 > x0)
        own, x0, x1, here = own[seen], x0[seen], x1[seen], here[seen]
        if not len(own):
            continue
        depth = at.trace.calls.depth[pairs.releasing[own]].astype(np.int64)
        y0, y1 = tops[depth], tops[depth + 1] - 0.05
        veil = color[here].copy()
        veil[:, 3] = 60
        pane = at.panes[thread].name
        layers.append(Bars(name=f"waits {pane}", pane=pane, x0=x0, x1=x1, y0=y0, y1=y1, color=veil))
        begun = np.flatnonzero(x0 >= low)
        if not len(begun):
            continue
        shade = color[here][begun].copy()
        shade[:, 3] = 70
        reach = _SHADED * (high - low) / max(at.pixels[thread], 1.0)
        step = np.repeat(np.arange(1, _STEPS + 1) / _STEPS, len(begun)) * reach
        first, last = np.tile(x0[begun], _STEPS), np.tile(x1[begun], _STEPS)
        layers.append(
            Bars(
                name=f"wait begins {pane}",
                pane=pane,
                x0=first,
                x1=np.minimum(first + step, last),
                y0=np.tile(y0[begun], _STEPS),
                y1=np.tile(y1[begun], _STEPS),
                color=np.tile(shade, (_STEPS, 1)),
            )
        )
    return tuple(layers)


def lit_layers(
    context: ViewContext, at: Arrangement, known: Known, row: int, colors: dict[int, int]
) -> tuple[Areas | Labels | Points, ...]:
    """The correspondence that is pointed at or chosen, on top, with its time and object."""
    if not 0 <= row < len(known.pairs):
        return ()
    pairs, theme = known.pairs, context.theme
    waiter, releaser = int(pairs.waiting_thread[row]), int(pairs.releasing_thread[row])
    if waiter not in at.panes or releaser not in at.panes:
        return ()
    rows = np.array([row])
    color = curve_colors(at, known, rows, colors, str(context.values["color"]), -1, theme)
    where = anchors(at, known, rows)
    area, rim, disc = _areas("lit", where, at, rows, color, theme)
    edge = Areas(name="lit edge", points=area.points, ptr=area.ptr, color=(0, 0, 0, 0), outline=theme.text)
    long = duration(int(pairs.wait_end[row] - pairs.wait_start[row]))
    middle = (where.start + where.end) / 2 + 0.25 * (np.array(at.center) - (where.start + where.end) / 2)
    text = Labels(
        name="lit time",
        x=middle[:, 0],
        y=middle[:, 1],
        text=(long,),
        color=theme.text,
        size=12.0,
        bold=True,
        anchor="center",
        halo=theme.halo,
    )
    return area, edge, rim, disc, text


def mark_layers(context: ViewContext, at: Arrangement, known: Known) -> tuple[Points, ...]:
    """Waits that no release ended: a cross where it ended, or a square where it never did."""
    rows, never = unanswered(context, at, known)
    return context.memo(_marks, at, known, rows, never, context.theme)


def _marks(
    at: Arrangement, known: Known, rows: npt.NDArray[np.int64], never: npt.NDArray[np.bool_], theme: Theme
) -> tuple[Points, ...]:
    if not len(rows):
        return ()
    waits, origin = known.trace.table("waits"), at.trace.span[0]
    call = waits["call"][rows].astype(np.int64)
    thread = at.trace.thread_of(call)
    y = at.toward_center(thread, at.trace.calls.depth[call].astype(np.int64))
    place = at.places(thread, (waits["end"][rows] - origin).astype(np.float64), y)
    layers = []
    for name, which, shape, color in (
        ("timed out", np.flatnonzero(~never), "cross", theme.muted),
        ("never ended", np.flatnonzero(never), "square", theme.warning),
    ):
        if len(which):
            layers.append(
                Points(
                    name=name,
                    x=place[which, 0],
                    y=place[which, 1],
                    color=color,
                    size=8.0,
                    shape=shape,
                    item=rows[which].astype(np.int32),
                )
            )
    return tuple(layers)
