"""Run-time calls as relations of a graph, beside those of its source (CBV-12)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph, When
from cbvtool.graph.kinds import RUN_TIME_CALL
from cbvtool.trace.overlay.run_time import RunTime

FloatColumn = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Observed:
    """A graph with relations of kind `run-time call` after its own.

    count  float64[m]  calls of each relation, 0 for those of the source
    time   float64[m]  their time in ns, likewise; of a profile without times what it has in their place
    unit   of `time`, and what `counts` are, as in `RunTime`
    """

    graph: Graph
    count: FloatColumn
    time: FloatColumn
    unit: str = "ns"
    counts: str = "call"

    def on(self, graph: Graph) -> Observed:
        """The same relations on a graph with the same keys in another hierarchy."""
        return Observed(graph.with_(edges=self.graph.edges), self.count, self.time, self.unit, self.counts)


def beside_calls(graph: Graph) -> Observed:
    """A graph whose relations are not of traces: none of them was called."""
    none = np.zeros(len(graph.edges))
    return Observed(graph, none, none)


def with_run_time(graph: Graph, run_time: RunTime) -> Observed:
    """`graph` with a relation for each pair of caller and callee; its weight is the number of calls.

    The keys of `run_time` are those of `graph`, or of a graph that it was planned from. Calls from a node to itself
    are no relation, nor are those whose end a plan has removed.
    """
    caller, callee = run_time.caller, run_time.callee
    there = graph.parent != REMOVED
    kept = (caller != callee) & (caller >= 0) & (callee >= 0)
    kept &= there[np.maximum(caller, 0)] & there[np.maximum(callee, 0)]
    count, time = run_time.count[kept].astype(np.float64), run_time.time[kept].astype(np.float64)
    known, more = graph.edges, len(count)
    zero = np.zeros(more, np.int64)
    edges = known.with_more(caller[kept], callee[kept], zero, (RUN_TIME_CALL,), count, When.DEFERRED)
    own = np.zeros(len(known))
    made = graph.with_(edges=edges)
    return Observed(made, np.append(own, count), np.append(own, time), run_time.unit, run_time.counts)
