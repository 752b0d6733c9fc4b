"""What to change and to test again, as Markdown, CSV and JSON; nodes by name; paths in words (DND-10, NEW-19)."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from cbvtool.asking.impact import Dependants, impact
from cbvtool.asking.impact_export import COLUMNS, FORMAT, summary, to_csv, to_json, to_markdown
from cbvtool.asking.nodes import node_named
from cbvtool.asking.path_text import path_text
from cbvtool.asking.paths import shortest_paths
from cbvtool.asking.steps import steps
from cbvtool.errors import InputError
from cbvtool.graph import Graph, GraphBuilder


@pytest.fixture
def graph() -> Graph:
    """=web.py calls order.total twice and imports order; all.py imports =web.py; a test calls web's show."""
    builder = GraphBuilder("shop")
    for file, test in (("order.py", 0), ("=web.py", 0), ("all.py", 0), ("test_web.py", 1)):
        builder.add_node(file, "", file, "file", file=file, values={"test": float(test)})
    builder.add_node("order.py::total", "order.py", "total", "function", file="order.py", line=2)
    builder.add_node("=web.py::show", "=web.py", "show", "function", file="=web.py", line=4)
    for user, used, kind, lines in (
        ("=web.py::show", "order.py::total", "call", (5, 9)),
        ("=web.py", "order.py", "import", (1,)),
        ("all.py", "=web.py", "import", (2,)),
        ("test_web.py", "=web.py::show", "call", (3,)),
    ):
        file = user.partition("::")[0]
        sites = [(file, line) for line in lines]
        builder.add_edge(builder.key(user), builder.key(used), kind, sites=sites)
    return builder.freeze()


@pytest.fixture
def found(graph: Graph) -> Dependants:
    return impact(graph, steps(graph), (graph.key_of["order.py"],))


def test_the_check_list(graph: Graph, found: Dependants) -> None:
    """DND-10: what to change, what to check, what to test again; counted by kind and distance; with the places."""
    assert summary(graph, found) == "4 nodes in 3 files: 2 directly, 2 transitively; 1 test among them"
    text = to_markdown(graph, found, "shop", "abc123")
    parts = text.split("\n## ")
    assert [part.partition("\n")[0] for part in parts[1:]] == [
        "To change, or to look at first",
        "To check",
        "To test again",
    ]
    assert "- [ ] `show` (call): `=web.py:5`, `=web.py:9`" in parts[1]
    assert "- [ ] `all.py` (import): `all.py:2`" in parts[2]
    assert "`test_web.py:3`" in parts[3]
    assert "| call | 1 | 1 |" in parts[0]
    assert "| import | 1 | 1 |" in parts[0]
    assert "abc123" in parts[0]
    nothing = impact(graph, steps(graph), (graph.key_of["all.py"],))
    assert "Nothing uses it" in to_markdown(graph, nothing, "shop")


def test_tables(graph: Graph, found: Dependants) -> None:
    """DND-10: the same rows as CSV and JSON; a name that looks like a formula is none."""
    rows = list(csv.DictReader(io.StringIO(to_csv(graph, found))))
    assert tuple(rows[0]) == COLUMNS
    assert {row["node"] for row in rows} == {"'=web.py", "'=web.py::show", "all.py", "test_web.py"}
    data = json.loads(to_json(graph, found, "shop", "abc123"))
    assert (data["format"], data["version"], data["changed"]) == (FORMAT, 1, ["order.py"])
    assert [entry["node"] for entry in data["affected"]] == [graph.ids[key] for key in found.node.tolist()]
    assert {entry["node"]: entry["todo"] for entry in data["affected"]} == {
        "=web.py": "change",
        "=web.py::show": "change",
        "all.py": "check",
        "test_web.py": "test",
    }
    assert next(e for e in data["affected"] if e["node"] == "=web.py::show")["places"] == ["=web.py:5", "=web.py:9"]


def test_nodes_by_name(graph: Graph) -> None:
    """By id, or by the end of it, if that is one node."""
    assert node_named(graph, "order.py::total") == node_named(graph, "total") == graph.key_of["order.py::total"]
    with pytest.raises(InputError, match=r"no node 'totals'"):
        node_named(graph, "totals")
    with pytest.raises(InputError, match=r"'py' can be 4 nodes: .*order\.py"):
        node_named(graph, "py")
    with pytest.raises(InputError, match="no node ''"):
        node_named(graph.with_(ids=("root", *graph.ids[1:])), "")


def test_paths_in_words(graph: Graph) -> None:
    """NEW-19: chains with sites, or that there is none."""
    key = graph.key_of
    text = path_text(graph, shortest_paths(graph, steps(graph), key["test_web.py"], key["order.py"]))
    assert text.splitlines() == [
        "test_web.py reaches order.py by 1 shortest chain of 2 relations.",
        "1.",
        "   test_web.py  uses  =web.py > show  (call)  test_web.py:3",
        "   =web.py > show  uses  order.py > total  (call)  =web.py:5, =web.py:9",
    ]
    none = path_text(graph, shortest_paths(graph, steps(graph), key["order.py"], key["test_web.py"]))
    assert none == "order.py does not reach test_web.py.\n"
    assert np.array_equal(shortest_paths(graph, steps(graph), key["order.py"], key["test_web.py"]).rows, [])
