"""Ways to combine a metric upward that differ from its own, chosen for a view (CBV-13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.combine import Column, largest, share, total
from cbvtool.metrics.metric import Metric

AGGREGATIONS: Mapping[str, str] = MappingProxyType(
    {"sum": "Sum", "mean": "Mean", "weighted": "Mean by lines", "median": "Median", "max": "Maximum"}
)
_CALLED = {"sum": "Total", "mean": "Mean", "weighted": "Weighted", "median": "Median", "max": "Highest"}
# A metric's own way -> the aggregation that would change nothing.
_OWN = {"sum": "sum", "max": "max", "mean": "weighted"}


def own_way(metric: Metric) -> str:
    """A metric's own way to combine, for people."""
    names = {"union": "Distinct", "most": "Most frequent", "recompute": "Counted anew"}
    return names.get(metric.combine) or AGGREGATIONS[_OWN[metric.combine]]


def choices(metric: Metric) -> tuple[str, ...]:
    """The aggregations that make sense for a metric in addition to its own; sums only for amounts."""
    if metric.names is not None:
        return ()
    amount = bool(metric.unit) and metric.combine != "max"
    return tuple(name for name in AGGREGATIONS if name != _OWN.get(metric.combine) and (amount or name != "sum"))


def aggregated(graph: Graph, column: Column, how: str, lines: Column) -> Column:
    """float64[n]: a metric's values combined in another way, from the innermost nodes that have a value.

    column  float64[n] as the metric returns it
    how     one of `AGGREGATIONS`
    lines   float64[n] source lines of each subtree: the weights of `weighted`

    Containers are combined from these innermost nodes only: the mean complexity of a folder is that of its functions.
    """
    tree = graph.tree
    measured = ~np.isnan(column) & (graph.parent != REMOVED)
    inner = measured & (tree.subtree_sum(measured.astype(np.float64)) == 1)
    values = np.where(inner, column, np.nan)
    if how == "max":
        return largest(graph, values)
    if how == "sum":
        return total(graph, values)
    if how == "median":
        return _median(graph, values)
    weight = np.where(inner, 1.0 if how == "mean" else np.nan_to_num(lines), np.nan)
    return _signed_share(total(graph, values * weight), total(graph, weight))


def with_aggregation(metric: Metric, how: str) -> Metric:
    """The metric with a label for the aggregation `how`; empty = its own way."""
    if not how:
        return metric
    label = f"{_CALLED[how]} {metric.label[:1].lower()}{metric.label[1:]}"
    return replace(metric, label=label, combine="sum" if how == "sum" else "recompute")


def _signed_share(part: Column, whole: Column) -> Column:
    """As `share`, also for negative values; NaN for a division by zero."""
    return np.where(whole > 0, share(part, whole), np.nan)


def _median(graph: Graph, values: Column) -> Column:
    """float64[n]: median of the values in each subtree: level by level, with the values grouped by ancestor."""
    tree = graph.tree
    keys = np.flatnonzero(~np.isnan(values))
    keys = keys[np.argsort(values[keys], kind="stable")]
    above = keys.copy()  # ancestor at the level, or the node itself if it is above that level
    result = np.full(len(values), np.nan)
    for depth in range(int(tree.depth[keys].max(initial=-1)), -1, -1):
        deeper = tree.depth[above] > depth
        above[deeper] = tree.parent[above[deeper]]
        here = np.flatnonzero(tree.depth[above] == depth)
        here = here[np.argsort(above[here], kind="stable")]  # by ancestor, then by value
        node, first, count = np.unique(above[here], return_index=True, return_counts=True)
        ordered = values[keys[here]]
        result[node] = (ordered[first + (count - 1) // 2] + ordered[first + count // 2]) / 2
    return result
