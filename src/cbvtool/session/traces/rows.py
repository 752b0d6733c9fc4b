"""Tables of a trace over the code: functions, rare calls, functions without a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.trace.making.flat import flat_of_profile
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.overlay.run_time import RunTime

MOST_ROWS = 100_000  # of a table: nobody scrolls farther, and the rest is counted


@dataclass(frozen=True, eq=False)
class FunctionRows:
    """r functions that were called in the window, those with the most self time first.

    key         int32[r]
    calls       int64[r]
    self_time, total_time  int64[r]  ns
    rest        how many more there are
    """

    key: npt.NDArray[np.int32]
    calls: npt.NDArray[np.int64]
    self_time: npt.NDArray[np.int64]
    total_time: npt.NDArray[np.int64]
    rest: int = 0


@dataclass(frozen=True, eq=False)
class CallRows:
    """r pairs of caller and callee, the rarest first.

    caller, callee  int32[r]
    count           int64[r]
    time            int64[r]  ns
    rest            how many more there are
    """

    caller: npt.NDArray[np.int32]
    callee: npt.NDArray[np.int32]
    count: npt.NDArray[np.int64]
    time: npt.NDArray[np.int64]
    rest: int = 0


@dataclass(frozen=True)
class LostFunction:
    """A function of a trace that is no node of the graph: what it is called, where it lies, why, and its calls.

    calls  `UNKNOWN` where a profile does not say
    """

    name: str
    file: str
    line: int
    why: str
    calls: int


def function_rows(run_time: RunTime, graph: Graph) -> FunctionRows:
    """The functions that were called, of those that the plan has not removed."""
    size = min(len(run_time.calls), len(graph))
    keys = np.flatnonzero((run_time.calls[:size] > 0) & (graph.parent[:size] != REMOVED))
    keys = keys[np.lexsort((keys, -run_time.self_time[keys]))]
    kept = keys[:MOST_ROWS]
    return FunctionRows(
        kept.astype(np.int32),
        run_time.calls[kept],
        run_time.self_time[kept],
        run_time.total_time[kept],
        len(keys) - len(kept),
    )


def rare_calls(run_time: RunTime, graph: Graph) -> CallRows:
    """Pairs of caller and callee in different files, the rarest first: a call made once is a special case, or a mistake
    (Holten et al. 2007, §6.1).
    """
    there = graph.parent != REMOVED
    caller, callee = run_time.caller, run_time.callee
    apart = (caller >= 0) & (callee >= 0) & (caller != callee)
    apart &= there[np.maximum(caller, 0)] & there[np.maximum(callee, 0)]
    apart &= graph.file[np.maximum(caller, 0)] != graph.file[np.maximum(callee, 0)]
    rows = np.flatnonzero(apart)
    rows = rows[np.lexsort((callee[rows], caller[rows], run_time.count[rows]))]
    kept = rows[:MOST_ROWS]
    return CallRows(caller[kept], callee[kept], run_time.count[kept], run_time.time[kept], len(rows) - len(kept))


def lost_functions(part: Trace | Profile, node_map: NodeMap) -> tuple[list[LostFunction], int]:
    """(functions without a node, those with the most calls first and `MOST_ROWS` at most; how many more there are)."""
    functions = part.functions
    if isinstance(part, Trace):
        counts = np.bincount(part.calls.function, minlength=len(functions))
    else:
        counts = flat_of_profile(part).count
    lost = np.flatnonzero(node_map.node == NO_NODE)
    order = lost[np.lexsort((lost, -counts[lost]))]
    rows = [
        LostFunction(
            functions.name[row],
            functions.file[row],
            int(functions.line[row]),
            node_map.reasons[int(node_map.why[row])],
            int(counts[row]),
        )
        for row in order[:MOST_ROWS].tolist()
    ]
    return rows, len(order) - len(rows)
