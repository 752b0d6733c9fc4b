"""Size of what has no lines and no bytes: how many parts it has."""

import numpy as np

from cbvtool.graph import EXTERNAL, REMOVED
from cbvtool.metrics.combine import Column, total
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.users import of_kinds


def compute(subject: Subject) -> Column:
    """float64[n]: innermost nodes in each subtree, 1 for those themselves; NaN outside of the project."""
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
