"""The rank of a file among the hot spots."""

import numpy as np

from cbvtool.graph import REMOVED
from cbvtool.metrics.combine import Column, largest
from cbvtool.metrics.history import hot_spots
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: 1 for the file with the most hot spot points, 2 for the next; a folder has the rank of its best file.

    Files with equal points share the better rank. NaN for files without points, and inside files.
    """
    graph = subject.graph
    points = hot_spots.compute(subject)
    is_file = np.array([name == "file" for name in graph.kind_names])[graph.kinds] & (graph.parent != REMOVED)
    files = np.flatnonzero(is_file & (points > 0))
    rank = np.full(len(graph), np.nan)
    rank[files] = 1 + len(files) - np.searchsorted(np.sort(points[files]), points[files], "right")
    return -largest(graph, -rank)


HOT_SPOT_RANK = Metric(
    "hot_spot_rank",
    "Hot-spot rank",
    "",
    "less",
    "recompute",
    compute,
    "1 for the file with the most complexity times commits in the time range, by default in the last six months.",
    history=True,
)
