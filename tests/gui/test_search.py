"""CBV-7, DND-8, with real mouse and keys: search as you type, take a match, show only these, end the filter."""

from __future__ import annotations

from qtpy.QtCore import QPoint, Qt

from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, key


def test_search_take_and_filter(window: MainWindow, hand: Hand) -> None:
    """From Ctrl+F to a picture of the matches alone, and back with a click on the chip."""
    searching, session = window.searching, window.session
    hand.keys("ctrl+f")
    hand.wait_until(lambda: searching.list.isVisible() and bool(searching.list.rows))  # examples
    hand.type("kind:file sloc > 10")
    hand.wait_until(lambda: bool(searching.matches))
    assert searching.list.isVisible()
    assert window.canvas.stage.highlights.matches == set(searching.matches)
    second = searching.list.rows[1].key
    hand.keys("Down", "Return")
    hand.wait_until(lambda: session.view.selected == (second,))
    assert not searching.list.isVisible()
    assert window.search.hasFocus()
    hand.keys("ctrl+Return")  # the field's, not the editor's
    hand.wait_until(lambda: session.view.only == "kind:file sloc > 10")
    assert window.canvas.hasFocus()
    hand.wait_until(searching.chip.isVisible)
    hand.click(searching.chip, QPoint(20, searching.chip.height() // 2))
    hand.wait_until(lambda: session.view.only == "")
    hand.keys("alt+Left")
    hand.wait_until(lambda: session.view.only == "kind:file sloc > 10")


def test_a_click_on_a_match_shows_it(window: MainWindow, hand: Hand) -> None:
    """The list lies over the picture and the docks, and takes the click."""
    hand.keys("ctrl+f")
    hand.type("cli.py")
    rows = window.searching.list
    hand.wait_until(lambda: rows.isVisible() and [row.text for row in rows.rows][:1] == ["cli.py"])
    view = rows.list.viewport()
    assert view is not None
    hand.click(view, QPoint(40, 12))
    hand.wait_until(lambda: window.session.view.selected == (key(window, "shop/ui/cli.py"),))
    assert not rows.isVisible()


def test_a_click_elsewhere_closes_the_list(window: MainWindow, hand: Hand) -> None:
    hand.keys("ctrl+f")
    hand.type("order")
    hand.wait_until(lambda: window.searching.list.isVisible() and bool(window.searching.matches))
    window.canvas.setFocus(Qt.FocusReason.MouseFocusReason)
    hand.wait_until(lambda: not window.searching.list.isVisible())
    assert window.canvas.stage.highlights.matches  # it is still looked for


def test_check_boxes_and_show_only_this(window: MainWindow, hand: Hand) -> None:
    """CBV-7: hide by a click on a check box, show one subtree alone, show everything."""
    session, tree = window.session, window.desk.panels["structure"].tree
    node = key(window, "shop/ui")
    session.select([node])
    index = window.desk.panels["structure"].model.index_of(node)
    hand.wait_until(lambda: tree.visualRect(index).isValid())
    box = tree.visualRect(index)
    hand.click(tree.viewport(), QPoint(box.left() + 10, box.center().y()))
    hand.wait_until(lambda: session.view.hidden == {node})
    hand.click(tree.viewport(), QPoint(box.left() + 10, box.center().y()))
    hand.wait_until(lambda: not session.view.hidden)
    session.select([node])
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    hand.keys("shift+h")
    hand.wait_until(lambda: key(window, "shop/domain") in session.view.hidden)
    assert node not in session.view.hidden
    hand.keys("shift+r")
    hand.wait_until(lambda: not session.view.hidden)
