"""The kind of a node, as a class."""

import numpy as np

from cbvtool.graph import REMOVED
from cbvtool.metrics.combine import Column
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: index of each node's kind in the graph's `kind_names`; NaN for removed nodes."""
    graph = subject.graph
    return np.where(graph.parent == REMOVED, np.nan, graph.kinds.astype(np.float64))


def names(subject: Subject) -> tuple[str, ...]:
    """The kinds of the graph."""
    return subject.graph.kind_names


KIND = Metric(
    "kind", "Kind", "", "neither", "recompute", compute, "What it is: folder, file, class, function, ...", names=names
)
