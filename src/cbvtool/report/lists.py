"""Findings, rules, cycles and hot spots, as they are today."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cbvtool.evolution.evolution import with_ids
from cbvtool.findings.finding import Finding
from cbvtool.plan import effort
from cbvtool.plan.task import counted
from cbvtool.report.first_screen import cells
from cbvtool.report.gathered import Gathered
from cbvtool.report.markup import Content, element, joined, listing, table
from cbvtool.report.sparkline import sparkline
from cbvtool.rules import Violation
from cbvtool.rules.rule_kinds import key_of, words_of

PLACES = 3  # that are named of each


def findings_section(one: Gathered) -> Markup:
    """What stands out, the most important first."""
    parts: list[Content] = [element("h2", "What stands out", id="findings")]
    if one.headline:
        parts.append(element("p", f"{one.headline}.", id="headline"))
    rows = [(each.title, *cells(one.remedy(each))) for each in one.found[: one.limit]]
    heads = ("Finding", "What to do", "#Lines", "#Files", "#Effort")
    if rows:
        parts.append(table("Findings, the most important first", heads, rows, id="found"))
    parts.append(_rest(len(one.found), one.limit, "finding", "cbvtool findings"))
    return element("section", *parts, aria_labelledby="findings")


def rules_section(one: Gathered) -> Markup:
    """Which rules hold, and which are broken."""
    parts: list[Content] = [element("h2", "Rules", id="rules")]
    by_rule: dict[str, list[Violation]] = {}
    for each in one.broken:
        by_rule.setdefault(each.rule, []).append(each)
    if not one.rules:
        parts.append(element("p", "This project has written down no rules about itself (cbvtool.toml)."))
    elif not by_rule:
        parts.append(element("p", "All rules hold."))
    else:
        before = _pairs_before(one)
        rows = [_rule_row(one, rule, broken, before) for rule, broken in sorted(by_rule.items(), key=_most_broken)]
        heads = ("Rule", "#Pairs of files", "#New since then", "#Lines", "The first of them")
        parts.append(table("Broken rules", heads, rows[: one.limit], id="broken"))
        parts.append(_rest(len(rows), one.limit, "broken rule", "cbvtool check"))
    if held := [words_of(rule) for rule in one.rules.stated if key_of(rule) not in by_rule]:
        parts += [element("h3", "Rules that hold"), listing(*held, id="held")]
    return element("section", *parts, aria_labelledby="rules")


def cycles_section(one: Gathered) -> Markup:
    """What depends on itself, and the cheapest way out."""
    cycles = one.of_kind("cycle")
    parts: list[Content] = [
        element("h2", "Cycles", id="cycles"),
        element(
            "p",
            "What is in a cycle can be changed, tested and delivered only together. The cheapest cut names the "
            "dependencies to end with the fewest lines of code that name them.",
        ),
    ]
    if not cycles:
        parts.append(element("p", "There are none among packages, nor among the files of a package."))
    else:
        rows = [_cycle_row(one, each) for each in cycles[: one.limit]]
        heads = ("Members", "#How many", "#Dependencies", "#To cut", "#Lines", "#Effort", "The first lines")
        parts.append(table("Cycles with their cheapest cuts", heads, rows, id="cuts"))
        parts.append(_rest(one.cycle_count, min(one.limit, len(cycles)), "cycle", "cbvtool findings --kind cycle"))
    return element("section", *parts, aria_labelledby="cycles")


def hot_spots_section(one: Gathered) -> Markup:
    """Complex files that change often, with what became of them."""
    spots = one.of_kind("hot-spot")
    parts: list[Content] = [
        element("h2", "Hot spots", id="hot-spots"),
        element(
            "p",
            "Complex files that were changed often in the last six months: faults gather there, and work on quality "
            "pays there first. Points are cyclomatic complexity times commits.",
        ),
    ]
    if not spots:
        parts.append(element("p", "There are none: nothing was changed lately, or there is no history."))
        return element("section", *parts, aria_labelledby="hot-spots")
    trend = one.trend
    place = None if trend is None else with_ids(trend.found, one.graph)
    rows: list[list[Content]] = []
    for each in spots[: one.limit]:
        key = each.nodes[0]
        row: list[Content] = [one.graph.ids[key], *(int(each.figures[name]) for name in ("complexity", "commits"))]
        row += [round(float(each.figures["points"])), f"{100 * each.share:.1f} %"]
        if trend is not None and place is not None:
            known = trend.found.series("hot_spots", int(place[key])).tolist() if place[key] >= 0 else []
            row.append(sparkline(known, f"Points of {one.graph.ids[key]}"))
        rows.append(row)
    heads = ["File", "#Complexity", "#Commits", "#Points", "#Share of all points"]
    parts.append(table("Hot spots", [*heads, *(["Points over time"] if trend else [])], rows, id="spots"))
    return element("section", *parts, aria_labelledby="hot-spots")


def _rest(count: int, limit: int, noun: str, command: str) -> Markup:
    if count <= limit:
        return Markup("")
    return element("p", f"{counted(count - limit, noun)} more: ", element("code", command), ".", class_="more")


def _most_broken(entry: tuple[str, Sequence[Violation]]) -> int:
    return -len(entry[1])


def _pairs_before(one: Gathered) -> set[tuple[str, str, str]] | None:
    """(rule, id of the user, id of the used) that were there then, by the ids of today; None = nobody knows."""
    if one.trend is None:
        return None
    ids = one.trend.found.graph.ids
    return {(rule, ids[source], ids[target]) for rule, source, target in one.trend.found.broken[0]}


def _rule_row(
    one: Gathered, rule: str, broken: Sequence[Violation], before: set[tuple[str, str, str]] | None
) -> tuple[Content, ...]:
    ids = one.graph.ids
    pairs = {(each.rule, ids[each.source], ids[each.target]) for each in broken}
    sites = list(dict.fromkeys(site for each in broken for site in each.sites))
    reason = next((each.reason for each in broken if each.reason), "")
    name = joined((rule, element("small", f" {reason}"))) if reason else rule
    return name, len(broken), "–" if before is None else len(pairs - before), len(sites), _places(sites)


def _cycle_row(one: Gathered, cycle: Finding) -> tuple[Content, ...]:
    what = one.examined.module_noun if "modules" in cycle.figures else "files"
    names = [one.graph.ids[key] or one.graph.name for key in cycle.nodes]
    more = f" and {len(names) - PLACES:,} more" if len(names) > PLACES else ""
    least = "" if cycle.figures["cut_is_smallest"] else element("small", " (about)")
    return (
        f"{', '.join(names[:PLACES])}{more}",
        f"{len(names):,} {what}",
        int(cycle.figures["dependencies"]),
        joined((int(cycle.figures["cut_dependencies"]), least)),
        int(cycle.figures["cut_sites"]),
        effort.show(one.remedy(cycle).minutes),
        _places(cycle.sites),
    )


def _places(sites: Sequence[tuple[str, int]]) -> Markup:
    shown = [element("code", f"{file}:{line}") for file, line in sites[:PLACES]]
    return joined([*(joined((each, " ")) for each in shown), "…" if len(sites) > PLACES else ""])
