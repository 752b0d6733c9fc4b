"""Increase of changes: commits in the time range, beyond the number expected from another range."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.baseline import baseline, closed
from cbvtool.metrics.history.commits import compute as commits
from cbvtool.metrics.history.in_range import has_history, recent
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: commits in the time range minus those in the pinned one, scaled to the same length.

    The pinned range is the last pinned one that differs from the range; without one, a range of the same length before
    it. Default of the range: the last six months. NaN without a history.
    """
    changes = subject.changes
    if changes is None or not has_history(subject):
        return np.full(len(subject.graph), np.nan)
    shown = recent(subject)
    now = closed((shown.since, shown.until), changes)
    other = baseline(now, subject.pinned, changes)
    counted = commits(shown)
    if other is None:
        return counted
    before = commits(replace(subject, since=other[0], until=other[1]))
    return counted - before * ((now[1] - now[0] + 1) / (other[1] - other[0] + 1))


MORE_CHANGES = Metric(
    "more_changes",
    "Changed more than before",
    "commits",
    "more",
    "union",
    compute,
    "Commits in the time range, minus those of the range pinned in the timeline as if both were equally long; without "
    "one, of as long a time before. Below 0: it changed less.",
    history=True,
)
