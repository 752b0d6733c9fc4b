"""Judges coverage by function: python -m tests.judges.coverage_functions [--keep FOLDER] [CLONE ...]

The tests of each clone (flask, httpx and click; see tests/judges/mapping.py) run under coverage.py, which writes its
three reports: JSON, Cobertura XML and lcov. From each of them, the number of statements and of those that ran are found
for each function by XX
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import cbvtool
from cbvtool.graph import Graph
from cbvtool.trace.coverage.node_coverage import lines_covered
from cbvtool.trace.coverage.read_coverage import read_coverage
from cbvtool.trace.mapping.named_nodes import NamedNodes
from tests.judges.mapping import SUBJECTS, environment, fetched, tests_of

Named = tuple[str, str, int]  # file, function, line of `def`
Sums = dict[Named, tuple[int, int]]  # covered and all statements
REPORTS = {"json": ["json", "-q"], "xml": ["xml", "-q"], "lcov": ["lcov", "-q"]}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("clones", nargs="*", type=Path)
    parser.add_argument("--keep", type=Path, default=Path("out/judge-mapping"))
    given = parser.parse_args()
    failed = False
    for clone in given.clones or [fetched(name, given.keep) for name in SUBJECTS]:
        clone = clone.resolve()
        reports = measured(clone, given.keep.resolve())
        graph = cbvtool.analyze(clone, history=False)
        theirs = said(reports["json"])
        apart = decorated_first(clone, {file for file, *_ in theirs})
        for format, path in reports.items():
            found = ours(path, graph, clone, theirs)
            same = {name for name, sums in theirs.items() if found.get(name) == sums}
            other = theirs.keys() - same - apart
            failed |= bool(other)
            print(
                f"{clone.name}, {format}: {len(same):,} of {len(theirs):,} functions equal, "
                f"{len(theirs.keys() - same - other):,} as expected not, {len(other):,} differ"
            )
            for name in sorted(other)[:10]:
                print(f"  {name}: {found.get(name)}, not {theirs[name]}")
    return int(failed)


def measured(clone: Path, keep: Path) -> dict[str, Path]:
    """The reports of coverage.py by format."""
    python, data = str(environment(clone, keep)), str(keep / f"{clone.name}.coverage")
    run = [python, "-m", "coverage"]
    if not Path(data).exists():
        tests = [*run, "run", f"--data-file={data}", "--source=.", *tests_of(clone)]
        subprocess.run(tests, cwd=clone, check=False)  # some of its tests may fail
    reports = {format: keep / f"{clone.name}-coverage.{format}" for format in REPORTS}
    for format, path in reports.items():
        report = [*run, *REPORTS[format], f"--data-file={data}", "-o", str(path), "-i", "--fail-under=0"]
        subprocess.run(report, cwd=clone, check=True)
    return reports


def said(report: Path) -> Sums:
    """What coverage.py says itself."""
    return {
        (file, name.partition("@")[0], function["start_line"]): (
            function["summary"]["covered_lines"],
            function["summary"]["num_statements"],
        )
        for file, content in json.loads(report.read_text())["files"].items()
        for name, function in content["functions"].items()
        if name
    }


def ours(report: Path, graph: Graph, clone: Path, wanted: Iterable[Named]) -> Sums:
    """The same from a report and a graph: lines of a function itself, and of classes in it, without their functions."""
    nodes = NamedNodes(graph)

    def text(path: str) -> str:
        return (clone / path).read_text("utf-8", "replace")

    found = lines_covered(read_coverage(report), graph, clone, text)
    covered, measured = np.zeros(len(graph), np.int64), np.zeros(len(graph), np.int64)
    for key in range(len(graph)):
        of = key if nodes.name(key) else -1
        while of >= 0 and graph.kind(of) != "function":
            of = nodes.around.get(of, -1)
        if of >= 0:
            covered[of] += found.covered[key]
            measured[of] += found.measured[key]
    sums = {}
    for file, name, line in wanted:
        keys = nodes.in_file.get((graph.files.index(file), name), [])
        holding = [key for key in keys if graph.line[key] <= line <= graph.end_line[key]]
        if holding:
            key = max(holding, key=lambda key: int(graph.line[key]))
            sums[file, name, line] = int(covered[key]), int(measured[key])
    return sums


def decorated_first(clone: Path, files: set[str]) -> set[Named]:
    """Functions whose first statement is a decorated definition, and those around them."""
    found: set[Named] = set()

    def visit(node: ast.AST, prefix: str, file: str, above: tuple[Named, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                visit(child, prefix, file, above)
                continue
            named = file, prefix + child.name, child.lineno
            if getattr(child.body[0], "decorator_list", ()):
                found.update((*above, named))
            visit(child, named[1] + ".", file, (*above, named))

    for file in files:
        visit(ast.parse((clone / file).read_text("utf-8")), "", file, ())
    return found


if __name__ == "__main__":
    sys.exit(main())
