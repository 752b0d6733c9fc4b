"""Lines that commits added."""

import numpy as np

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.in_range import has_history, sum_of_touches
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: lines that commits added in the time range, over the files of each subtree.

    Binary files have no lines. NaN until the lines of the history have been counted, and where no file is tracked.
    """
    churn = subject.changes.churn if subject.changes is not None else None
    if churn is None or not has_history(subject):
        return np.full(len(subject.graph), np.nan)
    return sum_of_touches(subject, np.maximum(churn.added, 0))


ADDED_LINES = Metric(
    "added_lines",
    "Added lines",
    "lines",
    "more",
    "sum",
    compute,
    "Lines that commits added in the time range; by default in the whole history.",
    history=True,
)
