"""Partners of a selection."""

from __future__ import annotations

import pytest

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.view.panels.partners import Partner, partners


@pytest.fixture
def graph() -> Graph:
    builder = GraphBuilder("shop")
    for folder in ("core", "ui"):
        builder.add_node(folder, "", folder, "package")
    for node in ("core/a", "core/b", "ui/c", "ui/d"):
        builder.add_node(node, node.split("/")[0], node[-1], "file")
    key = builder.key
    for source, target, kind in (
        ("core/a", "core/b", "import"),
        ("ui/c", "core/a", "import"),
        ("ui/c", "core/a", "call"),
        ("ui/d", "core/b", "import"),
        ("core/b", "ui/d", "import"),
    ):
        builder.add_edge(key(source), key(target), kind)
    return builder.freeze()


def test_partners_lie_outside_the_subtree(graph: Graph) -> None:
    key = graph.key_of
    found = partners(graph, [key["core"]])
    assert found.uses == (Partner(key["ui/d"], 1),)
    assert found.used_by == (Partner(key["ui/c"], 2), Partner(key["ui/d"], 1))
    assert len(found.outgoing) == 1
    assert len(found.incoming) == 3
    assert len(found.inside) == 1


def test_several_nodes_count_as_one(graph: Graph) -> None:
    key = graph.key_of
    found = partners(graph, [key["core"], key["ui"]])
    assert found.uses == found.used_by == ()
    assert len(found.inside) == len(graph.edges)


def test_removed_nodes_are_no_partners(graph: Graph) -> None:
    key = graph.key_of
    parent = graph.parent.copy()
    parent[key["ui/c"]] = -2
    found = partners(graph.with_(parent=parent), [key["core"]])
    assert found.used_by == (Partner(key["ui/d"], 1),)
