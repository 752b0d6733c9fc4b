"""The file that keeps plan and view, and what differs from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cbvtool.errors import InputError
from cbvtool.geometry.state import named_views
from cbvtool.plan.alternatives.named_plans import NamedPlans
from cbvtool.plan.document import Document, Plan, must_be_unchanged, write_document
from cbvtool.session.change import Change
from cbvtool.session.jobs import PendingJobs
from cbvtool.session.planning.pinned_notes import PinnedNotes, of_data
from cbvtool.session.plugin_views.plugin_views import VIEWS, PluginViews
from cbvtool.session.saved_views import SavedViews
from cbvtool.session.shown_hierarchy import ShownHierarchy
from cbvtool.session.state import State
from cbvtool.session.traces.traces import Traces
from cbvtool.session.view_data import NAMED, NOTES, PLACES, left_of, view_as_data


class DocumentFile:
    """Saves the document.

    file     None = it was not saved yet
    digest   of what was read from `file` or written to it last; see `Document.digest`
    """

    def __init__(
        self,
        state: State,
        views: SavedViews,
        notes: PinnedNotes,
        hierarchy: ShownHierarchy,
        traces: Traces,
        plugin_views: PluginViews,
        jobs: PendingJobs,
    ) -> None:
        self._state = state
        self._views = views
        self._notes = notes
        self._hierarchy = hierarchy
        self._traces = traces
        self._plugin_views = plugin_views
        self._jobs = jobs
        self.file: Path | None = None
        self.digest = ""
        self._plans = NamedPlans()  # of the current one, as it was when something about plans changed last
        self._saved: tuple[object, ...] | None = ()  # None: nothing that is saved anywhere

    def begin(self, document: Document | None, file: Path | None, *, unsaved: bool) -> None:
        """Keep what has just been opened: the plans, the saved views and the places of `document`.

        unsaved   the document is not what `file` holds, but a recovered copy
        """
        self.file = file
        self.digest = document.digest if document is not None and file is not None else ""
        self._plans = NamedPlans()
        if document is not None:
            plans = (replace(plan, commit=document.commit_of(plan)) for plan in document.plans)
            self._plans = NamedPlans(tuple(plans), document.active)
        self._state.annotations = self._plans.current.annotations
        self._hierarchy.left = {} if document is None else left_of(document.view)
        self._traces.begin(() if document is None else document.traces)
        self._plugin_views.begin(None if document is None else document.view.get(VIEWS))
        self._views.begin(() if document is None else named_views.of_data(document.view.get(NAMED)))
        self._notes.begin(of_data({} if document is None else document.view.get(NOTES)))
        self._saved = None if unsaved else self.content

    @property
    def plan_name(self) -> str:
        """Name of the plan that is shown."""
        return self._plans.current.name

    @property
    def plans(self) -> NamedPlans:
        """The plans, the current one as it is now. LookupError when nothing is open."""
        state, plan = self._state, self._plans.current
        if state.project is None or state.history is None:
            raise LookupError("nothing is open")
        commit = state.project.commit if plan.is_empty else plan.commit or state.project.commit
        now = Plan.of(state.history, plan.name, state.annotations, commit)
        return self._plans.with_plan(replace(now, note=plan.note))

    def have(self, plans: NamedPlans) -> None:
        """Have other plans; the current one of them is what the state holds."""
        self._plans = plans
        self._state.annotations = plans.current.annotations

    def keep_commit(self) -> None:
        """Remember on which commit the current plan was made, before the code goes on."""
        self._plans = self.plans

    @property
    def unsaved(self) -> bool:
        """Whether the plan or the named views differ from what was opened or saved last, or are about to."""
        return self._state.is_open and (self.content != self._saved or self._jobs.edits)

    @property
    def lacks_traces_alone(self) -> bool:
        """Whether all that is not saved is which recordings are open."""
        return self._saved is not None and not self._jobs.edits and self.content[:-1] == self._saved[:-1]

    @property
    def content(self) -> tuple[object, ...]:
        """What would be lost if it were not saved: plans with the steps that are done, notes, named views, traces."""
        if self._state.history is None:
            return ()
        plans = tuple(
            (plan.name, plan.done, dict(plan.annotations), plan.note, plan.commit if plan.done else "")
            for plan in self.plans.plans
        )
        return (plans, dict(self._notes.all), self._views.named, self._traces.files)

    def document(self) -> Document:
        """What `save` writes."""
        state = self._state
        if state.project is None or state.history is None:
            raise LookupError("nothing is open")
        plans = self.plans
        view = view_as_data(state.view, state.graph)
        if self._views.named:
            view[NAMED] = named_views.as_data(self._views.named)
        if self._notes.all:
            view[NOTES] = dict(self._notes.all)
        if left := {name: place for name, place in self._hierarchy.left.items() if name != state.view.hierarchy}:
            view[PLACES] = left
        if kept := self._plugin_views.as_data():
            view[VIEWS] = kept
        project = state.project
        return Document(project.path, project.name, "", plans.plans, plans.active, view, traces=self._traces.files)

    def save(self, file: Path, *, overwrite: bool = False) -> None:
        """Write the document.

        overwrite   also if the file is that of this document and somebody else has changed it

        Raises ChangedOnDisk in that case, and InputError when the file cannot be written; nothing is half-written.
        """
        if self._jobs.edits:
            raise InputError("The last step of the plan is still being made: save again in a moment.")
        if file == self.file and not overwrite:
            must_be_unchanged(file, self.digest)
        self.digest = write_document(self.document(), file)
        self.file, self._saved = file, self.content
        self._state.tell(Change.FILE)
