"""Tooltips: the call or the cell under the pointer, with figures of its file in the window."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Hit, ViewContext, duration, function_title, time_text

from .activity import BARS, FOCUS
from .legend import INPUT
from .reacting import call_under
from .scene import Prepared, prepared_in, scene_in, window_figures
from .state import ViewFusionState, window_of
from .structure import CELLS


def tell_hit(context: ViewContext, state: ViewFusionState, hit: Hit) -> tuple[str, ...]:
    """Lines on what is under the pointer."""
    prepared = prepared_in(context, state)
    if prepared is None:
        return ()
    if hit.layer == INPUT:
        return (f"A click or Ctrl gives the pointer to the {'calls' if state.code else 'code'}",)
    if hit.layer == CELLS and 0 <= hit.item < len(prepared.tree):
        return _cell(context, prepared, state, prepared.tree.above(hit.item, state.height))
    if hit.layer in {BARS, FOCUS} and 0 <= hit.item < len(prepared.trace.calls):
        row = prepared.there(hit.item)
        if state.hover is not None:
            row = call_under(context, prepared, hit.item, state.hover[0])
        return (*_call(context, prepared, state, row), *_merged(context, state, hit.item))
    return ()


def _merged(context: ViewContext, state: ViewFusionState, row: int) -> tuple[str, ...]:
    """A line on how many calls are one bar (OC-4); none for a bar of one call. row: as in the picture."""
    viewport = context.viewports.get("fusion")
    scene = None if viewport is None else scene_in(context, state, viewport)
    count = 1 if scene is None else scene.bars.merges(row)
    return (f"the bar merges {count:,} calls that are too short to be seen one by one",) if count > 1 else ()


def _call(context: ViewContext, prepared: Prepared, state: ViewFusionState, row: int) -> tuple[str, ...]:
    trace = context.trace()
    function = int(trace.calls.function[row])
    start, long = float(trace.calls.start[row] - trace.span[0]), int(trace.calls.end[row] - trace.calls.start[row])
    name, module = function_title(trace.functions, function), trace.functions.module[function]
    lines = [name, *([module] if module else []), f"{duration(long)}, from {time_text(start, max(long / 10, 1.0))}"]
    cell = int(prepared.cell[function])
    if cell < 0:
        return (*lines, "not part of the code that is open")
    file = int(prepared.tree.file[cell])
    return (*lines, *_cell(context, prepared, state, file if file >= 0 else cell))


def _cell(context: ViewContext, prepared: Prepared, state: ViewFusionState, cell: int) -> tuple[str, ...]:
    graph = context.graph
    figures = context.memo(window_figures, prepared, window_of(context, state))
    inside = prepared.tree.below(cell)
    known = np.flatnonzero((prepared.cell >= 0) & (figures.count > 0))
    known = known[inside[prepared.cell[known]]]
    title = graph.path(int(prepared.tree.key[cell])) or graph.name
    count, total, own = (int(column[known].sum()) for column in (figures.count, figures.total, figures.own))
    if not count:
        whole = int(prepared.tree.calls[cell])
        return (title, f"not called in the window; {whole:,} calls in all" if whole else "never called by this thread")
    functions = len(known)
    return (
        title,
        f"{count:,} call{'' if count == 1 else 's'} of {functions:,} function{'' if functions == 1 else 's'}",
        f"{duration(total)} in all calls, {duration(own)} without the calls below",
        f"deepest call at depth {int(figures.deepest[known].max())}",
    )
