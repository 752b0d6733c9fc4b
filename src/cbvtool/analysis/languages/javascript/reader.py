"""Facts of one JavaScript file, JSX included; `typescript` extends this for TypeScript.

A function or class counts as a definition if it has a name: by a declaration, as a member of a class or of an object
that is bound at the top of the file, or by binding or assigning it to a name there (`const f = () => {}`,
`exports.f = function () {}`). All other functions belong to the enclosing definition.

An export under another name is an `ASSIGN` at the top of the file: `default` for the default export, `EXPORTED` for a
value that replaces the whole module (`module.exports = f`, `export = f`).
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter

import tree_sitter_javascript
from tree_sitter import Language, Node

from cbvtool.analysis.facts import (
    ALWAYS,
    ASSIGN,
    CALL,
    DECLARE,
    DEFERRED,
    REFER,
    TYPE,
    TYPE_CHECKING,
    Definition,
    FileFacts,
    Import,
    Uses,
)
from cbvtool.analysis.languages.javascript.imports import (
    CALLED,
    EXPORTED,
    REFERENCE,
    called_at,
    imports_of,
    places,
    reference,
    statement_at,
    unquoted,
)
from cbvtool.analysis.marks import Loose, Mark, VisibleEverywhere
from cbvtool.analysis.read import to_utf8_or_latin
from cbvtool.analysis.sweep import Range, RawUse, Swept, Syntax, dotted, lone_branches, sweep

VALUES = (
    "arrow_function parameters: (formal_parameters) @parameters",
    "arrow_function parameter: (identifier) @parameter",
    "function_expression parameters: (formal_parameters) @parameters",
    "generator_function parameters: (formal_parameters) @parameters",
)
# The cost of a pattern grows with the nodes below its root, so that these patterns begin as deep as possible.
QUERY = """
(class_declaration name: (_) @name) @def.class
(export_statement decorator: (_)) @outer
(function_declaration name: (_) @name parameters: (_) @parameters) @def.function
(generator_function_declaration name: (_) @name parameters: (_) @parameters) @def.function
(method_definition name: (_) @name parameters: (_) @parameters) @def.function

[(if_statement) (for_statement) (for_in_statement) (while_statement) (do_statement)] @fork
[(switch_statement) (try_statement) (with_statement)] @control
(else_clause (if_statement) @chained)
[(catch_clause) (switch_case) (ternary_expression) "&&" "||" "??" "&&=" "||=" "??="] @decision
[(program) (statement_block)] @block
(if_statement consequence: (_) @branch)
(else_clause (_) @branch)
(for_statement body: (_) @branch)
(for_in_statement body: (_) @branch)
(while_statement body: (_) @branch)
(switch_case body: (_) @statement)
(switch_default body: (_) @statement)
[(comment) (html_comment) (hash_bang_line)] @comment

[(import_statement) (export_statement source: (string))] @import
(call_expression function: (import) @dynamic)
[(arrow_function) (function_expression) (generator_function)] @inner
(try_statement body: (_) @attempt handler: (_))
(assignment_expression left: (member_expression) right: [(identifier) (new_expression) (object)]) @assigned

(call_expression function: [(identifier) (member_expression)] @call)
(new_expression constructor: [(identifier) (member_expression)] @create)
(binary_expression "instanceof" right: [(identifier) (member_expression)] @type)
(arguments (identifier) @value)
(pair value: (identifier) @value)
(array (identifier) @value)
(decorator (identifier) @value)
(shorthand_property_identifier) @value
(member_expression object: (identifier) @object)
(variable_declarator name: (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(arrow_function parameter: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)
(variable_declarator value: (new_expression constructor: (_) @made))
(variable_declarator value: (call_expression function: (_) @result_of))
(variable_declarator value: (await_expression (call_expression function: (_) @result_of)))
"""
JSX_QUERY = """
(jsx_opening_element name: (_) @element)
(jsx_self_closing_element name: (_) @element)
(jsx_expression (identifier) @value)
"""
_JAVASCRIPT_QUERY = f"""
(field_definition property: (_) @name value: [{" ".join(f"({value})" for value in VALUES)}]) @def.function
(field_definition property: (_) @field value: (new_expression constructor: (_) @made))
(class_heritage [(identifier) (member_expression)] @inherit)
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
(formal_parameters (rest_pattern (identifier) @local))
"""


def shallow_query(result: str = "") -> str:
    """The query for the top of a file only: functions and classes that are bound or assigned to a name.

    result  pattern of a function's declared result, as a child; empty in JavaScript
    """
    function = "[" + " ".join(f"({value} {result})" for value in VALUES) + "]"
    pair = f"(pair key: (_) @name value: {function}) @def.function"
    target = "[(identifier) @name (member_expression property: (_) @name)]"
    return f"""
(variable_declarator name: (identifier) @name value: {function}) @def.function
(variable_declarator name: (identifier) @name value: (class)) @def.class
(variable_declarator name: (identifier) @name value: (object
    [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])])) @def.object
(variable_declarator value: (object {pair}))
(assignment_expression left: {target} right: {function}) @def.function
(assignment_expression left: {target} right: (class)) @def.class
(assignment_expression right: (object {pair}))
(export_statement "default" @name value: {function}) @def.function
(export_statement "default" @name value: (class)) @def.class
(export_statement "default" value: (object {pair}))
(export_statement (export_clause)) @exports
(export_statement "default" value: (identifier) @default)
(export_statement "default" value: (call_expression arguments: (arguments . (identifier) @default)))
(export_statement "default" declaration: (_ name: (_) @default))
"""


SHALLOW = 3  # `export const f = ...`, and `exports = module.exports = ...`, begin no deeper in the tree
BODIES = frozenset({"statement_block", "switch_body"})
CLAUSES = frozenset({"else_clause", "catch_clause", "finally_clause", "switch_case", "switch_default"})


_NO_TYPES = frozenset(
    {
        "string",
        "number",
        "boolean",
        "any",
        "unknown",
        "void",
        "never",
        "object",
        "symbol",
        "bigint",
        "this",
        "typeof",
        "keyof",
        "unique",
        "asserts",
        "infer",
        "null",
        "undefined",
    }
)
_TYPE = re.compile(
    rb"(?:Promise\s*<\s*)?([A-Za-z_$][\w$]*(?:\s*\.\s*[\w$]+)*)(?:\s*<[^=>]*>)?\s*>?(?:\s*\|\s*(?:null|undefined))*$"
)


def result_type(text: bytes) -> str:
    """The class of a function's result: `a.B` for `Promise<a.B<T> | null>`; empty = not a single class."""
    found = _TYPE.match(text)
    name = dotted(found[1]) if found else ""
    return "" if name in _NO_TYPES else name


_AWAITED = re.compile(rb"\(\s*await\b(.*)\)(\s*[?!]*\.\s*[\w$#]+)$", re.DOTALL)
_CAST = re.compile(rb"\((?:[^()]*)\bas\s+([\w$.]+)\s*\)(\s*[?!]*\.\s*[\w$#]+)$")


def spell(text: bytes) -> str:
    """A used name as in `facts.Use`: `A().b` for `new A().b`, `f().b` for `(await f()).b`, `A.b` for `(x as A).b`."""
    if text.startswith(b"new "):
        text = text[4:]
    elif text.startswith(b"("):
        found = _AWAITED.match(text) or _CAST.match(text)
        if found:
            text = found[1] + found[2]
    return dotted(text)


def amend(captures: dict[str, list[Node]]) -> None:
    """Capture statements without braces, in addition to those in blocks."""
    lone_branches(captures, "statement_block")


_SYNTAX = Syntax(
    "JavaScript",
    Language(tree_sitter_javascript.language()),
    QUERY + JSX_QUERY + _JAVASCRIPT_QUERY,
    BODIES,
    CLAUSES,
    spell,
    result_type,
    shallow=shallow_query(),
    depth=SHALLOW,
    amend=amend,
)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """All facts of one file, given its bytes as they are on disk; raises Unreadable."""
    return facts_of(_SYNTAX, to_utf8_or_latin(data))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only its imports and number of lines; raises Unreadable."""
    return imports_of(to_utf8_or_latin(data))


def facts_of(syntax: Syntax, source: bytes, typed: bool = False) -> FileFacts:
    """Facts of text in UTF-8 with Unix line ends; raises Unreadable.

    typed  whether variables may have declared types, and functions several signatures
    """
    swept = sweep(syntax, source)
    imports = _imports(swept)
    definitions, number = _settled(swept, typed)
    uses = _all_uses(swept, definitions, imports)
    if number is not None:
        imports = [row._replace(scope=number[row.scope]) for row in imports]
        uses = [(number[scope], kind, name, other, line) for scope, kind, name, other, line in uses]
        definitions = _merged(definitions, number)
    return FileFacts(
        swept.lines,
        swept.own,
        tuple(definitions),
        tuple(imports),
        Uses.pack(uses),
        swept.broken,
        marks=(*_loose(swept, definitions, number), *_visible_everywhere(source, typed)),
        lost_lines=swept.lost().lines,
    )


# -- imports ---------------------------------------------------------------------------------------------------


def _imports(swept: Swept) -> list[Import]:
    """Every module that the file names, in source order."""
    source, captures = swept.source, swept.captures
    found: list[tuple[int, Import]] = []
    for node in captures.get("import", ()):
        start = node.start_byte
        read = statement_at(source, start)
        if read is not None and read.module:
            when = TYPE_CHECKING if read.types_only else ALWAYS
            row = Import(
                read.module,
                0,
                read.names,
                node.start_point[0] + 1,
                when,
                False,
                read.form,
                read.aliases,
                swept.scope_of(start),
            )
            found.append((start, row))
    calls = list(captures.get("dynamic", ()))
    required = set(places(source, b"require"))
    if required:
        calls += [node for node in captures.get("call", ()) if node.start_byte in required]
    circumstances = _Circumstances(swept) if calls else None
    for node in calls:
        start = node.start_byte
        called = CALLED.match(source, start)
        if called is not None and circumstances is not None:
            when, optional = circumstances.at(start)
            row = called_at(source, called)._replace(
                line=node.start_point[0] + 1, when=when, optional=optional, scope=swept.scope_of(start)
            )
            found.append((start, row))
    found += _references(source, captures.get("comment", ()))
    found.sort(key=lambda pair: pair[0])
    rows = [row for _, row in found]
    if swept.broken:  # search the text, because the grammar failed at some statement
        known = {(row.module, row.line) for row in rows}
        rows += [row for row in imports_of(source).imports if (row.module, row.line) not in known]
    return rows


_TYPE_BEFORE = re.compile(rb"(?:[<|&]|\b(?:typeof|as|extends|implements|keyof|readonly|satisfies))\s*$")
_TYPE_BEHIND = re.compile(rb"import\s*\([^()\n]{0,300}\)\s*\.\s*(?!(?:then|catch|finally)\b)[\w$]")


def _outermost(ranges: Iterable[Range]) -> list[Range]:
    """The outermost of nested `ranges`, ascending."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def _is_inside(start: int, ranges: list[Range]) -> bool:
    """Whether byte `start` lies in one of the ascending `ranges`."""
    row = bisect_right(ranges, (start, sys.maxsize)) - 1
    return row >= 0 and start < ranges[row][1]


class _Circumstances:
    """When an import call takes effect, and whether its failure is caught, by the code around it."""

    def __init__(self, swept: Swept) -> None:
        self.swept = swept
        functions = [node.byte_range for node in swept.captures.get("inner", ())]
        self.functions = _outermost([*swept.functions, *functions])
        self.attempts = _outermost(node.byte_range for node in swept.captures.get("attempt", ()))

    def at(self, start: int) -> tuple[int, bool]:
        """(when, optional) of the import call at byte `start`."""
        if self._is_type(start):
            return TYPE_CHECKING, False
        if _is_inside(start, self.functions):
            return DEFERRED, False
        return ALWAYS, _is_inside(start, self.attempts)

    def _is_type(self, start: int) -> bool:
        source, row = self.swept.source, self.swept.scope_of(start)
        if not source.startswith(b"import", start):
            return False
        if row >= 0 and self.swept.definitions[row].kind in ("type", "interface"):
            return True
        before = source[max(start - 40, 0) : start].rstrip()
        if before.endswith(b":"):
            return _TYPE_BEHIND.match(source, start) is not None
        return _TYPE_BEFORE.search(before) is not None


def _references(source: bytes, comments: Iterable[Node]) -> Iterator[tuple[int, Import]]:
    """`/// <reference path="..." />` and `types="..."`, which count as imports in TypeScript."""
    if b"<reference" not in source:
        return
    for node in comments:
        found = REFERENCE.match(source, node.start_byte)
        if found:
            line = node.start_point[0] + 1
            yield node.start_byte, reference(found, line)


# -- definitions -----------------------------------------------------------------------------------------------

_OWN_NAME = re.compile(rb"(?:module\.)?exports\s*=\s*(?:async\s+)?(?:function\s*\*?|class)\s+(?!extends\b)([\w$]+)")
_ASSIGNED_MEMBER = re.compile(rb"([\w$]+)(\.prototype)?\.[\w$]+\s*=")
_PROTOTYPE = re.compile(rb"([\w$]+)\.prototype\s*=\s*\{")
_TYPE_NAME = rb"([A-Za-z_$][\w$]*(?:\s*\.\s*[\w$]+)*)"


def _settled(swept: Swept, typed: bool) -> tuple[list[Definition], dict[int, int] | None]:
    """The definitions with final names, parents and kinds; and if some were merged, row -> final row."""
    source = swept.source
    found: list[Definition] = []
    tops: dict[str, int] = {}
    for row, definition in enumerate(swept.definitions):
        name = definition.name
        start = swept.ranges[row][0]
        if name[0] in "'\"":
            name = unquoted(name) or name
            definition = definition._replace(name=name)
        if definition.parent < 0:
            if name == "exports" and (own := _OWN_NAME.match(source, start)):
                definition = definition._replace(name=own[1].decode("utf-8", "replace"))
            elif (member := _ASSIGNED_MEMBER.match(source, start)) is not None:
                holder = tops.get(member[1].decode("utf-8", "replace"), -1)
                definition = definition._replace(parent=holder)
                if member[2] and holder >= 0:
                    found[holder] = found[holder]._replace(kind="class")
            tops.setdefault(definition.name, row)
        found.append(definition)
    if b".prototype" in source:
        _adopt(swept, found, tops)
    return found, _one_of_several(swept, found) if typed else None


def _adopt(swept: Swept, found: list[Definition], tops: dict[str, int]) -> None:
    """Make the functions in `F.prototype = {...}` members of F, which then counts as a class."""
    starts = [start for start, _ in swept.ranges]
    for node in swept.nodes("assigned"):
        head = _PROTOTYPE.match(swept.source, node.start_byte)
        holder = tops.get(head[1].decode("utf-8", "replace"), -1) if head else -1
        if holder < 0:
            continue
        found[holder] = found[holder]._replace(kind="class")
        for row in range(max(bisect_left(starts, node.start_byte), holder + 1), bisect_left(starts, node.end_byte)):
            if found[row].parent < 0:
                found[row] = found[row]._replace(parent=holder)


def _one_of_several(swept: Swept, found: list[Definition]) -> dict[int, int] | None:
    """Merge the signatures of an overloaded function with its body: row -> final row; None = no change.

    The merged definition takes the place of the first signature, before definitions inside their types.
    """
    signatures = {node.start_byte for node in swept.captures.get("signature", ())}
    if not signatures:
        return None
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for row, definition in enumerate(found):
        before = last.get(definition.parent)
        if (
            before is not None
            and swept.ranges[before][0] in signatures
            and definition.kind == "function"
            and found[before].name == definition.name
        ):
            first[row] = first.get(before, before)
        last[definition.parent] = row
    if not first:
        return None
    number = {-1: -1}
    count = 0
    for row in range(len(found)):
        number[row] = number[first[row]] if row in first else count
        count += row not in first
    return number


def _merged(definitions: list[Definition], number: dict[int, int]) -> list[Definition]:
    """`definitions` by their final rows; a function with several signatures begins at the first one."""
    merged: list[Definition] = []
    for row, definition in enumerate(definitions):
        final = number[row]
        definition = definition._replace(parent=number[definition.parent])
        if final == len(merged):
            merged.append(definition)
            continue
        before = merged[final]
        own, more = definition.measures, before.measures
        merged[final] = definition._replace(
            line=before.line,
            measures=own._replace(
                sloc=own.sloc + more.sloc,
                comments=own.comments + more.comments,
                nl3_lines=own.nl3_lines + more.nl3_lines,
            ),
            type=definition.type if definition.type == before.type else "",
        )
    return merged


_MODULE = re.compile(rb"^[ \t]*(?:import|export)\b", re.MULTILINE)


def _visible_everywhere(source: bytes, typed: bool) -> tuple[Mark, ...]:
    """A mark for a TypeScript file without imports and exports: a script, whose names are global."""
    return () if not typed or _MODULE.search(source) else (VisibleEverywhere(),)


_NAMED_IN_SCOPE = re.compile(
    rb"(?:export|default|async\s+function|function|declare|abstract|class|@)\b|@|[\w$.]+\s*(?::[^={}]{0,300})?="
)


def _loose(swept: Swept, definitions: list[Definition], number: dict[int, int] | None) -> tuple[Mark, ...]:
    """Marks of methods of objects, which are not visible by name in the enclosing scope."""
    members = ("class", "interface", "object", "enum", "type")
    final = number or {row: row for row in range(len(swept.definitions))}
    return tuple(
        Loose(final[row])
        for row, definition in enumerate(swept.definitions)
        if definition.kind == "function"
        and (definition.parent < 0 or swept.definitions[definition.parent].kind not in members)
        and not _NAMED_IN_SCOPE.match(swept.source, swept.ranges[row][0])
    )


# -- uses ------------------------------------------------------------------------------------------------------

_DECLARED = re.compile(
    rb"[?!]?\s*:\s*(?:readonly\s+)?"
    + _TYPE_NAME
    + rb"(<[^=\n]{0,300}?>)?(?:\s*\|\s*(?:null|undefined))*\s*(?=[=;,)}\n]|$)"
)
_MADE = re.compile(rb"[?!]?\s*(?::[^=\n]{0,300})?=\s*(?:await\s+)?(?:new\s+)?")
_SET = re.compile(rb"([\w$.]+)\s*=\s*(?:new\s+([\w$.]+)|([\w$]+)|\{)")
_PAIR = re.compile(r"[{,]\s*([\w$]+)\s*:\s*([A-Za-z_$][\w$.]*)\s*(?=[,}])")
_OBJECT_REACH = 4_000  # bytes of `module.exports = {...}` that are examined


@lru_cache(1 << 14)
def _type_name(text: bytes) -> str:
    """The class of a type's values; empty for types that are not classes."""
    name = dotted(text)
    return "" if name in _NO_TYPES else name


_LONGEST_VALUE = 300  # longest expression of a call or `new`, in bytes


class _Variables:
    """Variables and parameters of a file, with their types as far as known.

    types  for each definition (-1 = the file): name -> type in the form of `facts.Use`; empty = not known
    names  names of all variables
    """

    def __init__(self, swept: Swept, definitions: list[Definition], imports: Iterable[Import]) -> None:
        self.swept, self.definitions = swept, definitions
        source = swept.source
        self._values = {node.start_byte: (node, "") for node in swept.nodes("made")}
        self._values |= {node.start_byte: (node, "()") for node in swept.nodes("result_of")}
        self.types: dict[int, dict[str, str]] = {}
        starts, rows = swept.scopes
        types = self.types
        for node in swept.nodes("local"):
            start, end = node.byte_range
            row = rows[bisect_right(starts, start) - 1]
            here = types.get(row)
            if here is None:
                here = types[row] = {}
            name = source[start:end].decode("utf-8", "replace")
            type_ = self.type_behind(end)
            here[name] = type_ if here.get(name, type_) == type_ else ""
        for statement in imports:
            for alias in statement.aliases:
                holder = self.holder(statement.scope, alias)
                if holder is not None:
                    del types[holder][alias]
        top = types.get(-1, {})
        for definition in definitions:
            if definition.parent < 0:
                top.pop(definition.name, None)
        self.names = {name for here in types.values() for name in here}

    def type_behind(self, end: int) -> str:
        """Type of the variable whose name ends at byte `end`: declared, or the class or call of its initial value."""
        source = self.swept.source
        mark = source[end : end + 1]
        if mark not in b" :=?!" or not mark:
            return ""
        if not source.startswith(b" =", end):
            declared = _DECLARED.match(source, end)
            if declared:
                return _type_name(declared[1])
        made = _MADE.match(source, end) if self._values else None
        if made and made.end() in self._values:
            node, mark_of_call = self._values[made.end()]
            name = dotted(source[node.start_byte : min(node.end_byte, node.start_byte + _LONGEST_VALUE)])
            return "" if name.startswith(".") else name + mark_of_call
        return ""

    def holder(self, scope: int, name: str) -> int | None:
        """Row of the definition (-1 = the file) that declares the variable `name` seen in `scope`.

        None = not a variable.
        """
        types = self.types
        while True:
            here = types.get(scope)
            if here is not None and name in here:
                return scope
            if scope < 0:
                return None
            scope = self.definitions[scope].parent

    def of(self, scope: int, name: str) -> str | None:
        """Type of the variable `name` seen in `scope`; empty = not known, None = not a variable."""
        holder = self.holder(scope, name)
        return None if holder is None else self.types[holder][name]


def _all_uses(swept: Swept, definitions: list[Definition], imports: list[Import]) -> list[RawUse]:
    """Uses of names other than plain variables, types of variables, and exports under other names."""
    source, scope_of = swept.source, swept.scope_of
    variables = _Variables(swept, definitions, imports)
    names, of = variables.names, variables.of
    uses: list[RawUse] = []
    for use in swept.uses:
        scope, kind, name, _, line = use
        head, dot, rest = name.partition(".")
        if head in names and (type_ := of(scope, head)) is not None:
            if not dot and not (kind == TYPE and type_ == name):  # `Header: Header`
                continue
            if not type_:
                if kind == CALL:
                    uses.append((scope, CALL, "." + rest.rpartition(".")[2], "", line))
                continue
        uses.append(use)
    uses += _values(swept, variables, {row.name for row in definitions}.union(*[row.aliases for row in imports]))
    uses.sort(key=_line)
    for scope, types in variables.types.items():
        uses += [(scope, DECLARE, name, type_, 0) for name, type_ in types.items() if type_]
    for capture, own in (("field", ""), ("property", "this.")):
        for node in swept.nodes(capture):
            type_ = variables.type_behind(node.end_byte)
            if type_:
                name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
                uses.append((scope_of(node.start_byte), DECLARE, own + name, type_, 0))
    uses += _assigned(swept, variables)
    uses += _exports(swept, definitions)
    return uses


_line = itemgetter(4)


def _values(swept: Swept, variables: _Variables, known: set[str]) -> Iterator[RawUse]:
    """Names used as values or JSX elements that are in `known`, that is, that may be more than variables."""
    source, captures = swept.source, swept.captures
    taken = {node.start_byte for node in (*captures.get("call", ()), *captures.get("create", ()))}
    taken |= {start for start, _ in swept.ranges}  # names to which a member is assigned
    names = variables.names
    for capture, kind in (("value", REFER), ("object", REFER), ("element", CALL)):
        for node in swept.nodes(capture):
            start = node.start_byte
            if capture == "object" and not 65 <= source[start] <= 90:
                continue  # it is a variable
            name = source[start : node.end_byte].decode("utf-8", "replace")
            head, dot, _ = name.partition(".")
            if head not in known or start in taken:
                continue
            if capture == "element" and not (dot or 65 <= source[start] <= 90):
                continue  # an HTML element
            if capture == "object" and source.startswith(b".prototype", node.end_byte):
                continue
            scope = swept.scope_of(start)
            if head not in names or variables.of(scope, head) is None:
                taken.add(start)
                yield scope, kind, name, "", node.start_point[0] + 1


def _assigned(swept: Swept, variables: _Variables) -> Iterator[RawUse]:
    """Facts from assignments to `this.x`, `exports.x` and `module.exports`."""
    source = swept.source
    for node in swept.nodes("assigned"):
        found = _SET.match(source, node.start_byte)
        if found is None:
            continue
        left, made, name = (part.decode("utf-8", "replace") if part else "" for part in found.groups())
        scope = swept.scope_of(node.start_byte)
        if left.startswith("this."):
            type_ = made or variables.of(scope, name)
            if type_ and left.count(".") == 1:
                yield scope, DECLARE, left, type_, 0
            continue
        exported = left.removeprefix("module.")
        if exported != "exports" and not exported.startswith("exports."):
            continue
        exported = exported.removeprefix("exports").lstrip(".") or EXPORTED
        if made:
            yield -1, DECLARE, exported, made, 0
        elif name and name != exported:
            yield -1, ASSIGN, exported, name, 0
        elif not name and exported == EXPORTED:
            end = min(node.end_byte, node.start_byte + _OBJECT_REACH)
            for pair in _PAIR.finditer(source[node.start_byte : end].decode("utf-8", "replace")):
                if pair[1] != pair[2]:
                    yield -1, ASSIGN, pair[1], pair[2], 0


_ALIAS = re.compile(rb"import\s+(?:type\s+)?([\w$]+)\s*=\s*([\w$.]+)")
_WHOLE_EXPORT = re.compile(rb"(?:exports\s*=\s*)?module\.exports\s*=")


def _exports(swept: Swept, definitions: list[Definition]) -> Iterator[RawUse]:
    """Exports under another name, and exports of the module as a whole."""
    source = swept.source
    for node in swept.nodes("exports"):
        read = statement_at(source, node.start_byte)
        if read is not None and not read.module:
            for name, alias in zip(read.names or (), read.aliases, strict=True):
                if name != alias:
                    yield -1, ASSIGN, alias, name, 0
    for node in swept.nodes("alias"):
        found = _ALIAS.match(source, node.start_byte)
        if found:
            yield swept.scope_of(node.start_byte), ASSIGN, found[1].decode("utf-8", "replace"), dotted(found[2]), 0
    for capture, exported in (("default", "default"), ("whole", EXPORTED)):
        for node in swept.nodes(capture):
            yield -1, ASSIGN, exported, source[node.start_byte : node.end_byte].decode("utf-8", "replace"), 0
    if b"module.exports" in source:
        for row, definition in enumerate(definitions):
            if definition.parent < 0 and _WHOLE_EXPORT.match(source, swept.ranges[row][0]):
                yield -1, ASSIGN, EXPORTED, definition.name, 0
