"""The history in words and numbers (DND-5, CBV-11, look-and-feel)."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import cbvtool.graph.graph as graph_module
import cbvtool.plan.history as history_module
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import (
    Create,
    Extract,
    Group,
    History,
    Merge,
    Move,
    Operation,
    Remove,
    Rename,
    Split,
    describe,
    group,
    label,
    new_id,
    new_ids,
    run,
)

WORDS = history_module._words  # other tests go without the lots


@pytest.mark.parametrize(
    ("operation", "order", "noun"),
    [
        (Move(("ui/billing.py",), "core"), "Move billing.py to core", "move of billing.py to core"),
        (
            Move(("ui/billing.py", "ui/x.py"), "core"),
            "Move billing.py and x.py to core",
            "move of billing.py and x.py to core",
        ),
        (Move(("ui/billing.py", "ui/x.py", "ui/cart.py"), ""), "Move 3 files to shop", "move of 3 files to shop"),
        (Move(("ui/billing.py", "db", "gone"), "x"), "Move 3 items to x", "move of 3 items to x"),
        (Create("plan:1", "", "api", "package"), "Create package api in shop", "creation of package api in shop"),
        (Remove(("ui", "db")), "Remove ui and db", "removal of ui and db"),
        (Rename("ui", "views"), "Rename ui to views", "rename of ui to views"),
        (Merge("ui", "core"), "Merge ui into core", "merge of ui into core"),
        (
            Split("ui", "db", "core"),
            "Split the dependency ui → db: both use core",
            "split of the dependency ui → db: both use core",
        ),
        (
            Split("ui", "db", "core", "route"),
            "Split the dependency ui → db: routed via core",
            "split of the dependency ui → db: routed via core",
        ),
        (
            Split("ui", "db", "core", name="ports.py"),
            "Split the dependency ui → db: both use core/ports.py",
            "split of the dependency ui → db: both use core/ports.py",
        ),
        (
            Extract("ui", "db", "core"),
            "Pull what relates to db out of ui to core",
            "pull-out of what relates to db out of ui to core",
        ),
    ],
)
def test_operations_in_words(shop: Graph, operation: Operation, order: str, noun: str) -> None:
    """DND-3, DND-5: the task names the form of a split; undo names the thing."""
    assert describe(operation, shop) == order
    assert label(operation, shop) == noun


def test_undo_and_redo_name_the_thing(shop: Graph) -> None:
    """Look-and-feel: "Undo move of billing to core"; one gesture is one step."""
    history = History(shop)
    assert (history.label_undo, history.label_redo) == ("", "")
    assert history.undo() is history
    assert history.redo() is history
    number = new_id(history)
    made = (Create(number, "", "api", "package"), Move(("ui/billing.py",), number))
    history = history.do(group(shop, *made))
    assert history.label_undo == "Undo move of billing.py to api"
    assert history.graph.names[history.graph.parent[history.graph.key_of["ui/billing.py"]]] == "api"
    back = history.undo()
    assert (back.label_undo, back.label_redo) == ("", "Redo move of billing.py to api")
    assert back.graph is shop
    assert back.redo().done == history.done
    assert back.do(group(shop, Remove(("db",)))).undone == ()
    assert group(shop, *made[:1]).label == "creation of package api in shop"
    assert group(shop, *made, name="proposal 3").label == "proposal 3"


def test_new_ids_of_two_branches_differ(shop: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids of new nodes are unique across branches: two plans that begin alike give theirs different ones."""
    monkeypatch.setattr(history_module, "_words", WORDS)
    one, other = (list(itertools.islice(new_ids(History(shop)), 500)) for _ in range(2))
    assert len({*one, *other}) == 1000
    assert all(re.fullmatch(r"plan:[0-9a-f]{10}", node) for node in one)


def test_new_ids_are_used_by_nothing_done_or_undone(shop: Graph) -> None:
    """Design 3: a node created in a plan is `plan:<word>`; lots are drawn again until the word is free."""
    history = History(shop).do(Group("a", (Create("plan:1", "", "a", "folder"),)))
    assert new_id(history) == "plan:2"
    assert new_id(history.undo()) == "plan:2"
    builder = GraphBuilder("odd")
    builder.add_node("plan:1", "", "plan:1", "file")
    assert new_id(History(builder.freeze())) == "plan:2"


def test_steps_that_no_longer_fit_are_kept_and_told(shop: Graph) -> None:
    """A plan that names unknown nodes is not applicable there, the rest of it is."""
    groups = (Group("a", (Move(("gone.py",), "ui"), Move(("ui/x.py",), "db"))), Group("b", (Remove(("ghost",)),)))
    history = History(shop, groups)
    assert [(r.index, r.operation, r.reason) for r in history.refusals] == [
        (0, groups[0].operations[0], "gone.py is not there."),
        (2, groups[1].operations[0], "ghost is not there."),
    ]
    assert history.graph.ids[history.graph.parent[history.graph.key_of["ui/x.py"]]] == "db"
    assert history.done == groups
    builder = GraphBuilder("other")
    builder.add_node("gone.py", "", "gone.py", "file")
    assert [r.index for r in history.on(builder.freeze()).refusals] == [0, 1, 2]


def test_new_siblings_stand_in_canonical_order(shop: Graph) -> None:
    """Design 3: kind, name, id; created in any order, between those that are there, and renamed."""
    made = [
        Create(f"plan:{i}", "ui", name, kind)
        for i, (name, kind) in enumerate(
            [("z", "file"), ("y", "file"), ("b", "folder"), ("a", "package"), ("y", "file")], start=1
        )
    ]
    graph = run(shop, [*made, Rename("ui/x.py", "a.py")]).graph
    assert [graph.names[key] for key in graph.children(graph.key_of["ui"]).tolist()] == [
        "b",
        "a",
        "__init__.py",
        "a.py",
        "billing.py",
        "cart.py",
        "y",
        "y",
        "z",
    ]


def test_a_thousand_moves_index_the_tree_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """FACTS "Planning": the graph is frozen once, however many operations; nothing else is derived anew."""
    builder = GraphBuilder("wide")
    for folder in range(50):
        builder.add_node(f"{folder}", "", f"{folder}", "folder")
    for file in range(2000):
        builder.add_node(f"f{file}", f"{file % 50}", f"f{file}", "file", values={"sloc": 1.0})
    base = builder.freeze()
    indexed: list[int] = []
    build = graph_module.index_tree
    monkeypatch.setattr(graph_module, "index_tree", lambda *args: indexed.append(1) or build(*args))
    assert len(base.tree.order) == len(base)
    assert len(base.sibling_rank) == len(base.key_of) == len(base)
    random = np.random.default_rng(1)
    steps = [Move((f"f{random.integers(2000)}",), f"{random.integers(50)}") for _ in range(1000)]
    graph = run(base, steps).graph
    assert len(indexed) == 1
    assert graph.tree.order[0] == 0
    assert len(indexed) == 2
    assert graph.sibling_rank is base.sibling_rank
    assert graph.key_of is base.key_of
    assert graph.edges is base.edges
    assert graph.values["sloc"] is base.values["sloc"]
