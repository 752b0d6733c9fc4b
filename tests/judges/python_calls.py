"""Judges the call edges of Python by the micro-benchmark of PyCG, whose authors wrote down what each case should give.

    python tests/judges/python_calls.py [FOLDER]

FOLDER is `micro-benchmark/snippets` of https://github.com/vitsalis/PyCG (Salis et al. 2021, "PyCG: Practical Call Graph
Generation in Python"), which is not part of this project: each of its folders holds a case and its `callgraph.json`.
Without it, PyCG's source distribution is fetched from PyPI into a scratch folder.

Edges are compared as PyCG writes them, from function to function by full names, without guesses:

- Calls of builtins and of packages that are not there are put aside on both sides.
- Making an object is a call of its `__init__` there, a relation with the class here: it is compared with the `__init__`
  that the class has or inherits.
- A lambda is a part of the function around it here: what it calls is compared with that function as the caller, and
  calls of lambdas are put aside.
- A decorator is called by the definition that it stands at here, by what is around it there.

Prints a Markdown table by category, then every edge that is in one of the two only. Exit status 1 when precision is
below 0.95 or recall below 0.70.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

from cbvtool.analysis import analyze
from cbvtool.graph import Confidence, Graph

PRECISION, RECALL = 0.95, 0.70
SOURCE = "pycg==0.0.8"
HEADER = """\
| category | cases | edges there | edges here | in both | precision | recall |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""

Edge = tuple[str, str]


def main(arguments: list[str]) -> int:
    if len(arguments) > 1 or (arguments and not Path(arguments[0]).is_dir()):
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        return judge(Path(arguments[0]) if arguments else fetched(Path(scratch)))


def fetched(scratch: Path) -> Path:
    """The snippets in PyCG's source distribution."""
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(scratch)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, SOURCE], check=True)
    with tarfile.open(next(scratch.glob("*.tar.gz"))) as archive:
        archive.extractall(scratch, filter="data")
    return next(scratch.glob("*/micro-benchmark/snippets"))


def judge(root: Path) -> int:
    counts: dict[str, Counter[str]] = {}
    differences: list[str] = []
    for path in sorted(root.rglob("callgraph.json")):
        case = path.parent
        theirs, ours = edges_there(case), edges_here(case)
        count = counts.setdefault(case.relative_to(root).parts[0], Counter())
        count.update(cases=1, there=len(theirs), here=len(ours), both=len(theirs & ours))
        name = case.relative_to(root).as_posix()
        differences += [f"{name}: only here: {a} -> {b}" for a, b in sorted(ours - theirs)]
        differences += [f"{name}: only there: {a} -> {b}" for a, b in sorted(theirs - ours)]
    total = sum(counts.values(), Counter())
    print(HEADER)
    for category, count in (*counts.items(), ("all", total)):
        print(row(category, count))
    print(*differences, sep="\n")
    return int(not total["both"] or precision(total) < PRECISION or recall(total) < RECALL)


def precision(count: Counter[str]) -> float:
    return count["both"] / count["here"] if count["here"] else 1.0


def recall(count: Counter[str]) -> float:
    return count["both"] / count["there"] if count["there"] else 1.0


def row(name: str, count: Counter[str]) -> str:
    return (
        f"| {name} | {count['cases']} | {count['there']} | {count['here']} | {count['both']} "
        f"| {precision(count):.3f} | {recall(count):.3f} |"
    )


def edges_there(case: Path) -> set[Edge]:
    """Edges between functions of the case, as PyCG's authors expect them."""
    names = {name_of(path, case) for path in case.rglob("*.py")}
    found = set()
    for source, targets in json.loads((case / "callgraph.json").read_text(encoding="utf-8")).items():
        for target in targets:
            inside = any(target == name or target.startswith(f"{name}.") for name in names)
            if inside and "<lambda" not in target and "<builtin>" not in source:
                found.add((source.partition(".<lambda")[0], target))
    return found


def edges_here(case: Path) -> set[Edge]:
    """The same, as cbvtool has them."""
    graph = analyze(case, jobs=1)
    bases: dict[int, list[int]] = {}
    rows = []
    edges = graph.edges
    for at in range(len(edges)):
        kind, source, target = edges.kind_names[edges.kind[at]], int(edges.source[at]), int(edges.target[at])
        if edges.confidence[at] == Confidence.GUESS:
            continue
        if kind == "inherit":
            bases.setdefault(source, []).append(target)
        elif kind in ("call", "instantiate", "calls back"):
            rows += [(source, target, line) for _, line in edges.sites(at)]
    decorators = {path.relative_to(case).as_posix(): decorator_lines(path) for path in case.rglob("*.py")}
    found = set()
    for source, target, line in rows:
        file = graph.ids[source].partition("::")[0]
        if line in decorators[file] and graph.line[source] <= line and graph.kind(source) != "file":
            source = int(graph.parent[source])
        called = constructor(graph, bases, target) if graph.kind(target) == "class" else target
        if called is not None:
            found.add((qualified(graph, source, case), qualified(graph, called, case)))
    return found


def decorator_lines(path: Path) -> set[int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {at.lineno for node in ast.walk(tree) if isinstance(node, definitions) for at in node.decorator_list}


def constructor(graph: Graph, bases: dict[int, list[int]], of: int) -> int | None:
    """The `__init__` of a class, or the nearest that it inherits."""
    for place in [of, *bases.get(of, ())]:
        own = graph.key_of.get(f"{graph.ids[place]}.__init__")
        if own is not None:
            return own
        if place != of and (above := constructor(graph, bases, place)) is not None:
            return above
    return None


def qualified(graph: Graph, key: int, case: Path) -> str:
    file, _, name = graph.ids[key].partition("::")
    module = name_of(case / file, case)
    return f"{module}.{name}" if name else module


def name_of(path: Path, case: Path) -> str:
    parts = path.relative_to(case).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
