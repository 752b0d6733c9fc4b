"""What is shown of a subject: place, selection, picture and hierarchy, and what can be done to them. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from cbvtool.asking.expression import asks_pattern
from cbvtool.geometry.scene.scene import Pipeline, Scene
from cbvtool.geometry.scene.shown import outside_tops
from cbvtool.geometry.state.presets import with_field
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies import FOLDERS
from cbvtool.layout.depth import deepest, expanded_to, expanded_to_files, first_picture
from cbvtool.metrics.metric import Metric
from cbvtool.plan import History
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.session.groupings import Arrival, Grouped, Groupings
from cbvtool.session.jobs import Cancel, Job, Jobs, Prepare
from cbvtool.session.picture import Depicted, Picture, is_huge, without_pending
from cbvtool.session.places import all_but, at, collapsed, moved, visible_depth, whereabouts
from cbvtool.session.trail import Trail
from cbvtool.session.view_changes import ViewChanges
from cbvtool.session.view_data import place_as_data, place_of

Listener = Callable[[Change], None]


class Viewing:
    """What is shown of the open subject; `Session` opens it, and plans.

    metrics   those there are for what is open: those that were given, and those that came with the graph
    rules     of the open subject
    defer     is called when a job waits for somebody who runs it on another thread (`first_job`); None = all is done
              at once
    """

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics
        self.project: Project | None = None
        self.history: History | None = None
        self.view = ViewState()
        self.rules: Rules | None = None
        self.defer: Callable[[], None] | None = None
        self._listeners: list[Listener] = []
        self._first = MetricMapping()  # what the first picture of the subject shows
        self._picture = Picture(Pipeline())
        self._jobs = Jobs()
        self._trail = Trail()
        self._grouped: Graph | None = None  # in the hierarchy of the view; None = in that of folders
        self._groupings = Groupings()
        self._left: dict[str, Mapping[str, Any]] = {}  # hierarchy -> place in it when it was left, with ids

    # -- observers ---------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every change; the result ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, *parts: Change) -> None:
        for what in parts:
            for listener in list(self._listeners):
                listener(what)

    # -- what is open ------------------------------------------------------------------------------------

    @property
    def usual_mapping(self) -> MetricMapping:
        """What the first picture of the subject shows."""
        return self._first

    @property
    def graph(self) -> Graph:
        """The target design, in the hierarchy that is shown. LookupError when nothing is open.

        The plan itself is about the one in the hierarchy of folders, `planned`.
        """
        return self.planned if self._grouped is None else self._grouped

    @property
    def planned(self) -> Graph:
        """The target design: the base graph with the plan applied. LookupError when nothing is open."""
        if self.history is None:
            raise LookupError("nothing is open")
        return self.history.graph

    @property
    def is_open(self) -> bool:
        """Whether a subject is open."""
        return self.history is not None

    # -- the picture -------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """The picture of the present state; stages whose inputs did not change are not computed again.

        While `is_late` it is the picture before, until somebody has made the next one by `making`. Where somebody does
        that, no regular expression of the filter is searched for here (`Scene.unsearched`).
        """
        if self._picture.scene is None or not self.is_late:
            at_once = self.defer is not None and not self.patient
            self._picture.scene = self._depicted().made_by(self._picture.pipeline, at_once=at_once)
        return self._picture.scene

    def _depicted(self) -> Depicted:
        return Depicted(self.graph, self.planned, self.project, self.view, self.metrics, self.rules)

    @property
    def is_late(self) -> bool:
        """Whether the picture of the present state takes so long that an impatient session shows the one before."""
        if self._picture.scene is None:
            return False
        if self._jobs.preparing or (self._jobs and self._picture.making):
            return True  # the pipeline is at work elsewhere
        return self._picture.is_late(self.graph, self.view)

    @property
    def is_wanted(self) -> bool:
        """Whether somebody is to make the picture elsewhere, by `making`."""
        if self.is_open and not self.is_late and asks_pattern(self.view.only):
            self.scene()  # which tells whether its filter is still to be searched for
        return self.is_late

    def making(self) -> Callable[..., Scene]:
        """What makes the picture of the present state, on another thread; until `made` is told, no other is made.

        It may be given what it calls again and again, and what raises `Cancelled` to stop it.
        """
        self._picture.making = True
        return partial(self._depicted().made_by, self._picture.pipeline)

    def made(self, scene: Scene | None) -> None:
        """Show this picture, unless something else was opened meanwhile; None = it failed, and all stays as it was."""
        picture = self._picture
        if not picture.making or (scene is not None and scene.graph is not self.graph):
            return
        picture.making = False
        if scene is not None:
            picture.scene = scene
        elif picture.scene is not None:
            shown = picture.scene.state
            only = "" if picture.scene.unsearched else shown.only
            self.view = replace(shown, selected=self.view.selected, hovered=self.view.hovered, only=only)
        self._tell(Change.VIEW)

    @property
    def patient(self) -> bool:
        """Whether `scene` waits for slow metrics; else it shows what it did before until they are measured."""
        return self._picture.pipeline.patient

    @patient.setter
    def patient(self, waits: bool) -> None:
        self._picture.pipeline.patient = waits

    def stay_with_drawn(self) -> None:
        """Give up the metrics that are still to be measured: what the picture shows in their place is wanted now."""
        mapping, only = without_pending(self.scene(), self.view)
        self.set_view(mapping=mapping, only=only)

    # -- what takes long ---------------------------------------------------------------------------------

    def _do(self, job: Job) -> str | None:
        """Do it at once, or in its turn where that takes long; the result is why not, if that is known."""
        is_quick = self._picture.scene is None or not (is_huge(self.graph) or self._picture.making)
        if self.defer is None or (is_quick and not self._jobs):
            return job.take(job.begin()())
        self._jobs.add(job)
        self.defer()
        return None

    @property
    def first_job(self) -> Job | None:
        """What waits to be done next; the picture stays as it is from `begin_job` until `end_job`."""
        return self._jobs.first

    def begin_job(self) -> Prepare:
        """What finds out what the first job needs, on another thread."""
        return self._jobs.begin()

    def end_job(self, found: Any) -> str | None:
        """Do the first job with what was found out; the result is why it cannot be done, or None."""
        job = self._jobs.end()
        return None if job is None else job.take(found)

    def drop_job(self) -> None:
        """What the first job needs cannot be found out: all stays as it was."""
        if self._jobs.end() is not None:
            self.set_view(drag=None)
            self._tell(Change.VIEW)

    def give_up(self) -> None:
        """Nobody wants what is being made elsewhere, nor what waits: all stays as it is shown."""
        self._jobs.drop()
        self.made(None)
        self.set_view(drag=None)
        self._tell(Change.VIEW)

    # -- places ------------------------------------------------------------------------------------------

    def set_view(self, **changes: Unpack[ViewChanges]) -> None:
        """Replace fields of the view state; a change of place can be gone back from."""
        self._show(replace(self.view, **changes))

    def _show(self, view: ViewState) -> None:
        if view == self.view:
            return
        if whereabouts(view) != whereabouts(self.view):
            self._trail.leave(self.view)
        self.view = view
        self._tell(Change.VIEW)

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
        return self._trail.words(self.view, self.graph, most, forward=forward)

    def _travel(self, steps: int, *, forward: bool) -> None:
        if not self._jobs:
            if not 0 < steps <= len(ahead := self._trail.ahead(forward=forward)):
                return
            if ahead[-steps].hierarchy == self.view.hierarchy:
                self._arrive(steps, forward)
                return

        def begin() -> Prepare:
            ahead = self._trail.ahead(forward=forward)
            if steps > len(ahead) or (place := ahead[-steps]).hierarchy == self.view.hierarchy:
                return lambda cancel=None: None
            base, view, project = self.planned, self.view, self.project
            return lambda cancel=None: self._arrival(base, view, place, project, cancel)

        def take(found: Arrival | None) -> None:
            if steps <= len(self._trail.ahead(forward=forward)):
                self._arrive(steps, forward, found)

        self._do(Job("going to another hierarchy", False, begin, take))

    def _arrive(self, steps: int, forward: bool, found: Arrival | None = None) -> None:
        """Be at the place some `steps` away; `found`: what was prepared for it, if that still holds."""
        here = self._trail.walk(self.view, steps, forward=forward)
        if turns := here.hierarchy != self.view.hierarchy:
            if found is None or found.base is not self.planned or found.place is not here:
                found = self._arrival(self.planned, self.view, here, self.project)
            self._turn(found.grouped, found.pipeline)
            here = replace(here, hierarchy=found.name)
        self.view = at(self.view, here, self.graph)
        self._tell(*((Change.PLAN, Change.VIEW) if turns else (Change.VIEW,)))

    def _arrival(
        self, base: Graph, view: ViewState, place: ViewState, project: Project | None, cancel: Cancel = None
    ) -> Arrival:  # fmt: skip
        """What being at a `place` in another hierarchy needs, on any thread."""
        name, grouped = self._groupings.still(base, project, place.hierarchy)
        graph = grouped or base
        pipeline = self._drawn(base, graph, project, lambda: at(view, replace(place, hierarchy=name), graph), cancel)
        return Arrival(base, place, name, grouped, pipeline)

    def _drawn(
        self, base: Graph, graph: Graph, project: Project | None, view: Callable[[], ViewState], cancel: Cancel
    ) -> Pipeline:  # fmt: skip
        """What makes pictures in another hierarchy; it has made the first one where that takes long."""
        pipeline = Pipeline(patient=self.patient)
        if is_huge(base):
            Depicted(graph, base, project, view(), self.metrics, self.rules).made_by(pipeline, cancel)
        return pipeline

    def _turn(self, grouped: Graph | None, pipeline: Pipeline) -> None:
        """Have the graph in another hierarchy; the place in this one is remembered."""
        self._left[self.view.hierarchy] = place_as_data(self.view, self.graph)
        self._grouped, self._picture = grouped, Picture(pipeline)

    # -- other hierarchies -------------------------------------------------------------------------------

    def grouped(self, name: str, cancel: Cancel = None) -> Grouped:
        """Prepare to `show_in` the hierarchy `name` (see `cbvtool.hierarchies`), on any thread.

        Raises InputError where there is nothing to group by, or the table cannot be read, and what `cancel` does.
        """
        base, project = self.planned, self.project
        made = self._groupings.of(base, project, name)
        pipeline = self._drawn(base, made.graph, project, lambda: self._placed(name, made.graph), cancel)
        return Grouped(base, name, made.graph, made.notes, pipeline)

    def show_in(self, name: str, prepared: Grouped | None = None) -> tuple[str, ...]:
        """Show the hierarchy `name`; the result is sentences about what did not fit.

        prepared   what `grouped` found, if the plan has not changed since

        Raises what `grouped` does.
        """
        if prepared is None or prepared.base is not self.planned:
            prepared = self.grouped(name)
        view = self._placed(name, prepared.graph)
        self._trail.leave(replace(self.view, drag=None))
        self._turn(None if name == FOLDERS else prepared.graph, prepared.pipeline)
        self._groupings.keep(name, prepared.base, prepared.graph)
        self.view = view
        self._tell(Change.PLAN, Change.VIEW)
        return prepared.notes

    def _placed(self, name: str, graph: Graph) -> ViewState:
        """The present view in another hierarchy: at the place where that was left, or where it begins."""
        left = self._left.get(name)
        place = {"expanded": first_picture(graph)} if left is None else place_of(left, graph)
        fresh = replace(self.view, expanded=frozenset(), hidden=frozenset(), root=self.graph.root)
        return replace(moved(fresh, self.graph, graph), hierarchy=name, **place)

    # -- what is shown, and how --------------------------------------------------------------------------

    def map(self, field: str, value: object) -> None:
        """Change one field of the mapping."""
        self.set_view(mapping=with_field(self.view.mapping, field, value, self.metrics))

    def select(self, keys: Iterable[int], *, add: bool = False) -> None:
        """Select `keys`; with `add`, those selected already are taken out and the others added."""
        keys = tuple(dict.fromkeys(keys))
        if add:
            kept = tuple(key for key in self.view.selected if key not in keys)
            keys = kept + tuple(key for key in keys if key not in self.view.selected)
        self.set_view(selected=keys)

    def expand(self, keys: Iterable[int]) -> None:
        """Show the children of `keys`."""
        inner = {key for key in keys if len(self.graph.children(key))}
        self.set_view(expanded=self.view.expanded | inner)

    def collapse(self, keys: Iterable[int]) -> None:
        """Hide the children of `keys`; a node without visible children collapses its parent instead."""
        self.set_view(expanded=collapsed(self.view, self.graph, keys))

    def toggle(self, key: int) -> None:
        """Expand a collapsed node, collapse an expanded one."""
        if key in self.view.expanded:
            self.collapse([key])
        else:
            self.expand([key])

    def show_depth(self, depth: int) -> None:
        """Expand everything down to `depth` levels below the node the view is restricted to."""
        self.set_view(expanded=expanded_to(self.graph, max(1, depth), self.view.root))

    def step_depth(self, step: int) -> None:
        """Show one level more (+1) or less (-1) than the deepest that is visible now."""
        graph, view = self.graph, self.view
        self.show_depth(min(visible_depth(view, graph) + step, deepest(graph, view.root)))

    def show_files(self) -> None:
        """Expand down to the files, however deep each lies below the node the view is restricted to."""
        self.set_view(expanded=expanded_to_files(self.graph, self.view.root))

    def restrict(self, key: int) -> None:
        """Show the subtree of `key` alone; the root shows everything again."""
        if len(self.graph.children(key)):
            self.set_view(root=key, expanded=self.view.expanded | {key})

    def go_to(self, key: int) -> None:
        """Show the subtree of `key`, or, if there is nothing in it, that of its parent with `key` selected."""
        graph = self.graph
        if len(graph.children(key)) or key == graph.root:
            self.restrict(key)
        else:
            above = int(graph.parent[key])
            self.set_view(root=above, expanded=self.view.expanded | {above}, selected=(key,))

    def hide(self, keys: Iterable[int], *, hidden: bool = True) -> None:
        """Hide subtrees, or show them again; for what lies outside the project there is a switch (`external`)."""
        outside = outside_tops(self.graph)
        keys = frozenset(keys) - {self.view.root}
        self.set_view(
            hidden=self.view.hidden | (keys - outside) if hidden else self.view.hidden - keys,
            external=not hidden if keys & outside else self.view.external,
        )

    def show_only(self, keys: Iterable[int]) -> None:
        """Hide all that is neither in nor around the subtrees of `keys`."""
        hidden, external = all_but(self.graph, keys)
        self.set_view(hidden=hidden, external=external)

    @property
    def hidden(self) -> frozenset[int]:
        """Keys of all subtrees that are not shown, with what lies outside the project while that is switched off."""
        return self.view.hidden if self.view.external else self.view.hidden | outside_tops(self.graph)

    def show_kind(self, kind: str, *, shown: bool) -> None:
        """Show the relations of one kind, or leave them out."""
        off = self.view.kinds_off
        self.set_view(kinds_off=off - {kind} if shown else off | {kind})
