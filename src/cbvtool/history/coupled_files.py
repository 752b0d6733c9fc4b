"""Coupled files as relations of a graph, of the kind `co-change`, which is never a dependency (NEW-12)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.graph import REMOVED, Graph, When
from cbvtool.graph.kinds import CO_CHANGE
from cbvtool.history.change_sets import MOST_FILES, ChangeSets, CouplingChoice, IntColumn, change_sets
from cbvtool.history.coupling import Couplings, Shares, file_couplings
from cbvtool.metrics.history.in_range import file_keys
from cbvtool.mining.changes import Changes

LEAST, LIFT = 5, 2.0


@dataclass(frozen=True)
class CouplingOptions:
    """Which files count as coupled, for any range of time.

    most, ticket  as in `CouplingChoice`
    least         least number of change sets with both files
    lift          least ratio to the number expected by chance; low for a change log, which changes with everything
    """

    most: int = MOST_FILES
    ticket: str = ""
    least: int = LEAST
    lift: float = LIFT

    def within(self, since: int | None, until: int | None) -> CouplingChoice:
        """The commits to consider in a range: seconds since the epoch, both included; None = open."""
        return CouplingChoice(since, until, self.most, self.ticket)

    def strong(self, found: Couplings) -> Couplings:
        """The pairs that count as coupled."""
        return found.take((found.both >= self.least) & (found.lift >= self.lift))


@dataclass(frozen=True, eq=False)
class CoupledFiles:
    """q pairs of files that change together.

    source, target  int32[q]  keys; the target changes in the larger share of the change sets of the source
    weight          float64[q]  change sets with both
    """

    source: IntColumn
    target: IntColumn
    weight: Shares


def coupled_files(graph: Graph, changes: Changes, sets: ChangeSets, options: CouplingOptions) -> CoupledFiles:
    """The files of a graph that count as coupled."""
    found = options.strong(file_couplings(sets, len(changes.paths)))
    key = file_keys(graph, changes)
    first, second = key[found.first], key[found.second]
    known = (first >= 0) & (second >= 0)
    onward = found.confidence >= found.back
    source, target = np.where(onward, first, second)[known], np.where(onward, second, first)[known]
    return CoupledFiles(source, target, found.both[known].astype(np.float64))


def coupled_in(
    graph: Graph, changes: Changes, options: CouplingOptions, since: int | None, until: int | None
) -> CoupledFiles:
    """The same in a range of time. Raises InputError for a wrong pattern of tickets."""
    return coupled_files(graph, changes, change_sets(changes, options.within(since, until)), options)


def with_coupling(graph: Graph, coupled: CoupledFiles) -> Graph:
    """`graph` with a relation for each pair of coupled files; its weight is the number of change sets.

    `coupled` has the keys of `graph`, or of the base of its plan. Removed nodes get no relations. A graph that already
    has relations of this kind is returned unchanged.
    """
    known = graph.edges
    if CO_CHANGE in known.kind_names and bool((known.kind == known.kind_names.index(CO_CHANGE)).any()):
        return graph
    there = graph.parent != REMOVED
    kept = there[coupled.source] & there[coupled.target]
    zero = np.zeros(int(np.count_nonzero(kept)), np.int64)
    edges = known.with_more(
        coupled.source[kept], coupled.target[kept], zero, (CO_CHANGE,), coupled.weight[kept], When.ALWAYS
    )
    return graph.with_(edges=edges)
