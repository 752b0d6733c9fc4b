"""NEW-13: partners that keys walk along, counted one relation after the other."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.view.canvas.walking import partners_of
from tests.geometry.scenes import random_scene, scene_of, shop


def test_partners_are_what_relations_lead_to() -> None:
    scene = random_scene(80, 200)
    graph, represent = scene.graph, scene.tree.represent
    edges = graph.edges
    shown = scene.relations & (represent[edges.source] >= 0) & (represent[edges.target] >= 0)
    for key in range(1, len(graph), 7):
        expected: dict[int, list[int]] = {}
        for row in np.flatnonzero(shown).tolist():
            ends = [int(scene.tree.key[represent[end[row]]]) for end in (edges.source, edges.target)]
            inside = [graph.is_below(end, key) for end in ends]
            if inside[0] != inside[1]:
                expected.setdefault(ends[1] if inside[0] else ends[0], [0, 0])[0 if inside[0] else 1] += 1
        assert {other: list(counts) for other, counts in partners_of(scene, key).items()} == expected


@pytest.mark.parametrize("depth", [1, 9])
def test_partners_come_along_the_ring(depth: int) -> None:
    scene = scene_of(shop(), depth)
    graph = scene.graph
    found = list(partners_of(scene, graph.key_of["core"]))
    assert found
    assert found == sorted(found, key=lambda key: int(graph.tree.pos[key]))
