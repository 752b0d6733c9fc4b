"""Facts of one COBOL file, by one pass over its words; without a parser, because no grammar covers all dialects.

A file is first cut into divisions; each kind of division has its own loop. The scanner is a chain of classes, each of
which extends the one before: cobol/outline.py (definitions), cobol/copies.py, cobol/statements.py and cobol/data.py.
docs/accuracy.md says what is counted.

In a use, `other` says what its name refers to:

CALL    "program" (a literal), "data" (an item that holds a program's name), "perform" (a paragraph or section, `A` or
        `A OF B`), "perform A" (the last paragraph of a range that begins with A), "function"
REFER   "program" or "data": CANCEL, LOAD, SET ... TO ENTRY
ASSIGN  the data item `name` may hold `other`: a literal in quotes, or another item; `table 'X'` has lower confidence:
        X is one of the values of a table

Marks: `Entry` and `Replacing`.

Forms of imports: "sql" (EXEC SQL INCLUDE), "dotted" (`COPY a.cpy` without quotes, which only some compilers accept).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from cbvtool.analysis.facts import FileFacts, Import, Measures, Uses
from cbvtool.analysis.languages.cobol.data import Data
from cbvtool.analysis.languages.cobol.outline import UNITS
from cbvtool.analysis.languages.cobol.statements import ACTIONS, EVERYWHERE
from cbvtool.analysis.languages.cobol.text import CODE, COMMENT, SourceText, read_text
from cbvtool.analysis.languages.cobol.words import QUOTES, WordReader, copied_by, is_include, literal
from cbvtool.analysis.marks import Entry

_DEEPEST_UNIT = 20  # programs in programs
_DIVISIONS = frozenset({"IDENTIFICATION", "ID", "ENVIRONMENT", "DATA", "PROCEDURE"})
_UNIT_ENDS = frozenset({"PROGRAM", "FUNCTION", "CLASS", "INTERFACE", "METHOD"})
_CUTS = frozenset({"DIVISION", "END", *UNITS})
# Paragraphs of the identification division that hold free text.
_ENTRIES = frozenset(
    {"AUTHOR", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "DATE-MODIFIED", "SECURITY", "REMARKS", "ABSTRACT"}
)
_ENVIRONMENT = frozenset(
    {
        "CONFIGURATION",
        "INPUT-OUTPUT",
        "SOURCE-COMPUTER",
        "OBJECT-COMPUTER",
        "SPECIAL-NAMES",
        "REPOSITORY",
        "FILE-CONTROL",
        "I-O-CONTROL",
        "FILE",
        "WORKING-STORAGE",
        "LOCAL-STORAGE",
        "LINKAGE",
        "SCREEN",
        "REPORT",
        "COMMUNICATION",
    }
)
_NO_PARAMETERS = frozenset(
    {"BY", "REFERENCE", "VALUE", "CONTENT", "OPTIONAL", "UNSIGNED", "SIZE", "IS", "AUTO", "DEFAULT", "ANY"}
)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    text = read_text(data)
    scan = _Scan(text)
    scan.run()
    definitions, own = scan.measured()
    return FileFacts(
        len(text.marks),
        own,
        definitions,
        tuple(scan.imports),
        Uses.pack([*scan.uses, *scan.assigned()]),
        scan.broken,
        marks=tuple(scan.marks),
        lost_lines=int(scan.broken),
    )


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only copied and included files, many times faster; raises Unreadable."""
    text = read_text(data)
    imports = []
    for at, (line, code) in enumerate(text.lines):
        upper = code.upper()
        if "COPY" in upper or "INCLUDE" in upper:
            words = WordReader(text.lines[at : at + 3])  # the name may stand on one of the next lines
            replaced = False
            for i, word in enumerate(words.upper[: bisect_right(words.lines, line, 0, words.count)]):
                replaced ^= word == "=="
                sql = word == "INCLUDE" and words.upper[i - 1] == "SQL"
                is_copy = word == "COPY" or sql or is_include(words, i)
                if is_copy and not replaced and (copied := copied_by(words, i + 1)):
                    imports.append(Import(copied.name, 0, None, line, form="sql" if sql else copied.form))
    own = Measures(sloc=text.marks.count(CODE), comments=text.marks.count(COMMENT))
    return FileFacts(len(text.marks), own, imports=tuple(imports))


class _Scan(Data):
    """One pass over the words of a file, division by division: call `run`, then read the results."""

    def __init__(self, text: SourceText) -> None:
        super().__init__(text)
        self.ends = Counter(
            literal(self.upper[i + 2])
            for i in range(self.words.count)
            if self.upper[i] == "END" and self.upper[i + 1] in _UNIT_ENDS
        )

    def run(self) -> None:
        """Scan the file."""
        cuts = [*self._cuts(), (self.words.count, "")]
        first = cuts[0][0]
        if first:
            self._fragment(0, first)
        header = -1  # word of an identification division whose program has no name yet
        for (i, what), (end, _) in pairwise(cuts):
            if what in ("ID", "IDENTIFICATION"):
                header = i
                self._leave_paragraphs(i)
            elif what in UNITS:
                self._unit(i, end, i if header < 0 else header)
                header = -1
            elif what == "END":
                self._end_unit(i)
            elif what == "PROCEDURE":
                self._procedure(self._using(i, end), end)
            else:
                self._data(i, end)
        self._leave_paragraphs(self.words.count)
        last = self._last_line(self.words.count)
        while self.units:
            self._close(self._leave_unit(), last)

    def _cuts(self) -> Iterator[tuple[int, str]]:
        """Where divisions and programs begin and end: (index of the word, the word)."""
        upper, words = self.upper, self.words
        for i, word in enumerate(upper):
            if word not in _CUTS:
                continue
            if word == "DIVISION":
                if i and upper[i - 1] in _DIVISIONS and (words.is_first(i - 1) or upper[i - 2] == "."):
                    yield i - 1, upper[i - 1]
            elif word == "END":
                if upper[i + 1] in _UNIT_ENDS:
                    yield i, word
            elif words.is_first(i) or upper[i - 1] == ".":
                yield i, word

    def _fragment(self, i: int, end: int) -> None:
        """Read text before any division, as in most copybooks."""
        first = i
        while first < end and self.upper[first] in ("COPY", "REPLACE", "EXEC"):
            first = self._skipped(first, end)
        word, following = self.upper[first], self.upper[first + 1]
        is_level = (word[:1].isdigit() and following not in (".", "SECTION")) or " " in word
        is_label = following in (".", "SECTION") and word not in _ENVIRONMENT
        if not is_level and (is_label or word in ACTIONS):
            self._procedure(i, end)
        else:
            self._data(i, end)

    def _skipped(self, i: int, end: int) -> int:
        """The word after a COPY or similar statement; nothing is recorded."""
        stop = "END-EXEC" if self.upper[i] == "EXEC" else "."
        while i < end and self.upper[i] != stop:
            i += 1
        i += 1
        return i + 1 if stop != "." and self.upper[i] == "." else i

    def _unit(self, i: int, end: int, header: int) -> None:
        """Read PROGRAM-ID or another unit at word `i`; its options and comments extend to word `end`."""
        tokens, upper = self.tokens, self.upper
        at = i + 2 if upper[i + 1] == "." else i + 1
        name = literal(tokens[at])
        self._leave_paragraphs(header)
        last = self._last_line(header)
        # If no END PROGRAM follows for the open program, the new one stands beside it, not inside.
        while self.units and (not self.ends[self._unit_name()] or len(self.units) >= _DEEPEST_UNIT):
            self._close(self._leave_unit(), last)
        row = self._define(name, UNITS[upper[i]], header, self.units[-1] if self.units else -1)
        self.units.append(row)
        self.unit_names[name.upper()] += 1
        self.scope = row
        if upper[at + 1] == "AS" and tokens[at + 2][:1] in QUOTES:
            self.marks.append(Entry(literal(tokens[at + 2]).upper(), row))
        at += 1
        while at < end:
            word = upper[at]
            if word in _ENTRIES and upper[at + 1] == ".":
                at += 2
                while at < end and not (self.words.is_first(at) and upper[at] in _ENTRIES):
                    at += 1
            elif word in EVERYWHERE:
                at = EVERYWHERE[word](self, at)
            else:
                at += 1

    def _end_unit(self, i: int) -> None:
        """END PROGRAM at word `i`."""
        name = literal(self.upper[i + 2])
        self._leave_paragraphs(i)
        self.ends[name] -= 1
        if self.unit_names[name]:
            last = self._last_line(i)
            while self._unit_name() != name:
                self._close(self._leave_unit(), last)
        if self.units:
            self._close(self._leave_unit(), self.lines[i + 2])
        self.scope = self.units[-1] if self.units else -1

    def _using(self, i: int, end: int) -> int:
        """Count the parameters in the header of a procedure division at word `i`; returns the word after it."""
        parameters = 0
        counting = False
        while i < end and self.upper[i] != ".":
            word = self.upper[i]
            if word in ("USING", "CHAINING"):
                counting = True
            elif word == "RETURNING":
                counting = False
            elif counting and word not in _NO_PARAMETERS:
                parameters += 1
            i += 1
        if self.units:
            self.found[self.units[-1]].parameters = parameters
        return i + 1
