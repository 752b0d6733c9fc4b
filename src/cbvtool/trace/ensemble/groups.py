"""The call graph of modules of an ensemble, with the values of all runs: the supergraph (CF-1; 004, 4.1).

What a module takes is summed over the calls by which it is entered from outside, so that recursion, also through other
modules, counts once and no module takes more than its run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.ensemble.ensemble import Ensemble, Floats
from cbvtool.trace.ensemble.grouping import ModuleGrouping
from cbvtool.trace.ensemble.splitting import ModuleSplit, NodeModules, entries, split_all
from cbvtool.trace.making.call_tree import outermost


@dataclass(frozen=True, eq=False)
class SuperGraph:
    """g modules and e calls between them, of an ensemble of r runs and n nodes.

    name        str[g]
    of_node     int32[n]
    entry       bool[n]        the node enters its module: its caller is of another one, or there is none
    inclusive   float64[r, g]  over the outermost nodes of a module; NaN = the run lacks it
    exclusive   float64[r, g]
    within      float64[r, g]  inclusive, over the outermost self-calls: of the module's own functions by each other;
                               NaN = none in the run
    source, target  int32[e]   of each edge once, without self-calls; cycles are kept
    flow        float64[r, e]  inclusive, over the outermost of the calls from source to target; NaN = none in the run
    """

    name: tuple[str, ...]
    of_node: npt.NDArray[np.int32]
    entry: npt.NDArray[np.bool_]
    inclusive: Floats
    exclusive: Floats
    within: Floats
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    flow: Floats

    def __len__(self) -> int:
        return len(self.name)


def super_graph(ensemble: Ensemble, grouping: ModuleGrouping, splits: Sequence[ModuleSplit] = ()) -> SuperGraph:
    """The modules that some run enters, split as is said, in the order of their first node."""
    of_function = grouping.of_function[ensemble.function].astype(np.int64)
    modules = split_all(ensemble, NodeModules(grouping.name, of_function), splits)
    of_node = modules.of_node
    used, first = np.unique(of_node, return_index=True)
    order = np.argsort(first, kind="stable")
    number = np.full(len(modules.name), -1, np.int64)
    number[used[order]] = np.arange(len(used))
    of_node = number[of_node]
    parent = ensemble.parent
    above = np.where(parent >= 0, of_node[parent], -1) if len(parent) else of_node
    entry = entries(of_node, parent.astype(np.int64))
    g = len(used)
    crossing = entry & (above >= 0)
    pairs, of_pair = np.unique(np.where(crossing, above * g + of_node, -1), return_inverse=True)
    hidden = int(len(pairs) > 0 and pairs[0] < 0)
    of_pair = of_pair.reshape(-1) - hidden
    pairs = pairs[hidden:]
    outer, outer_pair = outermost(of_node, ensemble.end_row), outermost(of_pair, ensemble.end_row)
    own = np.where(entry, -1, of_node)
    outer_own = outermost(own, ensemble.end_row)
    return SuperGraph(
        tuple(modules.name[each] for each in used[order].tolist()),
        of_node.astype(np.int32),
        entry,
        summed(ensemble.inclusive, np.where(outer, of_node, -1), g),
        summed(ensemble.exclusive, of_node, g),
        summed(ensemble.inclusive, np.where(outer_own, own, -1), g),
        (pairs // max(g, 1)).astype(np.int32),
        (pairs % max(g, 1)).astype(np.int32),
        summed(ensemble.inclusive, np.where(outer_pair, of_pair, -1), len(pairs)),
    )


def summed(values: Floats, group: npt.NDArray[np.int64], groups: int) -> Floats:
    """float64[r, groups]: values of r runs x n nodes added up by group (-1 = none); NaN where a run has no value."""
    rows = np.argsort(group, kind="stable")
    rows = rows[np.searchsorted(group[rows], 0) :]
    found = np.full((len(values), groups), np.nan)
    if not len(rows):
        return found
    ordered = group[rows]
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    columns = values[:, rows]
    known = np.logical_or.reduceat(~np.isnan(columns), begins, axis=1)
    sums = np.add.reduceat(np.nan_to_num(columns), begins, axis=1)
    found[:, ordered[begins]] = np.where(known, sums, np.nan)
    return found
