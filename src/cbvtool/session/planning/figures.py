"""What a plan comes to, worked out together and on any thread: its tasks, and its judgement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cbvtool.assessment.comparing import as_it_is, with_work, work_of
from cbvtool.assessment.figures import Figures, Judgement
from cbvtool.assessment.judged import Asked, Judged, judged
from cbvtool.assessment.modules import heading
from cbvtool.assessment.rows import FIRST, FigureRow, outcome, rows
from cbvtool.plan import History
from cbvtool.plan.export import PlanWorth
from cbvtool.plan.listing.annotations import NONE, Annotations
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import TaskList
from cbvtool.project import Project
from cbvtool.session.planning.steps import list_of_tasks


@dataclass(frozen=True, eq=False)
class PlanFigures:
    """What a plan comes to.

    judged    None = another hierarchy is shown, in which nothing is judged
    listed    the tasks, and what people noted about those that are not in the plan any more
    rows      the judgement for people
    earlier   figures of the plan as it was before the last step, with its work; None = nothing is judged
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
    def outcome(self) -> PlanWorth | None:
        """What the plan is worth, for its task list."""
        if self.judged is None:
            return None
        asked = self.judged.asked
        words = heading(asked.base, asked.modules, asked.root, by_calls=asked.calls is not None)
        return outcome(with_work(self.judged.plan(), self.listed), words)

    def step_words(self) -> str:
        """What the last step changes of the figures that stand first: `places to change 0 → 24, tangle 3 → 2`; where
        these stay, of the others: `crossings 16 → 7, effort 1 h → 1 h 5 min`.
        """
        now = None if self.judged is None else self.judged.planned.figures
        if self.earlier is None or now is None:
            places = work_of(self.listed).places
            return f"{places:,} place{'' if places == 1 else 's'} to change"
        told = rows(Judgement(self.earlier, replace(now, work=work_of(self.listed))))
        changed = [row for row in told if row.before != row.after]
        said = [row for row in changed if row.name in FIRST] or changed[:2]
        return ", ".join(f"{row.name} {row.before} → {row.after}" for row in said) or "no figure changes"


def plan_figures(
    history: History,
    project: Project | None,
    asked: Asked | None,
    known: PlanFigures | None = None,
    annotations: Annotations = NONE,
) -> PlanFigures:
    """Work the figures out; `known` are those of an earlier state, from which what still holds is taken."""
    found = list_of_tasks(history, project, annotations, circles=True)
    if asked is None:
        return PlanFigures(history, found, None, (), None)
    before = None if known is None else known.judged
    result = judged(asked, before)
    told = rows(with_work(result.plan(), found))
    return PlanFigures(history, found, result, told, _earlier(history, project, asked, result, known, annotations))


def _earlier(
    history: History,
    project: Project | None,
    asked: Asked,
    result: Judged,
    known: PlanFigures | None,
    annotations: Annotations,
) -> Figures:
    before = history.undo()
    if not before.done:
        return as_it_is(result.base.figures)
    was = None if known is None or known.history.operations != before.operations else known
    listed = list_of_tasks(before, project, annotations) if was is None else was.listed
    if was is not None and was.judged is not None and was.judged.asked.same_base(asked):
        return replace(was.judged.planned.figures, work=work_of(listed))
    return replace(judged(replace(asked, planned=before.graph), result).planned.figures, work=work_of(listed))
