"""What happens within a module: the calls below its entry functions as a forest, with the values of all runs (CF-3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.ensemble import Ensemble, Floats
from cbvtool.trace.ensemble.groups import summed
from cbvtool.trace.ensemble.splitting import Longs
from cbvtool.trace.making.call_tree import outermost, preorder


@dataclass(frozen=True, eq=False)
class ModuleHierarchy:
    """h call paths within a part of an ensemble of r runs and n nodes, in preorder.

    function   int64[h]
    parent     int64[h]       -1 for entry functions
    depth      int64[h]
    site       int64[h]       node of the ensemble that takes most of it in some run
    of_node    int64[n]       -1 = outside of the part
    inclusive  float64[r, h]  over the outermost nodes; NaN = the run lacks it
    exclusive  float64[r, h]
    """

    function: Longs
    parent: Longs
    depth: Longs
    site: Longs
    of_node: Longs
    inclusive: Floats
    exclusive: Floats

    def __len__(self) -> int:
        return len(self.function)


def module_hierarchy(ensemble: Ensemble, within: npt.NDArray[np.bool_]) -> ModuleHierarchy:
    """Nodes bool[n] of a module, those with equal paths within it as one; all nodes give the tree of all calls."""
    numbers: dict[tuple[int, int], int] = {}
    of_node = np.full(len(within), -1, np.int64)
    rows = np.flatnonzero(within)
    own: dict[int, int] = {}
    for row, function, above in zip(
        rows.tolist(), ensemble.function[rows].tolist(), ensemble.parent[rows].tolist(), strict=True
    ):
        own[row] = numbers.setdefault((own.get(above, -1), function), len(numbers))
    of_node[rows] = list(own.values())
    parent, function = (np.array([key[at] for key in numbers], np.int64) for at in (0, 1))
    place, _ = preorder(parent)
    order = np.empty(len(place), np.int64)
    order[place] = np.arange(len(place))
    of_node[rows] = place[of_node[rows]]
    parent = parent[order]
    parent = np.where(parent >= 0, place[np.maximum(parent, 0)], -1) if len(parent) else parent
    depth = np.zeros(len(parent), np.int64)
    for row, above in enumerate(parent.tolist()):
        depth[row] = depth[above] + 1 if above >= 0 else 0
    outer = outermost(of_node, ensemble.end_row)
    return ModuleHierarchy(
        function[order],
        parent,
        depth,
        _largest(ensemble, of_node, len(parent)),
        of_node,
        summed(ensemble.inclusive, np.where(outer, of_node, -1), len(parent)),
        summed(ensemble.exclusive, of_node, len(parent)),
    )


def _largest(ensemble: Ensemble, of_node: Longs, paths: int) -> Longs:
    """int64[h]: of the nodes of each path the one with the most in some run."""
    most = np.nan_to_num(np.fmax.reduce(ensemble.inclusive, axis=0))
    found = np.zeros(paths, np.int64)
    order = np.argsort(most, kind="stable")
    order = order[of_node[order] >= 0]
    found[of_node[order]] = order  # the last one of each is the largest
    return found
