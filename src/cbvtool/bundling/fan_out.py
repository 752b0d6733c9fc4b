"""Fan-out (CBV-5): relations of a collapsed node end where its hidden leaves would be, not all in one point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.tree import Circle, Tree
from cbvtool.graph import Edges, LiftedEdges, distinct

IntColumn = npt.NDArray[np.int32]
FloatColumn = npt.NDArray[np.float64]

SLOTS = 1000  # angular slots around the circle; ends of one item in the same slot are merged
MOST_CURVES = 50_000  # more could not be told apart, and would take too long to draw


@dataclass(frozen=True, eq=False)
class FanOut:
    """c curves between k ends. A curve stands for relations whose ends are closer together than the eye can see.

    item     int32[k]    innermost visible item of each end
    angle    float64[k]  angle of each end, radians
    source   int32[c]    end of each curve at the dependant
    target   int32[c]    end of each curve at the dependency
    weight   float64[c]  sum of the weights of its relations
    count    int64[c]    number of its relations
    lifted   int32[c]    row of its lifted relation (the heaviest, if it merges several)
    hidden_weight        weight of relations that are left out because they are shorter than a slot (0 unless there were
                         too many to draw)
    """

    item: IntColumn
    angle: FloatColumn
    source: IntColumn
    target: IntColumn
    weight: FloatColumn
    count: npt.NDArray[np.int64]
    lifted: IntColumn
    hidden_weight: float = 0.0

    def __post_init__(self) -> None:
        for column in (self.item, self.angle, self.source, self.target, self.weight, self.count, self.lifted):
            column.flags.writeable = False

    def __len__(self) -> int:
        """Number of curves."""
        return len(self.source)

    def take(self, rows: npt.NDArray[np.int64]) -> FanOut:
        """The curves of `rows`, in that order."""
        return FanOut(
            self.item,
            self.angle,
            self.source[rows],
            self.target[rows],
            self.weight[rows],
            self.count[rows],
            self.lifted[rows],
            self.hidden_weight,
        )


def thinned(rows: npt.NDArray[np.int64], group: IntColumn, most: int) -> npt.NDArray[np.int64]:
    """At most `most` of `rows`, taken evenly from each group, ascending: such curves lie on top of each other anyway.

    group   int32[len(rows)]; if there are at most `most` groups, each keeps at least one row
    """
    if len(rows) <= most:
        return rows
    order = np.argsort(group, kind="stable")
    first = np.diff(group[order], prepend=-1) != 0
    groups = int(np.count_nonzero(first))
    if groups >= most:
        chosen = np.flatnonzero(first)[:: -(-groups // most)]
    else:
        rest = np.flatnonzero(~first)
        chosen = np.concatenate((np.flatnonzero(first), rest[:: -(-len(rest) // (most - groups))]))
    return np.sort(rows[order[chosen]])


def fan_out(
    edges: Edges, tree: Tree, layout: Circle, lifted: LiftedEdges, *, slots: int = SLOTS, most: int = MOST_CURVES
) -> FanOut:
    """Merge the shown relations to curves.

    slots   number of angular slots around the circle, by which ends of one item are merged
    most    largest number of curves; if there are more, ends of neighbouring items share slots, which become wider
    """
    rows = np.flatnonzero(lifted.of_edge >= 0)
    source, target, belongs = edges.source[rows], edges.target[rows], lifted.of_edge[rows]
    end_of, item, angle = _ends(tree, layout, np.concatenate((source, target)), slots)
    begin, finish, curve = _curves(end_of[source], end_of[target], len(item))
    row = np.empty(len(begin), np.int32)
    row[curve] = belongs  # all relations between two ends are between the same two items
    weight = np.bincount(curve, edges.weight[rows], len(begin)).astype(np.float64, copy=False)
    fan = FanOut(item, angle, begin, finish, weight, np.bincount(curve, minlength=len(begin)), row)
    while len(fan) > most:
        fan = _coarser(fan, lifted, slots)
        slots //= 2
    return fan


def _ends(tree: Tree, layout: Circle, keys: IntColumn, slots: int) -> tuple[IntColumn, IntColumn, FloatColumn]:
    """(int32[n] end of each of `keys`, int32[k] item, float64[k] angle of each end: the mean over its keys)."""
    used = np.zeros(len(tree.represent), np.bool_)
    used[keys] = True
    keys = np.flatnonzero(used).astype(np.int32)
    slot = np.floor(layout.key_angle[keys] * (slots / (2 * np.pi))).astype(np.int64)
    codes, end = distinct(
        tree.represent[keys].astype(np.int64) * (slots + 1) + slot, (slots + 1) * (len(tree.parent) + 1)
    )
    end_of = np.full(len(used), -1, np.int32)
    end_of[keys] = end
    return end_of, (codes // (slots + 1)).astype(np.int32), _mean(layout.key_angle[keys], end)


def _coarser(fan: FanOut, lifted: LiftedEdges, slots: int) -> FanOut:
    """The same curves with one end for each angular slot, whatever items are in it."""
    slot = np.floor(fan.angle * (slots / (2 * np.pi))).astype(np.int64)
    _, first, group = np.unique(slot, return_index=True, return_inverse=True)
    end: IntColumn = group.astype(np.int32)
    begin, finish, curve = _curves(end[fan.source], end[fan.target], len(first))
    weight = np.bincount(curve, fan.weight, len(begin))
    count = np.bincount(curve, fan.count, len(begin)).astype(np.int64)
    row = np.empty(len(begin), np.int32)
    heaviest_last = np.argsort(lifted.weight[fan.lifted], kind="stable")
    row[curve[heaviest_last]] = fan.lifted[heaviest_last]
    apart = begin != finish
    return FanOut(
        fan.item[first],
        _mean(fan.angle, end),
        begin[apart],
        finish[apart],
        weight[apart],
        count[apart],
        row[apart],
        fan.hidden_weight + float(weight[~apart].sum()),
    )


def _curves(source: IntColumn, target: IntColumn, ends: int) -> tuple[IntColumn, IntColumn, npt.NDArray[np.int64]]:
    """(source and target of each distinct pair, index of the pair for each given one)."""
    pairs, curve = distinct(source.astype(np.int64) * ends + target, ends**2)
    return (pairs // max(ends, 1)).astype(np.int32), (pairs % max(ends, 1)).astype(np.int32), curve


def _mean(values: FloatColumn, group: npt.NDArray[np.integer]) -> FloatColumn:
    """float64[g]: mean of the values of each group."""
    return np.bincount(group, values).astype(np.float64, copy=False) / np.bincount(group)
