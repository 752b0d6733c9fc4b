"""Hot spots: complex code that changes often (A. Tornhill, Your code as a crime scene, 2015)."""

import numpy as np

from cbvtool.graph import REMOVED
from cbvtool.metrics.combine import Column, total
from cbvtool.metrics.history import change_frequency
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.size import complexity


def compute(subject: Subject) -> Column:
    """float64[n]: cyclomatic complexity times commits of each file, summed up.

    NaN where no file has both, and inside of files, whose parts have no commits of their own.
    """
    graph = subject.graph
    is_file = np.array([name == "file" for name in graph.kind_names])[graph.kinds] & (graph.parent != REMOVED)
    both = complexity.compute(subject) * change_frequency.compute(subject)
    return total(graph, np.where(is_file, both, np.nan))


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
