"""The outline of a COBOL file: programs, sections and paragraphs, with the measures of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from cbvtool.analysis.facts import Definition, Measures
from cbvtool.analysis.languages.cobol.text import CODE, COMMENT, SourceText
from cbvtool.analysis.languages.cobol.words import WordReader

DEEP = 3  # a statement inside this many control structures counts as deeply nested (CBV-4, NL3+)
_DEEP_CODE = 3  # an additional mark of lines: deeply nested code
_CODE_BYTE, _DEEP_BYTE = bytes([CODE]), bytes([_DEEP_CODE])
# Paragraph that names a program or another unit -> kind of the definition.
UNITS = {
    "PROGRAM-ID": "program",
    "FUNCTION-ID": "function",
    "CLASS-ID": "class",
    "INTERFACE-ID": "interface",
    "METHOD-ID": "method",
}


class OpenDefinition:
    """A definition whose end is not known yet; lines are 1-based and inclusive."""

    __slots__ = ("first", "kind", "last", "name", "parameters", "parent")

    def __init__(self, parent: int, name: str, kind: str, first: int) -> None:
        self.parent, self.name, self.kind, self.first, self.last = parent, name, kind, first, first
        self.parameters = 0


class Outline:
    """Scanner of definitions in source order, and of their measures.

    Lists by row begin with the file itself: definition r has entry r + 1.

    scope   row of the innermost open definition, -1 = none
    turns   lines at which deep nesting begins or ends
    """

    def __init__(self, text: SourceText) -> None:
        self.line_marks = text.marks
        self.words = words = WordReader(text.lines)
        self.tokens, self.upper, self.lines = words.tokens, words.upper, words.lines
        self.found: list[OpenDefinition] = []
        self.statements, self.decisions, self.nesting = [0], [0], [0]
        self.units: list[int] = []
        self.unit_names: Counter[str] = Counter()
        self.section = self.paragraph = self.scope = -1
        self.turns: list[tuple[int, bool]] = []
        self.deep = False

    def _define(self, name: str, kind: str, i: int, parent: int) -> int:
        self.found.append(OpenDefinition(parent, name, kind, self.lines[i]))
        for counts in (self.statements, self.decisions, self.nesting):
            counts.append(0)
        return len(self.found) - 1

    def _close(self, row: int, last: int) -> None:
        self.found[row].last = max(last, self.found[row].first)

    def _last_line(self, i: int) -> int:
        """The last line with code before word `i`."""
        if i and i < self.words.count and not self.words.is_first(i):
            return self.lines[i]
        line = self.lines[i] - 1 if i < self.words.count else len(self.line_marks)
        first = self.lines[i - 1] if i else 1
        while line > first and self.line_marks[line - 1] != CODE:
            line -= 1
        return line

    def _unit_name(self) -> str:
        return self.found[self.units[-1]].name.upper()

    def _leave_unit(self) -> int:
        self.unit_names[self._unit_name()] -= 1
        return self.units.pop()

    def _leave_paragraphs(self, i: int) -> None:
        """End the paragraph and the section before word `i`."""
        if self.paragraph >= 0 or self.section >= 0:
            last = self._last_line(i)
            for row in (self.paragraph, self.section):
                if row >= 0:
                    self._close(row, last)
        self.section = self.paragraph = -1
        self.scope = self.units[-1] if self.units else -1

    def _label(self, i: int) -> int:
        """Read a section or a paragraph at word `i`; returns the word after its header."""
        if self.upper[i + 1] == "SECTION":
            self._leave_paragraphs(i)
            row = self._define(self.tokens[i], "section", i, self.scope)
            self.section = self.scope = row
            return i + 3 + (self.upper[i + 2] != ".")  # a segment number may stand between
        if self.paragraph >= 0:
            self._close(self.paragraph, self._last_line(i))
        parent = self.section if self.section >= 0 else self.units[-1] if self.units else -1
        row = self._define(self.tokens[i], "paragraph", i, parent)
        self.paragraph = self.scope = row
        return i + 2

    def _turn(self, i: int, deep: bool) -> None:
        """Deep nesting begins or ends at word `i`; the whole line gets the state of its first word."""
        if deep != self.deep:
            self.deep = deep
            self.turns.append((self.lines[i] + (not self.words.is_first(i)), deep))

    def measured(self) -> tuple[tuple[Definition, ...], Measures]:
        """The definitions, and the file's own measures."""
        marks = self._deep_marks()
        sloc, deep, comments = ([0] * (len(self.found) + 1) for _ in range(3))
        for first, end, row in self._pieces(len(marks)):
            deep_lines = marks.count(_DEEP_CODE, first, end)
            deep[row + 1] += deep_lines
            sloc[row + 1] += marks.count(CODE, first, end) + deep_lines
            comments[row + 1] += marks.count(COMMENT, first, end)
        owns = [
            Measures(
                sloc=sloc[i],
                nl3_lines=deep[i],
                complexity=self.decisions[i],
                statements=self.statements[i],
                nesting=self.nesting[i],
                comments=comments[i],
            )
            for i in range(len(sloc))
        ]
        definitions = []
        for found, own in zip(self.found, owns[1:], strict=True):
            runs = found.kind == "paragraph" or own.statements > 0
            definitions.append(
                Definition(
                    found.parent,
                    found.name or "(unnamed)",
                    found.kind,
                    found.first,
                    found.last,
                    own._replace(complexity=own.complexity + runs),
                    found.parameters,
                )
            )
        return tuple(definitions), owns[0]

    def _deep_marks(self) -> bytearray:
        """The marks of all lines, with `_DEEP_CODE` for deeply nested statements."""
        marks = self.line_marks
        turns = [*self.turns, (len(marks) + 1, False)]
        for (first, deep), (end, _) in pairwise(turns):
            if deep:
                marks[first - 1 : end - 1] = marks[first - 1 : end - 1].replace(_CODE_BYTE, _DEEP_BYTE)
        return marks

    def _pieces(self, lines: int) -> Iterator[tuple[int, int, int]]:
        """(first, end, row): runs of lines, 0-based and half open, and the definition that they belong to.

        A line on which several definitions begin belongs to the last of them.
        """
        around: list[int] = []
        begins: list[tuple[int, int]] = [(0, -1)]
        for row, found in enumerate(self.found):
            while around and around[-1] != found.parent:
                closed = self.found[around.pop()]
                begins.append((min(closed.last, found.first - 1), closed.parent))
            around.append(row)
            begins.append((found.first - 1, row))
        while around:
            closed = self.found[around.pop()]
            begins.append((closed.last, closed.parent))
        at, owner = 0, -1
        for first, row in begins:
            if first > at:
                yield at, first, owner
                at = first
            owner = row
        yield at, lines, owner
