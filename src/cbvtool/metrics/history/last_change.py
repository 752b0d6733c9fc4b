"""Date of the last change."""

import datetime

import numpy as np

from cbvtool.metrics.combine import Column, largest, own
from cbvtool.metrics.history.in_range import has_history, touches
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: date of the last commit, in the time range or ever, that touched a file of each subtree.

    Seconds since the epoch; NaN if no commit did.
    """
    graph = subject.graph
    if not has_history(subject):
        return largest(graph, own(graph, "last_change"))
    assert subject.changes is not None
    found = touches(subject)
    date = np.full(len(graph), np.nan)
    np.fmax.at(date, found.key, subject.changes.time[found.commit].astype(np.float64))
    return largest(graph, date)


def day(value: float) -> str:
    """A calendar date (UTC); for values outside of the calendar, the seconds."""
    try:
        return datetime.datetime.fromtimestamp(value, datetime.UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return f"{value:,.0f} seconds since 1970"


LAST_CHANGE = Metric(
    "last_change",
    "Last change",
    "",
    "neither",
    "max",
    compute,
    "Date of the last commit in the time range; by default in the whole history.",
    day,
    "least",
    history=True,
)
