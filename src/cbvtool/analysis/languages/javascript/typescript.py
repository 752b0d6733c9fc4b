"""Facts of one TypeScript file. TSX has a grammar of its own: without `<T>x`, and with elements."""

from __future__ import annotations

import tree_sitter_typescript
from tree_sitter import Language

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages.javascript.imports import imports_of
from cbvtool.analysis.languages.javascript.reader import (
    BODIES,
    CLAUSES,
    JSX_QUERY,
    QUERY,
    SHALLOW,
    VALUES,
    amend,
    facts_of,
    result_type,
    shallow_query,
    spell,
)
from cbvtool.analysis.read import to_utf8_or_latin
from cbvtool.analysis.sweep import Syntax

_RESULT = "return_type: (type_annotation (_) @result)?"
_FUNCTION = "[" + " ".join(f"({value} {_RESULT})" for value in VALUES) + "]"
_SIGNATURES = "".join(
    f"({kind} name: (_) @name parameters: (_) @parameters) @def.function @signature\n"
    for kind in ("function_signature", "method_signature", "abstract_method_signature")
)
_RESULTS = "".join(
    f"({kind} return_type: (type_annotation (_) @result))\n"
    for kind in (
        "function_declaration",
        "method_definition",
        "function_signature",
        "method_signature",
        "abstract_method_signature",
    )
)
_QUERY = f"""
{_SIGNATURES}{_RESULTS}
(abstract_class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(enum_declaration name: (_) @name) @def.enum
(type_alias_declaration name: (_) @name) @def.type
(internal_module name: (_) @name) @def.namespace
(module name: (_) @name) @def.namespace
(public_field_definition name: (_) @name value: {_FUNCTION}) @def.function

(extends_clause value: (_) @inherit)
(implements_clause [(type_identifier) (nested_type_identifier) (generic_type name: (_))] @inherit)
(extends_type_clause type: [(type_identifier) (nested_type_identifier) (generic_type name: (_))] @inherit)
(type_identifier) @type
(nested_type_identifier name: (_) @part) @type
(type_query [(identifier) (member_expression)] @type)
(public_field_definition name: (_) @field)
(public_field_definition value: (new_expression constructor: (_) @made))
(property_signature name: (property_identifier) @field)
(required_parameter pattern: (identifier) @local)
(required_parameter pattern: (rest_pattern (identifier) @local))
(optional_parameter pattern: (identifier) @local)
(required_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @property)
(optional_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @property)
"""
_SHALLOW_QUERY = (
    shallow_query(_RESULT)
    + """
(export_statement "=" (identifier) @whole)
(import_alias) @alias
"""
)

_TYPESCRIPT = Syntax(
    "TypeScript",
    Language(tree_sitter_typescript.language_typescript()),
    QUERY + _QUERY,
    BODIES,
    CLAUSES,
    spell,
    result_type,
    shallow=_SHALLOW_QUERY,
    depth=SHALLOW,
    amend=amend,
)
_TSX = Syntax(
    "TypeScript",
    Language(tree_sitter_typescript.language_tsx()),
    QUERY + JSX_QUERY + _QUERY,
    BODIES,
    CLAUSES,
    spell,
    result_type,
    shallow=_SHALLOW_QUERY,
    depth=SHALLOW,
    amend=amend,
)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """All facts of one file, given its bytes as they are on disk; raises Unreadable."""
    return facts_of(_TSX if name.endswith(".tsx") else _TYPESCRIPT, to_utf8_or_latin(data), typed=True)


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only its imports and number of lines; raises Unreadable."""
    return imports_of(to_utf8_or_latin(data))
