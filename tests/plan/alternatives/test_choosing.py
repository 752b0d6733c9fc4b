"""NEW-6: going from plan to plan in a session: what another plan made is not mistaken for what this one made."""

from __future__ import annotations

from pathlib import Path

from cbvtool.graph import Graph
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.change import Change


def selected(session: Session) -> list[int]:
    return list(session.view.selected)


def test_what_another_plan_made_is_not_selected(shop: Graph, tmp_path: Path) -> None:
    """Both plans number what they make from 1; what both have stays selected, expanded and in the trail of places."""
    session = Session()
    session.open(Project(tmp_path, "shop", shop, None, "", "folder"))
    root = session.graph.root
    assert session.create(root, "api") is None
    api = session.graph.key_of["plan:1"]
    session.plan_choice.branch("Plan 2")
    session.select([api])
    session.plan_choice.switch("Plan 1")
    assert selected(session) == [api], "both plans made it"
    session.plan_choice.new("Plan 3")
    assert selected(session) == []
    assert session.create(root, "other") is None
    other = session.graph.key_of["plan:1"]
    assert other == api
    session.select([other])
    assert other not in session.view.expanded
    session.expand([other])
    session.plan_choice.switch("Plan 1")
    assert session.graph.names[api] == "api"
    assert selected(session) == []
    assert api not in session.view.expanded


def test_name_and_steps_are_told_together(shop: Graph, tmp_path: Path) -> None:
    """Whoever hears of another plan finds its name and its steps; none of both is of the plan before."""
    session = Session()
    session.open(Project(tmp_path, "shop", shop, None, "", "folder"))
    assert session.create(session.graph.root, "api") is None
    heard: list[tuple[str, int]] = []

    def hear(_what: Change) -> None:
        assert session.history is not None
        heard.append((session.plan_name, len(session.history.done)))

    session.subscribe(hear)
    session.plan_choice.new("Plan 2")
    assert set(heard) == {("Plan 2", 0)}
    heard.clear()
    again = session.plan_choice.delete("Plan 2")
    assert set(heard) == {("Plan 1", 1)}
    heard.clear()
    again()
    assert set(heard) == {("Plan 2", 0)}
