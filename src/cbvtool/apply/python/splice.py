"""How an import statement is written anew: as little of it as possible, comments and line breaks kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from cbvtool.apply.source import Edit, PythonFile

_HEAD = re.compile(r"from(?P<name>(?:[ \t\f.\w]|\\\r?\n|\\\r)*?)(?<![\w])import(?!\w)")
_COMMA = re.compile(r"(?:[ \t\f]|\\\r?\n|#[^\r\n]*|\r\n|\r|\n)*,")
_BLANK = re.compile(r"[ \t\f]*(?:#[^\r\n]*)?$")


def written(alias: ast.alias) -> str:
    """`a` or `a as b`."""
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def with_name(source: PythonFile, node: ast.ImportFrom, name: str) -> Edit:
    """Let a `from` import name another module."""
    start, _ = source.span(node)
    found = _HEAD.match(source.text, start)
    assert found is not None, "an import without its head"
    return Edit(found.start("name"), found.end("name"), f" {name} ")


def without(source: PythonFile, node: ast.ImportFrom, gone: Sequence[ast.alias]) -> list[Edit]:
    """Take aliases out of a `from` import, of which others stay."""
    start, end = source.span(node)
    stay = [alias for alias in node.names if alias not in gone]
    is_long = node.end_lineno != node.lineno and source.text[start:end].endswith(")")
    if not is_long:
        first, last = source.span(node.names[0])[0], source.span(node.names[-1])[1]
        return [Edit(first, last, ", ".join(source.text[slice(*source.span(alias))] for alias in stay))]
    edits = []
    for alias in gone:
        begin, finish = source.span(alias)
        if comma := _COMMA.match(source.text, finish):
            finish = comma.end()
        line_start, line_end = source.line(begin)
        if (
            not source.text[line_start:begin].strip()
            and not source.text[finish:line_end].strip()
            and finish <= line_end
        ):
            behind = re.compile(r"\r\n|\r|\n").match(source.text, line_end)
            edits.append(Edit(line_start, behind.end() if behind else line_end, ""))
            continue
        while source.text[finish : finish + 1] in (" ", "\t") and finish < line_end:
            finish += 1
        edits.append(Edit(begin, finish, ""))
    return edits


def behind(source: PythonFile, node: ast.stmt, statements: Sequence[str]) -> Edit:
    """Put simple statements behind a simple statement: on lines of their own, where it has its own."""
    start, end = source.span(node)
    line_start = source.line(start)[0]
    line_end = source.line(end)[1]
    indent = source.text[line_start:start]
    if not indent.strip() and _BLANK.match(source.text[end:line_end]):
        return Edit(line_end, line_end, "".join(f"{source.line_end}{indent}{text}" for text in statements))
    return Edit(end, end, "".join(f"; {text}" for text in statements))
