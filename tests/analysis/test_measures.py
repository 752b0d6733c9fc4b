"""A measure has a name everywhere; its place among the others means nothing."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from pathlib import Path
from subprocess import run

import numpy as np

from cbvtool.analysis import analyze
from cbvtool.formats import read_graph

CORPUS = Path(__file__).parents[1] / "corpus"
SUBJECTS = (
    "c/functions_as_values",
    "cobol/conditional_phrases",
    "java/chained_calls",
    "javascript/classes",
    "python/async_code",
    "scala/measures",
)
ANALYSIS = Path(__file__).parents[2] / "src" / "cbvtool" / "analysis"


def test_measures_are_set_and_read_by_their_names_alone() -> None:
    """A field put in the middle shifts nothing: no positional argument, no index, no unpacking anywhere."""
    made, faults = 0, []
    for path in sorted(ANALYSIS.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Measures":
                made += bool(node.keywords)
                if node.args or any(keyword.arg is None for keyword in node.keywords):
                    faults.append(f"{path.name}:{node.lineno}: by position")
            if isinstance(node, ast.Subscript | ast.Starred) and _is_measures(node.value):
                faults.append(f"{path.name}:{node.lineno}: taken apart")
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and _is_measures(node.value):
                faults.append(f"{path.name}:{node.lineno}: unpacked")
    assert faults == []
    assert made >= 3


def _is_measures(value: ast.expr) -> bool:
    return isinstance(value, ast.Attribute) and (value.attr == "measures" or ast.unparse(value) == "swept.own")


def test_a_measure_put_in_the_middle_shifts_no_other(tmp_path: Path) -> None:
    """A planted field gets its own column, and all other values are what they were, in each sort of reader."""
    shutil.copytree(ANALYSIS.parent, tmp_path / "cbvtool")
    facts = tmp_path / "cbvtool" / "analysis" / "facts.py"
    text = facts.read_text("utf-8")
    assert text.count("    nl3_lines: int = 0\n") == 1
    facts.write_text(text.replace("    nl3_lines: int", "    planted: int = 7\n    nl3_lines: int"), "utf-8")
    for name in SUBJECTS:
        shutil.copytree(CORPUS / name / "input", tmp_path / "subject" / name)
    graph = analyze(tmp_path / "subject", jobs=1)
    ended = run(
        [
            sys.executable,
            "-m",
            "cbvtool",
            "analyze",
            str(tmp_path / "subject"),
            "--jobs",
            "1",
            "--no-cache",
            "-o",
            str(tmp_path / "graph.json"),
        ],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    other, _ = read_graph(tmp_path / "graph.json")
    assert sorted(other.ids) == sorted(graph.ids)
    keys = [other.key_of[node] for node in graph.ids]
    assert set(other.values) == {*graph.values, "planted"}
    assert 7.0 in other.values["planted"]
    for name, column in graph.values.items():
        np.testing.assert_array_equal(column, other.values[name][keys], name)
