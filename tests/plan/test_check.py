"""What the pointer says while something is dragged to where it cannot go (DND-1, look-and-feel)."""

from __future__ import annotations

import pytest

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import Create, Extract, Merge, Move, Operation, Remove, Rename, Split, can_hold, check, replay

CART = ("ui/cart.py",)


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (Move(CART, "ui"), "cart.py is already in ui."),
        (Move(("ui/cart.py", "ui/x.py"), "ui"), "All of them are already in ui."),
        (Move(("ui",), "ui"), "ui cannot go into itself."),
        (Move(("core/money.py",), "core/money.py::Money"), "money.py cannot go into Money, which is part of it."),
        (Move(CART, "core/money.py"), "A file cannot hold a file."),
        (Move(CART, "core/money.py::Money.add"), "A function cannot hold a file."),
        (Move(("core/money.py::Money",), "core/money.py::Money.add"), "Money cannot go into add, which is part of it."),
        (Move(("core/money.py::Money",), "ui"), "A package cannot hold a class."),
        (Move((), "ui"), "Nothing is chosen."),
        (Move(("",), "ui"), "The project itself cannot be moved."),
        (Move(("gone.py",), "ui"), "gone.py is not there."),
        (Move(CART, "gone"), "gone is not there."),
        (Create("plan:1", "ui/cart.py", "new", "folder"), "A file cannot hold a folder."),
        (Create("plan:1", "ui", " ", "folder"), "A name is needed."),
        (Create("ui", "", "new", "folder"), "ui is there already."),
        (Rename("ui", "ui"), "ui is its name already."),
        (Rename("", "x"), "The project itself cannot be renamed."),
        (Remove(("",)), "The project itself cannot be removed."),
        (Merge("ui", "ui"), "ui cannot be merged into itself."),
        (Merge("ui", "ui/cart.py"), "cart.py lies inside ui."),
        (Merge("ui", "core/x.py"), "A package cannot be merged into a file."),
        (Merge("", "ui"), "The project itself cannot be merged into something."),
        (Split("core", "db", "ui"), "core does not use db."),
        (Split("ui", "ui/x.py", "db"), "ui and x.py lie one inside the other."),
        (Split("ui", "core", "core/money.py", "route"), None),
        (Split("ui/cart.py", "core", "core/money.py"), "Nothing between cart.py and core can go over money.py."),
        (Split("ui/cart.py", "core", "core", "route"), None),
        (Split("ui", "core", "core/money.py::Money.add"), "add is a function: choose a file, a class or a folder."),
        (
            Split("ui", "core", "db", name="a/b.py"),
            "'a/b.py' cannot be a name: no slashes, no control characters, not . or ...",
        ),
        (Split("ui", "core", "gone"), "gone is not there."),
        (Create("plan:1", "core/money.py", "Port", "interface"), None),
        (Create("plan:1", "core", "Port", "interface"), "A package cannot hold an interface."),
        (Extract("db/tables.py", "core", "ui"), "tables.py has no relation with core."),
        (Extract("db", "db/store.py", "ui"), "db and store.py lie one inside the other."),
        (Extract("core/money.py", "ui", "db"), "Only money.py itself, nothing inside it, has relations with ui."),
        (Move(CART, "core"), None),
        (Move(CART, ""), None),
        (Move(("core/money.py::Money",), "core/x.py"), None),
        (Move(("core/money.py::Money.add",), "core/x.py"), None),
        (Move(("ui", "ui/cart.py"), "core"), None),
        (Merge("ui", ""), None),
        (Rename("ui", "UI 2"), None),
    ],
)
def test_the_reason_is_one_short_sentence(shop: Graph, operation: Operation, reason: str | None) -> None:
    """DND-1..4."""
    assert check(operation, shop) == reason


@pytest.mark.parametrize("name", ["a/b", "a\\b", "..", ".", "a\nb", "a\0b"])
def test_a_name_that_could_not_be_a_file_is_refused(shop: Graph, name: str) -> None:
    """DND-2: also from a document that somebody else wrote."""
    for operation in (Rename("ui", name), Create("plan:1", "", name, "folder")):
        assert "cannot be a name" in (check(operation, shop) or "")


def test_what_was_removed_is_not_there_and_its_id_is_never_used_again(shop: Graph) -> None:
    """Design 3: an id names one node for good."""
    create = Create("plan:1", "", "new", "folder")
    graph = replay(shop, [create, Remove(("plan:1", "ui"))])
    assert check(Move(CART, "core"), graph) == "ui/cart.py is not there."
    assert check(Move(("core/x.py",), "ui"), graph) == "ui is not there."
    assert check(create, graph) == "plan:1 is there already."


def test_a_node_comes_along_with_what_holds_it(shop: Graph) -> None:
    """DND-1: several selected nodes move together; one below another is not torn out of it."""
    graph = replay(shop, [Move(("ui/cart.py", "ui", "db"), "core")])
    above = [graph.names[graph.parent[graph.key_of[node]]] for node in ("ui/cart.py", "ui", "db")]
    assert above == ["ui", "core", "core"]


def test_kinds_that_are_not_known_here_follow_the_example_of_the_graph() -> None:
    """No language is built into the model (COBOL sections and paragraphs)."""
    builder = GraphBuilder("cobol")
    builder.add_node("a.cbl", "", "a.cbl", "file")
    builder.add_node("a.cbl::MAIN", "a.cbl", "MAIN", "section")
    builder.add_node("a.cbl::MAIN.P1", "a.cbl::MAIN", "P1", "paragraph")
    graph = builder.freeze()
    assert can_hold("file", "section", graph)
    assert can_hold("section", "paragraph", graph)
    assert not can_hold("paragraph", "section", graph)
    assert not can_hold("section", "division", graph)
