"""Cobertura's XML, which coverage.py, JaCoCo's converters, gcovr, Istanbul and others write, too."""

from __future__ import annotations

import re
from collections import defaultdict

from cbvtool.budget import Budget
from cbvtool.formats import xml_events
from cbvtool.formats.content import Damaged
from cbvtool.trace.coverage.line_coverage import Coverage, file_coverage
from cbvtool.trace.readers.source import UnreadableTrace

LABEL = "Cobertura XML"
_MARK = re.compile(rb"<coverage[\s>]")


def sniff(head: bytes) -> bool:
    """Whether a file begins like such a report."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and _MARK.search(head) is not None


def read(data: bytes, budget: Budget) -> Coverage:
    """The report. A line that several classes or methods list is one line. Raises UnreadableTrace, OverBudget."""
    found = _Found(budget)
    try:
        xml_events.parse(data, found, budget)
    except Damaged as error:
        raise UnreadableTrace(str(error)) from None
    files = tuple(file_coverage(path, hits) for path, hits in found.hits.items())
    return Coverage(LABEL, files, tuple(found.sources))


class _Found:
    """Collects lines by file."""

    def __init__(self, budget: Budget) -> None:
        self.hits: dict[str, dict[int, int]] = defaultdict(dict)
        self.sources: list[str] = []
        self._budget = budget
        self._file: str | None = None

    def start(self, name: str, given: dict[str, str], before: str) -> None:
        """An element begins."""
        if name == "class":
            self._file = given.get("filename")
            if self._file:
                self.hits[self._file]  # it was measured, even if it has no lines
        elif name == "line" and self._file:
            self._budget.spend(count=1)
            line, hits = _number(given.get("number")), _number(given.get("hits"))
            lines = self.hits[self._file]
            lines[line] = max(lines.get(line, 0), hits)

    def end(self, name: str, text: str) -> None:
        """An element ends."""
        if name == "source" and text.strip():
            self._budget.spend(count=1)
            self.sources.append(text.strip())
        elif name == "class":
            self._file = None


def _number(text: str | None) -> int:
    """The number in a text; 0 if the text is no number."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
