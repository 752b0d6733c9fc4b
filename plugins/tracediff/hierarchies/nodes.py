"""A hierarchy as the calls of a thread: a node stands where its call would, as wide as what lies inside (TD-8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import Budget, Calls, CallTree, Functions, Graph, Levels, Threads, Trace, TraceBuilder, levels_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
UNIFORM = "uniform"  # every leaf is as wide as every other one
WIDE = 1_000_000_000  # units that the wider of both hierarchies is wide
_EXTERNAL = "external"


@dataclass(frozen=True, eq=False)
class Nodes:
    """n nodes in preorder.

    key     int64[n]  in both graphs
    row     int64[k]  of each key, -1 = the hierarchy lacks it
    value   float64[n]  leaves inside, or what the metric measures of all inside
    trace   the nodes as calls, one unit of width a ns
    tree    the same, as TraceDiff knows calls; its functions are keys
    levels  of the trace
    """

    key: Ints
    row: Ints
    value: Floats
    trace: Trace
    tree: CallTree
    levels: Levels

    def __len__(self) -> int:
        return len(self.key)


def values_of(graph: Graph, width: str) -> tuple[Ints, Ints, Floats]:
    """Keys in preorder, the row after each subtree, and the own width of each: int64[n], int64[n], float64[n].

    What lies outside of the project is left out. width: `UNIFORM`, or the name of values that the graph has.
    """
    tree = graph.tree
    outside = [key for key in tree.children(graph.root).tolist() if graph.kind(key) == _EXTERNAL]
    kept = ~tree.below(outside)[tree.order] if outside else np.ones(len(tree.order), np.bool_)
    place = np.concatenate(([0], np.cumsum(kept)))
    key = tree.order[kept].astype(np.int64)
    end_row = place[tree.end[key]].astype(np.int64)
    if width == UNIFORM:
        own = (end_row == np.arange(len(key)) + 1).astype(np.float64)
    else:
        measured = graph.values.get(width)
        own = np.zeros(len(key)) if measured is None else np.maximum(np.nan_to_num(measured[key]), 0.0)
    return key, end_row, own


def nodes_of(graph: Graph, keys: int, found: tuple[Ints, Ints, Floats], unit: float) -> Nodes:
    """The nodes of a hierarchy; what lies inside comes first, a node's own part at its right end.

    keys  how many both graphs have; unit: of width, for one of the value
    """
    key, end_row, own = found
    n = len(key)
    depth = graph.tree.depth[key].astype(np.int64)
    after = end_row - depth - 1  # place of each node if what lies inside comes first
    placed = np.empty(n)
    placed[after] = own
    edge = np.concatenate(([0.0], np.cumsum(placed)))
    begin, end = edge[after + 1 - (end_row - np.arange(n))], edge[after + 1]
    start_ns, end_ns = (np.rint(each * unit).astype(np.int64) for each in (begin, end))
    names = tuple(graph.names[each] for each in key.tolist())
    empty = TraceBuilder("hierarchy", Budget("The hierarchy"))
    blank = empty.trace(empty.build(), {})
    nothing = ("",) * n
    one = np.zeros(1, np.int64)
    trace = replace(
        blank,
        functions=Functions(names, nothing, nothing, np.zeros(n, np.int32)),
        calls=Calls(
            np.arange(n, dtype=np.uint32), start_ns, end_ns, depth.astype(np.uint32), end_row.astype(np.uint32)
        ),
        threads=Threads(
            one,
            one,
            ("",),
            ("",),
            ("thread",),
            np.zeros(1, np.bool_),
            one - 1,
            one,
            np.array([WIDE], np.int64),
            np.array([0, n], np.int64),
        ),
    )
    row = np.full(keys, -1, np.int64)
    row[key] = np.arange(n)
    tree = CallTree(key, end_row, depth, start_ns, end_ns, 0, False)
    return Nodes(key, row, end - begin, trace, tree, levels_of(trace, threads=(0,)))
