"""Whether two graphs say the same."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from cbvtool.graph.graph import Edges, Graph


def is_same(first: Graph, second: Graph) -> bool:
    """Whether all columns are equal, with rows in the same order; NaN equals NaN."""
    if any(getattr(first, name) != getattr(second, name) for name in ("name", "kind_names", "files", "report")):
        return False
    if first.ids != second.ids or first.names != second.names or first.values.keys() != second.values.keys():
        return False
    columns = [
        (getattr(first, name), getattr(second, name)) for name in ("kinds", "parent", "file", "line", "end_line")
    ]
    columns += [(first.values[name], second.values[name]) for name in first.values]
    return all(np.array_equal(*pair, equal_nan=pair[0].dtype.kind == "f") for pair in columns) and _same_edges(
        first.edges, second.edges
    )


def _same_edges(first: Edges, second: Edges) -> bool:
    if first.kind_names != second.kind_names:
        return False
    names = [field.name for field in fields(Edges) if field.name != "kind_names"]
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)
