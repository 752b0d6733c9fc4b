"""Where to test: what is complex, changes often and is not covered comes first (NEW-14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph

Column = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TestCandidate:
    """A file and what speaks for testing it: `score` = complexity x changes x (1 - covered)."""

    __test__ = False  # pytest takes a class that is called so for a test

    key: int
    score: float
    complexity: float
    changes: float
    covered: float


def where_to_test(graph: Graph, complexity: Column, changes: Column, covered: Column) -> list[TestCandidate]:
    """The files of a graph, the highest score first, those without a score left out.

    complexity, changes  float64[n]: such as the metrics `complexity` and `change_frequency`; NaN = not measured
    covered              float64[n]: share, `NodeCoverage.share`; NaN = not measured, which counts as uncovered

    Files that are tests themselves, generated or vendored (recorded values) are left out.
    """
    is_file = np.array([name == "file" for name in graph.kind_names], np.bool_)[graph.kinds]
    kept = is_file & (graph.parent != REMOVED)
    for name in ("test", "generated", "vendored"):
        kept &= ~(graph.values.get(name, np.zeros(len(graph))) > 0)
    share = np.nan_to_num(covered)
    score = np.nan_to_num(complexity) * np.nan_to_num(changes) * (1 - share)
    keys = np.flatnonzero(kept & (score > 0))
    order = keys[np.lexsort((keys, -score[keys]))]
    return [
        TestCandidate(int(k), float(score[k]), float(complexity[k]), float(changes[k]), float(share[k])) for k in order
    ]
