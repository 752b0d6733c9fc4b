"""Plans of the open document judged and listed, each as the one that is shown is."""

from __future__ import annotations

from collections.abc import Callable

from cbvtool.assessment.comparing import Alternative, weigh
from cbvtool.assessment.judged import Judged
from cbvtool.plan.document import Plan
from cbvtool.session.planning.judging import question
from cbvtool.session.planning.steps import list_of_tasks
from cbvtool.session.state import State

Weighing = Callable[[Plan, Judged | None], Alternative]


def weighing(state: State) -> Weighing:
    """What judges plans for the code that is open now, on any thread; its second argument is a judgement made before.

    LookupError when nothing is open.
    """
    project, asked = state.project, question(state)

    def weighed(plan: Plan, known: Judged | None) -> Alternative:
        history = plan.history(asked.base)
        return weigh(plan.name, history, asked, lambda steps: list_of_tasks(steps, project, plan.annotations), known)

    return weighed
