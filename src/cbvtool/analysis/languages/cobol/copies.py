"""COPY, INCLUDE and REPLACE of COBOL: text copied into a file, and replacements in it."""

from __future__ import annotations

from cbvtool.analysis.facts import Import
from cbvtool.analysis.languages.cobol.outline import Outline
from cbvtool.analysis.languages.cobol.text import SourceText
from cbvtool.analysis.languages.cobol.words import copied_by, is_include
from cbvtool.analysis.marks import Mark, Replacing

_LONGEST = 200  # longest text of a replacement that is kept, in characters


class Copies(Outline):
    """Scanner of COPY, INCLUDE and REPLACE.

    marks    of `FileFacts`, see cobol/reader.py
    broken   whether some construct is not closed
    """

    def __init__(self, text: SourceText) -> None:
        super().__init__(text)
        self.imports: list[Import] = []
        self.marks: list[Mark] = []
        self.broken = False

    def _import(self, name: str, i: int, form: str) -> None:
        self.imports.append(Import(name, 0, None, self.lines[i], form=form, scope=self.scope))

    def _include(self, i: int) -> int:
        return self._copy(i) if is_include(self.words, i) else i + 1

    def _copy(self, i: int) -> int:
        """Read COPY at word `i`; returns the word after it and its period, if any."""
        copied = copied_by(self.words, i + 1)
        if not copied:
            return i + 1
        self._import(copied.name, i, copied.form)
        at = copied.end
        while self.upper[at] in ("SUPPRESS", "PRINTING"):
            at += 1
        if self.upper[at] == "REPLACING":
            pairs, at = self._replacing(at + 1)
            if pairs:
                changes = tuple(zip(pairs[::2], pairs[1::2], strict=True))
                self.marks.append(Replacing(len(self.imports) - 1, changes))
        return at + 1 if self.upper[at] == "." else at

    def _replace(self, i: int) -> int:
        """Skip REPLACE at word `i`: its text is not code."""
        _, at = self._replacing(i + 1)
        return at + 1 if self.upper[at] == "." else at

    def _replacing(self, i: int) -> tuple[list[str], int]:
        """Replaced texts and replacements, alternating, from word `i` on; and the index of the period behind them."""
        upper = self.upper
        texts: list[str] = []
        part = ""  # LEADING or TRAILING: only part of a word is replaced
        while upper[i] not in (".", ""):
            start = i
            if upper[i] == "==":
                i += 1
                while upper[i] not in ("==", ""):
                    i += 1
                self.broken |= upper[i] == ""
                texts.append(part + " ".join(upper[start + 1 : i]))
                part = ""
            elif upper[i] in ("LEADING", "TRAILING"):
                part = f"{upper[i]} "
            elif upper[i] not in ("BY", "ALSO", "OFF"):
                i = self.words.qualified(i)
                texts.append(upper[start] if i == start else "")
            i += upper[i] != ""
        kept = [
            text
            for pair in zip(texts[::2], texts[1::2], strict=False)
            if pair[0] and len(pair[0]) + len(pair[1]) <= _LONGEST and "\t" not in "".join(pair)
            for text in pair
        ]
        return kept, i
