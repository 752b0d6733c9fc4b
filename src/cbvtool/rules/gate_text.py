"""Problems found by a gate, for code scanning (SARIF 2.1.0) and for build servers (JUnit's XML)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from cbvtool.words import as_utf8, one_line

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127, 0xFFFE, 0xFFFF], "\ufffd")


class Complaint(NamedTuple):
    """One problem.

    rule     the rule that it violates
    message  the problem, in words
    ends     its identity, independent of lines
    sites    (file, line), the first one first
    reason   why the rule exists
    is_new   whether it is not accepted by the baseline
    """

    rule: str
    message: str
    ends: str
    sites: tuple[tuple[str, int], ...] = ()
    reason: str = ""
    is_new: bool = True


def sarif(complaints: Sequence[Complaint], version: str) -> str:
    """SARIF 2.1.0: a rule for each rule, a result for each complaint, the first site as its location.

    version  of cbvtool
    """
    rules = list(dict.fromkeys(one.rule for one in complaints))
    reasons = {one.rule: one.reason for one in complaints}
    driver = {"name": "cbvtool", "version": version, "rules": [_rule(rule, reasons[rule]) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, rules.index(one.rule)) for one in complaints],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(rule: str, reason: str) -> dict[str, Any]:
    full = {"fullDescription": {"text": one_line(reason)}} if reason else {}
    return {"id": rule, "shortDescription": {"text": one_line(rule)}, **full}


def _result(one: Complaint, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": rule,
        "level": "error" if one.is_new else "note",
        "baselineState": "new" if one.is_new else "unchanged",
        "message": {"text": one_line(one.message)},
        "partialFingerprints": {"ends/v1": one.ends},
        "locations": [_location(*site) for site in one.sites[:1]],
    }
    if len(one.sites) > 1:
        result["relatedLocations"] = [_location(*site) for site in one.sites[1:]]
    return result


def _location(file: str, line: int) -> dict[str, Any]:
    uri = quote(file.encode("utf-8", "surrogateescape"))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, line)}}}


def junit(complaints: Sequence[Complaint], suite: str, group: str, noun: str, passed: str) -> str:
    """JUnit's XML: a test case for each violated rule; if there is none, one that passes, named `passed`.

    group  class name of the cases
    noun   word for a problem
    """
    cases = []
    rules = list(dict.fromkeys(one.rule for one in complaints))
    for rule in rules:
        broken = [one for one in complaints if one.rule == rule]
        body = "\n".join(one.message for one in broken)
        message = f"{len(broken):,} {noun}{'' if len(broken) == 1 else 's'}"
        cases.append(
            f'    <testcase classname="{group}" name="{_xml(rule)}">\n'
            f'      <failure message="{_xml(message)}">{_xml(body)}</failure>\n    </testcase>\n'
        )
    if not cases:
        cases = [f'    <testcase classname="{group}" name="{_xml(passed)}"/>\n']
    head = f'<testsuite name="{_xml(suite)}" tests="{len(cases)}" failures="{len(rules)}" errors="0">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", f"  {head}"]
    return as_utf8("\n".join([*lines, "".join(cases) + "  </testsuite>", "</testsuites>", ""]))


def _xml(text: str) -> str:
    """Text for XML; control characters, which XML cannot hold, are replaced."""
    text = text.encode("utf-8", "backslashreplace").decode().translate(_CONTROLS)
    for sign, word in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, word)
    return text
