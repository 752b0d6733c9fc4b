"""Run-time calls worth a look: infrequent ones, and those across layers that are not adjacent (TR-3).

Source: Holten et al. 2007, §6.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.rules.rules_file import Rules
from cbvtool.rules.violations import layers_of
from cbvtool.trace.overlay.run_time import RunTime


@dataclass(frozen=True)
class ListedCall:
    """A pair of nodes (keys), with its calls and their time in ns.

    layers  names of the layers of the two; empty where none has to do with it
    """

    caller: int
    callee: int
    count: int
    time: int
    layers: tuple[str, ...] = ()


def infrequent_calls(run_time: RunTime, most: int = 1, limit: int = 1000) -> list[ListedCall]:
    """The pairs with at most `most` calls, fewest first, `limit` of them; a function that calls itself is no pair.

    Samples count no calls: of a trace of samples there are none.
    """
    if run_time.sampled:
        return []
    rows = np.flatnonzero((run_time.count <= most) & (run_time.caller != run_time.callee))
    order = np.lexsort((run_time.callee[rows], run_time.caller[rows], run_time.count[rows]))
    return _listed(run_time, rows[order[:limit]])


def calls_across_layers(graph: Graph, rules: Rules, run_time: RunTime, limit: int = 1000) -> list[ListedCall]:
    """The pairs whose layers are not adjacent, whichever way the call goes, most calls first, `limit` of them."""
    layer = layers_of(graph, rules.layers)
    low, high = layer[run_time.caller], layer[run_time.callee]
    rows = np.flatnonzero((low >= 0) & (high >= 0) & (np.abs(low - high) > 1))
    rows = rows[np.lexsort((run_time.callee[rows], run_time.caller[rows], -run_time.count[rows]))][:limit]
    names = [(rules.layers[a], rules.layers[b]) for a, b in zip(low[rows].tolist(), high[rows].tolist(), strict=True)]
    return _listed(run_time, rows, names)


def _listed(
    run_time: RunTime, rows: npt.NDArray[np.int64], layers: list[tuple[str, str]] | None = None
) -> list[ListedCall]:
    ends = zip(run_time.caller[rows].tolist(), run_time.callee[rows].tolist(), strict=True)
    sums = zip(run_time.count[rows].tolist(), run_time.time[rows].tolist(), strict=True)
    return [
        ListedCall(caller, callee, count, time, layers[row] if layers else ())
        for row, ((caller, callee), (count, time)) in enumerate(zip(ends, sums, strict=True))
    ]
