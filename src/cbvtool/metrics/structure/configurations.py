"""Compares entry configurations: which code each way of using the program needs (CBV-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cbvtool.analysis.settings import MOST_CONFIGURATIONS
from cbvtool.graph import REMOVED, Configuration, Graph
from cbvtool.metrics.combine import own, total
from cbvtool.metrics.structure.entry_points import entry_points
from cbvtool.metrics.structure.unused import Unused, judged, reached
from cbvtool.progress import Progress, silent


@dataclass(frozen=True)
class UsedIn:
    """Code that is used in exactly the same configurations.

    names  of these configurations; empty = no configuration uses the code
    keys   of the topmost nodes that lie entirely in this code, in the order of the tree
    sloc   source lines of all of it
    """

    names: tuple[str, ...]
    keys: tuple[int, ...]
    sloc: float

    @property
    def words(self) -> str:
        """`Used by server alone`."""
        if not self.names:
            return "Used by none of the configurations"
        return f"Used by {self.names[0]} alone" if len(self.names) == 1 else f"Used by {', '.join(self.names)}"

    @property
    def size(self) -> str:
        """The size in words, as for unused code."""
        return Unused(self.keys, (), self.sloc).size


def by_configuration(
    graph: Graph, configurations: Sequence[Configuration], progress: Progress = silent
) -> list[UsedIn]:
    """Code grouped by the configurations that use it: fewest configurations first, then the largest amount.

    A configuration's patterns name all of its entry points: there are no built-in ones, and tests count only if named.
    Raises ValueError for an invalid pattern, and for more than `MOST_CONFIGURATIONS`.
    """
    if len(configurations) > MOST_CONFIGURATIONS:
        raise ValueError(f"{len(configurations)} configurations are more than {MOST_CONFIGURATIONS}")
    if not configurations:
        return []
    entries = [entry_points(graph, one.entry_points, progress, tests=False) for one in configurations]
    progress("looking for what each configuration uses", 0, 0)
    used = np.zeros(len(graph), np.int64)
    for bit, found in enumerate(reached(graph, *entries)):
        used |= found.astype(np.int64) << bit
    code = judged(graph)
    # A container belongs to one group if the smallest and the largest set of configurations inside it are equal.
    least, most = (np.where(code, used, other) for other in (np.int64(2**MOST_CONFIGURATIONS), np.int64(-1)))
    order = graph.tree.order[::-1]
    for depth in range(int(graph.tree.depth.max(initial=0)), 0, -1):
        keys = order[graph.tree.depth[order] == depth]
        np.minimum.at(least, graph.parent[keys], least[keys])
        np.maximum.at(most, graph.parent[keys], most[keys])
    alike = (least == most) & (graph.parent != REMOVED)
    above = graph.parent
    topmost = alike & (above >= 0) & ~(alike[above] & (graph.tree.depth[above] > 0))
    lines = np.nan_to_num(total(graph, own(graph, "sloc")))
    sorts: dict[int, list[int]] = {}
    for key in graph.tree.order[topmost[graph.tree.order]].tolist():
        sorts.setdefault(int(least[key]), []).append(key)
    sides = [
        UsedIn(
            tuple(one.name for bit, one in enumerate(configurations) if sort >> bit & 1),
            tuple(keys),
            float(lines[keys].sum()),
        )
        for sort, keys in sorts.items()
    ]
    return sorted(sides, key=lambda one: (len(one.names), -one.sloc, one.keys))
