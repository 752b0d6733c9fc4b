"""Tests per module: which test functions reach what at run time (NEW-14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.progress import stopping
from cbvtool.trace.coverage.node_coverage import CALLABLE
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.trace import Trace

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ReachedBy:
    """k pairs of a test function and a module that it reached, by module, then test.

    test, module  int32[k]  keys
    calls         int64[k]  of functions of the module below calls of the test
    """

    test: npt.NDArray[np.int32]
    module: npt.NDArray[np.int32]
    calls: npt.NDArray[np.int64]


def test_functions(graph: Graph) -> Mask:
    """bool[n]: functions whose names begin with `test`, in files of tests, if the graph says which files are that."""
    kinds = np.array([name in CALLABLE for name in graph.kind_names], np.bool_)[graph.kinds]
    found = kinds & np.array([name.lower().startswith("test") for name in graph.names], np.bool_)
    said = graph.values.get("test")
    if said is None:
        return found
    files = np.isin(graph.file, graph.file[(said > 0) & (graph.file >= 0)])
    return found & files


test_functions.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test


def reached_by(trace: Trace, nodes: NodeMap, graph: Graph, tests: Mask, module: npt.NDArray[np.int32]) -> ReachedBy:
    """Which tests reach which modules. May raise Cancelled.

    tests   bool[n]   the test functions; of tests that call one another the outermost counts
    module  int32[n]  key of the module of each node, -1 = of no interest; where the test lies is no module of its own

    Calls on the thread of the test count, those on threads that it starts do not. Linear in the calls below tests.
    """
    calls = trace.calls
    is_test = np.zeros(len(nodes), np.bool_)
    is_test[nodes.mapped] = tests[nodes.node[nodes.mapped]] & (graph.parent[nodes.node[nodes.mapped]] != REMOVED)
    module_of = np.where(nodes.mapped, module[nodes.node], -1)
    counts: Counter[tuple[int, int]] = Counter()
    over = 0
    for row in stopping(np.flatnonzero(is_test[calls.function]).tolist()):
        if row < over:
            continue
        over = int(calls.end_row[row])
        test = int(nodes.node[calls.function[row]])
        reached = module_of[calls.function[row:over]]
        reached, number = np.unique(reached[(reached >= 0) & (reached != module[test])], return_counts=True)
        for key, count in zip(reached.tolist(), number.tolist(), strict=True):
            counts[key, test] += count
    pairs = sorted(counts)
    return ReachedBy(
        np.array([test for _, test in pairs], np.int32),
        np.array([key for key, _ in pairs], np.int32),
        np.array([counts[pair] for pair in pairs], np.int64),
    )


def modules_reached(
    traces: Iterable[tuple[Trace, NodeMap]], graph: Graph, tests: Mask, module: npt.NDArray[np.int32]
) -> list[tuple[int, int, int]]:
    """(module, test, calls) over several traces, keys, by module; modules that hold tests are left out.

    tests, module  as for `reached_by`
    """
    reaching = np.where(np.isin(module, module[tests]), -1, module).astype(np.int32)
    sums: Counter[tuple[int, int]] = Counter()
    for trace, nodes in traces:
        found = reached_by(trace, nodes, graph, tests, reaching)
        rows = zip(found.module.tolist(), found.test.tolist(), found.calls.tolist(), strict=True)
        for key, test, calls in rows:
            sums[key, test] += calls
    return [(key, test, calls) for (key, test), calls in sorted(sums.items())]
