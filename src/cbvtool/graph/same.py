"""Whether two graphs say the same, and which of their keys do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import numpy as np
import numpy.typing as npt

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


def common_keys(keys: Iterable[int], graph: Graph, other: Graph) -> list[int]:
    """Those of `keys` that name the same node in both graphs.

    A step of a plan keeps all keys, but creates nodes; two plans give the nodes that they create the same keys.
    """
    known = min(len(graph), len(other))
    if graph.ids is other.ids:
        return [key for key in keys if 0 <= key < known]
    return [key for key in keys if 0 <= key < known and graph.ids[key] == other.ids[key]]


def column_on(column: npt.NDArray[np.float64], graph: Graph, other: Graph) -> npt.NDArray[np.float64]:
    """float64[n]: a column of `graph` by the keys of `other`; NaN where these name another node, or a new one."""
    known, size = min(len(graph), len(other)), len(other)
    if graph.ids is other.ids:
        return column
    result = np.concatenate((column[:known], np.full(size - known, np.nan)))
    if graph.ids[:known] != other.ids[:known]:
        result[[key for key in range(known) if graph.ids[key] != other.ids[key]]] = np.nan
    return result


def _same_edges(first: Edges, second: Edges) -> bool:
    if first.kind_names != second.kind_names:
        return False
    names = [field.name for field in fields(Edges) if field.name != "kind_names"]
    return all(np.array_equal(getattr(first, name), getattr(second, name)) for name in names)
