"""NEW-16: every case of tests/corpus/<language>, whose expected.json was written from the language's rules.

`expected.json` has the `rule` that the case is about, and any of

    kinds         kinds of relations that `edges` lists completely; without it all kinds
    edges         "source:lines -kind-> target confidence", and " when" unless it is always
    outside       "file:lines -> package"
    definitions   "id kind first-last name=value ...": all classes, functions, ...; which values are named is free
    files         "id lines=.. name=value ...": the listed files, own values
    skipped       {path: reason}
    parse_errors  [path]
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cbvtool.analysis import analyze
from cbvtool.graph import EXTERNAL, Confidence, Graph, When

CORPUS = Path(__file__).parents[1] / "corpus"
CASES = sorted(path.parent.relative_to(CORPUS).as_posix() for path in CORPUS.glob("*/*/expected.json"))
OWN_DRIVER = ("python/",)  # test_python_corpus.py
LEAST = {
    "python": 15,
    "java": 15,
    "c": 15,
    "cpp": 15,
    "javascript": 15,
    "typescript": 15,
    "go": 15,
    "cobol": 10,
    "csharp": 5,
    "rust": 5,
    "kotlin": 5,
    "php": 5,
    "ruby": 5,
    "swift": 5,
    "scala": 5,
}
CONTAINERS = ("project", "folder", "package", "file", EXTERNAL)
PARTS = {"rule", "kinds", "edges", "outside", "definitions", "files", "skipped", "parse_errors"}


@pytest.mark.parametrize("language", LEAST)
def test_there_are_enough_cases(language: str) -> None:
    """An empty folder must not pass unseen."""
    assert len([case for case in CASES if case.startswith(f"{language}/")]) >= LEAST[language]


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith(OWN_DRIVER)])
def test_case(case: str) -> None:
    """Relations with sites and confidence, definitions with their measures, and what was skipped, as expected."""
    expected = json.loads((CORPUS / case / "expected.json").read_text(encoding="utf-8"))
    assert expected["rule"]
    assert len(expected) >= 2
    assert set(expected) <= PARTS
    graph = analyze(CORPUS / case / "input", jobs=1)
    described = describe(graph, expected)
    assert described == {part: sorted(expected[part]) for part in described}
    assert {skip.path: skip.reason for skip in graph.report.skipped} == expected.get("skipped", {})
    assert list(graph.report.parse_errors) == expected.get("parse_errors", [])


def describe(graph: Graph, expected: dict[str, Any]) -> dict[str, list[str]]:
    found = {}
    if "edges" in expected:
        found["edges"] = edges_of(graph, expected.get("kinds"))
    if "outside" in expected:
        found["outside"] = outside_of(graph)
    if "definitions" in expected:
        wanted = {row.split()[0]: row for row in expected["definitions"]}
        found["definitions"] = sorted(
            f"{graph.ids[key]} {graph.kind(key)} {graph.line[key]}-{graph.end_line[key]}"
            + values(graph, key, wanted.get(graph.ids[key], ""))
            for key in range(len(graph))
            if graph.kind(key) not in CONTAINERS
        )
    if "files" in expected:
        wanted = {row.split()[0]: row for row in expected["files"]}
        found["files"] = sorted(name + values(graph, graph.key_of[name], row) for name, row in wanted.items())
    return found


def edges_of(graph: Graph, kinds: list[str] | None) -> list[str]:
    edges, rows = graph.edges, []
    for row in range(len(edges)):
        kind, target = edges.kind_names[edges.kind[row]], int(edges.target[row])
        if (kinds is not None and kind not in kinds) or graph.kind(target) == EXTERNAL:
            continue
        sites = edges.sites(row)
        assert {file for file, _ in sites} == {int(graph.file[edges.source[row]])}
        lines = ",".join(str(line) for line in sorted({line for _, line in sites}))
        when = When(edges.when[row]).name.lower().replace("_", "-")
        rows.append(
            f"{graph.ids[edges.source[row]]}:{lines} -{kind}-> {graph.ids[target]} "
            + Confidence(edges.confidence[row]).name.lower()
            + (f" {when}" if when != "always" else "")
        )
    return sorted(rows)


def outside_of(graph: Graph) -> list[str]:
    edges = graph.edges
    outside = [row for row in range(len(edges)) if graph.kind(int(edges.target[row])) == EXTERNAL]
    return sorted(
        f"{graph.ids[edges.source[row]]}:{','.join(str(line) for _, line in edges.sites(row))}"
        f" -> {graph.names[edges.target[row]]}"
        for row in outside
    )


def values(graph: Graph, key: int, wanted: str) -> str:
    """The values that `wanted` names, in its order."""
    columns = {"nl3": "nl3_lines"}
    text = ""
    for name in re.findall(r" (\w+)=", wanted):
        value = graph.end_line[key] if name == "lines" else graph.values[columns.get(name, name)][key]
        text += f" {name}={'-' if np.isnan(value) else f'{value:g}'}"
    return text
