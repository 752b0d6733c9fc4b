"""Facts of one Go file."""

from __future__ import annotations

import re
from functools import lru_cache

import tree_sitter_go
from tree_sitter import Language

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.read import to_utf8
from cbvtool.analysis.sweep import Syntax, declared, dotted, imports_only, sweep

# The predeclared types (The Go Programming Language Specification, "Predeclared identifiers").
_PREDECLARED = frozenset(
    {
        b"any",
        b"append",
        b"bool",
        b"byte",
        b"cap",
        b"clear",
        b"close",
        b"comparable",
        b"complex",
        b"complex128",
        b"complex64",
        b"copy",
        b"delete",
        b"error",
        b"false",
        b"float32",
        b"float64",
        b"imag",
        b"int",
        b"int16",
        b"int32",
        b"int64",
        b"int8",
        b"iota",
        b"len",
        b"make",
        b"max",
        b"min",
        b"new",
        b"nil",
        b"panic",
        b"print",
        b"println",
        b"real",
        b"recover",
        b"rune",
        b"string",
        b"true",
        b"uint",
        b"uint16",
        b"uint32",
        b"uint64",
        b"uint8",
        b"uintptr",
    }
)


def _spell(text: bytes) -> str:
    return "" if text in _PREDECLARED else dotted(text)


def _typed(text: bytes) -> str:
    """The class of a type's values: T for `*T`, `T[int]` and `(T, error)`; none for slices, maps and functions."""
    found = _TYPE.match(text)
    return _spell(found[1]) if found else ""


_TYPE = re.compile(
    rb"\(?\s*(?:\w+\s+)?\*?\s*((?!(?:func|map|chan|struct|interface)\b)[A-Za-z_]\w*(?:\.\w+)?)\s*(?:[\[,)].*)?$",
    re.DOTALL,
)

SYNTAX = Syntax(
    "Go",
    Language(tree_sitter_go.language()),
    """
    (package_clause (package_identifier) @package)
    (import_spec) @import
    (type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
    (type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
    (type_spec name: (type_identifier) @name
        type: [(type_identifier) (qualified_type) (generic_type) (pointer_type) (array_type) (slice_type) (map_type)
               (channel_type) (function_type)]) @def.type
    (type_alias name: (type_identifier) @name) @def.type
    (function_declaration name: (identifier) @name) @def.function
    (method_declaration receiver: (_) @receiver name: (field_identifier) @name) @def.function
    (function_declaration result: (_) @result)
    (method_declaration result: (_) @result)
    (function_declaration parameters: (parameter_list (parameter_declaration name: (identifier) @parameter)))
    (method_declaration parameters: (parameter_list (parameter_declaration name: (identifier) @parameter)))
    (function_declaration parameters: (parameter_list (variadic_parameter_declaration) @parameter))
    (method_declaration parameters: (parameter_list (variadic_parameter_declaration) @parameter))
    [(if_statement) (for_statement) (expression_switch_statement) (type_switch_statement) (select_statement)] @control
    (if_statement alternative: (if_statement) @chained)
    [(if_statement) (for_statement) (expression_case) (type_case) (communication_case) "&&" "||"] @decision
    (statement_list) @block
    (comment) @comment
    (call_expression function: [(identifier) (selector_expression)] @call)
    (call_expression function: (index_expression operand: [(identifier) (selector_expression)] @call))
    (type_conversion_expression type: (generic_type type: [(type_identifier) (qualified_type)] @call))
    (composite_literal type: [(type_identifier) (qualified_type)] @create)
    (composite_literal type: (generic_type type: [(type_identifier) (qualified_type)] @create))
    (field_declaration !name type: [(type_identifier) (qualified_type)] @inherit)
    (field_declaration !name type: (generic_type type: [(type_identifier) (qualified_type)] @inherit))
    (interface_type (type_elem . [(type_identifier) (qualified_type)] @inherit .))
    (qualified_type name: (type_identifier) @part)
    [(type_identifier) (qualified_type)] @type
    (argument_list [(identifier) (selector_expression)] @refer)
    (keyed_element value: (literal_element [(identifier) (selector_expression)] @refer))
    [(parameter_declaration) (var_spec) (short_var_declaration) (field_declaration name: (_))] @declare
    (parameter_declaration name: (identifier) @local)
    (variadic_parameter_declaration name: (identifier) @local)
    [(short_var_declaration left: (expression_list (identifier) @local)) (var_spec name: (identifier) @local)
     (range_clause left: (expression_list (identifier) @local)) (const_spec name: (identifier) @local)
     (receive_statement left: (expression_list (identifier) @local))] @let
    (type_switch_statement alias: (expression_list (identifier) @local))
    [(function_declaration) (method_declaration) (func_literal) (function_type) (method_elem) (block) (if_statement)
     (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case) (type_case)
     (communication_case) (default_case)] @region
    """,
    frozenset({"block", "statement_list"}),
    frozenset({"expression_case", "type_case", "communication_case", "default_case"}),
    _spell,
    _typed,
)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    swept = sweep(SYNTAX, to_utf8(data))
    receivers = {swept.scope_of(node.start_byte): _receiver(swept.text(node)) for node in swept.nodes("receiver")}
    definitions = tuple(
        row._replace(name=f"{receivers[i]}.{row.name}") if receivers.get(i) else row
        for i, row in enumerate(swept.definitions)
    )
    imports = [_import(swept.text(node), node.start_point[0] + 1) for node in swept.nodes("import")]
    packages = swept.nodes("package")
    return swept._replace(definitions=definitions).facts(
        (row for row in imports if row is not None),
        swept.text(packages[0]).decode() if packages else "",
        declared(swept, _variables),
    )


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, which stand before everything except the package clause."""
    source = to_utf8(data)
    package = _PACKAGE.search(source)
    imports, at = [], package.end() if package else 0
    while declaration := _DECLARATION.match(source, at):
        at = declaration.end()
        for spec in _SPEC.finditer(declaration[1]):
            if spec[1] is None:  # skip a comment
                continue
            row = source.count(b"\n", 0, declaration.start(1) + spec.start(1)) + 1
            found = _import(spec[1], row)
            if found:
                imports.append(found)
    return imports_only(source, imports, package[1].decode() if package else "")


_GAP = rb"(?:\s|//[^\n]*\n|/\*.*?\*/|;)*"
_PACKAGE = re.compile(rb"^\s*package\s+(\w+)", re.MULTILINE)
_STRING = rb'(?:"[^"\n]*"|`[^`]*`)'
_DECLARATION = re.compile(
    _GAP + rb"import\b[ \t]*(\((?:[^()\"`/]|" + _STRING + rb"|//[^\n]*\n|/\*.*?\*/)*\)|[^\n;]*)", re.DOTALL
)
_SPEC = re.compile(rb"(?://[^\n]*|/\*.*?\*/)|((?:[\w.]+\s*)?" + _STRING + rb")", re.DOTALL)


def _import(text: bytes, line: int) -> Import | None:
    """The import `f "fmt"`; its alias is the local name if one is given (also `.` and `_`)."""
    found = _IMPORT.match(text)
    if found is None:
        return None
    alias = found[1].decode() if found[1] else ""
    return Import(found[2][1:-1].decode("utf-8", "replace"), 0, None, line, aliases=(alias,) if alias else ())


_IMPORT = re.compile(rb"(?:([\w.]+)\s*)?(" + _STRING + rb")")


def _receiver(text: bytes) -> str:
    found = _RECEIVER.search(text)
    return found[1].decode() if found else ""


_RECEIVER = re.compile(rb"([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*\)?\s*\)$")


@lru_cache(1 << 15)
def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """Names and type of the declared variables; the type is empty if the text does not show it."""
    match = _SHORT_VARIABLE.match(text)
    if match:
        other = _spell(match[2])
        return (match[1].decode(),), other + "()" if other and match[3] == b"(" else other
    match = _VARIABLE.match(text)
    if match is None:
        return (), ""
    return tuple(part.strip().decode() for part in match[1].split(b",")), _typed(match[2].partition(b"=")[0].strip())


_SHORT_VARIABLE = re.compile(
    rb"(\w+)(?:\s*,\s*\w+)*\s*(?:[^=\n{(]*)?:?=\s*&?([A-Za-z_][\w.]*)\s*(?:\[[^\]\n]*\])?([({])"
)
_VARIABLE = re.compile(rb"(\w+(?:\s*,\s*\w+)*)\s+(?:\.\.\.)?([^\n`\"]*)")
