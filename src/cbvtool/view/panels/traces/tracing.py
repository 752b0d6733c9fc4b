"""Opening traces, and finding out what their windows of time show: in the background, the latest wins."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from qtpy.QtCore import QObject, Signal

from cbvtool.metrics.run_time import CALLS, COVERAGE, SELF_TIME
from cbvtool.plan.document import TraceFile
from cbvtool.session.change import Change
from cbvtool.session.traces.files import Imported, changed, imported, is_recording, knowing_own_roles, recording_around
from cbvtool.session.traces.traces import FocusFound
from cbvtool.trace.model.focus import Focus
from cbvtool.view.desk import Desk
from cbvtool.view.panels.traces.traces_panel import TracesPanel
from cbvtool.view.toolkit.file_dialogs import ask_trace, ask_trace_folder
from cbvtool.view.toolkit.plain import Buttons, Roles, message_box
from cbvtool.words import one_line

FIND, LEAVE_OUT = "find", "leave out"
_READ, _FIND = "read", "find"  # purposes of jobs


class Tracing(QObject):
    """Belongs to a window. alone: a recording is to be opened while nothing is open that it could be laid over."""

    alone = Signal(object)  # Path

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session, self._traces = desk, desk.session, desk.session.traces
        self._next: Path | None = None  # the recording to open as soon as the subject is open
        self._asked: set[TraceFile] = set()  # that were looked for since the document was opened

    def install(self) -> None:
        """Follow the session."""
        self._unsubscribe = self._session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()

    def _follow(self, what: Change) -> None:
        if what == Change.PROJECT:
            self._asked.clear()
            self._desk.jobs.drop(self, _READ)
            self._desk.jobs.drop(self, _FIND)
            if self._next is not None and self._session.is_open:
                path, self._next = self._next, None
                self.open_file(path)
        elif what == Change.TRACE:
            self._find()
            self._read_missing()

    # -- opening ---------------------------------------------------------------------------------------------

    def takes(self, path: Path) -> bool:
        """Whether a file or folder that was dropped is a recording to be laid over what is open."""
        return self._session.is_open and is_recording(path)

    def ask(self) -> None:
        """Let the user choose a recording."""
        if (chosen := ask_trace(self._desk.settings.folder, self._desk.widget)) is not None:
            self._desk.settings.folder = chosen.parent
            self.open_file(recording_around(chosen))

    def ask_folder(self) -> None:
        """Let the user choose a folder with a recording."""
        if (chosen := ask_trace_folder(self._desk.settings.folder, self._desk.widget)) is not None:
            self._desk.settings.folder = chosen.parent
            self.open_file(chosen)

    def open_next(self, path: Path) -> None:
        """Open a recording once the subject that is being read is there."""
        self._next = path

    def open_file(self, path: Path, instead: TraceFile | None = None) -> None:
        """Read a recording in the background, then show it.

        instead   the file named in the document that this recording replaces
        """
        if not self._session.is_open:
            self._next = path
            self.alone.emit(path)
            return
        project = self._session.project
        root = project.path if project is not None and project.kind == "folder" else None
        self._desk.jobs.run(
            self,
            f"Reading {one_line(path.name) or path}",
            lambda progress: knowing_own_roles(imported(path, progress), root),
            partial(self._opened, instead),
            self._desk.say,
            purpose=_READ,
            at_once=True,
            ends=True,
        )

    def _opened(self, instead: TraceFile | None, found: Imported) -> None:
        if not self._session.is_open:
            return
        name = one_line(found.file.path.name)
        self._desk.note(f"Opened {name}")
        for note in found.notes:
            self._desk.say(note)
        self._traces.add(found, instead)
        self._desk.show(TracesPanel)

    # -- files of the document -------------------------------------------------------------------------------

    def _read_missing(self) -> None:
        """Read the next file that the document names; ask about one that is not there."""
        waiting = [file for file in self._traces.missing if file not in self._asked]
        if not waiting or self._desk.jobs.is_busy(self, _READ):
            return
        file = waiting[0]
        self._asked.add(file)
        if not file.path.exists():
            self.ask_where(file)
        elif changed(file):
            self._desk.say(
                f"{one_line(file.path.name)} changed since it was opened for this plan: it is read as it is now",
                error=False,
            )
            self.open_file(file.path, file)
        else:
            self.open_file(file.path, file)

    def ask_where(self, file: TraceFile) -> None:
        """Say that a trace of the document is not there, and offer to find it or to leave it out."""
        self._desk.say(
            f"The trace {one_line(file.path.name)} of this plan is not at {one_line(str(file.path.parent))}",
            offer="Find it, or leave it out...",
            run=partial(self._decide, file),
        )

    def _decide(self, file: TraceFile) -> None:
        answer = self.ask_missing(file)
        if answer == FIND:
            name = one_line(file.path.name)
            if (
                chosen := ask_trace(self._desk.settings.folder, self._desk.widget, f"Where is {name} now?")
            ) is not None:
                self.open_file(chosen, file)
        elif answer == LEAVE_OUT:
            self._traces.leave_out(file)

    def ask_missing(self, file: TraceFile) -> str:
        """What to do about a trace that is not there: FIND, LEAVE_OUT or nothing (empty)."""
        box = message_box(
            self._desk.widget,
            "cbvtool",
            f"{one_line(file.path.name)} is not where it was.",
            "It was deleted, moved or renamed. The plan and the view are kept either way.",
        )
        find = box.addButton("Find...", Roles.AcceptRole)
        leave = box.addButton("Leave it out", Roles.DestructiveRole)
        cancel = box.addButton(Buttons.Cancel)
        box.setDefaultButton(find)
        box.setEscapeButton(cancel)
        box.exec_()
        box.deleteLater()
        return {find: FIND, leave: LEAVE_OUT}.get(box.clickedButton(), "")

    # -- windows of time -------------------------------------------------------------------------------------

    def _find(self) -> None:
        """Find out what the present focus shows; while that is under way, the next one waits for it."""
        if not self._traces.is_wanted or self._desk.jobs.is_busy(self, _FIND):
            return
        prepare = self._traces.prepare()
        self._desk.jobs.run(
            self,
            "Adding up the calls of the trace",
            prepare,
            self._take,
            self._desk.say,
            purpose=_FIND,
            cancelled=self._stay,
        )

    def _take(self, found: FocusFound) -> None:
        self._traces.take(found)
        self._find()

    def _stay(self) -> None:
        """Cancelled: the picture stays as it is, and so does the window of time."""
        if (found := self._traces.found) is not None:
            self._traces.look_at(found.focus)

    def show_whole(self) -> None:
        """Show all of the trace."""
        focus = self._traces.focus
        self._traces.look_at(Focus(focus.trace, None, focus.threads))

    # -- styles ----------------------------------------------------------------------------------------------

    def show_calls(self) -> None:
        """Heights by calls, colours by self time, thickness by calls."""
        session = self._desk.here.session
        if session.view.mapping.color == COVERAGE:
            session.map("color_map", self._session.usual_mapping.color_map)
        for field, value in (("height", CALLS), ("color", SELF_TIME), ("thickness", "calls")):
            session.map(field, value)

    def show_coverage(self) -> None:
        """Colours by coverage, without alarming ones: high coverage is good and must not look like a fault."""
        session = self._desk.here.session
        session.map("color", COVERAGE)
        session.map("color_map", "cividis")
