"""Following the work tree: what is saved in the open folder is analysed by itself, and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qtpy.QtCore import QObject, QTimer, Signal

from cbvtool.analysis.live import LiveAnalysis
from cbvtool.graph.same import is_same
from cbvtool.progress import Progress
from cbvtool.project import Project, open_again
from cbvtool.session.change import Change
from cbvtool.view.commands.commands import COMMANDS, Command
from cbvtool.view.desk import Desk
from cbvtool.view.window.opening import Opened, Opening, read
from cbvtool.watching.work_tree import changes

_LATER = 300  # ms after which it is tried again, where somebody drags something or a subject is being read


class WorkTree(QObject):
    """Belongs to a window. While it is on, picture, findings and tasks are those of the files as they are saved.

    Plan, selection and camera stay. One analysis follows the other; what is saved meanwhile is in the next one.

    looked  what is shown is what was saved
    """

    looked = Signal()

    def __init__(self, desk: Desk, opening: Opening) -> None:
        super().__init__(desk.widget)
        self._desk, self._session, self._opening = desk, desk.session, opening
        self.is_on = False
        self._stale = False  # something has changed that was not analysed yet
        self._watched: Project | None = None
        self._live = LiveAnalysis()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_LATER)
        self._timer.timeout.connect(self._go_on)
        self._unsubscribe = self._session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self.is_on = False
        self._timer.stop()
        self._live.clear()
        self._unsubscribe()

    @property
    def can_follow(self) -> bool:
        """Whether what is open is a folder."""
        project = self._session.project
        return project is not None and project.kind == "folder"

    def switch(self) -> None:
        """Follow, or follow no more."""
        self.is_on = not self.is_on
        if self.is_on:
            self._watch()
        else:
            self._end()
        self._desk.note("Following what is saved" if self.is_on else "Following no more: F5 analyses again")

    def _follow(self, what: Change) -> None:
        if what == Change.PROJECT and self.is_on:
            self._watch()

    def _end(self) -> None:
        self._desk.jobs.drop(self, "watch")
        self._desk.jobs.drop(self)
        self._timer.stop()
        self._live.clear()
        self._live = LiveAnalysis()  # a job that was dropped may still have the last one
        self._watched, self._stale = None, False

    # -- watching --------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Watch the folder that is open, and no other one."""
        self._end()
        project = self._session.project
        if project is None or project.kind != "folder":
            return
        self._watched = project

        def work(progress: Progress, told: Callable[[str | None], None]) -> None:
            for _ in changes(project.path, told, lambda: progress("", 0, 0)):
                told(None)

        self._desk.jobs.run_in_stages(
            self, f"Watching {project.name}", work, self._told, lambda _: None, self._lose, purpose="watch", quiet=True
        )

    def _told(self, sentence: str | None) -> None:
        """Something has changed, or how it is watched."""
        if sentence is not None:
            self._desk.say(sentence, error=False)
            return
        self._stale = True
        self._go_on()

    def _lose(self, sentence: str) -> None:
        self.is_on = False
        self._end()
        self._desk.say(f"{sentence.rstrip('.')}. Following has ended")

    # -- analysing -------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Analyse what has changed as soon as nothing stands in the way."""
        project = self._session.project
        if not self._stale or project is None or self._desk.jobs.is_busy(self):
            return
        if self._opening.busy or project.partial or self._session.view.drag is not None:
            self._timer.start()
            return
        self._stale = False
        self.freshen(self._opening.how)

    def freshen(self, how: Mapping[str, Any]) -> None:
        """Analyse the open folder as it is now, and show it if it differs; `how` as for `open_project`."""
        project, session, live = self._session.project, self._session, self._live
        assert project is not None

        def work(progress: Progress) -> Opened | None:
            fresh = open_again(project, progress=progress, live=live, **how)
            if fresh.commit == project.commit and is_same(fresh.graph, project.graph):
                return None
            return read(session, fresh, progress, deeper=True)

        def show(opened: Opened | None) -> None:
            if opened is not None and session.project is project:
                if session.view.drag is not None:
                    self._stale = True
                else:
                    session.rules = opened.rules
                    session.deepen(opened.project, opened.start)
                    self._desk.note(opened.note or "Shown as saved")
            if not self._stale:
                self.looked.emit()
            self._go_on()

        self._desk.jobs.run(self, f"Analysing what was saved in {project.name}", work, show, self._fail)

    def _fail(self, sentence: str) -> None:
        self._desk.say(sentence)
        self._go_on()


COMMANDS.add(
    Command(
        "follow",
        "Follow what is saved",
        "File",
        ("Shift+F5",),
        lambda desk: desk.part(WorkTree).switch(),
        lambda desk: desk.part(WorkTree).can_follow,
        tip="Analyse each file as soon as it is saved; plan, selection and camera stay",
        checked=lambda desk: desk.part(WorkTree).is_on,
    ),
    before="export_view",
)
