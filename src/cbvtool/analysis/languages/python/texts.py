"""Facts about the text of a Python expression, without a parse if possible."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

_WORD = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_BEGIN = re.compile(rf"({_DOTTED.pattern})[(\[]")
_INNERMOST = re.compile(r"\([^()\[\]{}\"']*\)|\[[^()\[\]{}\"']+\]|\{[^()\[\]{}\"']*\}")
_OPERATOR = re.compile(r"[-+*/%<>=&|^@]")
_OTHER_OPERATOR = re.compile(r"[,:\"'()\[\]{}\0]|\b(?:if|or|and|not|lambda|await|yield|for)\b")
_MEMBERS = re.compile(r"(?:\.[^\W\d]\w*)*")
_STRING = re.compile(r"\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'")
_BRACKET = re.compile(r"[()\[\]{}]")
ELEMENT = "\0"  # separates a container's text from the index of the element that a variable gets by unpacking


@lru_cache(1 << 16)
def parsed(text: str) -> ast.expr | None:
    """The expression `text`; None if `text` is no expression."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def is_dotted(text: str) -> bool:
    """Whether `text` is a name, with dots or without."""
    return text.isidentifier() or _DOTTED.fullmatch(text) is not None


@lru_cache(1 << 14)
def is_primary(text: str) -> bool:
    """Whether `text.name` is certainly an attribute of the whole expression `text`."""
    return (
        is_dotted(text)
        or start_of(text) != ""
        or inside(text) != ""
        or (
            text[-1:] in (")", "]")
            and "#" not in text
            and isinstance(parsed(text), ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        )
    )


@lru_cache(1 << 14)
def start_of(text: str) -> str:
    """The name at the beginning of `text`, if only calls, indices and members follow; empty = not certain."""
    found = _BEGIN.match(text)
    if found is None or found[1] in ("await", "not") or "#" in text:
        return ""
    before, rest = "", text[found.end(1) :]
    if '"' in rest or "'" in rest:
        rest = _STRING.sub("", rest)
    while before != rest:
        before, rest = rest, _INNERMOST.sub("", rest)
    return found[1] if _MEMBERS.fullmatch(rest) else ""


@lru_cache(1 << 14)
def flat(text: str) -> str:
    """`text` with a control character for each one of strings and of brackets with their content.

    A bracket that remains is unmatched.
    """
    if '"' in text or "'" in text:
        text = _STRING.sub(_blank, text)
    before = ""
    while before != text:
        before, text = text, _INNERMOST.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    return "\1" * (found.end() - found.start())


@lru_cache(1 << 14)
def inside(text: str) -> str:
    """The text inside the brackets `( )` that enclose all of `text`; empty if they do not."""
    if text[:1] != "(" or text[-1] != ")" or "#" in text:
        return ""
    return text[1:-1] if _BRACKET.search(flat(text[1:-1])) is None else ""


@lru_cache(1 << 14)
def single_call(text: str) -> str:
    """The dotted name called in `text`, if this call is its last step; empty if that is not certain."""
    start = start_of(text)
    if not start or text[len(start)] != "(" or text[-1] != ")":
        return ""
    return start if text.count("(") == 1 or _BRACKET.search(flat(text[len(start) + 1 : -1])) is None else ""


@lru_cache(1 << 14)
def is_arithmetic(text: str) -> bool:
    """Whether `text` is certainly an operation on numbers, strings or the like, with an unknown result."""
    while inner := inside(text):
        text = inner.strip()
    if "#" in text or "\\" in text:
        return False
    rest = flat(text)
    return _OPERATOR.search(rest) is not None and _OTHER_OPERATOR.search(rest) is None


@lru_cache(1 << 16)
def open_call(text: str) -> tuple[str, tuple[int, str] | None]:
    """(called name, slot of the argument) for `text`, a call from its name up to an argument.

    The slot is its position, or -1 and its keyword; None = it comes after a starred argument, or inside an operation.
    The name is empty if `text` is not such a call.
    """
    if "#" in text or "\\" in text:
        return "", None
    rest = flat(text)
    opening = rest.rfind("(")
    callee = text[:opening].strip()
    if opening < 0 or ")" in rest or not (is_dotted(callee) or (callee and is_primary(callee))):
        return "", None
    *before, last = rest[opening + 1 :].split(",")
    if any(part.lstrip()[:1] == "*" for part in before):
        return callee, None
    if not last.strip():
        return callee, (len(before), "")
    keyword = last.strip().removesuffix("=").rstrip()
    return callee, (-1, keyword) if last.rstrip()[-1] == "=" and keyword.isidentifier() else None


@lru_cache(1 << 14)
def last_step(text: str) -> tuple[str, str]:
    """The expression before the last member, call or index in `text`, and the member's name, empty for the others.

    Both are empty if there is no such step.
    """
    head, _, last = text.rpartition(".")
    if last.isidentifier() and (not head or is_primary(head)):
        return head, last if head else ""
    if start := single_call(text):
        return start, ""
    match parsed(text):
        case ast.Attribute(value, name):
            return ast.unparse(value), name
        case ast.Subscript(value):
            return ast.unparse(value), ""
        case ast.Call(function):
            return ast.unparse(function), ""
    return "", ""


@lru_cache(1 << 16)
def words_of(text: str) -> frozenset[str]:
    """All words in an expression that may be names of variables."""
    return frozenset([text.partition(".")[0]] if is_dotted(text) else _WORD.findall(text))


def element_of(text: str) -> tuple[str, int | None]:
    """(container, index) if `text` denotes an element; None = any index. An empty container = it does not."""
    core, mark, row = text.rpartition(ELEMENT)
    if mark and row.lstrip("-").isdecimal():
        return core, int(row)
    if text.endswith(")[...]") and text[0] == "(":
        return text[1 : -len(")[...]")], None
    return "", None
