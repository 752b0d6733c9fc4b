"""How thick relations are drawn: by an amount such as their weight or count, on a logarithmic scale."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.fan_out import FanOut
from cbvtool.errors import InputError
from cbvtool.geometry.state.view_state import OF_TRACES, THICKNESSES
from cbvtool.graph import Edges, Graph
from cbvtool.trace.overlay.relations import Observed

FloatColumn = npt.NDArray[np.float64]

THIN, THICK = 0.8, 3.0  # factors on the usual width for the smallest and for the largest amount


@dataclass(frozen=True, eq=False)
class Thickness:
    """Factor float32[e] on the width of each curve; `least`, `most`: amounts at the ends of the scale.

    name   one of `THICKNESSES`
    """

    factor: npt.NDArray[np.float32]
    least: float = 1.0
    most: float = 1.0
    name: str = "none"

    def of(self, amount: npt.ArrayLike) -> FloatColumn:
        """The factor for each amount: equal ratios of amounts give equal differences of thickness."""
        given = np.asarray(amount, np.float64)
        if not self.most > self.least:
            return np.ones_like(given)
        share = np.log(np.maximum(given, self.least) / self.least) / np.log(self.most / self.least)
        return np.asarray(THIN + (THICK - THIN) * np.minimum(share, 1.0))


def weighed(graph: Graph, observed: Observed | None, name: str) -> Edges:
    """The relations of `graph`, with the amount that the thickness `name` uses as their weight.

    observed   relations of a trace: its calls and their time in ms are used for `calls` and `time` only
    """
    if observed is None:
        return (
            graph.edges
            if name not in OF_TRACES
            else replace(graph.edges, weight=np.zeros(len(graph.edges), np.float32))
        )
    if name == "calls":
        amount = observed.count
    elif name == "time":
        amount = observed.time / 1e6
    else:
        amount = np.where(observed.count > 0, 0.0, graph.edges.weight)
    return replace(graph.edges, weight=amount.astype(np.float32))


def thickness(fan: FanOut, name: str) -> Thickness:
    """Thickness by the weight of each curve, or by the number of relations that it stands for.

    Raises InputError when there is no thickness of that name.
    """
    if name not in THICKNESSES:
        raise InputError(f"There is no thickness {name!r} for relations; there are: {', '.join(THICKNESSES)}.")
    amount = fan.count.astype(np.float64) if name == "count" else fan.weight
    positive = amount[amount > 0]
    if name == "none" or not len(positive):
        return Thickness(_frozen(np.ones(len(fan))))
    scale = Thickness(_frozen(np.empty(0)), float(positive.min()), float(positive.max()), name)
    return Thickness(_frozen(scale.of(amount)), scale.least, scale.most, name)


def _frozen(factor: FloatColumn) -> npt.NDArray[np.float32]:
    column = factor.astype(np.float32)
    column.flags.writeable = False
    return column
