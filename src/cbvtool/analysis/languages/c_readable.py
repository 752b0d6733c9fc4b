"""C and C++ as a parser without a preprocessor can read it: versions of a file, as long as the file.

Blanks take the place of what would break the syntax around it; everything else stays where it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# `class EXPORT Name {` reads like a function called Name. One expression for each word: what begins with a fixed text
# is searched several times faster.
_EXPORTS = tuple(
    re.compile(
        rb"(" + word + rb"[ \t]+)((?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?\s+)+)"
        rb"(?=[A-Za-z_][\w:]*\s*(?:<[^;{}()]*>\s*)?(?:final\s*)?[:{])"
    )
    for word in (b"class", b"struct", b"union")
)
# Annotations of Clang's thread safety analysis, which half of the C++ world uses, under its own names.
_ANNOTATION = re.compile(
    rb"\b[A-Z_]*(?:GUARDED_BY|LOCKS_REQUIRED|LOCKS_EXCLUDED|ACQUIRED_BEFORE|ACQUIRED_AFTER|EXCLUSIVE_LOCK_FUNCTION"
    rb"|SHARED_LOCK_FUNCTION|UNLOCK_FUNCTION|TRYLOCK_FUNCTION|LOCK_RETURNED|SCOPED_LOCKABLE|NO_THREAD_SAFETY_ANALYSIS)"
    rb"(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?"
)
_ANNOTATED = (b"GUARDED_BY", b"LOCKS_", b"LOCK_FUNCTION", b"_LOCKABLE", b"THREAD_SAFETY")
# `void f() MACRO {`
_BEHIND = re.compile(rb"(\)[ \t]*)([A-Z][A-Z0-9_]{3,}[ \t]*)(?=\{)")
# A brace that is there for C++ alone, as most headers of C have it.
_LINKAGE = re.compile(rb'(#[ \t]*if[^\n]*__cplusplus[^\n]*\n\s*)(extern[ \t]*"C"[ \t]*\{|\}(?=[^\n]*\s*#[ \t]*endif))')
_CONDITION = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE
)
_SEEN = re.compile(rb"[^\n]")


def without_macros(source: bytes) -> bytes:
    """`source` without the macros that would break the parse, as far as they are known by their looks."""
    for export in _EXPORTS:
        source = export.sub(_second_blank, source)
    source = _BEHIND.sub(_second_blank, source)
    if any(word in source for word in _ANNOTATED):
        source = _ANNOTATION.sub(lambda found: _blank(found[0]), source)
    if b"__cplusplus" in source:
        source = _LINKAGE.sub(lambda found: found[1] + b";".ljust(len(found[2])), source)
    return source


def _second_blank(found: re.Match[bytes]) -> bytes:
    return found[1] + _blank(found[2])


def _blank(text: bytes) -> bytes:
    return _SEEN.sub(b" ", text)


class _Open(NamedTuple):
    """An `#if` that is open: where its second branch begins, -1 = not yet."""

    second: int


def first_branches(source: bytes) -> bytes:
    """`source` without directives of conditions, and without all of their branches but the first."""
    found = bytearray(source)
    around: list[_Open] = []
    for directive in _CONDITION.finditer(source):
        start, end = directive.span()
        found[start:end] = _blank(directive[0])
        word = directive[1]
        if word in (b"if", b"ifdef", b"ifndef"):
            around.append(_Open(-1))
        elif around and word != b"endif":
            if around[-1].second < 0:
                around[-1] = _Open(start)
        elif around and (second := around.pop().second) >= 0:
            found[second:start] = _blank(source[second:start])
    return bytes(found)
