"""Scala 2 and 3: facts of one file, and the resolver of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import tree_sitter_scala
from tree_sitter import Language

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages import qualified
from cbvtool.analysis.names import NameRules
from cbvtool.analysis.read import to_utf8
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.sweep import Syntax, declared, dotted, imports_only, small_variables, sweep
from cbvtool.regular_file import Unreadable


def _spell(text: bytes) -> str:
    return dotted(text.partition(b"[")[0] if text.endswith(b"]") else text)


SYNTAX = Syntax(
    "Scala",
    Language(tree_sitter_scala.language()),
    """
    (compilation_unit (package_clause name: (_) @package))
    (import_declaration) @import
    (class_definition name: (identifier) @name) @def.class
    (object_definition name: (identifier) @name) @def.object
    (package_object name: (_) @name) @def.object
    (trait_definition name: (identifier) @name) @def.trait
    (enum_definition name: (identifier) @name) @def.enum
    (function_definition name: (_) @name) @def.function
    (function_declaration name: (_) @name) @def.function
    (function_definition return_type: (_) @result)
    (function_declaration return_type: (_) @result)
    (function_definition parameters: (parameters) @parameters)
    (function_declaration parameters: (parameters) @parameters)
    [(if_expression) (for_expression) (while_expression) (do_while_expression) (match_expression)
     (try_expression)] @control
    (if_expression alternative: (if_expression) @chained)
    [(if_expression) (for_expression) (while_expression) (do_while_expression) (case_clause) (guard)] @decision
    (infix_expression operator: (operator_identifier) @operator)
    [(block) (indented_block)] @block
    [(comment) (block_comment)] @comment
    (call_expression function: [(identifier) (field_expression)] @call)
    (call_expression function: (generic_function function: [(identifier) (field_expression)] @call))
    (instance_expression (_) @create)
    (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @inherit)
    (extends_clause (compound_type [(type_identifier) (generic_type) (stable_type_identifier)] @inherit))
    (type_identifier) @type
    [(parameter) (class_parameter) (val_definition) (var_definition)] @declare
    (parameter name: (identifier) @local)
    (lambda_expression parameters: (identifier) @local)
    (binding name: (identifier) @local)
    (val_definition pattern: (identifier) @local)
    (var_definition pattern: (identifier) @local)
    (enumerator . (identifier) @local)
    (typed_pattern pattern: (identifier) @local)
    (case_clause pattern: (identifier) @small)
    (tuple_pattern (identifier) @small)
    (case_class_pattern pattern: (identifier) @small)
    (capture_pattern name: (identifier) @small)
    [(function_definition) (function_declaration) (lambda_expression) (block) (indented_block) (for_expression)
     (case_clause) (function_type)] @region
    [(template_body) (enum_body)] @members
    """,
    frozenset({"block", "indented_block"}),
    frozenset({"catch_clause", "finally_clause", "case_block", "case_clause"}),
    _spell,
    _spell,
    amend=small_variables,
)
_RULES = NameRules(own=frozenset({"this"}), above=frozenset({"super"}))
_SCHEME = qualified.Scheme("Scala", _RULES, frozenset({"scala", "java", "javax"}), nested_packages=True)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    source = to_utf8(data)
    if name.endswith(".sc") and source.strip() and not _LIKE_SCALA.search(source):
        raise Unreadable("does not look like Scala, as other .sc files do")
    swept = sweep(SYNTAX, source)
    imports = [row for node in swept.nodes("import") for row in _imports(swept.text(node), node.start_point[0] + 1)]
    package = ".".join(_name(swept.text(node)) for node in swept.nodes("package"))
    definitions = list(swept.definitions)
    for node in swept.captures.get("operator", ()):
        if swept.text(node) in (b"&&", b"||"):
            scope = swept.scope_of(node.start_byte)
            if scope >= 0:
                own = definitions[scope].measures
                own = own._replace(complexity=own.complexity + 1)
                definitions[scope] = definitions[scope]._replace(measures=own)
    return swept._replace(definitions=tuple(definitions)).facts(imports, package, declared(swept, _variables))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, each of which begins a line."""
    source = to_utf8(data)
    imports = [
        row
        for found in _LINE.finditer(source)
        for row in _imports(found[0].strip(), source.count(b"\n", 0, found.start(1)) + 1)
    ]
    return imports_only(source, imports, ".".join(_name(found[1]) for found in _PACKAGE.finditer(source)))


_LINE = re.compile(rb"^[ \t]*(import[ \t][^{\n]*(?:\{[^}]*\})?)", re.MULTILINE)
_LIKE_SCALA = re.compile(  # .sc files are scripts, but also schedules of isl, and others
    rb"^[ \t]*(?://> using|@main|println\(|va[lr][ \t]+\w+[ \t]*[:=]|"
    rb"(?:import|package|(?:case )?object|(?:case )?class|trait|def)[ \t])",
    re.MULTILINE,
)
_PACKAGE = re.compile(rb"^package[ \t]+(?!object\b)([\w.`]+)[ \t;]*$", re.MULTILINE)
_ITEM = re.compile(rb"\s*([\w.`]+?)\s*(?:\.\s*(?:(\{[^}]*\})|([_*]|given\b)))?\s*(?:as\s+([\w`]+))?\s*(?:,|$)")
_SELECTOR = re.compile(rb"^([\w`*]+)(?:\s*(?:=>|\bas\b)\s*([\w`]+))?$")


def _name(text: bytes) -> str:
    return b"".join(text.split()).replace(b"`", b"").decode("utf-8", "replace")


def _imports(text: bytes, line: int) -> Iterator[Import]:
    """For each path of `import a.b.{C, D => E, _}, f.g`, one import of its names and one of its wildcard, if any."""
    for found in _ITEM.finditer(text.removeprefix(b"import")):
        module = _name(found[1]).removeprefix("_root_.")
        if found[3]:
            yield Import(module, 0, ("*",), line)
        elif found[2]:
            pairs = [part for text in found[2][1:-1].split(b",") if (part := _SELECTOR.match(text.strip()))]
            whole = [pair for pair in pairs if pair[1] in (b"_", b"*", b"given")]
            named = [pair for pair in pairs if pair not in whole and pair[2] != b"_"]
            if named:
                names = tuple(_name(pair[1]) for pair in named)
                yield Import(module, 0, names, line, aliases=tuple(_name(pair[2] or pair[1]) for pair in named))
            if whole:
                yield Import(module, 0, ("*",), line)
        else:
            yield Import(module, 0, None, line, aliases=(_name(found[4]),) if found[4] else ())


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the Scala files in `facts`."""
    return qualified.resolve(_SCHEME, facts)


def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """(`x`, `Foo`) of `val x: Foo` and `val x = new Foo`, and (`x`, `f()`) of `val x = f()`."""
    found = _TYPED.match(text)
    if found is None:
        return (), ""
    if found[2]:
        return (_name(found[1]),), SYNTAX.typed(found[2])
    return (_name(found[1]),), SYNTAX.spell(found[4]) + ("" if found[3] else "()")


_TYPED = re.compile(
    rb"(?:@\w+(?:\([^)]*\))?\s*)*(?:[a-z]+\s+)*?(?:va[lr]\s+)?([\w`]+)\s*"
    rb"(?::\s*(?:=>\s*)?([A-Za-z_][\w.]*)|=\s*(new\s+)?([A-Za-z_][\w.]*)(?(3)|(?:\[[^()]*\])?\())"
)
