"""Preprocessor conditions in C, C++ and C#: versions of a file without some of its branches, of the same length.

Blanks replace everything left out, so that the rest keeps its position.
"""

from __future__ import annotations

import re

_CONDITION = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE
)
_SEEN = re.compile(rb"[^\n]")
_COMMENT_OR_CODE = re.compile(rb'(//[^\n]*|/\*.*?(?:\*/|\Z))|"(?:\\.|[^"\\\n])*"|[^\n]', re.DOTALL)


def blank(text: bytes) -> bytes:
    """Blanks in place of everything but line breaks."""
    return _SEEN.sub(b" ", text)


def _comments(text: bytes) -> bytes:
    """Only the comments of the text; the last one may continue beyond it."""
    return _COMMENT_OR_CODE.sub(lambda found: found[1] or blank(found[0]), text)


# A condition cuts a statement in two if the code before or after one of its directives continues across it.
_UNFINISHED = (b"else", b"||", b"&&")
_GOES_ON = re.compile(rb"\s*(?:else\b|\|\||&&)")
_NEAR = 200  # bytes before a directive that are looked at


class _Open:
    """An `#if` that is still open.

    directives  ranges of the directives at which it and its branches begin and end
    cut         whether it cuts a statement in two
    """

    def __init__(self) -> None:
        self.directives: list[tuple[int, int]] = []
        self.cut = False


def first_branches(source: bytes, cut_only: bool = False) -> bytes:
    """`source` without preprocessor conditions: their directives and all branches but the first are blanked.

    cut_only  treat only conditions that cut a statement in two, with `else` or an operator at one of their ends
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
    """Number of code lines of `source` that `version` leaves out completely; directives do not count."""
    pairs = zip(source.splitlines(), version.splitlines(), strict=True)
    return sum(
        after.isspace() and not before.isspace() and not before.lstrip().startswith(b"#")
        for before, after in pairs
        if before != after
    )
