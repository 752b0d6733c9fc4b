"""The JSON report of coverage.py (`coverage json`), https://coverage.readthedocs.io."""

from __future__ import annotations

import re

import msgspec

from cbvtool.budget import Budget
from cbvtool.trace.coverage.line_coverage import Coverage, file_coverage
from cbvtool.trace.readers.source import UnreadableTrace

LABEL = "coverage.py JSON"
_MARK = re.compile(rb'\A\s*\{.{0,4000}?"files"\s*:', re.DOTALL)


class _Function(msgspec.Struct):
    start_line: int | None = None


class _File(msgspec.Struct):
    executed_lines: list[int]
    missing_lines: list[int]
    functions: dict[str, _Function] = {}


class _Report(msgspec.Struct):
    files: dict[str, _File]


def sniff(head: bytes) -> bool:
    """Whether a file begins like such a report."""
    return _MARK.match(head) is not None


def read(data: bytes, budget: Budget) -> Coverage:
    """The report. Raises UnreadableTrace, OverBudget, Cancelled."""
    try:
        report = msgspec.json.decode(data, type=_Report)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UnreadableTrace(f"it is not a JSON report of coverage.py ({error})") from None
    files = []
    for path, said in report.files.items():
        budget.spend(count=1 + len(said.executed_lines) + len(said.missing_lines))
        hits = dict.fromkeys(said.missing_lines, 0) | dict.fromkeys(said.executed_lines, 1)
        starts = (function.start_line or 0 for name, function in said.functions.items() if name)
        files.append(file_coverage(path, hits, starts))
    return Coverage(LABEL, tuple(files))
