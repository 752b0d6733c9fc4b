"""The open document: what views ask and tell a session, each by the part of it that does it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from cbvtool.geometry.scene.planned import PlannedChanges
from cbvtool.geometry.state.named_views import NamedView
from cbvtool.geometry.state.view_state import Mapping as MetricMapping
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Metric
from cbvtool.plan import History
from cbvtool.plan.listing.annotations import Annotations
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session.alternatives.choosing import PlanChoice
from cbvtool.session.alternatives.noting import Noting
from cbvtool.session.alternatives.side_by_side import PlansSideBySide
from cbvtool.session.background import Background
from cbvtool.session.change import Change
from cbvtool.session.document_file import DocumentFile
from cbvtool.session.dragging import DragPlanning
from cbvtool.session.history.coupling import CoupledRelations
from cbvtool.session.history.people import KnownPeople
from cbvtool.session.history.time_ranges import TimeRanges
from cbvtool.session.jobs import PendingJob, PendingJobs
from cbvtool.session.opening import SubjectOpening
from cbvtool.session.pictures import Pictures
from cbvtool.session.planning import Planning
from cbvtool.session.planning.comparing import Comparing
from cbvtool.session.planning.judging import PreparedJudgement
from cbvtool.session.planning.pinned_notes import PinnedNotes
from cbvtool.session.planning.steps import StepRunner
from cbvtool.session.plugin_views.plugin_views import PluginViews
from cbvtool.session.rule_editing import RuleEditing
from cbvtool.session.saved_views import SavedViews
from cbvtool.session.shown_hierarchy import ShownHierarchy
from cbvtool.session.state import State
from cbvtool.session.traces.traces import Traces
from cbvtool.session.trail import Trail
from cbvtool.session.travels import Travels
from cbvtool.session.versions import VersionComparison
from cbvtool.session.viewing import Viewing


class Session:
    """The document a window shows. Listeners get the part that changed, as a `Change`.

    metrics   those there are for any subject
    step      carries out the steps of the plan, where that is the plan of another session

    The parts share one `State`; each is given the others that it needs. What views call stands here under one name.
    """

    def __init__(self, metrics: Mapping[str, Metric] = METRICS, *, step: StepRunner | None = None) -> None:
        jobs, trail = PendingJobs(), Trail()
        state = self.state = State(metrics)
        self.people = KnownPeople(state)
        self.coupling = CoupledRelations(state)
        viewing = self.viewing = Viewing(state, trail)
        pictures = self.pictures = Pictures(state, viewing, jobs)
        background = self.background = Background(state, viewing, pictures, jobs)
        hierarchy = self.hierarchy = ShownHierarchy(state, trail, pictures)
        travels = self.travels = Travels(state, trail, hierarchy, background, jobs)
        planning = self.planning = Planning(state, trail, viewing, pictures, hierarchy, background, step)
        self.rule_editing = RuleEditing(state)
        self.versions = VersionComparison(metrics, state, trail, viewing, pictures, hierarchy, jobs)
        comparing = self.comparing = Comparing(state, viewing, pictures, background)
        dragging = self.dragging = DragPlanning(state, viewing, planning, jobs)
        self.judging = PreparedJudgement(state)
        self.time_ranges = TimeRanges(state, trail)
        traces = self.traces = Traces(state)
        self.plugin_views = PluginViews(state, traces)
        views = self.saved_views = SavedViews(state, viewing, hierarchy)
        self.notes = PinnedNotes(state)
        document_file = self.document_file = DocumentFile(
            state, views, self.notes, hierarchy, traces, self.plugin_views, jobs
        )
        self.plan_choice = PlanChoice(state, planning, self.versions, document_file, jobs)
        noting = self.noting = Noting(state, planning, self.notes, self.plan_choice, jobs)
        self.side_by_side = PlansSideBySide(state, document_file)
        opening = self.opening = SubjectOpening(metrics, state, trail, pictures, hierarchy, document_file, traces, jobs)

        self.subscribe = state.subscribe

        self.set_view = viewing.set_view
        self.map = viewing.map
        self.select = viewing.select
        self.expand = viewing.expand
        self.collapse = viewing.collapse
        self.toggle = viewing.toggle
        self.show_depth = viewing.show_depth
        self.step_depth = viewing.step_depth
        self.show_files = viewing.show_files
        self.restrict = viewing.restrict
        self.go_to = viewing.go_to
        self.hide = viewing.hide
        self.show_only = viewing.show_only
        self.show_kind = viewing.show_kind
        self.escape = viewing.escape

        self.scene = pictures.scene
        self.making = pictures.making
        self.made = pictures.made
        self.stay_with_drawn = pictures.stay_with_drawn

        self.begin_job = background.begin_job
        self.end_job = background.end_job
        self.drop_job = background.drop_job
        self.give_up = background.give_up

        self.grouped = hierarchy.grouped
        self.show_in = hierarchy.show_in

        self.go_back = travels.go_back
        self.go_forward = travels.go_forward
        self.places = travels.places

        self.step = planning.step
        self.do = planning.do
        self.undo = noting.undo
        self.redo = noting.redo
        self.travel = planning.travel
        self.move = planning.move
        self.create = planning.create
        self.remove = planning.remove
        self.rename = planning.rename
        self.merge = planning.merge
        self.topmost = planning.topmost
        self.refusal = planning.refusal
        self.tasks = planning.tasks
        self.task_list = planning.task_list
        self.full_task_list = planning.full_task_list
        self.annotate = noting.annotate
        self.violations = planning.violations
        self.judging_rules, self.rules_judged = planning.judging_rules, planning.rules_judged

        self.show_before = comparing.show_before

        self.begin_drag = dragging.begin_drag
        self.drag_over = dragging.drag_over
        self.candidate = dragging.candidate
        self.drop = dragging.drop
        self.cancel_drag = viewing.cancel_drag

        self.name_views = views.name_views
        self.keep_view = views.keep_view
        self.show_named = views.show_named

        self.document = document_file.document
        self.save = document_file.save

        self.start = opening.start
        self.deeper = opening.deeper
        self.open = opening.open
        self.deepen = opening.deepen
        self.settle = opening.settle

    def hide_names(self, on: bool) -> None:
        """Show numbers in place of the names of people, everywhere, or names again unless the project forbids them."""
        if self.people.hide_names(on):
            if self.view.hierarchy:
                self.show_in(self.view.hierarchy)
            self.state.tell(Change.DEPTH, Change.PLAN, Change.VIEW)

    # -- what is open ------------------------------------------------------------------------------------

    @property
    def project(self) -> Project | None:
        """The open subject, None = nothing is open."""
        return self.state.project

    @property
    def history(self) -> History | None:
        """The plan, None = nothing is open."""
        return self.state.history

    @property
    def graph(self) -> Graph:
        """The target design, in the hierarchy that is shown. LookupError when nothing is open.

        The plan itself is about the one in the hierarchy of folders, `planned`.
        """
        return self.state.graph

    @property
    def planned(self) -> Graph:
        """The target design: the base graph with the plan applied. LookupError when nothing is open."""
        return self.state.planned

    @property
    def base(self) -> Graph:
        """The code without the plan, in the hierarchy that is shown. LookupError when nothing is open."""
        return self.state.bare_pair[0]

    @property
    def changes_planned(self) -> PlannedChanges | None:
        """What the plan has done to every node, in the hierarchy that is shown; None = nothing."""
        return self.planning.planned

    @property
    def is_open(self) -> bool:
        """Whether a subject is open."""
        return self.state.is_open

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics of the open subject: the given ones, and those that came with the graph."""
        return self.state.metrics

    @metrics.setter
    def metrics(self, metrics: Mapping[str, Metric]) -> None:
        self.state.metrics = metrics

    @property
    def annotations(self) -> Annotations:
        """What people noted about the tasks of the plan."""
        return self.state.annotations

    @property
    def rules(self) -> Rules | None:
        """The rules of the open subject."""
        return self.state.rules

    @rules.setter
    def rules(self, rules: Rules | None) -> None:
        self.state.rules = rules

    # -- what is shown -----------------------------------------------------------------------------------

    @property
    def view(self) -> ViewState:
        """What is shown; `set_view` replaces fields of it."""
        return self.state.view

    @property
    def usual_mapping(self) -> MetricMapping:
        """What the first picture of the subject shows."""
        return self.state.usual_mapping

    @property
    def hidden(self) -> frozenset[int]:
        """Keys of all subtrees that are not shown, with what lies outside the project while that is switched off."""
        return self.viewing.hidden

    @property
    def is_late(self) -> bool:
        """Whether the picture of the present state takes so long that an impatient session shows the one before."""
        return self.pictures.is_late

    @property
    def is_wanted(self) -> bool:
        """Whether somebody is to make the picture elsewhere, by `making`."""
        return self.pictures.is_wanted

    @property
    def patient(self) -> bool:
        """Whether `scene` waits for slow metrics; else it shows what it did before until they are measured."""
        return self.pictures.patient

    @patient.setter
    def patient(self, waits: bool) -> None:
        self.pictures.patient = waits

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier place."""
        return self.travels.can_go_back

    @property
    def can_go_forward(self) -> bool:
        """Whether a place was left by going back."""
        return self.travels.can_go_forward

    # -- what takes long ---------------------------------------------------------------------------------

    @property
    def defer(self) -> Callable[[], None] | None:
        """Is called when a job waits for another thread (`first_job`); None = all is done at once."""
        return self.background.defer

    @defer.setter
    def defer(self, defer: Callable[[], None] | None) -> None:
        self.background.defer = defer

    @property
    def first_job(self) -> PendingJob | None:
        """What waits to be done next; the picture stays as it is from `begin_job` until `end_job`."""
        return self.background.first_job

    # -- what is kept ------------------------------------------------------------------------------------

    @property
    def named(self) -> tuple[NamedView, ...]:
        """The views that the user has given a name, in their order."""
        return self.saved_views.named

    @property
    def file(self) -> Path | None:
        """The file of the document, None = it was not saved yet."""
        return self.document_file.file

    @file.setter
    def file(self, file: Path | None) -> None:
        self.document_file.file = file

    @property
    def digest(self) -> str:
        """Of what was read from `file` or written to it last; see `Document.digest`."""
        return self.document_file.digest

    @property
    def plan_name(self) -> str:
        """Name of the plan that is shown."""
        return self.document_file.plan_name

    @property
    def unsaved(self) -> bool:
        """Whether the plan or the named views differ from what was opened or saved last, or are about to."""
        return self.document_file.unsaved

    @property
    def content(self) -> tuple[object, ...]:
        """What would be lost if it were not saved: the steps that are done, and the named views."""
        return self.document_file.content
