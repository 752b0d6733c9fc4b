"""The tracefiles of lcov (geninfo(1)), which many programs write, coverage.py among them."""

from __future__ import annotations

import re
from collections import defaultdict

from cbvtool.budget import Budget
from cbvtool.trace.coverage.line_coverage import Coverage, file_coverage
from cbvtool.trace.readers.source import UnreadableTrace

LABEL = "lcov"
_MARK = re.compile(rb"^(TN:.*\n)?SF:", re.MULTILINE)


def sniff(head: bytes) -> bool:
    """Whether a file begins like such a report."""
    return _MARK.match(head.lstrip(b"\xef\xbb\xbf \t\r\n").replace(b"\r\n", b"\n")) is not None


def read(data: bytes, budget: Budget) -> Coverage:
    """The report; of a file that is there several times the sum. Raises UnreadableTrace, OverBudget."""
    hits: dict[str, dict[int, int]] = {}
    starts: dict[str, list[int]] = defaultdict(list)
    path: str | None = None
    for row in data.decode("utf-8", "replace").split("\n"):
        kind, _, rest = row.strip().partition(":")
        if kind == "SF":
            path = rest
            hits.setdefault(path, {})
            budget.spend(count=1)
        elif kind == "end_of_record":
            path = None
        elif path is not None and kind == "DA":
            budget.spend(count=1)
            fields = rest.split(",")
            line = _number(fields[0])
            count = _number(fields[1]) if len(fields) > 1 else 0
            hits[path][line] = hits[path].get(line, 0) + count
        elif path is not None and kind == "FN":
            budget.spend(count=1)
            starts[path].append(_number(rest.partition(",")[0]))
    if not hits:
        raise UnreadableTrace("it is not an lcov tracefile: it names no file")
    return Coverage(LABEL, tuple(file_coverage(path, lines, starts[path]) for path, lines in hits.items()))


def _number(text: str) -> int:
    """The number in a text; 0 if the text is no number."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
