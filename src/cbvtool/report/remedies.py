"""What mending something would take: places in the code, and an estimate by the formula of the task list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cbvtool.evolution.evolution import Evolution
from cbvtool.evolution.figures import ITEMS
from cbvtool.evolution.regressions import Regression
from cbvtool.findings.finding import Finding
from cbvtool.graph import Graph
from cbvtool.plan import effort
from cbvtool.plan.effort import Weights
from cbvtool.rules import Violation

_ADVICE: Mapping[str, str] = {
    "cycle": "End the cheapest dependencies of the cycle",
    "violation": "Lead the dependency another way, or change the rule",
    "hot-spot": "Split it, or cover it by tests, before the next change",
    "god-file": "Split it by what its users need",
    "fat-package": "Group its files",
    "entangled": "Let one of the two use the other, and not back",
    "unused": "Remove it, once somebody has looked whether it is used in a way that no analysis sees",
    "complexity": "Look at what was added, and split it",
}

_ADVICE_ON_ALL: Mapping[str, str] = {
    "cycle": "End the cheapest dependencies of all cycles",
    "violation": "Lead the dependencies another way, or change the rules",
}


@dataclass(frozen=True)
class Remedy:
    """What to do about something.

    advice   in words
    items    dependencies to end; 0 = no estimate is made
    sites    lines of code that name these dependencies; files: those that hold them
    minutes  estimated; 0 = no estimate
    """

    advice: str
    items: int = 0
    sites: int = 0
    files: int = 0
    minutes: int = 0


def remedy(one: Finding, weights: Weights) -> Remedy:
    """What mending a finding would take. Only cycles and broken rules tell which places must change."""
    if one.kind not in ("cycle", "violation"):
        return Remedy(_ADVICE[one.kind])
    items, sites = ("cut_dependencies", "cut_sites") if one.kind == "cycle" else ("pairs", "sites")
    files = len({file for file, _ in one.sites})
    return _estimated(_ADVICE[one.kind], int(one.figures[items]), int(one.figures[sites]), files, weights)


def remedy_of_all(found: Sequence[Finding], weights: Weights) -> Remedy:
    """What mending several findings of one kind would take; none = code became more complex."""
    if not found:
        return Remedy(_ADVICE["complexity"])
    each = [remedy(one, weights) for one in found]
    return Remedy(
        _ADVICE_ON_ALL[found[0].kind],
        sum(one.items for one in each),
        sum(one.sites for one in each),
        len({file for one in found for file, _ in one.sites}),
        sum(one.minutes for one in each),
    )


def remedy_of(one: Regression, found: Evolution, cycles: Sequence[Finding], broken: Broken, weights: Weights) -> Remedy:
    """What mending a regression would take.

    cycles   findings of what is checked out, by ids as in `found`
    broken   its violations
    """
    if one.kind in ITEMS:
        members = {found.graph.ids[key] for key in one.nodes}
        near = [cycle for cycle in cycles if len(members & broken.ids(cycle.nodes)) > 1]
        return remedy(near[0], weights) if near else Remedy(_ADVICE["cycle"])
    if one.kind == "violation":
        source, target = (found.graph.ids[key] for key in one.nodes)
        sites = broken.between(source, target, one.what)
        files = len({file for file, _ in sites})
        return _estimated(_ADVICE["violation"], 1, len(sites), files, weights)
    return Remedy(_ADVICE["complexity"])


class Broken:
    """Violations of a graph, to be asked for by the ids of their ends."""

    def __init__(self, graph: Graph, found: Iterable[Violation]) -> None:
        self._ids = graph.ids
        self._sites: dict[tuple[str, str], list[Violation]] = {}
        for one in found:
            self._sites.setdefault((graph.ids[one.source], graph.ids[one.target]), []).append(one)

    def ids(self, keys: Iterable[int]) -> set[str]:
        """What nodes are called."""
        return {self._ids[key] for key in keys}

    def between(self, source: str, target: str, told: str) -> tuple[tuple[str, int], ...]:
        """Places where one file uses another against the rule that `told` ends with."""
        return tuple(
            dict.fromkeys(
                site for one in self._sites.get((source, target), ()) if told.endswith(one.rule) for site in one.sites
            )
        )


def _estimated(advice: str, items: int, sites: int, files: int, weights: Weights) -> Remedy:
    return Remedy(advice, items, sites, files, effort.minutes("relations", items, files, sites, 0, weights))
