"""Two plans side by side, or a plan beside the code as it is: figures, tasks, effort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cbvtool.assessment.figures import Figures, Judgement, PlanWork
from cbvtool.assessment.judged import Asked, Judged, judged
from cbvtool.assessment.rows import FigureRow, rows
from cbvtool.plan.history import History
from cbvtool.plan.site_words import count_of_sites
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import TaskList


@dataclass(frozen=True, eq=False)
class Alternative:
    """A plan that is compared: what it comes to.

    name      of the plan; `as-is` for the code without any
    judged    what it is worth
    refusals  why steps are left out, one sentence each
    """

    name: str
    history: History
    listed: TaskList
    judged: Judged

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What it asks people to do."""
        return self.listed.tasks

    @property
    def work(self) -> PlanWork:
        """What the tasks come to."""
        return work_of(self.listed)

    @property
    def refusals(self) -> tuple[str, ...]:
        """Why steps of it are left out on the code as it is now, one sentence each."""
        return tuple(refusal.reason for refusal in self.history.refusals)

    @property
    def judgement(self) -> Judgement:
        """The code as it is, and as planned, with the work that the task list tells."""
        return with_work(self.judged.plan(), self.listed)


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of the code as it is and of two plans, as text; `row` tells whether the second is better."""

    name: str
    as_is: str
    first: str
    second: str
    row: FigureRow


@dataclass(frozen=True, eq=False)
class PlanComparison:
    """Two alternatives.

    figures      side by side; one that one of the graphs lacks is left out
    only_first   tasks that the first asks for, and the second does not; `only_second` the other way round
    both         tasks that both ask for, as the first lists them
    """

    first: Alternative
    second: Alternative
    figures: tuple[ComparedFigure, ...]
    only_first: tuple[Task, ...]
    only_second: tuple[Task, ...]
    both: tuple[Task, ...]


def work_of(listed: TaskList) -> PlanWork:
    """What the tasks of a plan ask people to do."""
    places = count_of_sites(site for task in listed.tasks for site in task.must)
    return PlanWork(places, sum(task.minutes for task in listed.tasks if not task.done))


def with_work(judgement: Judgement, after: TaskList, before: TaskList | None = None) -> Judgement:
    """With the work that the task lists tell; without `before` there was no plan."""
    asked = PlanWork() if before is None else work_of(before)
    return Judgement(replace(judgement.before, work=asked), replace(judgement.after, work=work_of(after)))


def as_it_is(figures: Figures) -> Figures:
    """The figures of the code without a plan, which asks for no work."""
    return replace(figures, work=PlanWork())


def weigh(
    name: str, history: History, asked: Asked, list_tasks: Callable[[History], TaskList], known: Judged | None = None
) -> Alternative:
    """Judge one alternative.

    asked       what its judgement depends on; its graphs are replaced by those of `history`
    list_tasks  lists what a plan comes to
    known       a judgement of the same code, of which what still holds is taken over
    """
    question = replace(asked, base=history.base, planned=history.graph)
    return Alternative(name, history, list_tasks(history), judged(question, known))


def compare_plans(first: Alternative, second: Alternative) -> PlanComparison:
    """Two alternatives for the same code side by side."""
    of_first, of_second = _by_key(first.tasks), _by_key(second.tasks)
    return PlanComparison(
        first,
        second,
        _figures(first, second),
        tuple(task for task in first.tasks if task.key not in of_second),
        tuple(task for task in second.tasks if task.key not in of_first),
        tuple(task for task in first.tasks if task.key in of_second),
    )


def _by_key(tasks: Sequence[Task]) -> set[str]:
    return {task.key for task in tasks}


def _figures(first: Alternative, second: Alternative) -> tuple[ComparedFigure, ...]:
    one, other = first.judgement, second.judgement
    if (one.after.reach is None) != (other.after.reach is None):  # one leaves what depends on what as it is
        as_is = replace(one.before, reach=first.judged.base.reach)
        one = Judgement(as_is, replace(one.after, reach=first.judged.planned.reach))
        other = Judgement(as_is, replace(other.after, reach=second.judged.planned.reach))
    told = {row.name: row for row in rows(one)}
    return tuple(
        ComparedFigure(row.name, told[row.name].before, row.before, row.after, row)
        for row in rows(Judgement(one.after, other.after))
        if row.name in told
    )
