"""A plan judged: what is worked out once for a plan, then asked about it and about each further step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cbvtool.assessment.after import compare, judge
from cbvtool.assessment.figures import Judgement
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.prepared import Coupled, PreparedGraph, coupled, prepare
from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.plan.draft import Draft
from cbvtool.plan.lower import Refused, lower
from cbvtool.plan.operations import Operation
from cbvtool.plan.primitives import Primitive
from cbvtool.progress import checkpoint
from cbvtool.rules import Rules
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.trace.overlay.weighed import weighed, weights_kept


@dataclass(frozen=True, eq=False)
class Asked:
    """All that a judgement of a plan depends on.

    root   key of the node the view is restricted to
    fork   see `modules_in`
    calls  dependencies weigh the calls that went along them (NEW-7); None = they weigh as they do in the code
    """

    base: Graph
    planned: Graph
    changes: Changes | None
    rules: Rules
    modules: ModuleChoice
    root: int
    calls: RunTime | None = None
    fork: int | None = None

    def same_subject(self, other: Asked) -> bool:
        """Whether another one is about the same code with the same history."""
        known, history = self.changes, other.changes
        return self.base is other.base and (known is history or (known is not None and known.alike(history)))

    def same_base(self, other: Asked) -> bool:
        """Whether it also asks for the same of the code as it is."""
        mine, others = ((one.rules, one.modules, one.root, one.fork) for one in (self, other))
        return mine == others and self.calls is other.calls and self.same_subject(other)


@dataclass(frozen=True, eq=False)
class Judged:
    """What was prepared for a question: the code as it is, and as planned."""

    asked: Asked
    coupled: Coupled | None
    base: PreparedGraph
    planned: PreparedGraph

    def plan(self) -> Judgement:
        """What the plan is worth; takes longer where it changes what files depend on each other."""
        return compare(self.base, self.planned)

    def step(self, *operations: Operation) -> Judgement | None:
        """What one more step would be worth, which consists of these; None if it is refused."""
        primitives = lowered(self.planned.graph, operations)
        return None if primitives is None else judge(self.planned, primitives)


def lowered(graph: Graph, operations: Sequence[Operation]) -> list[Primitive] | None:
    """What a step does to `graph`; None if it is refused."""
    draft = Draft(graph)
    primitives: list[Primitive] = []
    try:
        for operation in operations:
            parts = lower(operation, draft)
            primitives += parts
            if operation is not operations[-1]:
                for primitive in parts:
                    draft.apply(primitive)
    except Refused:
        return None
    return primitives


def judged(asked: Asked, before: Judged | None = None) -> Judged:
    """Prepare a judgement; what `before` holds is taken over as far as it is about the same."""
    same = before is not None and before.asked.same_subject(asked)
    together = before.coupled if before is not None and same else coupled(asked.base, asked.changes)
    root = asked.root if asked.root < len(asked.base) else asked.base.root
    if before is not None and before.asked.same_base(asked):
        base = before.base
    else:
        code = asked.base if asked.calls is None else weighed(asked.base, asked.calls)
        base = prepare(code, code, asked.rules, asked.modules, root=root, fork=asked.fork, coupled=together)
    checkpoint()
    if asked.planned is asked.base:
        return Judged(asked, together, base, base)
    target = asked.planned if asked.calls is None else weights_kept(asked.planned, base.graph, asked.base)
    planned = prepare(
        base.graph, target, asked.rules, asked.modules, root=asked.root, fork=asked.fork, coupled=together
    )
    return Judged(asked, together, base, planned)
