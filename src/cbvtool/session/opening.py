"""Opening a subject, and going on with more that is known about it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cbvtool.asking.expression import asks_pattern
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.hierarchies import FOLDERS
from cbvtool.hierarchies.paired import shown_plan
from cbvtool.layout.depth import first_picture
from cbvtool.metrics.metric import Metric
from cbvtool.plan.document import Document, Plan
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session.change import Change
from cbvtool.session.document_file import DocumentFile
from cbvtool.session.jobs import PendingJobs
from cbvtool.session.overlay import awaited
from cbvtool.session.picture import Depicted, is_huge
from cbvtool.session.pictures import Pictures
from cbvtool.session.places import moved
from cbvtool.session.shown_hierarchy import ShownHierarchy
from cbvtool.session.start import Start, metrics_of
from cbvtool.session.state import State
from cbvtool.session.traces.traces import Traces
from cbvtool.session.trail import Trail
from cbvtool.session.view_data import hierarchy_of, view_of


class SubjectOpening:
    """Prepares what is to be shown, on any thread, and begins to show it.

    given   metrics of every subject
    """

    def __init__(
        self,
        given: Mapping[str, Metric],
        state: State,
        trail: Trail,
        pictures: Pictures,
        hierarchy: ShownHierarchy,
        file: DocumentFile,
        traces: Traces,
        jobs: PendingJobs,
    ) -> None:
        self._given = given
        self._state = state
        self._trail = trail
        self._pictures = pictures
        self._hierarchy = hierarchy
        self._file = file
        self._traces = traces
        self._jobs = jobs
        self._coming = False  # only a first project is open, and more is being found out

    def start(
        self, project: Project, document: Document | None = None, rules: Rules | None = None, *, drawn: bool = True
    ) -> Start:
        """Prepare to `open` another subject, on any thread.

        drawn   with its first picture, where that takes long

        Raises InputError where its mapping makes no sense.
        """
        plan = Plan() if document is None else document.plans[document.active]
        history = plan.history(project.graph)
        metrics, first = metrics_of(self._given, project, coming=project.partial)
        asked = FOLDERS if document is None else hierarchy_of(document.view)
        name, grouped = self._hierarchy.still(history.pair, project, asked)
        graph = shown_plan(history.pair, grouped)[1]
        view = ViewState(expanded=first_picture(graph), mapping=first, theme=self._state.view.theme, hierarchy=name)
        traced = document is not None and bool(document.traces)
        offered = {**metrics, **awaited().metrics} if traced else metrics
        held = {} if document is None else view_of(document.view, graph, offered, first)
        pipeline = Pipeline(patient=self._pictures.patient)
        start = Start(project, history, metrics, first, replace(view, **held), pipeline, grouped, traced)
        return self.drawn_first(start, rules) if drawn else start

    def deeper(self, project: Project, rules: Rules | None = None, *, drawn: bool = True) -> Start:
        """Prepare to `deepen` what is open, on any thread; see `start`."""
        state = self._state
        if state.history is None:
            raise LookupError("nothing is open")
        before, view, usual = state.graph, state.view, state.usual_mapping
        history = Plan.of(state.history, self._file.plan_name).history(project.graph)
        metrics, first = metrics_of(self._given, project, coming=project.partial)
        name, grouped = self._hierarchy.still(history.pair, project, view.hierarchy)
        view = moved(replace(view, hierarchy=name), before, shown_plan(history.pair, grouped)[1])
        if view.mapping == usual:  # nobody has chosen it
            view = replace(view, mapping=first)
        pipeline = Pipeline(patient=self._pictures.patient)
        start = Start(project, history, metrics, first, view, pipeline, grouped, bool(self._traces.files))
        return self.drawn_first(start, rules) if drawn else start

    def settle(self) -> None:
        """Nothing more will be known about what is open, of which there is a first project alone."""
        state = self._state
        if state.project is None or not self._coming:
            return
        usual, self._coming = state.usual_mapping, False
        state.metrics, state.usual_mapping = metrics_of(self._given, state.project, coming=False)
        if state.view.mapping == usual:  # nobody has chosen it
            state.view = replace(state.view, mapping=state.usual_mapping)
        state.tell(Change.DEPTH, Change.VIEW)

    def drawn_first(self, start: Start, rules: Rules | None) -> Start:
        """With the first picture, which else is made in no time when it is asked for; on any thread."""
        planned = start.history.graph
        _ = planned.key_of  # a window looks nodes up at once
        if is_huge(planned) or asks_pattern(start.view.only):
            plan = start.shown
            metrics = {**start.metrics, **awaited().metrics} if start.traced else start.metrics
            Depicted(plan[1], planned, start.project, start.view, metrics, rules, plan).made_by(start.pipeline)
        return start

    def open(
        self,
        project: Project,
        document: Document | None = None,
        file: Path | None = None,
        *,
        unsaved: bool = False,
        start: Start | None = None,
    ) -> None:
        """Show another subject, with the plan and the view that a document holds for it.

        unsaved   the document is not what `file` holds, but a recovered copy
        start     of these two, if it was prepared
        """
        start = start or self.start(project, document, self._state.rules, drawn=False)
        self._jobs.drop()
        self.begin(start, replace(start.view, theme=self._state.view.theme))
        self._file.begin(document, file, unsaved=unsaved)
        self._trail.clear()
        self._state.tell(Change.PROJECT, Change.PLAN, Change.TRACE, Change.VIEW, Change.FILE)

    def deepen(self, project: Project, start: Start | None = None) -> None:
        """Go on with another `project` of the same subject, with more detail or newer: plan, view and selection stay.

        Operations name ids and are replayed; keys are private to one analysis and are looked up anew. What was saved
        last is compared by the operations, too, so what is unsaved stays unsaved.

        start   what `deeper` prepared; what has been planned since then is not lost
        """
        state = self._state
        before = state.history
        if before is None:
            raise LookupError("nothing is open")
        shown = state.graph
        start = start or self.deeper(project, state.rules, drawn=False)
        if start.history.done != before.done or start.history.undone != before.undone:
            start = replace(
                start, history=Plan.of(before, self._file.plan_name).history(project.graph), view=ViewState()
            )
        after, name = start.history.graph, state.view.hierarchy
        if start.view.hierarchy != name or (name and start.grouped is None):
            name, grouped = self._hierarchy.still(start.history.pair, project, name)
            start = replace(start, grouped=grouped)
        view = moved(replace(state.view, hierarchy=name), shown, start.shown[1])
        if view.mapping == state.usual_mapping:  # nobody has chosen it
            view = replace(view, mapping=start.first)
        self._file.keep_commit()
        self.begin(start, view)
        self._trail.keep_folders(lambda place: moved(place, before.graph, after))
        self._traces.rekey()
        state.tell(Change.DEPTH, Change.PLAN, Change.TRACE, Change.VIEW, Change.FILE)

    def begin(self, start: Start, view: ViewState) -> None:
        """Have what was prepared, without telling anybody."""
        state = self._state
        state.overlay = awaited() if start.traced else None  # what there was is about other keys
        state.project, state.history, state.view = start.project, start.history, replace(view, before=False)
        state.metrics, state.usual_mapping = start.metrics, start.first
        state.compared = None
        self._coming = start.project.partial
        self._pictures.begin(start.pipeline)
        self._hierarchy.begin(start.grouped)
