"""A panel, a command and a place are added through the registries alone, and are where users look for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QApplication, QVBoxLayout

from cbvtool.project import Project
from cbvtool.session.follower import SecondSession
from cbvtool.session.start import Start
from cbvtool.view.commands.commands import COMMANDS, Command, Scope
from cbvtool.view.commands.help.palette import command_choices, shortcut_choices
from cbvtool.view.desk import Desk, ViewPlace
from cbvtool.view.panels.panel import Area, Panel
from cbvtool.view.panels.panels import PANELS, PanelRow
from cbvtool.view.toolkit.plain import text_of
from cbvtool.view.toolkit.registry import RowRegistry
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.places import PLACES, PlaceRow, PlaceWidget
from cbvtool.view.window.view import View


class Notes(Panel):
    """A panel that counts what it was told."""

    NAME, TITLE = "notes", "Notes"
    AREA = Area.RIGHT

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.heard: list[frozenset[object]] = []
        self.closed = False

    def follow(self, changes: frozenset[object]) -> None:
        self.heard.append(changes)

    def close_down(self) -> None:
        self.closed = True


class Third(PlaceWidget):
    """One more view."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self.session = SecondSession(desk.session, lambda run: QTimer.singleShot(0, run))
        self.view = View(desk, self.session, self, around=self)
        QVBoxLayout(self).addWidget(self.view.canvas)

    @property
    def place(self) -> ViewPlace:
        return self.view

    def prepare(self) -> Callable[[], Start]:
        return self.session.beginning

    def begin(self, prepared: Start) -> None:
        self.session.begin(prepared)

    def close_down(self) -> None:
        self.session.close_down()
        self.view.close_down()


@pytest.fixture
def added() -> Iterator[list[ViewPlace]]:
    """The three; whatever acted on a place is noted."""
    acted: list[ViewPlace] = []
    PANELS.add(PanelRow(Notes))
    COMMANDS.add(
        Command(
            "count",
            "Count what is there",
            "View",
            ("Ctrl+Alt+J",),
            lambda desk: acted.append(desk.here),
            scope=Scope.VIEW,
            node=True,
        )
    )
    PLACES.add(PlaceRow("third_view", "Third view", ("Ctrl+Alt+3",), "One more", Third))
    yield acted
    PLACES.remove("third_view")
    COMMANDS.remove("count")
    PANELS.remove("notes")
    assert "third_view" not in COMMANDS


def test_they_are_where_users_look(
    added: list[ViewPlace], new_window: Callable[[], MainWindow], shop: Project, qtbot
) -> None:
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(shop)
    # the panel: a dock, its switch in the menu, found by its class, told of changes only while it is seen
    dock = window.desk.docks["notes"]
    assert dock.isHidden()
    assert window.dockWidgetArea(dock) == window.dockWidgetArea(window.desk.docks["details"])
    [panels] = [action.menu() for action in window.commands.menus["View"].actions() if text_of(action) == "Panels"]
    assert dock.toggleViewAction() in panels.actions()
    notes = window.desk.panel(Notes)
    assert notes.heard == []
    assert window.desk.show(Notes) is notes
    qtbot.waitUntil(lambda: notes.is_seen and len(notes.heard) == 1)
    # the command: menu, context menu, palette, list of keys
    for name in ("count", "third_view"):
        action = window.actions_by_name[name]
        assert action in window.commands.menus["View"].actions()
        assert name in {choice.value for choice in command_choices(window.actions_by_name)}
        assert name in {choice.value for choice in shortcut_choices(window.actions_by_name)}
    window.actions_by_name["count"].trigger()
    assert added == [window.main_view]
    # the place: its command opens it, and commands act on it while it has the focus
    window.actions_by_name["third_view"].trigger()
    third = window.beside.opened["third_view"]
    assert isinstance(third, Third)
    qtbot.waitUntil(lambda: third.session.is_open)
    assert window.actions_by_name["third_view"].isChecked()
    window.activateWindow()
    third.view.canvas.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is third.view.canvas)
    window.actions_by_name["count"].trigger()
    assert added[-1] is third.view
    window.actions_by_name["level_less"].trigger()
    assert third.session.view.expanded != window.session.view.expanded
    window.actions_by_name["third_view"].trigger()
    assert not window.beside.is_open
    window.close()
    assert notes.closed


def test_a_name_is_given_once() -> None:
    class Row:
        def __init__(self, name: str) -> None:
            self.name = name

    registry: RowRegistry[Row] = RowRegistry([Row("a"), Row("c")])
    registry.add(Row("b"), before="c")
    assert [row.name for row in registry] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="'b'"):
        registry.add(Row("b"))
    registry.remove("a")
    assert "a" not in registry
    assert len(registry) == 2
