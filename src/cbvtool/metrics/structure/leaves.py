"""Number of innermost nodes: a size for graphs without lines and bytes."""

import numpy as np

from cbvtool.graph import EXTERNAL, REMOVED
from cbvtool.metrics.combine import Column, total
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.users import of_kinds


def compute(subject: Subject) -> Column:
    """float64[n]: number of innermost nodes in each subtree, 1 for an innermost node; NaN outside of the project."""
    graph = subject.graph
    leaf = (np.diff(graph.tree.child_ptr) == 0) & (graph.parent != REMOVED) & ~of_kinds(graph, (EXTERNAL,))
    return total(graph, np.where(leaf, 1.0, np.nan))


LEAVES = Metric(
    "leaves",
    "Innermost parts",
    "parts",
    "neither",
    "sum",
    compute,
    "How many nodes without parts of their own: functions, files, people, whatever it consists of.",
)
