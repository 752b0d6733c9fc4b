"""What a plan comes to: figures before and after, tasks and effort."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.assessment.comparing import with_work, work_of
from cbvtool.assessment.judged import judged
from cbvtool.assessment.rows import FigureRow, rows
from cbvtool.plan.site_words import where
from cbvtool.plan.tasks import TaskList
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.session import Session
from cbvtool.session.planning.steps import list_of_tasks


@dataclass(frozen=True, eq=False)
class PlanOutcome:
    """A plan with what it is worth.

    name      of the plan
    rows      the judgement for people
    refusals  why steps no longer fit, one sentence each
    """

    name: str
    listed: TaskList
    rows: tuple[FigureRow, ...]
    refusals: tuple[str, ...] = ()

    @property
    def minutes(self) -> int:
        """Estimated effort of all tasks that are not done."""
        return work_of(self.listed).minutes

    @property
    def open_tasks(self) -> int:
        """How many tasks are not done."""
        return sum(not task.done for task in self.listed.tasks)

    @property
    def sites(self) -> int:
        """How many different places in the code must change."""
        return work_of(self.listed).places

    @property
    def files(self) -> int:
        """How many files hold them."""
        return len({where(site)[0] for task in self.listed.tasks for site in task.must})


def outcome(session: Session, project: Project, rules: Rules) -> PlanOutcome | None:
    """That of the plan that is open in the session; None = there is none."""
    history, asked = session.history, session.judging.asked
    if history is None or not history.done:
        return None
    listed = list_of_tasks(history, project, session.state.annotations, rules or None, circles=True)
    told = () if asked is None else rows(with_work(judged(asked).plan(), listed))
    refusals = tuple(refusal.reason for refusal in history.refusals)
    return PlanOutcome(session.document_file.plan_name, listed, told, refusals)
