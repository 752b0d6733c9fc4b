"""The role of each part of a source text (keyword, text, comment, ...), found by Pygments' lexers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pygments.lexer import Lexer

ROLES = ("keyword", "text", "comment", "number", "name", "type", "mark")
"""name: name of a definition; mark: decorators, annotations, directives of a preprocessor."""

LEXED = 3_000_000  # characters; a longer text is not highlighted
_PORTION = 400  # lines


class Span(NamedTuple):
    """A part of a line: first character and length in UTF-16 units, as text fields count; index into `ROLES`."""

    start: int
    length: int
    role: int


def lexed(text: str, file: str) -> Iterator[dict[int, list[Span]]]:
    """Portions of a few hundred lines, in order: 0-based line -> its spans. Empty for an unknown language."""
    lexer = _lexer(text, file)
    if lexer is None or len(text) > LEXED:
        return
    roles = _roles()
    lines = text.split("\n")
    line = column = 0
    portion: dict[int, list[Span]] = {}
    begun = 0
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        role = next(
            (roles[above] for above in (kind, kind.parent, getattr(kind.parent, "parent", None)) if above in roles), -1
        )
        for number, part in enumerate(value.split("\n")):
            if number:
                line, column = line + 1, 0
            if part and role >= 0 and not part.isspace():
                portion.setdefault(line, []).append(_span(lines[line], column, len(part), role))
            column += len(part)
        if line >= begun + _PORTION:
            yield portion
            portion, begun = {}, line
    yield portion


def _span(line: str, start: int, length: int, role: int) -> Span:
    if line.isascii():
        return Span(start, length, role)
    return Span(units(line[:start]), units(line[start : start + length]), role)


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)


def _lexer(text: str, file: str) -> Lexer | None:
    from pygments.lexers import get_lexer_for_filename  # imported late: its tables are slow to load
    from pygments.lexers.special import TextLexer
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(file.rpartition("/")[2], text[:5_000])
    except ClassNotFound:
        return None
    return None if isinstance(lexer, TextLexer) else lexer


def _roles() -> dict[object, int]:
    """Token type of Pygments -> index into `ROLES`; a type that is not listed is like its parent."""
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    names = {
        Comment: "comment",
        Comment.Preproc: "mark",
        Comment.PreprocFile: "text",
        Keyword: "keyword",
        Keyword.Type: "type",
        Operator.Word: "keyword",
        Number: "number",
        Keyword.Constant: "number",
        String: "text",
        Name.Function: "name",
        Name.Class: "name",
        Name.Decorator: "mark",
        Name.Builtin: "type",
        Name.Tag: "keyword",
        Name.Attribute: "type",
        Keyword.Namespace: "keyword",
    }
    return {kind: ROLES.index(role) for kind, role in names.items()}
