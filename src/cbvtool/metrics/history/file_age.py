"""Age of files."""

import numpy as np

from cbvtool.metrics.combine import Column, largest
from cbvtool.metrics.history.in_range import file_keys, has_history
from cbvtool.metrics.metric import Metric, Subject

_DAY = 24 * 60 * 60  # seconds


def compute(subject: Subject) -> Column:
    """float64[n]: days from the first commit of the oldest file of each subtree to the end of the range.

    An open range ends with the history. NaN if no file existed by then.
    """
    graph, changes = subject.graph, subject.changes
    if changes is None or not has_history(subject):
        return np.full(len(graph), np.nan)
    first = np.full(len(changes.paths), np.nan)
    # Reversed, so that the oldest change is written last.
    first[changes.touch_path[::-1]] = changes.time[changes.touch_commit[::-1]]
    end = int(changes.time[-1]) if subject.until is None else subject.until
    days, key = (end - first) / _DAY, file_keys(graph, changes)
    age = np.full(len(graph), np.nan)
    there = (key >= 0) & (days >= 0)
    age[key[there]] = days[there]
    return largest(graph, age)


FILE_AGE = Metric(
    "file_age",
    "Age",
    "days",
    "neither",
    "max",
    compute,
    "Days from the first commit of a file to the end of the time range.",
    history=True,
)
