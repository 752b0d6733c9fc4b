"""The second view's menu (CBV-13, UI.md: a menu of everything that can be done, with shortcuts shown)."""

from __future__ import annotations

from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QAction, QMenu

from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.second_view import SecondView


def entries(view: SecondView, key: int) -> dict[str, QAction]:
    """What the context menu says -> the entry."""
    view._menu(QPoint(300, 300), key)
    [menu] = [child for child in view.findChildren(QMenu, "context") if child.isVisible()]
    found = {action.text(): action for action in menu.actions() if action.text()}
    menu.close()
    return found


def test_its_menu_offers_what_is_about_the_view_and_about_the_selection(window: MainWindow, qtbot) -> None:
    """The view's own commands act on it; those about the selection, which both share, are the window's."""
    window.second_views.open()
    view = window.second_views.view
    assert view is not None
    qtbot.waitUntil(lambda: view.session.is_open and view.canvas.stage.is_still)
    key = window.session.graph.key_of["shop/domain"]
    found = entries(view, key)
    assert {"Restrict to subtree\tR", "Expand\tE", "Hide\tH"} <= set(found)
    actions = window.actions_by_name
    for name in ("copy_path", "relations", "impact", "source"):
        assert found[actions[name].text()] is actions[name]
    assert actions["move_to"].text() not in found
    assert window.session.view.selected == (key,)
    assert actions["copy_path"].isEnabled()
    assert view.session.view.root != key
    found["Restrict to subtree\tR"].trigger()
    assert view.session.view.root == key
    assert window.session.view.root != key
    empty = entries(view, -1)
    assert "Fit view\tF" in empty
    assert actions["copy_path"].text() not in empty
