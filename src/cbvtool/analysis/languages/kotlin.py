"""Kotlin: facts of one file, and the resolver of names."""

from __future__ import annotations

import re
from collections.abc import Mapping

import tree_sitter_kotlin
from tree_sitter import Language

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages import qualified
from cbvtool.analysis.names import NameRules
from cbvtool.analysis.read import to_utf8
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.sweep import Syntax, declared, imports_only, sweep

SYNTAX = Syntax(
    "Kotlin",
    Language(tree_sitter_kotlin.language()),
    """
    (package_header (qualified_identifier) @package)
    (import) @import
    (class_declaration "class" name: (identifier) @name) @def.class
    (class_declaration "interface" name: (identifier) @name) @def.interface
    (object_declaration name: (identifier) @name) @def.object
    (function_declaration name: (identifier) @name) @def.function
    (function_declaration (function_value_parameters) . (user_type) @result)
    (function_value_parameters (parameter) @parameter)
    [(if_expression) (for_statement) (while_statement) (do_while_statement) (when_expression) (try_expression)] @control
    (if_expression (if_expression) @chained)
    [(if_expression) (for_statement) (while_statement) (do_while_statement) (catch_block) "&&" "||" "?:"] @decision
    (when_entry condition: (_)) @decision
    (block) @block
    (function_body "=" (_) @statement)
    [(line_comment) (block_comment)] @comment
    (call_expression . [(identifier) (navigation_expression)] @call)
    (delegation_specifier (user_type) @inherit)
    (delegation_specifier (constructor_invocation (user_type) @inherit))
    (user_type) @type
    [(parameter) (class_parameter) (property_declaration)] @declare
    [(parameter . (identifier) @plain) (variable_declaration . (identifier) @plain) (catch_block . (identifier) @plain)]
    [(parameter . (identifier) @local (function_type)) (variable_declaration . (identifier) @local (function_type))]
    (property_declaration (variable_declaration . (identifier) @local) (lambda_literal))
    (property_declaration) @let
    [(function_declaration) (anonymous_function) (lambda_literal) (block) (for_statement) (when_entry) (catch_block)
     (function_type) (getter) (setter)] @region
    [(class_body) (enum_class_body)] @members
    """,
    frozenset({"block"}),
    frozenset({"catch_block", "finally_block", "when_entry"}),
)
_RULES = NameRules(own=frozenset({"this"}), above=frozenset({"super"}), calls_apart=True)
_SCHEME = qualified.Scheme("Kotlin", _RULES, frozenset({"kotlin", "java", "javax"}))


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    swept = sweep(SYNTAX, to_utf8(data))
    imports = [_import(swept.text(node), node.start_point[0] + 1) for node in swept.nodes("import")]
    packages = swept.nodes("package")
    package = _name(swept.text(packages[0])) if packages else ""
    return swept.facts(imports, package, declared(swept, _variables))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, each of which begins a line."""
    source = to_utf8(data)
    imports = [_import(found[0].strip(), source.count(b"\n", 0, found.end()) + 1) for found in _LINE.finditer(source)]
    package = _PACKAGE.search(source)
    return imports_only(source, imports, _name(package[1]) if package else "")


_LINE = re.compile(rb"^[ \t]*import[ \t]+[\w.`*]+(?:[ \t]+as[ \t]+[\w`]+)?", re.MULTILINE)
_PACKAGE = re.compile(rb"^[ \t]*package[ \t]+([\w.`]+)", re.MULTILINE)
_PARTS = re.compile(rb"import\s+([\w.`\s]+?)(\.\s*\*)?(?:\s+as\s+([\w`]+))?\s*;?\s*$")


def _name(text: bytes) -> str:
    return b"".join(text.split()).replace(b"`", b"").decode("utf-8", "replace")


def _import(text: bytes, line: int) -> Import:
    found = _PARTS.match(text)
    if found is None:
        return Import(_name(text.removeprefix(b"import")), 0, None, line)
    if found[2]:
        return Import(_name(found[1]), 0, ("*",), line)
    return Import(_name(found[1]), 0, None, line, aliases=(_name(found[3]),) if found[3] else ())


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the Kotlin files in `facts`."""
    return qualified.resolve(_SCHEME, facts)


def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """(`x`, `Foo`) of `val x: Foo`, and (`x`, `f()`) of `val x = f()`."""
    found = _TYPED.match(text)
    if found is None:
        return (), ""
    if found[2]:
        return (_name(found[1]),), SYNTAX.typed(found[2])
    return (_name(found[1]),), SYNTAX.spell(found[3]) + "()"


_TYPED = re.compile(
    rb"(?:@\w+(?:\([^)]*\))?\s*)*(?:[a-z]+\s+)*?(?:va[lr]\s+)?([\w`]+)\s*"
    rb"(?::\s*([A-Za-z_][\w.]*)(?![\w.]*\s*->)|=\s*([A-Za-z_][\w.]*)(?:<[^()]*>)?\()"
)
