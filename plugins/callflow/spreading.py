"""Histograms of the selected module or call path, or of all: a square for each run, rank or call path (CF-3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import Bars, Pane, Plot, ValuesByRank, ViewContext, Viewport, locate, values_by_rank

from .figures import Floats, spread_of
from .furniture import axis_below, head, inner, still
from .lasso import RunMarks, lasso_layers
from .picture import WAITING, sentence
from .preparing import FlowModel, fault_in, is_exclusive, model_in, selected_module, target_of
from .seen import SeenGroups, key_of_marks, ranks_in, run_marks, seen_in
from .state import CallFlowState

PART, RUNS = "spread", "runs"
OF = (("runs", "Runs"), ("sites", "Call paths"), ("ranks", "Ranks of all runs"))
Longs = npt.NDArray[np.int64]
_GAP = 0.12  # of a bin, between bins
_MOST = 40.0  # pixels of a square
MOST_SQUARES = 100_000


def measured(context: ViewContext, state: CallFlowState, model: FlowModel) -> tuple[str, Floats]:
    """(whose, float64[r]): values of the selected call path or module, or of whole runs."""
    exclusive = is_exclusive(context)
    module = selected_module(state, model)
    if module < 0:
        return "Total", model.ensemble.totals
    row = _row(seen_in(context, state, model), state)
    if row >= 0:
        seen = seen_in(context, state, model)
        return f"{seen.title} › {seen.name[row]}", seen.values(exclusive)[:, row]
    return model.graph.name[module], model.values(exclusive)[:, module]


def _row(seen: SeenGroups, state: CallFlowState) -> int:
    """Of the selected call path among those that are seen; -1 = none."""
    is_path = 0 <= state.site < len(seen.group) and len(seen) > 0 and seen.site[0] >= 0
    return int(seen.group[state.site]) if is_path else -1


@dataclass(frozen=True, eq=False)
class SpreadPieces:
    """k pieces of a histogram.

    title   whose values, and how many
    values  float64[k]; NaN = not there
    run     int64[k]  row of the run; -1 = it is a call path
    item    int64[k]  row of the run, or of the call path in the ensemble
    """

    title: str
    values: Floats
    run: Longs
    item: Longs


def pieces_in(context: ViewContext, state: CallFlowState, model: FlowModel) -> SpreadPieces:
    """What the histogram is of."""
    of = context.values["histogram"]
    if of == "sites":
        return _sites(context, state, model)
    name, values = measured(context, state, model)
    if of == "ranks":
        return _ranks(context, state, model, name)
    known = int((~np.isnan(values)).sum())
    lacking = len(values) - known
    title = f"{name}: {known:,} runs" + (f", {lacking:,} lack it" if lacking else "")
    return SpreadPieces(title, values, np.arange(len(values)), np.arange(len(values)))


def _sites(context: ViewContext, state: CallFlowState, model: FlowModel) -> SpreadPieces:
    """Call paths by the most of all runs; in the mode of a target run by that run."""
    rows = np.arange(len(model.graph.of_node))
    module = selected_module(state, model)
    if module >= 0:
        rows = np.flatnonzero(model.graph.of_node == module)
    values = (model.ensemble.exclusive if is_exclusive(context) else model.ensemble.inclusive)[:, rows]
    whose = "the most of all runs"
    if context.values["mode"] == "target":
        own, whose = values[target_of(context, model)], model.ensemble.names[target_of(context, model)]
    else:
        own = np.fmax.reduce(values, axis=0)
    name = "All" if module < 0 else model.graph.name[module]
    order = np.argsort(-np.nan_to_num(own), kind="stable")[:MOST_SQUARES]
    title = f"{name}: {int((~np.isnan(own)).sum()):,} call paths, {whose}"
    return SpreadPieces(title, own[order], np.full(len(order), -1), rows[order].astype(np.int64))


def _ranks(context: ViewContext, state: CallFlowState, model: FlowModel, name: str) -> SpreadPieces:
    """Ranks of all runs, inclusive."""
    seen = seen_in(context, state, model)
    ranks = ranks_in(context, model, seen)
    row, module = _row(seen, state), selected_module(state, model)
    if row >= 0:
        values = ranks.inclusive[:, row]
    elif module >= 0:
        values = ranks_in(context, model, seen_in(context, CallFlowState(), model)).inclusive[:, module]
    else:
        ranks = context.memo(_whole_runs, model)
        values = ranks.inclusive[:, 0]
    known = int((~np.isnan(values)).sum())
    apart = len(np.unique(ranks.run[ranks.apart]))
    title = f"{name}: {known:,} ranks of {len(model.ensemble):,} runs, inclusive"
    if apart < len(model.ensemble):
        title += f"; of {len(model.ensemble) - apart:,} only the mean is known"
    return SpreadPieces(title, values, ranks.run, ranks.run)


def _whole_runs(model: FlowModel) -> ValuesByRank:
    """What ranks spent in all."""
    return values_by_rank(model.ensemble, np.where(model.ensemble.parent < 0, 0, -1).astype(np.int64), 1)


def draw_spread(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """Squares; those of runs that stand out are marked."""
    model, theme = model_in(context), context.theme
    if model is None:
        return sentence(theme, viewport, fault_in(context) or WAITING)
    pieces = pieces_in(context, state, model)
    if np.isnan(pieces.values).all():
        name, _ = measured(context, state, model)
        return sentence(theme, viewport, f"No run has {name}.")
    squares = _squares(pieces, int(context.values["bins"]), viewport)
    color = np.tile(np.array(theme.other, np.uint8), (len(squares.row), 1))
    runs = pieces.run[squares.row]
    if len(runs) and runs[0] >= 0:
        color = run_marks(context, state, model)[0][runs]
    elif (chosen := pieces.item[squares.row] == state.site).any():
        color[chosen] = theme.accent
    key = key_of_marks(context, state, model) if len(runs) and runs[0] >= 0 else ()
    layers = (
        Bars(
            name=RUNS,
            pane=RUNS,
            x0=squares.x,
            x1=squares.x + squares.wide,
            y0=squares.y,
            y1=squares.y + squares.side,
            color=color,
            item=pieces.item[squares.row].astype(np.int32),
            outline=theme.ground if squares.side >= 4.0 else None,
        ),
        *axis_below(squares.low, squares.high, model.ensemble.unit, inner(viewport), theme),
        *head(pieces.title, key, viewport, theme),
        *lasso_layers(state, PART, theme),
    )
    return Plot((squares.pane,), layers)


def spread_marks(context: ViewContext, state: CallFlowState, model: FlowModel, viewport: Viewport) -> RunMarks:
    """Where the squares lie on the canvas."""
    pieces = pieces_in(context, state, model)
    squares = _squares(pieces, int(context.values["bins"]), viewport)
    x, y = locate(squares.pane, squares.x + squares.wide / 2, squares.y + squares.side / 2)
    return RunMarks(x, y, pieces.run[squares.row])


@dataclass(frozen=True, eq=False)
class _Squares:
    """Where m squares lie. row: of the pieces; x, y: float64[m], lower left corners in bins and pixels."""

    pane: Pane
    row: Longs
    x: Floats
    y: Floats
    wide: float
    side: float
    low: float
    high: float


def _squares(pieces: SpreadPieces, bins: int, viewport: Viewport) -> _Squares:
    spread = spread_of(pieces.values[:, None], bins)
    shape = inner(viewport)
    pane = still(RUNS, shape, (0.0, float(bins)), (shape.height, 0.0))
    beside, side = cells_of(max(int(spread.count.max()), 1), shape.width / bins, shape.height)
    row, number, place = _stacked(spread.bin[:, 0], pieces.values)
    wide = (1.0 - _GAP) / beside
    x, y = number + _GAP / 2 + place % beside * wide, place // beside * side
    return _Squares(pane, row, x, y.astype(np.float64), wide, side, float(spread.low[0]), float(spread.high[0]))


def cells_of(highest: int, wide: float, high: float) -> tuple[int, float]:
    """(how many runs lie beside each other in a bin, the height of each): as near to squares as there is room for.

    highest: runs of the fullest bin; wide, high: pixels of a bin.
    """
    beside = 1
    while beside < highest and -(-highest // beside) * wide * (1.0 - _GAP) / beside > high:
        beside += 1
    rows = -(-highest // beside)
    return beside, min(high / rows, max(wide * (1.0 - _GAP) / beside, 1.0), _MOST)


def _stacked(number: Longs, values: Floats) -> tuple[Longs, Longs, Longs]:
    """(pieces, bin, place within it): in each bin from the smallest value on."""
    order = np.lexsort((values, number))
    order = order[number[order] >= 0]
    own = number[order]
    return order, own, np.arange(len(order)) - np.searchsorted(own, own)
