"""NEW-23, CBV-11: the plan is seen in ring, tree and breadcrumb, told after each step, and compared by one key."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QPushButton, QToolButton

from cbvtool.geometry.overlay.plan_marks import plan_marks
from cbvtool.geometry.picture import Polyline, Rect
from cbvtool.plan import Group, Move
from cbvtool.plan.document import Plan
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.view.commands.comparing import HELD
from cbvtool.view.panels import plan_panel
from cbvtool.view.panels.structure_model import PLAN_ROLE
from cbvtool.view.toolkit.plain import text_of
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, drag, empty_place, key, place

CART, UI = "shop/domain/cart.py", "shop/ui"


def _move(window: MainWindow, hand: Hand) -> None:
    """Drag the cart out of the domain into the user interface."""
    session = window.session
    session.expand([key(window, "shop/domain"), key(window, UI)])
    hand.wait_until(lambda: window.canvas.stage.is_still)
    drag(window, hand, CART, UI)
    hand.wait_until(lambda: window.judging.current is not None and window.canvas.stage.is_still)


def _ghost_place(window: MainWindow) -> QPoint:
    canvas, scene = window.canvas, window.canvas.stage.scene
    assert scene is not None
    assert scene.ghosts is not None
    ghosts = scene.ghosts
    angle, radius = float(ghosts.a0[0] + ghosts.a1[0]) / 2, float(ghosts.r0[0] + ghosts.r1[0]) / 2
    spot = np.array([[np.sin(angle) * radius, np.cos(angle) * radius, 0.0]])
    x, y = canvas.stage.camera.project(spot, *canvas.stage.size)[0][0].tolist()
    return QPoint(round(x), round(y))


def _blue(window: MainWindow, around: QPoint, side: int = 40) -> int:
    """Pixels of the accent's colour around a place of the picture, as it is on the screen."""
    image, accent, count = window.canvas.grab().toImage(), window.canvas.stage.theme.accent[:3], 0
    for x in range(max(0, around.x() - side), min(image.width(), around.x() + side)):
        for y in range(max(0, around.y() - side), min(image.height(), around.y() + side)):
            color = image.pixelColor(x, y)
            seen = color.red(), color.green(), color.blue()
            count += all(abs(a - b) < 40 for a, b in zip(seen, accent, strict=True))
    return count


def test_a_move_leaves_a_ghost_and_what_is_there_has_rim_and_badge(window: MainWindow, hand: Hand) -> None:
    """In the ring, with real pixels; the tooltip of the ghost tells where it went, a click goes there."""
    before = _blue(window, place(window, "shop/domain"), side=80)
    _move(window, hand)
    canvas, scene = window.canvas, window.canvas.stage.scene
    assert scene is not None
    items = plan_marks(scene, canvas.stage.camera, *canvas.stage.size).items
    assert sum(isinstance(item, Polyline) and item.dashed for item in items) == 2  # the ghost, and the arc from it
    assert any(isinstance(item, Rect) for item in items), "the badge"
    hand.point(canvas, empty_place(window))
    hand.wait_until(lambda: canvas.stage.is_still)
    ghost = _ghost_place(window)
    assert _blue(window, ghost, side=80) > before + 20
    assert _blue(window, place(window, CART)) > 20

    hand.point(canvas, ghost)
    hand.wait_until(canvas.tooltip.isVisible)
    assert canvas.tooltip.text.splitlines()[:2] == ["cart.py", "Was here; now in shop/ui"]
    hand.click(canvas, ghost)
    hand.wait_until(lambda: window.session.view.selected == (key(window, CART),))
    hand.point(canvas, place(window, CART))
    hand.wait_until(lambda: canvas.tooltip.isVisible() and "Moved from shop/domain" in canvas.tooltip.text)

    window.actions_by_name["planned"].trigger()
    hand.wait_until(lambda: canvas.stage.is_still)
    assert canvas.stage.scene is not None
    assert canvas.stage.scene.ghosts is None
    assert canvas.stage.scene.color_legend.axis.pinned, "switched off are the marks alone"


def _crumbs(window: MainWindow) -> list[str]:
    """Names in the breadcrumb, from left to right."""
    buttons = [button for button in window.crumbs.findChildren(QToolButton) if not button.isHidden()]
    names = [text_of(button) for button in sorted(buttons, key=lambda button: button.x())]
    return [name for name in names if not name.startswith("›")]


@pytest.mark.usefixtures("large")
def test_tree_and_breadcrumb_show_where_it_is_and_where_it_was(window: MainWindow, hand: Hand) -> None:
    _move(window, hand)
    panel = window.desk.panels["structure"]
    model, tree = panel.model, panel.tree
    tree.expand(model.index_of(key(window, "shop/domain")))
    there = model.index_of(key(window, CART))
    assert model.parent(there) == model.index_of(key(window, UI))
    assert model.data(there, PLAN_ROLE).sorts
    assert "Moved from shop/domain" in model.data(there, int(Qt.ItemDataRole.AccessibleDescriptionRole))
    domain = model.index_of(key(window, "shop/domain"))
    ghosts = [row for row in range(model.rowCount(domain)) if model.was_at(model.index(row, 0, domain)) >= 0]
    assert len(ghosts) == 1
    ghost = model.index(ghosts[0], 0, domain)
    assert model.data(ghost) == "cart.py → ui"
    assert model.data(ghost, PLAN_ROLE).ghost
    assert model.key_at(ghost) == -1
    assert model.parent(ghost) == domain
    tree.scrollTo(ghost)
    hand.click(tree.viewport(), tree.visualRect(ghost).center())
    hand.wait_until(lambda: window.session.view.selected == (key(window, CART),))
    hand.wait_until(lambda: _crumbs(window)[-2:] == ["cart.py", "was shop/domain › cart.py"])
    hand.keys("ctrl+z")
    hand.wait_until(lambda: not window.session.history.done)
    hand.wait_until(lambda: _crumbs(window)[-1] == "cart.py")
    assert not [name for name in _crumbs(window) if name.startswith("was ")]


def test_a_message_tells_what_a_drop_did_and_takes_it_back(window: MainWindow, hand: Hand) -> None:
    """At once what it did, then what it costs; Undo and Redo; it takes no focus, and stands in the status bar, too."""
    message, session = window.plan_message, window.session
    session.rules = Rules(layers=("shop/ui", "shop/services", "shop/domain"))
    _move(window, hand)
    hand.wait_until(lambda: message.text.startswith("cart.py moved to ui: "))
    assert re.search(r"places to change 0 → \d+, broken rules \d+ → \d+", message.text)
    assert window.status.last.text() == message.text
    assert not message.hasFocus()
    assert window.canvas.rect().contains(message.geometry())
    hand.click(message.offer, message.offer.rect().center())
    hand.wait_until(lambda: not session.history.done)
    assert message.text == "Undone: cart.py moved to ui."
    hand.click(message.offer, message.offer.rect().center())
    hand.wait_until(lambda: len(session.history.done) == 1)
    hand.wait_until(lambda: message.text.startswith("cart.py moved to ui: "))
    session.rename(key(window, UI), "web")
    assert message.text == "ui renamed to web."
    session.travel(0)
    assert message.text == "The plan stands at step 0 of 2."


def _look(window: MainWindow) -> dict[str, tuple[float, float, bytes]]:
    """Angles and colour of every segment, by id."""
    scene = window.session.scene()
    return {
        scene.graph.ids[int(k)]: (float(scene.layout.a0[i]), float(scene.layout.a1[i]), scene.color[i].tobytes())
        for i, k in enumerate(scene.tree.key.tolist())
        if not scene.tree.slot[i] and scene.tree.leaf[i]
    }


def test_b_shows_before_and_after_with_scales_colours_and_angles_pinned(window: MainWindow, hand: Hand) -> None:
    """A press switches over; a key that is held shows it until it is let go; Esc goes back."""
    _move(window, hand)
    session, canvas = window.session, window.canvas
    after, legend = _look(window), window.session.scene().color_legend
    hand.point(canvas, empty_place(window))
    hand.keys("b")
    hand.wait_until(lambda: session.view.before)
    hand.wait_until(lambda: canvas.stage.is_still)
    assert canvas.stage.scene is not None
    assert canvas.stage.scene.graph is session.history.base
    before = _look(window)
    for node in before.keys() & after.keys() - {CART}:
        assert np.allclose(before[node][:2], after[node][:2]), node
        assert before[node][2] == after[node][2], node
    assert not np.allclose(before[CART][:2], after[CART][:2])
    assert window.session.scene().color_legend.maximum == legend.maximum
    assert "before the plan" in canvas.accessibleDescription()

    spot = place(window, CART)  # nothing is planned on the picture of before
    hand.point(canvas, spot)
    hand.press()
    for _ in hand.glide(canvas, spot, spot + QPoint(40, 0), steps=3):
        pass
    hand.release()
    assert session.view.drag is None
    assert len(session.history.done) == 1
    hand.keys("Escape")
    hand.wait_until(lambda: not session.view.before)

    hand.hold("b")
    hand.wait_until(lambda: session.view.before)
    time.sleep(HELD / 1000 + 0.15)
    hand.let_go("b")
    hand.wait_until(lambda: not session.view.before)


def test_the_plan_panel_judges_lists_and_leads(window: MainWindow, hand: Hand) -> None:
    panel, session = window.desk.panels["plan"], window.session
    window.desk.bring("plan")
    assert "Drag a segment onto a folder to plan a move" in panel.text.toPlainText()
    _move(window, hand)
    hand.wait_until(lambda: "Judgement" in panel.text.toPlainText())
    text = panel.text.toPlainText()
    assert text.index("Judgement") < text.index("1 task")
    assert "places to change" in text
    assert panel.windowTitle() == "Plan (1)"
    hand.click(panel.expanded, panel.expanded.rect().center())
    hand.wait_until(lambda: "1 small step" in panel.text.toPlainText())
    assert session.tasks()[0].steps[0].title in panel.text.toPlainText().replace("\u200b", "")
    session.select(())
    hand.click(panel.steps.viewport(), panel.steps.visualItemRect(panel.steps.item(1)).center())
    hand.wait_until(lambda: session.view.selected == (key(window, CART),))
    hand.click(panel.steps.viewport(), panel.steps.visualItemRect(panel.steps.item(0)).center(), twice=True)
    hand.wait_until(lambda: not session.history.done)
    assert "Nothing is planned yet" in panel.text.toPlainText()


def test_steps_that_do_not_fit_are_listed_with_their_reasons(window: MainWindow, hand: Hand, shop: Project) -> None:
    """After a new analysis: one is left out, one is overtaken."""
    panel, session = window.desk.panels["plan"], window.session
    steps = (
        Group("move of gone.py to ui", (Move(("shop/domain/gone.py",), UI),)),
        Group("move of cart.py to domain", (Move((CART,), "shop/domain"),)),
        Group("move of order.py to ui", (Move(("shop/domain/order.py",), UI),)),
    )
    history = Plan("plan", steps, ()).history(session.history.base)
    session.step(lambda _: history, "opening a plan")
    window.desk.bring("plan")
    rows = [panel.steps.item(row).text() for row in range(panel.steps.count())]
    assert rows[1].startswith("Move of gone.py to ui\nLeft out: ")
    assert rows[2] == "Move of cart.py to domain\nOvertaken: the code is like this by now"
    assert rows[3] == "Move of order.py to ui"
    assert panel.heading.text() == "Steps (1 left out, 1 overtaken)"


def _click_link(window: MainWindow, hand: Hand, text: str) -> None:
    """Click the first link of the panel that reads so."""
    browser = window.desk.panels["plan"].text
    found = browser.document().find(text)
    assert not found.isNull(), text
    found.setPosition(found.selectionStart())
    browser.setTextCursor(found)
    browser.ensureCursorVisible()
    place = browser.cursorRect(found).center() + QPoint(6, 0)
    hand.click(browser.viewport(), place)


def test_tasks_are_noted_assigned_ordered_and_ticked_off(
    window: MainWindow, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people note stays in the document; places lead to the source."""
    panel, session = window.desk.panels["plan"], window.session
    session.move([key(window, CART)], key(window, UI))
    session.move([key(window, "scripts")], key(window, "tests"))
    window.desk.bring("plan")
    hand.wait_until(lambda: "2 tasks" in panel.text.toPlainText())
    first, second = (task.key for task in window.judging.current.tasks)
    moves = {CART: UI, "scripts": "tests"}
    kept = window.judging.current.tasks[1].nodes[0]
    _click_link(window, hand, "☐")
    hand.wait_until(lambda: "2 tasks, 1 done" in panel.text.toPlainText())
    assert session.annotations[first].done
    assert session.unsaved
    monkeypatch.setattr(plan_panel, "ask_line", lambda *_: "dora")
    _click_link(window, hand, "Show places")
    hand.wait_until(lambda: "Assign..." in panel.text.toPlainText())
    _click_link(window, hand, "Assign...")
    hand.wait_until(lambda: "for dora" in panel.text.toPlainText())
    _click_link(window, hand, "Note...")
    hand.wait_until(lambda: "Remove note" in panel.text.toPlainText())
    undo = next(one for one in window.desk.message.findChildren(QPushButton) if one.text() == "Undo")
    hand.click(undo, undo.rect().center())
    hand.wait_until(lambda: "Remove note" not in panel.text.toPlainText())
    assert not session.annotations[first].note
    _click_link(window, hand, "Note...")
    hand.wait_until(lambda: "Remove note" in panel.text.toPlainText())
    _click_link(window, hand, "▼")
    hand.wait_until(lambda: [task.key for task in window.judging.current.tasks] == [second, first])
    assert session.document().plans[0].annotations[first].assignee == "dora"
    session.travel(0)  # undo would take back the notes first
    session.move([key(window, kept)], key(window, moves[kept]))
    hand.wait_until(lambda: "Noted about tasks that are not in the plan any more" in panel.text.toPlainText())
    _click_link(window, hand, "Forget")
    hand.wait_until(lambda: first not in session.annotations)
