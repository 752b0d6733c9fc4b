"""PHP: facts of one file, and the resolver of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import normpath

import tree_sitter_php
from tree_sitter import Language

from cbvtool.analysis.facts import RESOLVED, FileFacts, Import
from cbvtool.analysis.languages import qualified
from cbvtool.analysis.names import NameRules
from cbvtool.analysis.read import to_utf8_or_latin
from cbvtool.analysis.resolution import INCLUDE, Folder, Resolution
from cbvtool.analysis.sweep import Syntax, callee, declared, dotted, imports_only, sweep

# Built-in names of types; `self`, `static` and `parent` are resolved separately.
_WORDS = frozenset(
    {
        b"array",
        b"bool",
        b"callable",
        b"false",
        b"float",
        b"int",
        b"iterable",
        b"mixed",
        b"never",
        b"null",
        b"object",
        b"string",
        b"true",
        b"void",
    }
)


def _spell(text: bytes) -> str:
    """A used name with dots: `A.B.f` for `A\\B::f`, `/.A.f` for the absolute `\\A::f`, `this.f` for `$this->f`.

    Variables keep their `$`, because they have a namespace of their own.
    """
    plain = text.replace(b"$", b"").replace(b"?->", b"->").lstrip(b"?")
    if _VARIABLE.match(text):
        plain = b"$" + plain
    absolute = plain.startswith(b"\\")
    plain = plain.lstrip(b"\\").replace(b"\\", b".")
    if plain.lower() in _WORDS:
        return ""
    name = callee(plain) if plain.endswith(b")") else dotted(plain)
    return f"/.{name}" if absolute and name else name


_VARIABLE = re.compile(rb"\$(?!this\b)\w")

SYNTAX = Syntax(
    "PHP",
    Language(tree_sitter_php.language_php()),
    """
    (namespace_definition name: (_) @package)
    (namespace_use_declaration) @import
    [(require_once_expression) (require_expression) (include_once_expression) (include_expression)] @include
    (class_declaration name: (name) @name) @def.class
    (interface_declaration name: (name) @name) @def.interface
    (trait_declaration name: (name) @name) @def.trait
    (enum_declaration name: (name) @name) @def.enum
    (method_declaration name: (name) @name) @def.function
    (function_definition name: (name) @name) @def.function
    (method_declaration return_type: (_) @result)
    (function_definition return_type: (_) @result)
    (method_declaration parameters: (formal_parameters) @parameters)
    (function_definition parameters: (formal_parameters) @parameters)
    [(if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (switch_statement)
     (match_expression) (try_statement)] @control
    (else_clause body: (if_statement) @chained)
    [(if_statement) (else_if_clause) (for_statement) (foreach_statement) (while_statement) (do_statement)
     (case_statement) (catch_clause) (conditional_expression) (match_conditional_expression)
     "&&" "||" "??" "and" "or" "xor"] @decision
    [(compound_statement) (program)] @block
    (comment) @comment
    (function_call_expression function: [(name) (qualified_name)] @call)
    [(scoped_call_expression) (member_call_expression) (nullsafe_member_call_expression)] @call
    (object_creation_expression [(name) (qualified_name)] @create)
    (base_clause [(name) (qualified_name)] @inherit)
    (class_interface_clause [(name) (qualified_name)] @inherit)
    (use_declaration [(name) (qualified_name)] @inherit)
    (named_type) @type
    (class_constant_access_expression . [(name) (qualified_name)] @type)
    (binary_expression operator: "instanceof" right: [(name) (qualified_name)] @type)
    (attribute [(name) (qualified_name)] @type)
    [(simple_parameter) (property_promotion_parameter) (property_declaration) (assignment_expression)] @declare
    """,
    frozenset({"compound_statement"}),
    frozenset({"else_if_clause", "else_clause", "catch_clause", "finally_clause", "case_statement", "switch_block"}),
    _spell,
    _spell,
)
_RULES = NameRules(own=frozenset({"this", "self", "static"}), above=frozenset({"parent"}), bare_members=False)
_BUILT_IN = "built-in classes"  # external classes without a namespace
_SCHEME = qualified.Scheme(
    "PHP",
    _RULES,
    frozenset({_BUILT_IN}),
    depth=1,
    family=lambda module: ".".join(module.split(".")[:2]) if "." in module else _BUILT_IN,
)


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    swept = sweep(SYNTAX, to_utf8_or_latin(data))
    imports = [row for node in swept.nodes("import") for row in _uses(swept.text(node), node.start_point[0] + 1)]
    for node in swept.nodes("include"):
        found = _include(swept.text(node), node.start_point[0] + 1)
        imports += [found] if found else []
    packages = swept.nodes("package")
    return swept.facts(imports, _name(swept.text(packages[0])) if packages else "", declared(swept, _variables))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, each of which begins a line; `use` of a trait is indented, in a class."""
    source = to_utf8_or_latin(data)
    imports: list[Import] = []
    for found in _LINE.finditer(source):
        line = source.count(b"\n", 0, found.start(1)) + 1
        if found[1].startswith(b"use"):
            imports += _uses(found[1], line)
        else:
            included = _include(found[1], line)
            imports += [included] if included else []
    package = _NAMESPACE.search(source)
    return imports_only(source, imports, _name(package[1]) if package else "")


_LINE = re.compile(
    rb"^(use\s+(?:function\s+|const\s+)?[\w\\][^;]*;|[^\S\n]*(?:[\w$]+\s*=\s*|return\s+)?(?:require|include)(?:_once)?\b[^;\n]*;)",
    re.MULTILINE,
)
_NAMESPACE = re.compile(rb"^[ \t]*(?:<\?php\s+)?namespace\s+([\w\\]+)", re.MULTILINE)
_GROUP = re.compile(rb"use\s+(?:function\s+|const\s+)?([^{;]*)(?:\{([^}]*)\})?")
_ITEM = re.compile(rb"(?:function\s+|const\s+)?([\w\\]+)(?:\s+as\s+(\w+))?$")


def _name(text: bytes) -> str:
    return b"".join(text.split()).strip(b"\\").replace(b"\\", b".").decode("utf-8", "replace")


def _uses(text: bytes, line: int) -> Iterator[Import]:
    """One import for each name of `use A\\B, C as D;` or `use A\\{B, C as D};`."""
    found = _GROUP.match(text)
    if found is None:
        return
    prefix = _name(found[1]) + "." if found[2] is not None else ""
    for item in (found[2] if found[2] is not None else found[1]).split(b","):
        part = _ITEM.match(item.strip())
        if part:
            alias = (part[2].decode(),) if part[2] else ()
            yield Import(prefix + _name(part[1]), 0, None, line, aliases=alias)


def _include(text: bytes, line: int) -> Import | None:
    """`require __DIR__ . '/x.php'`: form `folder`, a path from the file's folder; `require 'x.php'`: form `path`."""
    found = _PATH.search(text)
    if found is None:
        return None
    levels = int(found[2] or 1) if b"dirname(__DIR__" in text else 0
    here = "folder" if b"__DIR__" in text or b"__FILE__" in text else "path"
    return Import("../" * levels + found[3].decode("utf-8", "replace").lstrip("/"), 0, None, line, form=here)


_PATH = re.compile(
    rb"(?:(?:__DIR__|dirname\(\s*__(?:FILE|DIR)__(\s*,\s*(\d))?\s*\))\s*\.\s*|(?:require|include)(?:_once)?\s*\(?\s*)['\"]([^'\"$\n]+)['\"]\s*\)?\s*;?\s*$"
)


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between PHP files: by namespaces, as autoloaders find classes, and by included paths."""
    rows = {path: row for row, path in enumerate(folder.paths)}
    named = {
        file: found._replace(imports=tuple(row for row in found.imports if row.form not in ("folder", "path")))
        for file, found in facts.items()
    }
    result = qualified.resolve(_SCHEME, named)
    for file, found in facts.items():
        where = folder.paths[file].rpartition("/")[0]
        for statement in found.imports:
            if statement.form not in ("folder", "path"):
                continue
            bases = [where] if statement.form == "folder" else ["", where]
            target = next(
                (rows[path] for base in bases if (path := normpath(f"{base}/{statement.module}").lstrip("/")) in rows),
                None,
            )
            if target is not None:
                sure = {} if statement.form == "folder" else {"confidence": RESOLVED}
                result.relations.add((file, -1), (target, -1), INCLUDE, statement.line, **sure)
    return result


def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """(`x`, `Foo`) of `Foo $x` and `$x = new Foo`, and (`x`, `f()`) of `$x = f()`."""
    found = _TYPED.match(text)
    if found:
        name = found[3].decode("utf-8", "replace")
        if found[1] is None:
            return (f"${name}",), SYNTAX.typed(found[2])
        is_property = text.endswith(b";") or b"$" not in text.partition(b"=")[0].partition(b"(")[0]
        return ((name,) if is_property else (f"${name}", f"this.{name}")), SYNTAX.typed(found[2])
    found = _MADE.match(text)
    if found is None:
        return (), ""
    name = found[1].replace(b"$this->", b"this.").decode("utf-8", "replace")
    return (name,), SYNTAX.spell(found[3]) + ("" if found[2] else "()")


_TYPED = re.compile(
    rb"((?:(?:public|private|protected|readonly|static|var)\s+)+)?\??([\\A-Za-z_][\w\\]*)\s+&?(?:\.\.\.)?\$(\w+)"
)
_MADE = re.compile(rb"(\$(?:this->)?\w+)\s*=\s*(new\s+)?([\\A-Za-z_][\w\\]*(?:::\w+)?)(?(2)|\()")
