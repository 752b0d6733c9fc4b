"""The preprocessor directives of a C or C++ file, read from its bytes alone: a twentieth of the cost of a parse."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from cbvtool.analysis.facts import Import
from cbvtool.analysis.marks import Mark, Module, PathMacro

Range = tuple[int, int]

# What may stand between the words of a directive: blanks, continued lines, comments.
_GAP = rb"(?>(?:[ \t\f\v]|\\\n|/\*(?>(?:[^*]|\*(?!/)){0,200})\*/)*)"
_HASH = rb"(?:#|%:|\?\?=)"  # the digraph and the trigraph mean the same
_INCLUDE = re.compile(
    _GAP
    + _HASH
    + _GAP
    + rb"(include_next|include|import)(?![A-Za-z0-9_])"
    + _GAP
    + rb'(?:"([^"\n]*)"|<([^>\n]*)>|([A-Za-z_]\w*))'
)
_MODULE = re.compile(
    rb"^[ \t]*(export[ \t]+)?(import|module)[ \t]*"
    rb"(?:\"([^\"\n]*)\"|<([^>\n]*)>|(:?[A-Za-z_][\w.]*(?::[\w.]+)?))[ \t]*;",
    re.MULTILINE,
)  # C++20 [module.import], [module.unit]
_NAMED_PATH = re.compile(
    rb'#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+("[^"\n]+"|<[^>\n]+>)[ \t]*(?:$|/[*/])', re.MULTILINE
)
_NEVER = re.compile(rb"#[ \t]*if[ \t]+0[ \t]*(?:$|/[*/])", re.MULTILINE)
_CONDITION = re.compile(
    rb"^[ \t]*#[ \t]*(if(?:n?def)?|el(?:if(?:n?def)?|se)|endif)\b[ \t]*(0[ \t]*(?:$|/[*/]))?", re.MULTILINE
)
# Comments and string literals: a directive inside does not count. An unclosed one extends to the end of the line, or of
# the file, so that nothing is searched twice.
_OPENS = re.compile(
    rb'/\*.*?(?:\*/|\Z)|//(?>(?:[^\n\\]|\\.)*)|R"([^()\\\s]{0,16})\(.*?(?:\)\1"|\Z)'
    rb'|"(?>(?:[^"\\\n]|\\.)*)"?|\'(?>(?:[^\'\\\n]|\\.)*)\'?',
    re.DOTALL,
)
_BACKSLASH = ord("\\")
_CONTINUED = 10  # largest number of continued lines between the start of a directive and its keyword


def imports_of(source: bytes, modules: bool = True) -> tuple[Import, ...]:
    """Every file or module that `source` includes or imports, in order, except below `#if 0`.

    `form` is `quote`, `angle`, `next` or `next angle` (`#include_next`), `macro` (a macro stands for the file) or
    `module`.

    modules  look for imports of C++20 modules, too
    """
    found = [*_includes(source)]
    if modules and _has_line(source, b"import"):
        found += _module_imports(source)
        found.sort()
    if not found:
        return ()
    never = _never(source)
    lines = _LineNumbers(source)
    return tuple(
        Import(name, 0, None, lines.of(start), form=form) for start, name, form in found if not _lies_in(start, never)
    )


def marks_of(source: bytes, modules: bool = True) -> list[Mark]:
    """Further facts for the resolver: macros that stand for paths, and the module that the file is part of."""
    found: list[Mark] = [PathMacro(_text(name), _text(path)) for name, path in _NAMED_PATH.findall(source)]
    if modules and _has_line(source, b"module"):
        for export, word, _, _, name in _MODULE.findall(source):
            if word == b"module" and (export or b":" in name):  # only interface units and partitions can be imported
                found.append(Module(_text(name)))
    return found


def _has_line(source: bytes, word: bytes) -> bool:
    """Whether an unindented line begins with `word`: a quick test before a slow search."""
    return b"\n" + word in source or b"export " + word in source or source.startswith(word)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _includes(source: bytes) -> Iterator[tuple[int, str, str]]:
    """Start, path as written and form of every #include, #include_next, #import."""
    suspicious: list[Range] | None = None
    behind = at = 0
    while (at := _next_word(source, at)) >= 0:
        start = _begin_of_line(source, at)
        match = _INCLUDE.match(source, start)
        if match is None or match.end() <= at:
            at = _end_of_line(source, at)
            continue
        at = match.end()
        if suspicious is None and _may_be_text(source, behind, start):
            suspicious = [found.span() for found in _OPENS.finditer(source)]
        if suspicious is not None and _lies_in(start, suspicious):
            continue
        behind = at
        word, quoted, angled, macro = match.groups()
        form = "macro" if macro else "angle" if quoted is None else "quote"
        if word == b"include_next":
            form = "next" if quoted is not None else "next angle"
        yield start, _text(quoted or angled or macro or b"").strip(), form


def _next_word(source: bytes, at: int) -> int:
    """Position of the next `include` or, on the line of a directive, `import`."""
    word = source.find(b"include", at)
    other = source.find(b"#import", at, word if word >= 0 else len(source))
    return other + 1 if other >= 0 else word


def _begin_of_line(source: bytes, at: int) -> int:
    """Start of the line that contains `at`; continued lines count as one."""
    start = source.rfind(b"\n", 0, at) + 1
    for _ in range(_CONTINUED):
        if start < 2 or source[start - 2] != _BACKSLASH:
            break
        start = source.rfind(b"\n", 0, start - 1) + 1
    return start


def _end_of_line(source: bytes, at: int) -> int:
    end = source.find(b"\n", at)
    return end if end >= 0 else len(source)


def _may_be_text(source: bytes, behind: int, start: int) -> bool:
    """Whether the line at `start` may lie in a comment or string; `behind` is known to be outside of both."""
    opened = source.rfind(b"/*", behind, start)
    return (opened >= 0 and source.find(b"*/", opened + 2, start) < 0) or source.find(b'R"', behind, start) >= 0


def _lies_in(start: int, ranges: list[Range]) -> bool:
    row = bisect_right(ranges, (start, len(ranges) and ranges[-1][1])) - 1
    return row >= 0 and ranges[row][0] < start < ranges[row][1]


def _never(source: bytes) -> list[Range]:
    """Byte ranges below `#if 0`, up to its #else, #elif or #endif."""
    if not _NEVER.search(source):
        return []
    ranges = []
    depth, begin, dead_at = 0, 0, -1
    for match in _CONDITION.finditer(source):
        word = match[1]
        if word.startswith(b"if"):
            depth += 1
            if word == b"if" and match[2] is not None and dead_at < 0:
                begin, dead_at = match.start(), depth
            continue
        if dead_at == depth:
            ranges.append((begin, match.start()))
            dead_at = -1
        if word == b"endif":
            depth -= 1
    return ranges


def _module_imports(source: bytes) -> list[tuple[int, str, str]]:
    """Start, name and form of every C++20 import, of a module or a header."""
    found, module = [], ""
    for match in _MODULE.finditer(source):
        _, word, quoted, angled, name = match.groups()
        if word == b"module":
            module = _text(name or b"").partition(":")[0] or module
        elif name is not None:
            part = _text(name)
            found.append((match.start(), module + part if part.startswith(":") else part, "module"))
        else:
            found.append((match.start(), _text(quoted or angled or b""), "angle" if quoted is None else "quote"))
    return found


class _LineNumbers:
    """Line numbers of ascending byte positions."""

    def __init__(self, source: bytes) -> None:
        self.source, self.at, self.line = source, 0, 1

    def of(self, start: int) -> int:
        self.line += self.source.count(b"\n", self.at, start)
        self.at = start
        return self.line
