"""What is under the pointer is asked again when the picture changes under it."""

from __future__ import annotations

import pytest
from qtpy.QtCore import QPoint

from cbvtool.drawing.call_out import relation_tip
from cbvtool.view.window.main_window import MainWindow
from tests.view.pointer import point


def relation_spot(window: MainWindow) -> QPoint:
    """A place of the picture at which a relation is seen, and no segment."""
    canvas = window.canvas
    middle = canvas.width() // 2  # most relations pass there
    for x in sorted(range(40, canvas.width() - 40, 7), key=lambda x: abs(x - middle)):
        for y in range(40, canvas.height() - 40, 7):
            spot = QPoint(x, y)
            if (
                canvas.stage.picking.key_at(spot) < 0
                and canvas.stage.picking.relation_at(spot) >= 0
                and not canvas.stage.picking.legend_at(spot)
            ):
                return spot
    raise AssertionError("no relation is seen")


def agrees(window: MainWindow, spot: QPoint) -> bool:
    """Whether light and tooltip are of what is seen at a place."""
    canvas, stage = window.canvas, window.canvas.stage
    assert stage.scene is not None
    key, relation = stage.picking.key_at(spot), stage.picking.relation_at(spot)
    if key >= 0:
        relation, lines = -1, stage.picking.lines_of(stage.picking.item_at(spot))
    else:
        lines = relation_tip(stage.scene, relation) if relation >= 0 else []
    told = canvas.tooltip.text if canvas.tooltip.isVisible() else ""
    return (window.session.view.hovered, stage.highlights.relation, told) == (key, relation, "\n".join(lines))


@pytest.fixture
def still(window: MainWindow, qtbot) -> MainWindow:
    qtbot.waitUntil(lambda: window.canvas.stage.is_still)
    point(window.canvas, QPoint(1, 1))
    return window


@pytest.mark.parametrize("change", ["top", "crossing", "bundling", "root", "hidden"])
def test_light_and_tooltip_follow_a_change(still: MainWindow, qtbot, change: str) -> None:
    """They name the same relation or segment again, though nobody moved the pointer."""
    window, stage, session = still, still.canvas.stage, still.session
    spot = relation_spot(window)
    point(window.canvas, spot)
    qtbot.waitUntil(window.canvas.tooltip.isVisible)
    assert agrees(window, spot)
    if change == "top":
        stage.toggle_top()
    elif change == "crossing":
        window.questions.show(direction="in", mode="selection")
    elif change == "bundling":
        session.set_view(beta=0.05)
    elif change == "root":
        session.restrict(session.graph.key_of["shop"])
    else:
        session.hide([session.graph.key_of["shop/domain"]])
    qtbot.waitUntil(lambda: stage.is_still and agrees(window, spot))


def test_nobody_is_told_who_did_not_ask(still: MainWindow, qtbot) -> None:
    """A change of the picture lights up what is there; a tooltip comes only where one was."""
    window, stage = still, still.canvas.stage
    spot = relation_spot(window)
    point(window.canvas, spot)
    qtbot.waitUntil(window.canvas.tooltip.isVisible)
    window.canvas._hide_tooltip()
    stage.toggle_top()
    qtbot.waitUntil(lambda: stage.is_still and not window.canvas._asking.isActive())
    qtbot.wait(600)
    assert not window.canvas.tooltip.isVisible()
    assert stage.highlights.relation == (stage.picking.relation_at(spot) if stage.picking.key_at(spot) < 0 else -1)
