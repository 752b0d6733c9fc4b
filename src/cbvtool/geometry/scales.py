"""Scales: from the values of a metric to heights and colours, with the legend that says what they mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color
from cbvtool.metrics.metric import Metric

FloatColumn = npt.NDArray[np.float64]

TALLEST = 0.3  # height of the largest value, in the radius of the disc (at most a third, so that little is hidden)


@dataclass(frozen=True)
class Legend:
    """What a visual variable means.

    minimum, maximum   values at the two ends of the scale; NaN when nothing was measured
    stops              (share 0..1 of the scale, colour): the gradient; empty for heights
    tallest            height of `maximum` in the radius of the disc; 0 for colours
    missing            how many visible innermost nodes were not measured
    metric             knows the label, the unit, and how values are written: `metric.show(value)`
    """

    metric: Metric
    minimum: float
    maximum: float
    stops: tuple[tuple[float, Color], ...] = ()
    tallest: float = 0.0
    missing: int = 0

    @property
    def label(self) -> str:
        """Name of the metric, for people."""
        return self.metric.label

    @property
    def unit(self) -> str:
        """Unit of the values, plural; empty for a ratio."""
        return self.metric.unit


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
    """float64[k]: where values lie on the scale, 0..1; NaN stays. On a scale without extent all lie at 0."""
    if not maximum > minimum:
        return np.where(np.isnan(values), np.nan, 0.0)
    return np.clip((values - minimum) / (maximum - minimum), 0.0, 1.0)
