"""A judgement as rows for people: name, before, after, whether that is better, and what the figure means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from cbvtool.assessment.figures import Figures, Judgement
from cbvtool.plan import effort
from cbvtool.plan.export import PlanWorth

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
    key: str
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
    return lambda figures: None if figures.reach is None else getattr(figures.reach, name)


def _work(name: str) -> Callable[[Figures], float | None]:
    return lambda figures: None if figures.work is None else getattr(figures.work, name)


# The first three stand first wherever figures are told; names and keys are the same everywhere.
_FIGURES = (
    _Figure(
        "tangle",
        "tangle",
        lambda f: f.largest,
        _count,
        False,
        "Modules in the largest set of modules that all depend on one another, directly or not.",
    ),
    _Figure(
        "places_to_change",
        "places to change",
        _work("places"),
        _count,
        False,
        "Places in today's code that must change when the plan is carried out, as the task list tells them.",
        cost=True,
    ),
    _Figure(
        "broken_rules",
        "broken rules",
        lambda f: f.violations,
        _count,
        False,
        "Pairs of files that break a rule, once for each rule.",
    ),
    _Figure("modules_in_cycles", "modules in cycles", lambda f: f.tangled, _count, False, "Modules in any tangle."),
    _Figure(
        "crossings", "crossings", lambda f: f.across, _count, False, "Dependencies between files of different modules."
    ),
    _Figure(
        "modularity",
        "modularity Q",
        lambda f: f.modularity,
        _three,
        True,
        "Share of the relations inside modules, less what chance would put there (Leicht and Newman 2008).",
    ),
    _Figure(
        "turbo_mq",
        "TurboMQ",
        lambda f: f.turbo_mq,
        _three,
        True,
        "Sum over modules of the share of their relations that stay inside (Mitchell and Mancoridis 2006).",
    ),
    _Figure(
        "co_change_across",
        "co-change across",
        lambda f: f.co_change,
        _count,
        False,
        "How often two files of different modules changed in one commit of at most 30 files.",
    ),
    _Figure(
        "propagation_cost",
        "propagation cost",
        _reach("propagation_cost"),
        _share,
        False,
        "Share of the files that a change of a file can reach on average (MacCormack, Rusnak and Baldwin 2006).",
    ),
    _Figure(
        "ccd",
        "CCD",
        _reach("ccd"),
        _count,
        False,
        "Sum over files of how many files each one needs, with itself (Lakos 1996).",
    ),
    _Figure(
        "nccd",
        "NCCD",
        _reach("nccd"),
        _three,
        False,
        "CCD as a multiple of that of a balanced binary tree of as many files: above 1 is more tangled (Lakos 1996).",
    ),
    _Figure(
        "feedback",
        "feedback relations",
        _reach("feedback"),
        _count,
        False,
        "Relations between files that run against the best order found: without them there is no cycle (Eades, Lin and "
        "Smyth 1993).",
    ),
    _Figure(
        "effort_minutes",
        "effort",
        _work("minutes"),
        lambda minutes: effort.show(int(minutes)),
        False,
        "Estimate for the tasks of the plan that are not done.",
        cost=True,
    ),
    _Figure(
        "disruption",
        "disruption",
        lambda f: f.disruption,
        _share,
        False,
        "Share of the leaves that the plan has moved or removed so far.",
        cost=True,
    ),
)
FIRST = ("tangle", "places to change", "broken rules")  # names of the figures that stand first
OF_MODULES = frozenset({"tangle", "modules in cycles", "crossings", "modularity Q", "TurboMQ", "co-change across"})
HERE = " here"  # ends the name of a figure that is about the modules around a step
PRICE = "places to change"
UNKNOWN = "…"  # stands for a figure that is being worked out


def rows(judgement: Judgement) -> tuple[FigureRow, ...]:
    """The figures of a judgement, what matters most first and what the plan costs last.

    A figure that one of the two graphs lacks (no rules, no history, nothing cut) is left out.
    """
    return tuple(row for figure in _FIGURES if (row := _row(figure, judgement)) is not None)


def with_pending_price(told: tuple[FigureRow, ...]) -> tuple[FigureRow, ...]:
    """The rows with one for the places to change, which are still being counted."""
    figure = next(each for each in _FIGURES if each.name == PRICE)
    row = FigureRow(figure.name, UNKNOWN, UNKNOWN, "same", figure.explanation, figure.cost)
    return (*told[:1], row, *told[1:]) if all(each.name != PRICE for each in told) else told


def stands_first(row: FigureRow) -> bool:
    """Whether a figure is one of those that stand first, here or for the plan."""
    return row.name.removesuffix(HERE) in FIRST


def told_here(told: tuple[FigureRow, ...]) -> tuple[FigureRow, ...]:
    """The rows of a judgement at the fork of a step (`local.fork_of`): what depends on the modules has another name."""
    return tuple(replace(row, name=f"{row.name}{HERE}") if row.name in OF_MODULES else row for row in told)


def outcome(judgement: Judgement, modules: str) -> PlanWorth:
    """What a plan is worth, for its task list.

    modules   what counts as a module, in words
    """
    told = [row for row in rows(judgement) if row.name in FIRST or row.before != row.after]
    shown = tuple((row.name, row.before, row.after) for row in told)
    return PlanWorth(f"Modules: {modules}", shown, as_data(judgement.before), as_data(judgement.after))


def first_words(figures: Figures) -> str:
    """The figures that stand first, in a line: `tangle 3, broken rules 19`."""
    told = rows(Judgement(figures, figures))
    return ", ".join(f"{row.name} {row.after}" for row in told if row.name in FIRST)


def as_data(figures: Figures) -> dict[str, float | None]:
    """The figures for programs, by their keys; None where there are none: no rules, no history, nothing listed."""
    return {each.key: each.value(figures) for each in _FIGURES}


def _row(figure: _Figure, judgement: Judgement) -> FigureRow | None:
    before, after = figure.value(judgement.before), figure.value(judgement.after)
    if before is None or after is None:
        return None
    texts = figure.text(before), figure.text(after)  # what reads the same is the same
    better = (after > before) is figure.more_is_better
    verdict: Verdict = "same" if texts[0] == texts[1] else "better" if better else "worse"
    return FigureRow(figure.name, *texts, verdict, figure.explanation, figure.cost)
