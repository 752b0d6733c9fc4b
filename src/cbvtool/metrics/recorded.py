"""Metrics that came with a graph from elsewhere: numbers of its nodes that no other metric reads, such as a salary."""

from __future__ import annotations

from collections.abc import Container
from functools import partial

import numpy as np

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, own
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.words import one_line

# Own values that other metrics are made of, beside those that are called like their metric.
_INGREDIENTS = frozenset({"comments", "nl3_lines", "test", "generated", "vendored", "standard", "exported"})
_LONGEST_LABEL = 40  # characters


def recorded(graph: Graph, known: Container[str] = ()) -> dict[str, Metric]:
    """A metric for each column of values that neither is called like one of `known` nor read by one, by its name.

    What the graph says about a node is its value (the file may give totals, or means, or the salary of a manager);
    a node of which it says nothing has the sum of its children. So a column with values of innermost nodes alone is
    a sum like the metrics of source code.
    """
    inner = np.diff(graph.tree.child_ptr) > 0
    return {
        name: Metric(
            name,
            _label(name),
            "",
            "neither",
            "recompute" if (~np.isnan(column[inner])).any() else "sum",
            partial(_compute, name),
            "The value in the file; where the file has none, the sum over what lies inside.",
        )
        for name, column in graph.values.items()
        if name not in known and name not in _INGREDIENTS and not np.isnan(column).all()
    }


def _compute(name: str, subject: Subject) -> Column:
    return given_or_sum(subject.graph, own(subject.graph, name))


def given_or_sum(graph: Graph, given: Column) -> Column:
    """float64[n]: the `given` value of each node, the sum of its children where that is NaN; NaN if they are, too."""
    tree = graph.tree
    column = np.where(graph.parent == REMOVED, np.nan, given)
    by_depth = tree.order[np.argsort(tree.depth[tree.order], kind="stable")]
    levels = np.split(by_depth, np.flatnonzero(np.diff(tree.depth[by_depth])) + 1)
    for keys in reversed(levels[1:]):
        adding = keys[~np.isnan(column[keys]) & np.isnan(given[graph.parent[keys]])]
        column[graph.parent[adding]] = 0.0  # was NaN: all children of a node are of one level
        np.add.at(column, graph.parent[adding], column[adding])
    return column


def _label(name: str) -> str:
    """The name for people: `net_salary` as `Net salary`."""
    words = one_line(" ".join(name.replace("_", " ").split())) or "(no name)"
    words = words if len(words) <= _LONGEST_LABEL else f"{words[: _LONGEST_LABEL - 3]}..."
    return words[:1].upper() + words[1:]
