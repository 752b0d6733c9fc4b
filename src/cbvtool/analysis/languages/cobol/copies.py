"""COBOL text that is copied into a file, and replaced there."""

from __future__ import annotations

from cbvtool.analysis.facts import Import
from cbvtool.analysis.languages.cobol.outline import Outline
from cbvtool.analysis.languages.cobol.text import SourceText
from cbvtool.analysis.languages.cobol.words import copied_by, is_include
from cbvtool.analysis.marks import Mark, Replacing

_LONGEST = 200  # characters of a text to be replaced that is worth remembering


class Copies(Outline):
    """Adds COPY, INCLUDE and REPLACE.

    marks    of `FileFacts`, see cobol.py
    broken   something is not closed
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
        """COPY at word `i`; the word behind it and its period."""
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
        """REPLACE at word `i`: nothing in it is code."""
        _, at = self._replacing(i + 1)
        return at + 1 if self.upper[at] == "." else at

    def _replacing(self, i: int) -> tuple[list[str], int]:
        """Texts replaced and their replacements, in turns, from word `i` on, and the word behind them, a period."""
        upper = self.upper
        texts: list[str] = []
        part = ""  # LEADING or TRAILING, of a word
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
