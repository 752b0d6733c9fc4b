"""Uses in one Python file, and the flow of values in it, as texts: `python.values` analyses these when needed.

In addition to calls, references, bases and types, the uses are

    DECLARE x T      the variable x has the annotated type T
    DECLARE () text  the parameters of this function, as written
    ASSIGN x e       x (also self.x, x[k] or x, y) holds the expression e from here on
    ASSIGN ?x e      x may hold e: the statement lies in a control structure
    ASSIGN () e      this function returns e; ()[] = it yields e
    ASSIGN @ e       this definition is decorated by e
    ASSIGN with e    a `with` statement without `as`; e is the value that it enters
    REFER x text     x is an argument in a call; `text` is the call, as written, from its name to the argument

Names that, as far as this file shows, cannot lead to a definition are left out. The limit for this module is half
of the parser's time (docs/speed.md).
"""

from __future__ import annotations

import builtins
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, repeat
from typing import TYPE_CHECKING

from cbvtool.analysis.facts import ASSIGN, CALL, CREATE, DECLARE, INHERIT, REFER, TYPE, Import, Uses
from cbvtool.analysis.sweep import Range, Swept

if TYPE_CHECKING:
    from tree_sitter import Node

# The captures of Python's query for this module.
QUERY = """
    (decorator (_) @decorator)
    (class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
    (type) @annotation
    (call function: (_) @called)
    (assignment) @assignment
    [(return_statement) (yield)] @given
    (as_pattern) @as
    (with_item value: [(identifier) (attribute) (call) (subscript)] @opened)
    (raise_statement . [(identifier) (attribute)] @raised)
    (attribute) @value
    (argument_list (identifier) @value)
    (keyword_argument value: (identifier) @value)
    (pair value: [(identifier) (attribute)] @item)
    (list [(identifier) (attribute)] @item)
    (tuple [(identifier) (attribute)] @item)
    (set [(identifier) (attribute)] @item)
    (expression_list [(identifier) (attribute)] @item)
    (named_expression name: (identifier) @bound)
    (case_pattern . (dotted_name . (identifier) @bound .))
    (keyword_pattern (dotted_name . (identifier) @bound .))
    (splat_pattern (identifier) @bound)
    (lambda parameters: (lambda_parameters)) @lambda
"""

# Builtin names of all supported Pythons: calling one is not a use of the project, unless the project redefines it.
_BUILTINS = frozenset(name.encode() for name in dir(builtins)) | {b"PythonFinalizationError"}
_OWN = frozenset({b"self", b"cls", b"super"})
OPENED = "with"  # the name in the row `ASSIGN with e`
ENTERED = ("__enter__", "__aenter__")
_SHORT = 300  # bytes of an expression that is still read
_TABLE = 5_000  # bytes of a container of definitions that is still read

_IDENTIFIER = re.compile(rb"[^\W\d]\w*")
_NAMES = re.compile(rb"[^\W\d]\w*(?:\.\w+)*")
_MEMBER = re.compile(rb"\.(\w+)$")
_VALUE = rb"(?P<value>)[(\s]*(?:await\s+)?(?P<head>[^\W\d]\w*|[\[{])"  # position of an expression, and its beginning
_ASSIGNMENT = re.compile(
    rb"(?P<to>[^\W\d][\w.]*(?:\[[^\[\]\n]*\])*)\s*(?:=|:\s*(?P<type>[^=\n]+)(?:=|\Z))\s*(?:[\w.]+\s*=\s*)*"
    rb"(?:" + _VALUE + rb")?"
)
_FURTHER = re.compile(rb"(?P<to>[^\W\d][\w.]*(?:\[[^\[\]\n]*\])*)\s*=")
_UNPACKING = re.compile(rb"(?P<to>[\w.*()\[\], \t]+?)\s*=(?P<type>)" + _VALUE)
_RESULT = re.compile(rb"(?P<word>return|yield)\b\s*(?P<all>from\b)?" + _VALUE)
_LOOP = re.compile(rb"(?:async\s+)?for\s+(?P<to>[\w, ()]+?)\s+in\b" + _VALUE)
_AS = re.compile(_VALUE + rb".*(?P<as>\sas\s+\(?(?P<to>\w+)\)?)$", re.DOTALL)
_BODY = re.compile(rb"[^\n]*:[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]*)")
_FIRST_WORD = re.compile(r"\W")
_CAUGHT = re.compile(rb"except[\s(*]*$")

_Row = tuple[int, int, str, str]  # start byte, kind, name, other


def read_uses(swept: Swept, imports: tuple[Import, ...]) -> Uses:
    """All uses in one file, in source order."""
    rows = _Reader(swept, imports).read()
    if not rows:
        return Uses()
    rows.sort()
    starts, kinds, names, others = zip(*rows, strict=True)
    scope_starts, scopes = swept.scopes
    inside = map((-1, *scopes).__getitem__, map(bisect_right, repeat(scope_starts), starts))
    # Number of line breaks between one use and the next.
    breaks = map(swept.source.count, repeat(b"\n"), (0, *starts), starts)
    lines = accumulate(breaks, initial=1)
    next(lines)
    return Uses.of_columns(tuple(inside), kinds, names, others, tuple(lines))


class _Reader:
    """Collects the uses of one file; the order of the steps matters."""

    def __init__(self, swept: Swept, imports: tuple[Import, ...]) -> None:
        self.source, self.captures, self.ordered = swept.source, swept.captures, swept.nodes
        self.scope_of = swept.scope_of
        self.rows: list[_Row] = []
        self.taken: set[int] = set()  # starts of names that are already recorded as uses
        self.known = _known(swept, imports)  # names that may stand for a definition
        self.holders = self.known | _OWN  # names that may stand for a definition or hold one
        self.handed = set(self.known)  # names whose use as an argument gives a row `REFER x text`
        self.stored: set[bytes] = set()  # attributes of `self` that are assigned here
        self.calls: dict[int, int] = {}  # end -> start of the name of each call
        self.ends: list[int] = []  # the same ends, ascending
        self.is_all_there = swept.source.count(b"__all__") == 1  # `__all__` occurs once: nothing is added to it later
        self.columns = {-1: 0}  # scope -> column of its own statements
        self.made: list[Range] = []  # ranges of names in calls that create an object
        self.places: list[int] = []  # start bytes of definitions and new objects that may stand in a container

    def read(self) -> list[_Row]:
        self._calls()
        self._items()
        self._signatures()
        self._assignments()
        self._loops()
        self._aliases()
        self._opened()
        self._results()
        self._decorators()
        self._bases()
        self._annotations()
        self._values()
        self._bound()
        self._lambdas()
        return self.rows

    # -- uses --------------------------------------------------------------------------------------------------

    def _calls(self) -> None:
        source, known, calls = self.source, self.known, self.calls
        unknown = _BUILTINS if known.isdisjoint(_BUILTINS) else _BUILTINS - known
        add, places = self.rows.append, self.places
        for node in self.captures.get("called", ()):
            start, end = node.start_byte, node.end_byte
            text = source[start:end] if end - start < _SHORT else source[end - _SHORT : end]
            if text[:1] == b"*":  # `{*f(x)}`: the grammar includes the star in the name
                text = text.lstrip(b"* ")
                start = end - len(text)
            calls[end] = start
            if text in unknown:
                continue
            name = _called(text)
            if name:
                add((start, CALL, name, ""))
                if text in known:
                    places.append(start)
                    if text[:1].isupper():  # usually a class
                        self.made.append((start, end))
        self.taken.update(calls.values())
        for node in self.captures.get("raised", ()):
            start = node.start_byte
            text = source[start : node.end_byte]
            if _head(text) in self.holders:
                self.taken.add(start)
                add((start, CREATE, _word(text), ""))

    def _items(self) -> None:
        """Record references to definitions in containers."""
        source, known = self.source, self.known
        for node in self.captures.get("item", ()):
            start = node.start_byte
            text = source[start : node.end_byte]
            if text.partition(b".")[0] in known and start not in self.taken:
                self.taken.add(start)
                self.places.append(start)
                self.rows.append((start, REFER, _word(text), ""))
        self.places.sort()

    def _is_table(self, head: bytes | None, begin: int, end: int) -> bool:
        """Whether these bytes, which begin with `head`, are a container with a definition or new object in it."""
        if head not in (b"[", b"{"):
            return False
        row = bisect_right(self.places, begin)
        return row < len(self.places) and self.places[row] < end and end - begin < _TABLE

    def _decorators(self) -> None:
        for node in self.captures.get("decorator", ()):
            start = node.start_byte
            self.rows.append((start, ASSIGN, "@", _word(self.source[start : min(node.end_byte, start + _SHORT)])))
            self.taken.add(start)

    def _bases(self) -> None:
        for node in self.captures.get("base", ()):
            start = node.start_byte
            found = _NAMES.match(self.source, start, node.end_byte)
            if found:
                self.taken.add(start)
                if _head(found[0]) in self.holders:
                    self.rows.append((start, INHERIT, _word(found[0]), ""))

    def _annotations(self) -> None:
        source, known, taken = self.source, self.known, self.taken
        for node in self.ordered("annotation"):
            start = node.start_byte
            if start in taken:
                continue  # it is inside another annotation
            for found in _NAMES.finditer(source, start, min(node.end_byte, start + _SHORT)):
                taken.add(found.start())
                if _head(found[0]) in known:
                    self.rows.append((found.start(), TYPE, _word(found[0]), ""))

    def _values(self) -> None:
        """Record references to definitions, with the calls in which they are arguments."""
        source, known, handed, taken, stored = self.source, self.known, self.handed, self.taken, self.stored
        add, self.ends = self.rows.append, sorted(self.calls)
        longest: dict[int, int] = {}  # start -> end: `a.b` is a part of `a.b.c`
        for node in self.captures.get("value", ()):
            start, end = node.start_byte, node.end_byte
            if start not in taken and end > longest.get(start, 0):
                longest[start] = end
        for start, end in longest.items():
            text = source[start:end]
            head = text.partition(b".")[0]
            if head in handed or (head in _OWN and text not in stored and text != head):
                other = self._given_to(start)
                if other or head in known or head in _OWN or text != head:
                    add((start, REFER, _word(text), other))
        for start, end in self.made:
            if other := self._given_to(start):
                add((start, REFER, f"{_word(source[start:end])}()", other))

    def _given_to(self, start: int) -> str:
        """The call around the argument at `start`: its text, from its name to the argument. Empty = no argument."""
        row = bisect_left(self.ends, start) - 1
        if row < 0 or start - self.ends[row] >= _SHORT:
            return ""
        begin = self.calls[self.ends[row]]
        is_open = self.source.count(b"(", begin, start) > self.source.count(b")", begin, start)
        return _word(self.source[begin:start]) if is_open else ""

    # -- how values flow ---------------------------------------------------------------------------------------

    def _signatures(self) -> None:
        for node in self.captures.get("parameters", ()):
            start = node.start_byte
            text = self.source[start + 1 : node.end_byte - 1]
            body = _BODY.match(self.source, node.end_byte)
            if body:
                self.columns[self.scope_of(start)] = len(body[1])
            if text:
                self.rows.append((start, DECLARE, "()", _word(text)))
                self.holders.update(_parameter_names(text))
                self.handed.update(_annotated(text))

    def _assignments(self) -> None:
        source, known, holders, handed = self.source, self.known, self.holders, self.handed
        begin, head_of_chain = 0, None  # for `a = b = value`
        for node in self.ordered("assignment"):
            start, end = node.start_byte, node.end_byte
            if start < begin and (further := _FURTHER.match(source, start, begin)):  # `b = value` in `a = b = value`
                to, annotation, head = further["to"], None, head_of_chain
            else:
                found = _ASSIGNMENT.match(source, start, end) or _UNPACKING.match(source, start, end)
                if found is None:
                    continue
                to, annotation, _, head = found.groups()
                head_of_chain = head
                begin = found.start("value") if head else end
            if to[:5] == b"self.":
                self.stored.add(to)
            if annotation:
                self.rows.append((start, DECLARE, _word(to), type_text(annotation)))
                holders.add(_head(to))
                handed.add(to)
            if head in holders:
                text = source[begin:end] if end - begin < _SHORT else b"..."
                self.rows.append((start, ASSIGN, self._target(to, start), _word(text)))
                holders.update(_IDENTIFIER.findall(to))
                if head in handed and (head[:1].isupper() or text.strip() == head):
                    handed.add(to)
                if head in known and text.strip() == head:
                    self.rows.append((source.index(head, begin), REFER, _word(head), ""))
                continue
            if self._is_table(head, begin, end) or (to == b"__all__" and self.is_all_there):
                self.rows.append((start, ASSIGN, self._target(to, start), _word(source[begin:end])))
                holders.update(_IDENTIFIER.findall(to))
            elif to in known and not annotation:
                self.rows.append((start, ASSIGN, self._target(to, start), "..."))  # it hides the outer name

    def _target(self, to: bytes, start: int) -> str:
        """The name of an assigned variable, with `?` (except `self.x`) if the assignment is in a control structure."""
        if to[:5] == b"self.":
            return _word(to)
        column = start - self.source.rfind(b"\n", 0, start) - 1
        return _word(to) if self.columns.get(self.scope_of(start)) == column else f"?{_word(to)}"

    def _loops(self) -> None:
        source, holders = self.source, self.holders
        for capture in ("fork", "decision"):
            for node in self.ordered(capture):
                found = _LOOP.match(source, node.start_byte)
                if found and found["head"] in holders:
                    over = node.child_by_field_name("right")
                    if over is not None and over.end_byte - over.start_byte < _SHORT:
                        text = source[over.start_byte : over.end_byte]
                        self.rows.append((node.start_byte, ASSIGN, f"?{_word(found['to'])}", f"({_word(text)})[...]"))
                        holders.update(_IDENTIFIER.findall(found["to"]))
                elif found and found["to"] in self.known:
                    self.rows.append((node.start_byte, ASSIGN, f"?{_word(found['to'])}", "..."))

    def _aliases(self) -> None:
        """Record `with a as b` and `except a as b`."""
        source, holders = self.source, self.holders
        for node in self.ordered("as"):
            start = node.start_byte
            text = source[start : min(node.end_byte, start + _SHORT)]
            found = _AS.match(text)
            if found and found["head"] in holders:
                value = _word(text[: found.start("as")])
                caught = _CAUGHT.search(source, max(start - 9, 0), start)
                result = f"({value}){'()' if caught else _entered(node)}"
                self.rows.append((start, ASSIGN, f"?{_word(found['to'])}", result))
                holders.add(found["to"])
            elif found and found["to"] in self.known:
                self.rows.append((start, ASSIGN, f"?{_word(found['to'])}", "..."))

    def _opened(self) -> None:
        """Record `with a`, which binds no name."""
        for node in self.captures.get("opened", ()):
            start, end = node.start_byte, node.end_byte
            text = self.source[start:end]
            if end - start < _SHORT and _head(text) in self.holders:
                self.rows.append((start, ASSIGN, OPENED, f"({_word(text)}){_entered(node)}"))

    def _bound(self) -> None:
        """Record names of definitions that `:=` or a pattern of `match` rebinds."""
        for node in self.captures.get("bound", ()):
            start = node.start_byte
            name = self.source[start : node.end_byte]
            if name in self.known:
                self.rows.append((start, ASSIGN, f"?{_word(name)}", "..."))

    def _lambdas(self) -> None:
        """Correct uses of a lambda's parameter that has the name of a definition; its value is unknown."""
        for node in self.captures.get("lambda", ()):
            list_ = node.child_by_field_name("parameters")
            if list_ is None:
                continue
            names = self.known.intersection(_parameter_names(self.source[list_.start_byte : list_.end_byte]))
            if names:
                hidden, first, last = {_word(name) for name in names}, list_.end_byte, node.end_byte
                self.rows = [
                    (start, kind, name if is_outer else f".{name.rpartition('.')[2]}", other)
                    for start, kind, name, other in self.rows
                    if (is_outer := not (first <= start < last and _FIRST_WORD.split(name, 1)[0] in hidden))
                    or (kind == CALL and "." in name)
                ]

    def _results(self) -> None:
        source, holders = self.source, self.holders
        for node in self.captures.get("given", ()):
            start, end = node.start_byte, node.end_byte
            found = _RESULT.match(source, start, end)
            if found:
                to = "()" if found["word"] == b"return" or found["all"] else "()[]"
                head, begin = found["head"], found.start("value")
                text = source[begin:end].strip()
                if (head in holders and len(text) < _SHORT) or self._is_table(head, begin, end):
                    self.rows.append((start, ASSIGN, to, _word(text)))
                    if text == head and head in self.known:
                        self.rows.append((found.start("head"), REFER, _word(head), ""))


def _known(swept: Swept, imports: tuple[Import, ...]) -> set[bytes]:
    """Names that are defined or imported in this file."""
    known = {row.name.encode() for row in swept.definitions}
    if any(statement.names == ("*",) for statement in imports):
        known.update(set(_IDENTIFIER.findall(swept.source)) - _BUILTINS - _OWN)
    for statement in imports:
        if statement.names is None:
            known.update(name.partition(".")[0].encode() for name in statement.aliases or (statement.module,))
        elif statement.names != ("*",):
            known.update(name.encode() for name in statement.aliases)
    return known


# -- texts -----------------------------------------------------------------------------------------------------

_REMEMBERED = 1 << 15  # texts whose meaning is cached in a process, because they occur in many files
_PARAMETER = re.compile(rb"(\*{0,2}\s*\w+)\s*(?::\s*(.+?))?(?:=\s*(.*))?\Z", re.DOTALL)
_STRING = re.compile(rb"\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'")
_OPEN_LAMBDA = re.compile(rb"\blambda\b[^:]*\Z")
_STRING_OR_COMMENT = re.compile(rb"(" + _STRING.pattern + rb")|#[^\n]*")
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_LITERAL = b"\"'[{0123456789"


@lru_cache(_REMEMBERED)
def _called(text: bytes) -> str:
    """The called name; empty for a member of a string, number, list, dict or set literal."""
    if text.isalnum():
        return _word(text)
    if len(text) == _SHORT:
        return _word(b"." + member[1]) if (member := _MEMBER.search(text)) else ""
    if text[0] in _LITERAL or text[1:2] in (b"'", b'"'):
        return ""
    return _word(text if b"\n" not in text else b" ".join(text.split()))


@lru_cache(_REMEMBERED)
def _annotated(text: bytes) -> tuple[bytes, ...]:
    return tuple(name for name, annotation, _ in parameters(text) if annotation and not name.startswith(b"*"))


@lru_cache(_REMEMBERED)
def _parameter_names(text: bytes) -> tuple[bytes, ...]:
    return tuple(name.lstrip(b"* ") for name, _, _ in parameters(text))


def count_parameters(text: bytes) -> int:
    """Number of parameters in a signature, brackets included; `*` and `/` alone do not count."""
    return sum(1 for _ in parameters(text[1:-1]))


def parameters(text: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Name (with its stars), annotation and default of each parameter between the brackets of a signature."""
    if b"#" in text:
        text = _STRING_OR_COMMENT.sub(rb"\1", text)
    parts = text.split(b",")
    if b"[" in text or b"(" in text or b"{" in text or b'"' in text or b"'" in text or b"lambda" in text:
        parts = _joined(parts)
    for part in parts:
        found = _PARAMETER.match(part.strip())
        if found:
            yield found[1], found[2] or b"", found[3] or b""


def _joined(parts: list[bytes]) -> list[bytes]:
    """`parts` of a text split at commas, rejoined at commas in brackets, strings or a lambda's parameters."""
    joined: list[bytes] = []
    open_part = b""
    for part in parts:
        open_part += part
        plain = _STRING.sub(b"", open_part) if b"'" in open_part or b'"' in open_part else open_part
        if (
            b"'" in plain
            or b'"' in plain
            or any(plain.count(a) > plain.count(b) for a, b in _BRACKETS)
            or _OPEN_LAMBDA.search(plain)
        ):
            open_part += b","
        else:
            joined.append(open_part)
            open_part = b""
    return joined


@lru_cache(_REMEMBERED)
def type_text(annotation: bytes) -> str:
    """An annotation without blanks and quotes."""
    return _word(b"".join(annotation.split()).replace(b'"', b"").replace(b"'", b""))


def _word(text: bytes) -> str:
    word = text.decode("utf-8", "replace")
    return word if word.isascii() else unicodedata.normalize("NFKC", word)  # as Python reads identifiers (PEP 3131)


def _entered(node: Node) -> str:
    """How `with` enters its value: `.__enter__()` or `.__aenter__()`; `node` is a part of the statement."""
    statement: Node | None = node
    while statement is not None and statement.type != "with_statement":
        statement = statement.parent
    is_async = statement is not None and statement.child_count > 0 and statement.children[0].type == "async"
    return f".{ENTERED[is_async]}()"


def _head(text: bytes) -> bytes:
    found = _IDENTIFIER.match(text)
    return found[0] if found else b""
