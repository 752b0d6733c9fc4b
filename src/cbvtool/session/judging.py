"""Judgement of the plan, and of a step that is about to be made. Knows no Qt, and starts no thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from cbvtool.geometry.scene.scene import NO_RULES
from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.plan.draft import Draft
from cbvtool.plan.judgement.after import compare, judge
from cbvtool.plan.judgement.figures import Judgement
from cbvtool.plan.judgement.modules import Modules
from cbvtool.plan.judgement.prepared import Coupled, Prepared, coupled, prepare
from cbvtool.plan.lower import Refused, lower
from cbvtool.plan.operations import Operation
from cbvtool.rules import Rules
from cbvtool.session.picture import changes_of
from cbvtool.session.state import State


@dataclass(frozen=True, eq=False)
class Asked:
    """All that a judgement of a plan depends on; root: key of the node the view is restricted to."""

    base: Graph
    planned: Graph
    changes: Changes | None
    rules: Rules
    modules: Modules
    root: int

    def same_subject(self, other: Asked) -> bool:
        """Whether another one is about the same code with the same history."""
        return self.base is other.base and self.changes is other.changes

    def same_base(self, other: Asked) -> bool:
        """Whether it also asks for the same of the code as it is."""
        ways = (self.rules, self.modules, self.root) == (other.rules, other.modules, other.root)
        return ways and self.same_subject(other)


@dataclass(frozen=True, eq=False)
class Judged:
    """What was prepared for a question: the code as it is, and as planned."""

    asked: Asked
    coupled: Coupled | None
    base: Prepared
    planned: Prepared

    def plan(self) -> Judgement:
        """What the plan is worth; takes longer where it changes what files depend on each other."""
        return compare(self.base, self.planned)

    def step(self, operation: Operation) -> Judgement | None:
        """What one more step would be worth; None if it is refused."""
        try:
            primitives = lower(operation, Draft(self.planned.graph))
        except Refused:
            return None
        return judge(self.planned, primitives)


def judged(asked: Asked, before: Judged | None = None) -> Judged:
    """Prepare a judgement; what `before` holds is taken over as far as it is about the same."""
    same = before is not None and before.asked.same_subject(asked)
    together = before.coupled if before is not None and same else coupled(asked.base, asked.changes)
    root = asked.root if asked.root < len(asked.base) else asked.base.root
    if before is not None and before.asked.same_base(asked):
        base = before.base
    else:
        base = prepare(asked.base, asked.base, asked.rules, asked.modules, root=root, coupled=together)
    if asked.planned is asked.base:
        return Judged(asked, together, base, base)
    planned = prepare(asked.base, asked.planned, asked.rules, asked.modules, root=asked.root, coupled=together)
    return Judged(asked, together, base, planned)


class Judging:
    """Knows whether the present plan has been prepared for, and what is to be prepared.

    The preparing takes some tenths of a second for large graphs: whoever shows a judgement runs `preparing` on another
    thread and hands the result to `prepared`. A step is judged from there within milliseconds.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._judged: Judged | None = None

    @property
    def asked(self) -> Asked | None:
        """What a judgement of the present plan depends on; None = there is nothing to judge."""
        state = self._state
        if state.history is None or state.view.hierarchy:
            return None
        history, view = state.history, state.view
        return Asked(
            history.base, history.graph, changes_of(state.project), state.rules or NO_RULES, view.modules, view.root
        )

    @property
    def ready(self) -> Judged | None:
        """What was prepared for the present plan; None = nothing yet."""
        asked, found = self.asked, self._judged
        if asked is None or found is None:
            return None
        return found if found.asked.same_base(asked) and found.asked.planned is asked.planned else None

    def preparing(self) -> Callable[[], Judged] | None:
        """What prepares for the present plan, on any thread; None = that is done, or there is nothing to judge."""
        asked = self.asked
        if asked is None or self.ready is not None:
            return None
        return partial(judged, asked, self._judged)

    def prepared(self, found: Judged) -> None:
        """Keep what was prepared; `ready` says whether it still is about the present plan."""
        self._judged = found
