"""What views may read of the sources: what was changed between two commits (TD-14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.graph import GraphBuilder
from cbvtool.progress import silent
from cbvtool.project import Project
from cbvtool.session.plugin_views.project_text import ProjectText
from tests.mining.conftest import Repository


def test_td_14_changed_functions_with_their_hunks(tmp_path: Path) -> None:
    """TD-14: Functions with changed lines and renamed files; a graph from a file has no commits."""
    made = Repository(tmp_path / "subject")
    text = "def kept():\n    return 1\n\n\ndef other():\n    return 2\n"
    old = made.commit({"a.py": text})
    new = made.commit({"a.py": None, "b.py": text.replace("return 2", "return 3")})
    graph = GraphBuilder("subject").freeze()
    found = ProjectText(Project(made.root, "subject", graph, None, new, "folder")).changed(old, new, silent)
    assert [(one.file, one.name, one.hunk.new) for one in found.functions] == [("b.py", "other", 6)]
    assert found.renames == {"a.py": "b.py"}
    with pytest.raises(InputError, match="has no commits"):
        ProjectText(Project(made.root, "subject", graph, None, "", "graph")).changed(old, new, silent)
