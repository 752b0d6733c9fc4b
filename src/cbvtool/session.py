"""The open document: subject, plan and view state, with everything a user can do to them. Knows no Qt."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cbvtool.asking.search import filter_of
from cbvtool.errors import InputError
from cbvtool.geometry import named_views
from cbvtool.geometry.first_mapping import first_mapping
from cbvtool.geometry.named_views import NamedView, Viewpoint
from cbvtool.geometry.place_words import place_words
from cbvtool.geometry.presets import as_data, of_data, with_field
from cbvtool.geometry.scene import HUGE, NO_RULES, Pipeline, Scene, Values
from cbvtool.geometry.shown import outside_tops
from cbvtool.geometry.view_state import VARIABLES, Drag, ViewState, relation_filter
from cbvtool.geometry.view_state import Mapping as MetricMapping
from cbvtool.graph import Graph
from cbvtool.graph.tree import REMOVED
from cbvtool.hierarchies import CSV, FOLDERS, Hierarchy, hierarchy, label
from cbvtool.layout.depth import deepest, expanded_to, first_picture
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import BEING_MEASURED, Metric, Subject
from cbvtool.metrics.recorded import recorded
from cbvtool.mining.changes import Changes
from cbvtool.plan import Create, History, Merge, Move, Operation, Remove, Rename, check, group, new_id
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import tasks
from cbvtool.project import Project
from cbvtool.rules import Rules, Violation, violations

Listener = Callable[[str], None]
ELSEWHERE = "Planning works in the folder hierarchy."
MOST_PLACES = 100  # to go back to: each holds a number for every expanded node
_KNOWN_AT_ONCE = frozenset({"bytes", "leaves", "kind", "language"})  # metrics that a first project has in full


@dataclass(frozen=True, eq=False)
class Start:
    """What showing a subject takes long to find out: `Session.start` does that on any thread.

    history   the plan, done on the graph of the subject
    metrics   those there are for it
    first     what its first picture shows, when nobody has chosen anything
    view      the view to begin with
    pipeline  has made the scene of it
    grouped   the graph in the hierarchy of the view; None = in that of folders
    """

    project: Project
    history: History
    metrics: Mapping[str, Metric]
    first: MetricMapping
    view: ViewState
    pipeline: Pipeline
    grouped: Graph | None = None


@dataclass(frozen=True, eq=False)
class Grouped:
    """What showing another hierarchy takes long to find out: `Session.grouped` does that on any thread.

    base      the graph in the hierarchy of folders
    graph     the same in the hierarchy `name`
    notes     sentences about what did not fit
    pipeline  has made the first scene of a large one
    """

    base: Graph
    name: str
    graph: Graph
    notes: tuple[str, ...]
    pipeline: Pipeline


@dataclass(frozen=True, eq=False)
class Job:
    """Something that leads to another graph, which takes long where that is huge.

    what     is being done, for people
    edits    the plan, which would lose something without it
    begin    looks at the present state; what it returns finds out what is needed, on any thread
    take     does it with what was found out; the result is why it cannot be done, or None
    """

    what: str
    edits: bool
    begin: Callable[[], Callable[[], Any]]
    take: Callable[[Any], str | None]


@dataclass(frozen=True, eq=False)
class _Stepped:
    """What a step of the plan leads to: the history, and, of a huge graph, its first scene and the tasks."""

    before: History
    after: History
    scene: Scene | None = None
    tasks: tuple[Task, ...] | None = None
    broken: tuple[list[Violation], list[Violation]] | None = None


@dataclass(frozen=True, eq=False)
class _Place:
    """A place in another hierarchy: the graph in it (None = that of folders), and the pipeline with its scene."""

    base: Graph
    place: ViewState
    name: str
    grouped: Graph | None
    pipeline: Pipeline


class Session:
    """The document a window shows. Listeners are told which part changed:

    `project` (another subject), `depth` (more is known about it), `plan` (operations done or undone), `view` (anything
    in the view state), `file` (saved, loaded, or now differing from what is saved).

    metrics   those there are for what is open: those that were given, and those that came with the graph
    defer     is called when a job waits for somebody who runs it on another thread (`first_job`); None = all is done
              at once
    """

    def __init__(self, metrics: Mapping[str, Metric] = METRICS) -> None:
        self._given = self.metrics = metrics
        self.project: Project | None = None
        self.history: History | None = None
        self.view = ViewState()
        self.rules: Rules | None = None  # of the open subject
        self.file: Path | None = None
        self._plans: tuple[Plan, ...] = (Plan(),)
        self._active = 0
        self._saved: tuple[object, ...] | None = ()  # None: nothing that is saved anywhere
        self._pipeline = Pipeline()
        self._scene: Scene | None = None  # made last
        self._making = False
        self.defer: Callable[[], None] | None = None
        self._jobs: deque[Job] = deque()  # those that wait, the next one first
        self._preparing = False  # that one is being found out about
        self._tasks: tuple[History | None, Changes | None, tuple[Task, ...]] = (None, None, ())
        self._broken: tuple[Graph, Rules | None, tuple[list[Violation], list[Violation]]] | None = None
        self._coming = False  # only a first project is open, and more is being found out
        self._first = MetricMapping()  # what the first picture of the subject shows
        self._listeners: list[Listener] = []
        self._back: list[ViewState] = []
        self._forward: list[ViewState] = []
        self._named: tuple[NamedView, ...] = ()
        self._grouped: Graph | None = None  # in the hierarchy of the view; None = in that of folders
        self._groupings: dict[str, tuple[Graph, Graph]] = {}  # by name: of which graph, and in that hierarchy
        self._left: dict[str, Mapping[str, Any]] = {}  # hierarchy -> place in it when it was left, with ids

    # -- observers ---------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every change; the result ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, what: str) -> None:
        for listener in list(self._listeners):
            listener(what)

    # -- what is open ------------------------------------------------------------------------------------

    def start(self, project: Project, document: Document | None = None, rules: Rules | None = None) -> Start:
        """Prepare to `open` another subject, on any thread. Raises InputError where its mapping makes no sense."""
        plan = Plan() if document is None else document.plans[document.active]
        history = plan.history(project.graph)
        metrics, first = self._metrics_of(project, coming=project.partial)
        asked = FOLDERS if document is None else _hierarchy_of(document.view)
        name, grouped = self._regrouped(history.graph, project, asked)
        graph = grouped or history.graph
        view = ViewState(expanded=first_picture(graph), mapping=first, theme=self.view.theme, hierarchy=name)
        held = {} if document is None else _view_of(document.view, graph, metrics, first)
        return self._prepared(project, history, metrics, first, replace(view, **held), rules, grouped)

    def deeper(self, project: Project, rules: Rules | None = None) -> Start:
        """Prepare to `deepen` what is open, on any thread."""
        if self.history is None:
            raise LookupError("nothing is open")
        before, view, usual = self.graph, self.view, self._first
        history = Plan.of(self.history, self.plan_name).history(project.graph)
        metrics, first = self._metrics_of(project, coming=project.partial)
        name, grouped = self._regrouped(history.graph, project, view.hierarchy)
        view = _moved(replace(view, hierarchy=name), before, grouped or history.graph)
        if view.mapping == usual:  # nobody has chosen it
            view = replace(view, mapping=first)
        return self._prepared(project, history, metrics, first, view, rules, grouped)

    def settle(self) -> None:
        """Nothing more will be known about what is open, of which there is a first project alone."""
        if self.project is None or not self._coming:
            return
        usual, self._coming = self._first, False
        self.metrics, self._first = self._metrics_of(self.project, coming=False)
        if self.view.mapping == usual:  # nobody has chosen it
            self.view = replace(self.view, mapping=self._first)
        for what in ("depth", "view"):
            self._tell(what)

    def _metrics_of(self, project: Project, *, coming: bool) -> tuple[Mapping[str, Metric], MetricMapping]:
        """(metrics for the subject, what its first picture shows); `coming`: more values are being found out."""
        own = recorded(project.graph, METRICS)
        metrics = {**self._given, **own}  # what the graph says itself comes before a plugin's metric of that name
        if coming:
            return {
                name: metric if name in _KNOWN_AT_ONCE or (metric.history and not project.commit)
                else replace(metric, missing=BEING_MEASURED)
                for name, metric in metrics.items()
            }, MetricMapping()  # fmt: skip
        if project.kind == "folder" and project.changes is None and not project.partial:
            return metrics, MetricMapping()  # nobody wants its history
        return metrics, first_mapping(Values(Subject(project.graph, project.changes), metrics), tuple(own))

    def _prepared(
        self, project: Project, history: History, metrics: Mapping[str, Metric], first: MetricMapping, view: ViewState,
        rules: Rules | None, grouped: Graph | None,
    ) -> Start:  # fmt: skip
        pipeline = Pipeline(patient=self._pipeline.patient)
        _ = history.graph.key_of  # a window looks nodes up at once
        if _size(history.graph) > HUGE:  # else it is made in no time when it is asked for
            graph = grouped or history.graph
            pipeline.scene(graph, project.changes, view, metrics, rules or NO_RULES, history.graph)
        return Start(project, history, metrics, first, view, pipeline, grouped)

    def open(
        self, project: Project, document: Document | None = None, file: Path | None = None,
        *, unsaved: bool = False, start: Start | None = None,
    ) -> None:  # fmt: skip
        """Show another subject, with the plan and the view that a document holds for it.

        unsaved   the document is not what `file` holds, but a recovered copy
        start     of these two, if it was prepared
        """
        start = start or self.start(project, document, self.rules)
        self._plans, self._active = ((Plan(),), 0) if document is None else (document.plans, document.active)
        self.file = file
        self._jobs.clear()
        self._preparing = False
        self._begin(start, replace(start.view, theme=self.view.theme))
        self._left = {} if document is None else _left_of(document.view)
        self._back, self._forward = [], []
        self._named = () if document is None else named_views.of_data(document.view.get(NAMED))
        self._saved = None if unsaved else self._content()
        for what in ("project", "plan", "view", "file"):
            self._tell(what)

    def deepen(self, project: Project, start: Start | None = None) -> None:
        """Go on with a more detailed `project` of the same subject: plan, view and selection stay.

        Operations name ids and are replayed; keys are private to one analysis and are looked up anew.

        start   what `deeper` prepared; what has been planned since then is not lost
        """
        before = self.history
        if before is None:
            raise LookupError("nothing is open")
        shown = self.graph
        start = start or self.deeper(project, self.rules)
        if start.history.done != before.done or start.history.undone != before.undone:
            start = replace(start, history=Plan.of(before, self.plan_name).history(project.graph), view=ViewState())
        after, name = start.history.graph, self.view.hierarchy
        if start.view.hierarchy != name or (name and start.grouped is None):
            name, grouped = self._regrouped(after, project, name)
            start = replace(start, grouped=grouped)
        view = _moved(replace(self.view, hierarchy=name), shown, start.grouped or after)
        if view.mapping == self._first:  # nobody has chosen it
            view = replace(view, mapping=start.first)
        unsaved = self.unsaved
        self._begin(start, view)
        self._back, self._forward = (
            [_moved(view, before.graph, after) for view in views if view.hierarchy == FOLDERS]
            for views in (self._back, self._forward)
        )
        self._saved = None if unsaved else self._content()
        for what in ("depth", "plan", "view", "file"):
            self._tell(what)

    def _begin(self, start: Start, view: ViewState) -> None:
        self.project, self.history, self.view = start.project, start.history, view
        self._coming = start.project.partial
        self.metrics, self._first, self._pipeline = start.metrics, start.first, start.pipeline
        self._scene, self._making, self._grouped, self._groupings = None, False, start.grouped, {}
        if start.grouped is not None:
            self._groupings[view.hierarchy] = start.history.graph, start.grouped

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

    @property
    def plan_name(self) -> str:
        """Name of the plan that is shown."""
        return self._plans[self._active].name

    @property
    def unsaved(self) -> bool:
        """Whether the plan or the named views differ from what was opened or saved last, or are about to."""
        return self.is_open and (self._content() != self._saved or self._edits)

    def _content(self) -> tuple[object, ...]:
        return () if self.history is None else (self.history.done, self._named)

    def scene(self) -> Scene:
        """The picture of the present state; stages whose inputs did not change are not computed again.

        While `is_late` it is the picture before, until somebody has made the next one by `making`.
        """
        if self._scene is None or not self.is_late:
            self._scene = self._make()
        return self._scene

    def _make(self) -> Scene:
        changes = self.project.changes if self.project else None
        rules = self.rules or NO_RULES
        return self._pipeline.scene(self.graph, changes, self.view, self.metrics, rules, self.planned)

    @property
    def is_late(self) -> bool:
        """Whether the picture of the present state takes so long that an impatient session shows the one before."""
        made = self._scene
        if made is not None and (self._preparing or (self._jobs and self._making)):
            return True  # the pipeline is at work elsewhere
        if self.patient or made is None or made.graph is not self.graph or _size(made.graph) <= HUGE:
            return False
        if self.view.drag is not None or made.state.drag is not None:
            return False  # the pointer holds something, which is to be seen at once
        return self._making or _costly(made.state) != _costly(self.view)

    def making(self) -> Callable[[], Scene]:
        """What makes the picture of the present state, on another thread; until `made` is told, no other is made."""
        self._making = True
        pipeline, graph, view, metrics = self._pipeline, self.graph, self.view, self.metrics
        changes, rules = self.project.changes if self.project else None, self.rules or NO_RULES
        planned = self.planned
        return lambda: pipeline.scene(graph, changes, view, metrics, rules, planned)

    def made(self, scene: Scene | None) -> None:
        """Show this picture, unless something else was opened meanwhile; None = it failed, and all stays as it was."""
        if not self._making or (scene is not None and scene.graph is not self.graph):
            return
        self._making = False
        if scene is not None:
            self._scene = scene
        elif self._scene is not None:
            self.view = replace(self._scene.state, selected=self.view.selected, hovered=self.view.hovered)
        self._tell("view")

    # -- what takes long -----------------------------------------------------------------------------------

    def _do(self, job: Job) -> str | None:
        """Do it at once, or in its turn where that takes long; the result is why not, if that is known."""
        is_quick = self._scene is None or _size(self.graph) <= HUGE
        if self.defer is None or (is_quick and not self._jobs):
            return job.take(job.begin()())
        self._jobs.append(job)
        self.defer()
        return None

    @property
    def first_job(self) -> Job | None:
        """What waits to be done next; the picture stays as it is from `begin_job` until `end_job`."""
        return self._jobs[0] if self._jobs else None

    def begin_job(self) -> Callable[[], Any]:
        """What finds out what the first job needs, on another thread."""
        self._preparing = True
        return self._jobs[0].begin()

    def end_job(self, found: Any) -> str | None:
        """Do the first job with what was found out; the result is why it cannot be done, or None."""
        if not self._preparing:
            return None  # something else was opened meanwhile
        self._preparing = False
        return self._jobs.popleft().take(found)

    def drop_job(self) -> None:
        """What the first job needs cannot be found out: all stays as it was."""
        if self._preparing:
            self._preparing = False
            self._jobs.popleft()
            self.set_view(drag=None)
            self._tell("view")

    def give_up(self) -> None:
        """Nobody wants what is being made elsewhere, nor what waits: all stays as it is shown."""
        self._jobs.clear()
        self._preparing = False
        self.made(None)
        self.set_view(drag=None)
        self._tell("view")

    @property
    def _edits(self) -> bool:
        return any(job.edits for job in self._jobs)

    @property
    def patient(self) -> bool:
        """Whether `scene` waits for slow metrics; else it shows what it did before until they are measured."""
        return self._pipeline.patient

    @patient.setter
    def patient(self, waits: bool) -> None:
        self._pipeline.patient = waits

    def stay_with_drawn(self) -> None:
        """Give up the metrics that are still to be measured: what the picture shows in their place is wanted now."""
        scene = self.scene()
        mapping, drawn, default = self.view.mapping, scene.drawn, MetricMapping()
        instead = {
            variable: getattr(default if scene.values.takes_long(getattr(drawn, variable)) else drawn, variable)
            for variable in VARIABLES
            if getattr(mapping, variable) in scene.pending
        }
        asked = filter_of(self.view.only, scene.values.metrics)[1]
        only = "" if set(asked) & set(scene.pending) else self.view.only
        self.set_view(mapping=replace(mapping, **instead), only=only)

    # -- the view ----------------------------------------------------------------------------------------

    def set_view(self, **changes: Any) -> None:
        """Replace fields of the view state; a change of place can be gone back from."""
        view = replace(self.view, **changes)
        if view == self.view:
            return
        if _place(view) != _place(self.view):
            self._leave(self.view)
        self.view = view
        self._tell("view")

    def _leave(self, place: ViewState) -> None:
        """Remember a place to go back to."""
        self._back.append(place)
        del self._back[:-MOST_PLACES]
        self._forward.clear()

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier place."""
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        """Whether a place was left by going back."""
        return bool(self._forward)

    def go_back(self, steps: int = 1) -> None:
        """Show the place before this one with its selection (apart from undo), or one some `steps` before."""
        self._travel(steps, forward=False)

    def go_forward(self, steps: int = 1) -> None:
        """Show the place that was left by going back."""
        self._travel(steps, forward=True)

    def places(self, *, forward: bool = False, most: int = 20) -> list[str]:
        """Where going back leads, the nearest first, in words; or forward."""
        found, here = list[str](), self.view
        for place in (self._forward if forward else self._back)[: -most - 1 : -1]:
            there = _pruned(place, self.graph)
            elsewhere = there.hierarchy != here.hierarchy
            found.append(
                label(there.hierarchy) if elsewhere else place_words(self.graph, there, _pruned(here, self.graph))
            )
            here = there
        return found

    def _travel(self, steps: int, *, forward: bool) -> None:
        if not self._jobs:
            if not 0 < steps <= len(origin := self._ways(forward)[0]):
                return
            if origin[-steps].hierarchy == self.view.hierarchy:
                self._arrive(steps, forward)
                return

        def begin() -> Callable[[], _Place | None]:
            places = self._ways(forward)[0]
            if steps > len(places) or (place := places[-steps]).hierarchy == self.view.hierarchy:
                return lambda: None
            base, view, project = self.planned, self.view, self.project
            return lambda: self._found_place(base, view, place, project)

        def take(found: _Place | None) -> None:
            if steps <= len(self._ways(forward)[0]):
                self._arrive(steps, forward, found)

        self._do(Job("going to another hierarchy", False, begin, take))

    def _ways(self, forward: bool) -> tuple[list[ViewState], list[ViewState]]:
        """(places that are ahead in that direction, the next one last; those in the other)."""
        return (self._forward, self._back) if forward else (self._back, self._forward)

    def _arrive(self, steps: int, forward: bool, found: _Place | None = None) -> None:
        """Be at the place some `steps` away; `found`: what was prepared for it, if that still holds."""
        here, (origin, other) = self.view, self._ways(forward)
        for _ in range(steps):
            other.append(here)
            here = origin.pop()
        if turns := here.hierarchy != self.view.hierarchy:
            if found is None or found.base is not self.planned or found.place is not here:
                found = self._found_place(self.planned, self.view, here, self.project)
            self._left[self.view.hierarchy] = _place_as_data(self.view, self.graph)
            self._grouped, self._pipeline, self._scene, self._making = found.grouped, found.pipeline, None, False
            here = replace(here, hierarchy=found.name)
        self.view = _at(self.view, here, self.graph)
        for what in ("plan", "view") if turns else ("view",):
            self._tell(what)

    def _found_place(self, base: Graph, view: ViewState, place: ViewState, project: Project | None) -> _Place:
        """What being at a `place` in another hierarchy needs, on any thread."""
        name, grouped = self._regrouped(base, project, place.hierarchy)
        pipeline, graph = Pipeline(patient=self.patient), grouped or base
        if _size(base) > HUGE:
            view = _at(view, replace(place, hierarchy=name), graph)
            changes = project.changes if project else None
            pipeline.scene(graph, changes, view, self.metrics, self.rules or NO_RULES, base)
        return _Place(base, place, name, grouped, pipeline)

    # -- other hierarchies -------------------------------------------------------------------------------

    def grouped(self, name: str) -> Grouped:
        """Prepare to `show_in` the hierarchy `name` (see `cbvtool.hierarchies`), on any thread.

        Raises InputError where there is nothing to group by, or the table cannot be read.
        """
        base, changes = self.planned, self.project.changes if self.project else None
        known = self._groupings.get(name)
        if known is not None and known[0] is base and not name.startswith(CSV):  # a table may have changed
            made = Hierarchy(known[1])
        else:
            made = hierarchy(base, changes, name)
        pipeline = Pipeline(patient=self.patient)
        if _size(base) > HUGE:
            view = self._placed(name, made.graph)
            pipeline.scene(made.graph, changes, view, self.metrics, self.rules or NO_RULES, base)
        return Grouped(base, name, made.graph, made.notes, pipeline)

    def show_in(self, name: str, prepared: Grouped | None = None) -> tuple[str, ...]:
        """Show the hierarchy `name`; the result is sentences about what did not fit.

        prepared   what `grouped` found, if the plan has not changed since

        Raises what `grouped` does.
        """
        if prepared is None or prepared.base is not self.planned:
            prepared = self.grouped(name)
        view = self._placed(name, prepared.graph)
        self._left[self.view.hierarchy] = _place_as_data(self.view, self.graph)
        self._leave(replace(self.view, drag=None))
        self._grouped = None if name == FOLDERS else prepared.graph
        self._groupings[name] = prepared.base, prepared.graph
        self._pipeline, self._scene, self._making = prepared.pipeline, None, False
        self.view = view
        for what in ("plan", "view"):
            self._tell(what)
        return prepared.notes

    def _placed(self, name: str, graph: Graph) -> ViewState:
        """The present view in another hierarchy: at the place where that was left, or where it begins."""
        left = self._left.get(name)
        place = {"expanded": first_picture(graph)} if left is None else _place_of(left, graph)
        fresh = replace(self.view, expanded=frozenset(), hidden=frozenset(), root=self.graph.root)
        moved = _moved(fresh, self.graph, graph)
        return replace(moved, hierarchy=name, **place)

    def _regrouped(self, base: Graph, project: Project | None, name: str) -> tuple[str, Graph | None]:
        """(the hierarchy `name`, the graph in it); folders and None where that cannot be made any more."""
        known = self._groupings.get(name)
        if name == FOLDERS or project is None:
            return FOLDERS, None
        if known is not None and known[0] is base:
            return name, known[1]
        try:
            grouped = hierarchy(base, project.changes, name).graph
        except InputError:
            return FOLDERS, None
        self._groupings[name] = base, grouped
        return name, grouped

    # -- named views -------------------------------------------------------------------------------------

    @property
    def named(self) -> tuple[NamedView, ...]:
        """The views that the user has given a name, in their order."""
        return self._named

    def name_views(self, views: Iterable[NamedView]) -> None:
        """Have these named views, which the document keeps; apart from undo."""
        views = named_views.distinct(views)
        if views != self._named:
            self._named = views
            self._tell("file")

    def keep_view(self, name: str, viewpoint: Viewpoint) -> None:
        """Give the present view a name; one of that name is replaced."""
        fresh = NamedView(named_views.clean_name(name), _view_as_data(self.view, self.graph), viewpoint)
        self.name_views(named_views.with_view(self._named, fresh))

    def show_named(self, named: NamedView) -> None:
        """Show a named view; what it names and is not there (any more) is left out."""
        name, _ = self._regrouped(self.planned, self.project, _hierarchy_of(named.view))
        if name != self.view.hierarchy:
            self.show_in(name)
        fields: dict[str, Any] = {"root": self.graph.root, "hidden": frozenset(), "only": ""}
        fields |= _view_of(named.view, self.graph, self.metrics, self._first)
        view = _pruned(replace(self.view, **fields), self.graph)
        self.set_view(**{field: getattr(view, field) for field in fields})

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
        graph = self.graph
        closing = {key if key in self.view.expanded else int(graph.parent[key]) for key in keys}
        closing.discard(self.view.root)
        below = {key for key in self.view.expanded if any(graph.is_below(key, top) for top in closing if top >= 0)}
        self.set_view(expanded=self.view.expanded - below)

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
        graph, root = self.graph, self.view.root
        seen = [key for key in self.view.expanded if graph.is_below(key, root)]
        depth = max((int(graph.tree.depth[key] - graph.tree.depth[root]) for key in seen), default=0) + 1
        self.show_depth(min(depth + step, deepest(graph, root)))

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
        graph, tops = self.graph, self.topmost(keys)
        around = {above for key in tops for above in graph.ancestors(key)}
        beside = {int(child) for key in around for child in graph.children(key)} - around - set(tops)
        outside = outside_tops(graph)
        wanted = any(graph.is_below(key, top) for key in tops for top in outside)
        self.set_view(hidden=frozenset(beside) - outside, external=wanted)

    @property
    def hidden(self) -> frozenset[int]:
        """Keys of all subtrees that are not shown, with what lies outside the project while that is switched off."""
        return self.view.hidden if self.view.external else self.view.hidden | outside_tops(self.graph)

    def show_kind(self, kind: str, *, shown: bool) -> None:
        """Show the relations of one kind, or leave them out."""
        off = self.view.kinds_off
        self.set_view(kinds_off=off - {kind} if shown else off | {kind})

    # -- the plan ----------------------------------------------------------------------------------------

    def do(self, *operations: Operation, label: str = "") -> str | None:
        """Carry out one gesture. The result is the reason why not, or None when it is done, or will be in its turn."""
        return self._change(lambda history: operations, label)

    def _change(
        self, operations: Callable[[History], tuple[Operation, ...]], label: str = "",
        then: Callable[[], None] = lambda: None,
    ) -> str | None:  # fmt: skip
        """Carry out the `operations` on what is planned when it is their turn, and `then` something else."""
        if self.history is None:
            return "Open a folder first."
        if self.view.hierarchy:
            return ELSEWHERE

        def change(history: History) -> History | str:
            planned = history.do(group(history.graph, *operations(history), name=label))
            refused = planned.refusals[len(history.refusals) :]
            return refused[0].reason if refused else planned

        return self._step(change, "changing the plan", then)

    def undo(self) -> None:
        """Take back the last gesture."""
        self._step(History.undo, "undoing")

    def redo(self) -> None:
        """Carry out again what was undone last."""
        self._step(History.redo, "redoing")

    def travel(self, done: int) -> None:
        """Undo or redo until `done` gestures are done, as far as there are so many."""

        def change(history: History) -> History:
            while len(history.done) > done:
                history = history.undo()
            while len(history.done) < done and history.undone:
                history = history.redo()
            return history

        self._step(change, "going through the plan")

    def _step(
        self, change: Callable[[History], History | str], what: str, then: Callable[[], None] = lambda: None
    ) -> str | None:  # fmt: skip
        """Have what `change` makes of what is planned; the result is the reason why not, if that is known."""
        if self.history is None:
            return None

        def begin() -> Callable[[], _Stepped | str]:
            before, view, shown, project = self.history, self.view, self.graph, self.project
            assert before is not None
            if self.defer is None or _size(shown) <= HUGE:
                return lambda: _stepped(change, before)
            return lambda: self._stepped_far(change, before, view, shown, project)

        def take(found: _Stepped | str) -> str | None:
            if not isinstance(found, str) and found.before is not self.history:  # more is known, or planned, since
                assert self.history is not None
                found = _stepped(change, self.history)
            if isinstance(found, str):
                self.cancel_drag()
                return found
            if found.after is not found.before:
                self._plan(found.after, found)
                then()
            return None

        return self._do(Job(what, True, begin, take))

    def _stepped_far(
        self, change: Callable[[History], History | str], before: History, view: ViewState, shown: Graph,
        project: Project | None,
    ) -> _Stepped | str:  # fmt: skip
        """A step, with all that a window shows of it: for another thread."""
        found = _stepped(change, before)
        if isinstance(found, str) or found.after is before:
            return found
        after, changes, rules = found.after, project.changes if project else None, self.rules
        grouped, view = self._carried(after.graph, view, shown, project)
        scene = self._pipeline.scene(
            grouped or after.graph, changes, view, self.metrics, rules or NO_RULES, after.graph
        )  # fmt: skip
        return replace(found, scene=scene, tasks=tasks(after, changes), broken=_broken(after, rules))

    def _carried(
        self, planned: Graph, view: ViewState, shown: Graph, project: Project | None
    ) -> tuple[Graph | None, ViewState]:  # fmt: skip
        """(the graph in the hierarchy of the view, None = that of folders; the view after a step that leads there)."""
        view, grouped = replace(view, drag=None, path=None, impact=None), None
        if view.hierarchy:  # groups have other keys when there are more nodes
            name, grouped = self._regrouped(planned, project, view.hierarchy)
            view = _moved(replace(view, hierarchy=name), shown, grouped or planned)
        return grouped, _pruned(view, grouped or planned)

    def _plan(self, history: History, found: _Stepped | None = None) -> None:
        self._grouped, self.view = self._carried(history.graph, self.view, self.graph, self.project)
        self.history = history
        self._back, self._forward = (
            [place for place in places if place.hierarchy == FOLDERS] for places in (self._back, self._forward)
        )
        if found is not None and found.tasks is not None:
            self._tasks = history, self.project.changes if self.project else None, found.tasks
        if found is not None and found.broken is not None:
            self._broken = history.graph, self.rules, found.broken
        if found is not None and found.scene is not None and found.scene.graph is self.graph:
            self._scene = found.scene
        for what in ("plan", "view", "file"):
            self._tell(what)

    def move(self, keys: Iterable[int], target: int) -> str | None:
        """Move nodes, with their subtrees, into `target`."""
        graph = self.graph
        return self.do(Move(tuple(graph.ids[key] for key in self.topmost(keys)), graph.ids[target]))

    def create(self, parent: int, name: str, kind: str = "folder") -> str | None:
        """Make an empty container below `parent`."""
        if self.history is None:
            return "Open a folder first."
        above = self.graph.ids[parent]
        return self._change(
            lambda history: (Create(new_id(history), above, name, kind),),
            then=lambda: self.set_view(expanded=self.view.expanded | {parent}),
        )

    def remove(self, keys: Iterable[int]) -> str | None:
        """Take nodes out of the target design."""
        return self.do(Remove(tuple(self.graph.ids[key] for key in self.topmost(keys))))

    def rename(self, key: int, name: str) -> str | None:
        """Give a node another name."""
        return self.do(Rename(self.graph.ids[key], name))

    def merge(self, source: int, target: int) -> str | None:
        """Move the content of `source` into `target` and remove `source`."""
        return self.do(Merge(self.graph.ids[source], self.graph.ids[target]))

    def topmost(self, keys: Iterable[int]) -> list[int]:
        """`keys` without those that lie below another of them."""
        graph, chosen = self.graph, list(dict.fromkeys(keys))
        return [key for key in chosen if not any(other != key and graph.is_below(key, other) for other in chosen)]

    def tasks(self) -> tuple[Task, ...]:
        """The compressed plan as tasks."""
        if self.history is None:
            return ()
        changes = self.project.changes if self.project else None
        if self._tasks[0] is not self.history or self._tasks[1] is not changes:
            self._tasks = self.history, changes, tasks(self.history, changes)
        return self._tasks[2]

    def violations(self) -> tuple[list[Violation], list[Violation]]:
        """What breaks the rules: (as planned, as it is)."""
        if self.history is None:
            return [], []
        if self._broken is None or self._broken[0] is not self.planned or self._broken[1] is not self.rules:
            self._broken = self.planned, self.rules, _broken(self.history, self.rules)
        return self._broken[2]

    # -- dragging ----------------------------------------------------------------------------------------

    def begin_drag(self, keys: Iterable[int]) -> None:
        """Lift nodes off the picture; they follow the pointer until `drop` or `cancel_drag`."""
        keys = tuple(key for key in self.topmost(keys) if key != self.graph.root)
        if keys and not self._jobs:
            self.set_view(drag=Drag(keys))

    def drag_over(self, target: int) -> str | None:
        """Aim at a container (-1 = none); the result is the reason why it cannot be dropped there."""
        drag = self.view.drag
        if drag is None:
            return None
        self.set_view(drag=replace(drag, target=target))
        if target < 0:
            return None
        return ELSEWHERE if self.view.hierarchy else check(self._move_of(drag, target), self.graph)

    def drop(self) -> str | None:
        """Record the move that the drag stands for; the result is the reason why not. Ends the drag."""
        drag = self.view.drag
        if drag is None or drag.target < 0:
            self.cancel_drag()
            return None
        refused = self.do(self._move_of(drag, drag.target))  # in the air until it has its place
        if refused is not None:
            self.cancel_drag()
        return refused

    def cancel_drag(self) -> None:
        """Put everything back where it was."""
        if self.view.drag is not None:
            self.set_view(drag=None)

    def _move_of(self, drag: Drag, target: int) -> Move:
        ids = self.graph.ids
        return Move(tuple(ids[key] for key in drag.keys), ids[target])

    def escape(self) -> bool:
        """Undo the innermost thing in progress: drag, answer, selection, restriction. False if there is none."""
        if self.view.drag is not None:
            self.cancel_drag()
        elif self.view.path is not None or self.view.impact is not None:
            self.set_view(path=None, impact=None)
        elif self.view.selected:
            self.select(())
        elif self.view.root != self.graph.root if self.is_open else False:
            self.set_view(root=self.graph.root)
        else:
            return False
        return True

    # -- files -------------------------------------------------------------------------------------------

    def document(self) -> Document:
        """What `save` writes."""
        if self.project is None or self.history is None:
            raise LookupError("nothing is open")
        plans = list(self._plans)
        plans[self._active] = Plan.of(self.history, plans[self._active].name)
        view = _view_as_data(self.view, self.graph)
        if self._named:
            view[NAMED] = named_views.as_data(self._named)
        if left := {name: place for name, place in self._left.items() if name != self.view.hierarchy}:
            view[PLACES] = left
        return Document(self.project.path, self.project.name, self.project.commit, tuple(plans), self._active, view)

    def save(self, file: Path) -> None:
        """Write the document. Raises InputError when the file cannot be written; nothing is half-written."""
        if self._edits:
            raise InputError("The last step of the plan is still being made: save again in a moment.")
        write_document(self.document(), file)
        self.file, self._saved = file, self._content()
        self._tell("file")


def _stepped(change: Callable[[History], History | str], before: History) -> _Stepped | str:
    """A step, or why it cannot be done."""
    after = change(before)
    return after if isinstance(after, str) else _Stepped(before, after)


def _broken(history: History, rules: Rules | None) -> tuple[list[Violation], list[Violation]]:
    rules = rules or NO_RULES
    return violations(history.graph, rules), violations(history.base, rules)


def _pruned(view: ViewState, graph: Graph) -> ViewState:
    """The view without nodes that the plan has removed, or not created (after an undo)."""
    parent = graph.parent

    def there(keys: Collection[int]) -> list[int]:
        rows = np.fromiter(keys, np.int64, len(keys))
        rows = rows[(rows >= 0) & (rows < len(parent))]
        return rows[parent[rows] != REMOVED].tolist()  # type: ignore[no-any-return]  # NumPy does not say of what

    return replace(
        view,
        expanded=frozenset(there(view.expanded)),
        hidden=frozenset(there(view.hidden)),
        selected=tuple(there(view.selected)),
        hovered=view.hovered if there((view.hovered,)) else -1,
        root=view.root if there((view.root,)) else graph.root,
    )


def _at(view: ViewState, place: ViewState, graph: Graph) -> ViewState:
    """The view at another place, of which `graph` is shown there."""
    if place.hierarchy != view.hierarchy:
        view = replace(view, path=None, impact=None, hovered=-1)
    names = ("expanded", "root", "hidden", "only", "selected", "hierarchy")
    return _pruned(replace(view, **{name: getattr(place, name) for name in names}), graph)


def _size(graph: Graph) -> int:
    return len(graph) + len(graph.edges)


def _costly(view: ViewState) -> ViewState:
    """The view without what changes its picture at hardly any cost."""
    return replace(view, selected=(), hovered=-1, theme="", beta=0.0, path=None, impact=None)


def _moved(view: ViewState, before: Graph, after: Graph) -> ViewState:
    """The same view of another analysis of a subject; what is not there any more is left out."""
    key_of = after.key_of

    def now(keys: Iterable[int]) -> Iterator[int]:
        return (key_of[node] for key in keys if (node := before.ids[key]) in key_of)

    return replace(
        view, expanded=frozenset(now(view.expanded)), hidden=frozenset(now(view.hidden)),
        selected=tuple(now(view.selected)), hovered=next(now([view.hovered] if view.hovered >= 0 else []), -1),
        root=next(now([view.root]), after.root), drag=None, path=None, impact=None,
    )  # fmt: skip


def _place(view: ViewState) -> tuple[object, ...]:
    return view.expanded, view.root, view.hidden, view.only, view.hierarchy


def _place_as_data(view: ViewState, graph: Graph) -> dict[str, Any]:
    """Where one is in a hierarchy, with node ids."""
    return {
        "root": graph.ids[view.root],
        "expanded": sorted(graph.ids[key] for key in view.expanded),
        "hidden": sorted(graph.ids[key] for key in view.hidden),
    }


def _place_of(data: Mapping[str, Any], graph: Graph) -> dict[str, Any]:
    """Fields of the view state for the place that `data` tells; what is not there (any more) is left out."""
    fields = dict[str, Any]()
    for name in ("expanded", "hidden"):
        if isinstance(ids := data.get(name), list):
            fields[name] = frozenset(graph.key_of[i] for i in ids if isinstance(i, str) and i in graph.key_of)
    if isinstance(root := data.get("root"), str) and root in graph.key_of:
        fields["root"] = graph.key_of[root]
    return fields


def _hierarchy_of(data: Mapping[str, Any]) -> str:
    """The name of the hierarchy that a document, or a named view of it, shows."""
    return name if isinstance(name := data.get("hierarchy"), str) else FOLDERS


def _left_of(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The places in other hierarchies that a document keeps."""
    places = data.get(PLACES)
    return {} if not isinstance(places, dict) else {n: place for n, place in places.items() if isinstance(place, dict)}


def _view_as_data(view: ViewState, graph: Graph) -> dict[str, Any]:
    """The part of the view that a document keeps, with node ids: keys are private to one analysis."""
    return {
        **_place_as_data(view, graph),
        **({"hierarchy": view.hierarchy} if view.hierarchy else {}),
        "only": view.only,
        "mapping": as_data(view.mapping),
        "beta": view.beta,
        **{name: getattr(view, name) for name in _SWITCHES},
        "kinds_off": sorted(view.kinds_off),
        "filter": asdict(view.filter),
        **({} if view.since is None else {"since": view.since}),
    }


def _view_of(
    view: Mapping[str, Any], graph: Graph, metrics: Mapping[str, Metric], first: MetricMapping
) -> dict[str, Any]:  # fmt: skip
    """Fields of the view state that a document, or a named view of it, sets; what is not there (any more) is left out.

    first   has a metric for those that the document names none for
    """
    fields = _place_of(view, graph)
    if isinstance(only := view.get("only"), str) and filter_of(only, metrics)[0] is not None:
        fields["only"] = only
    if isinstance(beta := view.get("beta"), int | float) and 0 <= beta <= 1:
        fields["beta"] = float(beta)
    fields["since"] = since if type(since := view.get("since")) is int else None
    if "mapping" in view:
        fields["mapping"] = of_data(view["mapping"], metrics, first)
    fields |= {name: view[name] for name in _SWITCHES if isinstance(view.get(name), bool)}
    if isinstance(kinds := view.get("kinds_off"), list):
        fields["kinds_off"] = frozenset(kind for kind in kinds if isinstance(kind, str))
    if isinstance(chosen := view.get("filter"), dict):
        fields["filter"] = relation_filter(chosen)
    return fields


NAMED, PLACES = "named", "places"  # members of a document's view
_SWITCHES = ("guesses", "external")
