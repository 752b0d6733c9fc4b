"""Swift: facts of one file, and the resolver of names. Files of a module see each other; a module is a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from posixpath import normpath

import tree_sitter_swift
from tree_sitter import Language

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages import qualified
from cbvtool.analysis.names import NameRules
from cbvtool.analysis.read import to_utf8
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.sweep import Syntax, callee, declared, dotted, imports_only, sweep


def _spell(text: bytes) -> str:
    plain = text.strip(b"?!")
    return callee(plain) if plain.endswith(b")") else dotted(plain)


SYNTAX = Syntax(
    "Swift",
    Language(tree_sitter_swift.language()),
    """
    (import_declaration) @import
    (class_declaration "class" name: (type_identifier) @name) @def.class
    (class_declaration "actor" name: (type_identifier) @name) @def.class
    (class_declaration "struct" name: (type_identifier) @name) @def.struct
    (class_declaration "enum" name: (type_identifier) @name) @def.enum
    (class_declaration "extension" name: (user_type) @name) @def.extension
    (protocol_declaration name: (type_identifier) @name) @def.interface
    (function_declaration name: (simple_identifier) @name) @def.function
    (protocol_function_declaration name: (simple_identifier) @name) @def.function
    (init_declaration "init" @name) @def.function
    (function_declaration "->" . (user_type) @result)
    (function_declaration (parameter) @parameter)
    (init_declaration (parameter) @parameter)
    [(if_statement) (for_statement) (while_statement) (repeat_while_statement) (switch_statement)
     (do_statement)] @control
    (if_statement (else) . (if_statement) @chained)
    [(if_statement) (guard_statement) (for_statement) (while_statement) (repeat_while_statement) (switch_pattern)
     (catch_block) (ternary_expression) (nil_coalescing_expression) "&&" "||"] @decision
    [(statements) (source_file)] @block
    [(comment) (multiline_comment)] @comment
    (call_expression . [(simple_identifier) (navigation_expression)] @call)
    (inheritance_specifier inherits_from: (user_type) @inherit)
    (user_type) @type
    [(parameter) (property_declaration)] @declare
    (parameter name: (simple_identifier) @local)
    (lambda_parameter name: (simple_identifier) @local)
    (pattern bound_identifier: (simple_identifier) @local)
    (if_statement bound_identifier: (simple_identifier) @local)
    (guard_statement bound_identifier: (simple_identifier) @local)
    (while_statement bound_identifier: (simple_identifier) @local)
    (property_declaration) @let
    [(function_declaration) (init_declaration) (subscript_declaration) (protocol_function_declaration) (lambda_literal)
     (statements) (for_statement) (if_statement) (while_statement) (switch_entry) (catch_block) (function_type)] @region
    [(class_body) (protocol_body) (enum_class_body)] @members
    """,
    frozenset({"statements"}),
    frozenset({"else", "catch_block", "switch_entry"}),
    _spell,
    _spell,
)
_RULES = NameRules(own=frozenset({"self", "Self"}), above=frozenset({"super"}))
_APPLE = frozenset(
    {
        "AppKit",
        "Combine",
        "CoreData",
        "CoreFoundation",
        "CoreGraphics",
        "Darwin",
        "Dispatch",
        "Foundation",
        "FoundationNetworking",
        "Glibc",
        "Observation",
        "Security",
        "Swift",
        "SwiftUI",
        "UIKit",
        "XCTest",
        "os",
    }
)
_SCHEME = qualified.Scheme("Swift", _RULES, _APPLE, family=lambda module: module.partition(".")[0])


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    swept = sweep(SYNTAX, to_utf8(data))
    imports = [_import(swept.text(node), node.start_point[0] + 1) for node in swept.nodes("import")]
    definitions = tuple(
        row._replace(name=f"{qualified.EXTENSION}{row.name}") if row.kind == "extension" else row
        for row in swept.definitions
    )
    return swept._replace(definitions=definitions).facts(imports, uses=declared(swept, _variables))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only the imports, each of which begins a line."""
    source = to_utf8(data)
    imports = [_import(found[1], source.count(b"\n", 0, found.start(1)) + 1) for found in _LINE.finditer(source)]
    return imports_only(source, imports)


_LINE = re.compile(
    rb"^[ \t]*((?:@\w+(?:\([^)\n]*\))?\s+|(?:public|internal|private|package|fileprivate)\s+)*import\s+[^\n;]*)",
    re.MULTILINE,
)
_PARTS = re.compile(rb"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?([\w.]+)")


def _import(text: bytes, line: int) -> Import:
    """The import of a whole module, also for `import struct A.B`, which names one member."""
    found = _PARTS.search(text)
    module = found[1].decode("utf-8", "replace") if found else ""
    return Import(module.partition(".")[0], 0, ("*",), line)


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the Swift files in `facts`."""
    targets: dict[str, str] = {}  # folder -> module, as declared in the package manager's manifest
    for manifest in folder.paths:
        if manifest.rpartition("/")[2] == "Package.swift":
            where = manifest.rpartition("/")[0]
            for name, path in _TARGET.findall(folder.read(manifest) or b""):
                targets[normpath(f"{where}/{path.decode('utf-8', 'replace')}").lstrip("/")] = name.decode(
                    "utf-8", "replace"
                )
    return qualified.resolve(
        _SCHEME, {file: found._replace(package=_module(folder.paths[file], targets)) for file, found in facts.items()}
    )


# The manifest is Swift code, which is not run: this finds a name and a path in one call.
_TARGET = re.compile(rb"arget\(\s*name:\s*\"([^\"]+)\"[^()]*?(?:\([^()]*\)[^()]*?)*?path:\s*\"([^\"]+)\"")


def _module(path: str, targets: Mapping[str, str]) -> str:
    """The module of a file: by the manifest, else by the layout `Sources/Module/...`; else one module for all."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in targets:
            return targets[folder]
    parts = path.split("/")[:-1]
    for i, part in enumerate(parts[:-1]):
        if part in ("Sources", "Tests", "Plugins"):
            return parts[i + 1].replace(".", "_")
    return ""


def _variables(text: bytes) -> tuple[tuple[str, ...], str]:
    """(`x`, `Foo`) of `let x: Foo` and of a parameter, (`x`, `f()`) of `let x = f()`."""
    found = _TYPED.match(text)
    if found is None:
        return (), ""
    name = found[1].decode("utf-8", "replace")
    if found[2]:
        return (name,), SYNTAX.typed(found[2])
    return (name,), SYNTAX.spell(found[3]) + "()"


_TYPED = re.compile(
    rb"(?:@\w+(?:\([^)]*\))?\s*)*(?:[a-z]+(?:\(set\))?\s+)*?(?:(?:let|var|_|\w+)\s+)?(\w+)\s*"
    rb"(?::\s*(?:inout\s+|some\s+|any\s+)?([A-Za-z_][\w.]*)|=\s*(?:try[?!]?\s+|await\s+)*([A-Za-z_][\w.]*)\()"
)
