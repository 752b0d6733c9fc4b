"""The list of relations: order, filter, text, CSV (NEW-10)."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.asking.listing import COLUMNS, PLACES, NodePaths, as_csv, as_text, cell, matching, ordered
from cbvtool.graph import Graph, GraphBuilder
from tests.graph.strategies import graphs


def shop() -> Graph:
    """Three files; one has the name of a formula."""
    builder = GraphBuilder("shop")
    builder.add_node("core", "", "core", "folder")
    for name in ("cart.py", "=cmd().py", "Bill.py"):
        builder.add_node(f"core/{name}", "core", name, "file", file=f"core/{name}")
    for user, used, kind, line in (
        ("cart.py", "Bill.py", "import", 3),
        ("cart.py", "=cmd().py", "call", 9),
        ("=cmd().py", "cart.py", "import", 1),
    ):
        builder.add_edge(builder.key(f"core/{user}"), builder.key(f"core/{used}"), kind, sites=[(f"core/{user}", line)])
    return builder.freeze()


def cells(graph: Graph, rows: np.ndarray, column: int) -> list[str | float]:
    return [cell(graph, edge, column) for edge in rows.tolist()]


@given(graphs(), st.integers(0, PLACES - 1), st.booleans(), st.randoms(use_true_random=False))
def test_order_is_that_of_the_cells(graph: Graph, column: int, descending: bool, random) -> None:
    """Sorted as what is shown would be, upper and lower case alike, equal ones as before."""
    there = graph.tree.pos >= 0
    rows = np.flatnonzero(there[graph.edges.source] & there[graph.edges.target])
    random.shuffle(rows)
    found = ordered(graph, rows, column, NodePaths(graph), descending=descending)

    def worth(edge: int) -> Any:
        if column in (3, 4):  # by confidence, and not by the words for it
            return int((graph.edges.confidence, graph.edges.when)[column - 3][edge])
        shown = cell(graph, edge, column)
        return shown.casefold() if column < 2 else shown

    assert found.tolist() == sorted(rows.tolist(), key=worth, reverse=descending)


@given(graphs())
def test_paths_are_those_of_the_graph(graph: Graph) -> None:
    paths = NodePaths(graph)
    for key in graph.tree.order[::-1].tolist():
        assert paths[key] == graph.path(key)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 3),
        ("BILL", 1),
        ("import", 2),
        ("core call", 1),
        ("bill call", 0),
        ("exact", 3),
        ("guess", 0),
        ("always", 3),
    ],
)
def test_a_filter_wants_every_word(text: str, count: int) -> None:
    graph = shop()
    assert len(matching(graph, np.arange(3), text, NodePaths(graph))) == count


def test_places_are_in_the_order_of_files_and_lines() -> None:
    graph = shop()
    rows = ordered(graph, np.arange(3), PLACES, NodePaths(graph))
    assert cells(graph, rows, PLACES) == ["core/=cmd().py:1", "core/cart.py:3", "core/cart.py:9"]


def test_csv_is_for_spreadsheets() -> None:
    """Every relation with all its places; nothing that begins like a formula stays one."""
    graph = shop()
    rows = list(csv.reader(io.StringIO(as_csv(graph, np.arange(3)))))
    assert rows[0] == list(COLUMNS)
    assert rows[1] == ["core > cart.py", "core > Bill.py", "import", "exact", "always", "1", "core/cart.py:3"]
    assert not any(value.startswith("=") for row in rows for value in row)
    assert as_text(graph, np.arange(1)).splitlines()[1].split("\t")[0] == "core > cart.py"
