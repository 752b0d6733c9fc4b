"""A judgement as rows for people: name, before, after, whether that is better, and what the figure means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cbvtool.plan.judgement.figures import Figures, Judgement

Verdict = Literal["better", "worse", "same"]
SIGNS: dict[Verdict, str] = {"better": "+", "worse": "−", "same": ""}


@dataclass(frozen=True)
class FigureRow:
    """One figure of a judgement.

    before, after   as text
    verdict         whether `after` is better; never to be told by a colour alone: `SIGNS`
    cost            it tells what the plan costs, not what it is worth: more is worse, but is the price of anything else
    """

    name: str
    before: str
    after: str
    verdict: Verdict
    explanation: str
    cost: bool = False

    @property
    def sign(self) -> str:
        """`+` for better, `−` for worse, nothing otherwise."""
        return SIGNS[self.verdict]


@dataclass(frozen=True)
class _Figure:
    name: str
    value: Callable[[Figures], float | None]
    text: Callable[[float], str]
    more_is_better: bool
    explanation: str
    cost: bool = False


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _reach(name: str) -> Callable[[Figures], float | None]:
    return lambda figures: None if figures.reach is None else float(getattr(figures.reach, name))


_FIGURES = (
    _Figure(
        "violations", lambda f: f.violations, _count, False, "Pairs of files that break a rule, once for each rule."
    ),
    _Figure(
        "largest tangle",
        lambda f: f.largest,
        _count,
        False,
        "Modules in the largest set of modules that all depend on one another, directly or not.",
    ),
    _Figure("modules in cycles", lambda f: f.tangled, _count, False, "Modules in any such set."),
    _Figure(
        "modularity Q",
        lambda f: f.modularity,
        _three,
        True,
        "Share of the relations inside modules, less what chance would put there (Leicht and Newman 2008).",
    ),
    _Figure(
        "TurboMQ",
        lambda f: f.turbo_mq,
        _three,
        True,
        "Sum over modules of the share of their relations that stay inside (Mitchell and Mancoridis 2006).",
    ),
    _Figure("relations across", lambda f: f.across, _count, False, "Dependencies between files of different modules."),
    _Figure(
        "co-change across",
        lambda f: f.co_change,
        _count,
        False,
        "How often two files of different modules changed in one commit of at most 30 files.",
    ),
    _Figure(
        "propagation cost",
        _reach("propagation_cost"),
        _share,
        False,
        "Share of the files that a change of a file can reach on average (MacCormack, Rusnak and Baldwin 2006).",
    ),
    _Figure(
        "CCD",
        _reach("ccd"),
        _count,
        False,
        "Sum over files of how many files each one needs, with itself (Lakos 1996).",
    ),
    _Figure(
        "NCCD",
        _reach("nccd"),
        _three,
        False,
        "CCD as a multiple of that of a balanced binary tree of as many files: above 1 is more tangled (Lakos 1996).",
    ),
    _Figure(
        "feedback relations",
        _reach("feedback"),
        _count,
        False,
        "Relations between files that run against the best order found: without them there is no cycle (Eades, Lin and "
        "Smyth 1993).",
    ),
    _Figure(
        "sites to change",
        lambda f: f.sites,
        _count,
        False,
        "Places in today's code that name what the plan moves, renames, removes or cuts off; during a drag those that "
        "the relations tell, later those of the task list, which reads the code.",
        cost=True,
    ),
    _Figure(
        "disruption",
        lambda f: f.disruption,
        _share,
        False,
        "Share of the leaves that the plan has moved or removed so far.",
        cost=True,
    ),
)


def rows(judgement: Judgement) -> tuple[FigureRow, ...]:
    """The figures of a judgement, what matters most first and what the plan costs last.

    A figure that one of the two graphs lacks (no rules, no history, nothing cut) is left out.
    """
    return tuple(row for figure in _FIGURES if (row := _row(figure, judgement)) is not None)


def _row(figure: _Figure, judgement: Judgement) -> FigureRow | None:
    before, after = figure.value(judgement.before), figure.value(judgement.after)
    if before is None or after is None:
        return None
    texts = figure.text(before), figure.text(after)  # what reads the same is the same
    better = (after > before) is figure.more_is_better
    verdict: Verdict = "same" if texts[0] == texts[1] else "better" if better else "worse"
    return FigureRow(figure.name, *texts, verdict, figure.explanation, figure.cost)
