"""Facts of one Java file.

Uses of variables and methods are written as chains. `a.b(2).c[].d(0)` is member d of an element of field c of the
result of calling b with two arguments. A chain may begin with `(T)`, a value of type T (a cast, `new T`, a string), or
with `?`, an expression without a name; `m(?)` is the method reference `::m`. Fields, parameters and variables, except
primitive local ones, are declared with their type without type arguments (`T...` for variable arguments), or, after
`=`, with the chain of their value; empty = not known, `-` = from here on, the name refers to what it did before.
DECLARE `m()` is a method of an anonymous class, ASSIGN `this` the type that the class extends. CALL with `implied` is
an implicit call by a loop or a `try`. CALL with numbers (`0,2`) has lambdas or method references at these argument
positions, and so has CREATE `(T).new(3)`, which comes in addition to the CREATE of T. The marks are `Module` and
`Record`.

JLS n: The Java Language Specification, Java SE 25 Edition, section n.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import NamedTuple

import tree_sitter_java
from tree_sitter import Language, Node

from cbvtool.analysis.facts import ASSIGN, CALL, CREATE, DECLARE, REFER, Definition, FileFacts, Import, Uses
from cbvtool.analysis.languages.java.types import offered as offered
from cbvtool.analysis.marks import Mark, Module, Record
from cbvtool.analysis.read import to_utf8_or_latin
from cbvtool.analysis.sweep import RawUse, Swept, Syntax, lone_branches, sweep

_LONGEST = 400  # bytes and characters of a chain; longer (generated) ones are cut at the beginning
_DEEPEST = 9  # dimensions of an array, levels of type arguments


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """All facts of a file, given its bytes as they are on disk; raises Unreadable."""
    source = to_utf8_or_latin(data)
    head = _head(source, name)
    swept = sweep(SYNTAX, head.source)
    if swept.broken and (plain := _plain(source)) != source:
        head = _head(plain, name)
        swept = sweep(SYNTAX, head.source)
    variables = _type_variables(swept)
    chains = _Chains(swept)
    uses = _declarations(swept, variables, chains)
    uses += _without_variables(swept, variables)
    uses += chains.uses
    uses += _bare_constants(swept, head, uses)
    uses.sort(key=itemgetter(4))  # stable: on one line, declarations stay before uses
    return FileFacts(
        swept.lines,
        swept.own,
        _definitions(swept, variables),
        head.imports,
        Uses.pack(uses),
        swept.broken,
        head.package,
        head.marks + _records(swept),
        lost_lines=swept.lost().lines,
    )


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the package, the imports and the number of lines, without parsing; raises Unreadable."""
    source = to_utf8_or_latin(data)
    head = _head(source, name)
    lines = source.count(b"\n") + (not source.endswith(b"\n"))
    return FileFacts(lines, imports=head.imports, package=head.package, marks=head.marks)


def _plain(source: bytes) -> bytes:
    """The source without syntax unknown to the grammar: escapes in names (JLS 3.3), annotations before `...`."""
    without = _VARIABLE_ARITY.sub(lambda found: b" " * len(found[0]), source)
    return _ESCAPE.sub(_letter, without) if b"\\u" in source else without


_VARIABLE_ARITY = re.compile(rb"@[\w.]+(?=\s*\.\.\.)")
_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\u+([0-9a-fA-F]{4})")


def _letter(escape: re.Match[bytes]) -> bytes:
    """The letter for a Unicode escape, if it may be part of a name; otherwise the escape."""
    letter = chr(int(escape[2], 16))
    return escape[1] + letter.encode() if letter.isalnum() or letter in "_$" else escape[0]


# -- package and imports ---------------------------------------------------------------------------------------


class _Head(NamedTuple):
    """The part of a file before its first type.

    marks   the module, if the file declares one
    source  the whole file, without syntax that is newer than the grammar
    end     the first byte after the imports
    """

    package: str
    imports: tuple[Import, ...]
    marks: tuple[Mark, ...]
    source: bytes
    end: int


def _head(source: bytes, name: str) -> _Head:
    """The part before the first type of the file called `name`."""
    package, marks = "", tuple[Mark, ...]()
    imports: list[Import] = []
    at, line, counted = 0, 1, 0
    while found := _TOKEN.match(source, at):
        if found[0] == b"/*":
            at = source.find(b"*/", found.end()) + 2
            if at < 2:
                break  # a comment that is never closed
            continue
        if found[1]:
            start = found.start()
            line += source.count(b"\n", counted, start)
            counted = start
            if found[1] == b"import":
                kind, module, names = _imported(found[2])
                imports.append(Import(module, 0, names, line, form=kind))
                if kind == "module":  # the grammar does not know module imports
                    source = source[:start] + _NOT_BLANK.sub(b" ", found[0]) + source[found.end() :]
            else:
                package = "".join(_COMMENT.sub(b"", found[2]).decode("utf-8", "replace").split())
        at = found.end()
        if not package and name == "package-info.java" and source.startswith(b"@", at):
            declared = _PACKAGE.search(source, at)
            at = declared.start() if declared else at
    if name == "module-info.java" and (module_found := _MODULE.search(source, at)):
        marks = (Module(module_found[1].decode()),)
        imports += [
            Import(required[1].decode(), 0, None, 1 + source.count(b"\n", 0, required.start(1)), form="module")
            for required in _REQUIRES.finditer(source, module_found.end())
        ]
    return _Head(package, tuple(imports), marks, source, at)


_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_NOT_BLANK = re.compile(rb"[^\n]")
_TOKEN = re.compile(rb"\s+|//[^\n]*|/\*|;|(package|import)\b((?>(?:[^;/]|/\*.*?\*/|//[^\n]*)*));", re.DOTALL)
_PACKAGE = re.compile(rb"^[ \t]*package\s+[\w.$\x80-\xff]+\s*;", re.MULTILINE)
_MODULE = re.compile(rb"\bmodule\s+([\w.$]+)\s*\{")
_REQUIRES = re.compile(rb"^[^\n/*]*?\brequires\s+(?:(?:transitive|static)\s+)*([\w.$]+)\s*;", re.MULTILINE)


@lru_cache(maxsize=8192)
def _imported(text: bytes) -> tuple[str, str, tuple[str, ...] | None]:
    """Form, module and names (see `Import`) of an import statement, given the text after `import` (JLS 7.5)."""
    words = _COMMENT.sub(b" ", text).decode("utf-8", "replace").split()
    form = words.pop(0) if len(words) > 1 and words[0] in ("static", "module") else ""
    name = "".join(words)
    if form == "static" or name.endswith(".*"):
        module, _, last = name.rpartition(".")
        return form, module, (last,)
    return form, name, None


# -- types -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def _erased(text: bytes) -> str:
    """A type without type arguments, blanks and annotations; `[]` for every dimension."""
    if not _WORD.fullmatch(text):
        text = _BLANKS.sub(b"", _ANNOTATION.sub(b"", _COMMENT.sub(b"", text)))
        for _ in range(_DEEPEST):
            text = _ARGUMENTS.sub(b"", text)
        text = text.partition(b"<")[0]
    return text.decode("utf-8", "replace")


_WORD = re.compile(rb"[\w$\x80-\xff]+")
_BLANKS = re.compile(rb"\s+")
_ANNOTATION = re.compile(rb"@[\w$.\x80-\xff]+\s*(?:\([^)]*\))?")
_ARGUMENTS = re.compile(rb"<[^<>]*>")


def _type_name(text: bytes) -> str:
    return "" if text == b"var" else _erased(text)


Variables = Mapping[int, Mapping[str, str]]


def _type_variables(swept: Swept) -> Variables:
    """Type variables with their explicit bounds, by the row of the definition that declares them."""
    found: dict[int, dict[str, str]] = {}
    for node in swept.nodes("type_parameter"):
        start = node.start_byte
        name, _, bound = _ANNOTATION.sub(b"", swept.source[start : node.end_byte]).partition(b" extends ")
        found.setdefault(swept.scope_of(start), {})[_erased(name)] = _erased(bound.partition(b"&")[0])
    return found


def _is_variable(name: str, scope: int, swept: Swept, variables: Variables) -> str | None:
    """The bound of the type variable `name`; None if `scope` has no such variable."""
    while scope >= 0:
        bound = variables.get(scope, _NO_VARIABLES).get(name)
        if bound is not None:
            return bound
        scope = swept.definitions[scope].parent
    return None


_NO_VARIABLES: Mapping[str, str] = {}


def _bounded(name: str, scope: int, swept: Swept, variables: Variables) -> str:
    """The type `name`, or its bound if it is a type variable (its erasure, JLS 4.6)."""
    for _ in range(3):  # <A, B extends A, C extends B>
        plain = name.rstrip("[].")
        bound = _is_variable(plain, scope, swept, variables)
        if bound is None:
            return name
        name = bound + name[len(plain) :] if bound else ""
    return name


def _definitions(swept: Swept, variables: Variables) -> tuple[Definition, ...]:
    if not variables:
        return swept.definitions
    return tuple(
        row._replace(type=_bounded(row.type, i, swept, variables)) if row.type else row
        for i, row in enumerate(swept.definitions)
    )


def _records(swept: Swept) -> tuple[Mark, ...]:
    return tuple(Record(swept.scope_of(node.start_byte)) for node in swept.nodes("record"))


def _without_variables(swept: Swept, variables: Variables) -> list[RawUse]:
    """Uses of types, without those of type variables."""
    names = {name for declared in variables.values() for name in declared}
    return [use for use in swept.uses if use[2] not in names or _is_variable(use[2], use[0], swept, variables) is None]


# -- variables -------------------------------------------------------------------------------------------------


def _declarations(swept: Swept, variables: Variables, chains: _Chains) -> list[RawUse]:
    """Every variable with its type; base types and methods of anonymous classes."""
    source, found = swept.source, list[RawUse]()
    definitions = swept.definitions
    types = swept.nodes("declared")
    begins, ends = list(map(_START, types)), list(map(_END, types))
    starts, rows = swept.scopes
    local: list[tuple[int, str, str, Node]] = []
    fields: set[str] = set()
    for node in swept.nodes("variable"):
        start, end = node.start_byte, node.end_byte
        row = bisect_left(begins, start) - 1
        if row < 0:
            continue
        scope = rows[bisect_right(starts, start) - 1]
        text = source[begins[row] : ends[row]]
        if text == b"var":
            other = chains.value(end)
        else:
            other = _erased(text).partition("|")[0]
            if source[ends[row] : start].lstrip().startswith(b"..."):
                other += "..."
            elif source.startswith(b"[", end):
                other += "[]"
            if variables:
                other = _bounded(other, scope, swept, variables)
        name = source[start:end].decode("utf-8", "replace")
        found.append((scope, DECLARE, name, other, node.start_point[0] + 1))
        if scope >= 0 and definitions[scope].kind == "function":
            local.append((scope, name, other, node))
        else:
            fields.add(name)
    for node in swept.nodes("untyped"):
        scope = swept.scope_of(node.start_byte)
        # At class level, a variable of a lambda would be taken for a field.
        if scope >= 0 and definitions[scope].kind == "function":
            name = swept.text(node).decode("utf-8", "replace")
            found.append((scope, DECLARE, name, "", node.start_point[0] + 1))
            local.append((scope, name, "", node))
    for node in swept.nodes("constant"):
        scope = swept.scope_of(node.start_byte)
        if scope >= 0:
            name = swept.text(node).decode("utf-8", "replace")
            found.append((scope, DECLARE, name, definitions[scope].name, node.start_point[0] + 1))
            fields.add(name)
    for node in swept.nodes("hidden"):
        body = node.parent.parent if node.parent else None
        line = (body or node).start_point[0] + 1
        name = swept.text(node).decode("utf-8", "replace")
        found.append((swept.scope_of(node.start_byte), DECLARE, f"{name}()", "", line))
    for node in swept.nodes("extended"):
        name = _erased(swept.text(node))
        found.append((swept.scope_of(node.start_byte), ASSIGN, "this", name, node.start_point[0] + 1))
    return [*_ends(local, fields), *found]  # ends first, because the next variable may begin on the same line


def _ends(local: list[tuple[int, str, str, Node]], fields: set[str]) -> Iterator[RawUse]:
    """The ends of local variables whose names mean something else afterwards: fields, or variables of other types."""
    types: dict[tuple[int, str], str] = {}
    several = {(scope, name) for scope, name, other, _ in local if types.setdefault((scope, name), other) != other}
    for scope, name, _, node in local:
        if name in fields or (scope, name) in several:
            around = node.parent
            while around is not None and around.type not in _HOLDERS:
                around = around.parent
            if around is not None:
                yield scope, DECLARE, name, "-", around.end_point[0] + 2


_HOLDERS = frozenset(
    {
        "block",
        "constructor_body",
        "lambda_expression",
        "for_statement",
        "enhanced_for_statement",
        "catch_clause",
        "switch_rule",
        "switch_block",
        "try_with_resources_statement",
        "method_declaration",
        "constructor_declaration",
    }
)


# -- chains ----------------------------------------------------------------------------------------------------


class _Chains:
    """Calls, field accesses and method references as chains.

    uses   rows for `Uses.pack`
    """

    def __init__(self, swept: Swept) -> None:
        self._swept = swept
        self._at_end: dict[int, str] = {}  # end of an expression -> its chain
        self._at_start: dict[int, tuple[str, int]] = {}  # start of an outermost expression -> its chain and end
        self._functions = _functions(swept)
        self.uses: list[RawUse] = []
        self._creations()
        self._calls()
        self._delegations()
        self._accesses()
        self._references()
        self._implied()

    def value(self, name_end: int) -> str:
        """`=` and the chain of the initial value of the variable whose name ends there; empty = unknown."""
        found = _IS.match(self._swept.source, name_end)
        if found is None:
            return ""
        if found[1]:
            return f"=({_erased(found[1])})"
        chain, end = self._at_start.get(found.end(), ("", 0))
        if not chain or not _VALUE_ENDS.match(self._swept.source, end):
            return ""
        return f"={chain}[]" if b":" in found[0] else f"={chain}"

    def _creations(self) -> None:
        source, nodes = self._swept.source, self._swept.nodes
        for node, given in zip(nodes("created"), nodes("created_arguments"), strict=False):
            start, close = node.start_byte, given.end_byte
            name = self._at_end[close] = f"({_erased(source[start : node.end_byte])})"
            if close in self._functions:
                name += f".new({_arguments(given)})"
                scope, line = self._swept.scope_of(start), node.start_point[0] + 1
                self.uses.append((scope, CREATE, name, self._functions[close], line))

    def _calls(self) -> None:
        source, at_end, at_start, uses = self._swept.source, self._at_end, self._at_start, self.uses
        starts, rows = self._swept.scopes
        begin_of = {node.end_byte: node.start_byte for node in self._swept.captures.get("invocation", ())}
        names: dict[bytes, str] = {}
        functions = self._functions
        for node in sorted(self._swept.captures.get("arguments", ()), key=_END):  # inner parts of a chain end first
            start, end = node.start_byte, node.end_byte
            begin = begin_of.get(end, start)
            text = source[begin:start] if start - begin < _LONGEST else b"("  # as in calls of results of calls
            name = names.get(text)
            if name is None:
                if _PLAIN.fullmatch(text):
                    name = names[text] = text.decode("utf-8", "replace")
                else:
                    name = self._spelled(begin, start)
            if end - start == 2:
                name += "(0)"
            else:
                count = node.named_child_count if b"/" not in source[start:end] else _arguments(node)
                name = f"{name}({count})"
            at_end[end] = name if len(name) < _LONGEST else "?"
            at_start[begin] = name, end
            scope, line = rows[bisect_right(starts, begin) - 1], node.start_point[0] + 1
            uses.append((scope, CALL, name, functions.get(end, ""), line))

    def _delegations(self) -> None:
        """Read `this(...)` and `super(...)`."""
        source, captures = self._swept.source, self._swept.captures
        nodes, lists = (sorted(captures.get(capture, ()), key=_END) for capture in ("delegation", "delegated"))
        for node, arguments in zip(nodes, lists, strict=False):
            start = node.start_byte
            word = "this" if source.startswith(b"this", start) else "super"
            name, functions = f"{word}({_arguments(arguments)})", self._functions.get(arguments.end_byte, "")
            self.uses.append((self._swept.scope_of(start), CALL, name, functions, node.start_point[0] + 1))

    def _accesses(self) -> None:
        source, taken = self._swept.source, set[int]()
        starts, rows = self._swept.scopes
        for node in sorted(self._swept.captures.get("access", ()), key=_END, reverse=True):  # longer ones first
            start, end = node.start_byte, node.end_byte
            if start in taken or end <= self._at_start.get(start, ("", 0))[1]:
                continue  # part of a longer chain
            taken.add(start)
            text = source[start:end]
            if text.startswith(b"this.") and b"." not in text[5:]:
                continue
            name = text.decode("utf-8", "replace") if _PLAIN.fullmatch(text) else self._spelled(start, end)
            if not name.startswith("?"):
                self._at_start[start] = name, end
                self.uses.append((rows[bisect_right(starts, start) - 1], REFER, name, "", node.start_point[0] + 1))

    def _references(self) -> None:
        for node in self._swept.nodes("reference"):
            start, end = node.start_byte, node.end_byte
            left, _, right = self._swept.source[start:end].rpartition(b"::")
            name = _ARGUMENTS.sub(b"", right).strip().decode("utf-8", "replace")
            base = _erased(left) if _TYPE.fullmatch(left) else self._spelled(start, start + len(left))
            scope, line = self._swept.scope_of(start), node.start_point[0] + 1
            if name == "new":
                if "[" not in base:
                    self.uses.append((scope, CREATE, base, "", line))
            else:
                self.uses.append((scope, REFER, f"{base}.{name}(?)", "", line))

    def _implied(self) -> None:
        """Implicit calls: `iterator()` by loops (JLS 14.14.2), `close()` of resources (JLS 14.20.3.1)."""
        for capture, method in (("looped", "iterator"), ("closed", "close")):
            for node in self._swept.nodes(capture):
                start = node.start_byte
                name = self._spelled(start, node.end_byte)
                if name != "?":
                    scope, line = self._swept.scope_of(start), node.end_point[0] + 1
                    self.uses.append((scope, CALL, f"{name}.{method}(0)", "implied", line))

    def _spelled(self, begin: int, end: int, depth: int = 0) -> str:
        """The chain of the expression in these bytes; `?` = it is too long, or unknown."""
        text = self._swept.source[max(begin, end - _LONGEST) : end]
        close = max(map(text.rfind, _CLOSERS))
        tail = text[close + 1 :]
        if tail and not _PLAIN.fullmatch(tail):
            tail = _ARGUMENTS.sub(b"", _BLANKS.sub(b"", _COMMENT.sub(b"", tail)))
        if tail and not _PLAIN.fullmatch(tail):
            return "?"
        names = tail.decode("utf-8", "replace")
        if close < 0:
            return names if len(text) == end - begin else "?"
        head = self._closed(begin, end - len(text) + close + 1, depth)
        return head + names if names.startswith(".") or not names else "?"

    def _closed(self, begin: int, end: int, depth: int) -> str:
        """The chain of an expression that ends with a bracket or a quote."""
        source = self._swept.source
        known = self._at_end.get(end)
        if known is not None:
            return known
        last = source[end - 1 : end]
        if last == b'"':
            return "(String)"
        if end - begin > _LONGEST or depth > _DEEPEST:
            return "?"
        if last == b"]":
            start = _opening(source, begin, end)
            if start < 0 or source.startswith(b"new", begin):
                return "?"
            name = self._spelled(begin, start, depth + 1)
            return f"{name}[]" if name and name != "?" else "?"
        if last == b")" and source.startswith(b"(", begin):
            cast = _CAST.match(source, begin, end)
            if cast:
                return f"({_erased(cast[1])})"
            inside = source[begin + 1 : end - 1].strip()
            if _PLAIN.fullmatch(inside):
                return inside.decode("utf-8", "replace")
            return self._at_end.get(end - 1, "?")
        return "?"


def _functions(swept: Swept) -> dict[int, str]:
    """Positions of arguments that are lambdas or method references, `0,2`, by the end of the argument list."""
    found: dict[int, str] = {}
    for node in swept.nodes("given"):
        around = node.parent
        if around is not None:
            before = sum(not other.is_extra and other.end_byte <= node.start_byte for other in around.named_children)
            known = found.get(around.end_byte)
            found[around.end_byte] = f"{known},{before}" if known else str(before)
    return found


def _arguments(node: Node) -> int:
    """The number of arguments in an argument list."""
    return sum(not child.is_extra for child in node.named_children)


_START, _END = attrgetter("start_byte"), attrgetter("end_byte")
_PLAIN = re.compile(rb"[\w$.\x80-\xff]+")
_TYPE = re.compile(rb"[\w$.\x80-\xff<>?,&\s\[\]]+")
_CLOSERS = (b")", b"]", b'"', b"}")
_CAST = re.compile(rb"\(\s*\(\s*([\w$.\x80-\xff][^()]*?)\s*\)\s*[\w(\"]")
_IS = re.compile(rb"\s*[=:]\s*(?:new\s+([\w$.\x80-\xff]+(?:<[^()]*>)?)\s*\(|\(\s*([\w$.\x80-\xff<>]+)\s*\)\s*\w)?")
_VALUE_ENDS = re.compile(rb"\s*[;):]")


def _opening(source: bytes, begin: int, end: int) -> int:
    """Position of the opening bracket for the one that closes before `end`; -1 = not after `begin`, or too far."""
    depth = 0
    for at in range(end - 1, max(begin, end - _LONGEST), -1):
        depth += (source[at] == 0x5D) - (source[at] == 0x5B)
        if depth == 0:
            return at
    return -1


def _bare_constants(swept: Swept, head: _Head, uses: list[RawUse]) -> Iterator[RawUse]:
    """Uses of constants as bare names: imported by `import static`, or possibly inherited."""
    names = {name for row in head.imports if row.form == "static" and row.names for name in row.names}
    if swept.captures.get("inherit") or swept.captures.get("extended"):
        names.add("*")
    if not names:
        return
    classes = {row for row, definition in enumerate(swept.definitions) if definition.kind != "function"}
    own = {name for scope, kind, name, *_ in uses if kind == DECLARE and scope in classes}
    source = swept.source
    comments = sorted((node.start_byte, node.end_byte) for node in swept.captures.get("comment", ()))
    line = counted = 0
    for at, name in sorted(_bare_names(source, head.end, names, own)):
        line += source.count(b"\n", counted, at)
        counted = at
        row = bisect_right(comments, (at, len(source))) - 1
        in_comment = row >= 0 and at < comments[row][1]
        if not in_comment and source.count(b'"', source.rfind(b"\n", 0, at) + 1, at) % 2 == 0:
            yield swept.scope_of(at), REFER, name, "", line + 1


def _bare_names(source: bytes, start: int, names: set[str], own: set[str]) -> Iterator[tuple[int, str]]:
    """Positions from `start` on where the `names` are used as values; `*`: all names in capitals except `own`."""
    for name in names - {"*"}:
        text = name.encode()
        at = source.find(text, start)
        while at >= 0:
            if _BARE.match(source, at - 1) and _NO_CALL.match(source, at + len(text)):
                yield at, name
            at = source.find(text, at + len(text))
    if "*" in names:
        for found in _CONSTANT.finditer(source, start):
            at, name = found.start(), found[0].decode()
            if name not in names and name not in own and _BARE.match(source, at - 1):
                yield at, name


_BARE = re.compile(rb"[^\w$.@\x80-\xff]")
_NO_CALL = re.compile(rb"(?![\w$\x80-\xff]|\s*\()")
_CONSTANT = re.compile(rb"[A-Z][A-Z0-9_]+(?![\w$\x80-\xff]|\s*\()")


# -- the query -------------------------------------------------------------------------------------------------


def _amend(captures: dict[str, list[Node]]) -> None:
    """Remove captures that patterns alone cannot exclude."""
    lone_branches(captures, "block")
    inner = {(node.start_byte, node.end_byte) for node in captures.get("inner", ())}
    if inner:
        captures["type"] = [node for node in captures["type"] if (node.start_byte, node.end_byte) not in inner]
    bodies = captures.get("anonymous")
    if bodies:
        _hide_methods(captures, bodies)


def _hide_methods(captures: dict[str, list[Node]], bodies: list[Node]) -> None:
    """Remove methods of anonymous classes from the definitions: they belong to the enclosing definition."""
    methods = [node for body in bodies for node in body.named_children if node.type == "method_declaration"]
    fields = (("def.function", None), ("result", "type"), ("name", "name"), ("parameters", "parameters"))
    for capture, field in fields:
        parts = [node.child_by_field_name(field) if field else node for node in methods]
        starts = {node.start_byte for node in parts if node is not None}
        nodes = captures.get(capture, [])
        captures[capture] = [node for node in nodes if node.start_byte not in starts]
        if field == "name":
            captures["hidden"] = [node for node in nodes if node.start_byte in starts]


_PLAIN_TYPE = "[(type_identifier) (scoped_type_identifier)]"
# Types with members.
_CLASS = "[(type_identifier) (scoped_type_identifier) (generic_type) (array_type) (annotated_type)]"

SYNTAX = Syntax(
    "Java",
    Language(tree_sitter_java.language()),
    f"""
    (class_declaration name: (_) @name) @def.class
    (record_declaration name: (_) @name @record) @def.class
    (interface_declaration name: (_) @name) @def.interface
    (annotation_type_declaration name: (_) @name) @def.interface
    (enum_declaration name: (_) @name) @def.enum
    (method_declaration type: (_) @result name: (_) @name parameters: (_) @parameters) @def.function
    (annotation_type_element_declaration type: (_) @result name: (_) @name) @def.function
    (constructor_declaration name: (_) @name parameters: (_) @parameters) @def.function
    (compact_constructor_declaration name: (_) @name) @def.function

    [(if_statement) (for_statement) (enhanced_for_statement) (while_statement) (do_statement)] @fork
    [(switch_expression) (try_statement) (try_with_resources_statement) (synchronized_statement)] @control
    (if_statement alternative: (if_statement) @chained)
    [(catch_clause) (ternary_expression) "&&" "||"] @decision
    (switch_label . (_)) @decision
    [(line_comment) (block_comment)] @comment
    [(block) (constructor_body)] @block
    (switch_block_statement_group (statement) @statement)
    (switch_rule [(expression_statement) (throw_statement)] @statement)
    (if_statement consequence: (statement) @branch)
    (if_statement alternative: (statement) @branch)
    (for_statement body: (statement) @branch)
    (enhanced_for_statement body: (statement) @branch)
    (while_statement body: (statement) @branch)
    (do_statement body: (statement) @branch)

    {_PLAIN_TYPE} @type
    (scoped_type_identifier . (_) @inner (type_identifier) @part)
    (marker_annotation name: (_) @type)
    (annotation name: (_) @type)
    (record_pattern . (identifier) @type)
    (uses_module_directive type: (_) @type)
    (provides_module_directive [(identifier) (scoped_identifier)] @type)
    (object_creation_expression type: {_PLAIN_TYPE} @create)
    (object_creation_expression type: (generic_type . (_) @create))
    (superclass {_PLAIN_TYPE} @inherit)
    (superclass (generic_type . (_) @inherit))
    (super_interfaces (type_list {_PLAIN_TYPE} @inherit))
    (super_interfaces (type_list (generic_type . (_) @inherit)))
    (extends_interfaces (type_list {_PLAIN_TYPE} @inherit))
    (extends_interfaces (type_list (generic_type . (_) @inherit)))
    (type_parameter) @type_parameter

    (method_invocation arguments: (_) @arguments) @invocation
    (object_creation_expression type: (_) @created arguments: (_) @created_arguments)
    (object_creation_expression type: (_) @extended (class_body) @anonymous)
    (enum_constant body: (_) @anonymous)
    (explicit_constructor_invocation arguments: (_) @delegated) @delegation
    (field_access) @access
    (method_reference) @reference
    (argument_list [(lambda_expression) (method_reference)] @given)

    (local_variable_declaration type: {_CLASS} @declared declarator: (variable_declarator name: (_) @variable))
    (field_declaration type: (_) @declared declarator: (variable_declarator name: (_) @variable))
    (constant_declaration type: (_) @declared declarator: (variable_declarator name: (_) @variable))
    (formal_parameter type: (_) @declared name: (_) @variable)
    (spread_parameter [(type_identifier) (scoped_type_identifier) (generic_type) (array_type) (integral_type)
        (floating_point_type) (boolean_type)] @declared (variable_declarator name: (_) @variable))
    (catch_formal_parameter (catch_type) @declared name: (_) @variable)
    (resource type: (_) @declared name: (_) @variable @closed)
    (resource . [(identifier) (field_access)] @closed .)
    (enhanced_for_statement type: {_CLASS} @declared name: (_) @variable)
    (enhanced_for_statement value: (_) @looped)
    (instanceof_expression right: (_) @declared name: (_) @variable)
    (type_pattern (_) @declared (identifier) @variable)
    (record_pattern_component (_) @declared (identifier) @variable)
    (lambda_expression parameters: (identifier) @untyped)
    (inferred_parameters (identifier) @untyped)
    (enum_constant name: (_) @constant)
    """,
    bodies=frozenset({"block", "switch_block", "switch_block_statement_group"}),
    clauses=frozenset(
        {"catch_clause", "finally_clause", "switch_rule", "switch_block_statement_group", "switch_label"}
    ),
    spell=_type_name,
    typed=_erased,
    amend=_amend,
)
