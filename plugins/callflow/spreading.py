"""The runs by what they spend in the selected module, or in all: a square for each, stacked in bins (CF-3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Bars, BoxShape, Labels, Pane, Plot, Segments, Theme, ViewContext, Viewport

from .figures import Floats, spread_of, written
from .palette import second_color, target_color
from .picture import WAITING, is_exclusive, sentence
from .preparing import FlowModel, fault_in, model_in, second_of, selected_module, target_of
from .state import CallFlowState

RUNS = "runs"
Longs = npt.NDArray[np.int64]
_LEFT, _TOP, _BOTTOM = 10.0, 24.0, 20.0
_GAP = 0.12  # of a bin, between bins
_MOST = 40.0  # pixels of a square


def measured(context: ViewContext, state: CallFlowState, model: FlowModel) -> tuple[str, Floats]:
    """(whose, float64[r]): values of the selected module, or of whole runs."""
    module = selected_module(state, model)
    if module < 0:
        return "Total", model.ensemble.totals
    return model.graph.name[module], model.values(is_exclusive(context))[:, module]


def draw_spread(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """Squares; the target and the second run stand out."""
    model, theme = model_in(context), context.theme
    if model is None:
        return sentence(theme, viewport, fault_in(context) or WAITING)
    name, values = measured(context, state, model)
    unit = model.ensemble.unit
    bins = int(context.values["bins"])
    spread = spread_of(values[:, None], bins)
    known = np.flatnonzero(spread.bin[:, 0] >= 0)
    if not len(known):
        return sentence(theme, viewport, f"No run has {name}.")
    highest = max(int(spread.count.max()), 1)
    shape = BoxShape(_LEFT, _TOP, max(viewport.width - 2 * _LEFT, 4.0), max(viewport.height - _TOP - _BOTTOM, 4.0))
    pane = Pane(RUNS, shape, (0.0, float(bins)), (shape.height, 0.0), "", "")
    beside, side = cells_of(highest, shape.width / bins, shape.height)
    runs, number, place = _stacked(spread.bin[:, 0], values)
    x, y = number + _GAP / 2 + place % beside * ((1.0 - _GAP) / beside), place // beside * side
    color = np.tile(np.array(theme.other, np.uint8), (len(runs), 1))
    color[runs == target_of(context, model)] = target_color(theme)
    if context.values["mode"] == "difference":
        color[runs == second_of(context, model)] = second_color(theme)
    lacking = len(values) - len(known)
    title = f"{name}: {len(known):,} runs" + (f", {lacking:,} lack it" if lacking else "")
    return Plot(
        (pane,),
        (
            Bars(
                name=RUNS,
                pane=RUNS,
                x0=x,
                x1=x + (1.0 - _GAP) / beside,
                y0=y,
                y1=y + side,
                color=color,
                item=runs.astype(np.int32),
                outline=theme.ground if side >= 4.0 else None,
            ),
            *_axis(float(spread.low[0]), float(spread.high[0]), unit, title, viewport, theme),
        ),
    )


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
    """(runs, bin, place within it): in each bin from the smallest value on."""
    order = np.lexsort((values, number))
    order = order[number[order] >= 0]
    own = number[order]
    return order, own, np.arange(len(order)) - np.searchsorted(own, own)


def _axis(
    low: float, high: float, unit: str, title: str, viewport: Viewport, theme: Theme
) -> tuple[Segments | Labels, ...]:
    bottom = np.array([viewport.height - _BOTTOM])
    left, right = np.array([_LEFT]), np.array([viewport.width - _LEFT])
    y = bottom + _BOTTOM / 2
    return (
        Segments(name="axis", x0=left, x1=right, y0=bottom, y1=bottom, color=theme.level),
        Labels(name="title", x=left, y=np.array([_TOP / 2]), text=(title,), color=theme.text, size=11.0),
        Labels(name="least", x=left, y=y, text=(written(low, unit),), color=theme.muted, size=11.0),
        Labels(name="most", x=right, y=y, text=(written(high, unit),), color=theme.muted, size=11.0, anchor="right"),
    )
