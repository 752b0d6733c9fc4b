"""Random steps with frames drawn between every two (`make random-frames` runs 300), and a fault that they notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.geometry.scene.closed import collapsed
from cbvtool.layout.visible import VisibleTree
from tests.layouts import LAYOUTS
from tests.view.frame_sequences import Broken, quick_windows, run, subjects

SEEDS = {"flat Python": 80006, "Maven": 80003, "Go": 6}  # of sequences that create nodes at once


@pytest.mark.parametrize("layout", SEEDS)
@pytest.mark.usefixtures("qapp")
def test_every_frame_is_drawn_with_its_names(tmp_path: Path, layout: str) -> None:
    (project,) = subjects(tmp_path, [layout]).values()
    with quick_windows():
        counted = run(project, tmp_path, SEEDS[layout], steps=6)
    assert counted.total() == 6
    assert counted["create"] + counted["group"]


@pytest.mark.long
@pytest.mark.usefixtures("qapp")
def test_every_frame_of_every_layout_is_drawn_with_its_names(tmp_path: Path) -> None:
    made = subjects(tmp_path)
    assert made.keys() == LAYOUTS.keys()
    with quick_windows():
        for seed, project in enumerate(made.values()):
            run(project, tmp_path, seed, steps=10)


@pytest.mark.usefixtures("qapp")
def test_a_frame_that_cannot_be_drawn_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project,) = subjects(tmp_path, ["flat Python"]).values()

    def broken(tree: VisibleTree) -> object:
        if len(tree.graph) > len(project.graph):
            raise IndexError("a node that the plan has made")
        return collapsed(tree)

    monkeypatch.setattr("cbvtool.drawing.renderer.collapsed", broken)
    with quick_windows(), pytest.raises(Broken, match=r"(?s)a node that the plan has made.*seed 80006, the steps:"):
        run(project, tmp_path, SEEDS["flat Python"], steps=6)
