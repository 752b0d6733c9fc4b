"""Works out in the background what the plan comes to, whenever it changes: for the message and the panel."""

from __future__ import annotations

from dataclasses import replace

from qtpy.QtCore import QObject, Signal

from cbvtool.plan.listing.annotations import NONE, Annotations
from cbvtool.plan.tasks import TaskList
from cbvtool.session.change import Change
from cbvtool.session.planning.figures import PlanFigures, plan_figures
from cbvtool.session.planning.steps import list_of_tasks
from cbvtool.view.desk import Desk


class PlanJudge(QObject):
    """Belongs to a window.

    known   the figures worked out last; None = of nothing yet
    """

    judged = Signal(object)  # PlanFigures

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self.known: PlanFigures | None = None
        self._noted: Annotations = NONE  # with which they were worked out, or are about to be
        self._unsubscribe = desk.session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        self._desk.jobs.stop(self)

    @property
    def current(self) -> PlanFigures | None:
        """The figures of the plan as it is now; None = they are on their way."""
        known = self.known
        return known if known is not None and known.history is self._desk.session.history else None

    def _follow(self, what: Change) -> None:
        history = self._desk.session.history
        if history is None:
            return
        if what == Change.PLAN:
            wanted = self.current is None or (bool(history.done) and self._asks_otherwise)
        elif what == Change.FILE:
            wanted = bool(history.done) and self._desk.session.annotations != self._noted
        else:
            wanted = what == Change.TRACE and bool(history.done) and self._asks_otherwise
        if wanted:
            self.ask()

    @property
    def _asks_otherwise(self) -> bool:
        """Whether the judgement that is known goes by other rules, modules or calls than it should now."""
        asked, known = self._desk.session.judging.asked, self.known
        judged = None if known is None else known.judged
        return asked is not None and judged is not None and not judged.asked.same_base(asked)

    def ask(self) -> None:
        """Work them out."""
        session, known = self._desk.session, self.known
        history = session.history
        if history is None:
            return
        project, asked, noted = session.project, session.judging.asked, session.annotations
        self._noted = noted
        self._desk.jobs.run(
            self,
            "Judging the plan",
            lambda _: plan_figures(history, project, asked, known, noted),
            self._take,
            self._desk.say,
        )

    def _take(self, found: PlanFigures) -> None:
        session = self._desk.session
        if found.judged is not None:
            session.judging.prepared(found.judged)
        if found.history is session.history:
            self.known = found
            self.judged.emit(found)
            self._check_rules(found)

    def _check_rules(self, found: PlanFigures) -> None:
        """Find out which rules each task mends and breaks: one look at the whole graph for each of them."""
        session = self._desk.session
        rules, project, noted = session.rules, session.project, session.annotations
        if not rules or not found.tasks:
            return

        def done(checked: TaskList) -> None:
            if self.known is found:
                self.known = replace(found, listed=checked)
                self.judged.emit(self.known)

        self._desk.jobs.run(
            self,
            "Checking tasks against the rules",
            lambda _: list_of_tasks(found.history, project, noted, rules, circles=True),
            done,
            self._desk.say,
            purpose="rules",
        )

    def annotate(self, annotations: Annotations) -> None:
        """Keep what people noted about the tasks, and list these anew."""
        self._desk.session.annotate(annotations)
