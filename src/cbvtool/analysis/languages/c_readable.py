"""C and C++ as a parser without a preprocessor can read it: versions of a file, as long as the file.

Blanks take the place of what would break the syntax around it; everything else stays where it is.
"""

from __future__ import annotations

import re

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
# `if MACRO (` stands for `if constexpr (`, where there is one.
_IF = re.compile(rb"(\bif[ \t]+)([A-Z][A-Z0-9_]{3,}[ \t]+)(?=\()")
_SEEN = re.compile(rb"[^\n]")
_COMMENT_OR_CODE = re.compile(rb'(//[^\n]*|/\*.*?(?:\*/|\Z))|"(?:\\.|[^"\\\n])*"|[^\n]', re.DOTALL)


def without_macros(source: bytes) -> bytes:
    """`source` without the macros that would break the parse, as far as they are known by their looks."""
    for export in _EXPORTS:
        source = export.sub(_second_blank, source)
    source = _BEHIND.sub(_second_blank, source)
    source = _IF.sub(_second_blank, source)
    if any(word in source for word in _ANNOTATED):
        source = _ANNOTATION.sub(lambda found: _blank(found[0]), source)
    if b"__cplusplus" in source:
        source = _LINKAGE.sub(lambda found: found[1] + b";".ljust(len(found[2])), source)
    return source


def _second_blank(found: re.Match[bytes]) -> bytes:
    return found[1] + _blank(found[2])


def _blank(text: bytes) -> bytes:
    return _SEEN.sub(b" ", text)


def _comments(text: bytes) -> bytes:
    """The text with nothing but its comments, the last of which may go on behind it."""
    return _COMMENT_OR_CODE.sub(lambda found: found[1] or _blank(found[0]), text)


# A condition cuts a statement in two if the code before or behind one of its directives goes on beyond it.
_UNFINISHED = (b"else", b"||", b"&&")
_GOES_ON = re.compile(rb"\s*(?:else\b|\|\||&&)")
_NEAR = 200  # bytes of blanks before a directive


class _Open:
    """An `#if` that is open.

    directives  where it and its branches begin and end
    cut         whether it cuts a statement in two
    """

    def __init__(self) -> None:
        self.directives: list[tuple[int, int]] = []
        self.cut = False


def first_branches(source: bytes, cut_only: bool = False) -> bytes:
    """`source` without directives of conditions, and without all of their branches but the first.

    cut_only  only of conditions that cut a statement in two: `else` or an operator stands at one of their ends
    """
    found = bytearray(source)
    around: list[_Open] = []
    for directive in _CONDITION.finditer(source):
        start, end = directive.span()
        word = directive[1]
        if not cut_only:
            found[start:end] = _comments(directive[0])
        if word in (b"if", b"ifdef", b"ifndef"):
            around.append(_Open())
        if not around:
            continue
        here = around[-1]
        here.directives.append((start, end))
        before = source[max(start - _NEAR, 0) : start].rstrip()
        here.cut = here.cut or before.endswith(_UNFINISHED) or _GOES_ON.match(source, end) is not None
        if word == b"endif":
            around.pop()
            if here.cut or not cut_only:
                (first, last), (second, _) = here.directives[:2]
                found[first:last] = _comments(source[first:last])
                found[second:end] = _comments(source[second:end])
    return bytes(found)


def lines_left_out(source: bytes, version: bytes) -> int:
    """How many lines with code the `version` of `source` leaves out as a whole, directives not counted."""
    pairs = zip(source.splitlines(), version.splitlines(), strict=True)
    return sum(
        after.isspace() and not before.isspace() and not before.lstrip().startswith(b"#")
        for before, after in pairs
        if before != after
    )
