"""A document: a subject with its plan, the view of it, and the file that keeps both. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cbvtool.asking.expression import asks_pattern
from cbvtool.errors import InputError
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state import named_views
from cbvtool.geometry.state.named_views import NamedView, Viewpoint
from cbvtool.geometry.state.view_state import Drag, ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies import FOLDERS
from cbvtool.layout.depth import first_picture
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Metric
from cbvtool.plan import Create, History, Merge, Move, Operation, Remove, Rename, check, group, new_id
from cbvtool.plan.document import Document, Plan, must_be_unchanged, write_document
from cbvtool.plan.task import Task
from cbvtool.project import Project
from cbvtool.rules import Rules, Violation
from cbvtool.session.change import Change
from cbvtool.session.groupings import Groupings
from cbvtool.session.jobs import Cancel, Job, Prepare
from cbvtool.session.picture import Depicted, Picture, is_huge
from cbvtool.session.places import moved, pruned, topmost
from cbvtool.session.start import Start, metrics_of
from cbvtool.session.steps import Consequences, PlanStep, Stepped, stepped
from cbvtool.session.trail import Trail
from cbvtool.session.view_data import NAMED, PLACES, hierarchy_of, left_of, view_as_data, view_of
from cbvtool.session.viewing import Viewing

ELSEWHERE = "Planning works in the folder hierarchy."


class Session(Viewing):
    """The document a window shows. Listeners are told which part changed, as a `Change`.

    metrics   those there are for any subject
    """

    def __init__(self, metrics: Mapping[str, Metric] = METRICS) -> None:
        super().__init__(metrics)
        self._given = metrics
        self.file: Path | None = None
        self.digest = ""  # of what was read from `file` or written to it last; see `Document.digest`
        self._plans: tuple[Plan, ...] = (Plan(),)
        self._active = 0
        self._named: tuple[NamedView, ...] = ()
        self._saved: tuple[object, ...] | None = ()  # None: nothing that is saved anywhere
        self._coming = False  # only a first project is open, and more is being found out
        self._consequences = Consequences()

    # -- what is open ------------------------------------------------------------------------------------

    def start(
        self, project: Project, document: Document | None = None, rules: Rules | None = None, cancel: Cancel = None,
        *, drawn: bool = True,
    ) -> Start:  # fmt: skip
        """Prepare to `open` another subject, on any thread.

        drawn   with its first picture, where that takes long

        Raises InputError where its mapping makes no sense, and what `cancel` does.
        """
        plan = Plan() if document is None else document.plans[document.active]
        history = plan.history(project.graph)
        metrics, first = metrics_of(self._given, project, coming=project.partial)
        asked = FOLDERS if document is None else hierarchy_of(document.view)
        name, grouped = self._groupings.still(history.graph, project, asked)
        graph = grouped or history.graph
        view = ViewState(expanded=first_picture(graph), mapping=first, theme=self.view.theme, hierarchy=name)
        held = {} if document is None else view_of(document.view, graph, metrics, first)
        start = Start(project, history, metrics, first, replace(view, **held), Pipeline(patient=self.patient), grouped)
        return self._drawn_first(start, rules, cancel) if drawn else start

    def deeper(
        self, project: Project, rules: Rules | None = None, cancel: Cancel = None, *, drawn: bool = True
    ) -> Start:  # fmt: skip
        """Prepare to `deepen` what is open, on any thread; see `start`."""
        if self.history is None:
            raise LookupError("nothing is open")
        before, view, usual = self.graph, self.view, self._first
        history = Plan.of(self.history, self.plan_name).history(project.graph)
        metrics, first = metrics_of(self._given, project, coming=project.partial)
        name, grouped = self._groupings.still(history.graph, project, view.hierarchy)
        view = moved(replace(view, hierarchy=name), before, grouped or history.graph)
        if view.mapping == usual:  # nobody has chosen it
            view = replace(view, mapping=first)
        start = Start(project, history, metrics, first, view, Pipeline(patient=self.patient), grouped)
        return self._drawn_first(start, rules, cancel) if drawn else start

    def settle(self) -> None:
        """Nothing more will be known about what is open, of which there is a first project alone."""
        if self.project is None or not self._coming:
            return
        usual, self._coming = self._first, False
        self.metrics, self._first = metrics_of(self._given, self.project, coming=False)
        if self.view.mapping == usual:  # nobody has chosen it
            self.view = replace(self.view, mapping=self._first)
        self._tell(Change.DEPTH, Change.VIEW)

    def _drawn_first(self, start: Start, rules: Rules | None, cancel: Cancel) -> Start:
        """With the first picture, which else is made in no time when it is asked for."""
        planned = start.history.graph
        _ = planned.key_of  # a window looks nodes up at once
        if is_huge(planned) or asks_pattern(start.view.only):
            graph = start.grouped or planned
            Depicted(graph, planned, start.project, start.view, start.metrics, rules).made_by(start.pipeline, cancel)
        return start

    def open(
        self, project: Project, document: Document | None = None, file: Path | None = None,
        *, unsaved: bool = False, start: Start | None = None,
    ) -> None:  # fmt: skip
        """Show another subject, with the plan and the view that a document holds for it.

        unsaved   the document is not what `file` holds, but a recovered copy
        start     of these two, if it was prepared
        """
        start = start or self.start(project, document, self.rules, drawn=False)
        self._plans, self._active = ((Plan(),), 0) if document is None else (document.plans, document.active)
        self.file = file
        self.digest = document.digest if document is not None and file is not None else ""
        self._jobs.drop()
        self._begin(start, replace(start.view, theme=self.view.theme))
        self._left = {} if document is None else left_of(document.view)
        self._trail = Trail()
        self._named = () if document is None else named_views.of_data(document.view.get(NAMED))
        self._saved = None if unsaved else self.content
        self._tell(Change.PROJECT, Change.PLAN, Change.VIEW, Change.FILE)

    def deepen(self, project: Project, start: Start | None = None) -> None:
        """Go on with another `project` of the same subject, with more detail or newer: plan, view and selection stay.

        Operations name ids and are replayed; keys are private to one analysis and are looked up anew. What was saved
        last is compared by the operations, too, so what is unsaved stays unsaved.

        start   what `deeper` prepared; what has been planned since then is not lost
        """
        before = self.history
        if before is None:
            raise LookupError("nothing is open")
        shown = self.graph
        start = start or self.deeper(project, self.rules, drawn=False)
        if start.history.done != before.done or start.history.undone != before.undone:
            start = replace(start, history=Plan.of(before, self.plan_name).history(project.graph), view=ViewState())
        after, name = start.history.graph, self.view.hierarchy
        if start.view.hierarchy != name or (name and start.grouped is None):
            name, grouped = self._groupings.still(after, project, name)
            start = replace(start, grouped=grouped)
        view = moved(replace(self.view, hierarchy=name), shown, start.grouped or after)
        if view.mapping == self._first:  # nobody has chosen it
            view = replace(view, mapping=start.first)
        self._begin(start, view)
        self._trail.keep_folders(lambda place: moved(place, before.graph, after))
        self._tell(Change.DEPTH, Change.PLAN, Change.VIEW, Change.FILE)

    def _begin(self, start: Start, view: ViewState) -> None:
        self.project, self.history, self.view = start.project, start.history, view
        self._coming = start.project.partial
        self.metrics, self._first, self._picture = start.metrics, start.first, Picture(start.pipeline)
        self._grouped, self._groupings = start.grouped, Groupings()
        if start.grouped is not None:
            self._groupings.keep(view.hierarchy, start.history.graph, start.grouped)

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
            self._tell(Change.FILE)

    def keep_view(self, name: str, viewpoint: Viewpoint) -> None:
        """Give the present view a name; one of that name is replaced."""
        fresh = NamedView(named_views.clean_name(name), view_as_data(self.view, self.graph), viewpoint)
        self.name_views(named_views.with_view(self._named, fresh))

    def show_named(self, named: NamedView) -> None:
        """Show a named view; what it names and is not there (any more) is left out."""
        name, _ = self._groupings.still(self.planned, self.project, hierarchy_of(named.view))
        if name != self.view.hierarchy:
            self.show_in(name)
        fields: dict[str, Any] = {"root": self.graph.root, "hidden": frozenset(), "only": ""}
        fields |= view_of(named.view, self.graph, self.metrics, self._first)
        self._show(pruned(replace(self.view, **fields), self.graph))

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

    def _step(self, change: PlanStep, what: str, then: Callable[[], None] = lambda: None) -> str | None:
        """Have what `change` makes of what is planned; the result is the reason why not, if that is known."""
        if self.history is None:
            return None

        def begin() -> Prepare:
            before, view, shown, project = self.history, self.view, self.graph, self.project
            assert before is not None
            if self.defer is None or not is_huge(shown):
                return lambda cancel=None: stepped(change, before)
            return lambda cancel=None: self._stepped_far(change, before, view, shown, project, cancel)

        def take(found: Stepped | str) -> str | None:
            if not isinstance(found, str) and found.before is not self.history:  # more is known, or planned, since
                assert self.history is not None
                found = stepped(change, self.history)
            if isinstance(found, str):
                self.cancel_drag()
                return found
            if found.after is not found.before:
                self._plan(found)
                then()
            return None

        return self._do(Job(what, True, begin, take))

    def _stepped_far(
        self, change: PlanStep, before: History, view: ViewState, shown: Graph, project: Project | None, cancel: Cancel
    ) -> Stepped | str:  # fmt: skip
        """A step, with all that a window shows of it: for another thread."""
        found = stepped(change, before)
        if isinstance(found, str) or found.after is before:
            return found
        after, rules, following = found.after, self.rules, Consequences()
        grouped, view = self._carried(after.graph, view, shown, project)
        depicted = Depicted(grouped or after.graph, after.graph, project, view, self.metrics, rules)
        scene = depicted.made_by(self._picture.pipeline, cancel)
        following.tasks(after, project)
        following.broken(after, rules)
        return replace(found, scene=scene, consequences=following)

    def _carried(
        self, planned: Graph, view: ViewState, shown: Graph, project: Project | None
    ) -> tuple[Graph | None, ViewState]:  # fmt: skip
        """(the graph in the hierarchy of the view, None = that of folders; the view after a step that leads there)."""
        view, grouped = replace(view, drag=None, path=None, impact=None), None
        if view.hierarchy:  # groups have other keys when there are more nodes
            name, grouped = self._groupings.still(planned, project, view.hierarchy)
            view = moved(replace(view, hierarchy=name), shown, grouped or planned)
        return grouped, pruned(view, grouped or planned)

    def _plan(self, found: Stepped) -> None:
        self._grouped, self.view = self._carried(found.after.graph, self.view, self.graph, self.project)
        self.history = found.after
        self._trail.keep_folders()
        self._consequences = found.consequences or self._consequences
        if found.scene is not None and found.scene.graph is self.graph:
            self._picture.scene = found.scene
        self._tell(Change.PLAN, Change.VIEW, Change.FILE)

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
        return topmost(self.graph, keys)

    def tasks(self) -> tuple[Task, ...]:
        """The compressed plan as tasks."""
        return () if self.history is None else self._consequences.tasks(self.history, self.project)

    def violations(self) -> tuple[list[Violation], list[Violation]]:
        """What breaks the rules: (as planned, as it is)."""
        return ([], []) if self.history is None else self._consequences.broken(self.history, self.rules)

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

    @property
    def plan_name(self) -> str:
        """Name of the plan that is shown."""
        return self._plans[self._active].name

    @property
    def unsaved(self) -> bool:
        """Whether the plan or the named views differ from what was opened or saved last, or are about to."""
        return self.is_open and (self.content != self._saved or self._jobs.edits)

    @property
    def content(self) -> tuple[object, ...]:
        """What would be lost if it were not saved: the steps that are done, and the named views."""
        return () if self.history is None else (self.history.done, self._named)

    def document(self) -> Document:
        """What `save` writes."""
        if self.project is None or self.history is None:
            raise LookupError("nothing is open")
        plans = list(self._plans)
        plans[self._active] = Plan.of(self.history, plans[self._active].name)
        view = view_as_data(self.view, self.graph)
        if self._named:
            view[NAMED] = named_views.as_data(self._named)
        if left := {name: place for name, place in self._left.items() if name != self.view.hierarchy}:
            view[PLACES] = left
        return Document(self.project.path, self.project.name, self.project.commit, tuple(plans), self._active, view)

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
        self._tell(Change.FILE)
