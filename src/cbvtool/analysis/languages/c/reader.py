"""Facts of one C or C++ file: one parse, one query, one sweep; includes from the bytes alone.

Namespaces do not become nodes, because a ring of `namespace llvm` around every file would say nothing. They are kept in
the marks, from which the resolver knows their content (see `analysis/marks.py`).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Language, Node

from cbvtool.analysis.facts import ASSIGN, CALL, CREATE, DECLARE, INHERIT, REFER, TYPE, FileFacts, Uses
from cbvtool.analysis.languages.branches import first_branches, lines_left_out
from cbvtool.analysis.languages.c.directives import imports_of, marks_of
from cbvtool.analysis.languages.c.readable import without_macros
from cbvtool.analysis.marks import Bodiless, FunctionMacros, Hidden, InlineNamespace, Mark, Namespace, Prototypes
from cbvtool.analysis.read import to_utf8_or_latin
from cbvtool.analysis.sweep import REGION, VARIABLE, Swept, Syntax, Visible, sweep, visible
from cbvtool.regular_file import Unreadable

# Queries for one node are cheap, those for several are not. So the code reads from the text what it can.
_C = """
(struct_specifier name: (_) @name body: (_)) @def.struct
(union_specifier name: (_) @name body: (_)) @def.union
(enum_specifier name: (_) @name body: (_)) @def.enum
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @def.union
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @def.enum
(type_definition) @alias
(type_definition declarator: (type_identifier) @renamed)
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @renamed))
(function_definition) @def.function
(function_definition type: (_) @result)
(function_definition declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters))
(function_definition declarator: (_ (function_declarator declarator: (_) @name parameters: (_) @parameters)))
(function_definition declarator: (_ (_ (function_declarator declarator: (_) @name parameters: (_) @parameters))))
(function_definition (storage_class_specifier "static") @static)
(parenthesized_declarator (pointer_declarator declarator: (identifier) @pointer))
(preproc_function_def name: (identifier) @macro)
(comment) @comment
[(if_statement) (for_statement) (while_statement) (do_statement)] @fork @statement
(switch_statement) @control @statement
[(expression_statement) (return_statement) (break_statement) (continue_statement) (goto_statement)] @statement
(compound_statement (declaration) @statement)
(case_statement (declaration) @statement)
(else_clause (if_statement) @chained)
["case"] @decision
(conditional_expression) @decision
(binary_expression operator: ["&&" "||"] @decision)
(ERROR "||" @decision)
[(preproc_if condition: (_) @condition) (preproc_elif condition: (_) @condition)]
(ERROR [(preproc_directive) "#if" "#elif"] @condition)
(call_expression function: (_) @called)
(type_identifier) @named
[(declaration) (field_declaration) (parameter_declaration)] @declaration
(argument_list (identifier) @value)
(pointer_expression argument: (identifier) @value)
(initializer_list (identifier) @value)
(initializer_pair value: (identifier) @value)
(init_declarator value: (identifier) @value)
(assignment_expression right: (identifier) @value)
(return_statement (identifier) @value)
"""
_CPP = """
(class_specifier name: (_) @name body: (_)) @def.class
(field_declaration declarator: (function_declarator
    declarator: [(field_identifier) (operator_name)] @name parameters: (_) @parameters)) @def.function @bodiless
(field_declaration type: (_) @result declarator: (function_declarator declarator: (field_identifier)))
(field_declaration declarator: (_ (function_declarator
    declarator: [(field_identifier) (operator_name)] @name parameters: (_) @parameters))) @def.function @bodiless
(field_declaration type: (_) @result declarator: (_ (function_declarator declarator: (field_identifier))))
(field_declaration_list (declaration declarator: (function_declarator
    declarator: [(identifier) (destructor_name) (operator_name)] @name parameters: (_) @parameters))
    @def.function @bodiless)
(field_declaration_list (declaration declarator: (operator_cast) @name) @def.function @bodiless)
(field_declaration_list (template_declaration (declaration declarator: (function_declarator
    declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)) @def.function @bodiless))
(field_declaration_list (template_declaration (declaration declarator: (_ (function_declarator
    declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))) @def.function @bodiless))
(function_definition declarator: (operator_cast) @name)
(function_definition declarator: (qualified_identifier) @name)
(template_declaration) @outer
(template_parameter_list (type_parameter_declaration (type_identifier) @parameter.type))
(template_parameter_list (optional_type_parameter_declaration name: (type_identifier) @parameter.type))
(namespace_definition) @namespace
(for_range_loop) @fork @statement @declaration
(try_statement) @control @statement
(throw_statement) @statement
(catch_clause) @decision
(binary_expression operator: ["and" "or"] @decision)
(fold_expression operator: ["&&" "||" "and" "or"] @decision)
(new_expression type: (_) @made)
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
(qualified_identifier) @named
(optional_parameter_declaration) @declaration
(declaration declarator: (init_declarator declarator: (identifier) @pointer value: (lambda_expression)))
(structured_binding_declarator (identifier) @binding)
[(alias_declaration) (namespace_alias_definition) (using_declaration)] @alias
(using_declaration (_) @renamed)
(alias_declaration name: (_) @renamed)
(namespace_alias_definition name: (_) @renamed)
"""
_BODIES = frozenset({"compound_statement", "case_statement"})
_CLAUSES = frozenset({"else_clause", "catch_clause", "case_statement"})


@lru_cache(maxsize=2)
def _syntax(plus: bool) -> Syntax:
    """Grammar and query for C, or C++. Made on first use: a process that reads no C++ compiles no query for it."""
    if plus:
        import tree_sitter_cpp as grammar
    else:
        import tree_sitter_c as grammar  # type: ignore[no-redef]  # one of the two
    return Syntax(
        "C++" if plus else "C",
        Language(grammar.language()),
        _C + _CPP if plus else _C,
        _BODIES,
        _CLAUSES,
        typed=_typed,
        amend=_amend,
    )


def _amend(captures: dict[str, list[Node]]) -> None:
    """Remove the operators on lines of directives: they are not decisions at run time."""
    conditions = captures.pop("condition", ())
    rows = {row for node in conditions for row in range(node.start_point[0], node.end_point[0] + 1)}
    if rows:
        captures["decision"] = [node for node in captures.get("decision", ()) if node.start_point[0] not in rows]


# -- which language --------------------------------------------------------------------------------------------

_C_SUFFIXES = (".c",)
_EITHER = (".h", ".inc")
# Syntax that only C++ has. Tested on headers only. A match in a comment is harmless: C++'s grammar reads nearly all C.
_CPP_ONLY = re.compile(
    rb"::|\b(?:class\s+\w+[^;{]{0,200}\{|namespace\s+\w*\s*\{|template\s*<|(?:public|private|protected)\s*:|virtual\s|using\s+\w)"
)
# Lines of an included fragment of C: a directive, a comment, or statements with calls, lists and semicolons.
_LIKE_C = re.compile(rb"^[ \t]*(?:#[ \t]*(?:include|define|if|undef|pragma|error)|//|/\*)|[;{},)][ \t]*$", re.MULTILINE)
_UNLIKE_C = re.compile(
    rb"<\?php|^[ \t]*(?:\.(?:globl|global|macro|text|section|align|equ)\b|%macro\b|%define\b)", re.MULTILINE
)


def is_cpp(source: bytes, name: str) -> bool:
    """Whether to read the file as C++: by its name; `.h` and `.inc` by their content."""
    if name.endswith(_C_SUFFIXES):
        return False
    return not name.endswith(_EITHER) or _CPP_ONLY.search(source) is not None


def _has_modules(name: str) -> bool:
    """Whether the file name allows C++20 modules."""
    return not name.endswith((*_C_SUFFIXES, *_EITHER))


def _refuse_other(source: bytes, name: str) -> None:
    """Raise Unreadable for an `.inc` of another language."""
    if name.endswith(".inc") and source.strip() and (_UNLIKE_C.search(source) or not _LIKE_C.search(source)):
        raise Unreadable("does not look like C or C++, as other .inc files do")


# -- facts -----------------------------------------------------------------------------------------------------


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """All facts of one file; raises Unreadable."""
    source = to_utf8_or_latin(data)
    _refuse_other(source, name)
    swept = _swept(source, name)
    modules = _has_modules(name)
    captures = swept.captures
    bodiless = {
        swept.scope_of(node.start_byte)
        for node in captures.get("bodiless", ())
        if not swept.text(node).rstrip(b"; \t\n").endswith(b"}")  # the grammar takes `void f() {};` for a value
    }
    chained = Counter(swept.scope_of(node.start_byte) for node in captures.get("chained", ()))
    declared = _declarations(source, swept, bodiless)
    definitions = []
    for row, definition in enumerate(swept.definitions):
        nothing = definition.parameters == 1 and _takes_nothing(source, swept.ranges[row][0])
        if nothing or row in bodiless or chained[row] or not definition.name.isidentifier():
            own = definition.measures
            definition = definition._replace(
                name=_plain_name(definition.name),
                parameters=definition.parameters - nothing,
                measures=own._replace(
                    complexity=own.complexity - (row in bodiless), statements=own.statements - chained[row]
                ),
            )
        definitions.append(definition)
    lost = swept.lost()
    return FileFacts(
        swept.lines,
        swept.own._replace(statements=0),
        tuple(definitions),
        imports_of(source, modules),
        _uses(source, swept, declared),
        swept.broken,
        marks=tuple(marks_of(source, modules) + _marks(source, swept, bodiless, declared.prototypes)),
        lost_lines=lost.lines,
        lost_to_macros=lost.to_macros,
    )


def _swept(source: bytes, name: str) -> Swept:
    """The sweep of the file with C's or C++'s grammar. If conditions break the syntax, of its most readable version."""
    plus = is_cpp(source, name)
    readable = without_macros(source)
    swept = sweep(_syntax(plus), readable, source)
    if swept.broken and not plus and name.endswith(_EITHER):
        again = sweep(_syntax(True), readable, source)
        if not again.broken:
            return again
    if swept.broken and (whole := first_branches(readable, cut_only=True)) != readable:
        again = sweep(_syntax(plus), whole, source)
        if _lost(again.root) < _lost(swept.root):
            swept = _without_branches(again, readable)
    if swept.broken and (lost := _lost(swept.root)) > _MUCH and b"#" in source:
        again = sweep(_syntax(plus), first_branches(readable), source)
        if _lost(again.root) < lost:
            return _without_branches(again, readable)
    return swept


def _without_branches(swept: Swept, readable: bytes) -> Swept:
    """`swept` from a version without some branches of conditions; their lines count as lost."""
    return swept._replace(broken=True, left_out=lines_left_out(readable, swept.source))


_MUCH = 500  # bytes in syntax errors that suggest a whole function or class was not understood, not just a macro


def _lost(root: Node) -> int:
    """Number of bytes in syntax errors."""
    lost, todo = 0, [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            lost += node.end_byte - node.start_byte
        todo += [child for child in node.children if child.has_error]
    return lost


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only its includes and number of lines; raises Unreadable."""
    source = to_utf8_or_latin(data)
    _refuse_other(source, name)
    modules = _has_modules(name)
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    return FileFacts(lines, imports=imports_of(source, modules), marks=tuple(marks_of(source, modules)))


_ARGUMENTS = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"(.*?)\boperator\b\s*(.*)", re.DOTALL)
_FIRST_NAME = re.compile(r"[\w:~]+")


@lru_cache(maxsize=4096)
def _plain_name(name: str) -> str:
    """A definition's name as written, without template arguments, blanks, and the rest of its declarator."""
    if name.isidentifier():
        return name
    operator = _OPERATOR.fullmatch(name)
    if operator:
        before, which = operator.groups()
        which = which.partition("(")[0].strip() or "()"
        return _plain_name(before) + "operator" + (" " if which[0].isalnum() else "") + " ".join(which.split())
    if name.startswith("("):  # int (*f(int))(int)
        found = _FIRST_NAME.search(name)
        name = found[0] if found else name
    while "<" in name and (shorter := _ARGUMENTS.sub("", name)) != name:
        name = shorter
    return "".join(name.partition("(")[0].split())


def _takes_nothing(source: bytes, begin: int) -> bool:
    """Whether the only parameter of the function at `begin` is `void`."""
    return _VOID.search(source[begin : begin + _HEAD].partition(b"{")[0]) is not None


_HEAD = 300  # bytes that hold a function's name and parameters, or a typedef's
_VOID = re.compile(rb"\w\s*\(\s*void\s*\)")


# -- names -----------------------------------------------------------------------------------------------------

_TEMPLATE = re.compile(rb"<[^<>]*>")
_CALLED = re.compile(rb"\([^()]*\)|\[[^\[\]]*\]")
_PARENTHESES = re.compile(rb"\(\s*[*&]*\s*([\w:.>-]+)\s*\)")
_JOINT = re.compile(rb"\s*(?:->|::|\.)\s*(?:template\s+)?")
_DOTTED = re.compile(rb"\.?[A-Za-z_\x80-\xff]\w*(?:\.~?[A-Za-z_\x80-\xff]\w*)*")
_FOREIGN = re.compile(rb"(?:::\s*)?(?:std|boost)\s*::|(?:u?int(?:8|16|32|64|ptr|max)|size|ssize|off|ptrdiff|time)_t$")
_SIMPLE = re.compile(rb"(?:::)?[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)*")
_LAST = re.compile(rb"(?:\.|->)\s*(?:template\s+)?(\w+)\s*(?:<[^<>]*>)?$")
_CAST_WORDS = frozenset({b"static_cast", b"dynamic_cast", b"reinterpret_cast", b"const_cast"})
# Wrappers like smart pointers: `->` accesses the members of their content.
_WRAPPED = re.compile(
    rb"\b(?:unique_ptr|shared_ptr|weak_ptr|scoped_refptr|scoped_ptr|IntrusiveRefCntPtr|OwningPtr|RefPtr|ref_ptr|optional"
    rb"|Optional|QPointer|QSharedPointer|QScopedPointer|intrusive_ptr|Expected|ErrorOr|not_null|observer_ptr)"
    rb"\s*<\s*(?:const\s+)?([\w:]+)"
)
_TAG = re.compile(rb"(?:struct|union|enum|class)\s+(\w+)")
_PRIMITIVE = frozenset(
    b"void bool char short int long float double unsigned signed auto size_t wchar_t char8_t char16_t char32_t".split()
)
_LONG = 160  # longest expression that is analysed, in bytes


def _dotted(text: bytes) -> str:
    """A name with its parts joined by dots, without template arguments; empty if the text is not a name."""
    while b"<" in text and (shorter := _TEMPLATE.sub(b"", text)) != text:
        text = shorter
    text = _JOINT.sub(b".", text.strip()).lstrip(b".")
    return text.decode("utf-8", "replace") if _DOTTED.fullmatch(text) else ""


@lru_cache(maxsize=1 << 15)
def _called(text: bytes) -> str:
    """The called name: `f(x).g` gives `f.g`, member g of the result of f; `.g` if the object is too complex."""
    if _FOREIGN.match(text):
        return ""
    if _SIMPLE.fullmatch(text):
        return _from_top(text, text.replace(b"->", b".").replace(b"::", b".").decode().lstrip("."))
    name = text
    while b"<" in name and (shorter := _TEMPLATE.sub(b"", name)) != name:
        name = shorter
    if name.strip() in _CAST_WORDS:
        return ""
    if name.startswith(b"("):
        name = _PARENTHESES.sub(rb"\1", name)
    if b"(" in name or b"[" in name:
        while (shorter := _CALLED.sub(b"", name)) != name:
            name = shorter
    dotted = _dotted(name) if len(text) < _LONG else ""
    if dotted:
        return _from_top(text, dotted)
    last = _LAST.search(text)
    return f".{last[1].decode('utf-8', 'replace')}" if last else ""


@lru_cache(maxsize=1 << 14)
def _named(text: bytes) -> str:
    """A used name as dotted text; empty for names of the standard library."""
    return "" if _FOREIGN.match(text) else _from_top(text, _dotted(text))


def _from_top(text: bytes, name: str) -> str:
    """The name with a leading `::`, if the text has one: then enclosing scopes do not count."""
    return f"::{name}" if name and text.startswith(b"::") else name


@lru_cache(maxsize=4096)
def _typed(text: bytes) -> str:
    """The class of values of the declared type `text`; for a smart pointer, the class of its content."""
    if text in _PRIMITIVE:
        return ""
    wrapped = _WRAPPED.search(text)
    tag = _TAG.match(text)
    return _dotted(wrapped[1] if wrapped else tag[1] if tag else text)


class _Table:
    """Uses being collected: `rows` as in `facts.Uses`, and the index of each name in them."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {"": 0}
        self.rows = array("i")

    def of(self, name: str) -> int:
        return self.number.setdefault(name, len(self.number))

    def add(self, scope: int, kind: int, name: str, other: str, line: int) -> None:
        self.rows.extend((scope, kind, self.of(name), self.of(other), line))

    def packed(self) -> Uses:
        return Uses(tuple(self.number), self.rows.tobytes())


def _uses(source: bytes, swept: Swept, declared: _Declared) -> Uses:
    """Calls, the first use of each type and function value in each definition, and declared variables."""
    captures, table = swept.captures, _Table()
    pointers = {(swept.scope_of(node.start_byte), _text(source, node)) for node in captures.get("pointer", ())}
    taken = {node.start_byte for capture in _NO_USES for node in captures.get(capture, ())}
    for capture, kind in (("base", INHERIT), ("made", CREATE)):
        for node in swept.nodes(capture):
            start = node.start_byte
            taken.add(start)
            name = _named(source[start : node.end_byte])
            if name:
                table.add(swept.scope_of(start), kind, name, "", node.start_point[0] + 1)
    heads = _calls(source, swept, table, taken, pointers, _hiding(source, swept, declared.variables))
    _types(source, swept, table, taken)
    _values(source, swept, table, {name for _, name in pointers} | {name for _, name, _, _ in declared.variables})
    for scope, name, other, node in declared.variables:
        if name in heads and other:
            table.add(scope, DECLARE, name, other, node.start_point[0] + 1)
    for scope, name, other, node in declared.shared:
        table.add(scope, DECLARE, name, other, node.start_point[0] + 1)
    for scope, name, other, line in _aliases(source, swept):
        table.add(scope, ASSIGN, name, other, line)
    return table.packed()


_NO_USES = ("name", "renamed", "parameter.type")


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _hiding(source: bytes, swept: Swept, variables: Iterable[Variable]) -> dict[str, Visible]:
    """Where a called name is that of a variable, by name."""
    captures = swept.captures
    bindings = [(_text(source, node), node.start_byte) for node in captures.get("binding", ())]
    places = [*bindings, *((name, node.start_byte) for _, name, _, node in variables)]
    called = {_text(source, node) for node in captures.get("called", ())}.intersection(name for name, _ in places)
    if not called:
        return {}
    regions = [
        *(range_ for row, range_ in zip(swept.definitions, swept.ranges, strict=True) if row.kind == "function"),
        *(node.byte_range for capture in ("control", "fork") for node in captures.get(capture, ())),
    ]
    return visible(
        [
            *((start, -end, REGION, "") for start, end in regions),
            *((start, -start, VARIABLE, name) for name, start in places if name in called),
        ]
    )[1]


def _calls(
    source: bytes,
    swept: Swept,
    table: _Table,
    taken: set[int],
    pointers: set[tuple[int, str]],
    hiding: Mapping[str, Visible],
) -> set[str]:
    """Add every call by a name, and the positions of qualified names to `taken`.

    Returns names whose members are called.

    pointers  (scope, name) of variables that hold functions: the target of calling them is unknown
    hiding    see `_hiding`: the target of calling a variable of any other type is unknown, too
    """
    starts, scopes = swept.scopes
    rows = table.rows
    known: dict[bytes, int] = {}
    qualified: set[bytes] = set()
    line, counted = 1, 0  # asking each node for its row would cost four times as much
    for node in swept.nodes("called"):
        start, end = node.start_byte, node.end_byte
        line += source.count(b"\n", counted, start)
        counted = start
        text = source[start:end] if end - start < _LONG else source[end - _LONG : end]
        number = known.get(text)
        if number is None:
            name = _called(text)
            number = known[text] = table.of(name)
            if b"::" in text:
                qualified.add(text)
        if number:
            scope = scopes[bisect_right(starts, start) - 1]
            plain = text.decode("utf-8", "replace") if hiding or pointers else ""
            is_variable = plain in hiding and hiding[plain].holds(start)
            if not is_variable and (not pointers or (scope, plain) not in pointers):
                row = line + text.count(b"\n") if end - start < _LONG else node.end_point[0] + 1
                rows.extend((scope, CALL, number, 0, row))
        if text in qualified:
            taken.add(start)
    return {head for name in table.number if (head := name.partition(".")[0]) != name}


def _types(source: bytes, swept: Swept, table: _Table, taken: set[int]) -> None:
    """Add the first use of each type, and of each qualified name, in each definition."""
    starts, scopes = swept.scopes
    parameters = {source[node.start_byte : node.end_byte] for node in swept.captures.get("parameter.type", ())}
    known: dict[bytes, int] = dict.fromkeys(parameters, 0)
    seen: set[int] = set()
    for node in swept.nodes("named"):
        start = node.start_byte
        if source[start - 1] == _COLON and start:
            continue  # part of a longer name
        end = node.end_byte
        text = source[start : end if end - start < _LONG else start + _LONG]
        number = known.get(text)
        if number is None:
            number = known[text] = table.of(_named(text))
        if not number or start in taken:
            continue
        scope = scopes[bisect_right(starts, start) - 1]
        key = (scope << 32) + number
        if key not in seen:
            seen.add(key)
            table.rows.extend((scope, TYPE, number, 0, node.start_point[0] + 1))


_COLON = ord(":")


def _values(source: bytes, swept: Swept, table: _Table, variables: set[str]) -> None:
    """Add names that are taken as values, except variables and constants.

    Only functions among them will be resolved.
    """
    known: dict[bytes, int] = {}
    seen: set[int] = set()
    for node in swept.nodes("value"):
        text = source[node.start_byte : node.end_byte]
        number = known.get(text)
        if number is None:
            name = text.decode("utf-8", "replace")
            known[text] = number = 0 if name in variables or name.isupper() else table.of(name)
        if number:
            scope = swept.scope_of(node.start_byte)
            key = (scope << 32) + number
            if key not in seen:
                seen.add(key)
                table.rows.extend((scope, REFER, number, 0, node.start_point[0] + 1))


Variable = tuple[int, str, str, Node]  # scope, name, class of its values (empty = none), node


class _Declared(NamedTuple):
    """The declarations in a file.

    variables   local variables and parameters
    shared      fields and global variables of class types, which other files may see
    prototypes  prototypes of functions outside of classes
    """

    variables: list[Variable]
    shared: list[Variable]
    prototypes: set[str]


def _declarations(source: bytes, swept: Swept, bodiless: set[int]) -> _Declared:
    starts, scopes = swept.scopes
    in_function = [definition.kind == "function" for definition in swept.definitions]
    found = _Declared([], [], set())
    for node in swept.nodes("declaration"):
        start, end = node.start_byte, node.end_byte
        names, other = _declarators(source[start : end if end - start < _SHORT else start + _SHORT])
        if not names:
            names, other = _declared_with_type(source, start, end)
        if not names and node.type.endswith("parameter_declaration"):  # its type is more than a name
            names = _parameter_name(source, node)
        if not names:
            if node.type == "declaration" and (unusual := _UNUSUAL.match(source, start, end)):
                found.prototypes.add(unusual[1].decode())
            continue
        scope = scopes[bisect_right(starts, start) - 1]
        if scope >= 0 and swept.ranges[scope][0] == start and scope not in bodiless:
            scope = swept.definitions[scope].parent  # scope of the type that is defined here
        if scope >= 0 and in_function[scope]:
            if scope not in bodiless:
                found.variables.extend([(scope, name.rstrip("("), other, node) for name in names])
        elif scope < 0 and node.type != "declaration":
            continue  # a parameter of a prototype
        elif names[0].endswith("("):
            if scope < 0:
                found.prototypes.add(names[0][:-1])
        elif other:
            found.shared.extend([(scope, name, other, node) for name in names])
    return found


def _parameter_name(source: bytes, node: Node) -> tuple[str, ...]:
    """The name of a parameter according to the syntax tree; empty for a pointer to a function."""
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type in ("reference_declarator", "pointer_declarator"):
        inner = inner.named_child(inner.named_child_count - 1)
    return (_text(source, inner),) if inner is not None and inner.type == "identifier" else ()


# A prototype with attributes, or with its name in parentheses (so that a macro of that name is not expanded).
_UNUSUAL = re.compile(
    rb"(?:[A-Za-z_]\w*[\s*]+|__attribute__\s*\(\(.{0,100}?\)\)\s*|\[\[.{0,100}?\]\]\s*){1,8}\(?\s*([A-Za-z_]\w*)\s*\)?\s*\("
)
_SHORT = 120  # bytes of a declaration that are examined
_SIMPLE_DECLARATION = re.compile(
    rb"(?:const )?([A-Za-z_][\w:]*)(?: const)?(?: ?[*&]{1,2} ?| )([A-Za-z_]\w*)( ?= ?|[;)(]|\Z)"
)
_DECLARATION = re.compile(
    rb"(?:for\s*\(\s*)?((?:(?:\w|::|<[^;(){}=]*>)+[\s*&]+)+)([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*([;,=({:)]|\Z)"
)
_MORE = re.compile(rb"\s*(?:=[^,;(){}]*)?,\s*[*&\s]*([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*")
_MODIFIERS = re.compile(
    rb"\b(?:static|const|constexpr|constinit|mutable|extern|register|volatile|inline|typename|struct|union|enum|class"
    rb"|thread_local|friend|virtual|explicit)\b"
)
_MODIFYING = frozenset(
    b"static const constexpr constinit mutable extern register volatile inline typename struct union enum class"
    b" thread_local friend virtual explicit unsigned signed long short return using typedef goto".split()
)
_TYPE_WORD = re.compile(rb"((?:[\w:]|<.*>)+)[\s*&]*$", re.DOTALL)
_MADE = re.compile(rb"\s*new\s+([\w:]+)")
_CAST = re.compile(
    rb"\s*[\w:]*(?:\b|_)(?:cast|cast_or_null|dyn_cast|make_unique|make_shared|get_if|any_cast)\s*<\s*(?:const\s+)?([\w:]+)"
)
_RESULT = re.compile(rb"\s*([\w:.>-]+)\s*\(")


@lru_cache(maxsize=1 << 14)
def _declarators(text: bytes) -> tuple[tuple[str, ...], str]:
    """Names declared in the first bytes of a declaration, with `(` if one follows, and the class of their values."""
    match = _SIMPLE_DECLARATION.match(text)
    if match and match[1] not in _MODIFYING:
        name = match[2].decode()
        if match[1] == b"auto":
            return (name,), _held(text, match.end()) if match[3].strip() == b"=" else ""
        return (f"{name}(" if match[3] == b"(" else name,), _typed(match[1])
    match = _DECLARATION.match(text)
    if match is None or (match[3] == b"{" and _TAG.match(text)):
        return (), ""
    names = [match[2].decode()]
    if match[3] == b"(":
        names[0] += "("
    end = match.end(2)
    while more := _MORE.match(text, end):
        names.append(more[1].decode())
        end = more.end()
    kind = _TYPE_WORD.search(_MODIFIERS.sub(b"", match[1]).strip())
    written = kind[1] if kind else b""
    if written != b"auto":
        return tuple(names), _typed(written)
    if match[3] != b"=":
        return tuple(names), ""
    return tuple(names), _held(text, match.end())


def _declared_with_type(source: bytes, start: int, end: int) -> tuple[tuple[str, ...], str]:
    """As `_declarators`, for `struct a { ... } b, *c;`, where the names stand at the end."""
    defined = _TAG.match(source, start, end)
    if defined is None:
        return (), ""
    last = _DECLARED_LAST.search(source, max(start, end - _SHORT), end)
    return (tuple(re.findall(r"\w+", last[1].decode("utf-8", "replace"))) if last else ()), _dotted(defined[1])


_DECLARED_LAST = re.compile(rb"\}\s*([*&\w\s,]+);\s*$")


def _held(text: bytes, at: int) -> str:
    """The class of the value at position `at`, or `f()` for the result of a call of f."""
    made = _MADE.match(text, at) or _CAST.match(text, at)
    if made:
        return _dotted(made[1])
    result = _RESULT.match(text, at)
    name = _named(result[1]) if result else ""
    return f"{name}()" if name else ""


_TYPEDEF = re.compile(
    rb"typedef\s+(?:const\s+)?(?:(?:struct|union|enum|class|typename)\s+)?([\w:]*(?:<.*>)?)", re.DOTALL
)
_TYPEDEF_NAMES = re.compile(rb"(?:\}|[\w>*&]\s)\s*((?:[*&\s]*\w+\s*,)*[*&\s]*\w+)\s*;$")
_USING = re.compile(
    rb"(?:using\s+(?P<all>namespace\s+)?(?:typename\s+)?(?P<used>[\w:\s]+?)\s*;"
    rb"|(?:using|namespace)\s+(?P<name>\w+)[^=;]*=\s*(?:typename\s+|struct\s+|class\s+)?(?P<other>[\w:]+))"
)


def _aliases(source: bytes, swept: Swept) -> list[tuple[int, str, str, int]]:
    """Aliases: `typedef`, `using`, `namespace a = b`; `*` stands for all names of a namespace."""
    found = []
    for node in swept.nodes("alias"):
        start, end = node.start_byte, node.end_byte
        head = source[start : min(end, start + _HEAD)]
        pairs: list[tuple[str, str]] = []
        if head.startswith(b"typedef"):
            pairs = _typedef(head, source[max(start, end - _HEAD) : end])
        elif match := _USING.match(head):
            if match["name"]:
                pairs = [(match["name"].decode(), _dotted(match["other"]))]
            else:
                used = _dotted(match["used"])
                pairs = [("*" if match["all"] else used.rpartition(".")[2], used)]
        scope, line = swept.scope_of(start), node.start_point[0] + 1
        found += [(scope, name, other, line) for name, other in pairs if other and name != other]
    return found


def _typedef(head: bytes, tail: bytes) -> list[tuple[str, str]]:
    """(new name, old name) of a typedef, given its beginning and its end."""
    old, new = _TYPEDEF.match(head), _TYPEDEF_NAMES.search(tail)
    if old is None or new is None:
        return []
    names = [name.strip(b"*& \t\n").decode("utf-8", "replace") for name in new[1].split(b",")]
    other = "" if old[1] in _PRIMITIVE else _dotted(old[1])
    if not other and b"{" in head:
        other = names[0]  # an untagged type is known by the first name
    return [(name, other) for name in names]


# -- marks -----------------------------------------------------------------------------------------------------


def _marks(source: bytes, swept: Swept, bodiless: set[int], prototypes: set[str]) -> list[Mark]:
    captures = swept.captures
    starts = [start for start, _ in swept.ranges]
    found: list[Mark] = []
    hidden = {
        row
        for node in captures.get("static", ())
        if (row := swept.scope_of(node.start_byte)) >= 0 and swept.definitions[row].parent < 0
    }
    around: list[tuple[int, str]] = []
    for node in swept.nodes("namespace"):
        start, end = node.start_byte, node.end_byte
        while around and around[-1][0] <= start:
            around.pop()
        named = node.child_by_field_name("name")
        name = _dotted(source[named.start_byte : named.end_byte]) if named else ""
        path = ".".join(part for part in (around[-1][1] if around else "", name) if part)
        if source.startswith(b"inline", start) and "." in path:  # its names belong to the enclosing namespace
            found.append(InlineNamespace(path))
            path = path.rpartition(".")[0]
        around.append((end, path))
        first, last = bisect_left(starts, start), bisect_right(starts, end) - 1
        if path:
            found.append(Namespace(path, node.start_point[0] + 1, node.end_point[0] + 1))
        if named is None:
            hidden.update(range(first, last + 1))
    if seen_here := hidden - {-1}:
        found.append(Hidden(tuple(sorted(seen_here))))
    if bodiless:
        found.append(Bodiless(tuple(sorted(bodiless))))
    macros = {_text(source, node) for node in captures.get("macro", ())}
    if prototypes:
        found.append(Prototypes(tuple(sorted(prototypes))))
    if macros:
        found.append(FunctionMacros(tuple(sorted(macros))))
    return found
