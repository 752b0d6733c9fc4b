"""Containers that steps of the plan opened: undoing a step closes them again, redoing it opens them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.plan import Group, History

Ids = frozenset[str]


class OpenedBySteps:
    """Which step opened which containers. Steps are compared by identity: the same gesture may be done twice."""

    def __init__(self) -> None:
        self._of: list[tuple[Group, Ids]] = []

    def note(self, step: Group, ids: Ids) -> None:
        """Remember that `step` opens the containers with these ids."""
        if ids:
            self._of.append((step, ids))

    def carried(self, view: ViewState, before: History, after: History, graph: Graph) -> ViewState:
        """The view after the plan went from one history to another, where `graph` is shown.

        What a step opened counts as `opened`, so that the scales stay.
        """
        if not self._of:
            return view
        come = frozenset(_keys(self._opened(after, before), graph)) - view.expanded
        gone = frozenset(_keys(self._opened(before, after), graph))
        return replace(view, expanded=(view.expanded | come) - gone, opened=(view.opened | come) - gone)

    def _opened(self, history: History, other: History) -> Iterator[str]:
        """Ids of the containers opened by steps of a history that are not in the other one."""
        steps, others = {id(step) for step in history.done}, {id(step) for step in other.done}
        for step, ids in self._of:
            if id(step) in steps and id(step) not in others:
                yield from ids


def _keys(ids: Iterable[str], graph: Graph) -> Iterator[int]:
    return (graph.key_of[node] for node in ids if node in graph.key_of)
