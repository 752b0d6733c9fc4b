"""CBV-4, CBV-13 with real mouse and keys: presets on the number keys, a legend leads to where it is changed."""

from __future__ import annotations

import pytest
from qtpy.QtCore import QPoint

from cbvtool.geometry.picture import Picture, Rect
from cbvtool.geometry.scales import Scale
from cbvtool.geometry.state.presets import PRESETS
from cbvtool.view.canvas import overlay
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, place


def legend_place(window: MainWindow, name: str) -> QPoint:
    card = window.canvas.stage.text.cards.pictures[name].items[0]
    assert isinstance(card, Rect)
    return QPoint(round(card.x + card.width / 2), round(card.y + card.height / 2))


def test_number_keys_choose_presets(window: MainWindow, hand: Hand) -> None:
    """CBV-4: 1 to 9."""
    session = window.session
    for number in (4, 2, 6, 1):
        hand.keys(str(number))
        hand.wait_until(lambda number=number: session.view.mapping == PRESETS[number - 1].mapping)
        hand.wait_until(lambda number=number: window.styles.box.currentText() == PRESETS[number - 1].label)


def test_a_range_is_set_where_the_legend_is(window: MainWindow, hand: Hand) -> None:
    """CBV-4, CBV-13: double click on a legend, type the ends, and the legend says that there is more.

    In a field, digits choose no preset.
    """
    session, panel = window.session, window.desk.panels["style"]
    session.map("height", "sloc")
    hand.wait_until(lambda: window.canvas.stage.is_still)
    hand.click(window.canvas, legend_place(window, "height"), twice=True)
    edit = panel.ranges["height"]
    hand.wait_until(edit.minimum.hasFocus)
    hand.keys("Tab")
    hand.wait_until(edit.maximum.hasFocus)
    hand.type("20")
    hand.keys("Return")
    hand.wait_until(lambda: session.view.mapping.height_scale == Scale("linear", None, 20.0))
    hand.wait_until(lambda: window.canvas.stage.scene.height_legend.axis.above > 0)
    legend = window.canvas.stage.scene.height_legend
    assert legend.show(legend.maximum) == "≥ 20 lines"
    assert session.view.mapping.height == "sloc"


def test_the_values_of_what_is_clicked_are_printed(
    window: MainWindow, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CBV-13: name, height and colour value beside the segment, without waiting for a tooltip."""
    canvas = window.canvas
    hand.click(canvas, place(window, "scripts"))
    hand.wait_until(lambda: bool(window.session.view.selected))
    hand.wait_until(lambda: canvas.stage.is_still)
    printed = canvas.grab().toImage()
    assert not canvas.tooltip.isVisible()
    monkeypatch.setattr(overlay, "selected_values", lambda *_, **__: Picture(*canvas.stage.size))
    assert canvas.grab().toImage() != printed
