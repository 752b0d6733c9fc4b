"""C and C++ as a parser without a preprocessor can read it: versions of a file, as long as the file.

Blanks take the place of what would break the syntax around it; everything else stays where it is.
"""

from __future__ import annotations

import re

from cbvtool.analysis.languages.branches import blank

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
# `if MACRO (` stands for `if constexpr (`, where there is one.
_IF = re.compile(rb"(\bif[ \t]+)([A-Z][A-Z0-9_]{3,}[ \t]+)(?=\()")


def without_macros(source: bytes) -> bytes:
    """`source` without the macros that would break the parse, as far as they are known by their looks."""
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
