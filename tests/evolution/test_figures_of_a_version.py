"""NEW-8: figures of one version count the same files as all else."""

from __future__ import annotations

from pathlib import Path

from cbvtool.analysis import analyze
from cbvtool.evolution.figures import measured
from cbvtool.rules import Rules


def test_files_are_those_whose_lines_are_counted(tmp_path: Path) -> None:
    """NEW-8: tests have lines, so they are files, too; what lies outside the project is none."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "app.py").write_text("import json\n\nx = 1\n")
    (tmp_path / "tests/test_app.py").write_text("import app\n\n\ndef test_x():\n    assert app.x\n")
    graph = analyze(tmp_path, jobs=1)
    values = measured(graph, Rules(), None, 0).values
    assert values["files"][graph.root] == 2
    assert values["files"][graph.key_of["tests"]] == 1
    assert values["sloc"][graph.root] == 5
