"""Look-and-feel, with real events: hover, clicks, drags, wheel, menus, arrows."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QApplication, QMenu

from cbvtool.geometry.camera import STEEPEST
from cbvtool.view.canvas.canvas import Mode
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, empty_place, key, pick_up, place


def _names(window: MainWindow) -> list[str]:
    return [window.session.graph.ids[k] for k in window.session.view.selected]


def test_hover_lights_up_and_tells_absolute_values(window: MainWindow, hand: Hand) -> None:
    """CBV-8: tooltips give absolute values; a node and its partners light up, the rest fades."""
    canvas = window.canvas
    hand.point(canvas, place(window, "shop/domain"))
    hand.wait_until(lambda: window.session.view.hovered == key(window, "shop/domain"))
    hand.wait_until(canvas.tooltip.isVisible)
    assert "domain" in canvas.tooltip.text.splitlines()[0]
    lines = window.session.scene().values["sloc"][key(window, "shop/domain")]
    assert f"Source lines: {lines:,.0f} lines" in canvas.tooltip.text
    assert "Change frequency: 3 commits" in canvas.tooltip.text
    hand.point(canvas, empty_place(window))
    hand.wait_until(lambda: window.session.view.hovered == -1)
    assert not canvas.tooltip.isVisible()


def test_clicks_select(window: MainWindow, hand: Hand) -> None:
    """Click selects and fills the details; Ctrl adds and takes out; Shift spans siblings; empty space clears."""
    canvas = window.canvas
    hand.click(canvas, place(window, "shop/domain"))
    hand.wait_until(lambda: _names(window) == ["shop/domain"])
    details = window.desk.panels["details"].text.toPlainText()
    assert "domain" in details
    assert f"{window.session.scene().values['sloc'][key(window, 'shop/domain')]:,.0f} lines" in details
    assert "shop > infrastructure > clock.py" in details  # a partner
    assert [
        window.desk.panels["structure"].model.key_at(i) for i in window.desk.panels["structure"].tree.selectedIndexes()
    ] == [key(window, "shop/domain")]

    hand.hold("ctrl")
    hand.click(canvas, place(window, "shop/ui"))
    hand.wait_until(lambda: _names(window) == ["shop/domain", "shop/ui"])
    hand.click(canvas, place(window, "shop/domain"))
    hand.wait_until(lambda: _names(window) == ["shop/ui"])
    hand.let_go("ctrl")

    hand.click(canvas, place(window, "shop/services"))
    hand.wait_until(lambda: _names(window) == ["shop/services"])
    hand.hold("shift")
    hand.click(canvas, place(window, "shop/domain"))
    hand.wait_until(lambda: set(_names(window)) == {"shop/domain", "shop/infrastructure", "shop/services"})
    hand.let_go("shift")

    hand.click(canvas, empty_place(window))
    hand.wait_until(lambda: _names(window) == [])


def test_double_click_expands_and_collapses(window: MainWindow, hand: Hand) -> None:
    canvas, domain = window.canvas, key(window, "shop/domain")
    hand.click(canvas, place(window, "shop/domain"), twice=True)
    hand.wait_until(lambda: domain in window.session.view.expanded)
    assert canvas.stage.scene is not None
    assert canvas.stage.scene.tree.represent[key(window, "shop/domain/cart.py")] >= 0
    rim = canvas.stage.picking.place_of(domain, own=True)
    hand.click(canvas, rim, twice=True)
    hand.wait_until(lambda: domain not in window.session.view.expanded)


def test_left_drag_on_empty_space_orbits_and_never_turns_over(window: MainWindow, hand: Hand) -> None:
    canvas = window.canvas
    start = empty_place(window)
    hand.point(canvas, start)
    hand.press()
    for _ in hand.glide(canvas, start, QPoint(start.x() + 40, canvas.height() - 10), steps=5):
        pass
    hand.wait_until(lambda: canvas.mode is Mode.ORBIT)
    assert canvas.stage.camera.azimuth != 0
    assert 0 <= canvas.stage.camera.tilt <= STEEPEST
    for _ in hand.glide(canvas, QPoint(start.x() + 40, canvas.height() - 10), start - QPoint(0, 10), steps=3):
        assert 0 <= canvas.stage.camera.tilt <= STEEPEST
    hand.release()
    hand.wait_until(lambda: canvas.mode is Mode.NONE)
    assert window.session.view.drag is None
    assert window.session.history is not None
    assert not window.session.history.done


@pytest.mark.parametrize("button", ["right", "middle"])
def test_right_or_middle_drag_pans(window: MainWindow, hand: Hand, button: str) -> None:
    """Everywhere, on a segment as well; what was under the pointer stays under it; no menu opens."""
    canvas = window.canvas
    start = place(window, "shop/domain")
    size = canvas.width(), canvas.height()
    held = canvas.stage.camera.on_disc(start.x(), start.y(), *size)
    assert held is not None
    hand.point(canvas, start)
    hand.press(button)
    end = start + QPoint(-90, 60)
    for _ in hand.glide(canvas, start, end, steps=4):
        pass
    hand.wait_until(lambda: canvas.mode is Mode.PAN and canvas.pointer == end)
    pixels, _ = canvas.stage.camera.project(np.array([[*held, 0.0]]), *size)
    assert np.abs(pixels[0] - (end.x(), end.y())).max() < 2.0
    hand.release(button)
    hand.wait_until(lambda: canvas.mode is Mode.NONE)
    assert QApplication.activePopupWidget() is None


def test_wheel_zooms_to_the_pointer(window: MainWindow, hand: Hand) -> None:
    canvas = window.canvas
    spot = place(window, "shop/services")
    size = canvas.width(), canvas.height()
    before = canvas.stage.camera
    held = before.on_disc(spot.x(), spot.y(), *size)
    assert held is not None
    hand.wheel(canvas, spot, 3)
    hand.wait_until(lambda: canvas.stage.camera.distance < before.distance / 1.5)
    pixels, _ = canvas.stage.camera.project(np.array([[*held, 0.0]]), *size)
    assert np.abs(pixels[0] - (spot.x(), spot.y())).max() < 2.0
    hand.keys("f")
    hand.wait_until(lambda: canvas.stage.camera.distance == pytest.approx(before.distance))


def test_right_click_opens_a_menu_with_shortcuts(window: MainWindow, hand: Hand) -> None:
    canvas = window.canvas
    hand.click(canvas, place(window, "shop/domain"), "right")
    hand.wait_until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    shown = {action.text(): action.shortcut().toString() for action in menu.actions() if not action.isSeparator()}
    for text, keys in {"Expand": "E", "Move to...": "M", "Rename...": "F2", "Remove": "Del", "Hide": "H"}.items():
        assert shown[text] == keys
    assert _names(window) == ["shop/domain"]
    hand.keys("Escape")
    hand.wait_until(lambda: QApplication.activePopupWidget() is None)
    assert _names(window) == ["shop/domain"]  # Esc closed the menu, nothing else


def test_a_forbidden_drop_says_why_and_does_nothing(window: MainWindow, hand: Hand) -> None:
    """A forbidden drop: hatching and the reason at the pointer; nothing is recorded."""
    session, canvas = window.session, window.canvas
    money = "shop/domain/money.py"
    session.set_view(expanded=session.view.expanded | {key(window, "shop/domain"), key(window, money)})
    money_class = next(node for node in session.graph.ids if node.startswith(f"{money}::") and "." not in node[20:])
    session.restrict(key(window, "shop"))
    start = pick_up(window, hand, money_class)
    end = place(window, "shop/ui")
    for _ in hand.glide(canvas, start, end, steps=3):
        pass
    hand.wait_until(lambda: canvas.dragging.refusal is not None)
    assert canvas.dragging.refusal == "A package cannot hold a class."
    assert session.view.drag is not None
    hand.release()
    hand.wait_until(lambda: session.view.drag is None)
    assert session.history is not None
    assert not session.history.done
    assert window.message.text == "A package cannot hold a class."


def test_dropping_at_home_is_quiet(window: MainWindow, hand: Hand) -> None:
    """Putting something back where it came from is no error, and no step."""
    session, canvas = window.session, window.canvas
    pick_up(window, hand, "shop/domain")
    home = canvas.stage.picking.place_of(key(window, "shop"), own=True)
    hand.point(canvas, home)
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.target == key(window, "shop"))
    hand.release()
    hand.wait_until(lambda: session.view.drag is None)
    assert session.history is not None
    assert not session.history.done
    assert window.message.text == ""


def test_several_selected_nodes_move_together(window: MainWindow, hand: Hand) -> None:
    """DND-1: several selected nodes move together, as one step."""
    session = window.session
    session.select([key(window, "shop/domain"), key(window, "shop/infrastructure")])
    start = pick_up(window, hand, "shop/infrastructure")
    assert session.view.drag is not None
    assert len(session.view.drag.keys) == 2
    end = place(window, "shop/services")
    for _ in hand.glide(window.canvas, start, end, steps=3):
        pass
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.target == key(window, "shop/services"))
    hand.release()
    hand.wait_until(lambda: session.view.drag is None)
    assert session.history is not None
    assert len(session.history.done) == 1
    graph = session.graph
    assert {graph.ids[k] for k in graph.children(key(window, "shop/services")) if graph.kind(k) == "package"} == {
        "shop/domain",
        "shop/infrastructure",
    }


def test_a_segment_can_be_dragged_from_the_tree(window: MainWindow, hand: Hand) -> None:
    """A drag of a segment can also start from the tree, and end on the canvas."""
    session, tree = window.session, window.desk.panels["structure"].tree
    row = tree.visualRect(window.desk.panels["structure"].model.index_of(key(window, "scripts"))).center()
    viewport = tree.viewport()
    assert viewport is not None
    hand.point(viewport, row)
    target = window.canvas.stage.picking.place_of(key(window, "tests"))
    # Qt does not come back from a drag between widgets before it is over: another thread moves the mouse.
    steps = [viewport.mapToGlobal(row + QPoint(14 * n, 5 * n)) for n in (1, 2, 3)]
    steps += [window.canvas.mapToGlobal(target - QPoint(12 * n, 0)) for n in (4, 3, 2, 1, 0)]
    aimed = threading.Event()
    stop = session.subscribe(
        lambda what: aimed.set() if (d := session.view.drag) and d.target == key(window, "tests") else None
    )

    def move() -> None:
        hand.press()
        for step in steps:
            hand.jump(step)
        for turn in range(400):  # until Qt, which may have begun the drag only now, has seen it there
            if aimed.wait(0.05):
                break
            hand.jump(steps[-1] + QPoint(turn % 2, 0))
        hand.release()

    mover = threading.Thread(target=move)
    mover.start()
    hand.wait_until(lambda: session.history is not None and len(session.history.done) == 1)
    mover.join()
    stop()
    graph = session.graph
    assert graph.ids[graph.parent[key(window, "scripts")]] == "tests"


def test_arrows_walk_along_siblings_and_parents(window: MainWindow, hand: Hand) -> None:
    """NEW-13: everything can be reached by keys."""
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    window.session.select([key(window, "shop")])
    for press, expected in (
        ("Down", "shop/domain"),
        ("Right", "shop/infrastructure"),
        ("Right", "shop/services"),
        ("Left", "shop/infrastructure"),
        ("Up", "shop"),
    ):
        hand.keys(press)
        hand.wait_until(lambda expected=expected: _names(window) == [expected])


def test_keys_expand_collapse_restrict_hide(window: MainWindow, hand: Hand) -> None:
    """CBV-6: expand and collapse one node or a whole level; restrict to a subtree and back."""
    session, domain = window.session, key(window, "shop/domain")
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    session.select([domain])
    hand.keys("e")
    hand.wait_until(lambda: domain in session.view.expanded)
    hand.keys("c")
    hand.wait_until(lambda: domain not in session.view.expanded)
    hand.keys("plus")
    hand.wait_until(lambda: domain in session.view.expanded)
    hand.keys("minus")
    hand.wait_until(lambda: domain not in session.view.expanded)
    hand.keys("r")
    hand.wait_until(lambda: session.view.root == domain)
    hand.keys("alt+Left")
    hand.wait_until(lambda: session.view.root == session.graph.root)
    hand.keys("h")
    hand.wait_until(lambda: domain in session.view.hidden)
    hand.keys("shift+r")
    hand.wait_until(lambda: not session.view.hidden)


@pytest.mark.usefixtures("large")
def test_esc_undoes_the_innermost_thing_first(window: MainWindow, hand: Hand) -> None:
    """Look-and-feel: drag, then search, then selection, then restriction."""
    session = window.session
    session.restrict(key(window, "shop"))
    session.select([key(window, "shop/domain")])
    hand.keys("ctrl+f")
    hand.wait_until(window.search.hasFocus)
    hand.type("cart")
    hand.wait_until(lambda: "cart" in window.search.text())
    pick_up(window, hand, "shop/ui")
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    assert window.search.text() == "cart"
    hand.release()
    hand.wait_until(lambda: window.canvas.mode is Mode.NONE)
    hand.keys("Escape")
    hand.wait_until(lambda: window.search.text() == "")
    assert session.view.selected
    hand.keys("Escape")
    hand.wait_until(lambda: not session.view.selected)
    assert session.view.root == key(window, "shop")
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.root == session.graph.root)
