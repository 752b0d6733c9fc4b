"""Compares two plans of the open document, or a plan with the current code: figures, and the graph that each makes."""

from __future__ import annotations

from collections.abc import Callable

from cbvtool.assessment.comparing import PlanComparison, compare_plans
from cbvtool.graph import Graph
from cbvtool.plan.alternatives.named_plans import AS_IS
from cbvtool.plan.document import Plan
from cbvtool.progress import Progress
from cbvtool.session.alternatives.weighing import weighing
from cbvtool.session.document_file import DocumentFile
from cbvtool.session.state import State


class PlansSideBySide:
    """Returns functions for the slow work, which may run on any thread. `AS_IS` stands for the code without a plan.

    Every method raises InputError for an unknown name of a plan, and LookupError if nothing is open.
    """

    def __init__(self, state: State, file: DocumentFile) -> None:
        self._state = state
        self._file = file

    def comparing(self, first: str, second: str) -> Callable[[Progress], PlanComparison]:
        """A function that judges both plans and lists their tasks."""
        one, other = self._plan(first), self._plan(second)
        weighed = weighing(self._state)

        def work(progress: Progress) -> PlanComparison:
            progress("Judging the plans", 0, 2)
            before = weighed(one, None)
            progress("Judging the plans", 1, 2)
            return compare_plans(before, weighed(other, before.judged))

        return work

    def targets(self, first: str, second: str) -> Callable[[], tuple[Graph, Graph, Graph]]:
        """A function that returns three graphs: the code as it is, and as the first and the second plan make it."""
        one, other, history = self._plan(first), self._plan(second), self._state.history
        assert history is not None
        base = history.base
        return lambda: (base, one.history(base).graph, other.history(base).graph)

    def _plan(self, name: str) -> Plan:
        plans = self._file.plans
        return Plan(AS_IS) if name == AS_IS and name not in plans.names else plans.named(name)
