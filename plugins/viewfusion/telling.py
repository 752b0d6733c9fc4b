"""Tooltips: the call or the cell under the pointer, with figures of its file in the window."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Hit, ViewContext, duration, function_title, time_text

from .activity import BARS, FOCUS
from .legend import INPUT
from .reacting import call_under
from .scene import Prepared, prepared_in, time_of_cell, window_figures
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
        return _call(context, prepared, state, row)
    return ()


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
    window = window_of(context, state)
    figures = context.memo(window_figures, prepared, window)
    inside = prepared.tree.below(cell)
    known = np.flatnonzero((prepared.cell >= 0) & (figures.count > 0))
    known = known[inside[prepared.cell[known]]]
    title = graph.path(int(prepared.tree.key[cell])) or graph.name
    count, own = (int(column[known].sum()) for column in (figures.count, figures.own))
    if not count:
        return title, _why_none(prepared, inside, int(prepared.tree.calls[cell]))
    total = context.memo(time_of_cell, prepared, window, cell)
    functions = len(known)
    return (
        title,
        f"{_calls(count)} of {functions:,} function{'' if functions == 1 else 's'}{_of_all(prepared)}",
        f"{duration(total)} in its calls, {duration(own)} without the calls below",
        f"deepest call at depth {int(figures.deepest[known].max())}",
    )


def _why_none(prepared: Prepared, inside: npt.NDArray[np.bool_], counted: int) -> str:
    """Of code without a call that counts: whether it ran at another time, in another thread, or not at all."""
    if counted:
        return f"not called in the window; {_calls(counted)} in all{_of_all(prepared)}"
    known = np.flatnonzero(prepared.cell >= 0)
    others = int(prepared.ever[known][inside[prepared.cell[known]]].sum())
    return f"not called by this thread; {_calls(others)} in other threads" if others else "did not run"


def _of_all(prepared: Prepared) -> str:
    return ", all threads" if prepared.of_all else ""


def _calls(count: int) -> str:
    return f"{count:,} call{'' if count == 1 else 's'}"
