"""A drag of nodes to another container."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cbvtool.geometry.state.view_state import Drag
from cbvtool.plan import Move, Operation, check
from cbvtool.session.jobs import Jobs
from cbvtool.session.planning import ELSEWHERE, Planning
from cbvtool.session.state import State
from cbvtool.session.viewing import Viewing


class Dragging:
    """Lifts nodes, aims at a container, and records the move."""

    def __init__(self, state: State, viewing: Viewing, planning: Planning, jobs: Jobs) -> None:
        self._state = state
        self._viewing = viewing
        self._planning = planning
        self._jobs = jobs

    def begin_drag(self, keys: Iterable[int]) -> None:
        """Lift nodes off the picture; they follow the pointer until `drop` or `cancel_drag`."""
        keys = tuple(key for key in self._planning.topmost(keys) if key != self._state.graph.root)
        if keys and not self._jobs:
            self._viewing.set_view(drag=Drag(keys))

    def drag_over(self, target: int) -> str | None:
        """Aim at a container (-1 = none); the result is the reason why it cannot be dropped there."""
        state = self._state
        drag = state.view.drag
        if drag is None:
            return None
        self._viewing.set_view(drag=replace(drag, target=target))
        if target < 0:
            return None
        return ELSEWHERE if state.view.hierarchy else check(self._move_of(drag, target), state.graph)

    def drop(self) -> str | None:
        """Record the move that the drag stands for; the result is the reason why not. Ends the drag."""
        drag = self._state.view.drag
        if drag is None or drag.target < 0:
            self._viewing.cancel_drag()
            return None
        refused = self._planning.do(self._move_of(drag, drag.target))  # in the air until it has its place
        if refused is not None:
            self._viewing.cancel_drag()
        return refused

    @property
    def candidate(self) -> Operation | None:
        """What a drop would record now; None = nothing, as nothing is aimed at, or nothing would change."""
        drag, graph = self._state.view.drag, self._state.graph
        if drag is None or drag.target < 0 or self._state.view.hierarchy:
            return None
        if all(graph.parent[key] == drag.target for key in drag.keys):
            return None
        return self._move_of(drag, drag.target)

    def _move_of(self, drag: Drag, target: int) -> Move:
        ids = self._state.graph.ids
        return Move(tuple(ids[key] for key in drag.keys), ids[target])
