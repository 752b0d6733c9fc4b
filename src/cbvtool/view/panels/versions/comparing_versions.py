"""Versions compared in the window: which one is chosen, reading it, and going from change to change (NEW-6)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from qtpy.QtCore import QObject
from qtpy.QtWidgets import QApplication

from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.mining import Processes, open_versions
from cbvtool.mining.scratch import open_scratch
from cbvtool.plan.document import read_document
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.versions import Compared, analysed, compared, pair_with_present, plans_compared
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.chooser import ChooserRow, choose
from cbvtool.view.toolkit.file_dialogs import ask_plan
from cbvtool.words import one_line

MOST_COMMITS = 1000  # that are offered, the newest ones
_SHORT = 10  # digits of an id
_READ = "read"


class ComparingVersions(QObject):
    """Belongs to a window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._session = desk.session
        self._next = ""

    def install(self) -> None:
        """Know when a subject is open, and when it is known in full."""
        self._unsubscribe = self._session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()

    def compare_next(self, name: str) -> None:
        """Compare with the version `name` once the subject that is being read is there."""
        self._next = name

    def _follow(self, what: Change) -> None:
        project = self._session.project
        if self._next and what in (Change.PROJECT, Change.DEPTH) and project is not None and not project.partial:
            name, self._next = self._next, ""
            self.compare(name)

    def ask(self) -> None:
        """Choose a tag, a branch or a commit, and compare it with the present code."""
        project = self._session.project
        if reason := self._session.versions.why_not():
            self._desk.say(reason)
            return
        assert project is not None
        path = project.path

        def work(_progress: Progress) -> list[ChooserRow]:
            with open_versions(path) as versions:
                named = versions.references()
            return [ChooserRow(one_line(one.name), one.kind, one.name) for one in named]

        self._desk.jobs.run(
            self, "Listing versions", work, self._choose, self._desk.say, purpose=_READ, at_once=True, ends=True
        )

    def _choose(self, choices: list[ChooserRow]) -> None:
        if QApplication.activeModalWidget() is not None:  # the user went on to something else: that stays in front
            self._desk.say("The versions are listed", offer="Choose one...", run=partial(self._choose, choices))
            return
        project = self._session.project
        changes = None if project is None else project.changes
        shas = () if changes is None else changes.sha[: -MOST_COMMITS - 1 : -1]
        commits = [ChooserRow(sha[:_SHORT], "commit", sha) for sha in shas]
        hint = "Compare the present code with ...? Type a part of a tag, a branch or an id"
        name = choose("Compare with a version...", hint, [*choices, *commits], self._desk.widget)
        if name is not None:
            self.compare(name)

    def compare(self, name: str) -> None:
        """Analyse a version in the background, then show what differs."""
        project = self._session.project
        if reason := self._session.versions.why_not():
            self._desk.say(reason)
            return
        assert project is not None
        path, graph, processes = project.path, project.graph, Processes()

        def work(progress: Progress) -> Compared:
            return version_compared(path, graph, name, processes, progress=progress)

        self._desk.jobs.run(
            self,
            f"Reading {one_line(name)}",
            work,
            partial(self._show, project.path),
            self._desk.say,
            purpose=_READ,
            cancelled=processes.stop,
            at_once=True,
            ends=True,
        )

    def compare_plan(self) -> None:
        """Choose another plan of the document or of a file, and compare it with the one that is shown."""
        if reason := self._session.versions.why_not():
            self._desk.say(reason)
            return
        plans = self._session.plan_choice.plans
        others = [name for name in plans.names if name != plans.current.name]
        if not others:
            self._compare_file()
            return
        rows = [ChooserRow(one_line(name), "plan of this document", name) for name in others]
        hint = "Compare the plan that is shown with ...? Type a part of a name"
        title, files = "Compare with a plan...", ChooserRow("Another document...", "of the same code", "")
        name = choose(title, hint, [*rows, files], self._desk.widget)
        if name:
            self.compare_plans(name, plans.current.name)
        elif name is not None:
            self._compare_file()

    def compare_plans(self, first: str, second: str) -> None:
        """Show in one picture what differs between two plans of the document, or one and `AS_IS`."""
        project, names = self._session.project, self._session.plan_choice.plans.names
        reason = self._session.versions.why_not()
        if reason or project is None:
            self._desk.say(reason)
            return
        called = first if first in names else "the code as it is"
        try:
            targets = self._session.side_by_side.targets(first, second)
        except InputError as error:
            self._desk.say(str(error))
            return
        self._desk.jobs.run(
            self,
            f"Comparing {one_line(second)} with {one_line(called)}",
            lambda _progress: plans_compared(*targets(), called),
            partial(self._show, project.path),
            self._desk.say,
            purpose=_READ,
            at_once=True,
        )

    def _compare_file(self) -> None:
        """Choose a file of the same subject, and compare its plan with the one that is shown."""
        history, project = self._session.history, self._session.project
        assert history is not None
        assert project is not None
        file = ask_plan(self._desk.settings.folder, self._desk.widget)
        if file is None:
            return
        now = history.graph

        def work(_progress: Progress) -> Compared:
            document = read_document(file)
            other = document.plans[document.active].history(project.graph).graph
            return plans_compared(project.graph, other, now, file.name)

        self._desk.jobs.run(
            self,
            f"Reading {one_line(file.name)}",
            work,
            partial(self._show, project.path),
            self._desk.say,
            purpose=_READ,
            at_once=True,
        )

    def _show(self, path: Path, found: Compared) -> None:
        project = self._session.project
        if project is None or project.path != path:
            return  # something else is open now
        if reason := self._session.versions.show(found):
            self._desk.say(reason)
            return
        history = self._session.history
        plan = ", without the plan" if found.told is not None and history is not None and history.done else ""
        self._desk.note(f"Compared with {one_line(found.name)}{plan}: F7 goes to the next change")

    def end(self) -> None:
        """Show the present code and its plan again."""
        self._session.versions.end()

    def step(self, step: int) -> None:
        """Go to the next change, or to the one before."""
        key = self._session.versions.next_change(step)
        if key < 0:
            self._desk.say("Nothing differs, so there is no change to go to.")
            return
        planned = self._session.changes_planned
        if planned is not None:
            said = "; ".join(planned.lines(key))
            self._desk.note(f"{one_line(self._session.graph.names[key])}: {said}")

    def switch_changes_only(self) -> None:
        """Show only what changed, and what lies around it; or all again."""
        here = self._desk.here.session
        here.set_view(changes_only=not here.view.changes_only)


def version_compared(path: Path, graph: Graph, name: str, processes: Processes, *, progress: Progress) -> Compared:
    """The version `name` of the folder `path`, and its present `graph`; on any thread. Raises InputError."""
    with open_scratch(path, processes) as versions:
        version = analysed(versions, name, progress=progress)
        progress("Comparing", 0, 0)
        pair = pair_with_present(versions, version, graph)
    return compared(
        version.graph, graph, name if name != version.commit else name[:_SHORT], pair.renames, pair.contents
    )
