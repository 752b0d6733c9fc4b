"""The imports of a Python file by a scan of its text, without a parse, for a first picture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cbvtool.analysis.facts import ALWAYS, DEFERRED, TYPE_CHECKING, Import
from cbvtool.analysis.languages.python.imports import CATCHES_IMPORT_ERROR, checking, named

_KEYWORD = re.compile(rb"import\b")
_WORD = re.compile(rb"\w|[^\x00-\x7f]")
_FROM = re.compile(rb"from\b(?:[\s.\w]|\\\n|[^\x00-\x7f])*\Z")
_REST = re.compile(rb"[^\n;\\]*(?:\\\n[^\n;\\]*)*")
_TRIPLE = re.compile(rb"\"\"\"|'''")
# Text in which an import does not count: comments and strings. Triple quotes first.
_HIDDEN = re.compile(
    rb"#[^\n]*|\"\"\"(?>(?:[^\"\\]|\\.|\"(?!\"\"))*)\"\"\"|'''(?>(?:[^'\\]|\\.|'(?!''))*)'''"
    rb"|\"(?>(?:[^\"\\\n]|\\.)*)\"|'(?>(?:[^'\\\n]|\\.)*)'",
    re.DOTALL,
)
_DEFINITION = re.compile(rb"(?:async\s+)?def\b")

Range = tuple[int, int]


def scan(source: bytes) -> tuple[Import, ...]:
    """Every import in Python text in UTF-8 with Unix line ends, in source order, as a parse would find it.

    Imports after another statement on the same line are missed, except after `;` and `:`. `Import.scope` is -1.
    """
    statements = list(_statements(source))
    if not statements:
        return ()
    hidden = _hidden(source, statements[-1][0])
    condition = checking(source)
    found: list[Import] = []
    lines: list[bytes] = []
    row, counted, at = 0, 0, 0
    for start, text in statements:
        while at < len(hidden) and hidden[at][1] <= start:
            at += 1
        if at < len(hidden) and hidden[at][0] <= start:
            continue
        row += source.count(b"\n", counted, start)
        counted = start
        when, optional = ALWAYS, False
        if start and source[start - 1 : start] != b"\n":
            lines = lines or source.split(b"\n")
            when, optional = _circumstances(lines, row, condition)
        found += [
            Import(module, level, names, row + 1, when, optional, "", aliases)
            for module, level, names, aliases in named(text)
            if names is None or module != "__future__"  # a directive, not an import
        ]
    return tuple(found)


def _statements(source: bytes) -> Iterator[tuple[int, bytes]]:
    """Start and text of each possible import statement; it may stand in a string or comment."""
    for keyword in _KEYWORD.finditer(source):
        at = keyword.start()
        if at and _WORD.match(source, at - 1):
            continue
        line = source.rfind(b"\n", 0, at) + 1
        while line > 1 and source[line - 2 : line - 1] == b"\\":
            line = source.rfind(b"\n", 0, line - 1) + 1  # a continued line
        before = source[line:at]
        plain = before.lstrip(b" \t\f")
        start = at - len(plain)
        behind = max(plain.rfind(b";"), plain.rfind(b":")) + 1
        if behind:
            if any(mark in plain for mark in (b"#", b"'", b'"')):
                continue  # usually in a comment or string
            plain = plain[behind:].lstrip(b" \t\f\\\n")
            start = at - len(plain)
        if plain and not _FROM.match(plain):
            continue
        yield start, source[start : _end(source, keyword.end(), bool(plain))]


def _end(source: bytes, behind: int, is_from: bool) -> int:
    """End of the statement whose `import` ends at `behind`."""
    if is_from:
        opening = behind
        while source[opening : opening + 1] in (b" ", b"\t", b"\\", b"\n"):
            opening += 1
            if source[opening - 1 : opening] == b"\n" and source[opening - 2 : opening - 1] != b"\\":
                break
        if source[opening : opening + 1] == b"(":
            closing = _closing(source, opening)
            return closing if closing >= 0 else opening
    found = _REST.match(source, behind)
    return found.end() if found else behind


def _closing(source: bytes, opening: int) -> int:
    """The bracket that closes the one at `opening`; brackets in comments do not count; -1 = none."""
    at = opening
    while True:
        closing = source.find(b")", at)
        if closing < 0:
            return -1
        line = source.rfind(b"\n", opening, closing) + 1 or opening
        if b"#" not in source[line:closing]:
            return closing
        at = closing + 1


def _hidden(source: bytes, end: int) -> list[Range]:
    """Ranges of comments and strings before `end`; only triple-quoted strings if that is sufficient."""
    found: list[Range] = []
    at = 0
    while (opening := _TRIPLE.search(source, at, end)) is not None:
        line = source.rfind(b"\n", 0, opening.start()) + 1
        closing = source.find(opening[0], opening.end())
        before = source[max(line, at) : opening.start()]
        if closing < 0 or source[closing - 1 : closing] == b"\\" or any(mark in before for mark in (b"#", b"'", b'"')):
            return [hit.span() for hit in _HIDDEN.finditer(source, 0)]  # all comments and strings are needed
        found.append((opening.start(), closing + 3))
        at = closing + 3
    return found


def _circumstances(lines: list[bytes], row: int, condition: re.Pattern[bytes] | None) -> tuple[int, bool]:
    """When an indented import at `row` takes effect, and whether its failure is caught."""
    deferred = checked = optional = False
    depth = _depth(lines[row])
    own = lines[row].lstrip()
    headers = [(row, own)] if not own.startswith((b"import", b"from")) else []  # `if x: import y`
    while depth and row > 0:
        row -= 1
        line = lines[row]
        text = line.lstrip()
        if not text or text.startswith(b"#") or _depth(line) >= depth:
            continue
        depth = _depth(line)
        if text.startswith((b")", b"]", b"}")):
            depth += 1  # end of a header of several lines, which begins further up
            continue
        headers.append((row, text))
    for at, text in headers:
        if _DEFINITION.match(text):
            deferred = True
        elif text.startswith(b"try"):
            optional = optional or _is_guarded(lines, at)
        elif condition is not None:
            found = condition.match(text)
            if found:
                checked = checked or not found[1]
            elif text.startswith(b"else"):
                above = condition.match(_header_above(lines, at))
                checked = checked or (above is not None and bool(above[1]))
    return TYPE_CHECKING if checked else DEFERRED if deferred else ALWAYS, optional


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _header_above(lines: list[bytes], row: int) -> bytes:
    """The header of the control structure that the clause at `row` belongs to."""
    depth = _depth(lines[row])
    for at in range(row - 1, -1, -1):
        text = lines[at].lstrip()
        if text and not text.startswith(b"#") and _depth(lines[at]) == depth:
            return text
    return b""


def _is_guarded(lines: list[bytes], row: int) -> bool:
    """Whether the `try` at `row` catches a failing import."""
    depth = _depth(lines[row])
    for line in lines[row + 1 :]:
        text = line.lstrip()
        if not text or text.startswith(b"#") or _depth(line) > depth:
            continue
        if _depth(line) < depth or not text.startswith((b"except", b"else", b"finally")):
            return False
        if CATCHES_IMPORT_ERROR.match(text):
            return True
    return False
