"""The parts of a session stand alone, and one session follows another through public members only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cbvtool.graph import Graph
from cbvtool.plan.document import Plan
from cbvtool.project import Project
from cbvtool.session import Change, Session
from cbvtool.session.follower import SecondSession
from cbvtool.session.leader import Leader
from cbvtool.session.state import State
from cbvtool.session.trail import Trail
from cbvtool.session.viewing import Viewing
from tests.hierarchies.test_groupings import SHOP, tree_of


@pytest.fixture
def graph() -> Graph:
    return tree_of(SHOP)


def test_the_view_needs_no_plan_and_no_picture(graph: Graph) -> None:
    """`Viewing` asks for the state and the trail alone."""
    state, trail, told = State({}), Trail(), list[Change]()
    state.history = Plan().history(graph)
    state.subscribe(told.append)
    viewing = Viewing(state, trail)
    viewing.restrict(graph.key_of["ui"])
    viewing.select([graph.key_of["ui/page.py"]])
    assert (state.view.root, state.view.selected) == (graph.key_of["ui"], (graph.key_of["ui/page.py"],))
    assert told == [Change.VIEW, Change.VIEW]
    assert [place.root for place in trail.back] == [0]
    while viewing.escape():
        pass
    assert (state.view.root, state.view.selected) == (graph.root, ())


class Shut:
    """A session of which only the members of `Leader` can be reached."""

    def __init__(self, session: Session) -> None:
        self._shut = session

    def __getattr__(self, name: str) -> Any:  # any member of a session
        if name.startswith("_") or name not in vars(Leader):
            raise AttributeError(name)
        return getattr(self._shut, name)


def test_whoever_is_a_leader_can_be_followed(graph: Graph) -> None:
    """The second view shows selection, plan and analysis of the first, and plans in it."""
    first = Session()
    project = Project(Path("shop").absolute(), "shop", graph, None, "", "folder")
    first.open(project)
    second = SecondSession(Shut(first), lambda run: run())  # it has all of them
    second.begin(second.beginning())
    first.select([graph.key_of["ui"]])
    assert second.view.selected == first.view.selected
    assert second.move([graph.key_of["ui/page.py"]], graph.key_of["core"]) is None
    assert first.history is second.history
    assert first.history is not None
    assert len(first.history.done) == 1
    first.deepen(project)
    assert second.planned is first.planned
    second.undo()
    assert len(first.history.done) == 0
    second.close_down()
    first.select([])
    assert second.view.selected
