"""Going back to the places one was at, and forward again."""

from __future__ import annotations

from dataclasses import replace

from cbvtool.geometry.state.view_state import ViewState
from cbvtool.hierarchies.paired import Plan, same_plan, shown_plan
from cbvtool.project import Project
from cbvtool.session.background import Background
from cbvtool.session.change import Change
from cbvtool.session.groupings import Arrival
from cbvtool.session.jobs import PendingJob, PendingJobs, Prepare
from cbvtool.session.places import at
from cbvtool.session.shown_hierarchy import ShownHierarchy
from cbvtool.session.state import State
from cbvtool.session.trail import Trail


class Travels:
    """Goes along the trail of places, at once or, into another hierarchy of a huge graph, in its turn."""

    def __init__(
        self, state: State, trail: Trail, hierarchy: ShownHierarchy, background: Background, jobs: PendingJobs
    ) -> None:
        self._state = state
        self._trail = trail
        self._hierarchy = hierarchy
        self._background = background
        self._jobs = jobs

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier place."""
        return bool(self._trail.back)

    @property
    def can_go_forward(self) -> bool:
        """Whether a place was left by going back."""
        return bool(self._trail.forward)

    def go_back(self, steps: int = 1) -> None:
        """Show the place before this one with its selection (apart from undo), or one some `steps` before."""
        self._travel(steps, forward=False)

    def go_forward(self, steps: int = 1) -> None:
        """Show the place that was left by going back."""
        self._travel(steps, forward=True)

    def places(self, *, forward: bool = False, most: int = 20) -> list[str]:
        """Where going back leads, the nearest first, in words; or forward."""
        return self._trail.words(self._state.view, self._state.graph, most, forward=forward)

    def _travel(self, steps: int, *, forward: bool) -> None:
        if not self._jobs:
            if not 0 < steps <= len(ahead := self._trail.ahead(forward=forward)):
                return
            if ahead[-steps].hierarchy == self._state.view.hierarchy:
                self._arrive(steps, forward)
                return

        def begin() -> Prepare:
            ahead = self._trail.ahead(forward=forward)
            if steps > len(ahead) or (place := ahead[-steps]).hierarchy == self._state.view.hierarchy:
                return lambda: None
            plan, view, project = self._state.pair, self._state.view, self._state.project
            return lambda: self._arrival(plan, view, place, project)

        def take(found: Arrival | None) -> None:
            if steps <= len(self._trail.ahead(forward=forward)):
                self._arrive(steps, forward, found)

        self._background.do(PendingJob("going to another hierarchy", False, begin, take))

    def _arrive(self, steps: int, forward: bool, found: Arrival | None = None) -> None:
        """Be at the place some `steps` away; `found`: what was prepared for it, if that still holds."""
        state = self._state
        here = self._trail.walk(state.view, steps, forward=forward)
        if turns := here.hierarchy != state.view.hierarchy:
            if found is None or not same_plan(found.plan, state.pair) or found.place is not here:
                found = self._arrival(state.pair, state.view, here, state.project)
            self._hierarchy.turn(found.grouped, found.pipeline)
            here = replace(here, hierarchy=found.name)
        state.view = at(state.view, here, state.graph)
        state.tell(*((Change.PLAN, Change.VIEW) if turns else (Change.VIEW,)))

    def _arrival(self, plan: Plan, view: ViewState, place: ViewState, project: Project | None) -> Arrival:
        """What being at a `place` in another hierarchy needs, on any thread."""
        name, grouped = self._hierarchy.still(plan, project, place.hierarchy)
        graph = shown_plan(plan, grouped)[1]
        there = replace(place, hierarchy=name)
        pipeline = self._hierarchy.drawn(plan, grouped, project, lambda: at(view, there, graph))
        return Arrival(plan, place, name, grouped, pipeline)
