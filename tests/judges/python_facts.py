"""Judges the facts of Python files by Python's own parser and tokenizer: python tests/judges/python_facts.py FOLDER ...

Definitions with their lines, SLOC, NL3+, complexity, statements, nesting, comment lines and parameters, and imports
are found once more, slowly, from `ast` and `tokenize`, and compared. Files that Python itself cannot parse are left
out, and those over 250 kB, where this program takes too long. Prints the number of files that were compared, then
every difference; exit status 1 when there is one.
"""

from __future__ import annotations

import ast
import functools
import io
import sys
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

from cbvtool.analysis.facts import FileFacts, Measures
from cbvtool.analysis.languages.python.reader import read_facts

CONTROLS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}

LIMIT = 250_000  # bytes

# qualified name, kind, line, end line, sloc, nl3 lines, complexity, statements, nesting, comments, parameters
Row = tuple[str, str, int, int, int, int, int, int, int, int, int]
ImportRow = tuple[str, int, tuple[str, ...] | None, int]  # module, level, names, line


def main(folders: list[str]) -> int:
    compared, different = 0, 0
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
        data = path.read_bytes()
        text = text_of(data) if len(data) <= LIMIT else None
        if text is None:
            continue
        compared += 1
        found = differences(data, text)
        different += bool(found)
        print(*(f"{path}: {line}" for line in found), sep="\n", end="\n" if found else "")
    print(f"{compared:,} files compared, {different:,} differ")
    return int(different > 0 or not compared)


def text_of(data: bytes) -> str | None:
    """The text of a file, if Python can parse it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = io.TextIOWrapper(io.BytesIO(data), encoding).read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return text


def differences(data: bytes, text: str) -> list[str]:
    """What is not the same from `read_facts` and from Python, one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    facts = read_facts(data)
    pairs = [(sorted(ours(facts)), sorted(definitions(text, tree))), (our_imports(facts), imports(tree))]
    children.cache_clear()
    rows = []
    for mine, theirs in pairs:
        rows += [f"only here {row}" for row in mine if row not in theirs]
        rows += [f"only there {row}" for row in theirs if row not in mine]
        if not rows and mine != theirs:
            rows.append("another order or number")
    return rows + ["a syntax error"] * facts.syntax_error


@functools.cache
def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below; each is asked for six times."""
    return list(ast.iter_child_nodes(node))


def below(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and all nodes below it, in no order."""
    rest = [node]
    while rest:
        rest += children(found := rest.pop())
        yield found


def ours(facts: FileFacts) -> list[Row]:
    """The same as `definitions`, from the facts of the analysis."""
    rows: list[Row] = [("", "file", 1, facts.lines, *_ordered(facts.measures), 0)]
    for row in facts.definitions:
        name = f"{rows[row.parent + 1][0]}.{row.name}" if row.parent >= 0 else row.name
        rows.append((name, row.kind, row.line, row.end_line, *_ordered(row.measures), row.parameters))
    return rows


def _ordered(own: Measures) -> tuple[int, ...]:
    return own.sloc, own.nl3_lines, own.complexity, own.statements, own.nesting, own.comments


def our_imports(facts: FileFacts) -> list[ImportRow]:
    return [(row.module, row.level, row.names, row.line) for row in facts.imports]


def definitions(text: str, tree: ast.Module) -> list[Row]:
    """Definitions in source order, the module itself first (named "")."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    code, deep, remarks = code_lines(text, tree, tokens), deep_lines(tree, text), comment_lines(text, tokens)
    source = text.split("\n")
    rows: list[Row] = []

    def visit(node: ast.AST, name: str, kind: str, first: int, last: int) -> None:
        inner = list(inner_definitions(node))
        lines = set(range(first, last + 1)) & code
        for child in inner:
            lines -= set(range(first_line(child), (child.end_lineno or 0) + 1))
        complexity = decisions(node) + (kind == "function")
        own = set(range(first, last + 1)) & remarks
        for child in inner:
            own -= set(range(first_line(child), (child.end_lineno or 0) + 1))
        statements, nesting = statements_and_nesting(node, source)
        rows.append(
            (
                name,
                kind,
                first,
                last,
                len(lines),
                len(lines & deep),
                complexity,
                statements,
                nesting,
                len(own),
                parameters(node),
            )
        )
        for child in inner:
            kind_of_child = "class" if isinstance(child, ast.ClassDef) else "function"
            full = f"{name}.{child.name}" if name else child.name
            visit(child, full, kind_of_child, first_line(child), child.end_lineno or 0)

    visit(tree, "", "file", 1, len(text.removesuffix("\n").split("\n")) if text else 0)
    return rows


def imports(tree: ast.Module) -> list[ImportRow]:
    """(module, level, names, line) of every import, in source order."""
    found: list[tuple[int, int, str, int, tuple[str, ...] | None]] = []
    for node in below(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, node.col_offset, alias.name, 0, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names = tuple(alias.name for alias in node.names)
            found.append((node.lineno, node.col_offset, node.module or "", node.level, names))
    found.sort(key=lambda row: row[:2])
    return [(module, level, names, line) for line, _, module, level, names in found]


def first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def inner_definitions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for child in children(node):
        if isinstance(child, DEFINITIONS):
            yield child
        else:
            yield from inner_definitions(child)


def decisions(node: ast.AST) -> int:
    """Decisions in `node`, those of inner definitions left out."""
    count = 0
    for child in children(node):
        if isinstance(child, DEFINITIONS):
            continue
        match child:
            case ast.If() | ast.For() | ast.AsyncFor() | ast.While() | ast.IfExp() | ast.ExceptHandler():
                count += 1
            case ast.BoolOp():
                count += len(child.values) - 1
            case ast.comprehension():
                count += 1 + len(child.ifs)
            case ast.match_case():
                wildcard = isinstance(child.pattern, ast.MatchAs) and child.pattern.name is None
                count += (not wildcard or child.guard is not None) + (child.guard is not None)
        count += decisions(child)
    return count


def statements_and_nesting(node: ast.AST, lines: list[str], depth: int = 0) -> tuple[int, int]:
    """Own statements of `node`, without texts that stand alone, and the most control structures around one."""
    count, deepest = 0, 0
    for child in children(node):
        is_elif = isinstance(child, ast.If) and lines[child.lineno - 1].lstrip().startswith("elif")
        if isinstance(child, ast.stmt) and not is_elif:
            is_text = isinstance(child, ast.Expr) and is_string(child.value)
            count += not is_text
            deepest = max(deepest, depth)
        if not isinstance(child, DEFINITIONS):
            inside = depth + (isinstance(child, CONTROLS) and not is_elif)
            more, deeper = statements_and_nesting(child, lines, inside)
            count, deepest = count + more, max(deepest, deeper)
    return count, deepest


def is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def parameters(node: ast.AST) -> int:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return 0
    given = node.args
    return len([*given.posonlyargs, *given.args, *given.kwonlyargs]) + bool(given.vararg) + bool(given.kwarg)


def comment_lines(text: str, tokens: list[tokenize.TokenInfo]) -> set[int]:
    """Lines that hold a comment and no code."""
    lines = text.split("\n")
    return {
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT and not lines[token.start[0] - 1][: token.start[1]].strip()
    }


def deep_lines(tree: ast.AST, text: str) -> set[int]:
    """Lines of statements with three control structures or more around them in their definition."""
    lines = text.split("\n")
    deep: set[int] = set()

    def visit(node: ast.AST, depth: int) -> None:
        for child in children(node):
            if isinstance(child, DEFINITIONS):
                deep.difference_update(range(first_line(child), (child.end_lineno or 0) + 1))
                visit(child, 0)
                continue
            is_elif = isinstance(child, ast.If) and lines[child.lineno - 1].lstrip().startswith("elif")
            if isinstance(child, ast.stmt) and not is_elif and depth >= 3:
                deep.update(range(child.lineno, (child.end_lineno or 0) + 1))
            visit(child, depth + (isinstance(child, CONTROLS) and not is_elif))

    visit(tree, 0)
    return deep


def code_lines(text: str, tree: ast.AST, tokens: list[tokenize.TokenInfo]) -> set[int]:
    """Lines that hold code: no blank lines, comments, or statements that are only a string."""
    alone: set[int] = set()
    for node in below(tree):
        match node:
            case ast.Expr(value=ast.JoinedStr() | ast.Constant(value=str() | bytes())):
                alone.update(range(node.lineno, (node.end_lineno or 0) + 1))
    code: set[int] = set()
    lines = text.split("\n")
    in_format_string = 0
    for token in tokens:
        name = tokenize.tok_name[token.type]
        in_format_string += (name == "FSTRING_START") - (name == "FSTRING_END")
        is_text = name == "STRING" or name.startswith("FSTRING") or in_format_string > 0
        if token.type in NOT_CODE or (is_text and token.start[0] in alone and token.end[0] in alone):
            continue
        code.update(row for row in range(token.start[0], token.end[0] + 1) if lines[row - 1].strip())
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
