"""A graph with what happened at run time: relations of the kind `run-time call`, and values of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Edges, Graph
from cbvtool.graph.kinds import RUN_TIME_CALL, of_kinds
from cbvtool.trace.overlay.run_time import RunTime

CALLS, SELF_TIME, TOTAL_TIME, COVERED = "calls", "self_time", "total_time", "covered"  # names of values of nodes
VALUES = (CALLS, SELF_TIME, TOTAL_TIME, COVERED)
Mask = npt.NDArray[np.bool_]
Thickness = Literal["count", "time"]
_SOURCE_CALLS = frozenset({"call", "instantiate"})
_CALLABLE = frozenset({"function", "section", "paragraph"})


def overlaid(graph: Graph, run_time: RunTime, thickness: Thickness = "count") -> Graph:
    """The graph with its run-time calls: earlier ones are replaced. Keys stay.

    The relations come last, in the order of the pairs of `run_time` that join different nodes (`between`); their weight
    is the count, or the time in ns. Values of nodes: `calls` and `self_time` of the node itself, `total_time` of
    everything in its subtree, its outermost calls alone, `covered` for functions: 1 if called, 0 if not.
    """
    kept = graph.edges.take(~of_kinds(graph.edges, (RUN_TIME_CALL,)))
    values = {name: column for name, column in graph.values.items() if name not in VALUES}
    return graph.with_(edges=_joined(kept, run_time, thickness), values=values | columns(graph, run_time))


def between(run_time: RunTime) -> npt.NDArray[np.int64]:
    """Rows of the pairs of different nodes; a function that calls itself has no relation."""
    return np.flatnonzero(run_time.caller != run_time.callee)


def columns(graph: Graph, run_time: RunTime) -> dict[str, npt.NDArray[np.float64]]:
    """The values of nodes that `overlaid` records: name -> float64[n], NaN where there is nothing to say."""
    called = run_time.calls > 0
    below = graph.tree.subtree_sum(called.astype(np.float64)) > 0
    return {
        CALLS: np.where(called, run_time.calls, np.nan),
        SELF_TIME: np.where(called, run_time.self_time, np.nan),
        TOTAL_TIME: np.where(below, run_time.subtree_time, np.nan),
        COVERED: np.where(_is_callable(graph), called, np.nan),
    }


def run_time_rows(graph: Graph) -> Mask:
    """bool[m]: the relations that are run-time calls."""
    return of_kinds(graph.edges, (RUN_TIME_CALL,))


@dataclass(frozen=True, eq=False)
class CallsSeen:
    """Of the m relations of an overlaid graph, bool[m] each.

    only_run_time  run-time calls that the source has no call for
    only_source    calls in the source that did not happen
    both           calls of either kind that the other one has, too
    """

    only_run_time: Mask
    only_source: Mask
    both: Mask


def calls_seen(graph: Graph) -> CallsSeen:
    """Which calls the source and the run have in common.

    The source calls a constructor by making an object: `instantiate` a class is the call of a function right in it.
    """
    edges, n = graph.edges, len(graph)
    ran, written = run_time_rows(graph), of_kinds(edges, _SOURCE_CALLS)
    code = edges.source.astype(np.int64) * n + edges.target
    above = graph.parent[edges.target]
    code_above = edges.source.astype(np.int64) * n + np.where(above >= 0, above, edges.target)
    happened = np.concatenate((code[ran], code_above[ran]))
    found = np.isin(code, code[written]) | np.isin(code_above, code[written & of_kinds(edges, ("instantiate",))])
    seen = np.where(of_kinds(edges, ("instantiate",)), np.isin(code, happened), np.isin(code, code[ran]))
    return CallsSeen(ran & ~found, written & ~seen, (ran & found) | (written & seen))


def _is_callable(graph: Graph) -> Mask:
    kinds = np.array([name in _CALLABLE for name in graph.kind_names], np.bool_)
    found: Mask = kinds[graph.kinds] & (graph.tree.pos >= 0)
    return found


def _joined(edges: Edges, run_time: RunTime, thickness: Thickness) -> Edges:
    rows = between(run_time)
    count = len(rows)
    names = edges.kind_names if RUN_TIME_CALL in edges.kind_names else (*edges.kind_names, RUN_TIME_CALL)
    weight = run_time.count if thickness == "count" else run_time.time

    def more(column: npt.NDArray[Any], added: Any) -> npt.NDArray[Any]:
        return np.concatenate((column, np.full(count, added, column.dtype)))

    return Edges(
        np.concatenate((edges.source, run_time.caller[rows])),
        np.concatenate((edges.target, run_time.callee[rows])),
        more(edges.kind, names.index(RUN_TIME_CALL)),
        np.concatenate((edges.weight, weight[rows].astype(np.float32))),
        more(edges.confidence, 0),
        more(edges.when, 0),
        more(edges.site_ptr, edges.site_ptr[-1]),
        edges.site_file,
        edges.site_line,
        names,
    )
