"""Guesses and packages outside are shown by one switch each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QImage
from qtpy.QtWidgets import QCheckBox

from cbvtool.graph import EXTERNAL, HIDDEN, Confidence, Graph, GraphBuilder
from cbvtool.graph.records import edge_records, graph_of, node_records
from cbvtool.project import Project
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, key, place


def with_more(graph: Graph) -> Graph:
    """The sample project with two packages outside, and a guess from every file of `tests` to one of `scripts`."""
    nodes = [node for node in node_records(graph) if node["kind"] != EXTERNAL]
    ids = {node["id"] for node in nodes}
    edges = [
        edge
        for edge in edge_records(graph)
        if edge["source"] in ids and edge["target"] in ids and edge["confidence"] != "guess"
    ]
    outside = GraphBuilder("outside")
    outside.add_node("external", "", "(external)", EXTERNAL)
    for package in ("numpy", "requests"):
        outside.add_node(f"external:{package}", "external", package, EXTERNAL)
    added = [node for node in node_records(outside.freeze()) if node["id"]]
    files = [node["id"] for node in nodes if node["kind"] == "file" and node["id"].endswith(".py")]
    script = next(path for path in files if path.startswith("scripts/"))
    sure = {"weight": 1.0, "when": "always"}
    for path in files:
        site = [(path, 1)]
        edges.append(
            {"source": path, "target": "external:numpy", "kind": "import", "confidence": "exact", "sites": site, **sure}
        )
        if path.startswith("tests/"):
            edges.append(
                {"source": path, "target": script, "kind": "call", "confidence": "guess", "sites": site, **sure}
            )
    return graph_of(graph.name, [*nodes, *added], edges, graph.report)


@pytest.fixture
def filled(window: MainWindow, shop: Project, hand: Hand) -> MainWindow:
    window.session.open(replace(shop, graph=with_more(shop.graph)))
    window.session.set_view(expanded=frozenset({key(window, "shop")}))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    return window


def pixels(window: MainWindow, hand: Hand) -> np.ndarray:
    """uint8[h, w, 4] of what the canvas shows when all is still."""
    hand.wait_until(lambda: window.canvas.stage.is_still)
    image = window.canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    bits = image.constBits()
    bits.setsize(image.sizeInBytes())
    return np.frombuffer(bytes(bits), np.uint8).reshape(image.height(), image.width(), 4)


def click_box(window: MainWindow, hand: Hand, box: QCheckBox) -> None:
    window.desk.raise_panel("style")
    hand.wait_until(box.isVisible)
    window.desk.panels["style"]._area.ensureWidgetVisible(box)
    hand.click(box, QPoint(10, box.height() // 2))


def test_a_key_shows_guesses_and_another_packages(filled: MainWindow, hand: Hand) -> None:
    """What is switched on is drawn, and gone again when it is switched off."""
    stage, graph = filled.canvas.stage, filled.session.graph
    guesses = int(np.count_nonzero(graph.edges.confidence == Confidence.GUESS))
    before, shown = pixels(filled, hand), int(stage.scene.lifted.count.sum())
    hand.keys("g")
    hand.wait_until(lambda: filled.session.view.guesses)
    assert int(stage.scene.lifted.count.sum()) == shown + guesses
    changed = (pixels(filled, hand) != before).any(axis=2)
    assert changed.sum() > 500
    hand.keys("g")
    hand.wait_until(lambda: not filled.session.view.guesses)
    assert np.array_equal(pixels(filled, hand), before)

    hand.keys("x")
    hand.wait_until(lambda: filled.session.view.external)
    outside = key(filled, "external")
    assert stage.picking.key_at(place(filled, "external")) == outside
    hand.keys("x")
    hand.wait_until(lambda: stage.scene.tree.represent[outside] == -1)
    assert np.array_equal(pixels(filled, hand), before)


def test_check_boxes_in_the_look_panel(filled: MainWindow, hand: Hand) -> None:
    """The same switches by mouse; a kind of relations goes alone."""
    stage, panel = filled.canvas.stage, filled.desk.panels["style"]
    before = int(stage.scene.lifted.count.sum())
    click_box(filled, hand, panel.kinds["import"])
    hand.wait_until(lambda: filled.session.view.kinds_off == {"import", *HIDDEN})
    assert int(stage.scene.lifted.count.sum()) < before
    click_box(filled, hand, panel.guesses)
    hand.wait_until(lambda: filled.session.view.guesses)
    click_box(filled, hand, panel.kinds["import"])
    hand.wait_until(lambda: filled.session.view.kinds_off == HIDDEN)
    assert int(stage.scene.lifted.count.sum()) > before


def test_packages_light_up_with_their_users(filled: MainWindow, hand: Hand) -> None:
    """CBV-8: pointing at the segment lights up what is related with it, and a package cannot be dropped into code."""
    hand.keys("x")
    hand.wait_until(lambda: filled.session.view.external)
    hand.wait_until(lambda: filled.canvas.stage.is_still)
    hand.point(filled.canvas, place(filled, "external"))
    hand.wait_until(lambda: filled.session.view.hovered == key(filled, "external"))
    hand.wait_until(filled.canvas.tooltip.isVisible)
    assert "used by" in filled.canvas.tooltip.text
    assert "used by 0" not in filled.canvas.tooltip.text
