"""The second view: every command about a view does there what it does in the first one (CBV-13)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

import pytest
from qtpy.QtCore import QPoint
from qtpy.QtWidgets import QApplication, QMenu

from cbvtool.geometry.state.named_views import NamedView
from cbvtool.geometry.state.presets import named
from cbvtool.geometry.state.view_state import Mapping, RelationFilter, ViewState
from cbvtool.session import Session
from cbvtool.view.commands.commands import COMMANDS, Command, Scope
from cbvtool.view.desk import ViewPlace
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.second_view import SECOND_VIEW, SecondView
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run

# Neither changes what the session shows: the test says how they are seen.
ELSEWHERE = {"export_view", "save_picture", "copy_picture", "save_style", "save_view", "fit", "top", "lasso"}


@pytest.fixture
def two(window: MainWindow, qtbot) -> SecondView:
    """A second view beside the first one."""
    for dock in window.desk.docks.values():
        dock.hide()
    window.resize(700, 420)
    window.beside.open(SECOND_VIEW)
    view = window.beside.opened[SECOND_VIEW]
    assert isinstance(view, SecondView)
    qtbot.waitUntil(lambda: view.session.is_open and view.canvas.stage.is_still)
    return view


def focus(window: MainWindow, place: ViewPlace, qtbot) -> None:
    """Give a view the keyboard."""
    window.activateWindow()
    place.canvas.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is place.canvas)
    assert window.desk.here is place


def prepare(session: Session, command: str) -> None:
    """A state in which the command can do something: a selection, a place to go back to."""
    graph = session.graph
    shop, domain, inside = (graph.key_of[node] for node in ("shop", "shop/domain", "shop/domain/order.py"))
    deep = command in ("collapse", "first_child", "level_less", "parent", "restrict")
    last = [key for key in graph.children(shop).tolist() if session.scene().tree.represent[key] >= 0]
    chosen = inside if command == "parent" else last[-1] if command == "first_sibling" else domain
    session.set_view(
        root=shop,
        hidden=frozenset(),
        only="kind:class" if command == "end_filter" else "",
        hovered=-1,
        filter=RelationFilter("selection" if command == "all_relations" else "all"),
        selected=(chosen,),
        mapping=Mapping("sloc", "sloc", "nl3"),
        expanded=frozenset({shop, domain} if deep else {shop}),
    )
    session.set_view(root=graph.root, hidden=frozenset({inside} if command == "show_all" else ()))
    if command == "forward":
        session.go_back()


class Seen(NamedTuple):
    """What a command may change of a view."""

    view: ViewState
    armed: bool


def seen(place: ViewPlace, window: MainWindow) -> Seen:
    canvas = window.canvas if place is window.main_view else window.beside.opened[SECOND_VIEW].canvas
    return Seen(replace(place.session.view, theme=""), canvas.selecting.armed)


def differences(first: tuple[Seen, Seen], second: tuple[Seen, Seen]) -> dict[str, object]:
    """By field: what is not the same in both, before and after."""
    found: dict[str, object] = {}
    for when, one, other in zip(("before", "after"), first, second, strict=True):
        for field in fields(ViewState):
            pair = getattr(one.view, field.name), getattr(other.view, field.name)
            if pair[0] != pair[1]:
                found[f"{when}: {field.name}"] = pair
    if [one.armed for one in first] != [one.armed for one in second]:
        found["armed"] = (first, second)
    return found


def effect(window: MainWindow, place: ViewPlace, command: Command, qtbot) -> tuple[Seen, Seen]:
    """The view before and after a command that its keys, a menu or the palette begins."""
    focus(window, place, qtbot)
    prepare(place.session, command.name)
    if command.name in ("before_after", "changes_only"):
        graph = window.session.planned
        window.session.move([graph.key_of["scripts"]], graph.key_of["tests"])
    if command.name == "filter":
        window.search.setText("order")
        window.search.ask()
        qtbot.waitUntil(lambda: window.searching.can_filter and not window.searching.busy)
        focus(window, place, qtbot)
    if command.name == "go_to_partner":
        window.actions_by_name["next_partner"].trigger()
    window.desk.refresh()
    before = seen(place, window)
    action = window.actions_by_name[command.name]
    assert action.isEnabled(), command.name
    action.trigger()
    if command.name.startswith("hierarchy"):
        qtbot.waitUntil(lambda: not window.jobs.running)
    after = seen(place, window)
    if command.name.startswith("hierarchy"):
        place.session.show_in("")
    if command.name in ("before_after", "changes_only"):
        place.session.show_before(False)
        place.session.set_view(changes_only=False)
        window.session.undo()
    if after.armed:
        place.cancel_gesture()
    if window.searching.matches:
        window.searching.clear()
    return before, after


@pytest.mark.long
def test_every_view_command_does_the_same_in_the_second_view(
    window: MainWindow, two: SecondView, qtbot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For all commands of the registry that are about a view; the other view stays as it is but for the selection."""
    for picture in (window.canvas, two.canvas):  # nothing is drawn meanwhile
        picture.setUpdatesEnabled(False)
    run = shop_run(window.session.graph)  # some commands are about a trace
    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.imported", lambda path, _progress: imported(run, path.name))
    window.tracing.open_file(Path("run.json"))
    traces = window.session.traces
    qtbot.waitUntil(lambda: bool(traces.opened) and traces.found is not None and not traces.is_wanted)
    table = tmp_path / "groups.csv"
    table.write_text("path,group\nshop/domain,one\n")
    monkeypatch.setattr("cbvtool.view.commands.hierarchies.ask_table", lambda *_a: table)
    monkeypatch.setattr("cbvtool.view.commands.searching.ask_threshold", lambda *_a: "sloc > 20")
    window.styles.replace([named(f"own {n}", Mapping("sloc", "nl3", "sloc"), ()) for n in range(3)])
    window.session.keep_view("one", window.canvas.stage.viewpoint)
    kept = window.session.named[0]
    window.session.name_views([NamedView(f"view {n}", kept.view, kept.viewpoint) for n in range(9)])
    done = set[str]()
    for command in COMMANDS:
        if command.scope is not Scope.VIEW or command.name in ELSEWHERE:
            continue
        if not window.actions_by_name[command.name].isVisible():
            continue  # a preset that there is not
        first = effect(window, window.main_view, command, qtbot)
        untouched = replace(window.session.view, selected=(), hovered=-1)
        second = effect(window, two.place, command, qtbot)
        assert differences(second, first) == {}, command.name
        assert replace(window.session.view, selected=(), hovered=-1) == untouched, command.name
        if first[0] != first[1]:
            done.add(command.name)
    told = {command.name for command in COMMANDS if command.scope is Scope.VIEW} - ELSEWHERE
    unseen = told - done
    assert {name for name in unseen if not name.startswith("preset_")} <= {"hierarchy_folders", "keep_selected"}, unseen


def test_commands_that_leave_the_state_act_on_the_view_with_the_focus(
    window: MainWindow, two: SecondView, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Camera, lasso, clipboard, export, and what is kept of a view."""
    tried = set[str]()

    def do(name: str) -> None:
        tried.add(name)
        window.actions_by_name[name].trigger()

    two.session.set_view(mapping=Mapping("sloc", "nl3", "bytes"))
    focus(window, two.place, qtbot)
    before = window.canvas.stage.camera
    do("top")
    qtbot.waitUntil(lambda: two.canvas.stage.is_still)
    assert window.canvas.stage.camera == before
    assert two.canvas.stage.camera != before
    two.canvas.stage.look(two.canvas.stage.camera.with_(distance=two.canvas.stage.camera.distance / 5))
    qtbot.waitUntil(lambda: two.canvas.stage.is_still)
    near = two.canvas.stage.camera.distance
    do("fit")
    qtbot.waitUntil(lambda: two.canvas.stage.is_still)
    assert two.canvas.stage.camera.distance > 2 * near
    assert window.canvas.stage.camera == before
    do("lasso")
    assert two.canvas.selecting.armed
    assert not window.canvas.selecting.armed
    do("escape")
    assert not two.canvas.selecting.armed
    asked: list[tuple[int, int]] = []
    suffixes: list[str] = []

    class Dialog:
        """Says which picture is to be exported, and is left."""

        wanted = None

        def __init__(self, size: tuple[int, int], suffix: str, *_more: object, **_named: object) -> None:
            asked.append(size)
            suffixes.append(suffix)

        def exec_(self) -> int:
            return 0

        def deleteLater(self) -> None:
            pass

    monkeypatch.setattr("cbvtool.view.commands.exporting.ExportDialog", Dialog)
    two.canvas.resize(300, 250)
    do("export_view")
    do("save_picture")
    assert asked == [two.canvas.stage.size] * 2
    assert suffixes[1] == ".png"
    assert asked != [window.canvas.stage.size]
    do("copy_picture")
    clipboard = QApplication.clipboard()
    assert clipboard is not None
    assert clipboard.pixmap().width() == two.canvas.grab().width()
    monkeypatch.setattr("cbvtool.view.commands.styles.ask_line", lambda *_a: "mine")
    do("save_style")
    assert window.styles.own[-1].mapping == two.session.view.mapping
    monkeypatch.setattr("cbvtool.view.commands.navigating.ask_line", lambda *_a: "there")
    do("save_view")
    [kept] = window.session.named
    assert kept.name == "there"
    assert kept.viewpoint == two.canvas.stage.viewpoint
    assert window.session.unsaved
    assert tried >= ELSEWHERE


def entries(window: MainWindow, view: SecondView, key: int, qtbot) -> dict[str, Callable[[], None]]:
    """What the context menu of the second view says -> what it does."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    view.canvas.menu_requested.emit(QPoint(300, 300), key)
    [menu] = [child for child in window.findChildren(QMenu, "context") if child.isVisible()]
    found = {action.text(): action.trigger for action in menu.actions() if action.text()}
    menu.close()
    return found


def test_its_menu_is_that_of_the_first_one(window: MainWindow, two: SecondView, qtbot) -> None:
    """The same entries, which act on the view that was clicked; those about the selection act on what both share."""
    key = window.session.graph.key_of["shop/domain"]
    found = entries(window, two, key, qtbot)
    assert set(found) == {window.actions_by_name[c.name].text() for c in COMMANDS if c.node}
    qtbot.waitUntil(lambda: window.desk.here is two.place)
    assert window.session.view.selected == (key,)
    found["Restrict to subtree"]()
    assert two.session.view.root == key
    assert window.session.view.root != key
    assert set(entries(window, two, -1, qtbot)) == {window.actions_by_name[c.name].text() for c in COMMANDS if c.space}


def test_the_focus_says_where_commands_act(window: MainWindow, two: SecondView, qtbot) -> None:
    """A dock or the tool bar is no view: then it is the first one. What is switched on is shown for the view."""
    two.session.set_view(guesses=True)
    focus(window, two.place, qtbot)
    assert window.actions_by_name["guesses"].isChecked()
    window.desk.panels["structure"].tree.setFocus()
    qtbot.waitUntil(lambda: window.desk.here is window.main_view)
    assert not window.actions_by_name["guesses"].isChecked()
    focus(window, two.place, qtbot)
    window.beside.close(SECOND_VIEW)
    assert window.desk.here is window.main_view
