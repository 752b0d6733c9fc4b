"""The definition of a metric: a function from (graph, changes, time range) to one value for every node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.progress import Progress, silent

Column = npt.NDArray[np.float64]
NOT_MEASURED, BEING_MEASURED = "not measured", "being measured"


@dataclass(frozen=True, eq=False)
class Subject:
    """The input of a metric. `since`, `until`: seconds since the epoch, None = open.

    pinned     further time ranges that the user keeps, (first, last) second each
    progress   called now and then by slow metrics, so that they can be cancelled; does not affect values
    """

    graph: Graph
    changes: Changes | None = None
    since: int | None = None
    until: int | None = None
    progress: Progress = silent
    pinned: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Metric:
    """One metric.

    name      identity in files and on the command line, e.g. `change_frequency`
    label     for people, e.g. `Change frequency`
    unit      for people, plural (one is written without its `s`), e.g. `commits`; empty for a ratio
    worse     which direction is bad: `more`, `less`, or `neither`
    combine   how the values in a subtree are combined: `sum`, `max`, `mean` (weighted by SLOC),
              `union` (distinct things, counted anew for every node), `most` (the class with the largest part),
              `recompute` (follows from the relations)
    compute   Subject -> float64[n] by key, already combined upward; NaN = not measured
    format    how to write a value for people; None = thousands separators, at most 3 significant decimals
    origin    where scales of heights and colours begin: at `zero`, or at the `least` value shown (dates)
    slow      takes seconds for a large graph: a window measures it in the background
    history   is measured in commits: without a history, only recorded values exist
    names     for a categorical metric: Subject -> names of its classes; values are indices into these; None = an amount
    classes   these names, for a metric bound to a subject by `of`
    missing   text for a missing value: `NOT_MEASURED`, or `BEING_MEASURED` while it may still come
    momentary do not cache its column, because it is replaced soon: values of a time window that the user drags
    """

    name: str
    label: str
    unit: str
    worse: Literal["more", "less", "neither"]
    combine: Literal["sum", "max", "mean", "union", "most", "recompute"]
    compute: Callable[[Subject], Column]
    description: str = ""
    format: Callable[[float], str] | None = None
    origin: Literal["zero", "least"] = "zero"
    slow: bool = False
    history: bool = False
    names: Callable[[Subject], tuple[str, ...]] | None = None
    classes: Callable[[], tuple[str, ...]] | None = None
    missing: str = NOT_MEASURED
    momentary: bool = False

    def of(self, subject: Subject) -> Metric:
        """The metric bound to a subject: the names of its classes are computed when first needed."""
        if self.names is None:
            return self
        table = cache(self.names)
        return replace(
            self, names=table, classes=lambda: table(subject), format=lambda value: table(subject)[int(value)]
        )

    def show(self, value: float) -> str:
        """The value with its unit, for people; `missing` for NaN."""
        if np.isnan(value):
            return self.missing
        if self.format is not None:
            return self.format(value)
        text = f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:,.3g}"
        unit = self.unit.removesuffix("s") if text == "1" else self.unit
        return f"{text} {unit}".strip()
