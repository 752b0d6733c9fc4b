"""Hot spots: complex code that changes often (A. Tornhill, Your code as a crime scene, 2015)."""

from functools import lru_cache

import numpy as np

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, total
from cbvtool.metrics.history import change_frequency
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.size import complexity
from cbvtool.mining.changes import Changes


def compute(subject: Subject) -> Column:
    """float64[n]: cyclomatic complexity times commits of each file, summed up.

    NaN if no file has both, and inside files, because the parts of a file have no commits of their own.
    """
    return _points(subject.graph, subject.changes, subject.since, subject.until)


@lru_cache(maxsize=2)  # two metrics use it: the points and the rank
def _points(graph: Graph, changes: Changes | None, since: int | None, until: int | None) -> Column:
    often = change_frequency.compute(Subject(graph, changes, since, until))
    found = total(graph, file_complexity(graph) * often)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=2)  # it does not change while the user drags a time range
def file_complexity(graph: Graph) -> Column:
    """float64[n]: cyclomatic complexity of each file, its content included; NaN for other nodes."""
    is_file = np.array([name == "file" for name in graph.kind_names])[graph.kinds] & (graph.parent != REMOVED)
    return np.where(is_file, complexity.compute(Subject(graph)), np.nan)


HOT_SPOTS = Metric(
    "hot_spots",
    "Hot spots",
    "points",
    "more",
    "sum",
    compute,
    "Cyclomatic complexity times commits in the time range, by default in the last six months of the history.",
    history=True,
)
