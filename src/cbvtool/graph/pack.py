"""A graph as bytes that this very version of the program reads back fast: for caches, not for keeping."""

from __future__ import annotations

import zlib
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from cbvtool.graph.graph import Edges, Graph, Report

_LEVEL = 1  # zlib level: takes a third of the default's time for nearly the same size


class _Packed(msgspec.Struct, array_like=True):
    texts: dict[str, list[str]]
    columns: dict[str, tuple[str, bytes]]  # type and content
    values: dict[str, bytes]
    edge_columns: dict[str, tuple[str, bytes]]
    edge_kinds: list[str]
    name: str
    report: Report


def pack(graph: Graph) -> bytes:
    """All of `graph`. Raises UnicodeEncodeError for a text with a lone surrogate, which UTF-8 cannot hold."""
    texts, columns = _sorted_out(graph)
    del columns["values"], columns["edges"], columns["report"], columns["name"]
    kinds, edge_columns = _sorted_out(graph.edges)
    packed = _Packed(
        {name: list(text) for name, text in texts.items()},
        {name: _bytes(column) for name, column in columns.items()},
        {name: column.tobytes() for name, column in graph.values.items()},
        {name: _bytes(column) for name, column in edge_columns.items()},
        list(kinds["kind_names"]),
        graph.name,
        graph.report,
    )
    return zlib.compress(msgspec.msgpack.encode(packed), _LEVEL)


def unpack(data: bytes) -> Graph:
    """The graph that `pack` turned into bytes. Raises ValueError for any other bytes."""
    try:
        packed = msgspec.msgpack.decode(zlib.decompress(data), type=_Packed)
        edges = Edges(**_arrays(packed.edge_columns), kind_names=tuple(packed.edge_kinds))
        texts: dict[str, Any] = {name: tuple(text) for name, text in packed.texts.items()}
        values = {name: np.frombuffer(column, np.float64) for name, column in packed.values.items()}
        return Graph(packed.name, values=values, edges=edges, report=packed.report, **_arrays(packed.columns), **texts)
    except (zlib.error, msgspec.DecodeError, TypeError, IndexError) as error:
        raise ValueError(str(error)) from error


def _sorted_out(value: Graph | Edges) -> tuple[dict[str, tuple[str, ...]], dict[str, Any]]:
    """(name -> column for the text fields of `value`, name -> value for its other fields)."""
    found = {field.name: getattr(value, field.name) for field in fields(value)}
    texts = {name: column for name, column in found.items() if isinstance(column, tuple)}
    return texts, {name: column for name, column in found.items() if name not in texts}


def _bytes(column: np.ndarray[Any, Any]) -> tuple[str, bytes]:
    return column.dtype.str, column.tobytes()


def _arrays(columns: dict[str, tuple[str, bytes]]) -> dict[str, Any]:
    return {name: np.frombuffer(data, np.dtype(kind)) for name, (kind, data) in columns.items()}
