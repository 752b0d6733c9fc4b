"""Metrics for values in a graph file that no built-in metric reads, such as a salary."""

from __future__ import annotations

from collections.abc import Container
from functools import partial

import numpy as np

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, own
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.words import one_line

# Own values that built-in metrics read, in addition to those with the name of their metric.
_INGREDIENTS = frozenset({"comments", "nl3_lines", "test", "generated", "vendored", "standard", "exported"})
_LONGEST_LABEL = 40  # characters


def recorded(graph: Graph, known: Container[str] = ()) -> dict[str, Metric]:
    """A metric for each column of values that is neither in `known` nor read by a built-in metric, by name.

    A value in the file is taken as it is, also for a container (it may be a total, a mean, or a manager's own salary).
    A node without a value gets the sum of its children. So if only innermost nodes have values, the metric is a sum,
    like those of source code.
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
    """float64[n]: the `given` value of each node; where it is NaN, the sum of its children; NaN if these have none."""
    tree = graph.tree
    column = np.where(graph.parent == REMOVED, np.nan, given)
    by_depth = tree.order[np.argsort(tree.depth[tree.order], kind="stable")]
    levels = np.split(by_depth, np.flatnonzero(np.diff(tree.depth[by_depth])) + 1)
    for keys in reversed(levels[1:]):
        adding = keys[~np.isnan(column[keys]) & np.isnan(given[graph.parent[keys]])]
        column[graph.parent[adding]] = 0.0  # replaces NaN; all children of a node are on one level
        np.add.at(column, graph.parent[adding], column[adding])
    return column


def _label(name: str) -> str:
    """The name for people: `net_salary` as `Net salary`."""
    words = one_line(" ".join(name.replace("_", " ").split())) or "(no name)"
    words = words if len(words) <= _LONGEST_LABEL else f"{words[: _LONGEST_LABEL - 3]}..."
    return words[:1].upper() + words[1:]
