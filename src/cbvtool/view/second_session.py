"""A second view of what a session shows: the same project, plan and selection; place, hierarchy and look of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cbvtool.geometry.scene import Pipeline
from cbvtool.graph import Graph
from cbvtool.plan import History
from cbvtool.session import Session, Start

MOST_SHARED = 200  # nodes that stand for one in the other view; more would be half of the picture


class SecondSession(Session):
    """Follows its `leader`, and leads it as far as selection, pointer and plan are concerned."""

    def __init__(self, leader: Session) -> None:
        super().__init__(leader.metrics)
        self._leader = leader
        self.patient = False
        self._seen: dict[Session, tuple[tuple[int, ...], int]] = {}
        self._unsubscribe = [
            leader.subscribe(self._follow),
            self.subscribe(lambda what: self._share(self, leader) if what == "view" else None),
        ]

    def close_down(self) -> None:
        """Follow no longer."""
        for end in self._unsubscribe:
            end()

    def beginning(self) -> Start:
        """Prepare to `begin` with what the leader shows, on any thread."""
        leader = self._leader
        assert leader.project is not None
        assert leader.history is not None
        view = replace(leader.view, drag=None, path=None, impact=None, hovered=-1)
        first = leader.usual_mapping
        return self._prepared(
            leader.project, leader.history, leader.metrics, first, view, leader.rules, leader._grouped
        )  # fmt: skip

    def begin(self, start: Start) -> None:
        """Show what was prepared."""
        self.rules = self._leader.rules
        self._begin(start, start.view)
        self._seen = {session: _shared(session) for session in (self, self._leader)}
        for what in ("project", "plan", "view"):
            self._tell(what)
        self._follow("plan")  # more may have been planned meanwhile

    # -- the plan is the leader's ------------------------------------------------------------------------

    def _plan(self, history: History) -> None:
        self._leader._plan(history)

    # -- following ---------------------------------------------------------------------------------------

    def _follow(self, what: str) -> None:
        leader = self._leader
        if not self.is_open or leader.history is None:
            return
        if what == "depth" and leader.project is not None:
            self.metrics, self.rules = leader.metrics, leader.rules
            self.project, self._pipeline = leader.project, Pipeline(patient=False)
        elif what == "plan" and leader.history is not self.history:
            super()._plan(leader.history)
            self._seen[self] = _shared(self)
        elif what == "view":
            self._share(leader, self)
            if leader.view.theme != self.view.theme:
                self.set_view(theme=leader.view.theme)

    def _share(self, origin: Session, other: Session) -> None:
        """Let what is selected and pointed at in one view be so in the other."""
        now = _shared(origin)
        if not (self.is_open and other.is_open) or now == self._seen.get(origin):
            return
        before, self._seen[origin] = self._seen.get(origin), now
        selected, hovered = other.view.selected, other.view.hovered
        if before is None or now[0] != before[0]:
            selected = same_nodes(now[0], origin.graph, other.graph)
        if before is None or now[1] != before[1]:
            hovered = same_node(now[1], origin.graph, other.graph)
        self._seen[other] = selected, hovered
        other.set_view(selected=selected, hovered=hovered)


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


def _shared(session: Session) -> tuple[tuple[int, ...], int]:
    return session.view.selected, session.view.hovered
