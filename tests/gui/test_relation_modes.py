"""Relation modes, paths and impact with real mouse and keys (CBV-7, DND-6, DND-10, NEW-19)."""

from __future__ import annotations

import pytest
from qtpy.QtCore import QPoint, Qt

from cbvtool.view.panels.impact_panel import ImpactPanel
from cbvtool.view.panels.paths_panel import PathsPanel
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, empty_place, key, place


@pytest.fixture(autouse=True)
def _ready(window: MainWindow) -> None:
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)


def shown(window: MainWindow) -> int:
    scene = window.canvas.stage.scene
    assert scene is not None
    return int(scene.lifted.count.sum())


def test_keys_switch_modes_and_the_pointer_chooses(window: MainWindow, hand: Hand) -> None:
    """DND-6: A all, Shift+A of the selection, of what is under the pointer while nothing is selected; I, O."""
    hand.point(window.canvas, empty_place(window))
    whole = shown(window)
    hand.keys("shift+a")
    hand.wait_until(lambda: shown(window) == 0)
    hand.point(window.canvas, place(window, "shop/domain"))
    hand.wait_until(lambda: 0 < shown(window) < whole)
    both = shown(window)
    hand.keys("i")
    hand.wait_until(lambda: 0 < shown(window) < both)
    incoming = shown(window)
    hand.keys("o")
    hand.wait_until(lambda: shown(window) == both - incoming)
    hand.keys("o")
    hand.wait_until(lambda: shown(window) == both)
    hand.click(window.canvas, place(window, "shop/ui"))
    hand.wait_until(lambda: window.session.view.selected == (key(window, "shop/ui"),))
    hand.point(window.canvas, place(window, "shop/domain"))
    scene = window.canvas.stage.scene
    assert scene is not None
    item = int(scene.tree.represent[key(window, "shop/ui")])
    assert ((scene.lifted.source == item) | (scene.lifted.target == item)).all(), "the selection decides"
    hand.keys("a")
    hand.wait_until(lambda: shown(window) == whole)


def test_two_clicks_and_p(window: MainWindow, hand: Hand) -> None:
    """NEW-19: the first one selected is where the chains begin; Esc ends it."""
    hand.click(window.canvas, place(window, "shop/ui"))
    hand.hold("ctrl")
    hand.click(window.canvas, place(window, "shop/domain"))
    hand.let_go("ctrl")
    hand.wait_until(lambda: len(window.session.view.selected) == 2)
    hand.keys("p")
    panel = window.desk.panels["paths"]
    assert isinstance(panel, PathsPanel)
    hand.wait_until(lambda: window.session.view.path is not None)
    hand.wait_until(panel.isVisible)
    assert panel.answer is not None
    assert panel.answer.source == key(window, "shop/ui")
    top = panel.tree.topLevelItem(panel.tree.topLevelItemCount() - 1)
    assert top is not None
    view = panel.tree.viewport()
    assert view is not None
    panel.tree.scrollToItem(top)
    box = panel.tree.visualItemRect(top)
    hand.click(view, QPoint(60, box.center().y()))
    hand.wait_until(lambda: window.session.view.path is not None and len(window.session.view.path.chains) == 1)
    hand.keys("Escape")
    hand.wait_until(lambda: window.session.view.path is None)


def test_w_lights_up_who_is_affected(window: MainWindow, hand: Hand) -> None:
    """DND-10: for the selection, with the list beside it."""
    hand.click(window.canvas, place(window, "shop/domain"))
    hand.keys("w")
    hand.wait_until(lambda: window.session.view.impact is not None)
    panel = window.desk.panels["impact"]
    assert isinstance(panel, ImpactPanel)
    hand.wait_until(panel.isVisible)
    assert panel.answer is window.session.view.impact
    hand.wait_until(lambda: window.canvas.stage.is_still)
    hand.keys("Escape")
    hand.wait_until(lambda: window.session.view.impact is None)
