"""The window's actions, one for each command, and the menus of its menu bar."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtCore import Qt
from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import QAction, QMenu

from cbvtool.view.commands.commands import COMMANDS, MENUS, Command
from cbvtool.view.toolkit.docks import Dock
from cbvtool.view.toolkit.plain import add_action, set_tooltip
from cbvtool.view.toolkit.settings import Settings

if TYPE_CHECKING:
    from cbvtool.view.window.main_window import MainWindow


def make_actions(window: MainWindow) -> dict[str, QAction]:
    """An action for each command, by its name; its keys work in the window, or in the picture alone."""
    actions = {}
    for command in COMMANDS:
        action = actions[command.name] = QAction(command.text, window)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        set_tooltip(action, command.tip or command.text.rstrip("."))
        action.setCheckable(command.checked is not None)
        _connect(action, window, command)
        if command.picture:
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        (window.canvas if command.picture else window).addAction(action)
    return actions


def _connect(action: QAction, window: MainWindow, command: Command) -> None:
    action.triggered.connect(lambda _checked=False: window._run(command))


def make_menus(window: MainWindow, docks: Iterable[Dock], motion: QAction) -> dict[str, QMenu]:
    """The menus of the menu bar, by their titles; that for the view lists the docks, too, and ends with `motion`."""
    bar = window.menuBar()
    assert bar is not None
    menus: dict[str, QMenu] = {}
    for title in MENUS:
        menu = menus[title] = QMenu(f"&{title}", window)  # Alt and the first letter open it; all differ
        bar.addMenu(menu)
        for command in COMMANDS:
            if command.menu == title:
                if command.first:
                    menu.addSeparator()
                menu.addAction(window.actions_by_name[command.name])
    menus["File"].insertMenu(window.actions_by_name["open_sample"], RecentMenu(window))
    view = menus["View"]
    panels = QMenu("Panels", window)
    for dock in docks:
        panels.addAction(dock.toggleViewAction())
    view.addSeparator()
    view.addMenu(panels)
    reset = view.addAction("Reset layout")
    assert reset is not None
    reset.triggered.connect(window.reset_layout)
    view.addSeparator()
    view.addAction(motion)
    return menus


def motion_switch(settings: Settings, window: MainWindow) -> QAction:
    """What switches animation off."""
    action = QAction("Reduce motion", window)
    action.setCheckable(True)
    action.setChecked(settings.reduced_motion)
    action.toggled.connect(lambda on: setattr(settings, "reduced_motion", on))
    return action


class RecentMenu(QMenu):
    """What was opened last, to be opened again."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__("Open recent", window)
        self._window = window
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for path in self._window.settings.recent:
            self._offer(path)
        if self.isEmpty() and (nothing := self.addAction("Nothing was opened yet")) is not None:
            nothing.setEnabled(False)

    def _offer(self, path: Path) -> None:
        action = add_action(self, str(path))
        action.triggered.connect(lambda _checked=False: self._window.open(path))
