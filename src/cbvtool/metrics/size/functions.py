"""Number of functions."""

import numpy as np

from cbvtool.graph import REMOVED
from cbvtool.metrics.combine import Column, own, total
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: functions in each subtree, nested ones and methods included.

    NaN for a subtree without functions and without source lines: nobody looked for functions there.
    """
    graph = subject.graph
    is_function = np.array([name == "function" for name in graph.kind_names])[graph.kinds]
    looked_into = ~np.isnan(own(graph, "sloc")) & (graph.parent != REMOVED)
    return total(graph, np.where(is_function, 1.0, np.where(looked_into, 0.0, np.nan)))


FUNCTIONS = Metric(
    "functions", "Functions", "functions", "neither", "sum", compute, "Functions and methods, nested ones included."
)
