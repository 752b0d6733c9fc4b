"""The overview strip: the whole thread in miniature, and which part of it is shown (VF-6)."""

from __future__ import annotations

import numpy as np

from cbvtool.api import (
    Bars,
    BoxShape,
    LevelFolding,
    Pane,
    Plot,
    Segments,
    Theme,
    ViewContext,
    Viewport,
    bars_of,
    grid_of,
    level_tops,
)

from .cells import Packages, packages_of
from .palette import blue, focus_grey, mixed, share_colors
from .scene import Prepared, prepared_in
from .state import ViewFusionState, window_of

WHOLE = "whole"


def draw_overview(context: ViewContext, state: ViewFusionState, viewport: Viewport) -> Plot:
    """Coloured by package, if calls are."""
    prepared = prepared_in(context, state)
    if prepared is None:
        return Plot()
    packages = None
    if context.values["color"] == "package":
        packages = context.memo(packages_of, prepared.tree, int(context.values["level"]))
    whole, width, height = prepared.trace.length, max(viewport.width, 1.0), max(viewport.height, 4.0)
    bars = context.memo(_miniature, prepared, width, height, packages, context.theme)
    pane = Pane(WHOLE, BoxShape(0.0, 0.0, width, height), (0.0, whole), (0.0, height), "", "")
    low, high = window_of(context, state)
    if low <= 0 and high >= whole:
        return Plot((pane,), (bars,))
    return Plot((pane,), (bars, *_markers(low / whole * width, high / whole * width, viewport, context.theme)))


def _miniature(prepared: Prepared, width: float, height: float, packages: Packages | None, theme: Theme) -> Bars:
    trace = prepared.trace
    depth = max(prepared.levels.depth_of(prepared.thread), 1)
    bars = bars_of(trace, prepared.levels, prepared.thread, grid_of((0.0, trace.length), width))
    tops = level_tops(LevelFolding(unfolded=min(height / depth, 14.0)), depth - 1)
    cell = prepared.cell[trace.calls.function[bars.row]]
    if packages is None:
        color = np.broadcast_to(np.array(focus_grey(theme), np.uint8), (len(cell), 4)).copy()
    else:
        rank = np.where(cell >= 0, packages.of_cell[cell], -1).astype(np.float64)
        color = share_colors(rank, "package", "", theme)
    color[cell < 0] = blue(theme)
    color = mixed(color, theme.ground, np.where(bars.count > 1, 0.2, 0.0))
    return Bars(
        name="whole thread",
        pane=WHOLE,
        x0=bars.x0,
        x1=bars.x1,
        y0=tops[bars.depth],
        y1=tops[bars.depth + 1],
        color=color,
    )


def _markers(x0: float, x1: float, viewport: Viewport, theme: Theme) -> tuple[Bars, Segments]:
    """What lies outside of the window is veiled; its ends are lines."""
    x1 = max(x1, x0 + 2)
    veil = Bars(
        name="veil",
        x0=np.array([0.0, x1]),
        x1=np.array([max(x0, 0.0), max(viewport.width, x1)]),
        y0=np.zeros(2),
        y1=np.full(2, viewport.height),
        color=(*theme.ground[:3], 165),
    )
    ends = Segments(
        name="window",
        x0=np.array([x0, x1]),
        x1=np.array([x0, x1]),
        y0=np.zeros(2),
        y1=np.full(2, viewport.height),
        color=theme.accent,
        width=2.0,
    )
    return veil, ends
