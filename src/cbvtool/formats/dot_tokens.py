"""The tokens of DOT (https://graphviz.org/doc/info/lang.html), and the text of quoted words and labels."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from cbvtool.formats.content import Damaged

# Possessive throughout, so that an unclosed string costs one pass, and no memory.
_NEXT = re.compile(
    r"""
    (?>(?:\s+|//[^\n]*|/\*(?>(?:[^*]+|\*(?!/))*)\*/|^\#[^\n]*)*)
    (?:
        (?P<word>[^\W\d]\w*+|-?(?:\.\d++|\d++(?:\.\d*+)?))
        |"(?P<quoted>(?>(?:[^"\\]+|\\.)*))"
        |(?P<mark>->|--|[{}\[\];,=:+])
        |(?P<html><)
        |(?P<end>\Z)
    )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_ANGLE = re.compile(r"[<>]")
_TAG = re.compile(r"<[^<>]*+>")
_ESCAPE = re.compile(r'\\(["\\\n])')
_LABEL_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PORT = re.compile(r"<[^<>]*+>")
_BREAKS = "nlr"
_MEANING = {"n": " ", "l": " ", "r": " ", "\n": ""}
_SHOWN = 30  # characters


class Token(NamedTuple):
    """A word (`word`, `quoted`, `html`) or punctuation (`mark`).

    Text as written, without quotes or outer angle brackets.
    """

    sort: str
    text: str


END = Token("mark", "")
_MARKS = {text: Token("mark", text) for text in ("->", "--", *"{}[];,=:+")}


def tokens(text: str) -> Iterator[Token]:
    """The tokens of `text`, then `END` once. Raises Damaged at invalid text."""
    place, match, make = 0, _NEXT.match, tuple.__new__  # fast access, because there may be millions of tokens
    while True:
        found = match(text, place)
        if found is None:
            rest = text[place:].lstrip()
            raise Damaged(f"line {line_of(text, len(text) - len(rest))} is not DOT: {rest[:_SHOWN]!r}")
        place = found.end()
        sort = found.lastgroup or ""
        if sort == "mark":
            yield _MARKS[found[sort]]
        elif sort == "html":
            begin, place = place, _closing(text, place)
            yield Token("html", text[begin : place - 1])
        elif sort == "end":
            yield END
            return
        else:
            yield make(Token, (sort, found[sort]))


def line_of(text: str, place: int) -> int:
    """Line number, from 1, of the character at `place`."""
    return text.count("\n", 0, place) + 1


def _closing(text: str, place: int) -> int:
    depth = 1
    for angle in _ANGLE.finditer(text, place):
        depth += 1 if angle[0] == "<" else -1
        if not depth:
            return angle.end()
    raise Damaged(f"line {line_of(text, place)} begins an HTML text that never ends")


def plain(token: Token) -> str:
    """The id or value that a word denotes; for an HTML text, its words."""
    if token.sort == "html":
        return " ".join(html.unescape(_TAG.sub(" ", token.text)).split())
    if token.sort == "quoted" and "\\" in token.text:
        return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], token.text)
    return token.text


def label(token: Token, node: str, record: bool) -> str:
    """The visible text of a label, on one line; for a record (`record`), its first field."""
    if token.sort == "html":
        return plain(token)
    text = token.text
    if record:
        text = _PORT.sub("", re.split(r"(?<!\\)\|", text, maxsplit=1)[0].lstrip("{")).rstrip("}").strip()
    if "\\" not in text:
        return text
    broken = False

    def meant(found: re.Match[str]) -> str:
        nonlocal broken
        broken |= found[1] in _BREAKS
        return _MEANING.get(found[1], node if found[1] == "N" else found[1])

    shown = _LABEL_ESCAPE.sub(meant, text)
    return shown.strip() if broken else shown


def quoted(text: str) -> str:
    """`text` as a quoted word, for an id or a label."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
