"""The values of all metrics of one subject, each computed on first access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cbvtool.graph.graph import FloatColumn
from cbvtool.metrics import evaluate
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.progress import Progress

Metrics = Mapping[str, Metric]

LARGE = 20_000  # number of nodes and relations from which slow metrics take seconds
HUGE = 100_000  # number from which every metric takes too long for the thread of the window


class Values(Mapping[str, FloatColumn]):
    """Metric name -> float64[n] by node key. A column is computed on first access.

    metrics   by name, bound to this subject
    patient   whether the caller is willing to wait for slow metrics
    """

    def __init__(self, subject: Subject, metrics: Metrics, *, patient: bool = True) -> None:
        self.subject = subject
        self.metrics = {name: metric.of(subject) for name, metric in metrics.items()}
        self._given = metrics  # unbound metrics, because columns are cached by these objects
        size = len(subject.graph) + len(subject.graph.edges)
        self._quick = patient or size <= LARGE
        self._huge = not patient and size > HUGE
        self._columns: dict[str, FloatColumn] = {}

    def __getitem__(self, name: str) -> FloatColumn:
        if name not in self._columns:
            self._columns[name] = evaluate(name, self.subject, self._given)
        return self._columns[name]

    def takes_long(self, name: str) -> bool:
        """Whether computing this metric now would take seconds, and the caller does not want to wait."""
        metric = self.metrics.get(name)
        return not self._quick and metric is not None and metric.slow and name not in self._columns

    def missing(self) -> list[str]:
        """Names of the missing metrics that take long: those that `takes_long`; in a huge graph, all missing ones."""
        return [name for name in self.metrics if self.takes_long(name) or (self._huge and name not in self._columns)]

    def measure(self, name: str, progress: Progress) -> None:
        """Compute a metric; on any thread."""
        if name not in self._columns:
            self._columns[name] = evaluate(name, replace(self.subject, progress=progress), self._given)

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)
