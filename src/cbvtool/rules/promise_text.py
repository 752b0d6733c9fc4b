"""Violations for people, for tools, for code scanning (SARIF 2.1.0) and for build servers (JUnit's XML)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote

from cbvtool.rules.baseline import BesideBaseline
from cbvtool.rules.promise import BrokenPromise, ChainLink
from cbvtool.words import as_utf8, one_line

FORMAT, VERSION = "cbvtool-check", 1
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127, 0xFFFE, 0xFFFF], "\ufffd")


def to_text(found: BesideBaseline, notes: Sequence[str] = ()) -> str:
    """What is broken, by rule, with every place, after how much of it is new, is accepted, and has ended."""
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
    """A line for each dependency of a chain, with all of its lines."""
    steps = []
    for (importer, imported), links in groupby(chain, key=lambda link: link[:2]):
        places = ", ".join(f"{link.file}:{link.line}" for link in links if link.file)
        steps.append(f"{importer} -> {imported}" + (f" ({places})" if places else ""))
    return steps


def to_json(found: BesideBaseline, notes: Sequence[str] = ()) -> str:
    """Format `cbvtool-check`, described in `docs/rules.md`: the new violations."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "violations": [
            {
                "rule": one.rule,
                "kind": one.kind,
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
    }
    return json.dumps(content, indent=1) + "\n"


def to_sarif(found: BesideBaseline, version: str) -> str:
    """SARIF 2.1.0: a rule for each rule, a result for each violation, the first place as its location.

    version  of cbvtool
    """
    rules = list(dict.fromkeys(one.rule for one in (*found.fresh, *found.accepted)))
    states = [(one, "new") for one in found.fresh] + [(one, "unchanged") for one in found.accepted]
    driver = {
        "name": "cbvtool",
        "version": version,
        "rules": [{"id": rule, "shortDescription": {"text": one_line(rule)}} for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, rules.index(one.rule), state) for one, state in states],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _result(one: BrokenPromise, rule: int, state: str) -> dict[str, Any]:
    steps = "; ".join(_steps(one.chain)) or _ends(one)
    sites = [(file, line) for file, line in one.sites if file]
    result: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": rule,
        "level": "error" if state == "new" else "note",
        "baselineState": state,
        "message": {"text": one_line(f"{_ends(one)}: {steps}")},
        "partialFingerprints": {"ends/v1": f"{one.source} {one.target}"},
        "locations": [_location(*site) for site in sites[:1]],
    }
    if len(sites) > 1:
        result["relatedLocations"] = [_location(*site) for site in sites[1:]]
    return result


def _location(file: str, line: int) -> dict[str, Any]:
    uri = quote(file.encode("utf-8", "surrogateescape"))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, line)}}}


def to_junit(found: BesideBaseline) -> str:
    """JUnit's XML: a test case for each rule that is broken, one that passes when none is."""
    cases = []
    rules = list(dict.fromkeys(one.rule for one in found.fresh))
    for rule in rules:
        broken = [one for one in found.fresh if one.rule == rule]
        body = "\n".join(f"{_ends(one)}: {'; '.join(_steps(one.chain))}" for one in broken)
        message = f"{len(broken):,} violation{'' if len(broken) == 1 else 's'}"
        cases.append(
            f'    <testcase classname="cbvtool.rules" name="{_xml(rule)}">\n'
            f'      <failure message="{_xml(message)}">{_xml(body)}</failure>\n    </testcase>\n'
        )
    if not cases:
        cases = ['    <testcase classname="cbvtool.rules" name="all rules"/>\n']
    head = f'<testsuite name="cbvtool check" tests="{len(cases)}" failures="{len(rules)}" errors="0">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", f"  {head}"]
    return as_utf8("\n".join([*lines, "".join(cases) + "  </testsuite>", "</testsuites>", ""]))


def _xml(text: str) -> str:
    """Text in XML; control characters, which it cannot hold, are replaced."""
    text = text.encode("utf-8", "backslashreplace").decode().translate(_CONTROLS)
    for sign, word in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, word)
    return text
