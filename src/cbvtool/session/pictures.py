"""The picture of the present state: the one to show now, and who makes the next one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cbvtool.asking.expression import asks_pattern
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.session.jobs import PendingJobs, Prepare
from cbvtool.session.picture import Depicted, ShownPicture, without_pending
from cbvtool.session.state import State
from cbvtool.session.viewing import Viewing


class Pictures:
    """Makes the picture of a state, at once or on another thread.

    target    of the graph with the plan; before: of that without
    """

    def __init__(self, state: State, viewing: Viewing, jobs: PendingJobs) -> None:
        self._state = state
        self._viewing = viewing
        self._jobs = jobs
        self.begin(Pipeline())

    def begin(self, pipeline: Pipeline) -> None:
        """Show another graph, of which `pipeline` makes the pictures."""
        self.target = ShownPicture(pipeline)
        self.before = ShownPicture(Pipeline(patient=pipeline.patient, beside=pipeline))

    @property
    def current(self) -> ShownPicture:
        """Of what is shown: the target of the plan, or what there was before it."""
        return self.before if self._state.view.before else self.target

    def scene(self) -> Scene:
        """The picture of the present state; stages whose inputs did not change are not computed again.

        While `is_late` it is the picture before, until somebody has made the next one by `making`. Where somebody does
        that, no regular expression of the filter is searched for here (`Scene.unsearched`).
        """
        if self.current.scene is None or not self.is_late:
            at_once = self._jobs.defer is not None and not self.patient
            self.current.scene = self._depicted().made_by(self.current.pipeline, at_once=at_once)
        return self.current.scene

    def _depicted(self) -> Depicted:
        return self.depicted(self._state.view)

    def depicted(self, view: ViewState) -> Depicted:
        """What decides the picture of a view of the present state."""
        state = self._state
        shown, folders = state.bare_pair[not view.before], state.pair[not view.before]
        rules, observed = self._rules(folders), state.observed(shown)
        return Depicted(shown, folders, state.project, view, state.metrics, rules, state.shown_pair, observed)

    def _rules(self, graph: Graph) -> Rules | None:
        """Those that the picture marks: an impatient session does not wait for chains to be found."""
        rules, (known, graphs) = self._state.rules, self._state.judged
        if self.patient or rules is None or not rules.has_chains or (known is rules and graph in graphs):
            return rules
        return rules.without_chains()

    @property
    def _base(self) -> Graph:
        """The graph before the plan, as it is shown. LookupError when nothing is open."""
        return self._state.bare_pair[0]

    @property
    def _graph(self) -> Graph:
        """That of the picture."""
        if not self._state.view.before:
            return self._state.graph
        observed = self._state.observed(self._base)
        return self._base if observed is None else observed.graph

    @property
    def is_late(self) -> bool:
        """Whether the picture of the present state takes so long that an impatient session shows the one before."""
        if self.current.scene is None:
            return False
        if self._jobs.preparing or (self._jobs and self.current.making):
            return True  # the pipeline is at work elsewhere
        return self.current.is_late(self._graph, self._state.view)

    @property
    def is_wanted(self) -> bool:
        """Whether somebody is to make the picture elsewhere, by `making`."""
        if self._state.is_open and not self.is_late and asks_pattern(self._state.view.only):
            self.scene()  # which tells whether its filter is still to be searched for
        return self.is_late

    def making(self) -> Prepare:
        """What makes the picture of the present state, on another thread; until `made` is told, no other is made."""
        self.current.making = True
        return partial(self._depicted().made_by, self.current.pipeline)

    def made(self, scene: Scene | None) -> None:
        """Show this picture, unless something else was opened meanwhile; None = it failed, and all stays as it was."""
        picture, state = self.current, self._state
        if not picture.making or (scene is not None and scene.graph.parent is not self._graph.parent):
            return  # something else was opened meanwhile
        picture.making = False
        if scene is not None:
            picture.scene = scene
        elif picture.scene is not None:
            shown = picture.scene.state
            only = "" if picture.scene.unsearched else shown.only
            state.view = replace(shown, selected=state.view.selected, hovered=state.view.hovered, only=only)
        state.tell(Change.VIEW)

    @property
    def patient(self) -> bool:
        """Whether `scene` waits for slow metrics; else it shows what it did before until they are measured."""
        return self.target.pipeline.patient

    @patient.setter
    def patient(self, waits: bool) -> None:
        self.target.pipeline.patient = self.before.pipeline.patient = waits

    def stay_with_drawn(self) -> None:
        """Give up the metrics that are still to be measured: what the picture shows in their place is wanted now."""
        mapping, only = without_pending(self.scene(), self._state.view)
        self._viewing.set_view(mapping=mapping, only=only)
