"""Containers in which nothing is have room in the ring, for a name and for a drop (DND-2)."""

from __future__ import annotations

from math import pi, radians

import numpy as np
import pytest

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.layout.empty import ALL, empty_containers
from cbvtool.layout.radial import radial_layout
from cbvtool.layout.visible import visible_tree
from cbvtool.plan import Create, replay


def _graph(folders: int) -> Graph:
    builder = GraphBuilder("root")
    builder.add_node("full", "", "full", "folder")
    for number in range(400):
        builder.add_node(f"full/{number}.py", "full", f"{number}.py", "file", values={"sloc": 100.0})
    for number in range(folders):
        builder.add_node(f"empty{number}", "", f"empty{number}", "folder")
    return builder.freeze()


def _extents(graph: Graph) -> dict[str, float]:
    weight = graph.values["sloc"]
    tree = visible_tree(graph, {0, graph.key_of["full"]}, 0, own_weight=weight)
    layout = radial_layout(tree, weight, gap=0, top_gap=0)
    return {graph.ids[key]: float(layout.a1[i] - layout.a0[i]) for i, key in enumerate(tree.key.tolist())}


def test_an_empty_folder_has_eight_degrees() -> None:
    """Beside 400 files it would have a quarter of a file: nobody could hit that."""
    assert _extents(_graph(1))["empty0"] == pytest.approx(radians(8))


def test_many_empty_folders_share_a_quarter_of_the_ring() -> None:
    extents = _extents(_graph(40))
    empty = [extent for node, extent in extents.items() if node.startswith("empty")]
    assert sum(empty) == pytest.approx(2 * pi * ALL)
    assert np.ptp(empty) == pytest.approx(0)


@pytest.mark.parametrize("kind", ["folder", "package", "file"])
def test_what_a_plan_creates_has_room_until_something_is_in_it(kind: str) -> None:
    """A new file as well as a new folder; an analysed file without a line stays a sliver."""
    graph = replay(_graph(0), [Create("plan:1", "", "new", kind)])
    assert _extents(graph)["plan:1"] == pytest.approx(radians(8))
    assert empty_containers(graph).sum() == 1
    inner = {"file": "class"}.get(kind, "file")
    filled = replay(graph, [Create("plan:2", "plan:1", "inner", inner)])
    assert empty_containers(filled).nonzero()[0].tolist() == [filled.key_of["plan:2"]]
