"""DND-1: a drop goes where the hand aimed, however it trembles; the tests have their own clock (window audit, P7)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication

from cbvtool.geometry.picture import Picture, Polyline, Text
from cbvtool.session.dragging.gestures import target_at
from cbvtool.view.canvas.canvas import Mode
from cbvtool.view.canvas.dragging import OPENS_AFTER, RESTS
from cbvtool.view.window.main_window import MainWindow
from tests.judges.aim import TremblingHand

DRAGS = 4  # in each picture; `make judge-aim` makes 50


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(window: MainWindow) -> Clock:
    """The clock of the drags of the window."""
    made = Clock()
    window.canvas.dragging.clock = made
    window.canvas.dragging.modifiers = lambda: Qt.KeyboardModifiers(Qt.KeyboardModifier.NoModifier)
    return made


def _send(window: MainWindow, kind: QEvent.Type, spot: QPoint) -> None:
    moves = kind == QEvent.Type.MouseMove
    button = Qt.MouseButton.NoButton if moves else Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    there = QPointF(window.canvas.mapToGlobal(spot))
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window.canvas, QMouseEvent(kind, QPointF(spot), there, button, held, none))


def _hold(window: MainWindow, node: str) -> QPoint:
    """Pick up a node; where it was."""
    start = window.canvas.stage.picking.place_of(window.session.graph.key_of[node])
    _send(window, QEvent.Type.MouseButtonPress, start)
    _send(window, QEvent.Type.MouseMove, start + QPoint(7, 0))
    assert window.session.view.drag is not None
    return start


def _target(window: MainWindow) -> str:
    drag = window.session.view.drag
    assert drag is not None
    return window.session.graph.ids[drag.target] if drag.target >= 0 else ""


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_trembling_hand_ends_where_it_aimed(window: MainWindow, clock: Clock, qtbot, depth: int) -> None:
    """DND-1: noise of 4 px, at least 12 px of the target all around; what was highlighted is what was done."""
    window.session.show_depth(depth)
    qtbot.waitUntil(lambda: window.canvas.stage.is_still)

    def pause() -> None:
        clock.now += 0.016
        QApplication.processEvents()

    def ready(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition)

    hand = TremblingHand(window.session, window.canvas, random.Random(depth), pause, ready)
    made = list(hand.attempts(DRAGS))
    assert [each for each in made if not each.hit or each.said] == []


def test_a_closed_container_opens_after_a_rest_that_is_shown(window: MainWindow, clock: Clock, qtbot) -> None:
    """DND-1: not before the ring at the pointer is full; its own ring then lies under the pointer."""
    session, canvas = window.session, window.canvas
    session.show_depth(1)
    qtbot.waitUntil(lambda: canvas.stage.is_still)
    before = canvas.stage.camera
    start = _hold(window, "scripts")
    shop = session.graph.key_of["shop"]
    spot = canvas.stage.picking.place_of(shop)
    _send(window, QEvent.Type.MouseMove, spot)
    assert _target(window) == "shop"
    plain = len(_rings(window, spot))
    clock.now += OPENS_AFTER * 0.7
    assert len(_rings(window, spot)) == plain + 3
    _send(window, QEvent.Type.MouseMove, spot + QPoint(int(RESTS) + 2, 0))  # the hand has moved: the rest begins anew
    clock.now += OPENS_AFTER * 0.7
    canvas.dragging._beat()
    assert not session.view.drag.opened
    clock.now += OPENS_AFTER * 0.7
    qtbot.waitUntil(lambda: bool(session.view.drag and session.view.drag.opened))
    assert _target(window) == "shop"
    spot += QPoint(int(RESTS) + 2, 0)
    drag = session.view.drag
    assert drag is not None
    assert canvas.stage.picking.key_at(spot) == shop == target_at(drag, shop, session.graph)
    _send(window, QEvent.Type.MouseMove, spot + QPoint(3, 2))
    assert _target(window) == "shop"
    canvas.cancel_drag()
    _send(window, QEvent.Type.MouseButtonRelease, start)
    qtbot.waitUntil(lambda: canvas.stage.camera == before)


def test_space_opens_at_once(window: MainWindow, clock: Clock, qtbot) -> None:
    """DND-1: for a hand that never rests; it opens once, and does not select."""
    session, canvas = window.session, window.canvas
    session.show_depth(1)
    qtbot.waitUntil(lambda: canvas.stage.is_still)
    start, selected = _hold(window, "scripts"), session.view.selected
    shop = session.graph.key_of["shop"]
    _send(window, QEvent.Type.MouseMove, canvas.stage.picking.place_of(shop))
    qtbot.keyClick(canvas, Qt.Key.Key_Space)
    assert session.view.drag is not None
    assert session.view.drag.opened == {shop}
    assert _target(window) == "shop"
    assert session.view.selected == selected
    canvas.cancel_drag()
    _send(window, QEvent.Type.MouseButtonRelease, start)
    assert shop not in session.view.expanded


def _rings(window: MainWindow, spot: QPoint) -> list[Polyline]:
    picture = window.canvas.dragging.picture(spot)
    return [item for item in picture.items if isinstance(item, Polyline)]


def test_the_drop_goes_to_what_was_highlighted(window: MainWindow, clock: Clock, qtbot) -> None:
    """DND-1: also when something else has come to lie under the pointer since the last move."""
    session, canvas = window.session, window.canvas
    start = _hold(window, "scripts")
    _send(window, QEvent.Type.MouseMove, canvas.stage.picking.place_of(session.graph.key_of["shop/ui"]))
    assert _target(window) == "shop/ui"
    canvas.stage.flight.look(canvas.stage.camera.turned(1.5))
    _send(window, QEvent.Type.MouseButtonRelease, start)
    assert session.history is not None
    assert [step.operations[0].target for step in session.history.done] == ["shop/ui"]


def test_what_is_drawn_at_the_moment_is_what_is_aimed_at(window: MainWindow, clock: Clock, qtbot) -> None:
    """DND-1: while segments glide to another place, the pointer is over those that it seems to be over."""
    session, stage = window.session, window.canvas.stage
    window.settings.reduced_motion = False
    before = stage.scene
    assert before is not None
    spot = stage.picking.place_of(session.graph.key_of["shop/domain"])
    session.set_view(hidden=frozenset({session.graph.key_of["shop/services"]}))
    assert stage.shown is not stage.scene
    assert stage.picking.key_at(spot) == session.graph.key_of["shop/domain"]
    qtbot.waitUntil(lambda: stage.is_still)


def test_a_name_is_grabbed_before_the_relation_below_it(window: MainWindow, clock: Clock, qtbot) -> None:
    """Audit of plans, A8: a press on a segment's name moves the segment; it pulls nothing out."""
    session, canvas = window.session, window.canvas
    picking = canvas.stage.picking
    qtbot.waitUntil(lambda: canvas.stage.is_still)
    wide, tall = canvas.width(), canvas.height()
    spots = (QPoint(x, y) for y in range(20, tall, 7) for x in range(20, wide, 7))
    spot = next(s for s in spots if not picking.legend_at(s) and picking.key_at(s) < 0 and picking.relation_at(s) >= 0)
    ui = session.graph.key_of["shop/ui"]
    ink = (0, 0, 0, 255)
    canvas.stage.text.names = Picture(wide, tall, (Text("ui", spot.x(), spot.y() + 3, 13.0, ink, key=ui),))
    assert picking.node_at(spot) == ui
    _send(window, QEvent.Type.MouseButtonPress, spot)
    _send(window, QEvent.Type.MouseMove, spot + QPoint(7, 0))
    drag = session.view.drag
    assert drag is not None
    assert (drag.keys, drag.act) == ((ui,), "move")
    assert canvas.mode is Mode.DRAG
    canvas.cancel_drag()


def test_every_name_and_every_part_of_a_segment_can_be_grabbed(window: MainWindow, clock: Clock, qtbot) -> None:
    """Audit of plans, A8: wherever a name is written, its walls and top included, a press finds a node."""
    canvas = window.canvas
    qtbot.waitUntil(lambda: canvas.stage.is_still)
    canvas.repaint()
    assert canvas.stage.text.names is not None
    named = [text for text in canvas.stage.text.names.items if isinstance(text, Text) and text.key >= 0]
    assert len(named) > 5
    for text in named:
        assert canvas.stage.picking.node_at(QPoint(round(text.x), round(text.y))) >= 0, text.text


def test_no_bar_moves_the_picture(window: MainWindow, qtbot) -> None:
    """Audit of plans, A8: refusals, progress, a step of the plan, a filter and an answer leave the picture in place."""
    session, canvas = window.session, window.canvas
    window.settings.reduced_motion = True

    def seen() -> tuple[object, ...]:
        QApplication.processEvents()
        return canvas.mapToGlobal(QPoint(0, 0)), canvas.size(), canvas.stage.camera

    qtbot.waitUntil(lambda: canvas.stage.is_still)
    before = seen()
    window.desk.say("shop cannot go into domain, which is part of it.")
    assert window.message.isVisible()
    assert window.message.width() == canvas.width()
    assert seen() == before
    window.desk.say(" ".join(["A longer sentence, which needs more than one line."] * 8))
    assert seen() == before
    window.message.hide()
    window.status.show_progress("analysing", 1, 3)
    assert seen() == before
    window.status.show_idle()
    graph = session.graph
    assert session.move([graph.key_of["shop/ui"]], graph.key_of["scripts"]) is None
    assert seen() == before
    session.set_view(only="kind:file")
    session.set_view(only="")
    assert seen() == before
    window.desk.do("only_cycles")
    assert session.view.filter.cycles
    assert seen() == before
    session.undo()
    assert seen() == before
