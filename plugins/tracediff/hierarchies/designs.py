"""Two hierarchies of the same keys: which node is which, and what became of each (TD-8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import CallChange, CallMatches, CallTree, Graph, Need, NeedProgress, ViewContext, kernel

from ..matching import Known, known_of
from ..state import LOWER, UPPER
from .nodes import UNIFORM, WIDE, Nodes, nodes_of, values_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_MOVED = int(CallChange.MOVED)
AT_ONCE = 20_000  # nodes: so few are arranged without a worker


@dataclass(frozen=True, eq=False)
class Designs:
    """Both hierarchies.

    graphs   of A and of B
    nodes    of each side
    kinds    of each side uint8[n], a `CallChange`: of A alone REMOVED, of B alone INSERTED; in another container MOVED,
             under another name RENAMED
    carried  of each side bool[n]: below a node that was moved, and moved with it
    known    all nodes that both have, in groups; those that changed come first
    whole    units of width that the wider one takes
    """

    graphs: tuple[Graph, Graph]
    nodes: tuple[Nodes, Nodes]
    kinds: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]
    carried: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]
    known: Known
    whole: tuple[float, float]

    @property
    def trees(self) -> tuple[CallTree, CallTree]:
        """As TraceDiff knows them."""
        return self.nodes[UPPER].tree, self.nodes[LOWER].tree

    def partner(self, side: int, row: int) -> int:
        """The row of the same node in the other hierarchy, -1 = it is not there."""
        return int(self.nodes[1 - side].row[self.nodes[side].key[row]])

    def count(self, change: CallChange) -> int:
        """How many nodes changed in that way."""
        side = UPPER if change is CallChange.REMOVED else LOWER
        return int((self.kinds[side] == change).sum())


class _Both:
    """The trees alone, while groups are made of them."""

    def __init__(self, one: CallTree, other: CallTree) -> None:
        self.trees = (one, other)


def designs_of(before: Graph, after: Graph, width: str) -> Designs:
    """Both hierarchies, the later one with all keys that there are."""
    keys = max(len(before), len(after))
    found = [values_of(graph, width) for graph in (before, after)]
    most = max(float(own.sum()) for _, _, own in found)
    unit = WIDE / max(most, 1.0)
    one, other = (nodes_of(graph, keys, each, unit) for graph, each in zip((before, after), found, strict=True))
    common = np.flatnonzero((one.row >= 0) & (other.row >= 0))
    rows = one.row[common], other.row[common]
    kind = np.full(keys, int(CallChange.UNCHANGED), np.uint8)
    kind[(one.row >= 0) & (other.row < 0)] = CallChange.REMOVED
    kind[(one.row < 0) & (other.row >= 0)] = CallChange.INSERTED
    renamed = [key for key in common.tolist() if before.names[key] != after.names[key] and key != after.root]
    kind[renamed] = CallChange.RENAMED
    kind[common[before.parent[common] != after.parent[common]]] = CallChange.MOVED
    kinds = kind[one.key], kind[other.key]
    alike = np.zeros(keys)
    alike[common] = _similarities(
        one.tree.parent, rows[UPPER], one.tree.end_row, other.tree.parent, rows[LOWER], other.tree.end_row
    )
    order = one.tree.breadth_first
    order = order[other.row[one.key[order]] >= 0]
    key = one.key[order]
    matches = CallMatches(order, other.row[key], alike[key])
    known = known_of(_Both(one.tree, other.tree), matches, (), True, kind[key] != CallChange.UNCHANGED)
    return Designs(
        (before, after),
        (one, other),
        kinds,
        (_carried(kinds[UPPER], one.tree.parent), _carried(kinds[LOWER], other.tree.parent)),
        known,
        (0.0, float(max(one.tree.end[0], other.tree.end[0], 1))),
    )


def make_designs(before: Graph, after: Graph, width: str, *, progress: NeedProgress) -> Designs:
    """The same, as a need."""
    progress("Arranging both hierarchies", 0, 0)
    return designs_of(before, after, width)


def design_needs(context: ViewContext) -> tuple[Need, ...]:
    """One, where the hierarchies are large."""
    before = context.before
    if before is None or len(context.graph) <= AT_ONCE:
        return ()
    return (Need("designs", "arranging both hierarchies", make_designs, (before, context.graph, width_in(context))),)


def designs_in(context: ViewContext) -> Designs | None:
    """Both hierarchies; None while they are arranged, and where there is one alone."""
    before, width = context.before, width_in(context)
    if before is None:
        return None
    if len(context.graph) <= AT_ONCE:
        return context.memo(designs_of, before, context.graph, width)
    found: Designs | None = context.found.get("designs")
    return found if found is not None and found.graphs == (before, context.graph) else None


def width_in(context: ViewContext) -> str:
    """What widths stand for: of values that no node has, the number of leaves."""
    chosen = str(context.values["width"])
    return chosen if chosen in context.graph.values else UNIFORM


@kernel
def _similarities(
    parent: Ints, row: Ints, end_row: Ints, other_parent: Ints, other_row: Ints, other_end: Ints
) -> Floats:
    """float64[k]: of k nodes the share of the nodes in or below either that are in or below both.

    row, other_row  int64[k]  of the nodes that both hierarchies have. About k times the depth
    """
    k = len(row)
    which = np.full(len(parent), -1, np.int64)  # of a row of A the number of its node
    other_which = np.full(len(other_parent), -1, np.int64)
    for i in range(k):
        which[row[i]] = i
        other_which[other_row[i]] = i
    common, seen = np.zeros(k, np.int64), np.full(k, -1, np.int64)
    for i in range(k):
        at = row[i]
        while at >= 0:
            if which[at] >= 0:
                seen[which[at]] = i
            at = parent[at]
        at = other_row[i]
        while at >= 0:
            number = other_which[at]
            if number >= 0 and seen[number] == i:
                common[number] += 1
            at = other_parent[at]
    found = np.empty(k, np.float64)
    for i in range(k):
        either = end_row[row[i]] - row[i] + other_end[other_row[i]] - other_row[i] - common[i]
        found[i] = common[i] / either
    return found


@kernel
def _carried(kinds: npt.NDArray[np.uint8], parent: Ints) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(kinds), np.bool_)
    for row in range(1, len(kinds)):
        above = parent[row]
        found[row] = found[above] or kinds[above] == _MOVED
    return found
