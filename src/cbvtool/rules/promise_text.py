"""Violations as text for people, JSON for tools, SARIF 2.1.0 for code scanning and JUnit's XML for build servers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from cbvtool.rules.baseline import BesideBaseline
from cbvtool.rules.gate_text import Complaint, junit, sarif
from cbvtool.rules.promise import BrokenPromise, ChainLink
from cbvtool.words import as_utf8, one_line

FORMAT, VERSION = "cbvtool-check", 1


def to_text(found: BesideBaseline, notes: Sequence[str] = ()) -> str:
    """Violations by rule with all sites, after the numbers of new, accepted and ended ones."""
    count = len(found.fresh)
    new = "new " if found.accepted or found.ended else ""
    said = f"{count:,} {new}violation{'' if count == 1 else 's'}" if count else f"no {new}violations"
    said += f", {len(found.accepted):,} accepted" if found.accepted else ""
    said += f"; {len(found.ended):,} accepted before have ended" if found.ended else ""
    lines = [f"Check: {said}", *map(one_line, notes)]
    for rule, group in groupby(sorted(found.fresh, key=lambda one: one.rule), key=lambda one: one.rule):
        lines += ["", one_line(rule)]
        for one in group:
            steps = _steps(one.chain) or [_ends(one)]
            lines += [
                f"  {one_line(words)}" if step == 0 else f"    {one_line(words)}" for step, words in enumerate(steps)
            ]
    return as_utf8("\n".join([*lines, ""]))


def _ends(one: BrokenPromise) -> str:
    return f"{one.source} -> {one.target}" if one.target else one.source


def _steps(chain: Sequence[ChainLink]) -> list[str]:
    """A line for each dependency of a chain, with all its line numbers."""
    steps = []
    for (importer, imported), links in groupby(chain, key=lambda link: link[:2]):
        places = ", ".join(f"{link.file}:{link.line}" for link in links if link.file)
        steps.append(f"{importer} -> {imported}" + (f" ({places})" if places else ""))
    return steps


def to_json(found: BesideBaseline, notes: Sequence[str] = (), assessment: Mapping[str, Any] | None = None) -> str:
    """The new violations in the format `cbvtool-check`, described in `docs/rules.md`."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "violations": [
            {
                "rule": one.rule,
                "kind": one.kind,
                **({"detail": one.detail} if one.detail else {}),
                **({"reason": one.reason} if one.reason else {}),
                "source": one.source,
                "target": one.target,
                "chain": [
                    {"importer": link.importer, "imported": link.imported, "file": link.file, "line": link.line}
                    for link in one.chain
                ],
                "sites": [{"file": file, "line": line} for file, line in one.sites if file],
            }
            for one in found.fresh
        ],
        "accepted": len(found.accepted),
        "ended": len(found.ended),
        "notes": list(notes),
        **({"assessment": dict(assessment)} if assessment else {}),
    }
    return json.dumps(content, indent=1) + "\n"


def to_sarif(found: BesideBaseline, version: str) -> str:
    """SARIF 2.1.0: a rule for each rule, a result for each violation, the first site as its location.

    version  of cbvtool
    """
    states = [(one, True) for one in found.fresh] + [(one, False) for one in found.accepted]
    return sarif([_complaint(one, is_new) for one, is_new in states], version)


def _complaint(one: BrokenPromise, is_new: bool = True) -> Complaint:
    steps = "; ".join(_steps(one.chain)) or _ends(one)
    sites = tuple((file, line) for file, line in one.sites if file)
    return Complaint(one.rule, f"{_ends(one)}: {steps}", f"{one.source} {one.target}", sites, one.reason, is_new)


def to_junit(found: BesideBaseline) -> str:
    """JUnit's XML: a test case for each violated rule; if there is none, one that passes."""
    return junit([_complaint(one) for one in found.fresh], "cbvtool check", "cbvtool.rules", "violation", "all rules")
