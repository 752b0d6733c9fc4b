"""One proposal: operations, what they are worth by the judgement of plans, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cbvtool.assessment.figures import Figures, Judgement
from cbvtool.assessment.gains import Worth, worth
from cbvtool.assessment.judged import Asked, Judged, judged
from cbvtool.assessment.modules import DEPTH, PACKAGES, ModuleChoice
from cbvtool.findings.finding import Examined
from cbvtool.graph import Graph
from cbvtool.plan import Operation, run

ProposalKind = Literal["break-cycle", "move", "place", "cluster"]
BY_PACKAGES = ModuleChoice(PACKAGES, tests=False)
BY_FILES = ModuleChoice(DEPTH, 10**6, tests=False)  # no module is finer than a file
_LEAST = 1e-12  # a smaller difference of Q is one of rounding


@dataclass(frozen=True)
class Proposal:
    """Operations that may be done as one step of a plan.

    kind        what it is for
    title       what is done, as an order in words
    reason      why, in words
    operations  in order, on the graph that was asked about
    judgement   the figures before and after by which it was found: of its modules, or of files for a cycle of files
    told        the figures before and after for people: of the modules and with the work of the plan that it is added
                to, as the plan will have them; None = they are not worked out
    ends        it ends the cycle that it was asked for
    moves       (node, target) keys: what goes where, to be drawn
    edges       rows of the relations that end with it
    """

    kind: ProposalKind
    title: str
    reason: str
    operations: tuple[Operation, ...]
    judgement: Judgement
    moves: tuple[tuple[int, int], ...] = ()
    edges: tuple[int, ...] = ()
    told: Judgement | None = None
    ends: bool = False

    @property
    def worth(self) -> Worth:
        """What it mends, less what it breaks."""
        return worth(self.judgement)

    @property
    def disruption(self) -> float:
        """Share of all leaves that are moved or removed, 0 to 1."""
        return self.judgement.after.disruption - self.judgement.before.disruption

    @property
    def estimate(self) -> int:
        """About how many more places in the source must change, by the relations alone: what it is ranked by."""
        return self.judgement.after.estimate - self.judgement.before.estimate


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges steps from one graph as a plan is judged: with the same formulae, by one choice of modules."""

    of: Judged

    @property
    def graph(self) -> Graph:
        """That the steps start from."""
        return self.of.planned.graph

    @property
    def figures(self) -> Figures:
        """As they are."""
        return self.of.planned.figures

    def tried(self, operations: Sequence[Operation]) -> Judgement | None:
        """The figures before and after a step; None if it is refused."""
        return self.of.step(*operations)

    def after(self, operations: Sequence[Operation]) -> Judge | None:
        """A judge of steps that start from the graph after these; None if one of them is refused."""
        done = run(self.graph, operations)
        return None if done.refusals else Judge(judged(_asked_of(self.of.asked, done.graph), self.of))

    def recomputed(self, operations: Sequence[Operation]) -> Judgement | None:
        """The same as `tried`, worked out anew from the whole graph after them."""
        follower = self.after(operations)
        return None if follower is None else Judgement(self.figures, follower.figures)


def judge(examined: Examined, modules: ModuleChoice | None = None) -> Judge:
    """A judge of steps from the graph that is examined, by its modules or by others."""
    base = examined.base or examined.graph
    choice = examined.choice if modules is None else replace(modules, tests=examined.tests)
    return Judge(judged(Asked(base, examined.graph, examined.changes, examined.rules, choice, base.root)))


def _asked_of(asked: Asked, planned: Graph) -> Asked:
    return replace(asked, planned=planned)


def makes_nothing_worse(judgement: Judgement) -> bool:
    """Whether no figure in `Worth` is worse after than before: violations, modules in cycles, the largest tangle."""
    before, after = judgement.before, judgement.after
    return (
        (after.violations or 0) <= (before.violations or 0)
        and after.tangled <= before.tangled
        and after.largest <= before.largest
    )


def betters(judgement: Judgement) -> bool:
    """Whether it mends violations or cycles and makes nothing worse, or betters Q and leaves them as they are."""
    before, after = judgement.before, judgement.after
    if not makes_nothing_worse(judgement):
        return False
    mended = ((before.violations or 0), before.tangled, before.largest) != (
        (after.violations or 0),
        after.tangled,
        after.largest,
    )
    return mended or after.modularity > before.modularity + _LEAST


def distinct(found: Iterable[Proposal]) -> list[Proposal]:
    """Those that are no other step than one before them."""
    first: dict[tuple[Operation, ...], Proposal] = {}
    for one in found:
        first.setdefault(one.operations, one)
    return list(first.values())
