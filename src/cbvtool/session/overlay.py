"""What open traces add to the picture, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cbvtool.metrics.metric import Metric
from cbvtool.metrics.run_time import run_time_metrics
from cbvtool.trace.overlay.run_time import RunTime


@dataclass(frozen=True, eq=False)
class Overlay:
    """What open traces add to the picture.

    run_time  of the window of time; None = there is no trace, or it is being found out
    metrics   by name
    """

    run_time: RunTime | None
    metrics: Mapping[str, Metric]


def awaited() -> Overlay:
    """That of traces about which nothing is known yet: their metrics are offered, and have no values."""
    return Overlay(None, run_time_metrics(None, None))
