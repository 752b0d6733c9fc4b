"""Versions of C and C++ files that a parser without a preprocessor can read, of the same length as the file.

Blanks replace code that would cause syntax errors; everything else keeps its position.
"""

from __future__ import annotations

import re

from cbvtool.analysis.languages.branches import blank

# `class EXPORT Name {` parses as a function called Name. One expression for each keyword, because expressions that
# begin with fixed text are searched several times faster.
_EXPORTS = tuple(
    re.compile(
        rb"(" + word + rb"[ \t]+)((?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?\s+)+)"
        rb"(?=[A-Za-z_][\w:]*\s*(?:<[^;{}()]*>\s*)?(?:final\s*)?[:{])"
    )
    for word in (b"class", b"struct", b"union")
)
# Annotations of Clang's thread safety analysis, which many C++ projects use, under names of their own.
_ANNOTATION = re.compile(
    rb"\b[A-Z_]*(?:GUARDED_BY|LOCKS_REQUIRED|LOCKS_EXCLUDED|ACQUIRED_BEFORE|ACQUIRED_AFTER|EXCLUSIVE_LOCK_FUNCTION"
    rb"|SHARED_LOCK_FUNCTION|UNLOCK_FUNCTION|TRYLOCK_FUNCTION|LOCK_RETURNED|SCOPED_LOCKABLE|NO_THREAD_SAFETY_ANALYSIS)"
    rb"(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?"
)
_ANNOTATED = (b"GUARDED_BY", b"LOCKS_", b"LOCK_FUNCTION", b"_LOCKABLE", b"THREAD_SAFETY")
# `void f() MACRO {`
_BEHIND = re.compile(rb"(\)[ \t]*)([A-Z][A-Z0-9_]{3,}[ \t]*)(?=\{)")
# A brace for C++ only, as most C headers have it.
_LINKAGE = re.compile(rb'(#[ \t]*if[^\n]*__cplusplus[^\n]*\n\s*)(extern[ \t]*"C"[ \t]*\{|\}(?=[^\n]*\s*#[ \t]*endif))')
# `if MACRO (` expands to `if constexpr (` or `if (`.
_IF = re.compile(rb"(\bif[ \t]+)([A-Z][A-Z0-9_]{3,}[ \t]+)(?=\()")


def without_macros(source: bytes) -> bytes:
    """`source` without macros that would cause syntax errors, recognised by their form."""
    for export in _EXPORTS:
        source = export.sub(_second_blank, source)
    source = _BEHIND.sub(_second_blank, source)
    source = _IF.sub(_second_blank, source)
    if any(word in source for word in _ANNOTATED):
        source = _ANNOTATION.sub(lambda found: blank(found[0]), source)
    if b"__cplusplus" in source:
        source = _LINKAGE.sub(lambda found: found[1] + b";".ljust(len(found[2])), source)
    return source


def _second_blank(found: re.Match[bytes]) -> bytes:
    return found[1] + blank(found[2])
