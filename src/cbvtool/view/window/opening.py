"""Opening subjects and plans for the window: in a worker, with progress, cancel and recent folders."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import platformdirs
from qtpy.QtCore import QObject, Signal

from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.plan.document import Document
from cbvtool.plan.export import About, to_csv, to_json, to_markdown
from cbvtool.plan.tasks import TaskList
from cbvtool.progress import Progress
from cbvtool.project import Project, open_project, open_recording, open_subject
from cbvtool.rules import Rules, read_rules, unknown_nodes
from cbvtool.session import Session, Start
from cbvtool.view.commands.documents import Documents
from cbvtool.view.commands.unsaved import Unsaved
from cbvtool.view.panels.plan_judge import PlanJudge
from cbvtool.view.window.lost import LostSubject, ask_where, read_located
from cbvtool.view.window.sample import make_sample, sample_script
from cbvtool.view.window.window_desk import WindowDesk

PLAN_SUFFIX = ".cbv"


@dataclass(frozen=True, eq=False)
class Opened:
    """What a worker brings back: the subject, ready to be shown, and the plan with the file it came from.

    is_trace      the subject is a recording, without its code
    note, moved   sentences: what is wrong with the rules; where the subject is now, if not where the plan says
    """

    project: Project
    start: Start
    rules: Rules | None
    document: Document | None = None
    file: Path | None = None
    note: str = ""
    moved: str = ""
    is_trace: bool = False


def read(
    session: Session,
    project: Project,
    progress: Progress,
    document: Document | None = None,
    file: Path | None = None,
    *,
    deeper: bool = False,
) -> Opened:
    """The project with its rules; what is wrong with the rules file is noted, and does not stop anybody.

    Runs in the worker, so what the window needs at once is made here: for a large tree it takes a moment.

    deeper   more is known about what is open
    """
    note = ""
    try:
        rules = read_rules(project.path) if project.kind == "folder" else None
    except InputError as error:
        rules, note = None, str(error)
    else:
        notes = (*rules.notes, *unknown_nodes(project.graph, rules)) if rules else ()
        note = notes[0] if notes else ""

    progress("Laying out", 0, 0)
    start = session.deeper(project, rules) if deeper else session.start(project, document, rules)
    return Opened(project, start, rules, document, file, note)


class Opening(QObject):
    """Belongs to a window; everything slow runs in its worker.

    how   arguments for `open_project`: what the command line said about reading
    """

    began = Signal(str)  # what is being opened
    progressed = Signal(str, int, int)
    idle = Signal()

    def __init__(self, desk: WindowDesk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._session = desk.session
        desk.part(Documents).opener = self
        self.how: Mapping[str, Any] = {}
        self._asked_for_renderer = False

    @property
    def busy(self) -> bool:
        """Whether a subject is being read."""
        return self._desk.jobs.is_busy(self)

    # -- reading -------------------------------------------------------------------------------------------

    def open(self, path: Path, subject: Path | None = None) -> None:
        """Read a subject or a plan in the background, then show it.

        subject   what the plan is about, in place of what the plan says
        """

        recent, session = self._desk.settings.recent, self._session

        def work(progress: Progress, first: Callable[[Opened], None]) -> Opened | LostSubject:
            if path.suffix.lower() == PLAN_SUFFIX:
                document, note = read_located(path, recent, subject)
                if document is None:
                    return LostSubject(path, note)
                project = open_subject(document.subject, document.traces, progress=progress, **self.how)
                return replace(read(session, project, progress, document, path), moved=note)
            project = open_project(
                path,
                progress=progress,
                on_first=lambda project: first(read(session, project, progress, deeper=goes_on())),
                **self.how,
            )
            return read(session, project, progress, deeper=goes_on())

        what = self._announce(f"Opening {path.name or path}")
        shown: list[Project] = []

        def goes_on() -> bool:
            return bool(shown) and session.project is shown[-1]

        def show_first(opened: Opened) -> None:
            if goes_on():
                self._session.rules = opened.rules
                session.deepen(opened.project, opened.start)
            elif self._desk.part(Documents).must_ask:
                return  # once, when everything is there: a question would wait while the second stage arrives
            else:
                self._show(opened)
            shown.append(opened.project)

        def show(opened: Opened | LostSubject) -> None:
            if isinstance(opened, LostSubject):
                ask_where(self._desk, opened, self.open)
            elif goes_on():
                self._session.rules = opened.rules
                self._session.deepen(opened.project, opened.start)
            else:
                self._show(opened)

        self._desk.jobs.run_in_stages(
            self,
            what,
            work,
            show_first,
            partial(self._end, show),
            partial(self._end, self._fail),
            progressed=self.progressed.emit,
            cancelled=partial(self._end, self._stay),
            at_once=True,
            ends=True,
        )

    def open_sample(self) -> None:
        """Make the sample project, unless that was done before, and show it."""
        script = sample_script()
        if script is None:
            self._desk.say("The sample project does not come with this installation: open a folder of your own")
            return
        folder = platformdirs.user_cache_path("cbvtool", appauthor=False) / "sample"
        self._start(
            "Making the sample project",
            lambda progress: read(
                self._session, open_project(make_sample(folder, script), progress=progress, **self.how), progress
            ),
            self._show,
        )

    def open_trace(self, path: Path) -> None:
        """Open a recording without the code that ran: the graph is made of its functions."""

        def work(progress: Progress) -> Opened:
            return replace(read(self._session, open_recording(path, progress), progress), is_trace=True)

        self._start(f"Opening {path.name}", work, self._show)

    def again(self) -> None:
        """Analyse the open subject once more; plan, view and file stay, with what is done to them meanwhile."""
        project = self._session.project
        if project is None:
            return
        self._desk.part(Documents).stay()

        def work(progress: Progress) -> Opened:
            fresh = open_subject(project.path, self._session.traces.files, progress=progress, **self.how)
            return read(self._session, fresh, progress, deeper=self._session.project is project)

        def show(opened: Opened) -> None:
            if self._session.project is not project:
                return  # something else is open now
            self._session.rules = opened.rules
            self._session.deepen(opened.project, opened.start)
            self._tell(opened)

        self._start(f"Analysing {project.name} again", work, show)

    def _announce(self, what: str) -> str:
        self._desk.message.hide()
        self.began.emit(what)
        self.progressed.emit(what, 0, 0)
        return what

    def _end(self, then: Callable[..., None], *found: object) -> None:
        """Nothing is being read any more."""
        self.idle.emit()
        then(*found)

    def _start(self, what: str, work: Callable[[Progress], Opened], show: Callable[[Opened], None]) -> None:
        self._desk.jobs.run(
            self,
            self._announce(what),
            work,
            partial(self._end, show),
            partial(self._end, self._fail),
            progressed=self.progressed.emit,
            cancelled=partial(self._end, self._stay),
            at_once=True,
            ends=True,
        )

    def _fail(self, sentence: str) -> None:
        self._stay()
        self._desk.say(sentence, offer="Open another folder...", run=self._desk.part(Documents).ask_folder)

    def _stay(self) -> None:
        """What is open stays as it is, also where only a first project is."""
        self._session.settle()
        self._desk.part(Documents).stay()

    def _show(self, opened: Opened) -> None:
        if not self._desk.part(Documents).leave():
            self._stay()
            return
        self._session.rules = opened.rules
        self._session.open(opened.project, opened.document, opened.file, start=opened.start)
        if not opened.is_trace:
            self._desk.settings.add_recent(opened.file or opened.project.path)
        self._tell(opened)
        self._desk.part(Unsaved).offer()

    def _tell(self, opened: Opened) -> None:
        """Say what is worth a sentence about what was read."""
        refusals = self._session.history.refusals if self._session.history else ()
        if refusals:
            count = len(refusals)
            self._desk.say(
                f"{count:,} planned step{'' if count == 1 else 's'} no longer fit{'s' if count == 1 else ''} this "
                f"version of the code: {refusals[0].reason} {'It stays' if count == 1 else 'They stay'} in the plan "
                "without effect"
            )
        elif opened.moved:
            self._desk.say(opened.moved, error=False, offer="Save plan", run=self._save)
        elif opened.note:
            self._desk.say(opened.note)
        elif (report := opened.project.graph.report).notes and not report.languages and opened.project.kind == "folder":
            self._desk.say(report.notes[0], error=False)  # no source code that can be read

    def _save(self) -> None:
        self._desk.part(Documents).save()

    # -- writing -------------------------------------------------------------------------------------------

    def export(self, file: Path) -> None:
        """Write the task list; the suffix decides the format. Raises InputError when that is not possible."""
        project = self._session.project
        if project is None:
            return
        writers = {".csv": to_csv, ".json": self._as_json, ".md": self._as_markdown}
        write = writers.get(file.suffix.lower())
        if write is None:
            raise InputError(f"{file.name} has none of the endings .md, .csv and .json: choose one of them.")
        with replacing(file) as opened:
            opened.write(write(self._tasks()).encode())

    def _tasks(self) -> TaskList:
        """With what people noted, and with rules where these have been looked at by now."""
        figures, session = self._desk.part(PlanJudge).current, self._session
        if figures is not None:
            return figures.listed
        return session.full_task_list()

    def _as_json(self, tasks: TaskList) -> str:
        return to_json(tasks, self._about())

    def _as_markdown(self, tasks: TaskList) -> str:
        return to_markdown(tasks, self._about())

    def _about(self) -> About:
        project, figures = self._session.project, self._desk.part(PlanJudge).current
        assert project is not None
        told = None if figures is None else figures.outcome
        return About(project.name, self._session.plan_name, project.commit, told)

    # -- the renderer --------------------------------------------------------------------------------------

    def load_renderer(self) -> None:
        """Import the renderer in a thread and give it to the canvas; once."""
        if self._asked_for_renderer:
            return
        self._asked_for_renderer = True
        self._load("cbvtool.drawing.renderer", self._take_renderer)  # its libraries take a second to load

    def _take_renderer(self, module: ModuleType) -> None:
        try:
            self._desk.main.stage.set_renderer(module.Renderer(64, 64))
        except InputError as error:
            self._desk.say(str(error))
        # What finds cycles: for 100 ms nothing else in Python gets its turn, which nobody sees while all is still.
        self._load("scipy.sparse.csgraph", lambda _: None)

    def _load(self, module: str, done: Callable[[ModuleType], None]) -> None:
        """Import a library in a thread; that cannot be stopped, and nothing works without it."""
        self._desk.jobs.run(
            self,
            "Loading libraries",
            lambda _: importlib.import_module(module),
            done,
            self._desk.say,
            purpose="load",
            quiet=True,
        )
