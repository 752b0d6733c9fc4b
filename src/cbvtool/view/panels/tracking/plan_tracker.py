"""Follows the plan in the background: what is done of it in commits and saved files since it was made (NEW-3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qtpy.QtCore import QObject, Signal

from cbvtool.graph import Graph
from cbvtool.mining import Processes
from cbvtool.plan.document import Plan
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.tracking import PlanProgress, as_saved, read_progress
from cbvtool.view.desk import Desk

NO_COMMITS = "This subject has no commits, so nothing tells what is done."
NO_PLAN = "Nothing is planned yet. What is planned here can be followed through the commits that carry it out."
PARTIAL = "The folder is still being read."
CANCELLED = "Following the plan was cancelled."
WAITING = "Looking at the commits since the plan was made ..."


class PlanTracker(QObject):
    """Belongs to a window. Works only while it is wanted.

    found   the progress of the plan as it is now; None = not known (yet)
    why     why it is not known
    """

    changed = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._wanted = False
        self._asked: tuple[object, ...] | None = None  # what `found` and `why` are about, or will be
        self.found: PlanProgress | None = None
        self.why = ""
        self._unsubscribe = desk.session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        self._desk.jobs.stop(self)

    def want(self, wanted: bool) -> None:
        """Keep the progress current from now on, or stop that."""
        self._wanted = wanted
        if wanted:
            self._look()
        else:
            self._desk.jobs.drop(self)
            if self.found is None:
                self._asked = None

    def again(self) -> None:
        """Look at the commits anew."""
        self._asked = None
        self._look()

    def _follow(self, what: Change) -> None:
        if self._wanted and what in (Change.PLAN, Change.PROJECT, Change.DEPTH):
            self._look()

    def _look(self) -> None:
        """Follow the plan, unless just that was done or is under way."""
        session = self._desk.session
        project = session.project
        if project is None or session.history is None or project.partial:
            self._settle(None, None, PARTIAL)
            return
        plan = session.plan_choice.plans.current
        asked = (project.path, project.commit, plan.commit, plan.done, project.graph)
        before, found = self._asked or (), self.found
        if asked == before:
            return
        self._desk.jobs.drop(self)
        if found is not None and asked[:-1] == before[:-1]:  # files were saved, and nothing was committed
            self._settle(asked, found, "")
            self._run(asked, lambda _progress: as_saved(found, project.graph))
            return
        if not plan.done:
            self._settle(asked, None, NO_PLAN)
        elif project.kind != "folder" or not project.commit:
            self._settle(asked, None, NO_COMMITS)
        else:
            self._settle(asked, None, WAITING)
            self._start(asked, project.path, plan, project.commit, project.graph)

    def _start(self, asked: tuple[object, ...], path: Path, plan: Plan, at: str, now: Graph) -> None:
        processes = Processes()

        def work(progress: Progress) -> PlanProgress:
            found = read_progress(path, plan, plan.commit, at=at, processes=processes, progress=progress)
            return as_saved(found, now)

        self._run(asked, work, processes)

    def _run(
        self, asked: tuple[object, ...], work: Callable[[Progress], PlanProgress], processes: Processes | None = None
    ) -> None:
        def cancelled() -> None:
            if processes is not None:
                processes.stop()
            if self._asked == asked and self._wanted:
                self._settle(asked, None, CANCELLED)

        self._desk.jobs.run(
            self,
            "Following the plan",
            work,
            lambda found: self._settle(asked, found, ""),
            lambda why: self._settle(asked, None, why),
            cancelled=cancelled,
        )

    def _settle(self, asked: tuple[object, ...] | None, found: PlanProgress | None, why: str) -> None:
        self._asked, self.found, self.why = asked, found, why
        self.changed.emit()
