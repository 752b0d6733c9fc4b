"""Colour linking (VF-3): which colour each cell and each bar has, by what is in focus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import Theme, TimeBars, ViewContext

from .focus import Focused, Mask
from .metrics import OF_CALLS, Shares, group_times, shares_of
from .palette import WHITE, Colors, blue, far_blue, focus_grey, grey, mixed, share_colors
from .scene import Scene

PALE = 0.35  # how far cells out of focus go toward the ground
_THROUGH, _AROUND = 78, 150  # of 255: how opaque calls out of focus are: without data, and with


@dataclass(frozen=True, eq=False)
class Linked:
    """Colours of a moment.

    cells   uint8[l, 4]  of the innermost cells that are shown, `CellLayout.leaf`
    far     uint8[e, 4]  of those that ran elsewhere, which are striped, `Scene.elsewhere`
    base    uint8[k, 4]  of the bars, as if none were in focus
    focus   uint8[k, 4]  of the bars that are; None = nothing is brushed, and `base` says all
    told    shares that colours stand for, with what they are of: "calls and code", "calls", "code"
    outside whether colours are those of what is around the focus
    """

    cells: Colors
    far: Colors
    base: Colors
    focus: Colors | None
    told: tuple[tuple[str, Shares], ...]
    outside: bool


def linked(context: ViewContext, scene: Scene, focus: Focused) -> Linked:
    """By the parameters."""
    values, theme, memo = context.values, context.theme, context.memo
    own, by_cell, map_name = bool(values["self"]), values["per"] == "cell", str(values["map"])
    metric = str(values["color"])
    whole = (scene, scene.figures, scene.part)
    far = memo(_far_cells, scene, focus.cells if focus.by == "code" else None, theme)
    timed = not own and "time" in (metric, values["cells"])
    times = memo(group_times, scene.prepared, scene.layout, scene.part, by_cell) if timed else None
    around = memo(shares_of, *whole, metric, own, by_cell, None, times)
    if values["link"] == "outside":
        structure = memo(shares_of, *whole, str(values["cells"]), own, by_cell, None, times)
        cells = memo(_outside_cells, scene, focus.cells if focus.by else None, structure, map_name, theme)
        opaque = _AROUND if focus.by else 255
        base = memo(_colored_bars, scene, scene.bars.row, around, map_name, theme, opaque, False)
        grays = memo(_grey_bars, scene, focus.rows, theme) if focus.by else None
        same = around.metric == structure.metric
        told = (("calls and code", around),) if same else (("calls", around), ("code", structure))
        return Linked(cells, far, base, grays, told, True)
    if not focus.by:
        cells = memo(_inside_cells, scene, focus.cells, around, map_name, theme)
        base = memo(_colored_bars, scene, scene.bars.row, around, map_name, theme, 255, True)
        return Linked(cells, far, base, None, (("calls and code", around),), False)
    only = focus.cells if focus.by == "code" else None
    shares = memo(
        shares_of, scene, focus.figures, focus.part, metric, own, by_cell, only, times if focus.by == "code" else None
    )
    cells = memo(_inside_cells, scene, focus.cells, shares, map_name, theme)
    base = memo(_plain_bars, scene, theme)
    colored = memo(_colored_bars, scene, focus.rows, shares, map_name, theme, 255, True)
    return Linked(cells, far, base, colored, (("calls and code", shares),), False)


def _inside_cells(scene: Scene, inside: Mask, shares: Shares, map_name: str, theme: Theme) -> Colors:
    """Data in focus: values there, white where there are none; grey around it, blue what is not called."""
    found, leaf = _special(scene, theme), scene.layout.leaf
    which = np.flatnonzero(inside[leaf])
    found[which] = share_colors(shares.cell[leaf[which]], shares.metric, map_name, theme)
    found[which[scene.calls[leaf[which]] == 0]] = WHITE
    return found


def _special(scene: Scene, theme: Theme) -> Colors:
    """Grey for what is called, blue for what is not."""
    colors = np.array([grey(theme), blue(theme)], np.uint8)
    colors[:1] = mixed(colors[:1], theme.ground, PALE)
    return np.array(colors[(scene.calls[scene.layout.leaf] == 0).astype(np.int64)])


def _outside_cells(scene: Scene, inside: Mask | None, shares: Shares, map_name: str, theme: Theme) -> Colors:
    """Data outside focus: values around it, blue where there are none; the focus is grey, white what is not called."""
    leaf = scene.layout.leaf
    found, missing = share_colors(shares.cell[leaf], shares.metric, map_name, theme), scene.calls[leaf] == 0
    found[missing] = blue(theme)
    if inside is not None:
        inside = inside[leaf]
        around = ~inside & ~missing
        found[around] = mixed(found[around], theme.ground, PALE * 0.6)
        found[inside] = focus_grey(theme)
        found[inside & missing] = WHITE
    return found


def _far_cells(scene: Scene, inside: Mask | None, theme: Theme) -> Colors:
    """Of code that ran in another thread or at another time: white in focus, pale blue outside."""
    which = scene.layout.leaf[scene.elsewhere[scene.layout.leaf]]
    found = np.broadcast_to(np.array(far_blue(theme), np.uint8), (len(which), 4)).copy()
    if inside is not None:
        found[inside[which]] = WHITE
    return found


def values_of(scene: Scene, rows: npt.NDArray[np.int64], metric: str) -> npt.NDArray[np.float64]:
    """float64[k]: values of calls, for metrics of calls."""
    trace = scene.prepared.trace
    if metric == "start":
        return (trace.calls.start[rows] - trace.span[0]).astype(np.float64)
    return trace.calls.depth[rows].astype(np.float64)


def _colored_bars(
    scene: Scene, rows: npt.NDArray[np.int64], shares: Shares, map_name: str, theme: Theme, alpha: int, inside: bool
) -> Colors:
    """Of the calls that bars stand for, by file or by call; what has no node is white in focus, else blue."""
    bars: TimeBars = scene.bars
    function = scene.prepared.trace.calls.function[rows]
    share = shares.function[function]
    if shares.metric in OF_CALLS:
        share = np.where(np.isnan(share), np.nan, shares.of_calls(values_of(scene, rows, shares.metric)))
    found = share_colors(share, shares.metric, map_name, theme)
    missing = scene.prepared.cell[function] < 0
    found[missing] = WHITE if inside else blue(theme)
    lighter = np.where((bars.count > 1) & ~missing, 0.25, 0.0)
    found = mixed(found, theme.ground, lighter)
    found[:, 3] = alpha
    return found


def _plain_bars(scene: Scene, theme: Theme) -> Colors:
    """Out of focus: one can look through them; blue what has no node."""
    colors = np.array([focus_grey(theme), blue(theme)], np.uint8)
    colors[:, 3] = _THROUGH
    missing = scene.prepared.cell[scene.prepared.trace.calls.function[scene.bars.row]] < 0
    return np.array(colors[missing.astype(np.int64)])


def _grey_bars(scene: Scene, rows: npt.NDArray[np.int64], theme: Theme) -> Colors:
    colors = np.array([focus_grey(theme), WHITE], np.uint8)
    missing = scene.prepared.cell[scene.prepared.trace.calls.function[rows]] < 0
    return np.array(colors[missing.astype(np.int64)])
