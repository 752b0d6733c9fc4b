"""Sizes to draw while the lines of code are still being counted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.metrics.combine import own, total

FloatColumn = npt.NDArray[np.float64]


def estimated_lines(graph: Graph) -> FloatColumn:
    """float64[n]: source lines of each subtree, of files without them all lines: nearly as wide as they will be.

    NaN where neither is known.
    """
    is_file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds]
    known, lines = own(graph, "sloc"), graph.end_line.astype(np.float64)
    return total(graph, np.where(np.isnan(known) & is_file & (lines > 0), lines, known))
