"""Which relations and nodes pass the switches of a view. Picture, lists and switches all use this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.asking.impact import is_test
from cbvtool.graph import EXTERNAL, NO_PARENT, REMOVED, Confidence, Graph
from cbvtool.metrics.structure.users import of_kinds

Mask = npt.NDArray[np.bool_]
FloatColumn = npt.NDArray[np.float64]

OUTSIDE_SHARE = 0.08  # share of the ring for all packages outside the project together


def shown_relations(graph: Graph, guesses: bool, external: bool, kinds_off: frozenset[str], tests: bool = True) -> Mask:
    """bool[m]: the relations that are drawn and listed.

    guesses    include relations that were found by name alone
    external   include relations with packages outside the project
    kinds_off  kinds that are switched off
    tests      include relations from and to tests
    """
    edges = graph.edges
    shown = np.ones(len(edges), np.bool_)
    if kinds_off:
        shown = ~np.isin(edges.kind, [row for row, kind in enumerate(edges.kind_names) if kind in kinds_off])
    if not guesses:
        shown &= edges.confidence != Confidence.GUESS
    if not external:
        outside = is_outside(graph)
        shown &= ~(outside[edges.source] | outside[edges.target])
    if not tests:
        test = is_test(graph)
        shown &= ~(test[edges.source] | test[edges.target])
    return shown


def is_outside(graph: Graph) -> Mask:
    """bool[n]: the nodes that do not belong to the project."""
    return of_kinds(graph, (EXTERNAL,))


def outside_tops(graph: Graph) -> frozenset[int]:
    """Keys of the topmost nodes that do not belong to the project; usually one, or none."""
    outside = is_outside(graph) & (graph.parent != REMOVED)
    keys = np.flatnonzero(outside)
    above = graph.parent[keys]
    return frozenset(keys[(above == NO_PARENT) | ~outside[above]].tolist())


def test_tops(graph: Graph) -> frozenset[int]:
    """Keys of the topmost nodes in which all files are tests."""
    tree = graph.tree
    is_file = of_kinds(graph, ("file",))
    alive = graph.parent != REMOVED
    files = tree.subtree_sum((is_file & alive).astype(np.float64))
    tests = tree.subtree_sum((is_file & alive & is_test(graph)).astype(np.float64))
    all_tests = alive & ((is_test(graph) & ~is_file) | ((files > 0) & (files == tests)))
    keys = np.flatnonzero(all_tests)
    above = graph.parent[keys]
    return frozenset(keys[(above != NO_PARENT) & ~all_tests[above]].tolist())


def with_outside(graph: Graph, weight: FloatColumn) -> FloatColumn:
    """float64[n]: the nodes' own weights; packages outside the project weigh by the number of their uses.

    All of them together get `OUTSIDE_SHARE` of the ring, whatever the unit of `weight` is. If all other weights are 0,
    theirs are 0, too.
    """
    outside = is_outside(graph) & (graph.parent != REMOVED)
    if not outside.any():
        return weight
    edges = graph.edges
    counts = outside[edges.target] & (graph.parent[edges.source] != REMOVED)
    uses = np.bincount(edges.target[counts], edges.weight[counts], len(graph))
    result = np.where(outside, np.nan, weight)
    total = float(np.nansum(np.maximum(result, 0.0)))
    used = np.flatnonzero(outside & (uses > 0))
    if len(used):
        result[used] = uses[used] / uses[used].sum() * total * OUTSIDE_SHARE / (1 - OUTSIDE_SHARE)
    return result


@dataclass(frozen=True)
class Counts:
    """The numbers at the switches: guessed relations, packages outside, relations by kind (most frequent first)."""

    guesses: int
    packages: int
    kinds: Mapping[str, int]


def counts(graph: Graph, guesses: bool = True, external: bool = True) -> Counts:
    """The numbers for the switches that show or hide relations of `graph`.

    The number of a kind counts only relations that `guesses` and `external` let through. A kind of which no relation
    passes is listed with 0.
    """
    edges = graph.edges
    alive = graph.parent != REMOVED
    there = np.ones(len(edges), np.bool_)
    if not alive.all():
        there = alive[edges.source] & alive[edges.target]
    shown = there & shown_relations(graph, guesses, external, frozenset())
    size = len(edges.kind_names)
    all_of = np.bincount(edges.kind[there], minlength=size)
    number = all_of if shown.all() else np.bincount(edges.kind[shown], minlength=size)
    order = [row for row in np.argsort(-all_of, kind="stable").tolist() if all_of[row]]
    packages = is_outside(graph) & alive & (np.diff(graph.tree.child_ptr) == 0)
    return Counts(
        int(np.count_nonzero(there & (edges.confidence == Confidence.GUESS))),
        int(np.count_nonzero(packages)),
        {edges.kind_names[row]: int(number[row]) for row in order},
    )
