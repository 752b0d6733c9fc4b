"""Scales: from the values of a metric to heights and colours, with the legend that explains them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color
from cbvtool.metrics.metric import Metric

FloatColumn = npt.NDArray[np.float64]

TALLEST = 0.3  # height of the largest value, in radii of the disc (at most a third, so that blocks hide little)
SCALES = {"linear": "Linear", "log": "Logarithmic", "quantile": "Quantile"}  # kind -> what people call it
DECADES = 6  # most decades of a logarithmic scale; smaller values lie at its foot
USUAL = 0.98  # share of the picture, of values above the foot of a scale, that a few outliers must not flatten
FAR = 2.0  # a value is an outlier if it is more than this many times the largest usual value
LEAST_STEPS = 5.0  # shortest scale of counts that leaves out outliers: one commit alone must not reach the top
ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)  # times a power of ten: ends that survive small changes


@dataclass(frozen=True)
class Scale:
    """How values become shares of a height or of a colour map.

    kind              one of `SCALES`: `linear`; `log`, on which equal ratios have equal lengths; `quantile`, on which
                      every value takes a share of the scale equal to its frequency
    minimum, maximum  values at the ends; None = those of the values shown, without a few outliers. Values outside are
                      drawn like the nearer end
    """

    kind: str = "linear"
    minimum: float | None = None
    maximum: float | None = None


LINEAR = Scale()


@dataclass(frozen=True, eq=False)
class Axis:
    """A scale fitted to values.

    minimum, maximum   values at the two ends; NaN when nothing was measured
    kind               as in `Scale`
    base, grain        of a logarithmic scale: the value where it begins, and the length of its first unit there
    knots, ranks       of a quantile scale: float64[k] values, ascending, and their shares 0..1
    below, above       how many values lie outside
    pinned             the scale was fitted to the values before a plan, and also shows the values after it
    """

    minimum: float
    maximum: float
    kind: str = "linear"
    base: float = 0.0
    grain: float = 1.0
    knots: FloatColumn = field(default_factory=lambda: np.empty(0))
    ranks: FloatColumn = field(default_factory=lambda: np.empty(0))
    below: int = 0
    above: int = 0
    pinned: bool = False

    def pinned_for(self, values: FloatColumn) -> Axis:
        """The same scale for other values, some of which may lie outside."""
        below, above = int((values < self.minimum).sum()), int((values > self.maximum).sum())
        return replace(self, below=below, above=above, pinned=True)

    def place(self, values: npt.ArrayLike) -> FloatColumn:
        """float64[k]: positions of values on the scale, 0..1; NaN stays. All are 0 on a scale without extent."""
        given = np.asarray(values, np.float64)
        if not self.maximum > self.minimum:
            return np.where(np.isnan(given), np.nan, 0.0)
        inside = np.clip(given, self.minimum, self.maximum)
        if self.kind == "quantile":
            return np.where(np.isnan(inside), np.nan, np.interp(inside, self.knots, self.ranks))
        if self.kind == "log":
            first, last = self._log(self.minimum), self._log(self.maximum)
            return np.asarray(np.clip((self._log(inside) - first) / (last - first), 0.0, 1.0))
        return share_of(inside, self.minimum, self.maximum)

    def _log(self, values: FloatColumn | float) -> FloatColumn:
        """The value in units of the grain, 0 at the base.

        Zero has a place on this scale, so that no value is left out.
        """
        return np.asarray(np.log1p(np.maximum(np.asarray(values) - self.base, 0.0) / self.grain))


@dataclass(frozen=True)
class ClassEntry:
    """One class of a categorical metric: its name, its colour, and how many visible innermost nodes belong to it."""

    name: str
    color: Color
    count: int


@dataclass(frozen=True, eq=False)
class Legend:
    """What a visual variable means.

    metric    knows the label, the unit, and how to write values: `metric.show(value)`
    axis      where values lie
    stops     (share 0..1 of the scale, colour): the gradient; empty for heights, and for classes
    tallest   height of `maximum` in radii of the disc; 0 for colours
    missing   how many visible innermost nodes were not measured
    classes   of a categorical metric, the most frequent first; the last may stand for all others
    """

    metric: Metric
    axis: Axis
    stops: tuple[tuple[float, Color], ...] = ()
    tallest: float = 0.0
    missing: int = 0
    classes: tuple[ClassEntry, ...] = ()

    @property
    def by_class(self) -> bool:
        """Whether colours stand for classes, even if there is none."""
        return self.metric.names is not None

    @property
    def minimum(self) -> float:
        """The value at the lower end; NaN when nothing was measured."""
        return self.axis.minimum

    @property
    def maximum(self) -> float:
        """The value at the upper end."""
        return self.axis.maximum

    @property
    def label(self) -> str:
        """Name of the metric, for people."""
        return self.metric.label

    @property
    def unit(self) -> str:
        """Unit of the values, plural; empty for a ratio."""
        return self.metric.unit

    def show(self, value: float) -> str:
        """A value of the scale for people; at an end beyond which values lie, with a sign for that."""
        text = self.metric.show(value)
        if self.axis.above and value == self.maximum:
            return f"≥ {text}"
        return f"≤ {text}" if self.axis.below and value == self.minimum else text

    def bare(self, text: str) -> str:
        """The result of `show` without the unit, for places that show the unit beside it or have no room."""
        unit = self.unit
        return text.removesuffix(unit).removesuffix(unit.removesuffix("s")).strip() if unit else text


def fit(scale: Scale, values: FloatColumn, origin: str = "zero", extent: FloatColumn | None = None) -> Axis:
    """The scale for `values`; a range whose minimum is not below its maximum is ignored.

    Values that are all equal get a scale without extent: they are drawn flat, and the legend says so.

    origin   as for `value_range`
    extent   float64[k] share of the picture of each value; None = all equal. A linear scale without a given maximum
             ends at `usual_end`
    """
    least, most = value_range(values, origin)
    if np.isnan(least):
        return Axis(least, most)
    if scale.minimum is None and scale.maximum is None and np.nanmin(values) == most:
        return Axis(most, most)  # drawn at full height, all of them would look large
    minimum = least if scale.minimum is None else scale.minimum
    maximum = most if scale.maximum is None else scale.maximum
    if not minimum < maximum:
        minimum, maximum = least, most
    elif scale.maximum is None and scale.kind == "linear" and origin == "zero":
        maximum = usual_end(values, minimum, extent)
    measured = values[~np.isnan(values)]
    below, above = int((measured < minimum).sum()), int((measured > maximum).sum())
    if scale.kind == "log":
        base = minimum if origin == "least" else min(minimum, 0.0)
        above_base = measured[measured > base] - base
        grain = max(float(above_base.min(initial=maximum - base)), (maximum - base) * 10.0**-DECADES)
        return Axis(minimum, maximum, "log", base, grain or 1.0, below=below, above=above)
    if scale.kind == "quantile":
        knots, ranks = _quantiles(np.clip(measured, minimum, maximum), minimum, maximum)
        return Axis(minimum, maximum, "quantile", knots=knots, ranks=ranks, below=below, above=above)
    return Axis(minimum, maximum, below=below, above=above)


def usual_end(values: FloatColumn, minimum: float, extent: FloatColumn | None = None) -> float:
    """The upper end of a scale from `minimum`: the largest value, or, if that is an outlier, a round number that only
    outliers exceed.

    Outliers take less than a fiftieth of the picture together, and the largest of them is more than twice as far above
    `minimum` as all other values. So one tiny file of an extreme value does not make all other files look alike.
    """
    over = values > minimum  # False for NaN
    value, share = values[over], np.ones(over.sum()) if extent is None else extent[over]
    order = np.argsort(value)
    until = np.cumsum(share[order])
    usual, largest = (float(value[row]) for row in order[[np.searchsorted(until, USUAL * until[-1]), -1]])
    if largest - minimum <= FAR * (usual - minimum):
        return largest
    end = _rounded_up(usual)
    if not (value % 1).any():
        end = max(end, minimum + LEAST_STEPS)
    return min(end, largest)


def _rounded_up(value: float) -> float:
    """The smallest of the `ROUND` numbers that is at least `value`; a value up to 0 is returned as it is."""
    if value <= 0:
        return value
    digit = 10.0 ** math.floor(math.log10(value))
    return next((factor * digit for factor in ROUND if factor * digit >= value), value)


def _quantiles(values: FloatColumn, minimum: float, maximum: float) -> tuple[FloatColumn, FloatColumn]:
    """(float64[k] the ends and the distinct values, their shares): the middle of their ranks; 0 and 1 at the ends."""
    distinct, count = np.unique(values, return_counts=True)
    ranks = np.cumsum(count) - count / 2
    if distinct[-1] < maximum:
        distinct, ranks = np.append(distinct, maximum), np.append(ranks, float(len(values)))
    over = distinct > minimum
    last = ranks[-1] if over.any() else 1.0
    return np.concatenate(([minimum], distinct[over])), np.concatenate(([0.0], ranks[over] / last))


def value_range(values: FloatColumn, origin: str = "zero") -> tuple[float, float]:
    """(minimum, maximum) of the scale for `values`; both NaN when all are.

    origin   `zero`: the scale begins at 0 (or at the least value, if that is negative), so that twice the value
             is twice as high; `least`: at the least value, for dates and the like
    """
    measured = values[~np.isnan(values)]
    if not len(measured):
        return float("nan"), float("nan")
    least, most = float(measured.min()), float(measured.max())
    return (min(least, 0.0) if origin == "zero" else least), most


def share_of(values: FloatColumn, minimum: float, maximum: float) -> FloatColumn:
    """float64[k]: positions of values on a linear scale, 0..1; NaN stays. All are 0 on one without extent."""
    if not maximum > minimum:
        return np.where(np.isnan(values), np.nan, 0.0)
    return np.clip((values - minimum) / (maximum - minimum), 0.0, 1.0)


def parse_value(text: str) -> float | None:
    """The value that a person typed, in the form of `Metric.show` or plain: `1,200 lines`, `12 %`, `2024-01-31`.

    None if the text is not a value.
    """
    text = text.strip()
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        try:
            return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
        except ValueError:
            return None
    found = re.fullmatch(r"([-+]?[\d,]*\.?\d+(?:[eE][-+]?\d+)?)\s*(%?)[\w\s]*", text)
    if found is None:
        return None
    value = float(found[1].replace(",", ""))
    return value / 100 if found[2] else value
