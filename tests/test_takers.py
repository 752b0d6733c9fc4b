"""DND-1, DND-3, NEW-13: "Move to..." and "Split the dependency..." list what takes a drop, likely ones first."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from qtpy.QtGui import QIcon

from cbvtool.geometry.state.view_state import Drag
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import CONTAINERS
from cbvtool.project import Project, open_project
from cbvtool.session import Session
from cbvtool.session.dragging.gestures import bundle_of, gesture
from cbvtool.session.dragging.takers import likely_first, of_language, takers_of_nodes, takers_of_relation
from cbvtool.view.commands.containers import split_targets
from tests.layouts import LAYOUTS


def drop_takes(graph: Graph, drag: Drag) -> bool:
    """Whether the gesture of a drag would be refused by nobody, and do something."""
    found = gesture(drag, graph, "plan:new")
    return not found.at_home and found.refusal(graph) is None


def some(graph: Graph) -> list[tuple[int, ...]]:
    """A node of every kind that is not the root, and pairs of them."""
    first: dict[str, int] = {}
    for key in graph.tree.order.tolist()[1:]:
        first.setdefault(graph.kind(key), key)
    keys = list(first.values())
    return [*((key,) for key in keys), *pairwise(keys)]


def holds_for_nodes(graph: Graph) -> None:
    for keys in some(graph):
        taken = [key for key in range(len(graph)) if drop_takes(graph, Drag(keys, target=key))]
        assert sorted(takers_of_nodes(keys, graph)) == of_language(taken, keys, graph), [graph.ids[k] for k in keys]


def test_what_is_listed_is_what_a_drop_takes(shop: Project) -> None:
    """Each node of the sample as a target of each kind of node."""
    holds_for_nodes(shop.graph)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_in_every_layout(layout: str, tmp_path: Path) -> None:
    LAYOUTS[layout](tmp_path)
    holds_for_nodes(open_project(tmp_path, jobs=1, cache=False).graph)


def test_in_packages(tmp_path: Path) -> None:
    """CBV-13: what the drop on a package says decides."""
    LAYOUTS["Maven"](tmp_path)
    session = Session()
    session.open(open_project(tmp_path, jobs=1, cache=False))
    session.show_in("packages")
    graph = session.graph
    for (key,) in (keys for keys in some(graph) if len(keys) == 1):
        session.begin_drag([key])
        taken = []
        for target in range(len(graph)):
            if graph.parent[target] >= 0 or target == graph.root:
                refused = session.drag_over(target)
                if refused is None and not session.candidate().at_home:
                    taken.append(target)
        session.cancel_drag()
        assert sorted(session.dragging.takers([key])) == of_language(taken, [key], graph), graph.ids[key]


def test_a_relation_is_led_over_what_a_split_takes(shop: Project) -> None:
    """In one of its two forms."""
    graph = shop.graph
    tops = [k for k in graph.children(graph.key_of["shop"]).tolist() if len(graph.children(k))]
    pairs = [(user, used) for user in tops for used in tops if user != used and bundle_of((user, used), graph).total]
    assert pairs
    for pair in pairs:
        takers = takers_of_relation(pair, graph)
        forms = [Drag((), act=act, relation=pair) for act in ("invert", "route")]
        for key in range(len(graph)):
            takes = any(drop_takes(graph, Drag((), act=d.act, relation=pair, target=key)) for d in forms)
            alike = bool(of_language([key], [graph.key_of["shop/__init__.py"]], graph))
            assert (key in takers) == (takes and alike and key not in pair), graph.ids[key]


def mixed() -> Graph:
    """Code of two languages, texts, and hidden files, as in a repository of Java."""
    made, keys = GraphBuilder("demo"), dict[str, int]()
    for node, parent, kind in (
        (".github", "", "folder"),
        ("core", "", "folder"),
        ("docs", "", "folder"),
        ("web", "", "folder"),
        (".editorconfig", "", "file"),
        ("core/Bill.java", "core", "file"),
        ("core/Cart.java", "core", "file"),
        ("core/zeta", "core", "folder"),
        ("core/zeta/Item.java", "core/zeta", "file"),
        ("docs/01.png", "docs", "file"),
        ("docs/Bill.html", "docs", "file"),
        ("web/Page.java", "web", "file"),
        ("web/Axis.java", "web", "file"),
        ("web/page.py", "web", "file"),
        ("core/Bill.java::Bill", "core/Bill.java", "class"),
        ("core/Cart.java::Cart", "core/Cart.java", "class"),
        ("web/Page.java::Page", "web/Page.java", "class"),
        ("web/page.py::Page", "web/page.py", "class"),
    ):
        keys[node] = made.add_node(node, parent, node.replace("::", "/").rpartition("/")[2], kind)
    made.add_edge(keys["core/Bill.java::Bill"], keys["web/Page.java::Page"], "calls")
    return made.freeze()


def test_likely_places_come_first() -> None:
    """Of the same language: the same container, beside it, what is related, then the rest by path."""
    graph = mixed()
    key = graph.key_of
    found = [graph.ids[one] for one in takers_of_nodes((key["core/Bill.java::Bill"],), graph)]
    assert found[:3] == ["core/Cart.java", "web/Page.java", "web/Page.java::Page"]
    assert found[3:] == ["core/Cart.java::Cart", "core/zeta/Item.java", "web/Axis.java"]


def test_hidden_folders_come_last() -> None:
    graph = mixed()
    found = [graph.ids[one] for one in takers_of_nodes((graph.key_of["core/Bill.java"],), graph)]
    assert found[0] == "core/zeta"
    assert found[-1] == ".github"
    assert {graph.kind(graph.key_of[one]) for one in found} <= CONTAINERS


def test_a_split_lists_code_only() -> None:
    graph = mixed()
    found = [graph.ids[one] for one in takers_of_relation((graph.key_of["core"], graph.key_of["web"]), graph)]
    assert not {".editorconfig", "docs/01.png", "docs/Bill.html", "web/page.py"} & set(found)
    assert {"docs", "core/Cart.java", "web/Axis.java"} <= set(found)
    keys = [graph.key_of[node] for node in found]
    ends = [graph.key_of[node] for node in ("core/Cart.java", "web/Axis.java")]
    rows = split_targets(graph, keys, ends, lambda _kind: QIcon(), lambda _key: "")
    assert graph.ids[rows[-1].value] == ".github"


def test_the_order_is_that_of_likelihood() -> None:
    graph = mixed()
    key = graph.key_of
    files = [key[name] for name in ("web/Axis.java", "web/Page.java", "core/Cart.java", ".editorconfig")]
    assert [graph.ids[one] for one in likely_first(files, [key["core/Bill.java"]], graph)] == [
        "core/Cart.java",
        "web/Page.java",
        "web/Axis.java",
        ".editorconfig",
    ]
