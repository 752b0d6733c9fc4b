"""CBV-13: what two views have in common, without a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session import follower as second_session
from cbvtool.session.change import Change
from cbvtool.session.follower import SecondSession, same_nodes
from tests.hierarchies.test_groupings import COMMITS, SHOP, changes_of, tree_of

Pair = tuple[Session, SecondSession, list[Callable[[], None]]]


@pytest.fixture
def pair() -> Pair:
    """Folders, owners, and what is to be done when there is time."""
    waiting: list[Callable[[], None]] = []
    first = Session()
    first.open(Project(Path("shop").absolute(), "shop", tree_of(SHOP), changes_of(COMMITS), "", "folder"))
    second = SecondSession(first, waiting.append)
    second.begin(second.beginning())
    second.show_in("owners")
    return first, second, waiting


def ids(session: Session) -> list[str]:
    return [session.graph.ids[key] for key in session.view.selected]


def test_selection_is_shared_by_id(pair: Pair) -> None:
    """CBV-13: both ways; a group stands for its files there, and stays selected here."""
    first, second, _ = pair
    first.select([first.graph.key_of["ui/page.py"]])
    assert ids(second) == ["ui/page.py"]
    second.select([second.graph.key_of["owner:ben"]])
    assert ids(second) == ["owner:ben"]
    assert sorted(ids(first)) == ["core/bill.py", "ui/cart.py"]
    first.select([first.graph.key_of["ui"]])
    assert sorted(ids(second)) == ["ui/cart.py", "ui/page.py"]
    assert ids(first) == ["ui"]
    first.select(())
    assert ids(second) == []


def test_nothing_stands_for_half_of_the_picture(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """CBV-13: a group of very many files selects none of them; what else is selected is."""
    first, second, _ = pair
    monkeypatch.setattr(second_session, "MOST_SHARED", 1)
    graph = first.graph
    assert [
        second.graph.ids[key]
        for key in same_nodes([graph.key_of["ui"], graph.key_of["notes.txt"]], graph, second.graph)
    ] == ["notes.txt"]


def test_the_pointer_is_shared_when_there_is_time(pair: Pair) -> None:
    """CBV-13, CBV-7: the view under the pointer is drawn first; only the last place counts."""
    first, second, waiting = pair
    for node in ("ui/cart.py", "ui/page.py"):
        first.set_view(hovered=first.graph.key_of[node])
    assert second.view.hovered == -1
    told: list[Change] = []
    second.subscribe(told.append)
    while waiting:
        waiting.pop(0)()
    assert second.view.hovered == second.graph.key_of["ui/page.py"]
    assert told == [Change.VIEW]


def test_the_plan_is_one(pair: Pair) -> None:
    """CBV-13: planned in either view that shows folders, seen in both."""
    first, second, _ = pair
    assert second.remove([second.graph.key_of["ui/page.py"]]) is not None
    second.show_in("")
    assert second.remove([second.graph.key_of["ui/page.py"]]) is None
    assert "ui/page.py" not in first.graph.key_of
    assert first.history is second.history
    first.undo()
    assert "ui/page.py" in second.graph.key_of


@pytest.mark.parametrize("name", ["owners", ""])
def test_a_deeper_analysis_reaches_both(pair: Pair, name: str) -> None:
    """CBV-13: with other keys; the second view keeps its hierarchy and its place."""
    first, second, _ = pair
    second.show_in(name)
    expanded = {second.graph.ids[key] for key in second.view.expanded}
    second.select([second.graph.key_of["ui/page.py"]])
    deeper = tree_of({"aaa.txt": {}, **SHOP})
    first.deepen(Project(Path("shop").absolute(), "shop", deeper, changes_of(COMMITS), "", "folder"))
    assert second.planned is first.planned
    assert second.view.hierarchy == name
    assert {second.graph.ids[key] for key in second.view.expanded} == expanded
    assert ids(second) == ids(first) == ["ui/page.py"]
    assert second.scene().graph is second.graph


def test_a_closed_view_follows_no_longer(pair: Pair) -> None:
    """CBV-13: also what was waiting is not done any more."""
    first, second, waiting = pair
    first.set_view(hovered=first.graph.key_of["ui/page.py"])
    second.close_down()
    first.select([first.graph.key_of["ui/page.py"]])
    for run in waiting:
        run()
    assert (second.view.hovered, second.view.selected) == (-1, ())
