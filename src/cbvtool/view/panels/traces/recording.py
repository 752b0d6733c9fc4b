"""Records a program on request, in the background, and opens the recording (TR-1)."""

from __future__ import annotations

import threading
from datetime import datetime
from functools import partial
from pathlib import Path

from qtpy.QtCore import QObject

from cbvtool.session.traces.recording import ProgramRun, forget, record_program, usual_place
from cbvtool.trace.record.options import Recorded
from cbvtool.view.desk import Desk
from cbvtool.view.panels.traces.record_dialog import RecordDialog
from cbvtool.view.panels.traces.recording_box import RecordingBox, where
from cbvtool.view.panels.traces.tracing import Tracing
from cbvtool.view.toolkit.type_ahead import run_dialog
from cbvtool.words import one_line


class Recording(QObject):
    """Belongs to a window. One program at a time."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._typed = ""  # the command before
        self._stop = threading.Event()
        self.box: RecordingBox | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a program is being recorded."""
        return self._desk.jobs.is_busy(self)

    def ask(self) -> None:
        """Let the user type what is to be recorded; while a program runs, show that one."""
        if self.is_busy and self.box is not None:
            self.box.show()
            self.box.raise_()
            return
        dialog = self.dialog()
        if run_dialog(dialog, dialog.command) and dialog.wanted is not None:
            self._typed = dialog.command.text()
            self.begin(dialog.wanted)
        dialog.deleteLater()

    def dialog(self) -> RecordDialog:
        """What asks, filled in as far as cbvtool knows."""
        project = self._desk.session.project
        subject = project.path if project is not None and project.kind == "folder" else self._desk.settings.folder
        place = usual_place(subject.name, datetime.now())
        return RecordDialog(self._typed, subject, place, self._desk.widget)

    def begin(self, run: ProgramRun) -> None:
        """Start the program."""
        self._close_box()
        self._stop = stop = threading.Event()
        box = self.box = RecordingBox(run, self._desk.widget)
        box.stopped.connect(stop.set)
        box.discarded.connect(self._desk.jobs.cancel)
        name = one_line(Path(run.command[0]).name)
        self._desk.jobs.run(
            self,
            f"Recording {name}",
            partial(record_program, run, stop),
            partial(self._recorded, run),
            partial(self._failed, run),
            at_once=True,
            ends=True,
            progressed=box.progress,
            cancelled=partial(self._cancelled, run),
        )
        box.show()

    def _recorded(self, run: ProgramRun, done: Recorded) -> None:
        for warning in done.warnings[:1]:
            self._desk.say(warning, error=False)
        status, box = done.status, self.box
        nothing = not any(path.suffix == ".process" for folder in done.folders for path in _inside(folder))
        if box is not None and (nothing or (status and not self._stop.is_set())):
            how = f"status {status}" if status >= 0 else f"signal {-status}"
            box.end(f"The program ended with {how}. What it wrote is kept in {where(run.output)}")
        else:
            self._close_box()
        if not nothing:
            self._desk.part(Tracing).open_file(run.options.folder)

    def _failed(self, run: ProgramRun, why: str) -> None:
        self._close_box()
        self._desk.say(why)

    def _cancelled(self, run: ProgramRun) -> None:
        """The user wants nothing of it."""
        self._close_box()
        forget(run)

    def _close_box(self) -> None:
        if self.box is not None:
            self.box.close()
            self.box.deleteLater()
            self.box = None


def _inside(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
