"""Facts of one Python file; `python.uses` reads the uses. docs/accuracy.md says what is counted."""

from __future__ import annotations

import re

import tree_sitter_python
from tree_sitter import Language

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages.python.imports import parsed_imports
from cbvtool.analysis.languages.python.scan import scan
from cbvtool.analysis.languages.python.scopes import offered as offered
from cbvtool.analysis.languages.python.uses import QUERY, count_parameters, read_uses, type_text
from cbvtool.analysis.read import to_utf8
from cbvtool.analysis.sweep import Syntax, sweep

SYNTAX = Syntax(
    "Python",
    Language(tree_sitter_python.language()),
    r"""
    [(import_statement) (import_from_statement)] @import
    (class_definition name: (identifier) @name) @def.class
    (function_definition name: (identifier) @name) @def.function
    (function_definition return_type: (type) @result)
    (decorated_definition) @outer
    [(if_statement) (for_statement) (while_statement)] @fork
    [(try_statement) (with_statement) (match_statement)] @control
    [(elif_clause) (except_clause) (conditional_expression) (for_in_clause) (if_clause) (boolean_operator)] @decision
    (case_clause) @clause
    (module [(comment) (line_continuation)] @between)
    (block [(comment) (line_continuation)] @between)
    ((case_clause) @decision (#not-match? @decision "^case\\s+_\\s*:"))
    (comment) @comment
    (expression_statement . [(string) (concatenated_string)] .) @text
    [(module) (block)] @block
    (parameters) @parameters
    """
    + QUERY,
    bodies=frozenset({"block"}),
    clauses=frozenset({"elif_clause", "else_clause", "except_clause", "finally_clause", "case_clause"}),
    typed=type_text,
    count=count_parameters,
)

_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
_BLANK_OR_COMMENT = re.compile(rb"[ \t\f]*(#.*)?$")


def read_facts(data: bytes, name: str = "") -> FileFacts:
    """Facts of a file, given its bytes as they are on disk; raises Unreadable."""
    return facts_of(to_utf8(data, declared_encoding(data)))


def read_imports(data: bytes, name: str = "") -> FileFacts:
    """Only its imports and number of lines, without a parse; raises Unreadable."""
    source = to_utf8(data, declared_encoding(data))
    lines = source.count(b"\n") + (not source.endswith(b"\n") and source != b"")
    return FileFacts(lines, imports=scan(source))


def facts_of(source: bytes) -> FileFacts:
    """Facts of Python text in UTF-8 with Unix line ends; raises Unreadable."""
    swept = sweep(SYNTAX, source)
    imports = parsed_imports(swept)
    return swept.facts(imports)._replace(uses=read_uses(swept, imports))


def declared_encoding(data: bytes) -> str | None:
    """The encoding declared in one of the first two lines (PEP 263); None = none."""
    for line in data[:1000].splitlines()[:2]:
        found = _CODING.match(line.removeprefix(b"\xef\xbb\xbf"))
        if found:
            return _common_name(found[1].decode("ascii"))
        if not _BLANK_OR_COMMENT.match(line):
            break
    return None


def _common_name(encoding: str) -> str:
    """The encoding without additions by editors: Python treats `utf-8-unix` as `utf-8`."""
    start = encoding[:12].lower().replace("_", "-")
    names = ("utf-8", "latin-1", "iso-8859-1", "iso-latin-1")
    return next((name for name in names if start == name or start.startswith(f"{name}-")), encoding)
