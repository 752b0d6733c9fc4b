"""Keys of one graph never stand for nodes of another: after an undo, in another plan, while a picture is late."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QMenu

from cbvtool.versions import compared
from cbvtool.view.canvas import stage as stage_module
from cbvtool.view.window.main_window import MainWindow


def _create(window: MainWindow, name: str) -> int:
    session = window.session
    assert session.create(session.graph.root, name) is None
    return len(session.graph) - 1


def test_matches_of_a_search_are_not_nodes_of_another_plan(window: MainWindow) -> None:
    """Two plans give what they create the same keys."""
    session, highlights = window.session, window.canvas.stage.highlights
    new, old = _create(window, "one"), session.graph.key_of["tests"]
    window.canvas.stage.show_matches(frozenset({new, old}))
    session.plan_choice.new()
    assert highlights.matches == {old}
    assert _create(window, "other") == new
    assert highlights.matches == {old}


def test_tints_and_target_of_a_drop_are_of_nodes_that_are_there(window: MainWindow) -> None:
    """An undo ends the step that made a target."""
    session, stage = window.session, window.canvas.stage
    new, old = _create(window, "one"), session.graph.key_of["tests"]
    stage.tint({new: 0.5, old: -0.5})
    stage.aim_at(new)
    session.undo()
    assert stage.highlights.gains == {old: -0.5}
    assert stage.highlights.aim == -1


def test_the_target_of_a_drop_stays_the_same_node_in_another_tree(window: MainWindow) -> None:
    """The picture opens a container under the pointer: items are other ones then."""
    session, stage = window.session, window.canvas.stage
    key = session.graph.key_of["tests"]
    stage.aim_at(key)
    session.set_view(expanded=frozenset(range(len(session.graph))) - {key})
    assert stage.scene is not None
    filled = stage.highlights.aimed_at(stage.scene, session.view.theme)
    changed = np.flatnonzero((filled.color != stage.scene.color).any(axis=1))
    assert set(stage.scene.tree.key[changed].tolist()) == {key}


def test_a_picture_that_is_late_is_not_pointed_at(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is under the pointer in it may be gone in the plan by now."""
    session, canvas = window.session, window.canvas
    new, old = _create(window, "one"), session.graph.key_of["tests"]
    places = {key: canvas.stage.picking.place_of(key) for key in (new, old)}
    assert {canvas.stage.picking.key_at(place) for place in places.values()} == {new, old}
    monkeypatch.setattr(stage_module.Stage, "refresh", lambda _stage: None)
    session.undo()
    assert canvas.stage.picking.key_at(places[new]) == -1
    assert canvas.stage.picking.key_at(places[old]) == old
    with pytest.raises(LookupError):
        canvas.stage.picking.place_of(len(session.graph) + 9)
    assert isinstance(places[new], QPoint)


def test_what_is_gone_before_the_button_is_released_is_not_clicked(window: MainWindow) -> None:
    """The step that made it is taken back by a key meanwhile."""
    session, canvas = window.session, window.canvas
    new = _create(window, "one")
    place = canvas.stage.picking.place_of(new)
    QtBot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=place)
    session.undo()
    QtBot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=place)
    assert session.view.selected == ()


def test_a_relation_of_an_earlier_picture_is_not_clicked(window: MainWindow, qtbot) -> None:
    """Its row is another relation in the picture that has come since, or none."""
    session, canvas = window.session, window.canvas
    session.show_files()
    qtbot.waitUntil(lambda: canvas.stage.is_still)
    wide, tall = canvas.width(), canvas.height()
    spots = (QPoint(x, y) for x in range(wide // 4, 3 * wide // 4, 3) for y in range(tall // 4, 3 * tall // 4, 3))
    spot = next(
        spot for spot in spots if canvas.stage.picking.key_at(spot) < 0 <= canvas.stage.picking.relation_at(spot)
    )
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
        QtBot.mousePress(canvas, button, pos=spot)
        session.set_view(expanded=frozenset({session.graph.root}))
        QtBot.mouseRelease(canvas, button, pos=spot)
        assert (session.view.path, session.view.selected) == (None, ())
        for menu in window.findChildren(QMenu, "context"):
            menu.close()
        session.show_files()


def test_in_another_version_a_node_with_another_name_is_the_same(window: MainWindow, qtbot) -> None:
    """Both sides of a comparison have the same keys, whatever nodes are called: what moved can be pointed at."""
    session, stage = window.session, window.canvas.stage
    now, old = session.graph, "tests"
    ids = tuple(node.replace(old, "checks", 1) if node.startswith(old) else node for node in now.ids)
    names = tuple("checks" if name == old else name for name in now.names)
    was = now.with_(ids=ids, names=names)
    found = compared(
        was, now, "earlier", {f"checks{file[len(old) :]}": file for file in now.ids if file.startswith(old)}
    )
    assert session.versions.show(found) is None
    key = session.graph.key_of[old]
    session.set_view(selected=(key,), expanded=frozenset({session.graph.root}))
    assert session.show_before(True) is None
    qtbot.waitUntil(lambda: stage.is_still)
    assert stage.scene is not None
    assert stage.scene.graph.ids[key] == "checks"
    assert stage.picking.key_at(stage.picking.place_of(key)) == key
    relations = stage.standing_out.relations
    assert relations is not None
    assert relations.any(), "those of what is selected"


def test_keys_of_an_earlier_graph(window: MainWindow) -> None:
    session, stage = window.session, window.canvas.stage
    before, new, old = session.graph, _create(window, "one"), session.graph.key_of["tests"]
    assert stage.scene is not None
    assert stage.scene.keys_in((old, new, -1), before) == [old]
