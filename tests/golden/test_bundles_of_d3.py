"""Bundles against d3: figures computed by d3-hierarchy 3.1.3 and d3-shape 3.2.1 in heb_d3.json.

The fixture's `svg` is what `curveBundle.beta(beta)` drew, rounded to 12 decimals; agreement is asked to 1e-9.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.paths import Routes, steps_to_ancestor
from cbvtool.graph import GraphBuilder
from cbvtool.layout.visible import VisibleTree, visible_tree
from plugins.tracediff.curves import curve_points
from tests.bundling.stepwise import control_points, sample, straighten

GOLDEN = json.loads((Path(__file__).with_name("heb_d3.json")).read_text())
PARENTS = {
    "A": "",
    "B": "",
    "C": "",
    "AA": "A",
    "a1": "A",
    "a2": "A",
    "a3": "AA",
    "a4": "AA",
    "b1": "B",
    "b2": "B",
    "c1": "C",
    "c2": "C",
    "c3": "C",
}
AGREEMENT = 1e-9


def hierarchy() -> tuple[VisibleTree, dict[str, int]]:
    """The fixture's tree, and the item of each of its names."""
    builder = GraphBuilder("root")
    for name, parent in PARENTS.items():
        builder.add_node(name, parent, name, "node")
    graph = builder.freeze()
    tree = visible_tree(graph, frozenset(range(len(graph))))
    return tree, {graph.names[key]: item for item, key in enumerate(tree.key.tolist())}


def place(name: str) -> tuple[float, float]:
    return GOLDEN["layout"][name]["x"], GOLDEN["layout"][name]["y"]


def fixture_routes(edges: list[dict[str, Any]]) -> tuple[Routes, dict[str, int]]:
    """Routes of the fixture's edges, with d3's positions as anchors."""
    tree, item = hierarchy()
    names = {number: name for name, number in item.items()}
    positions = np.array([place(names[number]) for number in range(len(tree))])
    source = np.array([item[edge["source"]] for edge in edges], np.int32)
    target = np.array([item[edge["target"]] for edge in edges], np.int32)
    return Routes(positions[tree.chain], source, target, *steps_to_ancestor(tree, source, target)), item


def pieces(svg: str) -> list[np.ndarray]:
    """The Bezier pieces of a path of M, L and C commands: arrays of 2 or 4 points each."""
    result, at = [], np.zeros(2)
    for command, figures in re.findall(r"([MLC])([^MLC]+)", svg):
        points = np.array([float(figure) for figure in figures.split(",")]).reshape(-1, 2)
        if command != "M":
            result.append(np.vstack((at, points)))
        at = points[-1]
    return result


def point_at(curve: list[np.ndarray], parameter: float) -> np.ndarray:
    """The point of d3's path at our parameter: a third for either straight piece, 1 for each cubic between."""
    last = len(curve) - 2
    if parameter < 0:
        a, b = curve[0]
        share = 1 + parameter * 3
        return a + share * (b - a)
    if parameter > last:
        a, b = curve[-1]
        return a + (parameter - last) * 3 * (b - a)
    number = min(int(parameter), last - 1)
    t = parameter - number
    bernstein = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    return bernstein @ curve[1 + number]


def d3_samples(edge: dict[str, Any], samples: int) -> np.ndarray:
    curve = pieces(edge["svg"])
    return np.array([point_at(curve, at) for at in np.linspace(-1 / 3, len(curve) - 2 + 1 / 3, samples)])


def test_the_fixture_has_what_is_asked() -> None:
    """Three values of beta, besides straight lines."""
    assert {edge["beta"] for edge in GOLDEN["edges"]} == {0, 0.5, 0.85, 1}
    assert len(GOLDEN["edges"]) == 24


def test_paths_lead_through_the_least_common_ancestor() -> None:
    """CBV-2: the control polygon is the tree path, the common ancestor included."""
    route, item = fixture_routes(GOLDEN["edges"])
    points, ptr = control_points(route)
    for number, edge in enumerate(GOLDEN["edges"]):
        expected = [place(name) for name in edge["path"]]
        np.testing.assert_array_equal(points[ptr[number] : ptr[number + 1]], expected)
    assert set(item) == {"root", *PARENTS}


@pytest.mark.parametrize("edge", GOLDEN["edges"], ids=lambda e: f"{e['source']}-{e['target']}-{e['beta']}")
@pytest.mark.parametrize("samples", [32, 101])
def test_curves_agree_with_d3(edge: dict[str, Any], samples: int) -> None:
    """CBV-2: straightened and sampled, step by step and all at once."""
    route, _ = fixture_routes([edge])
    points, ptr = control_points(route)
    expected = d3_samples(edge, samples)
    stepwise = sample(straighten(points, ptr, edge["beta"]), ptr, samples, dtype=np.float64)[0]
    at_once = bundle(route, edge["beta"], samples, dimensions=2, dtype=np.float64)[0]
    assert np.abs(stepwise - expected).max() < AGREEMENT
    assert np.abs(at_once - expected).max() < AGREEMENT


@pytest.mark.parametrize("edge", GOLDEN["edges"], ids=lambda e: f"{e['source']}-{e['target']}-{e['beta']}")
def test_td_5_curves_of_tracediff_agree_with_d3(edge: dict[str, Any]) -> None:
    """TD-5: the same control polygons, as polygons of control trees."""
    polygon = np.array([place(name) for name in edge["path"]])
    found = curve_points(polygon, np.array([0, len(polygon)]), edge["beta"], 96)[0]
    assert np.abs(found - d3_samples(edge, 96)).max() < AGREEMENT


def test_another_beta_is_another_curve() -> None:
    """The agreement above can fail: a thousandth of beta is far more than 1e-9."""
    edge = next(edge for edge in GOLDEN["edges"] if edge["beta"] == 0.85)
    route, _ = fixture_routes([edge])
    off = bundle(route, 0.851, dimensions=2, dtype=np.float64)[0] - d3_samples(edge, 32)
    assert np.abs(off).max() > 1e-3
