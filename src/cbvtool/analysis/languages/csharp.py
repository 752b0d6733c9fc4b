"""C#: facts of one file, and the resolver of names."""

from __future__ import annotations

import re
from collections.abc import Mapping

import tree_sitter_c_sharp
from tree_sitter import Language

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages import qualified
from cbvtool.analysis.languages.branches import first_branches, lines_left_out
from cbvtool.analysis.names import NameRules
from cbvtool.analysis.read import to_utf8_or_latin
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.sweep import Syntax, declared, imports_only, sweep

SYNTAX = Syntax(
    "C#",
    Language(tree_sitter_c_sharp.language()),
    """
    (using_directive) @import
    [(file_scoped_namespace_declaration name: (_) @package) (namespace_declaration name: (_) @package)]
    (class_declaration name: (identifier) @name) @def.class
    (record_declaration name: (identifier) @name) @def.class
    (struct_declaration name: (identifier) @name) @def.struct
    (interface_declaration name: (identifier) @name) @def.interface
    (enum_declaration name: (identifier) @name) @def.enum
    (method_declaration returns: (_) @result name: (identifier) @name) @def.function
    (constructor_declaration name: (identifier) @name) @def.function
    (destructor_declaration name: (identifier) @name) @def.function
    (local_function_statement name: (identifier) @name) @def.function
    (method_declaration parameters: (parameter_list) @parameters)
    (constructor_declaration parameters: (parameter_list) @parameters)
    (local_function_statement parameters: (parameter_list) @parameters)
    [(if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (switch_statement)
     (switch_expression) (try_statement) (using_statement) (lock_statement) (fixed_statement)] @control
    (if_statement alternative: (if_statement) @chained)
    [(if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (catch_clause)
     (conditional_expression) (switch_expression_arm) "case" "&&" "||" "??"] @decision
    (block) @block
    (switch_section) @section
    (comment) @comment
    (invocation_expression function: [(identifier) (member_access_expression) (generic_name)] @call)
    (invocation_expression function: (conditional_access_expression) @call)
    (object_creation_expression type: (_) @create)
    (base_list [(identifier) (qualified_name) (generic_name)] @inherit)
    (base_list (primary_constructor_base_type type: (_) @inherit))
    (attribute name: (_) @type)
    (parameter type: [(identifier) (qualified_name) (generic_name)] @type)
    (variable_declaration type: [(identifier) (qualified_name) (generic_name)] @type)
    (property_declaration type: [(identifier) (qualified_name) (generic_name)] @type)
    (method_declaration returns: [(identifier) (qualified_name) (generic_name)] @type)
    (nullable_type type: [(identifier) (qualified_name) (generic_name)] @type)
    (array_type type: [(identifier) (qualified_name) (generic_name)] @type)
    (type_argument_list [(identifier) (qualified_name) (generic_name)] @type)
    (typeof_expression type: (_) @type)
    (cast_expression type: [(identifier) (qualified_name) (generic_name)] @type)
    (catch_declaration type: (_) @type)
    [(parameter) (variable_declaration) (property_declaration)] @declare
    (parameter name: (identifier) @local)
    (lambda_expression parameters: (implicit_parameter) @local)
    (variable_declarator name: (identifier) @local)
    (foreach_statement left: (identifier) @local)
    (declaration_expression name: (identifier) @local)
    (declaration_pattern name: (identifier) @local)
    (catch_declaration name: (identifier) @local)
    [(method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression) (block)
     (anonymous_method_expression) (accessor_declaration) (operator_declaration) (indexer_declaration) (for_statement)
     (foreach_statement) (using_statement) (catch_clause) (switch_section) (switch_expression_arm)] @region
    (declaration_list) @members
    """,
    frozenset({"block", "switch_section"}),
    frozenset({"else", "catch_clause", "finally_clause", "switch_body"}),
)
_RULES = NameRules(own=frozenset({"this"}), above=frozenset({"base"}))
_SCHEME = qualified.Scheme("C#", _RULES, frozenset({"System", "Microsoft"}), nested_packages=True, depth=1)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    source = to_utf8_or_latin(data)
    swept = sweep(SYNTAX, source)
    if swept.broken and b"#if" in source:  # the grammar does not support conditions inside a declaration
        version = first_branches(source)
        again = sweep(SYNTAX, version, source)
        if not again.broken:
            swept = again._replace(broken=True, left_out=lines_left_out(source, version))
    imports = [_import(swept.text(node), node.start_point[0] + 1) for node in swept.nodes("import")]
    packages = swept.nodes("package")
    package = b"".join(swept.text(packages[0]).split()).decode() if packages else ""
    return swept.facts(imports, package, declared(swept, _variables))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, which stand at the beginning of a line."""
    source = to_utf8_or_latin(data)
    imports = [_import(found[0].strip(), source.count(b"\n", 0, found.end()) + 1) for found in _USING.finditer(source)]
    package = _NAMESPACE.search(source)
    return imports_only(source, imports, package[1].decode() if package else "")


_USING = re.compile(
    rb"^[ \t]*(?:global\s+)?using\s+(?!var\b)(?:static\s+|unsafe\s+)*(?:\w+\s*=\s*)?[\w.:]+(?:<[^;\n]*>)?\s*;",
    re.MULTILINE,
)
_NAMESPACE = re.compile(rb"^[ \t]*namespace\s+([\w.]+)", re.MULTILINE)
_PARTS = re.compile(rb"(global\s+)?using\s+(static\s+)?(?:unsafe\s+)?(?:(\w+)\s*=\s*)?([^;]*)")


def _import(text: bytes, line: int) -> Import:
    """An import of a whole namespace (`*`), of a type's static members, or of a type under another name."""
    found = _PARTS.match(text)
    assert found is not None, text
    name = b"".join(found[4].split()).replace(b"global::", b"").replace(b"::", b".").partition(b"<")[0]
    module = name.decode("utf-8", "replace")
    if found[3]:
        return Import(module, 0, None, line, form="alias", aliases=(found[3].decode(),))
    return Import(module, 0, ("*",), line, form="static" if found[2] else "global" if found[1] else "")


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the C# files in `facts`."""
    return qualified.resolve(_SCHEME, facts)


def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """(`x`, `Foo`) of `Foo x = ...`, and (`x`, `Foo`) of `var x = new Foo()`."""
    found = _TYPED.match(text)
    if found is None:
        return (), ""
    kind, name, value = found[1], found[2].decode(), found[3]
    if kind == b"var":
        made = _MADE.match(value or b"")
        if made is None:
            return (), ""
        return (name,), SYNTAX.spell(made[2]) + ("" if made[1] else "()")
    return (name,), SYNTAX.typed(kind)


_TYPED = re.compile(
    rb"(?:\[[^\]]*\]\s*)*(?:(?:public|private|protected|internal|static|readonly|virtual|override|required|this|ref|out|in|"
    rb"params|const|new|abstract|sealed)\s+)*([A-Za-z_][\w.]*)(?:<[^=;{]*>)?\??\s+(\w+)\s*(?:=(?!>)\s*(.*))?",
    re.DOTALL,
)
_MADE = re.compile(rb"(?:await\s+)?(new\s+)?([A-Za-z_][\w.]*)(?:<[^;(]*>)?\(")
