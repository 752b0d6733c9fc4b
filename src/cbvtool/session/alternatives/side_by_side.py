"""Two plans of the open document side by side, or one and the code as it is: figures, and what each would make."""

from __future__ import annotations

from collections.abc import Callable

from cbvtool.graph import Graph
from cbvtool.plan.alternatives.comparing import PlanComparison, compare_plans
from cbvtool.plan.alternatives.named_plans import AS_IS
from cbvtool.plan.document import Plan
from cbvtool.progress import Progress
from cbvtool.session.alternatives.weighing import weighing
from cbvtool.session.document_file import DocumentFile
from cbvtool.session.state import State


class PlansSideBySide:
    """Prepares what takes long, for any thread. The names are those of plans; `AS_IS` is the code without any.

    Every method raises InputError for a name that no plan has, and LookupError when nothing is open.
    """

    def __init__(self, state: State, file: DocumentFile) -> None:
        self._state = state
        self._file = file

    def comparing(self, first: str, second: str) -> Callable[[Progress], PlanComparison]:
        """What judges both and lists their tasks."""
        one, other = self._plan(first), self._plan(second)
        weighed = weighing(self._state)

        def work(progress: Progress) -> PlanComparison:
            progress("Judging the plans", 0, 2)
            before = weighed(one, None)
            progress("Judging the plans", 1, 2)
            return compare_plans(before, weighed(other, before.judged))

        return work

    def targets(self, first: str, second: str) -> Callable[[], tuple[Graph, Graph, Graph]]:
        """What tells the code as it is, as the first plan makes it, and as the second does."""
        one, other, history = self._plan(first), self._plan(second), self._state.history
        assert history is not None
        base = history.base
        return lambda: (base, one.history(base).graph, other.history(base).graph)

    def _plan(self, name: str) -> Plan:
        plans = self._file.plans
        return Plan(AS_IS) if name == AS_IS and name not in plans.names else plans.named(name)
