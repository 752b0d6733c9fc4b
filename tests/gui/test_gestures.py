"""Planning by hand, with real events (DND-1 to DND-4): every gesture, its end by Esc, and where it may be dropped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from math import atan2, pi

import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QApplication, QMenu, QToolButton, QWidget

from cbvtool.geometry.picture import Polyline
from cbvtool.session.dragging.gestures import bundle_of
from cbvtool.view.canvas.canvas import Mode
from cbvtool.view.panels.structure_panel import StructurePanel
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, key, pick_up, pick_up_relation, place, relation_place

SERVICES, STORES, DOMAIN = "shop/services", "shop/infrastructure", "shop/domain"


def _done(window: MainWindow) -> int:
    assert window.session.history is not None
    return len(window.session.history.done)


def _undo_label(window: MainWindow) -> str:
    assert window.session.history is not None
    return window.session.history.label_undo


def _aim(window: MainWindow, hand: Hand, start: QPoint, end: QPoint, target: str) -> None:
    for _ in hand.glide(window.canvas, start, end, steps=4):
        pass
    hand.wait_until(lambda: window.session.view.drag is not None and _target(window) == target)


def _target(window: MainWindow) -> str | None:
    drag = window.session.view.drag
    return None if drag is None or drag.target < 0 else window.session.graph.ids[drag.target]


def _card(window: MainWindow, hand: Hand) -> AskCard:
    hand.wait_until(lambda: window.canvas.dragging.card is not None and window.canvas.dragging.card.isVisible())
    card = window.canvas.dragging.card
    assert card is not None
    return card


def _names_in(window: MainWindow, node: str) -> set[str]:
    graph = window.session.graph
    return {graph.names[child] for child in graph.children(key(window, node)).tolist()}


def _outside(window: MainWindow) -> QPoint:
    """A place on the canvas far outside of the ring."""
    canvas = window.canvas
    picking = canvas.stage.picking
    for y in range(12, canvas.height() - 10, 10):
        spot = QPoint(canvas.width() // 2 - canvas.height() // 2 - 20, y)
        there = picking.on_disc(spot)
        if there is not None and there[0] ** 2 + there[1] ** 2 > 1.2**2 and not picking.legend_at(spot):
            return spot
    raise AssertionError("the ring fills the canvas")


def _crumb(window: MainWindow, node: str) -> QToolButton:
    """The button of a node in the breadcrumb: two may have one name."""
    buttons = [b for b in window.crumbs.findChildren(QToolButton) if b.isVisible()]
    (button,) = [b for b in buttons if window.crumbs.node_at(b.mapToGlobal(b.rect().center())) == key(window, node)]
    return button


def _row(window: MainWindow, node: str) -> QPoint:
    """Where the tree shows a node, in pixels of the canvas."""
    panel = window.desk.panel(StructurePanel)
    viewport = panel.tree.viewport()
    assert viewport is not None
    row = panel.tree.visualRect(panel.model.index_of(key(window, node))).center()
    return window.canvas.mapFromGlobal(viewport.mapToGlobal(row))


# -- DND-3: a relation in its middle ---------------------------------------------------------------------------


def test_a_relation_is_split_over_a_third_node(window: MainWindow, hand: Hand) -> None:
    """DND-3: the curve bends to the pointer, the card says what the bundle stands for, one step to undo."""
    session, canvas = window.session, window.canvas
    between = bundle_of((key(window, SERVICES), key(window, STORES)), session.graph)
    start = pick_up_relation(window, hand, SERVICES, STORES, 0.5)
    drag = session.view.drag
    assert drag is not None
    assert drag.relation == (key(window, SERVICES), key(window, STORES))
    _aim(window, hand, start, place(window, DOMAIN), DOMAIN)
    assert canvas.dragging.curves is not None
    there = canvas.stage.picking.on_disc(canvas.pointer)
    assert there is not None
    nearest = ((canvas.dragging.curves[:, :, :2] - there) ** 2).sum(axis=2).min(axis=1)
    assert (nearest < 1e-6).all()  # every curve of the bundle passes the pointer
    hand.release()
    card = _card(window, hand)
    said = " ".join(label.text() for label in card.findChildren(QWidget) if hasattr(label, "text"))
    assert f"Stands for {between.total} dependencies" in said
    for kind, count in between.counts:
        assert f"{count} {kind}" in said
    assert card.name.text() == "infrastructure_interface.py"
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert _undo_label(window) == "Undo split of services → infrastructure: both use infrastructure_interface.py"
    assert "infrastructure_interface.py" in _names_in(window, DOMAIN)
    assert not bundle_of((key(window, SERVICES), key(window, STORES)), session.graph).total
    hand.keys("ctrl+z")
    hand.wait_until(lambda: _done(window) == 0)
    assert bundle_of((key(window, SERVICES), key(window, STORES)), session.graph) == between


def test_the_card_is_usable_by_keys_alone(window: MainWindow, hand: Hand) -> None:
    """DND-3: form and name by keys; keys that are commands elsewhere are letters here."""
    start = pick_up_relation(window, hand, SERVICES, STORES, 0.5)
    _aim(window, hand, start, place(window, DOMAIN), DOMAIN)
    hand.release()
    card = _card(window, hand)
    hand.wait_until(card.name.hasFocus)
    hand.type("hn/1.py")
    hand.wait_until(lambda: card.name.text() == "hn/1.py")
    hand.wait_until(lambda: "cannot be a name" in card.refusal.text())
    hand.keys("Return")  # refused: nothing happens, the question stays
    hand.keys("BackSpace", "BackSpace", "BackSpace", "BackSpace", "BackSpace")
    hand.type("port.py")
    hand.wait_until(lambda: card.name.text() == "hnport.py" and not card.refusal.text())
    assert _done(window) == 0
    hand.keys("shift+Tab")
    hand.wait_until(lambda: card.forms[0].hasFocus() or card.forms[1].hasFocus())
    hand.keys("Down")
    hand.wait_until(card.forms[1].isChecked)
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert _undo_label(window) == "Undo split of services → infrastructure: routed via hnport.py"
    assert "hnport.py" in _names_in(window, DOMAIN)


@pytest.mark.usefixtures("large")
def test_a_split_outside_offers_something_new(window: MainWindow, hand: Hand) -> None:
    """DND-3: on empty space outside the ring a new file, or a folder."""
    start = pick_up_relation(window, hand, SERVICES, STORES, 0.5)
    _aim(window, hand, start, _outside(window), "shop")  # what both lie in
    assert window.session.view.drag is not None
    assert window.session.view.drag.fresh
    hand.release()
    card = _card(window, hand)
    assert [card.kind.itemText(i) for i in range(card.kind.count())][:2] == ["File", "Package"]
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert "infrastructure_interface.py" in _names_in(window, "shop")


def test_a_split_is_cancelled_with_nothing_changed(window: MainWindow, hand: Hand) -> None:
    """DND-3: by Esc during the drag, by Esc at the card, or by a click beside the card."""
    session, canvas = window.session, window.canvas
    session.select([key(window, "shop/ui")])
    for when in ("during the drag", "at the card", "by a click"):
        start = pick_up_relation(window, hand, SERVICES, STORES, 0.5)
        _aim(window, hand, start, place(window, DOMAIN), DOMAIN)
        if when == "during the drag":
            hand.keys("Escape")
            hand.wait_until(lambda: session.view.drag is None)
        hand.release()
        if when != "during the drag":
            _card(window, hand)
        if when == "at the card":
            hand.keys("Escape")
        if when == "by a click":
            hand.click(canvas, QPoint(6, 70))
        hand.wait_until(lambda: session.view.drag is None and canvas.mode is Mode.NONE)
        assert canvas.dragging.card is None
        assert _done(window) == 0
        assert session.view.selected == (key(window, "shop/ui"),)
        hand.wait_until(lambda: canvas.stage.is_still)


def test_a_split_over_its_own_function_is_refused_with_the_reason(window: MainWindow, hand: Hand) -> None:
    """Bad input: what cannot lead a dependency is hatched, and the card says why; nothing changes."""
    session = window.session
    session.set_view(expanded=session.view.expanded | {key(window, "scripts"), key(window, "scripts/nightly.py")})
    hand.wait_until(lambda: window.canvas.stage.is_still)
    function = "scripts/nightly.py::main"
    start = pick_up_relation(window, hand, SERVICES, STORES, 0.5)
    _aim(window, hand, start, place(window, function), function)
    assert window.canvas.dragging.refusal == "main is a function: choose a file, a class or a folder."
    hand.release()
    card = _card(window, hand)
    assert "is a function" in card.refusal.text()
    assert not card.do.isEnabled()
    hand.keys("Return")
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    assert _done(window) == 0


# -- DND-4: a relation near an end -----------------------------------------------------------------------------


def test_near_an_end_exactly_what_takes_part_is_pulled_out(window: MainWindow, hand: Hand) -> None:
    """DND-4: in front of a collapsed node; the card says how many and which."""
    session = window.session
    start = pick_up_relation(window, hand, SERVICES, STORES, 0.15)
    drag, graph = session.view.drag, session.graph
    assert drag is not None
    assert drag.act == "pull"
    services, stores = key(window, SERVICES), key(window, STORES)
    edges = graph.edges
    inside = {
        child
        for child in graph.children(services).tolist()
        for a, b in zip(edges.source.tolist(), edges.target.tolist(), strict=True)
        if (graph.is_below(a, child) and graph.is_below(b, stores))
        or (graph.is_below(b, child) and graph.is_below(a, stores))
    }
    assert set(drag.keys) == inside
    assert 0 < len(inside) < len(graph.children(services))
    _aim(window, hand, start, place(window, "shop/ui"), "shop/ui")
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    graph = session.graph
    assert {graph.ids[graph.parent[one]] for one in inside} == {"shop/ui"}
    assert _undo_label(window).startswith("Undo pull-out of ")
    hand.keys("ctrl+z")
    hand.wait_until(lambda: _done(window) == 0)


def test_the_nearer_end_decides_and_esc_puts_it_back(window: MainWindow, hand: Hand) -> None:
    """DND-4: at the other end the other side is pulled out; a leaf has no parts, and moves itself."""
    session = window.session
    session.set_view(expanded=session.view.expanded | {key(window, "scripts"), key(window, "scripts/nightly.py")})
    hand.wait_until(lambda: window.canvas.stage.is_still)
    function = key(window, "scripts/nightly.py::main")
    pick_up_relation(window, hand, "scripts/nightly.py::main", STORES, 0.15)
    drag = session.view.drag
    assert drag is not None
    assert (drag.act, drag.keys) == ("move", (function,))
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    hand.wait_until(lambda: window.canvas.mode is Mode.NONE and window.canvas.stage.is_still)
    pick_up_relation(window, hand, SERVICES, STORES, 0.88)
    drag = session.view.drag
    assert drag is not None
    assert drag.relation == (key(window, STORES), key(window, SERVICES))
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    hand.wait_until(lambda: window.canvas.mode is Mode.NONE)
    assert _done(window) == 0


# -- DND-2: merging, and new containers ------------------------------------------------------------------------


def test_shift_at_the_drop_merges(window: MainWindow, hand: Hand) -> None:
    """DND-2: the card follows the key while nothing moves; Esc cancels with Shift held; the content goes over."""
    session = window.session
    start = pick_up(window, hand, "scripts")
    _aim(window, hand, start, place(window, "tests"), "tests")
    hand.hold("shift")
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.act == "merge")
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    hand.let_go("shift")
    hand.wait_until(lambda: window.canvas.mode is Mode.NONE)
    assert _done(window) == 0
    start = pick_up(window, hand, "scripts")
    _aim(window, hand, start, place(window, "tests"), "tests")
    assert session.view.drag is not None
    assert session.view.drag.act == "move"
    hand.hold("shift")
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.act == "merge")
    hand.let_go("shift")
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.act == "move")
    hand.hold("shift")
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.act == "merge")
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    hand.let_go("shift")
    assert _undo_label(window) == "Undo merge of scripts into tests"
    assert "nightly.py" in _names_in(window, "tests")
    assert "scripts" not in session.graph.key_of


@pytest.mark.usefixtures("large")
def test_ctrl_outside_the_ring_makes_a_new_container(window: MainWindow, hand: Hand) -> None:
    """DND-2: without Ctrl a place far outside means nothing; the name is asked for at the drop; one step."""
    session = window.session
    start = pick_up(window, hand, "scripts")
    end = _outside(window)
    for _ in hand.glide(window.canvas, start, end, steps=4):
        pass
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.target < 0)
    hand.hold("ctrl")
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.fresh)
    hand.release()
    hand.let_go("ctrl")
    card = _card(window, hand)
    hand.wait_until(card.name.hasFocus)
    hand.type("tools")
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert _undo_label(window) == "Undo grouping of scripts in tools"
    assert _names_in(window, "plan:1") == {"scripts"}
    assert session.graph.parent[key(window, "plan:1")] == session.graph.root


def test_just_outside_without_ctrl_is_the_top_level(window: MainWindow, hand: Hand) -> None:
    """DND-1: as before; the whole disc is outlined as the target."""
    session, canvas = window.session, window.canvas
    start = pick_up(window, hand, "shop/ui")
    accent = canvas.stage.theme.accent

    def outlined() -> list[Polyline]:
        items = canvas.dragging.picture(QPoint(5, 5)).items
        return [item for item in items if isinstance(item, Polyline) and item.color == accent and item.width == 2.5]

    assert not outlined()
    size = canvas.width(), canvas.height()
    pixel = canvas.stage.camera.project(np.array([[-1.06, 0.0, 0.0]]), *size)[0][0]
    for _ in hand.glide(canvas, start, QPoint(round(pixel[0]), round(pixel[1])), steps=4):
        pass
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.target == session.graph.root)
    assert outlined()
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    assert session.graph.parent[key(window, "shop/ui")] == session.graph.root


def test_n_groups_the_selection(window: MainWindow, hand: Hand) -> None:
    """DND-2: created in the common parent and moved there, as one step; Esc leaves everything where it was."""
    session = window.session
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    session.select([key(window, "shop/ui"), key(window, SERVICES)])
    hand.keys("n")
    card = _card(window, hand)
    hand.wait_until(card.name.hasFocus)
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    assert _done(window) == 0
    hand.keys("n")
    card = _card(window, hand)
    hand.wait_until(card.name.hasFocus)
    assert [card.kind.itemText(i) for i in range(card.kind.count())] == ["Package", "Folder"]
    hand.type("front")
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert _undo_label(window) == "Undo grouping of ui and services in front"
    assert _names_in(window, "plan:1") == {"ui", "services"}
    assert session.graph.ids[session.graph.parent[key(window, "plan:1")]] == "shop"
    hand.keys("ctrl+z")
    hand.wait_until(lambda: _done(window) == 0)
    assert session.graph.ids[session.graph.parent[key(window, "shop/ui")]] == "shop"


@pytest.mark.usefixtures("large")
def test_n_without_a_selection_makes_an_empty_one_that_can_be_hit(window: MainWindow, hand: Hand) -> None:
    """DND-2: kinds of containers and of what files hold; a new folder has room in the ring, and takes a drop."""
    canvas = window.canvas
    canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    hand.keys("n")
    hand.wait_until(lambda: any(card.isVisible() for card in canvas.findChildren(AskCard)))
    (card,) = canvas.findChildren(AskCard)
    assert [card.kind.itemText(i) for i in range(card.kind.count())] == ["Folder", "Package", "File"]
    hand.wait_until(card.name.hasFocus)
    hand.type("ports")
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    hand.wait_until(lambda: canvas.stage.is_still)
    scene = canvas.stage.scene
    assert scene is not None
    item = int(scene.tree.represent[key(window, "plan:1")])
    assert (scene.layout.a1 - scene.layout.a0)[item] > pi / 24
    assert canvas.stage.text.names is not None
    assert key(window, "plan:1") in {getattr(text, "key", -1) for text in canvas.stage.text.names.items}
    start = pick_up(window, hand, "scripts")
    _aim(window, hand, start, place(window, "plan:1"), "plan:1")
    hand.release()
    hand.wait_until(lambda: _done(window) == 2)
    assert _names_in(window, "plan:1") == {"scripts"}


def test_an_interface_can_be_made_in_a_file(window: MainWindow, hand: Hand) -> None:
    """DND-2: kinds class and interface, too; a name that is there is refused."""
    session, canvas = window.session, window.canvas
    canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    session.select([key(window, "shop/domain/money.py")])
    hand.keys("shift+n")
    hand.wait_until(lambda: any(card.isVisible() for card in canvas.findChildren(AskCard)))
    (card,) = canvas.findChildren(AskCard)
    assert [card.kind.itemText(i) for i in range(card.kind.count())] == ["Class", "Interface"]
    hand.wait_until(card.name.hasFocus)
    hand.type("Money")
    hand.wait_until(lambda: "already holds Money" in card.refusal.text())
    hand.type("Like")
    hand.wait_until(lambda: not card.refusal.text())
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert session.graph.names[key(window, "plan:1")] == "MoneyLike"


def test_a_name_that_ends_as_files_do_makes_a_file(window: MainWindow, hand: Hand) -> None:
    """DND-2: the kind follows what is typed, until somebody chooses a kind."""
    session, canvas = window.session, window.canvas
    canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    hand.keys("n")
    hand.wait_until(lambda: any(card.isVisible() for card in canvas.findChildren(AskCard)))
    (card,) = canvas.findChildren(AskCard)
    hand.wait_until(card.name.hasFocus)
    hand.type("ports.py")
    hand.wait_until(lambda: card.kind.currentText() == "File")
    hand.type("x")
    hand.wait_until(lambda: card.kind.currentText() == "Folder")
    hand.keys("BackSpace")
    hand.wait_until(lambda: card.kind.currentText() == "File")
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert session.graph.kind(key(window, "plan:1")) == "file"


# -- DND-1: where a drag may end -------------------------------------------------------------------------------


def test_a_closed_target_opens_under_the_pointer_and_closes_again(window: MainWindow, hand: Hand) -> None:
    """DND-1: after a rest; it is the target while the pointer rests; Esc closes it, a drop into it does not."""
    session = window.session
    session.set_view(expanded=frozenset({session.graph.root}))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    shop = key(window, "shop")
    start = pick_up(window, hand, "scripts")
    end = place(window, "shop")
    _aim(window, hand, start, end, "shop")
    hand.wait_until(lambda: session.view.drag is not None and shop in session.view.drag.opened)
    hand.wait_until(lambda: window.canvas.stage.is_still)
    assert _target(window) == "shop"  # whatever is seen there now
    _aim(window, hand, end, place(window, DOMAIN), DOMAIN)
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    hand.wait_until(lambda: window.canvas.mode is Mode.NONE and window.canvas.stage.is_still)
    assert shop not in session.view.expanded
    assert _done(window) == 0
    start = pick_up(window, hand, "scripts")
    _aim(window, hand, start, end, "shop")
    hand.wait_until(lambda: session.view.drag is not None and bool(session.view.drag.opened))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    _aim(window, hand, end, place(window, "shop/ui"), "shop/ui")
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    assert shop in session.view.expanded


@pytest.mark.usefixtures("large")
def test_the_ring_closes_up_around_the_pointer(window: MainWindow, hand: Hand) -> None:
    """DND-1: the segments beside what is lifted meet at the pointer; after the drag the view is as it was."""
    canvas, before = window.canvas, window.canvas.stage.camera
    start = pick_up(window, hand, "shop/ui")
    hand.wait_until(lambda: not canvas.stage.flight.flies)
    scene = canvas.stage.scene
    assert scene is not None
    there = canvas.stage.picking.on_disc(start)
    assert there is not None
    angle = atan2(*there) % (2 * pi)
    seam = scene.layout.a1[int(scene.tree.represent[key(window, "shop/services")])]
    assert abs((angle - seam + pi) % (2 * pi) - pi) < 0.02
    hand.keys("Escape")
    hand.wait_until(lambda: window.session.view.drag is None)
    hand.release()
    hand.wait_until(lambda: canvas.stage.camera == before)


def test_a_segment_is_dropped_on_the_tree(window: MainWindow, hand: Hand) -> None:
    """DND-1: picture to tree: the row is marked, a closed one opens, a reason is said at the pointer, Esc cancels."""
    session, canvas = window.session, window.canvas
    tree = window.desk.panel(StructurePanel).tree
    start = pick_up(window, hand, "shop/ui")
    _aim(window, hand, start, _row(window, "scripts"), "scripts")
    index = window.desk.panel(StructurePanel).model.index_of(key(window, "scripts"))
    hand.wait_until(lambda: tree.isExpanded(index))
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    hand.wait_until(lambda: canvas.mode is Mode.NONE)
    assert not tree.isExpanded(index)
    start = pick_up(window, hand, "shop/ui")
    _aim(window, hand, start, _row(window, "scripts"), "scripts")
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    assert session.graph.ids[session.graph.parent[key(window, "shop/ui")]] == "scripts"


def test_a_refused_row_of_the_tree_says_why(window: MainWindow, hand: Hand) -> None:
    """Bad input: a node into its own subtree; the reason stands at the pointer, outside of the picture as well."""
    session = window.session
    tree = window.desk.panel(StructurePanel)
    tree.tree.expand(tree.model.index_of(key(window, "shop")))
    window.session.set_view(expanded=frozenset({session.graph.root}))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    start = pick_up(window, hand, "shop")
    _aim(window, hand, start, _row(window, DOMAIN), DOMAIN)
    assert window.canvas.dragging.refusal == "shop cannot go into domain, which is part of it."
    label = window.canvas.dragging.label
    assert label.isVisible()
    assert "shop cannot go into domain, which is part of it." in label.lines
    hand.release()
    hand.wait_until(lambda: session.view.drag is None)
    assert window.message.text == "shop cannot go into domain, which is part of it."
    assert _done(window) == 0
    assert not label.isVisible()


def test_the_tree_scrolls_near_its_border(window: MainWindow, hand: Hand) -> None:
    """DND-1: what is out of sight can be reached without letting go."""
    panel = window.desk.panel(StructurePanel)
    for key_ in range(len(window.session.graph)):
        panel.tree.expand(panel.model.index_of(key_))
    bar, viewport = panel.tree.verticalScrollBar(), panel.tree.viewport()
    assert bar is not None
    assert viewport is not None
    bar.setValue(0)
    assert bar.maximum() > 0
    start = pick_up(window, hand, "shop/ui")
    end = window.canvas.mapFromGlobal(viewport.mapToGlobal(QPoint(viewport.width() // 2, viewport.height() - 8)))
    for _ in hand.glide(window.canvas, start, end, steps=3):
        pass
    hand.wait_until(lambda: bar.value() > 2)
    hand.keys("Escape")
    hand.wait_until(lambda: window.session.view.drag is None)
    hand.release()


def test_a_segment_is_dropped_on_the_breadcrumb(window: MainWindow, hand: Hand) -> None:
    """DND-1: while the view is restricted, what is around it can be a target."""
    session = window.session
    session.restrict(key(window, "shop"))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    start = pick_up(window, hand, "shop/ui")
    button = _crumb(window, "")
    spot = window.canvas.mapFromGlobal(button.mapToGlobal(button.rect().center()))
    _aim(window, hand, start, spot, "")
    assert button.property("aimed") == "yes"
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    hand.wait_until(lambda: window.canvas.mode is Mode.NONE)
    assert not button.property("aimed")
    start = pick_up(window, hand, "shop/ui")
    _aim(window, hand, start, spot, "")
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    assert session.graph.parent[key(window, "shop/ui")] == session.graph.root


def test_a_segment_is_dropped_on_the_mini_map(window: MainWindow, hand: Hand) -> None:
    """DND-1: the map shows all of the hierarchy while the picture does not."""
    session, canvas = window.session, window.canvas
    session.restrict(key(window, "shop"))
    hand.wait_until(lambda: canvas.stage.is_still and canvas.stage.text.map is not None)
    start = pick_up(window, hand, "shop/ui")
    _aim(window, hand, start, _on_map(window, "tests"), "tests")
    hand.keys("Escape")
    hand.wait_until(lambda: session.view.drag is None)
    hand.release()
    hand.wait_until(lambda: canvas.mode is Mode.NONE)
    start = pick_up(window, hand, "shop/ui")
    _aim(window, hand, start, _on_map(window, "tests"), "tests")
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    assert session.graph.ids[session.graph.parent[key(window, "shop/ui")]] == "tests"


def _on_map(window: MainWindow, node: str) -> QPoint:
    picking, box = window.canvas.stage.picking, window.canvas.stage.text.map
    assert box is not None
    spots = (
        QPoint(x, y)
        for x in range(int(box[0]), int(box[0] + box[2]), 2)
        for y in range(int(box[1]), int(box[1] + box[3]), 2)
    )
    found = [spot for spot in spots if (there := picking.on_map(spot)) and there.key == key(window, node)]
    assert found
    return found[len(found) // 2]


def test_from_the_tree_to_the_tree_the_picture_follows(window: MainWindow, hand: Hand) -> None:
    """DND-1: a drag that begins in the tree is the same drag: it has a candidate, and Esc puts everything back."""
    session = window.session
    panel = window.desk.panel(StructurePanel)
    viewport = panel.tree.viewport()
    assert viewport is not None
    rows = [panel.tree.visualRect(panel.model.index_of(key(window, node))).center() for node in ("scripts", "tests")]
    steps = [viewport.mapToGlobal(rows[0] + QPoint(6 * n, 0)) for n in (1, 2, 3)]
    over = viewport.mapToGlobal(rows[1])
    for end, done, parent in (("escape", 0, ""), ("drop", 1, "tests")):
        hand.point(viewport, rows[0])
        mover = threading.Thread(target=_drag_by_thread, args=(hand, window, steps, over, end))
        mover.start()
        hand.wait_until(partial(_is_over, mover))
        hand.wait_until(lambda: session.view.drag is None)
        assert _done(window) == done
        assert session.graph.ids[session.graph.parent[key(window, "scripts")]] == parent


def _is_over(mover: threading.Thread) -> bool:
    return not mover.is_alive()


def _drag_by_thread(hand: Hand, window: MainWindow, steps: list[QPoint], over: QPoint, end: str) -> None:
    """Qt does not come back from a drag between widgets before it is over: another thread moves the mouse."""
    aimed = threading.Event()
    tests = key(window, "tests")
    stop = window.session.subscribe(
        lambda what: aimed.set() if (drag := window.session.view.drag) and drag.target == tests else None
    )
    hand.press()
    for step in steps:
        hand.jump(step)
    for turn in range(400):
        hand.jump(over + QPoint(turn % 2, 0))
        if aimed.wait(0.05):
            break
    if end == "escape":
        hand.keys("Escape")
    hand.release()
    stop()


# -- menus, palette and keys -----------------------------------------------------------------------------------


def test_a_relation_has_a_menu_that_splits_it(window: MainWindow, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """DND-3, NEW-13: right click, key or palette; the same card asks."""
    session = window.session
    hand.click(window.canvas, relation_place(window, SERVICES, STORES, 0.5), "right")
    hand.wait_until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [action.text() for action in menu.actions()]
    assert "Split the dependency..." in texts
    assert "Pull out what takes part..." in texts
    hand.keys("Escape")
    hand.wait_until(lambda: QApplication.activePopupWidget() is None)
    monkeypatch.setattr("cbvtool.view.commands.editing.choose", lambda *a: key(window, DOMAIN))
    window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    hand.keys("shift+i")
    card = _card(window, hand)
    hand.wait_until(card.name.hasFocus)
    hand.keys("Return")
    hand.wait_until(lambda: _done(window) == 1)
    assert _undo_label(window).startswith("Undo split of services → infrastructure")
    assert session.view.drag is None


def _chosen(*answers: object) -> Callable[..., object]:
    left: Iterator[object] = iter(answers)
    return lambda *a: next(left)


def test_merge_and_pull_out_by_keys(window: MainWindow, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """DND-2, DND-4, NEW-13: everything that a drag does, keys do."""
    session, canvas = window.session, window.canvas
    canvas.setFocus(Qt.FocusReason.OtherFocusReason)
    session.select([key(window, "scripts")])
    monkeypatch.setattr("cbvtool.view.commands.editing.choose", lambda *a: key(window, "tests"))
    hand.keys("shift+m")
    hand.wait_until(lambda: _done(window) == 1)
    assert _undo_label(window) == "Undo merge of scripts into tests"
    services, stores = key(window, SERVICES), key(window, STORES)
    session.select([services, stores])
    answers = _chosen((services, stores, ()), key(window, "shop/ui"))
    monkeypatch.setattr("cbvtool.view.commands.editing.choose", answers)
    hand.keys("shift+o")
    hand.wait_until(lambda: _done(window) == 2)
    assert _undo_label(window).startswith("Undo pull-out of ")


def test_a_clash_is_refused_at_the_pointer(window: MainWindow, hand: Hand) -> None:
    """Bad input: two of one name in one place; nothing changes."""
    session = window.session
    session.rename(key(window, "scripts"), "ui")
    hand.wait_until(lambda: window.canvas.stage.is_still)
    start = pick_up(window, hand, "shop/ui")
    for _ in hand.glide(window.canvas, start, _row(window, ""), steps=3):
        pass
    hand.wait_until(lambda: window.canvas.dragging.refusal is not None)
    assert window.canvas.dragging.refusal == f"{session.graph.name} already holds ui: rename one of the two first."
    hand.release()
    hand.wait_until(lambda: session.view.drag is None)
    assert _done(window) == 1
