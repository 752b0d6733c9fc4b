"""Calls that the source and a run have in common, and those that only one of them has (CBV-12)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.graph.kinds import RUN_TIME_CALL, of_kinds

Mask = npt.NDArray[np.bool_]
_SOURCE_CALLS = frozenset({"call", "instantiate"})


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
