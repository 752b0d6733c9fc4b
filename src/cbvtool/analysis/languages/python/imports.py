"""Import statements of Python: what each names, when it takes effect, and whether its failure is caught."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import lru_cache
from itertools import islice

from cbvtool.analysis.facts import ALWAYS, DEFERRED, TYPE_CHECKING, Import
from cbvtool.analysis.sweep import Captures, Range, Swept

_SHORT = 500  # longest statement that is cached, in bytes
_LINE_END = 10  # line feed

_IMPORT = re.compile(r"(?<!\w)import(?!\w)")
_LAYOUT = re.compile(r"#[^\n]*|\\\n")  # comments and continued lines; import statements hold no strings
CATCHES_IMPORT_ERROR = re.compile(
    rb"except\b\*?(\s*:|[^:\n]*\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b)"
)
_ALIAS = re.compile(rb"\bTYPE_CHECKING\s+as\s+(\w+)")

Named = tuple[str, int, tuple[str, ...] | None, tuple[str, ...]]  # module, level, names, aliases as in `Import`


def parsed_imports(swept: Swept) -> tuple[Import, ...]:
    """Every module named by an import statement, in source order, from the captures `import`."""
    source = swept.source
    nodes = sorted((node.start_byte, node.end_byte, node.start_point[0]) for node in swept.captures.get("import", ()))
    if not nodes:
        return ()
    checked = _type_checking_ranges(swept)
    guarded = _guarded_ranges(swept.captures, source)
    found = []
    for start, end, row in nodes:
        when, optional, scope = ALWAYS, False, -1
        if start and source[start - 1] != _LINE_END:  # in a block, or after another statement
            if _is_inside(start, checked):
                when = TYPE_CHECKING
            elif _is_inside(start, swept.functions):
                when = DEFERRED
            optional, scope = _is_inside(start, guarded), swept.scope_of(start)
        for module, level, names, aliases in named(source[start:end]):
            found.append(Import(module, level, names, row + 1, when, optional, "", aliases, scope))
    return tuple(found)


def _is_inside(start: int, ranges: list[Range]) -> bool:
    """Whether byte `start` lies in one of the ascending `ranges`, which overlap only by nesting."""
    row = bisect_left(ranges, (start + 1,)) - 1
    return row >= 0 and start < ranges[row][1]


def named(statement: bytes) -> tuple[Named, ...]:
    """The modules and names in one import statement."""
    return _named_again(statement) if len(statement) < _SHORT else _named(statement)


def _named(text: bytes) -> tuple[Named, ...]:
    statement = _LAYOUT.sub("", text.decode("utf-8", "replace"))
    if not statement.isascii():
        statement = unicodedata.normalize("NFKC", statement)  # as Python reads identifiers (PEP 3131)
    keyword = _IMPORT.search(statement)
    if keyword is None:
        return ()
    listed = [part.split() for part in statement[keyword.end() :].strip(" \t\f\n()").split(",")]
    pairs = [_name_and_alias(words) for words in listed if words]
    if keyword.start() == 0:
        return tuple((name, 0, None, (alias,) if alias else ()) for name, alias in pairs)
    dotted = "".join(statement[len("from") : keyword.start()].split())
    module = dotted.lstrip(".")
    names = tuple(name for name, _ in pairs)
    aliases = tuple(alias or name for name, alias in pairs)
    return ((module, len(dotted) - len(module), names, aliases if aliases != names else names),)


def _name_and_alias(words: list[str]) -> tuple[str, str]:
    if "as" in words:
        at = words.index("as")
        return "".join(words[:at]), "".join(words[at + 1 :])
    return "".join(words), ""


_named_again = lru_cache(4096)(_named)  # many files have the same statement


def checking(source: bytes) -> re.Pattern[bytes] | None:
    """Pattern of the header `if TYPE_CHECKING`, with `not` as group 1; None if the source has no such header.

    The name may be an attribute (`typing.TYPE_CHECKING`), an alias (`import TYPE_CHECKING as T`), or mypy's `MYPY`.
    """
    if b"TYPE_CHECKING" not in source and b"MYPY" not in source:
        return None
    aliases = {found[1] for found in islice(_ALIAS.finditer(source), 10)}
    return re.compile(
        rb"(?:el)?if[\s(]+(not[\s(]+)?(?:\w+\s*\.\s*)*(?:TYPE_CHECKING|MYPY"
        + b"".join(b"|" + re.escape(alias) for alias in sorted(aliases))
        + rb")\s*(?:\)|:|and\b)"
    )


def _type_checking_ranges(swept: Swept) -> list[Range]:
    """Byte ranges for type checkers only: under `if TYPE_CHECKING:`, and the `else` of `if not TYPE_CHECKING:`."""
    source, captures = swept.source, swept.captures
    condition = checking(source)
    if condition is None:
        return []
    ranges = []
    for node in (*captures.get("fork", ()), *captures.get("decision", ())):
        found = condition.match(source, node.start_byte)
        if found is None:
            continue
        block = node.child_by_field_name("consequence")
        if found[1]:
            others = node.children_by_field_name("alternative")
            block = others[0] if len(others) == 1 and others[0].type == "else_clause" else None
        if block is not None:
            ranges.append(block.byte_range)
    return _outermost(ranges)


def _guarded_ranges(captures: Captures, source: bytes) -> list[Range]:
    """Byte ranges of the bodies of `try` statements that catch a failing import."""
    ranges = []
    if b"except" in source:
        for node in captures.get("decision", ()):
            if CATCHES_IMPORT_ERROR.match(source, node.start_byte) and node.parent is not None:
                body = node.parent.child_by_field_name("body")
                if body is not None:
                    ranges.append(body.byte_range)
    return _outermost(ranges)


def _outermost(ranges: list[Range]) -> list[Range]:
    """The outermost of nested `ranges`, ascending."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found
