"""Which matches are drawn, and the tubes that they are (TD-5, TD-6): at most `MOST`, the strongest first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import ViewContext, Viewport, kernel

from .arranging import Plane, plane_of
from .control import control_points, polygons
from .curves import arc_lengths, curve_points, half_widths
from .matching import Compared, Known, Trees, all_known, compared_in, known_in, phases_in, tau_in
from .pair import Chosen, chosen_in
from .state import LOWER, UPPER, TraceDiffState
from .tubes import Tubes

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MOST = 2000
_LINE = 0.5  # logical pixels: half the width of a line


@dataclass(frozen=True, eq=False)
class Drawn:
    """m matches that are drawn, by group.

    match  int64[m]     rows of `Known`
    bar    int64[m, 2]  the bar of each end
    wide   float64[m]   logical pixels of the wider end
    tubes  on the canvas
    total  how many matches have both calls in the windows
    """

    match: Ints
    bar: Ints
    wide: Floats
    tubes: Tubes
    total: int

    def __len__(self) -> int:
        return len(self.match)


def matches_in(
    context: ViewContext,
    state: TraceDiffState,
    pair: tuple[Chosen, Chosen],
    compared: Compared,
    planes: tuple[Plane, Plane],
) -> Known | None:
    """The matches of the mode, in groups; None while they are made."""
    if context.values["mode"] == "all":
        rows = tuple(context.memo(_rows, compared, side, planes[side]) for side in (UPPER, LOWER))
        return context.memo(
            all_known, compared, tau_in(context), state.dropped, phases_in(context), rows[UPPER], rows[LOWER]
        )
    return known_in(context, pair)


def known_at(context: ViewContext, state: TraceDiffState, size: tuple[float, float]) -> Known | None:
    """The matches that a canvas of that size shows; None while they are made."""
    pair = chosen_in(context, state)
    compared = compared_in(context, pair) if pair is not None else None
    planes = planes_of(context, state, pair, Viewport(*size)) if pair is not None else None
    if pair is None or compared is None or planes is None:
        return None
    return matches_in(context, state, pair, compared, planes)


def planes_of(
    context: ViewContext, state: TraceDiffState, pair: tuple[Chosen, Chosen], viewport: Viewport
) -> tuple[Plane, Plane] | None:
    """Both sides; None while calls are being sorted."""
    upper, lower = (plane_of(context, state, pair, side, viewport) for side in (UPPER, LOWER))
    return None if upper is None or lower is None else (upper, lower)


def _rows(compared: Compared, side: int, plane: Plane) -> Ints:
    """The rows of the calls that have a bar."""
    tree = compared.trees[side]
    return plane.bars.row - tree.first


def drawn_in(context: ViewContext, compared: Compared, known: Known, planes: tuple[Plane, Plane]) -> Drawn:
    """What is drawn of the matches."""
    values = context.values
    return context.memo(
        drawn_of, compared, known, *planes, float(values["lambda"]), float(values["tube"]), float(values["lines"])
    )


def drawn_of(
    compared: Trees, known: Known, upper: Plane, lower: Plane, thin: float, tube: float, lines: float
) -> Drawn:
    """The tubes of matches whose ends are seen, the first `MOST`.

    thin   lambda of TD-6; tube: share of the lengths of its calls that a tube is wide; lines: px, what is narrower is a
           line
    """
    one, other = compared.trees
    chosen, bar, total = _chosen(
        known.rows,
        known.group,
        one.first,
        other.first,
        one.depth - one.virtual,
        other.depth - other.virtual,
        *_columns(upper),
        *_columns(lower),
        MOST,
    )
    order = np.argsort(known.group[chosen], kind="stable")
    chosen, bar = chosen[order], bar[order]
    group = known.group[chosen]
    roots = known.rows[known.root[group]] if len(group) else np.zeros((0, 2), np.int64)
    points = []
    for side, (tree, plane) in enumerate(zip(compared.trees, (upper, lower), strict=True)):
        root = _bars_of(plane, roots[:, side] + tree.first, tree.depth[roots[:, side]] - tree.virtual)
        points.append(control_points(plane.side, bar[:, side], group, root))
    widths = np.stack(
        [plane.side.x1[bar[:, side]] - plane.side.x0[bar[:, side]] for side, plane in enumerate((upper, lower))], axis=1
    )
    polygon = polygons(*points)
    curves = curve_points(*polygon) if len(chosen) else np.zeros((0, 2, 2))
    length = arc_lengths(curves)
    wide = widths.max(axis=1, initial=0.0)
    half = half_widths(length, widths * tube, thin)
    half = np.where((wide < lines)[:, None], _LINE, np.maximum(half, _LINE))
    depth = np.stack([plane.bars.depth[bar[:, side]] for side, plane in enumerate((upper, lower))], axis=1).astype(
        np.float64
    )
    return Drawn(chosen, bar, wide, Tubes(curves, half, depth, length), int(total))


def _columns(plane: Plane) -> tuple[Ints, Ints, Ints, Floats]:
    """Rows of bars, by level, and how wide they are."""
    bars = plane.bars
    level = np.searchsorted(bars.depth, np.arange(plane.levels + 1)).astype(np.int64)
    return bars.row.astype(np.int64), bars.last.astype(np.int64), level, plane.side.x1 - plane.side.x0


def _bars_of(plane: Plane, calls: Ints, depth: Ints) -> Ints:
    """The bar of each call, -1 where it has none."""
    row, last, level, _ = _columns(plane)
    return _find_bars(calls, depth.astype(np.int64), row, last, level)


@kernel
def _find_bars(calls: Ints, depth: Ints, row: Ints, last: Ints, level: Ints) -> Ints:
    found = np.empty(len(calls), np.int64)
    for i in range(len(calls)):
        found[i] = _find_bar(calls[i], depth[i], row, last, level)
    return found


@kernel
def _find_bar(call: int, depth: int, row: Ints, last: Ints, level: Ints) -> int:
    if depth < 0 or depth + 1 >= len(level):
        return -1
    low, high = level[depth], level[depth + 1]
    first = low
    while low < high:
        middle = (low + high) // 2
        if row[middle] <= call:
            low = middle + 1
        else:
            high = middle
    return low - 1 if low > first and call <= last[low - 1] else -1


@kernel
def _chosen(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    rows: Ints,
    group: Ints,
    first_a: int,
    first_b: int,
    depth_a: Ints,
    depth_b: Ints,
    row_a: Ints,
    last_a: Ints,
    level_a: Ints,
    wide_a: Floats,
    row_b: Ints,
    last_b: Ints,
    level_b: Ints,
    wide_b: Floats,
    most: int,
) -> tuple[Ints, Ints, int]:
    """Matches in the order of strength: first those whose calls both are wide, then the others, each pair of bars once;
    the bars of each, and how many have both calls in the windows.
    """
    match, bars = np.empty(most, np.int64), np.empty((most, 2), np.int64)
    late, late_bars = np.empty(most, np.int64), np.empty((most, 2), np.int64)
    slots = np.int64(1) << 14
    taken = np.full(slots, -1, np.int64)
    count, waiting, total = 0, 0, 0
    for i in range(len(rows)):
        if group[i] < 0:
            continue
        a = _find_bar(first_a + rows[i, 0], depth_a[rows[i, 0]], row_a, last_a, level_a)
        if a < 0:
            continue
        b = _find_bar(first_b + rows[i, 1], depth_b[rows[i, 1]], row_b, last_b, level_b)
        if b < 0:
            continue
        total += 1
        wide = wide_a[a] > 1.0 and wide_b[b] > 1.0
        if (count if wide else waiting) >= most:
            continue
        key = a * (len(row_b) + 1) + b
        slot = (key * 40503) & (slots - 1)
        while taken[slot] >= 0 and taken[slot] != key:
            slot = (slot + 1) & (slots - 1)
        if taken[slot] == key:
            continue
        taken[slot] = key
        if wide:
            match[count], bars[count, 0], bars[count, 1] = i, a, b
            count += 1
        else:
            late[waiting], late_bars[waiting, 0], late_bars[waiting, 1] = i, a, b
            waiting += 1
    rest = min(most - count, waiting)
    match[count : count + rest] = late[:rest]
    bars[count : count + rest] = late_bars[:rest]
    return match[: count + rest], bars[: count + rest], total
