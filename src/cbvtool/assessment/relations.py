"""Relations summed by pair of files or of modules, and such sums after a few rows were added and taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from cbvtool.assessment.figures import Codes, code_of
from cbvtool.graph import Graph, When, are_dependencies
from cbvtool.metrics.structure.users import is_sure

Rows = npt.NDArray[np.int64]
Keys = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", np.float64, np.int64)
GRAIN = 1 << 16  # weights are multiples of 1 / GRAIN: their sums are exact, whatever is added and taken out


@dataclass(frozen=True, eq=False)
class SureRelations:
    """m relations of a graph, the sure dependencies alone.

    row             int32[m]    in the edges of the graph, ascending
    source, target  int32[m]    keys
    weight          float64[m]  a multiple of 1 / GRAIN
    running         bool[m]     it is not for a type checker alone
    """

    row: Keys
    source: Keys
    target: Keys
    weight: Floats
    running: npt.NDArray[np.bool_]

    def take(self, rows: npt.NDArray[np.bool_]) -> SureRelations:
        """Those of the mask."""
        return SureRelations(
            self.row[rows], self.source[rows], self.target[rows], self.weight[rows], self.running[rows]
        )


def relations(graph: Graph) -> SureRelations:
    """The dependencies of a graph that are more than a guess."""
    edges = graph.edges
    row = np.flatnonzero(are_dependencies(edges) & is_sure(graph)).astype(np.int32)
    return SureRelations(
        row, edges.source[row], edges.target[row], grained(edges.weight[row]), edges.when[row] != When.TYPE_CHECKING
    )


def grained(weight: npt.NDArray[np.floating]) -> Floats:
    """float64[m]: weights as multiples of 1 / GRAIN."""
    rounded: Floats = np.rint(weight.astype(np.float64) * GRAIN) / GRAIN
    return rounded


@dataclass(frozen=True, eq=False)
class Pairs:
    """p pairs of different nodes with what relates them.

    code     int64[p]    what `figures.code_of` gives for the two nodes; all differ, and the first `ordered` ascend
    weight   float64[p]  summed
    count    int64[p]    number of relations; may be 0 after some were taken out
    running  int64[p]    of these, not for a type checker alone
    """

    code: Codes
    weight: Floats
    count: Rows
    running: Rows
    ordered: int

    def __len__(self) -> int:
        return len(self.code)

    def plus(self, more: Pairs) -> tuple[Pairs, Rows]:
        """The sum of these pairs and `more` (whose counts may be negative), and the row of each of `more` in it.

        Pairs that are here keep their rows; new ones come at the end. All of these must ascend.
        """
        assert self.ordered == len(self)
        place = np.searchsorted(self.code, more.code)
        known = np.zeros(len(more), np.bool_)
        inside = place < len(self)
        known[inside] = self.code[place[inside]] == more.code[inside]
        fresh = np.flatnonzero(~known)
        place[fresh] = len(self) + np.arange(len(fresh))

        def summed(mine: npt.NDArray[Number], other: npt.NDArray[Number]) -> npt.NDArray[Number]:
            column = np.concatenate((mine, np.zeros(len(fresh), mine.dtype)))
            np.add.at(column, place, other)
            return column

        return Pairs(
            np.concatenate((self.code, more.code[fresh])),
            summed(self.weight, more.weight),
            summed(self.count, more.count),
            summed(self.running, more.running),
            self.ordered,
        ), place


def pairs(source: Rows, target: Rows, weight: Floats, count: Rows, running: Rows) -> Pairs:
    """Rows summed by pairs of nodes; those whose ends are the same, or of which one is -1, are left out."""
    apart = (source != target) & (source >= 0) & (target >= 0)
    code, place = np.unique(code_of(source[apart], target[apart]), return_inverse=True)
    counts, runs = (
        np.rint(np.bincount(place, column[apart], len(code))).astype(np.int64) for column in (count, running)
    )
    return Pairs(code, summed(place, weight[apart], len(code)), counts, runs, len(code))


def summed(place: Rows, weight: Floats, length: int) -> Floats:
    """float64[length]: the weights at each place, summed."""
    sums: Floats = np.bincount(place, weight, length).astype(np.float64, copy=False)
    return sums
