"""CBV-6, CBV-11, DND-8, NEW-13: ways to and fro, regions, and walking by keys, with real events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt, QTimer
from qtpy.QtWidgets import QApplication, QInputDialog, QMenu, QToolButton, QWidget

from cbvtool.geometry.overlay.minimap import MAP
from cbvtool.geometry.picking.region import middles
from cbvtool.plan.document import read_document
from cbvtool.view.canvas.canvas import Mode
from cbvtool.view.commands.keys import apply_keys
from cbvtool.view.commands.keys_dialog import KeysDialog
from cbvtool.view.toolkit.names_dialog import NamesDialog
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, empty_place, key, place


def _selected(window: MainWindow) -> list[str]:
    return [window.session.graph.ids[k] for k in window.session.view.selected]


def _shown_leaves(window: MainWindow) -> set[str]:
    """Ids of the blocks that are no (module) slots."""
    scene = window.canvas.stage.scene
    assert scene is not None
    return {scene.graph.ids[int(k)] for k in scene.tree.key[scene.tree.leaf & ~scene.tree.slot]}


@pytest.fixture
def when_dialog(qtbot) -> Iterator[Callable[[Callable[[QWidget], None]], None]]:
    """Calls something once a dialog has the focus that keeps the event loop to itself."""
    timer = QTimer()
    timer.setInterval(20)

    def await_(what: Callable[[QWidget], None]) -> None:
        def look() -> None:
            there = QApplication.activeModalWidget()
            if there is not None and there.isActiveWindow():
                timer.stop()
                what(there)

        timer.timeout.connect(look)
        timer.start()

    yield await_
    timer.stop()


# -- regions -------------------------------------------------------------------------------------------------


def _frame(window: MainWindow, hand: Hand, *modifiers: str) -> None:
    """Drag from one corner of the picture to the other, and hold."""
    canvas = window.canvas
    for name in modifiers:
        hand.hold(name)
    hand.point(canvas, empty_place(window))
    hand.press()
    for _ in hand.glide(canvas, empty_place(window), QPoint(canvas.width() - 4, canvas.height() - 4), steps=3):
        pass
    hand.wait_until(lambda: canvas.mode is Mode.REGION)


def test_a_rectangle_selects_what_lies_in_it(window: MainWindow, hand: Hand) -> None:
    """Shown while it is drawn; with Ctrl, what was selected is taken out and the rest added."""
    canvas = window.canvas
    _frame(window, hand, "shift")
    everything = _shown_leaves(window)
    assert {window.session.graph.ids[k] for k in canvas.selecting.held()} == everything
    assert canvas.selecting.picture().items
    assert _selected(window) == []
    hand.release()
    hand.let_go("shift")
    hand.wait_until(lambda: set(_selected(window)) == everything)

    window.session.select([key(window, "shop/domain")])
    _frame(window, hand, "ctrl", "shift")
    hand.release()
    hand.let_go("shift")
    hand.let_go("ctrl")
    hand.wait_until(lambda: set(_selected(window)) == everything - {"shop/domain"})


def test_escape_gives_a_region_up(window: MainWindow, hand: Hand) -> None:
    window.session.select([key(window, "shop/domain")])
    _frame(window, hand, "shift")
    hand.let_go("shift")
    hand.keys("Escape")
    hand.wait_until(lambda: not window.canvas.selecting.active)
    hand.release()
    hand.wait_until(lambda: window.canvas.mode is Mode.NONE)
    assert _selected(window) == ["shop/domain"]


def _draw(window: MainWindow, hand: Hand, start: QPoint, end: QPoint) -> None:
    """Move the pointer slowly enough for every step to be seen."""
    for spot in hand.glide(window.canvas, start, end, steps=3):
        hand.wait_until(lambda spot=spot: window.canvas.pointer == spot)


@pytest.mark.parametrize("how", ["command", "keys held"])
def test_a_lasso_selects_what_it_is_drawn_around(window: MainWindow, hand: Hand, how: str) -> None:
    """Around one segment: that one alone."""
    canvas = window.canvas
    scene = canvas.stage.scene
    assert scene is not None
    top = middles(scene)[[scene.tree.represent[key(window, "shop/domain")]]]
    middle = QPoint(*canvas.stage.camera.project(top, *canvas.stage.size)[0][0].round().astype(int).tolist())
    corners = [QPoint(-24, -24), QPoint(24, -24), QPoint(24, 24), QPoint(-24, 24)]
    start = middle + corners[0]
    if how == "command":
        window.activateWindow()
        canvas.setFocus()
        hand.keys("shift+l")
        hand.wait_until(lambda: canvas.selecting.armed)
        hand.point(canvas, start)
        hand.press()
    else:
        start = empty_place(window)
        hand.hold("shift")
        hand.hold("alt")
        hand.point(canvas, start)
        hand.press()
        _draw(window, hand, start, middle + corners[0])
    for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
        _draw(window, hand, middle + a, middle + b)
    if how == "keys held":
        _draw(window, hand, middle + corners[0], start)
    hand.wait_until(lambda: key(window, "shop/domain") in canvas.selecting.held())
    wanted = set(canvas.selecting.held())
    hand.release()
    hand.let_go("shift")
    hand.let_go("alt")
    hand.wait_until(lambda: bool(window.session.view.selected))
    assert set(window.session.view.selected) == wanted
    assert wanted < {key(window, node) for node in _shown_leaves(window)}
    assert not canvas.selecting.armed


def test_shift_click_still_spans_siblings(window: MainWindow, hand: Hand) -> None:
    hand.click(window.canvas, place(window, "shop/services"))
    hand.hold("shift")
    hand.click(window.canvas, place(window, "shop/domain"))
    hand.let_go("shift")
    hand.wait_until(lambda: len(_selected(window)) == 3)


# -- back and forward ----------------------------------------------------------------------------------------


def test_the_mouse_goes_back_and_forward(window: MainWindow, hand: Hand) -> None:
    """CBV-6: place and selection come back; the tip says where that leads."""
    session, canvas = window.session, window.canvas
    session.select([key(window, "shop/ui")])
    session.restrict(key(window, "shop"))
    session.select([])
    assert window.actions_by_name["back"].toolTip() == "Back to everything (Alt+Left)"
    hand.click(canvas, empty_place(window))
    hand._send("click", "8")
    hand.wait_until(lambda: session.view.root == session.graph.root)
    assert _selected(window) == ["shop/ui"]
    assert window.actions_by_name["forward"].toolTip() == "Forward to shop (Alt+Right)"
    hand._send("click", "9")
    hand.wait_until(lambda: session.view.root == key(window, "shop"))
    hand.keys("alt+Left")
    hand.wait_until(lambda: session.view.root == session.graph.root)


def test_a_list_of_places_is_behind_the_arrow(window: MainWindow, hand: Hand) -> None:
    session = window.session
    session.restrict(key(window, "shop"))
    session.restrict(key(window, "shop/domain"))
    button = window.commands.bar.widgetForAction(window.actions_by_name["back"])
    assert isinstance(button, QToolButton)
    assert button.popupMode() == QToolButton.ToolButtonPopupMode.DelayedPopup
    menu = button.menu()
    assert menu is not None
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))  # as a long press does, which would wait for it
    hand.wait_until(menu.isVisible)
    assert [action.text() for action in menu.actions()][:2] == ["Shop", "Everything"]
    hand.click(menu, menu.actionGeometry(menu.actions()[1]).center())
    hand.wait_until(lambda: session.view.root == session.graph.root)


# -- named views ---------------------------------------------------------------------------------------------


def test_a_view_is_saved_and_comes_back(window: MainWindow, hand: Hand, when_dialog, tmp_path: Path) -> None:
    """CBV-11: Ctrl+K asks for a name, Alt+1 brings place, look and camera back; the document keeps it."""
    session, stage = window.session, window.canvas.stage
    session.restrict(key(window, "shop"))
    stage.look(stage.camera.orbited(120, -40))
    camera = stage.camera
    window.canvas.setFocus()

    def name_it(dialog: QWidget) -> None:
        assert isinstance(dialog, QInputDialog)
        hand.type("ours")
        hand.keys("Return")

    when_dialog(name_it)
    hand.keys("ctrl+k")
    hand.wait_until(lambda: len(session.named) == 1)
    assert session.unsaved
    assert window.isWindowModified()
    assert window.actions_by_name["view_1"].text() == "ours"
    session.set_view(root=session.graph.root, beta=0.2)
    stage.fit()
    hand.wait_until(window.isActiveWindow)  # the question is gone
    hand.keys("alt+1")
    hand.wait_until(lambda: session.view.root == key(window, "shop") and stage.camera == camera)
    assert session.view.beta == 0.8
    session.save(tmp_path / "plan.cbv")
    assert not window.isWindowModified()
    session.open(session.project, read_document(tmp_path / "plan.cbv"), tmp_path / "plan.cbv")
    assert [view.name for view in session.named] == ["ours"]
    assert window.actions_by_name["view_1"].isEnabled()


def test_named_views_are_renamed_sorted_and_deleted(window: MainWindow, hand: Hand) -> None:
    for name in ("a", "b", "c"):
        window.navigating.keep(name)
    dialog = NamesDialog("Saved views", [view.name for view in window.session.named], "view", "", window)
    dialog.show()
    hand.wait_until(dialog.isActiveWindow)
    hand.click(dialog.down, dialog.down.rect().center())
    hand.wait_until(lambda: [name for _, name in dialog.chosen()] == ["b", "a", "c"])
    hand.click(dialog.delete, dialog.delete.rect().center())
    hand.wait_until(lambda: dialog.chosen() == [(1, "b"), (2, "c")])
    hand.click(dialog.rename, dialog.rename.rect().center())
    hand.type("see")
    hand.keys("Return")
    hand.wait_until(lambda: "see" in [name for _, name in dialog.chosen()])
    dialog.accept()
    dialog.deleteLater()


# -- breadcrumb and mini-map ---------------------------------------------------------------------------------


def test_the_breadcrumb_lists_siblings_by_key(window: MainWindow, hand: Hand) -> None:
    """Ctrl+L, right, down opens what is beside; Enter goes there."""
    session = window.session
    session.restrict(key(window, "shop/domain"))
    window.canvas.setFocus()
    hand.keys("ctrl+l")
    hand.wait_until(lambda: getattr(QApplication.focusWidget(), "objectName", str)() == "here")
    hand.keys("Left")
    hand.wait_until(lambda: QApplication.focusWidget() in window.crumbs.arrows())
    hand.keys("Down")
    hand.wait_until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    names = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert {"domain", "infrastructure", "services", "ui"} <= set(names)
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["domain"]
    hand.click(menu, menu.actionGeometry(menu.actions()[names.index("ui")]).center())
    hand.wait_until(lambda: session.view.root == key(window, "shop/ui"))


def test_the_mini_map_says_where_one_is_and_leads_back(window: MainWindow, hand: Hand) -> None:
    """CBV-6: it comes when not everything is seen, stands on no legend, and can be switched off."""
    session, canvas, stage = window.session, window.canvas, window.canvas.stage

    def there() -> bool:
        return any(stage.picking.legend_at(QPoint(x, y)) == MAP for x in range(0, 200, 20) for y in range(0, 200, 20))

    hand.wait_until(lambda: stage.is_still)
    assert not there()
    session.restrict(key(window, "shop"))
    hand.wait_until(lambda: stage.is_still and there())
    hand.click(canvas, QPoint(72, 72))  # its middle: everything
    hand.wait_until(lambda: session.view.root == session.graph.root)
    hand.wait_until(lambda: stage.is_still and not there())
    hand.wheel(canvas, QPoint(canvas.width() // 2, canvas.height() // 2), 6)
    hand.wait_until(lambda: stage.is_still and there())
    before = stage.camera
    hand.click(canvas, QPoint(72 + 40, 72))
    hand.wait_until(lambda: stage.is_still and stage.camera.center != before.center)
    assert stage.camera.distance == before.distance
    assert np.allclose(stage.camera.center, (0.8, 0.0), atol=0.05)
    window.actions_by_name["minimap"].trigger()
    hand.wait_until(lambda: stage.is_still and not there())


# -- walking -------------------------------------------------------------------------------------------------


def test_keys_walk_keep_and_expand(window: MainWindow, hand: Hand) -> None:
    """NEW-13: Home and End, Space keeps, Enter expands and collapses."""
    session = window.session
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    session.select([key(window, "shop/services")])
    hand.keys("Home")
    hand.wait_until(lambda: _selected(window) != ["shop/services"])
    first = _selected(window)
    hand.keys("End")
    hand.wait_until(lambda: _selected(window) not in (first, ["shop/services"]))
    last = _selected(window)
    hand.keys("space", "Left")
    hand.wait_until(lambda: len(_selected(window)) == 2)
    assert _selected(window)[0] == last[0]
    hand.keys("space", "Left", "Left")
    hand.wait_until(lambda: len(_selected(window)) == 3)
    session.select([key(window, "shop/domain")])
    hand.keys("Return")
    hand.wait_until(lambda: key(window, "shop/domain") in session.view.expanded)
    hand.keys("Return")
    hand.wait_until(lambda: key(window, "shop/domain") not in session.view.expanded)
    assert _selected(window) == ["shop/domain"]


def test_keys_walk_along_relations(window: MainWindow, hand: Hand) -> None:
    """NEW-13: Alt+Down lights up partner after partner and says what it is; Alt+Enter goes there."""
    session = window.session
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    here = key(window, "shop/domain")
    session.select([here])
    hand.keys("alt+Down")
    hand.wait_until(lambda: session.view.hovered >= 0)
    first = session.view.hovered
    assert window.status.last.text().startswith("Neighbour 1 of ")
    assert session.graph.path(first) in window.status.last.text()
    hand.keys("alt+Down")
    hand.wait_until(lambda: session.view.hovered not in (-1, first))
    hand.keys("alt+Up")
    hand.wait_until(lambda: session.view.hovered == first)
    assert session.view.selected == (here,)
    hand.keys("alt+Return")
    hand.wait_until(lambda: session.view.selected == (first,))
    assert not window.actions_by_name["go_to_partner"].isEnabled()


# -- keys of one's own ---------------------------------------------------------------------------------------


def test_keys_can_be_changed_and_clashes_are_found(window: MainWindow, hand: Hand) -> None:
    """NEW-13: a clash cannot be kept; what is kept works at once, and in the next window; Reset all undoes it."""
    dialog = KeysDialog(window.settings.shortcuts, window)
    dialog.show()
    hand.wait_until(dialog.isActiveWindow)
    ok = dialog.buttons.button(dialog.buttons.Ok)
    assert ok is not None
    dialog.choose("expand")
    dialog.edit.setFocus()
    hand.keys("h")
    hand.wait_until(dialog.set.isEnabled)
    assert "“Hide”" in dialog.note.text()
    hand.click(dialog.set, dialog.set.rect().center())
    hand.wait_until(lambda: not ok.isEnabled())
    dialog.choose("hide")
    hand.click(dialog.remove, dialog.remove.rect().center())
    hand.wait_until(ok.isEnabled)
    assert dialog.own() == {"expand": ["H"], "hide": []}
    window.settings.shortcuts = dialog.own()
    dialog.close()
    apply_keys(window.actions_by_name, window.settings.shortcuts)
    hand.wait_until(window.isActiveWindow)
    window.canvas.setFocus()
    window.session.select([key(window, "shop/domain")])
    hand.keys("h")
    hand.wait_until(lambda: key(window, "shop/domain") in window.session.view.expanded)
    again = KeysDialog(window.settings.shortcuts, window)
    again.reset_all.click()
    assert again.own() == {}
    again.deleteLater()
    dialog.deleteLater()
