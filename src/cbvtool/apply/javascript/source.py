"""The paths that a JavaScript or TypeScript file names, read from its syntax tree, with their places in its bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from cbvtool.analysis.languages.javascript.imports import REFERENCE, imports_of
from cbvtool.apply.source import same_length

SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_STRINGS = """
(string) @string
(template_string) @string
"""
_MARKS = """
(import_statement) @module
(export_statement) @module
(comment) @comment
"""
_JAVASCRIPT = Language(tree_sitter_javascript.language())
_TYPESCRIPT = Language(tree_sitter_typescript.language_typescript())
_TSX = Language(tree_sitter_typescript.language_tsx())
_CURSORS = {
    language: (Parser(language), Query(language, _STRINGS + _MARKS)) for language in (_JAVASCRIPT, _TYPESCRIPT, _TSX)
}
_TAKES_PATH = re.compile(
    r"require|require\.resolve|import\.meta\.resolve"
    r"|(?:jest|vi|vitest)\.(?:mock|unmock|doMock|doUnmock|dontMock|setMock|deepUnmock|requireActual|requireMock|"
    r"unstable_mockModule|createMockFromModule|genMockFromModule|importActual|importMock)"
    r"|(?:mock|td)\.(?:module|replace|replaceEsm)|proxyquire(?:\.\w+\(\))*"
)
_DEFAULT = re.compile(rb"export\s+default\b|export\s*\{[^}]*\bas\s+default\b|export\s*\{\s*default\s*[,}]")


class Specifier(NamedTuple):
    """A path to a module or file: bytes of it, without quotes.

    form   `import`, `require`, `url` (always a path), `reference path`, or `string` = nobody knows whether it is a path
    types  whether types alone are imported
    """

    start: int
    end: int
    text: str
    form: str
    types: bool
    line: int


@dataclass(frozen=True, eq=False)
class ScriptSource:
    """A script.

    paths      what it imports, and other paths
    computed   (what the path begins with, line) of imports whose path is computed
    is_module  whether it has import or export statements
    exports    whether one of these exports something
    exports_default  whether one of these exports a default value
    broken     whether not all of its syntax can be read, and it imports something where it cannot
    """

    paths: tuple[Specifier, ...]
    computed: tuple[tuple[str, int], ...]
    is_module: bool
    exports: bool
    exports_default: bool
    broken: bool


def is_script(path: str) -> bool:
    """Whether a file holds JavaScript or TypeScript."""
    return path.endswith(SUFFIXES)


def script_source(path: str, content: bytes) -> ScriptSource:
    """The script with this content."""
    suffix = path[path.rindex(".") :]
    return _read(content, suffix)


@lru_cache(maxsize=20_000)
def _read(content: bytes, suffix: str) -> ScriptSource:
    language = _TSX if suffix == ".tsx" else _TYPESCRIPT if suffix in (".ts", ".mts", ".cts") else _JAVASCRIPT
    parser, query = _CURSORS[language]
    root = parser.parse(same_length(content)).root_node
    captures = QueryCursor(query).captures(root)
    paths: list[Specifier] = []
    computed: list[tuple[str, int]] = []
    for node in captures.get("string", ()):
        form, types = _form(node)
        found = _specifier(node, form, types)
        if found is None:
            if form not in ("", "string") and (start := _text(node).strip("'\"`").partition("${")[0]):
                computed.append((start, node.start_point[0] + 1))
        elif form or found.text.startswith("."):
            before = node.parent
            if not form and before is not None and before.type == "binary_expression" and _form(before)[0]:
                computed.append((found.text, found.line))
            else:
                paths.append(found if form else found._replace(form="string"))
    for node in captures.get("comment", ()):
        text = node.text or b""
        match = REFERENCE.match(text)
        if match is not None and match[1] == b"path":
            at, end = (node.start_byte + offset for offset in match.span(2))
            name = match[2].decode("utf-8", "replace")
            paths.append(Specifier(at, end, name, "reference path", True, node.start_point[0] + 1))
    modules = captures.get("module", ())
    exports = [node for node in modules if node.type == "export_statement"]
    default = any(_DEFAULT.match(node.text or b"") for node in exports)
    read = {one.text for one in paths}
    broken = root.has_error and not all(one.module in read for one in imports_of(content).imports)
    return ScriptSource(tuple(paths), tuple(computed), bool(modules), bool(exports), default, broken)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _specifier(node: Node, form: str, types: bool) -> Specifier | None:
    """The text of a string without escapes; None = it has some, or is made of parts."""
    if any(child.type not in ("string_fragment", "'", '"', "`") for child in node.children):
        return None
    start, end = node.start_byte + 1, node.end_byte - 1
    return Specifier(start, end, _text(node)[1:-1], form, types, node.start_point[0] + 1)


def _form(node: Node) -> tuple[str, bool]:
    """How a string, or what it is part of, is used as a path; empty = as none that is known."""
    parent = node.parent
    if parent is None:
        return "", False
    if parent.type in ("import_statement", "export_statement"):
        words = [child.type for child in parent.children[:2]]
        return ("import", words[1:] == ["type"]) if parent.child_by_field_name("source") == node else ("", False)
    if parent.type == "import_require_clause":
        return "require", False
    if parent.type == "module" and parent.child_by_field_name("name") == node:
        return "import", True
    if parent.type != "arguments":
        return "", False
    first = next((child for child in parent.named_children if child.type != "comment"), None)
    call = parent.parent
    if first != node or call is None:
        return "", False
    if call.type == "new_expression":
        is_url = _text(call.child_by_field_name("constructor") or call) == "URL"
        base = parent.named_children[1] if len(parent.named_children) > 1 else None
        return ("url" if is_url and base is not None and _text(base) == "import.meta.url" else "", False)
    function = call.child_by_field_name("function")
    if function is None:
        return "", False
    if function.type == "import":
        return "import", call.parent is not None and call.parent.type in ("type_annotation", "type_query")
    name = _text(function)
    return ("require" if _TAKES_PATH.fullmatch(name) else "", False)
