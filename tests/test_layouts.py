"""The six layouts are what the tests that use them need: large enough, in cycles, with tests beside."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from cbvtool.geometry.scene.shown import test_tops as tops_of_tests
from cbvtool.project import open_project
from tests.layouts import LAYOUTS, PACKAGES

FEW = 250  # relations up to which curves follow their segments


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_has_relations_cycles_and_tests(tmp_path: Path, layout: str) -> None:
    LAYOUTS[layout](tmp_path)
    graph = open_project(tmp_path, jobs=1).graph
    source, target = graph.file[graph.edges.source], graph.file[graph.edges.target]
    between = (source >= 0) & (target >= 0) & (source != target)
    pairs = set(zip(source[between].tolist(), target[between].tolist(), strict=True))
    assert len(pairs) >= 300 > FEW
    packages = nx.DiGraph((_package(graph.files[a]), _package(graph.files[b])) for a, b in pairs)
    packages.remove_nodes_from([node for node in packages if node not in PACKAGES])
    assert any(len(tangle) > 1 for tangle in nx.strongly_connected_components(packages))
    assert tops_of_tests(graph)
    assert not graph.report.parse_errors
    assert np.count_nonzero(graph.file[list(graph.key_of.values())] >= 0) >= len(graph.files) > 60


def _package(file: str) -> str:
    """The package whose folder a file lies in; empty for tests and for what lies above."""
    parts = file.split("/")[:-1]
    return next((part for part in parts if part in PACKAGES and "test" not in parts), "")
