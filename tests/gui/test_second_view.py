"""CBV-13 with real mouse and keys: other hierarchies, and two views side by side with one selection."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QPushButton, QToolButton

from cbvtool.graph import EXTERNAL, Graph
from cbvtool.plan.alternatives.named_plans import AS_IS
from cbvtool.session import COMPARED, ELSEWHERE
from cbvtool.view.toolkit.plain import text_of
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.second_view import SECOND_VIEW, SecondView
from tests.gui.hand import Hand, key, place

Choose = Callable[[object, str], None]


def groups(graph: Graph) -> list[int]:
    """The groups at the top, the one with most lines first."""
    lines = graph.tree.subtree_sum(graph.values["sloc"])
    tops = [k for k in graph.children(graph.root).tolist() if graph.kind(k) != EXTERNAL]
    return sorted(tops, key=lambda k: -lines[k])


@pytest.fixture
def choose(hand: Hand) -> Choose:
    """Opens a list of hierarchies and takes one with the mouse."""

    def take(chooser, name: str) -> None:
        hand.click(chooser, QPoint(20, chooser.height() // 2))
        hand.wait_until(chooser.view().isVisible)
        index = chooser.model().index(chooser.findText(name), 0)
        hand.click(chooser.view().viewport(), chooser.view().visualRect(index).center())
        hand.wait_until(lambda: not chooser.view().isVisible())

    return take


@pytest.fixture
def two(window: MainWindow, hand: Hand, choose: Choose) -> SecondView:
    """Folders on the left, owners on the right."""
    hand.keys("ctrl+shift+v")
    hand.wait_until(lambda: window.beside.is_open)
    view = window.beside.opened[SECOND_VIEW]
    assert view is not None
    hand.wait_until(lambda: view.session.is_open and view.canvas.stage.is_still)
    choose(view.caption.hierarchy, "Owners")
    hand.wait_until(lambda: view.session.view.hierarchy == "owners")
    view.canvas.stage.toggle_top()
    hand.wait_until(lambda: view.canvas.stage.is_still and window.canvas.stage.is_still)
    return view


def test_the_list_in_the_tool_bar_shows_another_hierarchy(window: MainWindow, hand: Hand, choose: Choose) -> None:
    """CBV-13: by the mouse; commands of planning say why they do nothing; Alt+Left leads back."""
    folders = window.session.graph
    assert window.actions_by_name["new_container"].isEnabled()
    choose(window.hierarchies.list, "Owners")
    hand.wait_until(lambda: window.session.view.hierarchy == "owners")
    assert {window.session.graph.kind(k) for k in groups(window.session.graph)} == {"owner"}
    hand.wait_until(lambda: window.canvas.stage.is_still)
    owner = groups(window.session.graph)[0]
    hand.click(window.canvas, window.canvas.stage.picking.place_of(int(window.session.graph.children(owner)[0])))
    hand.wait_until(lambda: len(window.session.view.selected) == 1)
    chosen = window.session.view.selected
    for name, pressed in (("move_to", "m"), ("rename", "F2"), ("remove", "Delete"), ("new_container", "n")):
        assert window.actions_by_name[name].toolTip() == ELSEWHERE.rstrip(".")
        window.message.hide()
        hand.keys(pressed)
        hand.wait_until(lambda: window.message.isVisible() and ELSEWHERE in window.message.text)
    assert window.session.view.selected == chosen
    window.canvas.setFocus()
    hand.keys("alt+Left")
    hand.wait_until(lambda: window.session.graph is folders)
    assert window.hierarchies.list.currentText() == "Folders"
    assert window.actions_by_name["new_container"].isEnabled()


def test_a_drag_among_languages_does_not_begin_and_leads_to_the_folders(
    window: MainWindow, hand: Hand, choose: Choose
) -> None:
    """CBV-13: it is said when the drag begins; a click shows the folders, with what was held selected, and in sight."""
    choose(window.hierarchies.list, "Languages")
    hand.wait_until(lambda: window.session.view.hierarchy == "languages" and window.canvas.stage.is_still)
    graph = window.session.graph
    first, second = groups(graph)[:2]
    window.session.set_view(expanded=frozenset({first}))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    widest = max(graph.children(first).tolist(), key=lambda k: graph.values["sloc"][graph.subtree(k)].sum())
    start, end = (window.canvas.stage.picking.place_of(k) for k in (widest, second))
    hand.point(window.canvas, start)
    hand.press()
    for _ in hand.glide(window.canvas, start, end, steps=6):
        pass
    hand.wait_until(lambda: window.message.isVisible() and window.message.text == ELSEWHERE)
    assert window.session.view.drag is None
    hand.release()
    assert not window.session.history.done
    offer = next(button for button in window.message.findChildren(QPushButton) if text_of(button) == "Show folders")
    hand.click(offer, QPoint(offer.width() // 2, offer.height() // 2))
    hand.wait_until(lambda: window.session.view.hierarchy == "")
    assert window.session.view.selected == (widest,)
    tree = window.session.scene().tree
    assert tree.key[tree.represent[widest]] == widest


def test_nothing_is_held_while_plans_are_compared(window: MainWindow, hand: Hand, choose: Choose) -> None:
    """NEW-6: it is said when a drag or a command begins; a click ends the comparison, back in the hierarchy before."""
    session = window.session
    assert session.move([key(window, "shop/ui")], session.graph.root) is None
    choose(window.hierarchies.list, "Packages")
    hand.wait_until(lambda: session.view.hierarchy == "packages" and window.canvas.stage.is_still)
    steps, offered = session.history.done, "End the comparison"

    def compare() -> None:
        window.versions.compare_plans(AS_IS, session.plan_name)
        hand.wait_until(lambda: session.versions.compared is not None and window.canvas.stage.is_still)

    compare()
    session.set_view(expanded=session.view.expanded | {key(window, "shop")})
    hand.wait_until(lambda: window.canvas.stage.is_still)
    held, start = key(window, "shop/services"), place(window, "shop/services")
    hand.point(window.canvas, start)
    hand.press()
    for _ in hand.glide(window.canvas, start, place(window, "shop/domain"), steps=6):
        pass
    hand.wait_until(lambda: window.message.text == COMPARED)
    assert session.view.drag is None
    hand.release()
    assert session.view.selected == (held,)
    for name, pressed in (
        ("move_to", "m"),
        ("merge_into", "shift+m"),
        ("rename", "F2"),
        ("remove", "Delete"),
        ("new_container", "n"),
        ("new_empty", "shift+n"),
    ):
        assert window.actions_by_name[name].toolTip() == COMPARED.rstrip(".")
        window.message.hide()
        hand.keys(pressed)
        hand.wait_until(lambda: window.message.text == COMPARED)
    offer = next(button for button in window.message.findChildren(QPushButton) if text_of(button) == offered)
    hand.click(offer, QPoint(offer.width() // 2, offer.height() // 2))
    hand.wait_until(lambda: session.versions.compared is None)
    assert session.view.hierarchy == "packages"
    assert not window.message.isVisible()
    assert session.history.done == steps
    assert [session.graph.names[k] for k in session.view.selected] == ["services"]

    compare()
    hand.keys("F2")
    hand.wait_until(lambda: window.message.text == COMPARED)
    window.actions_by_name["end_comparison"].trigger()
    assert not window.message.isVisible(), "it is not so any more"
    choose(window.hierarchies.list, "Owners")
    hand.wait_until(lambda: session.view.hierarchy == "owners")
    window.canvas.setFocus()
    hand.keys("n")
    hand.wait_until(lambda: window.message.text == ELSEWHERE)
    choose(window.hierarchies.list, "Folders")
    hand.wait_until(lambda: session.view.hierarchy == "")
    assert not window.message.isVisible()


def test_selection_and_pointer_are_shared(window: MainWindow, two: SecondView, hand: Hand) -> None:
    """CBV-13: what is under the pointer, or clicked, in one view stands out in the other; each keeps its place."""
    graph = two.session.graph
    file = next(k for k in window.session.scene().tree.key.tolist() if window.session.graph.kind(k) == "file")
    node = window.session.graph.ids[file]
    two.session.set_view(expanded=frozenset(graph.ancestors(graph.key_of[node])))
    hand.wait_until(lambda: two.canvas.stage.is_still)
    expanded = window.session.view.expanded
    spot = two.canvas.stage.picking.place_of(graph.key_of[node])
    hand.point(two.canvas, spot)
    hand.wait_until(lambda: window.session.view.hovered == file)
    hand.click(two.canvas, spot)
    hand.wait_until(lambda: window.session.view.selected == (file,))
    assert window.session.view.expanded == expanded
    other = next(
        k for k in window.session.scene().tree.key.tolist() if window.session.graph.kind(k) == "file" and k != file
    )
    hand.click(window.canvas, place(window, window.session.graph.ids[other]))
    hand.wait_until(lambda: two.session.view.selected == (graph.key_of[window.session.graph.ids[other]],))


def test_an_owner_stands_for_all_files(window: MainWindow, two: SecondView, hand: Hand) -> None:
    """CBV-13: a click on a group selects what is in it in the other view, and stays selected itself."""
    graph = two.session.graph
    owner = groups(graph)[0]
    two.session.set_view(expanded=frozenset())
    hand.wait_until(lambda: two.canvas.stage.is_still)
    hand.click(two.canvas, two.canvas.stage.picking.place_of(owner))
    hand.wait_until(lambda: two.session.view.selected == (owner,))
    files = {graph.ids[k] for k in graph.children(owner)}
    assert {window.session.graph.ids[k] for k in window.session.view.selected} == files


def test_keys_go_to_the_view_with_the_focus(window: MainWindow, two: SecondView, hand: Hand) -> None:
    """NEW-13, CBV-13: E and C, and everything else that is about a view."""
    graph, before = two.session.graph, window.session.view.expanded
    owner = groups(graph)[0]
    two.session.set_view(expanded=frozenset())
    hand.wait_until(lambda: two.canvas.stage.is_still)
    hand.click(two.canvas, two.canvas.stage.picking.place_of(owner))
    hand.wait_until(lambda: two.session.view.selected == (owner,) and two.canvas.hasFocus())
    hand.keys("e")
    hand.wait_until(lambda: owner in two.session.view.expanded)
    assert window.session.view.expanded == before
    hand.keys("c")
    hand.wait_until(lambda: owner not in two.session.view.expanded)
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    window.session.select([key(window, "shop")])
    hand.keys("c")
    hand.wait_until(lambda: key(window, "shop") not in window.session.view.expanded)


def test_a_plan_is_seen_in_both(window: MainWindow, two: SecondView, hand: Hand) -> None:
    """CBV-13, DND-1: removed on the left, gone on the right; Ctrl+Z brings it back in both."""
    file = next(k for k in window.session.scene().tree.key.tolist() if window.session.graph.kind(k) == "file")
    node = window.session.graph.ids[file]
    hand.click(window.canvas, place(window, node))
    hand.wait_until(lambda: window.session.view.selected == (file,))
    hand.keys("Delete")
    hand.wait_until(lambda: node not in window.session.graph.key_of)
    assert node not in two.session.graph.key_of
    hand.keys("ctrl+z")
    hand.wait_until(lambda: node in window.session.graph.key_of)
    assert node in two.session.graph.key_of
    assert two.session.view.hierarchy == "owners"


def test_each_view_has_a_look_of_its_own_and_the_theme_in_common(
    window: MainWindow, two: SecondView, hand: Hand
) -> None:
    """CBV-4, CBV-13: the lists in the caption."""
    before = window.session.view.mapping
    two.caption.metrics["color"].setFocus(Qt.FocusReason.TabFocusReason)
    hand.keys("Home")
    hand.wait_until(lambda: two.session.view.mapping.color != before.color)
    assert window.session.view.mapping == before
    assert window.beside.caption.metrics["color"].currentData() == before.color
    hand.keys("ctrl+t")
    hand.wait_until(lambda: two.session.view.theme == "dark" and two.canvas.stage.is_still)


def test_closing_frees_the_renderer_and_all_threads(window: MainWindow, two: SecondView, hand: Hand) -> None:
    """CBV-13: by its button; the first view has all the room again, and can be doubled again."""
    width, stage = window.canvas.width(), two.canvas.stage
    assert stage.renderer is not None
    button = two.caption.findChild(QToolButton)
    hand.click(button, button.rect().center())
    hand.wait_until(lambda: not window.beside.is_open)
    assert stage.renderer is None
    assert not window.beside.caption.isVisible()
    hand.wait_until(lambda: window.canvas.width() > 1.5 * width)
    assert not window.actions_by_name["second_view"].isChecked()
    window.session.select([key(window, "shop")])  # nobody follows any more
    hand.keys("ctrl+shift+v")
    hand.wait_until(lambda: window.beside.is_open and window.beside.opened[SECOND_VIEW].session.is_open)
