"""One proposal: operations, what they are worth by the judgement of plans, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.plan import Operation, run
from cbvtool.plan.judgement.figures import Figures, Judgement
from cbvtool.plan.judgement.gains import Worth, worth
from cbvtool.plan.judgement.judged import Asked, Judged, judged
from cbvtool.plan.judgement.modules import DEPTH, PACKAGES, ModuleChoice
from cbvtool.rules import Rules

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
    judgement   the figures before and after; modules are packages, or files for a cycle of files
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

    @property
    def worth(self) -> Worth:
        """What it mends, less what it breaks."""
        return worth(self.judgement)

    @property
    def disruption(self) -> float:
        """Share of all leaves that are moved or removed, 0 to 1."""
        return self.judgement.after.disruption - self.judgement.before.disruption

    @property
    def sites(self) -> int:
        """Places in the source that it makes somebody change."""
        return self.judgement.after.sites - self.judgement.before.sites


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


def judge(graph: Graph, changes: Changes | None, rules: Rules, modules: ModuleChoice = BY_PACKAGES) -> Judge:
    """A judge of steps from `graph`."""
    return Judge(judged(Asked(graph, graph, changes, rules, modules, graph.root)))


def _asked_of(asked: Asked, planned: Graph) -> Asked:
    return Asked(asked.base, planned, asked.changes, asked.rules, asked.modules, asked.root, asked.calls)


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
