"""Instability (R. C. Martin, OO design quality metrics, 1994)."""

import numpy as np

from cbvtool.metrics.combine import Column
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.structure.users import related_files, uses


def compute(subject: Subject) -> Column:
    """float64[n]: Ce / (Ca + Ce) of each subtree, counted in files, without external packages.

    Ca: number of files outside that use it; Ce: number of files outside that it uses. NaN if both are 0.
    """
    user, used = uses(subject.graph)
    incoming, outgoing = related_files(subject.graph, used, user), related_files(subject.graph, user, used)
    both = incoming + outgoing
    result = np.full(len(both), np.nan)
    np.divide(outgoing, both, out=result, where=both > 0)
    return result


INSTABILITY = Metric(
    "instability",
    "Instability",
    "",
    "neither",
    "recompute",
    compute,
    "Uses / (uses + used by), in files: 0 = only used, hard to change; 1 = only uses, free to change.",
    slow=True,
)
