"""Parameters of runs as parallel axes, with what they spent on the last one: a line for each run (CF-3, CF-6).

Source: A. Inselberg, The plane with parallel coordinates (1985).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.api import (
    Bars,
    Ensemble,
    Labels,
    Plot,
    Points,
    RunParameter,
    Segments,
    Theme,
    ViewContext,
    Viewport,
    parameters_of,
)

from .figures import Floats, shares_of, written
from .furniture import BOTTOM, TOP, Layer, head
from .lasso import Longs, RunMarks, lasso_layers
from .picture import WAITING, sentence
from .preparing import FlowModel, fault_in, model_in
from .seen import key_of_marks, run_marks
from .spreading import measured
from .state import CallFlowState

PART, LINES, CORNERS = "parameters", "lines", "corners"
MOST_AXES = 8  # of parameters
MOST_LEVELS = 12  # of a category that are written
_SIDES = 60.0  # logical pixels left and right of the axes
_SIZE = 10.5
_NAMES = 16.0  # logical pixels in which names of axes stand


@dataclass(frozen=True, eq=False)
class RunAxes:
    """a axes. names: str[a]; share: float64[r, a], 0 = at the bottom, NaN = not said; words: (share, text) of each."""

    names: tuple[str, ...]
    share: Floats
    words: tuple[tuple[tuple[float, str], ...], ...]


def axes_of(ensemble: Ensemble, name: str, values: Floats) -> RunAxes | None:
    """Of the parameters that tell runs from each other, and of values float64[r]; None = there is no such parameter."""
    parameters = parameters_of(ensemble.parameters)[:MOST_AXES]
    if not parameters:
        return None
    made = [_axis(one) for one in parameters]
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    made.append((shares_of(values, np.array(low), np.array(high)), _ends(low, high, ensemble.unit)))
    names = (*(one.name for one in parameters), name)
    return RunAxes(names, np.stack([share for share, _ in made], axis=1), tuple(words for _, words in made))


def _axis(one: RunParameter) -> tuple[Floats, tuple[tuple[float, str], ...]]:
    if one.is_number:
        half = one.values / 2  # of which no difference overflows
        low, high = float(np.nanmin(half)), float(np.nanmax(half))
        return shares_of(half, np.array(low), np.array(high)), ((0.0, f"{2 * low:g}"), (1.0, f"{2 * high:g}"))
    places = np.linspace(0.0, 1.0, len(one.levels))
    written_ones = zip(places[:MOST_LEVELS].tolist(), one.levels, strict=False)
    return one.values / max(len(one.levels) - 1, 1), tuple(written_ones)


def _ends(low: float, high: float, unit: str) -> tuple[tuple[float, str], ...]:
    if not high > low:
        return ((0.5, written(low, unit)),)
    return (0.0, written(low, unit)), (1.0, written(high, unit))


def draw_parallel(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """Lines from axis to axis; those of runs that stand out lie above the others."""
    model, theme = model_in(context), context.theme
    if model is None:
        return sentence(theme, viewport, fault_in(context) or WAITING)
    axes = _axes_in(context, state, model)
    if axes is None:
        return sentence(theme, viewport, "There is no parameter that tells these runs from each other.")
    x, y = _corners(axes, viewport)
    color, above = run_marks(context, state, model)
    rows = np.argsort(above, kind="stable")
    begin, end = (np.repeat(x[None, at], len(rows), axis=0) for at in (slice(None, -1), slice(1, None)))
    known = ~np.isnan(y[rows])
    both = known[:, :-1] & known[:, 1:]
    runs = np.repeat(rows[:, None], len(x) - 1, axis=1)[both]
    fill = color[runs]
    fill[:, 3] = np.where(above[runs] > 0, 255, np.minimum(fill[:, 3], 120))
    at = np.repeat(rows[:, None], len(x), axis=1)[known]
    top, bottom = _room(viewport)
    layers: list[Layer] = [
        Segments(
            name="axes", x0=x, x1=x, y0=np.full(len(x), top), y1=np.full(len(x), bottom), color=theme.level, width=1.0
        ),
        Segments(
            name=LINES,
            x0=begin[both],
            x1=end[both],
            y0=y[rows][:, :-1][both],
            y1=y[rows][:, 1:][both],
            color=fill,
            width=1.3,
            item=runs.astype(np.int32),
        ),
        Points(
            name=CORNERS,
            x=np.repeat(x[None, :], len(rows), axis=0)[known],
            y=y[rows][known],
            color=color[at],
            size=5.0,
            item=at.astype(np.int32),
        ),
        *_words(axes, x, top, bottom, viewport, theme),
        *head(
            f"{len(rows):,} runs: parameters, and {axes.names[-1]}",
            key_of_marks(context, state, model),
            viewport,
            theme,
        ),
    ]
    return Plot((), (*layers, *lasso_layers(state, PART, theme)))


def parallel_marks(context: ViewContext, state: CallFlowState, model: FlowModel, viewport: Viewport) -> RunMarks:
    """Where lines cross the axes."""
    axes = _axes_in(context, state, model)
    if axes is None:
        return RunMarks(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    x, y = _corners(axes, viewport)
    run: Longs
    run, axis = np.nonzero(~np.isnan(y))
    return RunMarks(x[axis], y[run, axis], run)


def _axes_in(context: ViewContext, state: CallFlowState, model: FlowModel) -> RunAxes | None:
    name, values = measured(context, state, model)
    return context.memo(axes_of, model.ensemble, name, values)


def _room(viewport: Viewport) -> tuple[float, float]:
    """Where axes begin and end, logical pixels from above."""
    top = TOP + _NAMES + 6.0
    return top, max(viewport.height - BOTTOM / 2, top + 4.0)


def _corners(axes: RunAxes, viewport: Viewport) -> tuple[Floats, Floats]:
    """(float64[a], float64[r, a]): where the axes lie, and where each run crosses them."""
    top, bottom = _room(viewport)
    x = np.linspace(_SIDES, max(viewport.width - 1.5 * _SIDES, _SIDES + 4.0), len(axes.names))
    return x, bottom - (bottom - top) * axes.share


def _words(axes: RunAxes, x: Floats, top: float, bottom: float, viewport: Viewport, theme: Theme) -> list[Layer]:
    """Names above the axes, ends and levels beside them, on a ground of their own: lines begin where they stand."""
    step = float(x[1] - x[0])
    room = max(step - 18.0, 0.0)
    beside = [(at, share, word) for at, words in enumerate(axes.words) for share, word in words]
    left = x[np.array([at for at, _, _ in beside])] + 6.0
    middle = np.array([bottom - (bottom - top) * share for _, share, _ in beside])
    wide = np.array([min(viewport.measure(word, _SIZE, False), room) for _, _, word in beside])
    return [
        Bars(
            name="word grounds",
            x0=left - 2.0,
            x1=left + wide + 2.0,
            y0=middle - 6.5,
            y1=middle + 6.5,
            color=(*theme.ground[:3], 225),
        ),
        Labels(
            name="axis names",
            x=x,
            y=np.full(len(x), TOP + _NAMES / 2),
            text=axes.names,
            color=theme.text,
            size=11.0,
            anchor="center",
            room=np.full(len(x), max(step - 12.0, 0.0)),
        ),
        Labels(
            name="axis words",
            x=left,
            y=middle,
            text=tuple(word for _, _, word in beside),
            color=theme.muted,
            size=_SIZE,
            room=np.full(len(beside), room),
        ),
    ]
