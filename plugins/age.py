"""Age of code as a metric: how long ago the files of a subtree were changed, a mean weighted by their size."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Column, Metric, Registry, Subject, evaluate

API = "0.1"
__version__ = "1.0"

_DAY = 24 * 60 * 60  # seconds


def age(subject: Subject) -> Column:
    """float64[n]: days from the last change to the end of the time range, or of the history.

    A file counts from the last commit that touched it. A folder is the mean of its files, weighted by their source
    lines: a thousand old lines outweigh a new line. NaN where nothing has a date, and inside of files, whose parts
    have none of their own.
    """
    graph = subject.graph
    # How long ago it was at the end of the range, so the start of the range does not matter.
    changed = evaluate("last_change", Subject(graph, subject.changes, None, subject.until))
    is_file = np.array([kind == "file" for kind in graph.kind_names])[graph.kinds]
    dated = is_file & ~np.isnan(changed)
    if not dated.any():
        return np.full(len(graph), np.nan)
    days = np.where(dated, (_end(subject, changed[dated]) - changed) / _DAY, np.nan)

    lines = np.where(dated, np.nan_to_num(evaluate("sloc", Subject(graph))), 0.0)
    weight, weighted = graph.tree.subtree_sum(lines), graph.tree.subtree_sum(days * lines)
    mean = np.full(len(graph), np.nan)
    np.divide(weighted, weight, out=mean, where=weight > 0)
    inside = np.isin(graph.kinds, [number for number, kind in enumerate(graph.kind_names) if kind in _PARTS])
    return np.where(is_file | inside, days, mean)


_PARTS = frozenset({"class", "function"})


def _end(subject: Subject, changed: Column) -> float:
    """Seconds since the epoch at which ages are told."""
    if subject.until is not None:
        return subject.until
    if subject.changes is not None and len(subject.changes.time):
        return int(subject.changes.time[-1])
    return float(changed.max())


def register(registry: Registry) -> None:
    """Offer the metric."""
    registry.add_metric(AGE)


AGE = Metric(
    name="age",
    label="Age of code",
    unit="days",
    worse="neither",
    combine="mean",
    compute=age,
    description="Days from the last change to the end of the history; of a folder, the mean weighted by source lines.",
)
