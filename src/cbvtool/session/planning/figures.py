"""What a plan comes to, worked out together and on any thread: its tasks, and its judgement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cbvtool.plan import History
from cbvtool.plan.alternatives.comparing import with_sites
from cbvtool.plan.judgement.figures import Figures
from cbvtool.plan.judgement.judged import Asked, Judged, judged
from cbvtool.plan.judgement.rows import FigureRow, rows
from cbvtool.plan.listing.annotations import NONE, Annotations
from cbvtool.plan.site_words import count_of_sites
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import TaskList
from cbvtool.project import Project
from cbvtool.session.planning.step_words import tasks_of_step
from cbvtool.session.planning.steps import list_of_tasks


@dataclass(frozen=True, eq=False)
class PlanFigures:
    """What a plan comes to.

    judged    None = another hierarchy is shown, in which nothing is judged
    listed    the tasks, and what people noted about those that are not in the plan any more
    rows      the judgement for people
    earlier   figures of the plan as it was before the last step; None = as `judged`
    """

    history: History
    listed: TaskList
    judged: Judged | None
    rows: tuple[FigureRow, ...]
    earlier: Figures | None

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What is to be done."""
        return self.listed.tasks

    @property
    def sites_of_step(self) -> int:
        """How many places in the code the last step asks to change."""
        return count_of_sites(site for task in tasks_of_step(self.tasks, self.history) for site in task.must)

    def step_words(self) -> str:
        """What the last step costs and changes: `24 sites, violations +0`."""
        sites = self.sites_of_step
        said = [f"{sites:,} site{'' if sites == 1 else 's'}"]
        before, now = self.earlier, None if self.judged is None else self.judged.planned.figures
        if before is None or now is None:
            return said[0]
        if now.violations is not None and before.violations is not None:
            said.append(f"violations {_signed(now.violations - before.violations)}")
        if now.largest != before.largest:
            said.append(f"largest tangle {before.largest:,} → {now.largest:,}")
        return ", ".join(said)


def _signed(difference: int) -> str:
    return f"{'−' if difference < 0 else '+'}{abs(difference):,}"


def plan_figures(
    history: History,
    project: Project | None,
    asked: Asked | None,
    known: PlanFigures | None = None,
    annotations: Annotations = NONE,
) -> PlanFigures:
    """Work the figures out; `known` are those of an earlier state, from which what still holds is taken."""
    found = list_of_tasks(history, project, annotations)
    if asked is None:
        return PlanFigures(history, found, None, (), None)
    before = None if known is None else known.judged
    result = judged(asked, before)
    told = rows(with_sites(result.plan(), found)) if history.done else ()
    return PlanFigures(history, found, result, told, _earlier(history, asked, result, known))


def _earlier(history: History, asked: Asked, result: Judged, known: PlanFigures | None) -> Figures | None:
    before = history.undo()
    if not before.done:
        return result.base.figures
    was = None if known is None or known.history.operations != before.operations else known.judged
    if was is not None and was.asked.same_base(asked):
        return was.planned.figures
    return judged(replace(asked, planned=before.graph), result).planned.figures
