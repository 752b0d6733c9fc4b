"""Which code two traces call more or less often, by node: what appeared, vanished, became more or fewer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import TreeIndex
from cbvtool.trace.kernels import kernel
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


@dataclass(frozen=True, eq=False)
class PairChanges:
    """e pairs of nodes, of which the first calls the second in either trace.

    caller, callee  int32[e]  keys: the nearest call around it whose function has a node, and the function called
    before, after   int64[e]  calls in A and in B
    """

    caller: npt.NDArray[np.int32]
    callee: npt.NDArray[np.int32]
    before: npt.NDArray[np.int64]
    after: npt.NDArray[np.int64]


def pair_changes(one: Trace, known: NodeMap, other: Trace, known_too: NodeMap, nodes: int) -> PairChanges:
    """How often each node calls each other one, in both traces; calls of a node by itself are left out."""
    counts = [_pairs(trace, maps, nodes) for trace, maps in ((one, known), (other, known_too))]
    every = np.union1d(counts[0][0], counts[1][0])
    found = np.zeros((2, len(every)), np.int64)
    for side, (pair, count) in enumerate(counts):
        found[side, np.searchsorted(every, pair)] = count
    return PairChanges(
        (every // nodes).astype(np.int32) if nodes else every.astype(np.int32),
        (every % nodes).astype(np.int32) if nodes else every.astype(np.int32),
        found[0],
        found[1],
    )


def _pairs(trace: Trace, known: NodeMap, nodes: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(caller * nodes + callee, number of calls) of each pair of nodes."""
    calls, node = trace.calls, np.where(known.node == NO_NODE, -1, known.node).astype(np.int64)
    parts = []
    for thread in trace.threads.counted():
        low, high = (int(each) for each in trace.threads.ptr[thread : thread + 2])
        own = node[calls.function[low:high]]
        above = _nearest(own, calls.end_row[low:high].astype(np.int64) - low)
        pairs = above * nodes + own
        parts.append(pairs[(above >= 0) & (own >= 0) & (above != own)])
    every = np.concatenate(parts) if parts else np.empty(0, np.int64)
    pair, count = np.unique(every, return_counts=True)
    return pair.astype(np.int64), count.astype(np.int64)


@kernel
def _nearest(own: npt.NDArray[np.int64], end_row: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """int64[n]: the node of the nearest call around each call that has one, -1 = none has."""
    n = len(own)
    found = np.full(n, -1, np.int64)
    parent = np.full(n, -1, np.int64)
    above = -1
    for row in range(n):
        while above >= 0 and end_row[above] <= row:
            above = parent[above]
        parent[row] = above
        if above >= 0:
            found[row] = own[above] if own[above] >= 0 else found[above]
        above = row
    return found
