"""Lifting: relations between nodes become relations between the visible nodes that stand for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph.distinct import distinct
from cbvtool.graph.graph import Edges


@dataclass(frozen=True, eq=False)
class LiftedEdges:
    """m' relations between items.

    source, target   int32[m']  item numbers, as given in `item_of`; never equal
    weight           float64[m'] sum of the weights of the edges that were lifted together
    count            int64[m']  how many edges were lifted together
    of_edge          int32[m]   lifted row of each original edge; -1 = hidden, or inside one item
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    weight: npt.NDArray[np.float64]
    count: npt.NDArray[np.int64]
    of_edge: npt.NDArray[np.int32]

    def take(self, kept: npt.NDArray[np.bool_]) -> LiftedEdges:
        """The relations where the mask `kept`, bool[m'], is True; returns itself if the mask keeps all."""
        if kept.all():
            return self
        number = np.append(np.cumsum(kept, dtype=np.int32) - 1, np.int32(-1))  # last entry: for of_edge = -1
        number[:-1][~kept] = -1
        return LiftedEdges(
            self.source[kept], self.target[kept], self.weight[kept], self.count[kept], number[self.of_edge]
        )


def lift(edges: Edges, item_of: npt.NDArray[np.int32], keep: npt.NDArray[np.bool_] | None = None) -> LiftedEdges:
    """Lift `edges` to items.

    item_of   int32[n]  item that stands for each node key, -1 = not shown
    keep      bool[m]   edges to consider; None = all

    An edge whose ends fall into one item, or whose end is not shown, vanishes.
    """
    source, target = item_of[edges.source], item_of[edges.target]
    shown = (source >= 0) & (target >= 0) & (source != target)
    if keep is not None:
        shown &= keep
    rows = np.flatnonzero(shown)
    items = int(item_of.max(initial=-1)) + 1
    pair = source[rows].astype(np.int64) * items + target[rows]
    pairs, lifted = distinct(pair, items**2)
    of_edge = np.full(len(edges), -1, np.int32)
    of_edge[rows] = lifted
    return LiftedEdges(
        (pairs // max(items, 1)).astype(np.int32),
        (pairs % max(items, 1)).astype(np.int32),
        np.bincount(lifted, weights=edges.weight[rows], minlength=len(pairs)).astype(np.float64, copy=False),
        np.bincount(lifted, minlength=len(pairs)),
        of_edge,
    )
