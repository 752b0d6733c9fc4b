"""What is in focus: what the pointer brushes in one of the two, and what belongs to it in the other (VF-2, VF-3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import NO_CALL, Brushed, PartFigures, ViewContext, brushed, in_focus, part_figures, standing_for

from .scene import Part, Prepared, Scene, calls_of_cells
from .state import ViewFusionState

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Focused:
    """The focus subset of both.

    by       "calls" or "code": which of the two is brushed; "" = neither, and all calls of the window are in focus
    rows     int64[k]  the call in focus that each bar stands for, the first of several; `NO_CALL` = none
    cells    bool[m]  innermost cells that are shown: the image of these calls, or the subtree that is brushed
    figures  of the calls in focus; of all of the window where the code is brushed
    part     for `metrics.shares_of`
    root     the cell whose subtree is brushed, -1
    at       x in time at which the light falls, None = in the middle of each bar
    depth    of the focus item
    """

    by: str
    rows: npt.NDArray[np.int64]
    cells: Mask
    figures: PartFigures
    part: Part
    root: int = -1
    at: float | None = None
    depth: int = 0


def focused(context: ViewContext, state: ViewFusionState, scene: Scene) -> Focused:
    """By the pointer; without one by what is selected, a call or nodes."""
    memo = context.memo
    if state.code:
        root = cell_at(scene, state)
        if root >= 0:
            return memo(_by_code, scene, (root,), root)
        chosen = selected_cells(context, scene)
        return memo(_by_code, scene, chosen, -1) if chosen and state.hover is None else memo(_all, scene)
    if state.hover is not None:
        found = memo(_brushed, scene, *state.hover)
        return replace(memo(_by_calls, scene, found), at=state.hover[0]) if found.items else memo(_all, scene)
    row = scene.prepared.here(state.selected)
    low, high = scene.prepared.rows
    if low <= row < high:
        found = Brushed("detail", (row,), ((row, int(scene.prepared.trace.calls.end_row[row])),))
        return memo(_by_calls, scene, found)
    return memo(_all, scene)


def cell_at(scene: Scene, state: ViewFusionState) -> int:
    """The cell that begins the subtree under the pointer, -1 = none."""
    if state.hover is None:
        return -1
    cell = scene.layout.at(state.hover[1], state.hover[2])
    return cell if cell < 0 else scene.prepared.tree.above(cell, state.height)


def selected_cells(context: ViewContext, scene: Scene) -> tuple[int, ...]:
    """The outermost cell of each selected node that is there; none while the root is among them."""
    return context.memo(_cells_of, scene.prepared, context.selected) if context.selected else ()


def _cells_of(prepared: Prepared, keys: tuple[int, ...]) -> tuple[int, ...]:
    first = dict[int, int]()
    wanted = np.flatnonzero(np.isin(prepared.tree.key, keys))
    for cell in wanted.tolist():  # cells above stand before those in them
        first.setdefault(int(prepared.tree.key[cell]), cell)
    return () if 0 in first.values() else tuple(first.values())


def _brushed(scene: Scene, x: float, px: float, py: float) -> Brushed:
    del x  # the same place, in time
    left, top = scene.box[:2]
    return brushed(
        scene.prepared.trace, scene.prepared.levels, scene.bars, scene.columns(), scene.tops, (px - left, py - top)
    )


def _all(scene: Scene) -> Focused:
    return Focused("", scene.bars.row, scene.calls > 0, scene.figures, scene.part)


def _by_calls(scene: Scene, found: Brushed) -> Focused:
    prepared, calls = scene.prepared, scene.prepared.trace.calls
    figures = part_figures(prepared.trace, scene.window, found.rows, found.path)
    cells = calls_of_cells(prepared, scene.layout, figures) > 0
    first = min((row for row in found.items if row != NO_CALL), default=0)
    base = 0 if found.path else int(calls.depth[first])
    window, origin = scene.window, prepared.trace.span[0]
    if found.rows and not found.path:
        ends = [(int(calls.start[low]), int(calls.end[low:high].max())) for low, high in found.rows]
        low_end, high_end = min(low for low, _ in ends) - origin, max(high for _, high in ends) - origin
        window = max(window[0], float(low_end)), min(window[1], float(high_end))
    part = Part(window if window[1] > window[0] else scene.window, found.rows, found.path, base)
    depth, bars = int(calls.depth[first]), scene.bars
    rows = np.where(in_focus(bars, found), bars.row, NO_CALL)
    for row in found.path:  # a bar that stands for several is there because of this one
        rows[(rows != NO_CALL) & (bars.depth == calls.depth[row]) & (bars.row <= row) & (row <= bars.last)] = row
    return Focused("calls", rows, cells, figures, part, depth=depth)


def _by_code(scene: Scene, roots: tuple[int, ...], root: int) -> Focused:
    prepared, layout = scene.prepared, scene.layout
    inside = prepared.tree.below(np.array(roots))
    leaves = np.zeros(len(prepared.tree), np.bool_)
    leaves[layout.leaf] = inside[layout.leaf]
    around = np.zeros(len(prepared.tree), np.bool_)  # a node in a cell that shows no parts: the cell stands for it
    around[layout.within[np.array(roots)]] = True
    leaves |= around & ~layout_inner(scene)
    marked = np.where(prepared.cell >= 0, inside[prepared.cell], False)
    rows = standing_for(prepared.trace, prepared.levels, prepared.thread, scene.bars, marked)
    return Focused("code", rows, leaves, scene.figures, scene.part, root)


def layout_inner(scene: Scene) -> Mask:
    """bool[m]: the cells that are no innermost ones."""
    found = np.ones(len(scene.prepared.tree), np.bool_)
    found[scene.layout.leaf] = False
    return found
