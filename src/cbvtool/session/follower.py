"""A second view of what a session shows: the same project, plan and selection; own place, hierarchy and style."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies.paired import shown_plan
from cbvtool.session.change import Change
from cbvtool.session.leader import Leader
from cbvtool.session.places import pruned
from cbvtool.session.session import Session
from cbvtool.session.start import Start

MOST_SHARED = 200  # nodes that stand for one in the other view; more would be half of the picture


class SecondSession(Session):
    """Follows its `leader`, and leads it as far as selection, pointer and plan are concerned.

    later   runs something when there is time: the view under the pointer is drawn first
    """

    def __init__(self, leader: Leader, later: Callable[[Callable[[], None]], object]) -> None:
        super().__init__(leader.state.own_metrics, step=leader.step)
        self._leader = leader
        self.patient = False
        self._later = later
        self._selected: dict[Leader, tuple[int, ...]] = {}  # what was shared last
        self._hovered: dict[Leader, int] = {}
        self._unsubscribe = [
            leader.subscribe(self._follow),
            self.subscribe(lambda what: self._share(self, leader) if what == Change.VIEW else None),
        ]

    def close_down(self) -> None:
        """Follow no longer."""
        self._selected, self._hovered = {}, {}
        for end in self._unsubscribe:
            end()

    def beginning(self) -> Start:
        """Prepare to `begin` with what the leader shows, on any thread."""
        leader = self._leader
        assert leader.project is not None
        assert leader.history is not None
        view = replace(leader.view, drag=None, path=None, impact=None, hovered=-1)
        grouped, traced = leader.state.grouped, leader.state.overlay is not None
        view = pruned(view, shown_plan(leader.history.pair, grouped)[1])  # a version has more keys
        pipeline, first = Pipeline(patient=self.patient), leader.usual_mapping
        start = Start(leader.project, leader.history, leader.state.own_metrics, first, view, pipeline, grouped, traced)
        return self.opening.drawn_first(start, leader.rules)

    def begin(self, start: Start) -> None:
        """Show what was prepared."""
        self.rules = self._leader.rules
        self.opening.begin(start, start.view)
        self.state.overlay = self._leader.state.overlay
        both = (self, self._leader)
        self._selected = {session: session.view.selected for session in both}
        self._hovered = {session: session.view.hovered for session in both}
        self.state.tell(Change.PROJECT, Change.PLAN, Change.VIEW)
        self._follow(Change.PLAN)  # more may have been planned meanwhile

    # -- following ---------------------------------------------------------------------------------------

    def _follow(self, what: Change) -> None:
        leader = self._leader
        if not self.is_open or leader.history is None:
            return
        if what == Change.DEPTH and leader.project is not None:
            self.rules = leader.rules
            fresh, first = Pipeline(patient=False), leader.usual_mapping
            traced = leader.state.overlay is not None
            start = Start(
                leader.project, leader.history, leader.state.own_metrics, first, ViewState(), fresh, traced=traced
            )
            self.deepen(leader.project, start)
            self.versions.follow(leader.state.compared)
            self._selected[self] = self.view.selected
        elif what == Change.PLAN and leader.state.compared is not self.state.compared:
            self.versions.follow(leader.state.compared)
            self._followed()
        elif what == Change.PLAN and leader.history is not self.history:
            self.planning.take_step(lambda own: leader.history or own, "following the plan", self._followed)
        elif what == Change.TRACE:
            if leader.state.overlay is not self.state.overlay:
                self.traces.follow(leader.state.overlay)
            if leader.state.coupling != self.state.coupling:
                self.coupling.choose(leader.state.coupling)
        elif what == Change.VIEW:
            self._share(leader, self)
            if leader.state.judged is not self.state.judged or leader.rules is not self.rules:
                self.rules, self.state.judged = leader.rules, leader.state.judged
                self.state.tell(Change.VIEW)
            if leader.view.theme != self.view.theme:
                self.set_view(theme=leader.view.theme)

    def _followed(self) -> None:
        self._selected[self] = self.view.selected

    def _share(self, origin: Leader, other: Leader) -> None:
        """Let what is selected and pointed at in one view be so in the other."""
        now = origin.view.selected
        if now != self._selected.get(origin, now):
            self._selected[origin] = now
            self._selected[other] = same_nodes(now, origin.graph, other.graph)
            other.set_view(selected=self._selected[other])
        if origin.view.hovered != self._hovered.get(origin, origin.view.hovered):
            self._later(lambda: self._point(origin, other))

    def _point(self, origin: Leader, other: Leader) -> None:
        now = origin.view.hovered
        if now != self._hovered.get(origin, now):
            self._hovered[origin] = now
            self._hovered[other] = same_node(now, origin.graph, other.graph)
            other.set_view(hovered=self._hovered[other])


def same_node(key: int, graph: Graph, other: Graph) -> int:
    """Key in `other` of the node `key` of `graph`, -1 = it is not there."""
    return -1 if key < 0 else other.key_of.get(graph.ids[key], -1)


def same_nodes(keys: Iterable[int], graph: Graph, other: Graph) -> tuple[int, ...]:
    """Keys in `other` of the same nodes; what is not there is stood for by the outermost nodes in it that are.

    Nothing stands for what would be more than `MOST_SHARED` nodes.
    """
    found = dict[int, None]()
    for key in keys:
        there = same_node(key, graph, other)
        inside = [there] if there >= 0 else _inside(key, graph, other)
        if len(inside) <= MOST_SHARED:
            found |= dict.fromkeys(inside)
    return tuple(found)


def _inside(key: int, graph: Graph, other: Graph) -> list[int]:
    found, waiting = list[int](), graph.children(key).tolist()
    while waiting and len(found) <= MOST_SHARED:
        inner = waiting.pop()
        there = same_node(inner, graph, other)
        if there >= 0:
            found.append(there)
        else:
            waiting += graph.children(inner).tolist()
    return found
