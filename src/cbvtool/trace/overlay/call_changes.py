"""Which code two traces call more or less often, by node: what appeared, vanished, became more or fewer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import TreeIndex
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.trace import Trace

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CallChanges:
    """Of n nodes with all that lies inside; NaN where neither trace calls anything.

    before, after  float64[n]  calls in A and in B
    change    float64[n]  (B - A) / the larger of both, in %: 100 = appeared, 50 = twice as many, -100 = vanished
    appeared  float64[n]  calls of B of nodes that A never calls
    vanished  float64[n]  calls of A of nodes that B never calls
    """

    before: Floats
    after: Floats
    change: Floats
    appeared: Floats
    vanished: Floats


def call_changes(tree: TreeIndex, nodes: int, calls: tuple[Floats, Floats]) -> CallChanges:
    """What became of the calls of each node. calls: of each node itself in A and B, see `calls_by_node`."""
    before, after = (tree.subtree_sum(each) for each in calls)
    appeared = tree.subtree_sum(np.where(calls[0] == 0, calls[1], 0.0))
    vanished = tree.subtree_sum(np.where(calls[1] == 0, calls[0], 0.0))
    most = np.maximum(before, after)
    silent = most[:nodes] == 0
    change = 100.0 * (after - before) / np.maximum(most, 1.0)
    found = [np.where(silent, np.nan, each[:nodes]) for each in (before, after, change, appeared, vanished)]
    return CallChanges(*found)


def calls_by_node(trace: Trace, known: NodeMap, nodes: int) -> Floats:
    """float64[n]: how often a trace calls each node itself; threads alone, as tracks of tasks repeat their calls."""
    count = np.zeros(len(trace.functions), np.int64)
    for thread in trace.threads.counted():
        low, high = trace.threads.ptr[thread : thread + 2]
        count += np.bincount(trace.calls.function[low:high], minlength=len(count))
    mapped = known.node != NO_NODE
    return np.bincount(known.node[mapped], weights=count[mapped], minlength=nodes)[:nodes].astype(np.float64)
