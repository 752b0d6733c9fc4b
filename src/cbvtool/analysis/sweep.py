"""Reading with tree-sitter: one parse, one query and one sweep over its captures, for every language with a grammar.

Nesting is found by sorting the captured ranges, because visiting the nodes one by one would cost three times the parse.
The query of a language uses these names of captures:

| capture | of |
|---|---|
| `def.KIND` | a definition (class, function, ...): its syntax node, for a graph node of that kind |
| `name` | the name of the innermost definition around it; without a name, a definition does not count |
| `result` | the declared type of the innermost definition around it |
| `outer` | text that belongs to a definition with the same end, before it: decorators, `export`, `template <...>` |
| `parameters` | a parameter list of the innermost definition around it |
| `parameter` | one parameter of it, if lists do not show how many there are |
| `control` | a control structure, which adds a level of nesting |
| `chained` | a control structure that continues another one (`else if`), without a level of nesting |
| `decision` | a node or token that adds a path (McCabe) |
| `fork` | both `control` and `decision` |
| `block` | a node whose named children are statements |
| `clause` | a child of a `block` that is not a statement: a case |
| `between` | a comment that is a child of a `block`; if a query captures these, blocks are not searched for comments |
| `statement` | a statement that lies in no block (`if (x) return;`) |
| `comment` | a comment |
| `text` | a statement that is only a string, such as a docstring; it does not count as code |
| `call`, `create`, `inherit`, `type`, `refer` | the name in such a use; at one position, the first of these counts |
| `local` | the name of a variable where it is declared: parameters, loop variables, patterns |
| `small` | as `local`, if it begins with a small letter; for `small_variables` |
| `plain` | as `local`, for a variable to which a call of that name never refers |
| `region` | the range in which variables declared in it are visible: functions, blocks, loops |
| `members` | the range in which variables are members of a class, not of a function |
| `let` | a declaration whose variables are visible only after it |

A `part` of a longer name is not a use of its own. All other captures of a query are for the language itself.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise, repeat
from operator import attrgetter
from typing import NamedTuple

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from cbvtool.analysis.facts import (
    CALL,
    CREATE,
    DECLARE,
    INHERIT,
    OUTER,
    REFER,
    TYPE,
    Definition,
    FileFacts,
    Import,
    Measures,
    Uses,
)
from cbvtool.regular_file import Unreadable

DEEP = 3  # a statement inside this many control structures counts as deeply nested (CBV-4, NL3+)

# The time of a query is quadratic in the tokens of one syntax error: this many cost a third of a second.
_ERROR_TOKENS = 20_000

Captures = Mapping[str, list[Node]]
Range = tuple[int, int]
RawUse = tuple[int, int, str, str, int]

_USES = (("call", CALL), ("create", CREATE), ("inherit", INHERIT), ("type", TYPE), ("refer", REFER))


def dotted(text: bytes) -> str:
    """A name in the form of `facts.Use`: `a.b.c` for `a::b->c`, `f().c` for `f(x).c`, `.c` for `(a + b).c`.

    Empty if it is not a name.
    """
    plain = text if text.isalnum() else _BLANKS.sub(b"", text[-_LONGEST_CHAIN:])
    count = int(b"<" in plain)
    while count:  # type arguments
        plain, count = _TYPE_ARGUMENTS.subn(b"", plain)
    if b"(" in plain and len(plain) < _LONGEST_CHAIN:
        chain, count = plain, 1
        while count:
            chain, count = _ARGUMENTS.subn(b"\0", chain)
        plain = chain.replace(b"\0", b"()") if b"(" not in chain else plain
    if _PLAIN.fullmatch(plain):
        return _JOINTS.sub(b".", plain).decode("utf-8", "replace").strip(".")
    last = _LAST.search(plain)
    return "." + last[1].decode("utf-8", "replace") if last else ""


_BLANKS = re.compile(rb"\s+|/\*.*?\*/|//[^\n]*\n", re.DOTALL)


def callee(text: bytes) -> str:
    """The called name in a whole call with its arguments: `a.f` for `a.f(x, g(y))`; empty for other calls."""
    head = _HEAD.match(text)
    if head and _behind_arguments(text, head.end()) == len(text):
        return dotted(head[0])
    return dotted(text).removesuffix("()")


def _behind_arguments(text: bytes, at: int) -> int:
    """Position after the bracket that closes the one at `at`; 0 = it is not closed."""
    depth = 0
    for bracket in _BRACKET.finditer(text, at):
        depth += 1 if bracket[0] == b"(" else -1
        if depth == 0:
            return bracket.end()
    return 0


_HEAD = re.compile(rb"[\w$@\\\x80-\xff]+(?:\s*(?:\.|->|::|\?->|\?\.|&\.|!!\.)\s*[\w$?!\x80-\xff]+)*(?=\()")
_BRACKET = re.compile(rb"[()]")
_REMEMBERED = 1 << 15  # texts whose meaning is cached in a process, because they occur in many files
_LONGEST_USE = 1000  # bytes at the end of a use that are examined; its name is there
_LONGEST_CHAIN = 300  # bytes at the end of a chain of calls that are analysed
_TYPE_ARGUMENTS = re.compile(rb"(?:::)?<[^<>()]*>")
_ARGUMENTS = re.compile(rb"(?<=[\w$>\]\x80-\xff])\([^()]*\)")
_PLAIN = re.compile(rb"(?:::)?[\w$@#\x80-\xff]+(?:\(\))?(?:(?:\.|->|::|\?\.|!!?\.)[\w$@#~\x80-\xff]+(?:\(\))?)*")
_JOINTS = re.compile(rb"->|::|\?\.|!!?\.")
_LAST = re.compile(rb"(?:\.|->|::)([\w$@#~\x80-\xff]+)$")


@dataclass(frozen=True, eq=False)
class Syntax:
    """How to read a language.

    name     for people
    grammar  its tree-sitter grammar
    query    one query for all captures; see above
    bodies   types of nodes whose children are statements; usually `block` in the query
    clauses  types of nodes that are a part of a control structure and hold bodies: else, catch, case
    spell    text of a used name -> the name in the form of `facts.Use`; empty = not a name
    typed    text of a declared type -> the name of the class of its values; empty = none
    count    text of a `parameters` node -> number of parameters; None = number of the node's children
    amend    changes the captures before they are swept
    deepest  levels of nodes below which nothing is captured; only generated expressions are deeper. The time of a
             pattern with children is quadratic in this. Never more than 60,000: tree-sitter counts in 16 bits.
    shallow  a further query for nodes at most `depth` levels below the root; its patterns need not contain these levels
    """

    name: str
    grammar: Language
    query: str
    bodies: frozenset[str]
    clauses: frozenset[str] = frozenset()
    spell: Callable[[bytes], str] = dotted
    typed: Callable[[bytes], str] = dotted
    count: Callable[[bytes], int] | None = None
    shallow: str = ""
    depth: int = 0
    amend: Callable[[dict[str, list[Node]]], None] | None = None
    deepest: int = 2_000
    parser: Parser = field(init=False, repr=False)
    compiled: Query = field(init=False, repr=False)
    compiled_shallow: Query | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parser", Parser(self.grammar))
        object.__setattr__(self, "compiled", Query(self.grammar, self.query))
        object.__setattr__(self, "compiled_shallow", Query(self.grammar, self.shallow) if self.shallow else None)
        object.__setattr__(self, "spell", lru_cache(_REMEMBERED)(self.spell))
        object.__setattr__(self, "typed", lru_cache(_REMEMBERED)(self.typed))
        if self.count:
            object.__setattr__(self, "count", lru_cache(_REMEMBERED)(self.count))


class LostLines(NamedTuple):
    """Lines of a file that the grammar did not understand, and those of them with macros or directives."""

    lines: int = 0
    to_macros: int = 0


class Swept(NamedTuple):
    """The results of sweeping one file.

    own        the file's own measures
    uses       rows for `facts.Uses.pack`, by line
    starts     first byte of each use
    ranges     byte range of each definition
    functions  byte ranges of the outermost functions, ascending
    written    the lines of the file itself, even if `source` is a modified version of it
    left_out   number of code lines that `source` leaves out
    """

    source: bytes
    root: Node
    captures: Captures
    lines: int
    own: Measures
    definitions: tuple[Definition, ...]
    uses: list[RawUse]
    starts: list[int]
    ranges: list[Range]
    functions: list[Range]
    scopes: _Scopes
    broken: bool
    written: Sequence[bytes]
    left_out: int = 0

    def lost(self) -> LostLines:
        """Lines that were not understood; counted on demand, because a file may be swept in several versions."""
        found = lost_lines(self.root, self.written) if self.broken else LostLines()
        return LostLines(found.lines + self.left_out, found.to_macros + self.left_out)

    def nodes(self, capture: str) -> list[Node]:
        """The nodes captured under this name, in source order."""
        return in_order(self.captures, capture)

    def text(self, node: Node) -> bytes:
        """The source of `node`."""
        return self.source[node.start_byte : node.end_byte]

    def facts(self, imports: Iterable[Import], package: str = "", uses: Iterable[RawUse] = ()) -> FileFacts:
        """All facts of the file; `uses` in addition to those of the sweep, such as declared types of variables."""
        rows = list(uses)
        used = hidden(self, rows) if {"local", "plain"} & self.captures.keys() else [*self.uses, *rows]
        return FileFacts(
            self.lines,
            self.own,
            self.definitions,
            tuple(imports),
            Uses.pack(used),
            self.broken,
            package,
            lost_lines=self.lost().lines,
        )

    def scope_of(self, start: int) -> int:
        """Row of the innermost definition that holds the byte `start`; -1 = the file."""
        return self.scopes.at(start)


def sweep(syntax: Syntax, source: bytes, text: bytes = b"") -> Swept:
    """Read `source`, UTF-8 with Unix line ends; raises Unreadable.

    text  the original file, if `source` is a parsable version of it, of the same length; lines are those of `text`
    """
    root = parsed(syntax, source).root_node
    broken = root.has_error
    if broken:
        _refuse_hopeless(root, syntax.name)
    captures = captured(syntax, root)
    if syntax.amend is not None:
        syntax.amend(captures)
    lines = (text or source).splitlines(True)
    comments = captures.get("comment", ())
    marks = _marks(lines, comments, captures.get("text", ()))
    found, scopes, functions, nesting = _nest(captures, marks, syntax)
    names = _names(source, captures, scopes)
    if len(names) - (-1 in names) < len(found):
        found, scopes, nesting = _only_named(found, scopes, nesting, names)
        names = _names(source, captures, scopes)
    own, definitions = _measure(source, captures, found, scopes, marks, names, nesting, syntax)
    uses, starts = _uses(source, captures, scopes, syntax.spell)
    ranges = [(row.start, row.end) for row in found]
    return Swept(
        source, root, captures, len(lines), own, definitions, uses, starts, ranges, functions, scopes, broken, lines
    )


def lone_branches(captures: dict[str, list[Node]], block: str) -> None:
    """Capture as `statement` each `branch` that is neither a `block` (a type of nodes) nor a `chained` structure."""
    branches = captures.pop("branch", [])
    if branches:
        chained = set(map(_START, captures.get("chained", ())))
        lone = [node for node in branches if node.type != block and node.start_byte not in chained]
        captures.setdefault("statement", []).extend(lone)


def small_variables(captures: dict[str, list[Node]]) -> None:
    """Capture as `local` the names in patterns that begin with a small letter; the others are constants."""
    small = [node for node in captures.pop("small", ()) if node.text and not node.text[:1].isupper()]
    if small:
        captures.setdefault("local", []).extend(small)


def imports_only(source: bytes, imports: Iterable[Import], package: str = "") -> FileFacts:
    """Facts for a first graph: number of lines, and imports."""
    lines = source.count(b"\n") + (not source.endswith(b"\n") if source else 0)
    return FileFacts(lines, imports=tuple(imports), package=package)


def in_order(captures: Captures, capture: str) -> list[Node]:
    """The nodes captured under this name, in source order, outermost last."""
    return sorted(captures.get(capture, ()), key=_RANGE)


_RANGE = attrgetter("byte_range")


def captured(syntax: Syntax, root: Node) -> dict[str, list[Node]]:
    """All captures of the queries below `root`, in an order that differs from run to run (see `in_order`)."""
    cursor = QueryCursor(syntax.compiled)
    cursor.set_max_start_depth(syntax.deepest)
    captures = cursor.captures(root)
    if syntax.compiled_shallow is not None:
        cursor = QueryCursor(syntax.compiled_shallow)
        cursor.set_max_start_depth(syntax.depth)
        for capture, nodes in cursor.captures(root).items():
            captures.setdefault(capture, []).extend(nodes)
    return captures


def parsed(syntax: Syntax, source: bytes) -> Tree:
    """The syntax tree. Raises Unreadable if parsing takes too long; its time is quadratic in syntax errors."""
    if len(source) < _SMALL:
        return syntax.parser.parse(source)
    end = time.thread_time() + _PATIENCE
    try:
        return syntax.parser.parse(
            lambda at, _: source[at : at + _PIECE], progress_callback=lambda *_: time.thread_time() > end
        )
    except ValueError:  # parsing was stopped
        syntax.parser.reset()
        raise Unreadable(f"takes more than {_PATIENCE} seconds to be parsed as {syntax.name}") from None


_SMALL = 40_000  # bytes of a file that takes seconds at worst
_PIECE = 65_536  # bytes passed to the parser at a time
_PATIENCE = 10  # seconds of processor time; 5 MB of usual source take less than two


def _refuse_hopeless(root: Node, language: str) -> None:
    """Raise Unreadable if a syntax error is too large to be queried (see _ERROR_TOKENS)."""
    effort, todo = 0, [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            effort += node.child_count**2
        if effort > _ERROR_TOKENS**2:
            raise Unreadable(f"cannot be parsed as {language}")
        todo += [child for child in node.children if child.has_error]


def lost_lines(root: Node, lines: Sequence[bytes]) -> LostLines:
    """The `lines` (of the file) that are not understood below `root`.

    These are lines with a token directly in a syntax error, or where a token is missing. Inside a syntax error, a
    statement, a declaration, or anything of several lines counts as understood if it holds no error itself.
    """
    rows: set[int] = set()
    macros: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if node.is_missing:
            found = {node.start_point[0]}
        elif node.is_error:
            found = {node.start_point[0]}
            for child in node.children:
                first, last = child.start_point[0], child.end_point[0]
                if child.has_error:
                    todo.append(child)
                elif not child.is_extra and not (child.child_count and (first < last or _is_whole(child.type))):
                    found.update(range(first, last + 1))
        else:
            todo += [child for child in node.children if child.has_error]
            continue
        rows |= found
        if any(_MACRO.search(lines[row]) for row in found if row < len(lines)):
            macros |= found
    return LostLines(len(rows), len(macros))


def _is_whole(kind: str) -> bool:
    """Whether a node of this type is a statement or a declaration, in any grammar."""
    return kind.endswith(("statement", "declaration", "definition", "_item")) or kind.startswith("preproc_")


# A name in the usual form of macros, with arguments or alone on its line; or a directive.
_MACRO = re.compile(rb"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b[A-Z][A-Z0-9_]{2,}\s*\(|^\s*[A-Z][A-Z0-9_]{2,}\s*$|^\s*#")


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _names(source: bytes, captures: Captures, scopes: _Scopes) -> dict[int, str]:
    """The name of each definition, by row; -1 = name outside of definitions."""
    starts, rows = scopes
    return {
        rows[bisect_right(starts, node.start_byte) - 1]: _text(source, node)
        for node in reversed(in_order(captures, "name"))
    }


_START = attrgetter("start_byte")


# -- lines -----------------------------------------------------------------------------------------------------

_BLANK, _CODE, _DEEP_CODE, _COMMENT, _TEXT = range(5)  # marks of lines
_CODE_BYTE, _DEEP_BYTE, _COMMENT_BYTE, _TEXT_BYTE = (bytes([mark]) for mark in (_CODE, _DEEP_CODE, _COMMENT, _TEXT))
_BLANK_OR_CODE = bytes([_CODE, _BLANK]).ljust(256)  # translates bytes that say whether a line is blank
_NO_CODE_BEHIND = re.compile(rb"[ \t\f;]*(#.*|//.*|/\*.*\*/\s*)?$")


def _marks(lines: Sequence[bytes], comments: Iterable[Node], texts: Iterable[Node]) -> bytearray:
    """One mark for each line, by its content. `_TEXT` is a statement that is only a string, such as a docstring."""
    marks = bytearray(map(bytes.isspace, lines)).translate(_BLANK_OR_CODE)
    several: dict[int, bytearray] = {}  # lines with possibly several comments
    for node in comments:
        first, column = node.start_point
        before = lines[first][:column]
        if before and not before.isspace():
            if before.rstrip().endswith(b"*/"):
                several[first] = bytearray(lines[first])
            first += 1  # the comment follows code
        last, end = node.end_point
        if first == last:
            if end >= len(lines[first]) or not lines[first][end:].strip():
                marks[first] = _COMMENT
        elif first < last:
            if end == 0 or lines[last][end:].strip():
                last -= 1  # the comment ends with its line, or code follows
            for row in range(first, last + 1):
                if marks[row]:
                    marks[row] = _COMMENT
    if several:
        _blank_out(several, comments)
        for row, left in several.items():
            if left.isspace():
                marks[row] = _COMMENT
    for node in texts:
        (first, column), (last, end) = node.start_point, node.end_point
        if lines[first][:column].strip():
            first += 1
        if not _NO_CODE_BEHIND.match(lines[last], end):
            last -= 1
        if first <= last:
            marks[first : last + 1] = _TEXT_BYTE * (last + 1 - first)
    return marks


def _blank_out(lines: Mapping[int, bytearray], comments: Iterable[Node]) -> None:
    """Replace comments by blanks; `lines` by row."""
    for node in comments:
        (first, column), (last, end) = node.start_point, node.end_point
        for row in {first, last} & lines.keys():
            line = lines[row]
            start, stop = column if row == first else 0, end if row == last else len(line)
            line[start:stop] = b" " * (stop - start)


# -- nesting ---------------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A definition before its own values are known; bytes are half open, rows 0-based and inclusive."""

    parent: int
    kind: str
    start: int
    end: int
    first: int
    last: int


class _Scopes(NamedTuple):
    """The innermost definition at each byte: from `starts[i]` on it is `rows[i]`."""

    starts: list[int]
    rows: list[int]

    def at(self, start: int) -> int:
        return self.rows[bisect_right(self.starts, start) - 1]


class _Open:
    """An open definition (or the file) during the sweep; `controls`: ends of the open control structures."""

    __slots__ = ("controls", "deepest", "end", "in_function", "row")

    def __init__(self, row: int, end: float, in_function: bool) -> None:
        self.row, self.end, self.in_function = row, end, in_function
        self.controls: list[int] = []
        self.deepest = 0


_CONTROL, _OUTER, _DEFINITION = range(3)
_FUNCTION = "function"


def _nest(captures: Captures, marks: bytearray, syntax: Syntax) -> tuple[list[_Found], _Scopes, list[Range], list[int]]:
    """Definitions in source order, where each is innermost, ranges of the outermost functions, and the nesting.

    The nesting is that of the file, then of each definition.

    Ranges are visited outermost first. Code lines in a control structure that is nested deeply enough are marked
    `_DEEP_CODE` in `marks`; nesting starts anew in each definition.
    """
    chained = {node.start_byte for node in captures.get("chained", ())}
    ranges = [
        (start, -node.end_byte, _CONTROL, i, "", node)
        for i, node in enumerate((*captures.get("control", ()), *captures.get("fork", ())))
        if (start := node.start_byte) not in chained
    ]
    ranges += [
        (node.start_byte, -node.end_byte, _OUTER, i, "", node) for i, node in enumerate(captures.get("outer", ()))
    ]
    for capture, nodes in captures.items():
        if capture.startswith("def."):
            kind = capture[4:]
            ranges += [(node.start_byte, -node.end_byte, _DEFINITION, i, kind, node) for i, node in enumerate(nodes)]
    ranges.sort()
    found: list[_Found] = []
    starts, rows = [0], [-1]
    functions: list[Range] = []
    nesting: list[int] = [0]  # of the file, then of each definition
    outer: dict[int, tuple[int, int]] = {}  # end -> start and first row of the outermost definition that ends there
    scope = _Open(-1, float("inf"), False)
    around: list[_Open] = []
    for start, negative_end, rank, _, kind, node in ranges:
        while scope.end <= start:
            starts.append(int(scope.end))
            scope = around.pop()
            rows.append(scope.row)
        end = -negative_end
        if rank == _CONTROL:
            controls = scope.controls
            while controls and controls[-1] <= start:
                controls.pop()
            controls.append(end)
            if len(controls) > nesting[scope.row + 1]:
                nesting[scope.row + 1] = len(controls)
            if len(controls) == DEEP:
                _mark_bodies(node, marks, syntax)
        elif rank == _OUTER:
            outer.setdefault(end, (start, node.start_point[0]))
        else:
            first, last = node.start_point[0], node.end_point[0]
            while last > first and (last >= len(marks) or marks[last] in (_BLANK, _COMMENT)):
                last -= 1  # comments after the last statement
            if end in outer:
                begin, row = outer.pop(end)
                if begin >= (found[scope.row].start if scope.row >= 0 else 0):
                    start, first = begin, row
            if len(scope.controls) >= DEEP:
                marks[first : last + 1] = marks[first : last + 1].replace(_DEEP_BYTE, _CODE_BYTE)
            is_function = kind == _FUNCTION
            if is_function and not scope.in_function:
                functions.append((start, end))
            around.append(scope)
            found.append(_Found(scope.row, kind, start, end, first, last))
            nesting.append(0)
            scope = _Open(len(found) - 1, end, is_function or scope.in_function)
            starts.append(start)
            rows.append(scope.row)
    while around:
        starts.append(int(scope.end))
        scope = around.pop()
        rows.append(scope.row)
    return found, _Scopes(starts, rows), functions, nesting


def _only_named(
    found: list[_Found], scopes: _Scopes, nesting: list[int], names: Mapping[int, str]
) -> tuple[list[_Found], _Scopes, list[int]]:
    """As the arguments, without definitions that have no name (artefacts of syntax errors).

    Their content moves outward.
    """
    number = {-1: -1}
    kept: list[_Found] = []
    nestings = [nesting[0]]
    for row, definition in enumerate(found):
        above = number[definition.parent]
        if names.get(row):
            number[row] = len(kept)
            kept.append(definition._replace(parent=above))
            nestings.append(nesting[row + 1])
        else:
            number[row] = above
            nestings[above + 1] = max(nestings[above + 1], nesting[row + 1])
    return kept, _Scopes(scopes.starts, [number[row] for row in scopes.rows]), nestings


def _mark_bodies(control: Node, marks: bytearray, syntax: Syntax) -> None:
    """Mark the code lines of the statements in a control structure, but not those of its own clauses."""
    todo = [control]
    while todo:
        node = todo.pop()
        for i, child in enumerate(node.children):
            kind = child.type
            if kind in syntax.bodies:
                statements = [inner for inner in child.children if inner.is_named and not inner.is_extra]
                if statements and all(inner.type in syntax.clauses for inner in statements):
                    todo += statements
                elif statements:  # a block that opens with a comment begins on the line of its brace or colon
                    _mark(marks, statements[0], statements[-1])
            elif kind in syntax.clauses:
                todo.append(child)
            elif (
                child.is_named
                and not child.is_extra
                and (node.type == "else_clause" or node.field_name_for_child(i) in _BODY_FIELDS)
            ):
                if kind == control.type:
                    todo.append(child)  # else if
                else:
                    _mark(marks, child, child)


_BODY_FIELDS = ("body", "consequence", "alternative")


def _mark(marks: bytearray, begin: Node, end: Node) -> None:
    first, last = begin.start_point[0], end.end_point[0]
    marks[first : last + 1] = marks[first : last + 1].replace(_CODE_BYTE, _DEEP_BYTE)


# -- measures --------------------------------------------------------------------------------------------------


def _measure(
    source: bytes,
    captures: Captures,
    found: list[_Found],
    scopes: _Scopes,
    marks: bytearray,
    names: Mapping[int, str],
    nesting: list[int],
    syntax: Syntax,
) -> tuple[Measures, tuple[Definition, ...]]:
    """Own measures of the file, and of each definition: those of its range minus the ranges of inner definitions."""
    count, at = marks.count, scopes.at
    deep = count(_DEEP_CODE)
    size = len(found) + 1
    sloc, nl3, commented = [count(_CODE) + deep], [deep], [count(_COMMENT)]  # of the file, then of each in `found`
    complexity = _tally(captures, ("decision", "fork"), scopes, size)
    for row, (parent, kind, _, _, first, last) in enumerate(found, 1):
        marked = count(_DEEP_CODE, first, last + 1) if deep else 0
        code, remarks = count(_CODE, first, last + 1) + marked, count(_COMMENT, first, last + 1)
        sloc[parent + 1] -= code
        nl3[parent + 1] -= marked
        commented[parent + 1] -= remarks
        sloc.append(code)
        nl3.append(marked)
        commented.append(remarks)
        complexity[row] += kind == _FUNCTION
    comments = sorted(map(_START, captures.get("comment", ())))
    statements = _statements(captures, scopes, size, [] if "@between" in syntax.query else comments)
    parameters = _tally(captures, ("parameter",), scopes, size)
    for node in captures.get("parameters", ()):
        start = node.start_byte
        parameters[at(start) + 1] += (
            syntax.count(source[start : node.end_byte]) if syntax.count else _children(node, start, comments)
        )
    results = {
        at(node.start_byte): syntax.typed(source[node.start_byte : node.end_byte])
        for node in in_order(captures, "result")
    }
    for column in (sloc, nl3, commented):
        if min(column) < 0:  # several definitions share a line
            column[:] = [max(value, 0) for value in column]
    own, *measures = [
        Measures(
            sloc=sloc[i],
            nl3_lines=nl3[i],
            complexity=complexity[i],
            statements=statements[i],
            nesting=nesting[i],
            comments=commented[i],
        )
        for i in range(size)
    ]
    definitions = tuple(
        Definition(
            row.parent,
            names[i],
            row.kind,
            row.first + 1,
            row.last + 1,
            measures[i],
            parameters[i + 1],
            results.get(i, ""),
        )
        for i, row in enumerate(found)
    )
    return own, definitions


def _tally(captures: Captures, named: Iterable[str], scopes: _Scopes, size: int) -> list[int]:
    """Number of nodes of the captures `named` that begin in the file itself, and in each definition."""
    counts = [0] * size
    places = sorted(map(_START, chain.from_iterable(captures.get(name, ()) for name in named)))
    if places:
        before = [*map(bisect_left, repeat(places), scopes.starts), len(places)]
        for row, (first, behind) in zip(scopes.rows, pairwise(before), strict=True):
            counts[row + 1] += behind - first
    return counts


def _children(node: Node, start: int, comments: list[int]) -> int:
    """Number of named children of the node at `start`, without comments; `comments`: starts of those, ascending."""
    here = bisect_left(comments, start)
    if here < len(comments) and comments[here] < node.end_byte:
        return sum(not child.is_extra for child in node.named_children)
    return node.named_child_count


def _statements(captures: Captures, scopes: _Scopes, size: int, comments: list[int]) -> list[int]:
    """Number of statements of the file, and of each definition.

    `comments`: starts of comments that may be in blocks.
    """
    starts, rows = scopes
    counts = _tally(captures, ("statement",), scopes, size)
    for node in captures.get("block", ()):
        start = node.start_byte
        # Use the byte before, because a block without braces begins at the first definition in it.
        counts[rows[bisect_right(starts, start - 1) - 1] + 1] += (
            _children(node, start, comments) if comments else node.named_child_count
        )
    for row, others in enumerate(_tally(captures, ("clause", "between", "text"), scopes, size)):
        counts[row] -= others
    return counts


# -- uses ------------------------------------------------------------------------------------------------------


def _uses(
    source: bytes, captures: Captures, scopes: _Scopes, spell: Callable[[bytes], str]
) -> tuple[list[RawUse], list[int]]:
    """Every use and its first byte, in source order; at most one at a position, except calls of results of calls."""
    named = {node.start_byte for capture in ("name", "part") for node in captures.get(capture, ())}
    taken = set(named)
    starts, rows = scopes
    found: list[tuple[int, int, str]] = []
    for capture, kind in _USES:
        # The longest at a position first.
        for start, end in sorted(map(_RANGE, captures.get(capture, ())), reverse=True):
            if start in (named if kind == CALL else taken):  # all calls of a chain start at one position
                continue
            taken.add(start)
            name = spell(source[start if end - start < _LONGEST_USE else end - _LONGEST_USE : end])
            if name:
                found.append((start, kind, name))
    found.sort()
    uses: list[RawUse] = []
    line, counted = 1, 0  # faster than asking each node for its row
    for start, kind, name in found:
        line += source.count(b"\n", counted, start)
        counted = start
        uses.append((rows[bisect_right(starts, start) - 1], kind, name, "", line))
    return uses, [start for start, _, _ in found]


def declared(swept: Swept, variables: Callable[[bytes], tuple[tuple[str, ...], str]]) -> list[RawUse]:
    """The variables whose type the source shows, from the captures `declare`.

    variables  text of a declaration -> (names of the variables, their type, or `f()` for the result of a call); an
               empty type = it is not shown. Only the first bytes of long declarations are examined.
    """
    found = []
    for node in swept.nodes("declare"):
        start = node.start_byte
        names, kind = variables(swept.source[start : min(node.end_byte, start + _LONGEST_DECLARATION)])
        if kind:
            scope, line = swept.scope_of(start), node.start_point[0] + 1
            found += [(scope, DECLARE, name, kind, line) for name in names]
    return found


_LONGEST_DECLARATION = 150  # bytes


# -- variables that hide others --------------------------------------------------------------------------------


def hidden(swept: Swept, declarations: list[RawUse]) -> list[RawUse]:
    """The uses and the `declarations` of variables, corrected where a variable hides another meaning of its name.

    A value that begins with a variable of undeclared type gets no name (`.c` for `x.c`). A value that begins with a
    declared variable's name outside of the variable's range refers to the name's meaning outside the function
    (`facts.OUTER`), for example in `x = x()`. Types are not changed, because no variable is a type.
    """
    heads = [name.partition(".")[0].removesuffix("()") for _, _, name, _, _ in swept.uses]
    values, callables = _visible(
        swept, {head for head, use in zip(heads, swept.uses, strict=True) if use[1] in _VALUES}
    )
    known: dict[int, set[str]] = {}  # function -> names of variables with a declared type
    for scope, kind, name, _, _ in declarations:
        if kind == DECLARE:
            known.setdefault(scope, set()).add(name)
    around = _Around(swept.definitions, known)
    found: list[RawUse] = []
    for start, head, use in zip(swept.starts, heads, swept.uses, strict=True):
        scope, kind, name, _, line = use
        if kind not in _VALUES or head not in values:
            found.append(use)
            continue
        is_path = swept.source.startswith(b"::", start + len(head.encode()))
        visible = callables.get(head) if name == head and kind == CALL else values[head]
        if visible is not None and not is_path and visible.holds(start):
            if around.declares(scope, head) or around.container_declares(scope, head):
                found.append(use)
            elif kind == CALL:  # a call of an unknown value
                rest = name[len(head) :].removeprefix("()")
                found.append((scope, kind, rest or ".", "", line))
        elif around.declares(scope, head):
            found.append((scope, kind, OUTER + name, "", line))
        else:
            found.append(use)
    for scope, kind, name, other, line in declarations:
        itself = other.endswith("()") and other.partition(".")[0].removesuffix("()") == name
        found.append((scope, kind, name, OUTER + other if itself else other, line))
    return found


_VALUES = frozenset({CALL, REFER})


class _Around:
    """The variables with a declared type that a function sees: its own, and those of enclosing functions."""

    def __init__(self, definitions: Sequence[Definition], known: Mapping[int, set[str]]) -> None:
        self.known = known
        # Function -> container of its outermost enclosing function; others map to themselves.
        self.container: dict[int, int] = {-1: -1}
        self.above: list[int] = []  # row -> enclosing function; -2 = none
        for row, definition in enumerate(definitions):
            parent, is_function = definition.parent, definition.kind == _FUNCTION
            inside = is_function and parent >= 0 and definitions[parent].kind == _FUNCTION
            self.above.append(parent if inside else -2)
            self.container[row] = row if not is_function else self.container[parent] if inside else parent

    def declares(self, scope: int, name: str) -> bool:
        """Whether the function or one around it declares `name`."""
        for _ in range(_DEEPEST_FUNCTIONS):
            if scope < 0 or self.container[scope] == scope:
                return False
            if name in self.known.get(scope, ()):
                return True
            scope = self.above[scope]
        return False

    def container_declares(self, scope: int, name: str) -> bool:
        """Whether a closure in the enclosing class or file declares `name`.

        Such a variable belongs to that class or file.
        """
        return name in self.known.get(self.container[scope], ())


_DEEPEST_FUNCTIONS = 20  # most levels of nested functions


class Visible:
    """The ranges in which a variable of one name is visible; queries must come in ascending order.

    ranges  (first byte, byte after the last), ascending; any two are nested or disjoint
    """

    def __init__(self) -> None:
        self.ranges: list[Range] = []
        self._next = 0
        self._open: list[int] = []

    def holds(self, start: int) -> bool:
        """Whether one of the ranges holds the byte `start`, which must not be before that of the previous call."""
        while self._next < len(self.ranges) and self.ranges[self._next][0] <= start:
            end = self.ranges[self._next][1]
            while self._open and self._open[-1] <= self.ranges[self._next][0]:
                self._open.pop()
            if not self._open or end < self._open[-1]:
                self._open.append(end)
            self._next += 1
        while self._open and self._open[-1] <= start:
            self._open.pop()
        return bool(self._open)


def _visible(swept: Swept, names: set[str]) -> tuple[dict[str, Visible], dict[str, Visible]]:
    """Name in `names` -> ranges where variables of that name are visible; a second table only for callable ones."""
    captures = swept.captures
    places = [
        (node.start_byte, -node.end_byte, rank, "")
        for rank, capture in enumerate(("region", "members", "let"))
        for node in captures.get(capture, ())
    ]
    for capture, rank in (("plain", _VALUE_ONLY), ("local", VARIABLE)):
        for node in captures.get(capture, ()):
            name = _text(swept.source, node)
            if name in names:
                places.append((node.start_byte, -node.end_byte, rank, name))
    return visible(places)


REGION, _MEMBERS, _LET, _VALUE_ONLY, VARIABLE = range(5)


def visible(places: Iterable[tuple[int, int, int, str]]) -> tuple[dict[str, Visible], dict[str, Visible]]:
    """Ranges in which variables are visible, for all variables and for callable ones.

    places  first byte, negated byte after the last, kind of capture, and the name of a variable
    """
    values: dict[str, Visible] = {}
    callables: dict[str, Visible] = {}
    regions: list[tuple[int, int, bool]] = []
    lets: list[Range] = []
    for start, negative, rank, name in sorted(places):
        while regions and regions[-1][1] <= start:
            regions.pop()
        while lets and lets[-1][1] <= start:
            lets.pop()
        if rank <= _MEMBERS:
            regions.append((start, -negative, rank == _MEMBERS))
        elif rank == _LET:
            lets.append((start, -negative))
        elif regions and not regions[-1][2]:
            first = lets[-1][1] if lets and lets[-1][0] >= regions[-1][0] else start
            values.setdefault(name, Visible()).ranges.append((first, regions[-1][1]))
            if rank == VARIABLE:
                callables.setdefault(name, Visible()).ranges.append((first, regions[-1][1]))
    for table in (values, callables):
        for found in table.values():
            found.ranges.sort()
    return values, callables
