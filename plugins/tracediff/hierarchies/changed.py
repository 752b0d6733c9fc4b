"""What differs between two hierarchies, in order: for the table, and for steps from one change to the next (TD-8)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import CallChange, ViewColumn, ViewContext, ViewTable

from ..state import LOWER, UPPER
from .designs import Designs, designs_in, width_in
from .nodes import UNIFORM
from .picture import WORDS, why_nothing

Ints = npt.NDArray[np.int64]
_MOST = 10_000


def changed_keys(designs: Designs) -> Ints:
    """int64[k]: keys of nodes that changed, from left to right; of what is new or gone the outermost alone."""
    found = list[tuple[float, int]]()
    for side in (UPPER, LOWER):
        nodes, kinds, tree = designs.nodes[side], designs.kinds[side], designs.trees[side]
        above = np.where(tree.parent >= 0, kinds[tree.parent], 0)
        alone = CallChange.REMOVED if side == UPPER else CallChange.INSERTED
        outermost = (kinds == alone) & (above != alone)
        moved = (
            np.isin(kinds, (CallChange.MOVED, CallChange.RENAMED)) if side == LOWER else np.zeros(len(kinds), np.bool_)
        )
        for row in np.flatnonzero(outermost | moved).tolist():
            found.append((float(tree.start[row]), int(nodes.key[row])))
    found.sort()
    return np.array([key for _, key in found], np.int64)


def kind_of(designs: Designs, key: int) -> CallChange:
    """What became of a node."""
    side = LOWER if designs.nodes[LOWER].row[key] >= 0 else UPPER
    return CallChange(int(designs.kinds[side][designs.nodes[side].row[key]]))


def place_of(designs: Designs, side: int, key: int) -> str:
    """Where a node lies in one of both; empty = it is not there."""
    graph = designs.graphs[side]
    return graph.path(key) or graph.name if designs.nodes[side].row[key] >= 0 else ""


def draw_changed(context: ViewContext) -> ViewTable:
    """A row for each change."""
    designs = designs_in(context)
    if designs is None:
        return ViewTable((), np.empty(0, np.int32), empty=why_nothing(context))
    keys = context.memo(changed_keys, designs)
    columns = context.memo(_columns, designs, width_in(context))
    return ViewTable(
        columns, keys[:_MOST].astype(np.int32), more=max(len(keys) - _MOST, 0), empty="Both hierarchies are the same."
    )


def _columns(designs: Designs, width: str) -> tuple[ViewColumn, ...]:
    keys = changed_keys(designs)[:_MOST].tolist()
    kinds = [kind_of(designs, key) for key in keys]
    values = [
        [float(nodes.value[nodes.row[key]]) if nodes.row[key] >= 0 else np.nan for key in keys]
        for nodes in designs.nodes
    ]
    what = "Leaves" if width == UNIFORM else width
    return (
        ViewColumn("What", [WORDS[kind] for kind in kinds], kind="text"),
        ViewColumn("In A", [place_of(designs, UPPER, key) for key in keys], kind="text"),
        ViewColumn("In B", [place_of(designs, LOWER, key) for key in keys], kind="text"),
        ViewColumn(f"{what} in A", np.array(values[UPPER], np.float64)),
        ViewColumn(f"{what} in B", np.array(values[LOWER], np.float64)),
    )
