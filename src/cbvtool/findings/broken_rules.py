"""Violations of the rules that a team has written down."""

from __future__ import annotations

from cbvtool.findings.finding import Examined, Finding
from cbvtool.rules import Violation, violations

MOST = 50  # rules


def broken_rules(examined: Examined, most: int = MOST) -> list[Finding]:
    """One finding for each rule that is broken, the most often broken first."""
    by_rule: dict[tuple[str, str], list[Violation]] = {}
    for one in violations(examined.graph, examined.rules):
        by_rule.setdefault((one.kind, one.rule), []).append(one)
    found = []
    for (kind, rule), broken in sorted(by_rule.items(), key=lambda entry: -len(entry[1]))[:most]:
        times = "once" if len(broken) == 1 else f"by {len(broken):,} pairs of files"
        sites = dict.fromkeys(site for one in broken for site in one.sites)
        nodes = dict.fromkeys(key for one in broken for key in (one.source, one.target))
        found.append(
            Finding(
                "violation",
                f"Rule broken {times}: {rule}",
                tuple(nodes),
                tuple(sites),
                {"rule": kind, "pairs": len(broken), "sites": len(sites)},
                1.0,
                tuple(sorted({row for one in broken for row in one.rows})),
            )
        )
    return found
