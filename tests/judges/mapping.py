"""Judges the map from functions to nodes: python -m tests.judges.mapping [--keep FOLDER] [CLONE ...]

Each clone of a public Python repository (flask, httpx and click are fetched if none is given) is installed into an
environment of its own, and its tests run while tests/judges/code_objects.py notes which code objects are entered. Which
definition a code object is of, Python's own `ast` says, by its qualified name and first line; lambdas and
comprehensions are of the definition around them, bodies of modules of the file. The map must find the node of the graph
that begins and ends on the lines of that definition. Four ways to record are judged: as it is; without qualified names,
as older programs record; on another machine; and installed among other packages, whose functions must find no node.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import cbvtool
from cbvtool.graph import Graph
from cbvtool.trace.mapping.map_functions import map_functions
from cbvtool.trace.model.trace import Functions

SUBJECTS = {
    "flask": ("pallets/flask", ["pytest", "asgiref", "python-dotenv"], ["tests"]),
    "httpx": (
        "encode/httpx",
        [
            "pytest",
            "anyio",
            "trio",
            "uvicorn",
            "trustme",
            "chardet",
            "cryptography",
            "click",
            "rich",
            "h2",
            "brotli",
            "zstandard",
            "socksio",
        ],
        ["tests", "-o", "addopts="],
    ),
    "click": ("pallets/click", ["pytest"], ["tests"]),
}
LEAST = 0.99
LEAST_BARE = 0.98  # a lambda in a decorator or default looks like one in the function
PLACES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
NAMELESS = {
    ast.Lambda: "<lambda>",
    ast.GeneratorExp: "<genexpr>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
}

Lines = tuple[int, int]  # of a definition; (0, 0) = the file
Row = tuple[str, str, int, int]  # path in the repository, qualified name, first line, calls


@dataclass(frozen=True)
class Verdict:
    """Of one way to record: functions and calls, and those on the right node."""

    functions: int
    right: int
    calls: int
    right_calls: int
    wrong: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("clones", nargs="*", type=Path)
    parser.add_argument("--keep", type=Path, default=Path("out/judge-mapping"))
    given = parser.parse_args()
    failed = False
    for clone in given.clones or [fetched(name, given.keep) for name in SUBJECTS]:
        rows = recorded(clone.resolve(), given.keep.resolve())
        graph = cbvtool.analyze(clone, history=False)
        for way, functions, root, least in ways(rows, clone.resolve()):
            verdict = judged(rows, functions, graph, clone, root)
            failed |= verdict.right < least * verdict.functions or verdict.right_calls < least * verdict.calls
            print(
                f"{clone.name}, {way}: {verdict.right:,} of {verdict.functions:,} functions, "
                f"{verdict.right_calls:,} of {verdict.calls:,} calls on the right node"
            )
            print(*(f"  {line}" for line in verdict.wrong[:20]), sep="\n", end="\n" if verdict.wrong else "")
    return int(failed)


def fetched(name: str, keep: Path) -> Path:
    """A clone of a public repository."""
    target = keep / name
    if not target.exists():
        keep.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["git", "clone", "-q", "--depth", "1", f"https://github.com/{SUBJECTS[name][0]}", str(target)], check=True
        )
    return target


def recorded(clone: Path, keep: Path) -> list[Row]:
    """What the tests of a repository enter of its own code."""
    _, needs, arguments = SUBJECTS[clone.name]
    environment, out = keep / f"{clone.name}-environment", keep / f"{clone.name}.json"
    if not out.exists():
        keep.mkdir(parents=True, exist_ok=True)
        venv.create(environment, with_pip=True, symlinks=True)
        python = str(environment / "bin/python")
        subprocess.run([python, "-m", "pip", "install", "-q", "-e", str(clone), *needs], check=True)
        script = str(Path(__file__).with_name("code_objects.py").resolve())
        subprocess.run(
            [python, script, str(out), "-m", "pytest", "-q", "--continue-on-collection-errors", *arguments],
            cwd=clone,
            check=False,
        )
    rows = json.loads(out.read_text())
    inside = str(clone) + "/"
    return [
        (file.removeprefix(inside), name, line, calls)
        for file, name, line, calls in rows
        if file.startswith(inside) and (clone / file).is_file() and not file.startswith(str(environment))
    ]


def ways(rows: list[Row], clone: Path) -> Iterator[tuple[str, Functions, str | None, float]]:
    """(what it is, functions as recorded that way, root of the graph)."""
    names = [name for _, name, _, _ in rows]
    bare = [name.rpartition(".")[2] for name in names]
    lines = [line for _, _, line, _ in rows]
    here = [f"{clone}/{path}" for path, *_ in rows]
    there = [f"C:\\build\\{clone.name}-1.0\\" + path.replace("/", "\\") for path, *_ in rows]
    library = "/opt/python/lib/python3.12/site-packages/"
    installed = [library + path.removeprefix("src/") for path, *_ in rows]
    others = [
        library + "werkzeug/utils.py",
        library + "six.py",
        "/usr/lib/python3.12/json/__init__.py",
        "/usr/lib/python3.12/typing.py",
    ]
    yield "as it is", functions(names, here, lines), str(clone), LEAST
    yield "without qualified names", functions(bare, here, lines), str(clone), LEAST_BARE
    yield "on another machine", functions(names, there, lines), None, LEAST
    yield (
        "installed",
        functions([*names, *("loads" for _ in others)], [*installed, *others], [*lines, *(1 for _ in others)]),
        None,
        LEAST,
    )


def functions(names: list[str], files: list[str], lines: list[int]) -> Functions:
    return Functions(tuple(names), ("",) * len(names), tuple(files), np.array(lines, np.int32))


def judged(rows: list[Row], given: Functions, graph: Graph, clone: Path, root: str | None) -> Verdict:
    """How much of a recording is on the right node; what is added behind `rows` must be on none."""
    nodes = map_functions(given, graph, root)
    truth = {path: definitions((clone / path).read_text("utf-8")) for path in {path for path, *_ in rows}}
    right: Counter[str] = Counter()
    wrong = []
    for row, (path, name, line, calls) in enumerate(rows):
        expected = truth[path].get((name, line), (-1, -1) if name != "<module>" else (0, 0))
        key = int(nodes.node[row])
        found = lines_of(graph, key, path)
        right["functions"] += found == expected
        right["calls"] += calls * (found == expected)
        if found != expected:
            wrong.append(f"{path}:{line} {name}: {found}, not {expected} ({nodes.reason(row)})")
    mistaken = [row for row in range(len(rows), len(given)) if nodes.node[row] >= 0]
    wrong += [f"{given.file[row]} is not {graph.ids[int(nodes.node[row])]}" for row in mistaken]
    right["functions"] -= len(mistaken)
    calls = sum(calls for *_, calls in rows)
    return Verdict(len(rows), right["functions"], calls, right["calls"], tuple(wrong))


def lines_of(graph: Graph, key: int, path: str) -> Lines | None:
    """First and last line of a node; (0, 0) for the file itself."""
    if key < 0 or graph.files[graph.file[key]] != path:
        return None
    return (0, 0) if graph.kind(key) == "file" else (int(graph.line[key]), int(graph.end_line[key]))


def definitions(text: str) -> Mapping[tuple[str, int], Lines]:
    """(qualified name, first line) of each code object in a file -> lines of the definition that it is in."""
    found: dict[tuple[str, int], Lines] = {}

    def visit(node: ast.AST, prefix: str, lines: Lines) -> None:
        if isinstance(node, PLACES):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            assert node.end_lineno is not None
            mine = first, node.end_lineno
            found[prefix + node.name, first] = mine
            inner = prefix + node.name + ("." if isinstance(node, ast.ClassDef) else ".<locals>.")
            for child in ast.iter_child_nodes(node):
                outside = child not in node.body
                visit(child, prefix if outside else inner, lines if outside else mine)
            return
        if type(node) in NAMELESS:
            name = prefix + NAMELESS[type(node)]
            assert isinstance(node, ast.expr)
            found.setdefault((name, node.lineno), lines)
            inner = name + (".<locals>." if isinstance(node, ast.Lambda) else ".")
            outermost = None if isinstance(node, ast.Lambda) else node.generators[0].iter  # type: ignore[attr-defined]
            for child in ast.iter_child_nodes(node):
                visit(child, inner, lines)
            if outermost is not None:
                visit(outermost, prefix, lines)
            return
        for child in ast.iter_child_nodes(node):
            visit(child, prefix, lines)

    visit(ast.parse(text), "", (0, 0))
    return found


if __name__ == "__main__":
    sys.exit(main())
