"""The first screen: what got worse since then, what it would take, and the figures that matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from markupsafe import Markup

from cbvtool.metrics.history.last_change import day
from cbvtool.plan import effort
from cbvtool.plan.task import counted
from cbvtool.report.figures import SIGNS, difference
from cbvtool.report.gathered import Gathered
from cbvtool.report.markup import Content, element, joined, table
from cbvtool.report.planned import PlanOutcome
from cbvtool.report.remedies import Remedy
from cbvtool.report.trend import shown

MOST = 4  # rows
SHORT = 7  # characters of an id
_TILES = ("files", "sloc", "cycles", "cyclic_files", "violations", "density")
_HEADS = ("#Lines", "#Files", "#Effort")


def first_screen(one: Gathered) -> Markup:
    """The section."""
    rows, caption, head = _rows(one)
    parts: list[Content] = [element("h2", verdict_words(one), id="answer")]
    if rows:
        parts.append(table(caption, (head, "What to do", *_HEADS), rows, id="worse-now"))
    if rows and (more := (len(one.worse) if one.worse else len(one.found)) - MOST) > 0:
        where = element("a", "below", href="#trend" if one.worse else "#findings")
        parts.append(element("p", f"{more:,} more ", where, ".", class_="more"))
    if one.plan is not None:
        parts.append(
            element("p", plan_words(one.plan), " ", element("a", "Its tasks", href="#plan"), ".", id="plan-now")
        )
    parts.append(_tiles(one))
    return element("section", *parts, id="summary", aria_labelledby="answer")


def verdict_words(one: Gathered) -> str:
    """The answer in a sentence or two."""
    if one.trend is None:
        cost = effort.show(total(one.remedy(each) for each in one.found))
        return (
            f"{counted(len(one.found), 'finding')} in {one.project.name}; mending its cycles and broken rules would "
            f"take about {cost}."
            if one.found
            else f"Nothing stands out in {one.project.name}."
        )
    begin = day(one.trend.begin.time)
    worse, better = len(one.worse), len(one.better)
    if not worse:
        good = f"{counted(better, 'thing')} got better" if better else "nothing got better"
        return f"Since {begin}, nothing got worse and {good}."
    cost = effort.show(total(remedy for _, remedy in one.worse))
    good = f"{better:,} got better" if better else "none got better"
    known = sum(bool(remedy.minutes) for _, remedy in one.worse)
    which = "it" if known == worse else "the cycles and broken rules among them"
    take = f" Mending {which} would take about {cost}." if known else ""
    return f"Since {begin}, {counted(worse, 'thing')} got worse and {good}.{take}"


def plan_words(plan: PlanOutcome) -> str:
    """What a plan asks for and brings, in a sentence."""
    said = ""
    for verdict in ("better", "worse"):
        rows = [row for row in plan.rows if row.verdict == verdict and not row.cost][:MOST]
        told = ", ".join(f"{row.name} {row.before} → {row.after}" for row in rows)
        said += f" {verdict.capitalize()}: {told}." if rows else ""
    return (
        f"“{plan.name}” asks for {counted(plan.open_tasks, 'task')} with {counted(plan.sites, 'place')} in "
        f"{counted(plan.files, 'file')}: about {effort.show(plan.minutes)}.{said}"
    )


def total(remedies: Iterable[Remedy]) -> int:
    """Minutes of all; what two regressions share is counted once."""
    return sum(each.minutes for each in dict.fromkeys(remedies))


def cells(remedy: Remedy) -> Iterator[Content]:
    """What to do, lines that name the dependencies to end, files and effort."""
    yield remedy.advice
    if remedy.minutes:
        yield from (remedy.sites, remedy.files, effort.show(remedy.minutes))
    else:
        yield from ("–", "–", "not estimated")


def _rows(one: Gathered) -> tuple[list[tuple[Content, ...]], str, str]:
    """(rows, caption, head of the first column)."""
    if one.worse:
        rows = [(what, *cells(remedy)) for what, remedy in one.worse[:MOST]]
        return rows, "What got worse, and what it would take", "What got worse"
    rows = [(each.title, *cells(one.remedy(each))) for each in one.found[:MOST]]
    return rows, "What is most worth a look today, and what it would take", "What stands out"


def _tiles(one: Gathered) -> Markup:
    """The figures of the whole project; then and now where there is something to compare with."""
    if one.trend is None:
        return Markup("")
    figures = {each.name: each for each in one.trend.figures(one.trend.found.graph.root)}
    tiles = []
    for name in _TILES:
        each = figures[name]
        change = " ".join(filter(None, (difference(each), SIGNS[each.verdict] if each.verdict != "same" else "")))
        tiles.append(
            element(
                "div",
                element("dt", each.label),
                element("dd", shown(name, each.after), class_="now"),
                element("dd", change or "as before", class_=f"change {each.verdict}"),
            )
        )
    return element("dl", joined(tiles), class_="tiles", id="tiles", aria_label="The project today, and since then")
