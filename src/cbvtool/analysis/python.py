"""Facts of one Python file: one parse, one query, one sweep over what the query found.

What counts as what is documented in docs/accuracy.md. Nesting comes from sorting the captured ranges, never
from visiting the nodes one by one: that would cost three times the parse.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from cbvtool.analysis.facts import Definition, FileFacts, Import
from cbvtool.analysis.read import Unreadable, to_utf8

DEEP = 3  # a statement inside this many control structures counts as deeply nested (SPEC CBV-4, NL3+)

_LANGUAGE = Language(tree_sitter_python.language())
_PARSER = Parser(_LANGUAGE)
_QUERY = Query(
    _LANGUAGE,
    """
    [(import_statement) (import_from_statement)] @import
    (class_definition) @class
    (function_definition) @function
    (decorated_definition) @decorated
    (if_statement) @if
    [(for_statement) (while_statement)] @loop
    [(try_statement) (with_statement) (match_statement)] @control
    (elif_clause) @elif
    (except_clause) @except
    [(case_clause) (conditional_expression) (for_in_clause) (if_clause) (boolean_operator)] @decision
    (comment) @comment
    (expression_statement . [(string) (concatenated_string)] .) @text
    """,
)
_DECISIONS = ("if", "elif", "loop", "except", "decision")
_CONTROLS = ("if", "loop", "control")
# A query takes time with the square of the tokens in one syntax error: this many cost a third of a second.
_ERROR_TOKENS = 20_000
# tree-sitter counts depth in 16 bits; what is captured below 65,535 levels costs minutes. So deep lie only the
# operands of machine-made expressions.
_DEEPEST = 60_000

_SHORT = 500  # bytes of a statement worth remembering

_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
_BLANK_OR_COMMENT = re.compile(rb"[ \t\f]*(#.*)?$")
_DEFAULT_CASE = re.compile(rb"case\s+_\s*:")
_NAME = re.compile(rb"(?:async\s+)?(?:def|class)\s+([^\s(:\[\\#]+)")
_IMPORT = re.compile(r"(?<!\w)import(?!\w)")
_LAYOUT = re.compile(r"#[^\n]*|\\\n")  # comments and continued lines, where no string can stand
_CATCHES_IMPORT_ERROR = re.compile(
    rb"except\b\*?(\s*:|[^:\n]*\b(ImportError|ModuleNotFoundError|Exception|BaseException)\b)"
)

_ALIAS = re.compile(rb"\bTYPE_CHECKING\s+as\s+(\w+)")

_ALWAYS, _DEFERRED, _TYPE_CHECKING = 0, 1, 2  # cbvtool.graph.When, which would bring NumPy into the workers


Captures = dict[str, list[Node]]


def read_facts(data: bytes) -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    return facts_of(to_utf8(data, declared_encoding(data)))


def declared_encoding(data: bytes) -> str | None:
    """The encoding that one of the first two lines declares (PEP 263), None = none."""
    for line in data[:1000].splitlines()[:2]:
        found = _CODING.match(line.removeprefix(b"\xef\xbb\xbf"))
        if found:
            return _common_name(found[1].decode("ascii"))
        if not _BLANK_OR_COMMENT.match(line):
            break
    return None


def _common_name(encoding: str) -> str:
    """The encoding without what editors add to it: Python takes `utf-8-unix` for `utf-8`."""
    start = encoding[:12].lower().replace("_", "-")
    names = ("utf-8", "latin-1", "iso-8859-1", "iso-latin-1")
    return next((name for name in names if start == name or start.startswith(f"{name}-")), encoding)


def facts_of(source: bytes) -> FileFacts:
    """Facts of Python text in UTF-8 with Unix line ends; raises Unreadable."""
    tree = _PARSER.parse(source)
    root = tree.root_node
    broken = root.has_error
    if broken:
        _refuse_hopeless(root)
    cursor = QueryCursor(_QUERY)
    cursor.set_max_start_depth(_DEEPEST)
    captures = cursor.captures(root)
    lines = source.split(b"\n")
    if not lines[-1]:
        lines.pop()
    marks = _marks(lines, captures.get("comment", ()), captures.get("text", ()))
    found, functions = _sweep(source, captures, marks)
    definitions, own = _measure(found, marks, _decisions(source, captures))
    return FileFacts(len(lines), *own, definitions, _imports(source, captures, functions), broken)


def _refuse_hopeless(root: Node) -> None:
    """Raise Unreadable when what was not understood is too much to be asked about (see _ERROR_TOKENS)."""
    effort, todo = 0, [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            effort += node.child_count**2
        if effort > _ERROR_TOKENS**2:
            raise Unreadable("cannot be parsed as Python")
        todo += [child for child in node.children if child.has_error]


_BLANK, _CODE, _DEEP_CODE, _COMMENT, _TEXT = range(5)  # marks of lines
_CODE_BYTE, _DEEP_BYTE = bytes([_CODE]), bytes([_DEEP_CODE])


def _marks(lines: list[bytes], comments: Iterable[Node], texts: Iterable[Node]) -> bytearray:
    """One mark for each line: what it holds. `_TEXT` is a statement that is only a string, as docstrings are."""
    marks = bytearray(map(bool, map(bytes.strip, lines)))
    for node in comments:
        row, column = node.start_point
        if not column or lines[row][:column].isspace():
            marks[row] = _COMMENT
    for node in texts:
        (first, column), (last, end_column) = node.start_point, node.end_point
        if lines[first][:column].strip():
            first += 1
        if not _BLANK_OR_COMMENT.match(lines[last], end_column):
            last -= 1
        if first <= last:
            marks[first : last + 1] = bytes([_TEXT]) * (last + 1 - first)
    return marks


def _decisions(source: bytes, captures: Captures) -> list[int]:
    """Start bytes, ascending, of everything that adds a path.

    These are if, elif, for, while, except, case (but for `case _`), conditional expressions, `and`, `or`,
    and the `for` and `if` of comprehensions.
    """
    starts = [node.start_byte for name in _DECISIONS for node in captures.get(name, ())]
    if b"case" in source:
        starts = [start for start in starts if not _DEFAULT_CASE.match(source, start)]
    starts.sort()
    return starts


class _Scope:
    """A definition (or the file) that the sweep stands in.

    row          its row among the definitions, -1 = the file
    end          first byte behind it
    in_function  it is or lies in a function
    controls     ends of the control structures that the sweep stands in, outermost first
    """

    __slots__ = ("controls", "end", "in_function", "row")

    def __init__(self, row: int, end: float, in_function: bool) -> None:
        self.row, self.end, self.in_function = row, end, in_function
        self.controls: list[int] = []


class _Found(NamedTuple):
    """A definition before its own values are known; bytes are half open, rows 0-based and inclusive."""

    parent: int
    name: str
    kind: str
    start: int
    end: int
    first: int
    last: int


_CONTROL, _DECORATED, _CLASS, _FUNCTION = range(4)
_RANKS = (
    *((name, _CONTROL) for name in _CONTROLS),
    ("decorated", _DECORATED), ("class", _CLASS), ("function", _FUNCTION),
)  # fmt: skip


_NONE = (-1, -1, -1)  # start, end and first row of a decorated definition that is still to come


def _sweep(source: bytes, captures: Captures, marks: bytearray) -> tuple[list[_Found], list[tuple[int, int]]]:
    """Definitions in source order, and the byte ranges of the outermost functions.

    Ranges are visited outermost first. Code lines in a control structure with enough others around it are marked
    `_DEEP_CODE` in `marks`; a definition starts afresh.
    """
    ranges = [
        (node.start_byte, -node.end_byte, rank, i, node)
        for name, rank in _RANKS
        for i, node in enumerate(captures.get(name, ()))
    ]
    ranges.sort()
    found: list[_Found] = []
    functions: list[tuple[int, int]] = []
    decorated = _NONE
    scope = _Scope(-1, float("inf"), False)
    around: list[_Scope] = []
    for start, negative_end, rank, _, node in ranges:
        while scope.end <= start:
            scope = around.pop()
        end = -negative_end
        if rank == _CONTROL:
            controls = scope.controls
            while controls and controls[-1] <= start:
                controls.pop()
            controls.append(end)
            if len(controls) == DEEP:
                _mark_blocks(node, marks)
        elif rank == _DECORATED:
            decorated = (start, end, node.start_point[0])
        elif name := _name(source, start, node):
            first, last = node.start_point[0], node.end_point[0]
            while last > first and marks[last] in (_BLANK, _COMMENT):
                last -= 1  # comments behind the last statement
            if decorated[1] == end:
                start, _, first = decorated
                decorated = _NONE
            if len(scope.controls) >= DEEP:
                marks[first : last + 1] = marks[first : last + 1].replace(_DEEP_BYTE, _CODE_BYTE)
            is_function = rank == _FUNCTION
            if is_function and not scope.in_function:
                functions.append((start, end))
            around.append(scope)
            found.append(_Found(scope.row, name, "function" if is_function else "class", start, end, first, last))
            scope = _Scope(len(found) - 1, end, is_function or scope.in_function)
    return found, functions


def _name(source: bytes, start: int, node: Node) -> str:
    """Name of the definition at `start`; empty when a syntax error made it up."""
    found = _NAME.match(source, start)
    if found:
        return found[1].decode()
    name = node.child_by_field_name("name")  # something unusual stands between, such as a continued line
    return (name.text or b"").decode("utf-8", "replace") if name else ""


def _mark_blocks(control: Node, marks: bytearray) -> None:
    """Mark the code lines of the statements in a control structure, but not those of its own clauses."""
    todo = [control]
    while todo:
        for child in todo.pop().children:
            if child.type.endswith("_clause"):  # elif, else, except, finally, case
                todo.append(child)
            elif child.type == "block":
                statements = [node for node in child.children if node.type != "comment"]
                if control.type == "match_statement" and statements and statements[0].type == "case_clause":
                    todo += statements
                elif statements:  # a block that opens with a comment begins on the line of the colon
                    first, last = statements[0].start_point[0], child.end_point[0]
                    marks[first : last + 1] = marks[first : last + 1].replace(_CODE_BYTE, _DEEP_BYTE)


def _measure(
    found: list[_Found], marks: bytearray, decisions: list[int]
) -> tuple[tuple[Definition, ...], tuple[int, int, int]]:
    """What is each definition's own, and the file's: its range less the ranges of the definitions inside.

    The file's is (sloc, nl3_lines, complexity).
    """
    count = marks.count
    deep = count(_DEEP_CODE)
    own = [[count(_CODE) + deep, deep, len(decisions)]]  # the file, then `found`
    for parent, _, kind, start, end, first, last in found:
        paths = bisect_left(decisions, end) - bisect_left(decisions, start)
        marked = count(_DEEP_CODE, first, last + 1) if deep else 0
        sloc = count(_CODE, first, last + 1) + marked
        above = own[parent + 1]
        above[0] -= sloc
        above[1] -= marked
        above[2] -= paths
        own.append([sloc, marked, paths + (kind == "function")])
    for values in own:
        if min(values) < 0:  # definitions share a line only where there is a syntax error
            values[:] = [max(value, 0) for value in values]
    definitions = [
        Definition(parent, name, kind, first + 1, last + 1, *values)
        for (parent, name, kind, _, _, first, last), values in zip(found, own[1:], strict=True)
    ]
    sloc, marked, paths = own[0]
    return tuple(definitions), (sloc, marked, paths)


def _imports(source: bytes, captures: Captures, functions: list[tuple[int, int]]) -> tuple[Import, ...]:
    """Every module that an import statement names, in source order."""
    nodes = sorted((node.start_byte, node.end_byte, node.start_point[0]) for node in captures.get("import", ()))
    if not nodes:
        return ()
    checked = _type_checking_ranges(source, captures)
    guarded = _guarded_ranges(source, captures)
    found = []
    for start, end, row in nodes:
        when = _DEFERRED if _is_inside(start, functions) else _ALWAYS
        if _is_inside(start, checked):
            when = _TYPE_CHECKING
        optional = _is_inside(start, guarded)
        modules = _modules_again if end - start < _SHORT else _modules
        for module, level, names in modules(source[start:end]):
            found.append(Import(module, level, names, row + 1, when, optional))
    return tuple(found)


def _is_inside(start: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether byte `start` lies in one of the ascending `ranges`, of which none begins inside another's tail."""
    row = bisect_left(ranges, (start + 1,)) - 1
    return row >= 0 and start < ranges[row][1]


def _modules(text: bytes) -> tuple[tuple[str, int, tuple[str, ...] | None], ...]:
    """(module, level, names) of every module that one import statement names."""
    statement = _LAYOUT.sub("", text.decode("utf-8", "replace"))
    if not statement.isascii():
        statement = unicodedata.normalize("NFKC", statement)  # as Python reads identifiers (PEP 3131)
    keyword = _IMPORT.search(statement)
    if keyword is None:
        return ()
    listed = [part.split() for part in statement[keyword.end() :].strip(" \t\f\n()").split(",")]
    if keyword.start() == 0:
        modules = [words[: words.index("as")] if "as" in words else words for words in listed if words]
        return tuple(("".join(words), 0, None) for words in modules)
    dotted = "".join(statement[len("from") : keyword.start()].split())
    module = dotted.lstrip(".")
    return ((module, len(dotted) - len(module), tuple(words[0] for words in listed if words)),)


_modules_again = lru_cache(4096)(_modules)  # the same statement stands in many files


def _type_checking_ranges(source: bytes, captures: Captures) -> list[tuple[int, int]]:
    """Byte ranges that only a type checker sees: `if TYPE_CHECKING:`, and the `else` of `if not TYPE_CHECKING:`.

    The name may be an attribute (`typing.TYPE_CHECKING`), an alias (`import TYPE_CHECKING as T`), or mypy's `MYPY`.
    """
    if b"TYPE_CHECKING" not in source and b"MYPY" not in source:
        return []
    aliases = {found[1] for found in islice(_ALIAS.finditer(source), 10)}
    names = b"|".join([b"TYPE_CHECKING", b"MYPY", *map(re.escape, sorted(aliases))])
    condition = re.compile(rb"(?:el)?if[\s(]+(not[\s(]+)?(?:\w+\s*\.\s*)*(?:" + names + rb")\s*(?:\)|:|and\b)")
    ranges = []
    for node in (*captures.get("if", ()), *captures.get("elif", ())):
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


def _guarded_ranges(source: bytes, captures: Captures) -> list[tuple[int, int]]:
    """Byte ranges of the bodies of `try` statements that catch a failing import."""
    ranges = []
    for node in captures.get("except", ()):
        if _CATCHES_IMPORT_ERROR.match(source, node.start_byte) and node.parent is not None:
            body = node.parent.child_by_field_name("body")
            if body is not None:
                ranges.append(body.byte_range)
    return _outermost(ranges)


def _outermost(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of nested `ranges` that lie in no other one, ascending."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found
