"""Judges which relations count as dependencies: a chain of imports must lead from the source's file to the target's.

    python tests/judges/dependencies.py [REPO ...]

Looks at all sure relations between two files that count as dependencies, by language:

- Python: chains in the import graph of grimp, which shares no code with cbvtool, as far as it sees the files (those of
  packages); beyond that, and from one package to another, our own sure imports.
- JavaScript and TypeScript: our own imports.
- Go: our own imports of packages; files of one package see each other.
- Java: our own imports; files of one package see each other; a type that is named in full needs no import.
- C and C++: our own includes. What is declared in a header is defined elsewhere, and headers lean on what was included
  before them: it is a chain, too, where both ends include one file, or one file includes both. What is left is linked
  by name alone, so this decides nothing.
- COBOL: a program is called by its name, without an import: every relation is named.

Prints a Markdown table: relations with and without a chain, and those that call back, sure ones and guesses. Then the
relations without a chain, the first 20 of each language. Exit status 1 when there is one in Python, JavaScript, Go or
Java.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import networkx as nx
import numpy as np

from cbvtool.analysis import analyze
from cbvtool.graph import CALLS_BACK, Confidence, Graph, are_dependencies
from cbvtool.graph.kinds import of_kinds
from cbvtool.metrics.structure.users import file_of
from tests.judges.python_imports import edges_of_grimp

HEADER = """\
| repository | language | files | dependencies | with a chain | without | calls back, sure | calls back, guesses |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""
SUFFIXES = {
    "Python": (".py", ".pyw", ".pyi"),
    "JavaScript": (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
    "Go": (".go",),
    "Java": (".java",),
    "C and C++": (".c", ".h", ".inc", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".cu", ".cuh"),
    "COBOL": (".cbl", ".cob", ".cpy", ".CBL", ".COB", ".CPY"),
}
MUST_HAVE_CHAINS = ("Python", "JavaScript", "Go", "Java")
NAMING = ("import", "include", "copy")
LISTED = 20


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="*", type=Path, default=[Path(__file__).parents[2]])
    rows: list[str] = []
    exceptions: list[str] = []
    bad = 0
    for root in parser.parse_args(arguments).repository:
        graph = analyze(root)
        for language, suffixes in SUFFIXES.items():
            keys = [key for key in range(len(graph)) if graph.kind(key) == "file" and graph.ids[key].endswith(suffixes)]
            if len(keys) < 2:
                continue
            verdict = judge(root.resolve(), graph, language, np.array(keys))
            rows.append(f"| {root.resolve().name} | {language} | {len(keys):,} | {verdict.figures} |")
            exceptions += [f"{language} without a chain: {line}" for line in verdict.without[:LISTED]]
            bad += len(verdict.without) if language in MUST_HAVE_CHAINS else 0
    print(HEADER, *rows, *exceptions, sep="\n")
    return int(bad > 0)


class Verdict:
    """What there is between the files of one language."""

    def __init__(self, with_chain: int, without: list[str], sure: int, guesses: int) -> None:
        self.without = without
        numbers = (with_chain + len(without), with_chain, len(without), sure, guesses)
        self.figures = " | ".join(f"{number:,}" for number in numbers)


def judge(root: Path, graph: Graph, language: str, keys: np.ndarray) -> Verdict:
    """The relations between the files `keys`, all in one language."""
    edges, file = graph.edges, file_of(graph)
    ours = np.isin(np.arange(len(graph)), keys)
    source, target = file[edges.source], file[edges.target]
    between = ours[source] & ours[target] & (source != target)
    sure = edges.confidence != Confidence.GUESS
    links = linked(root, graph, language, keys)

    links.add_nodes_from(keys.tolist())
    groups = nx.condensation(links)  # files that import each other are one
    group: dict[int, int] = groups.graph["mapping"]

    @lru_cache(2_000)  # a set may hold all of them
    def below(key: int) -> set[int]:
        return {key, *nx.descendants(groups, key)}

    @lru_cache(2_000)
    def above(key: int) -> set[int]:
        return {key, *nx.ancestors(groups, key)}

    with_chain, without = 0, []
    rows = np.flatnonzero(between & sure & are_dependencies(edges))
    for row in rows[np.argsort(source[rows], kind="stable")].tolist():
        user, used = group[int(source[row])], group[int(target[row])]
        chain = used in below(user)
        if language == "C and C++" and not chain:
            chain = not below(user).isdisjoint(below(used)) or not above(user).isdisjoint(above(used))
        if chain or language == "COBOL" or (language == "Java" and in_full(root, graph, row)):
            with_chain += 1
            continue
        place, line = edges.sites(row)[0]
        kind = edges.kind_names[edges.kind[row]]
        confidence = Confidence(int(edges.confidence[row])).name.lower()
        ends = graph.ids[edges.source[row]], graph.ids[edges.target[row]]
        without.append(f"{ends[0]} -{kind}-> {ends[1]} {confidence} {graph.files[place]}:{line}")
    back = between & of_kinds(edges, (CALLS_BACK,))
    return Verdict(with_chain, without, int((back & sure).sum()), int((back & ~sure).sum()))


def linked(root: Path, graph: Graph, language: str, keys: np.ndarray) -> nx.DiGraph:
    """Who imports whom, by key; packages of Java have a node of their own, by name."""
    edges, file = graph.edges, file_of(graph)
    links: nx.DiGraph[int | str] = nx.DiGraph()
    own: set[tuple[int, int]] = set()
    for row in np.flatnonzero(of_kinds(edges, NAMING) & (edges.confidence != Confidence.GUESS)).tolist():
        own.add((int(file[edges.source[row]]), int(file[edges.target[row]])))
    if language == "Python":
        theirs, package = grimps(root, graph, keys)
        own = {(a, b) for a, b in own if a not in package or package[a] != package.get(b)} | theirs
    links.add_edges_from(own)
    for key in keys.tolist():
        if language == "Go":  # an import ends at the folder
            links.add_edges_from([(key, int(graph.parent[key])), (int(graph.parent[key]), key)])
        if language == "Java":
            name = package_of(root, graph.ids[key])
            links.add_edges_from([(key, name), (name, key)])
    return links


def grimps(root: Path, graph: Graph, keys: np.ndarray) -> tuple[set[tuple[int, int]], dict[int, str]]:
    """The imports that grimp sees inside each topmost package, and the package of each file that it sees."""
    files = {graph.ids[key]: int(key) for key in keys.tolist()}
    folders = {os.path.dirname(path) for path in files if os.path.basename(path) == "__init__.py"} - {""}
    found: set[tuple[int, int]] = set()
    package: dict[int, str] = {}
    for folder in sorted(folder for folder in folders if os.path.dirname(folder) not in folders):
        if not os.path.basename(folder).isidentifier():
            continue
        top = (root / folder).parent
        try:
            modules, imports = edges_of_grimp(os.path.basename(folder), top)
        except (subprocess.CalledProcessError, ValueError):
            print(f"grimp does not read {folder}: our own imports stand in", file=sys.stderr)
            continue
        before = os.path.dirname(folder)
        key = {
            path: files[f"{before}/{path}".lstrip("/")] for path in modules if f"{before}/{path}".lstrip("/") in files
        }
        package |= dict.fromkeys(key.values(), folder)
        found |= {(key[a], key[b]) for a, b in imports if a in key and b in key}
    return found, package


_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)", re.MULTILINE)


@lru_cache(20_000)
def text_of(path: Path) -> str:
    """What stands in a file; read once."""
    return path.read_text(encoding="utf-8", errors="replace")


def package_of(root: Path, path: str) -> str:
    """The package that a Java file says it belongs to."""
    found = _PACKAGE.search(text_of(root / path))
    return found[1] if found else ""


def in_full(root: Path, graph: Graph, row: int) -> bool:
    """Whether the source's file names the package of the target in its code, as `a.b.Type` or in full for a base."""
    edges, file = graph.edges, file_of(graph)
    package = package_of(root, graph.ids[file[edges.target[row]]])
    type_name = graph.names[file[edges.target[row]]].removesuffix(".java")
    return bool(
        re.search(rf"\b{re.escape(package)}\.{type_name}\b", text_of(root / graph.ids[file[edges.source[row]]]))
    )


if __name__ == "__main__":
    sys.exit(main())
