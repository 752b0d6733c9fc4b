"""COBOL text: from the bytes of a file to the code on each line, for all source formats.

Fixed format: columns 1 to 6 are a sequence area; column 7 marks the kind of line (`*` and `/` comment, `-` continues
the line above, `D` only for debugging); 8 to 72 hold the code; the rest is ignored. Variable format is the same
without a right margin. Free format has no columns. Directives in the text can set the format, and change it on any
line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from cbvtool.analysis.read import to_utf8

BLANK, COMMENT, CODE = range(3)  # marks of lines

_FREE, _FIXED, _VARIABLE = "FREE", "FIXED", "VARIABLE"
_MARGIN = {_FIXED: 72, _VARIABLE: None}
_TAB = 8  # columns of a tab, as in compilers
_RECORD = 80  # characters of a line in a file without line ends (a card)
_SAMPLE = 2000  # lines from which the format of a file is inferred
_EBCDIC = "cp037"  # letters, digits and COBOL's signs, except brackets, are the same in all Latin variants

# Control characters without a meaning, as left by old editors and file transfers.
_CONTROLS = bytes((*range(1, 9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F))
_BLANKED = bytes.maketrans(_CONTROLS, b" " * len(_CONTROLS))

_DIRECTIVE = re.compile(r"(?:\d{6})?\s*(?:>>\s*(\w+)|\$(?i:SET|IF|ELSE|END|ELIF)\b)")
_FORMAT = re.compile(r"(?i)SOURCE\s*(?:FORMAT)?\W*(?:IS\W+)?(FREE|FIXED|VARIABLE)")
_OPTIONS = re.compile(r"(?i)(?:\d{6})?\s*(?:CBL|PROCESS)\b(?!-)")  # options for IBM's compilers, before the program
_LIBRARIAN = re.compile(r"(?:-INC|(?:.{6})?\s*\+\+INCLUDE)\s+([^\s.]+)")  # COPY in the syntax of source librarians
_DEBUGGING = re.compile(r"(?i)\bDEBUGGING\s+MODE\b")
_BEFORE_COMMENT = re.compile(r"""(?:[^"'*]+|"[^"]*(?:"|$)|'[^']*(?:'|$)|\*(?!>))*""")
_QUOTE = re.compile("[\"']")

# Text in columns 1 to 6 that shows that these are not a sequence area.
_FREE_START = re.compile(
    r"""(?ix)\ {0,5}(?: \*> | \d\d?\s+[a-z] | (?:identification|id|environment|data|procedure)\s+division\b
    | (?:program-id|function-id|class-id|working-storage|local-storage|linkage|file|screen|configuration|input-output
    | special-names|repository|file-control|select|fd|copy|replace|exec|move|if|else|end-if|perform|end-perform|call
    | end-call|display|accept|evaluate|when|end-evaluate|compute|add|subtract|set|go|goback|stop|exit|open|close|read
    | write|string|unstring|initialize|inspect|continue|end)(?=[\s.])(?!-) ) | \ {6}[a-z][a-z]"""
)
_FIXED_START = re.compile(r"(?:\d{6}|\s{6})[*/]|\d{6}(?:[ \-Dd$]|$)|\s{6}- ")


class SourceText(NamedTuple):
    """The code of a file.

    lines  (line number, code) of every line that holds code, 1-based; continued text is joined on its first line
    marks  BLANK, COMMENT or CODE, for each line of the file
    """

    lines: list[tuple[int, str]]
    marks: bytearray


def read_text(data: bytes) -> SourceText:
    """The code in a file's bytes; raises Unreadable."""
    text = decode(data)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if "\t" in text:
        lines = [line.expandtabs(_TAB) if "\t" in line else line for line in lines]
    return _code(lines, format_of(lines), cache(lambda: _DEBUGGING.search(text) is not None))


def decode(data: bytes) -> str:
    """Text with `\\n` as line end; raises Unreadable.

    A byte order mark decides; otherwise UTF-8, if the bytes are valid; otherwise Latin-1, which keeps one column for
    each byte. Data that looks like EBCDIC, copied from a mainframe without conversion, is read as EBCDIC.
    """
    if _is_ebcdic(data):
        data = data.decode(_EBCDIC).replace("\x85", "\n").encode()
        if b"\n" not in data and b"\r" not in data:
            text = data.decode()
            return "\n".join(text[at : at + _RECORD] for at in range(0, len(text), _RECORD))
    return to_utf8(data, None if _is_utf8(data) else "latin-1").translate(_BLANKED).decode()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_ebcdic(data: bytes) -> bool:
    """Whether blanks are 0x40 (`@` in ASCII), hardly ever 0x20, and as frequent as in COBOL."""
    sample = data[:8000]
    return sample.count(0x40) * 6 > len(sample) > sample.count(0x20) * 50 and 0 not in data


def format_of(lines: list[str]) -> str:
    """FREE, FIXED or VARIABLE: the initial format, inferred from the lines before the first directive."""
    free = fixed = long = 0
    for line in lines[:_SAMPLE]:
        if _DIRECTIVE.match(line) and _FORMAT.search(line):
            break
        if _OPTIONS.match(line):
            continue
        if _FIXED_START.match(line):
            fixed += 1
        elif _FREE_START.match(line):
            free += 1
        elif len(line) > _RECORD and len(line.rstrip()) > _RECORD:
            long += 1
    if free > fixed:
        return _FREE
    return _VARIABLE if long and not fixed else _FIXED


def _code(lines: list[str], form: str, is_debugging: Callable[[], bool]) -> SourceText:
    """The code of `lines`, whose initial format is `form`; `is_debugging`: whether lines marked D count."""
    marks = bytearray(len(lines))
    found: list[tuple[int, str]] = []
    continued = _Continued(found)
    margin = _MARGIN.get(form)
    for row, line in enumerate(lines):
        if not line or line.isspace():
            continue
        if (">>" in line or "$" in line) and (directive := _DIRECTIVE.match(line)):
            marks[row] = COMMENT if directive[1] in ("D", "d") and not is_debugging() else CODE
            if change := _FORMAT.search(line):
                form = change[1].upper()
                margin = _MARGIN.get(form)
            continue
        if ("-INC" in line or "++INC" in line) and (include := _LIBRARIAN.match(line)):
            marks[row] = CODE
            found.append((row + 1, f"COPY {include[1]}."))
            continue
        if form == _FREE:
            if line[0] == "*":
                marks[row] = COMMENT
                continue
            code, kind = line, " "
        else:
            kind, code = line[6:7], line[7:margin]
            if kind and (kind in "*/" or (kind in "Dd" and not is_debugging())):
                marks[row] = COMMENT
                continue
        if not found and _OPTIONS.match(line):
            marks[row] = CODE
            continue
        if kind == "-" and found:
            marks[row] = CODE
            continued.add(code)
            continue
        if "*>" in code:
            code = code[: _BEFORE_COMMENT.match(code).end()]  # type: ignore[union-attr]  # matches anything
            if not code or code.isspace():
                marks[row] = COMMENT
                continue
        elif not code or code.isspace():
            continue
        marks[row] = CODE
        found.append((row + 1, code))
    continued.flush()
    return SourceText(found, marks)


class _Continued:
    """The last line of `found`, while further lines may continue it."""

    def __init__(self, found: list[tuple[int, str]]) -> None:
        self.found = found
        self.at = -1  # index in `found` of the line to which `parts` belong
        self.parts: list[str] = []
        self.quote = ""  # quote of the literal that is open at the end of `parts`

    def add(self, code: str) -> None:
        """Append the `code` of a line with a `-` in column 7."""
        if self.at != len(self.found) - 1:
            self.flush()
            self.at = len(self.found) - 1
            self._append(self.found[self.at][1])
        code = code.lstrip()
        if not self.quote:
            self.parts[-1] = self.parts[-1].rstrip()
        elif code[:1] in ('"', "'"):
            code = code[1:]
        self._append(code)

    def _append(self, code: str) -> None:
        self.parts.append(code)
        at = 0
        while True:
            if self.quote:
                at = code.find(self.quote, at) + 1
                if not at:
                    return
                self.quote = ""
            found = _QUOTE.search(code, at)
            if not found:
                return
            self.quote, at = found[0], found.end()

    def flush(self) -> None:
        """Join the parts on the line of the first one."""
        if self.parts:
            self.found[self.at] = (self.found[self.at][0], "".join(self.parts))
            self.parts, self.quote = [], ""
