"""All findings, the most important first."""

from __future__ import annotations

from cbvtool.findings.broken_rules import broken_rules
from cbvtool.findings.cycles import cycles
from cbvtool.findings.entangled import entangled
from cbvtool.findings.finding import Examined, Finding
from cbvtool.findings.hot_spots import hot_spots
from cbvtool.findings.kinds import KINDS
from cbvtool.findings.sizes import fat_packages, god_files
from cbvtool.findings.unused_code import unused_code

# Code that nobody seems to use may be used in ways that no analysis sees.
_WEIGHT = {"unused": 0.5}


def findings(examined: Examined) -> list[Finding]:
    """Violations of rules first, for somebody has decided that they matter; then by the share of the project that each
    finding concerns: of points for hot spots, of source lines, files or places for the others.

    Raises what the progress of `examined` raises.
    """
    found = [
        one
        for find in (broken_rules, cycles, hot_spots, god_files, fat_packages, entangled, unused_code)
        for one in find(examined)
    ]
    return sorted(
        found, key=lambda one: (one.kind != "violation", -one.share * _WEIGHT.get(one.kind, 1.0), KINDS.index(one.kind))
    )
