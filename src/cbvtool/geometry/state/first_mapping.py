"""The style of the first picture of a graph: metrics that have values, where there are any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.state.view_state import Mapping as MetricMapping


def first_mapping(values: Mapping[str, npt.NDArray[np.float64]], recorded: Sequence[str] = ()) -> MetricMapping:
    """The default style, with another metric in place of each one that has no value anywhere.

    values     metric name -> float64[n] by key; NaN = not measured
    recorded   names of metrics that came with the graph file; these are preferred to metrics computed from relations
    """

    def first(*names: str) -> str:
        return next((name for name in names[:-1] if not np.isnan(values[name]).all()), names[-1])

    default = MetricMapping()
    return MetricMapping(
        first(default.angle, "bytes", "leaves"),
        first(default.height, *recorded[:1], "fan_in"),
        first(default.color, *(recorded[1:2] or recorded), "fan_out"),
    )
