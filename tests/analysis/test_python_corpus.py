"""Every case of tests/corpus/python, whose expected.json was written from the language's rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cbvtool.analysis import analyze
from cbvtool.analysis.languages.python.reader import read_facts
from cbvtool.graph import EXTERNAL, Confidence, Graph, When

CORPUS = Path(__file__).parents[1] / "corpus" / "python"
CASES = sorted(path.parent.name for path in CORPUS.glob("*/expected.json"))


def test_there_are_enough_cases() -> None:
    """At least 15 cases by hand; an empty folder must not pass unseen."""
    assert len(CASES) >= 15


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    """Imports, definitions, measures, and what was skipped, exactly as expected."""
    expected = json.loads((CORPUS / case / "expected.json").read_text(encoding="utf-8"))
    graph = analyze(CORPUS / case / "input", jobs=1)
    assert edges_of(graph) == sorted(expected["imports"])
    assert {skip.path: skip.reason for skip in graph.report.skipped} == expected.get("skipped", {})
    assert list(graph.report.parse_errors) == expected.get("parse_errors", [])
    for part, described in (("definitions", definitions_of), ("files", files_of), ("nodes", nodes_of)):
        if part in expected:
            assert described(graph) == sorted(expected[part])
    if "packages" in expected:
        assert [row.split()[0] for row in nodes_of(graph) if row.endswith(" package")] == sorted(expected["packages"])
    if "optional" in expected:
        assert optional_imports(CORPUS / case / "input") == sorted(expected["optional"])


def edges_of(graph: Graph) -> list[str]:
    edges = graph.edges
    rows = []
    for row in range(len(edges)):
        if edges.kind_names[edges.kind[row]] != "import" or graph.kind(int(edges.target[row])) == EXTERNAL:
            continue
        source, target = graph.ids[edges.source[row]], graph.ids[edges.target[row]]
        sites = edges.sites(row)
        assert {graph.files[file] for file, _ in sites} == {source}
        assert edges.weight[row] == len(sites)
        lines = ",".join(str(line) for _, line in sites)
        confidence = Confidence(edges.confidence[row]).name.lower()
        when = When(edges.when[row]).name.lower().replace("_", "-")
        rows.append(f"{source}:{lines} -> {target} {confidence} {when}")
    return sorted(rows)


def measures(graph: Graph, key: int) -> str:
    values: dict[str, Any] = {name: column[key] for name, column in graph.values.items()}
    return "sloc={sloc:.0f} nl3={nl3_lines:.0f} complexity={complexity:.0f}".format(**values)


def definitions_of(graph: Graph) -> list[str]:
    keys = [key for key in range(len(graph)) if graph.kind(key) in ("class", "function")]
    return sorted(
        f"{graph.ids[key]} {graph.kind(key)} {graph.line[key]}-{graph.end_line[key]} {measures(graph, key)}"
        for key in keys
    )


def files_of(graph: Graph) -> list[str]:
    keys = [key for key in range(len(graph)) if graph.kind(key) == "file"]
    return sorted(f"{graph.ids[key]} {graph.end_line[key]} lines {measures(graph, key)}" for key in keys)


def nodes_of(graph: Graph) -> list[str]:
    return sorted(f"{graph.ids[key]} {graph.kind(key)}" for key in range(1, len(graph)))


def optional_imports(folder: Path) -> list[str]:
    found = []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        found += [f"{name}:{row.line}" for row in read_facts(path.read_bytes()).imports if row.optional]
    return found
