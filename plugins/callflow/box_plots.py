"""Box plots of modules, or of the call paths of one: over runs or ranks, the target's over all (CF-3; 004, 5.4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    BoxShape,
    BoxStatistics,
    Labels,
    Pane,
    Plot,
    Points,
    Segments,
    ValuesByRank,
    ViewContext,
    Viewport,
    box_statistics,
    frames_around,
)

from .figures import Floats, written
from .furniture import SIDE, TOP, Layer, head
from .palette import Color, second_color, target_color
from .picture import WAITING, sentence
from .preparing import FlowModel, fault_in, is_exclusive, model_in, second_of, target_of
from .seen import Longs, SeenGroups, chosen_in, key_of_marks, ranks_in, seen_in
from .state import CallFlowState

PART, BOX_ROWS, OUTLIERS = "boxplots", "rows", "outliers"
MOST_ROWS = 300
OVER = (("runs", "Runs"), ("ranks", "Ranks of all runs"))
_ROW, _AXIS = 22.0, 16.0  # logical pixels of a row, and of the numbers above
_MARGIN = 6.0  # logical pixels at both ends of the axis, so that no mark is cut


@dataclass(frozen=True, eq=False)
class Samples:
    """What the boxes are made of.

    row     int64[m]     of `SeenGroups`, those that take most first
    values  float64[k, m]
    run     int64[k]     of each sample
    what    in words
    """

    row: Longs
    values: Floats
    run: Longs
    what: str


def samples_in(context: ViewContext, state: CallFlowState, model: FlowModel) -> tuple[SeenGroups, Samples]:
    """What is seen, and the samples of it."""
    seen = seen_in(context, state, model)
    if context.values["over"] == "ranks":
        return seen, context.memo(_ranks, ranks_in(context, model, seen), len(model.ensemble))
    return seen, context.memo(_runs, seen, is_exclusive(context))


def _runs(seen: SeenGroups, exclusive: bool) -> Samples:
    values = seen.values(exclusive)
    row = _order(values)
    own = "exclusive" if exclusive else "inclusive"
    return Samples(row, values[:, row], np.arange(len(values)), f"{own}, over {len(values):,} runs")


def _ranks(ranks: ValuesByRank, runs: int) -> Samples:
    row = _order(ranks.inclusive)
    known = len(np.unique(ranks.run[ranks.apart]))
    said = f"inclusive, over {len(ranks.run):,} ranks of {runs:,} runs"
    if known < runs:
        said += f"; of {runs - known:,} only the mean is known"
    return Samples(row, ranks.inclusive[:, row], ranks.run, said)


def _order(values: Floats) -> Longs:
    most = np.nan_to_num(np.fmax.reduce(values, axis=0), nan=-np.inf)
    return np.argsort(-most, kind="stable")[:MOST_ROWS].astype(np.int64)


def draw_box_plots(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """A row for each."""
    model, theme = model_in(context), context.theme
    if model is None:
        return sentence(theme, viewport, fault_in(context) or WAITING)
    seen, samples = samples_in(context, state, model)
    if not len(samples.row) or not np.isfinite(samples.values).any():
        return sentence(theme, viewport, "There is no value.")
    rows, every = len(samples.row), context.memo(box_statistics, samples.values)
    pane = _pane(samples, viewport)
    mode = str(context.values["mode"])
    layers: list[Layer] = [
        *_grounds(state, seen, samples, viewport, theme.plane, theme.accent),
        *_boxes("all", every, (*theme.other[:3], 120), theme.muted, 0.3),
        *_outliers(samples, every, theme.muted),
    ]
    one, other, chosen = target_of(context, model), second_of(context, model), chosen_in(state, model)
    if chosen.any():
        layers += _boxes(
            "selected", box_statistics(samples.values[chosen[samples.run]]), _faint(theme.accent), theme.accent, 0.16
        )
    if mode != "summary":
        marked = ((one, target_color(theme)),) + (((other, second_color(theme)),) if mode == "difference" else ())
        for number, (run, color) in enumerate(marked):
            own = samples.values[samples.run == run]
            if len(own) > 1:
                place = 0.16 if mode == "target" else 0.11
                layers += _boxes(
                    f"run {number}",
                    box_statistics(own),
                    _faint(color),
                    color,
                    place,
                    0.5 + (number - 0.5) * 0.26 * (mode == "difference"),
                )
            else:
                known = np.flatnonzero(~np.isnan(own[0]))
                layers.append(
                    Points(
                        name=f"run {number}",
                        pane=BOX_ROWS,
                        x=own[0, known],
                        y=known + 0.5,
                        color=color,
                        size=10.0,
                        shape="diamond",
                    )
                )
    left = _names_width(viewport)
    middle = TOP + _AXIS + (np.arange(rows) + 0.5) * _ROW
    median = every.quartile[1]
    unit = model.ensemble.unit
    layers += [
        Labels(
            name="row names",
            x=np.full(rows, SIDE),
            y=middle,
            text=tuple(seen.name[row] for row in samples.row.tolist()),
            color=theme.text,
            size=11.0,
            room=np.full(rows, max(left - SIDE - 74.0, 0.0)),
        ),
        Labels(
            name="medians",
            x=np.full(rows, left - 8.0),
            y=middle,
            text=tuple(written(value, unit) for value in median.tolist()),
            color=theme.muted,
            size=10.5,
            anchor="right",
        ),
        *_top(pane, _ends(samples), unit, viewport, theme.ground, theme.muted),
        *head(
            f"{seen.title}: median and quartiles, {samples.what}",
            key_of_marks(context, state, model) if mode != "summary" or chosen.any() else (),
            viewport,
            theme,
            viewport.top,
        ),
    ]
    return Plot((pane,), tuple(layers), height=TOP + _AXIS + rows * _ROW + 4.0)


def _faint(color: Color) -> Color:
    """Of a box, so that the median in it is seen."""
    return (*color[:3], 110)


def _names_width(viewport: Viewport) -> float:
    return min(max(0.36 * viewport.width, 120.0), 320.0)


def _pane(samples: Samples, viewport: Viewport) -> Pane:
    left, rows = _names_width(viewport), len(samples.row)
    shape = BoxShape(left, TOP + _AXIS, max(viewport.width - left - 2 * SIDE, 4.0), rows * _ROW)
    low, high = _ends(samples)
    margin = _MARGIN * (high - low) / shape.width
    return Pane(BOX_ROWS, shape, (low - margin, high + margin), (0.0, float(rows)), "", "")


def _ends(samples: Samples) -> tuple[float, float]:
    """Of the axis: from 0 on, or from the smallest value where one lies below."""
    low, high = min(float(np.nanmin(samples.values)), 0.0), float(np.nanmax(samples.values))
    return low, high if high > low else low + 1.0


def _grounds(
    state: CallFlowState, seen: SeenGroups, samples: Samples, viewport: Viewport, color: Color, accent: Color
) -> list[Layer]:
    """Behind each row, for the pointer; framed where it is what is selected."""
    rows = np.arange(len(samples.row), dtype=np.float64)
    y0 = TOP + _AXIS + rows * _ROW
    fill = np.tile(np.array(color, np.uint8), (len(rows), 1))
    fill[1::2, 3] = 0
    x0, x1 = rows * 0 + 2.0, rows * 0 + viewport.width - 2.0
    found: list[Layer] = [
        Bars(name=BOX_ROWS, x0=x0, x1=x1, y0=y0, y1=y0 + _ROW, color=fill, item=samples.row.astype(np.int32))
    ]
    chosen = _chosen_row(state, seen)
    if (own := np.flatnonzero(samples.row == chosen)).size:
        found.append(frames_around("row selected", x0[own], x1[own], y0[own] + 1, y0[own] + _ROW - 1, accent))
    return found


def _chosen_row(state: CallFlowState, seen: SeenGroups) -> int:
    if not 0 <= state.site < len(seen.group) or not len(seen) or seen.site[0] < 0:
        return -1
    return int(seen.group[state.site])


def _boxes(
    name: str,
    found: BoxStatistics,
    fill: Color,
    line: Color,
    half: float,
    middle: npt.NDArray[np.float64] | float = 0.5,
) -> list[Layer]:
    """Quartiles as a box, the median as a line in it, whiskers. half: of its height, in rows."""
    rows = np.flatnonzero(found.count > 0)
    y = rows + middle
    low, median, high = found.quartile[:, rows]
    ends = np.concatenate((found.low[rows], high)), np.concatenate((low, found.high[rows]))
    return [
        Segments(
            name=f"{name} whiskers",
            pane=BOX_ROWS,
            x0=ends[0],
            x1=ends[1],
            y0=np.tile(y, 2),
            y1=np.tile(y, 2),
            color=line,
        ),
        Bars(name=f"{name} boxes", pane=BOX_ROWS, x0=low, x1=high, y0=y - half, y1=y + half, color=fill),
        Segments(
            name=f"{name} medians", pane=BOX_ROWS, x0=median, x1=median, y0=y - half, y1=y + half, color=line, width=2.0
        ),
    ]


def _outliers(samples: Samples, every: BoxStatistics, color: Color) -> list[Layer]:
    """Values beyond the whiskers."""
    sample, row = np.nonzero(every.is_outlier)
    item = samples.run[sample].astype(np.int32)
    x = samples.values[sample, row]
    return [Points(name=OUTLIERS, pane=BOX_ROWS, x=x, y=row + 0.5, color=(*color[:3], 190), size=5.0, item=item)]


def _top(
    pane: Pane, ends: tuple[float, float], unit: str, viewport: Viewport, ground: Color, color: Color
) -> list[Layer]:
    """Numbers above the rows, which stay where the rows are scrolled."""
    assert isinstance(pane.shape, BoxShape)
    zero, y = np.zeros(1), np.array([viewport.top + TOP + _AXIS / 2])
    left, right = np.array([pane.shape.x]), np.array([pane.shape.x + pane.shape.width])
    below = zero + viewport.top + TOP + _AXIS
    low, high = written(ends[0], unit), written(ends[1], unit)
    return [
        Bars(name="top ground", x0=zero, x1=zero + viewport.width, y0=zero + viewport.top, y1=below, color=ground),
        Labels(name="least", x=left, y=y, text=(low,), color=color, size=10.5),
        Labels(name="most", x=right, y=y, text=(high,), color=color, size=10.5, anchor="right"),
    ]
