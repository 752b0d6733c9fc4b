"""The window's actions, one for each command, and the menus of its menu bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from qtpy.QtCore import QObject, QSize, Qt
from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import QAction, QMainWindow, QMenu, QToolBar, QWidget

from cbvtool.errors import InputError
from cbvtool.view.commands.commands import ABOVE, COMMANDS, MENUS, MNEMONICS, SUBMENUS, Command
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.plain import add_action, set_caption, set_tooltip, text_of
from cbvtool.view.toolkit.settings import Settings


class Actions(QObject):
    """Belongs to a window: what Qt knows of the commands.

    by_name  an action for each command; its keys work in the window, or in the pictures alone
    menus    of the menu bar and below, by their titles
    bar      the tool bar
    motion   the switch "Reduce motion"
    """

    def __init__(self, desk: Desk, window: QMainWindow) -> None:
        super().__init__(window)
        self._desk, self._window = desk, window
        self.by_name: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        self.bar = QToolBar("Tool bar", window)
        self.bar.setObjectName("bar")
        self.bar.setMovable(False)
        self.bar.setIconSize(QSize(16, 16))
        self.motion = motion_switch(desk.settings, window)
        for command in COMMANDS:
            self._add(command)

    def _add(self, command: Command) -> None:
        action = self.by_name[command.name] = QAction(command.text, self._window)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        set_tooltip(action, command.tip or command.text.rstrip("."))
        action.setCheckable(command.checked is not None)
        action.triggered.connect(lambda _checked=False: self._run(command))
        if command.picture:
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        else:
            self._window.addAction(action)

    def add_to(self, picture: QWidget) -> None:
        """Let the keys that work in pictures alone work in this one."""
        picture.addActions([self.by_name[command.name] for command in COMMANDS if command.picture])

    def refresh(self) -> None:
        """See which commands can be done now, and which are switched on."""
        for command in COMMANDS:
            action = self.by_name[command.name]
            action.setEnabled(command.ready(self._desk))
            if command.checked is not None:
                action.setChecked(command.checked(self._desk))

    def bring(self, name: str) -> None:
        """Do a command as links and context menus do: the panel of a switch comes to the front, and none is closed."""
        if name not in COMMANDS:  # a view, an overlay or a command of a plugin
            self.by_name[name].trigger()
            return
        command = COMMANDS[name]
        self._run(command, command.shows or command.run)

    def for_context(self, command: Command, menu: QMenu) -> QAction:
        """The entry of a command in a context menu: see `bring`."""
        action = self.by_name[command.name]
        if command.shows is None:
            return action
        shown = QAction(menu)
        set_caption(shown, text_of(action))
        shown.setShortcuts(action.shortcuts()[:1])
        shown.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # it is only told: the key is the action's
        shown.setEnabled(action.isEnabled())
        set_tooltip(shown, command.tip or command.text)
        shown.triggered.connect(lambda _checked=False: self.bring(command.name))
        return shown

    def _run(self, command: Command, run: Callable[[Desk], object] | None = None) -> None:
        if not command.ready(self._desk):
            return
        try:
            (run or command.run)(self._desk)
        except InputError as error:
            self._desk.say(str(error))

    def make_menus(
        self, panels: Iterable[QAction], reset_layout: Callable[[], None], open_path: Callable[[Path], None]
    ) -> None:
        """Fill the menu bar; the menu of the view lists the switches of the panels, too, and ends with `motion`."""
        bar = self._window.menuBar()
        assert bar is not None
        for title in MENUS:
            text = MNEMONICS.get(title, f"&{title}")  # Alt and that letter open it; all differ
            menu = self.menus[title] = QMenu(text, self._window)
            bar.addMenu(menu)
            for command in COMMANDS:
                if command.menu == title:
                    if command.first:
                        menu.addSeparator()
                    menu.addAction(self.by_name[command.name])
        recent = RecentMenu(self._desk.settings, open_path, self._window)
        self.menus["File"].insertMenu(self.by_name["open_sample"], recent)
        view = self.menus["View"]
        listed = QMenu("Panels", self._window)
        listed.addActions(list(panels))
        view.addSeparator()
        view.addMenu(listed)
        reset = view.addAction("Reset layout")
        assert reset is not None
        reset.triggered.connect(reset_layout)
        view.addSeparator()
        view.addAction(self.motion)

    def add_submenu(self, title: str, menu: QMenu) -> None:
        """Put a menu of `SUBMENUS` into the one above it."""
        self.menus[title] = menu
        self.menus[SUBMENUS[title]].insertMenu(self.by_name[ABOVE[title]], menu)

    def submenu(self, title: str) -> QMenu:
        """A menu of `SUBMENUS` with its commands."""
        menu = QMenu(title, self._window)
        menu.addActions([self.by_name[command.name] for command in COMMANDS if command.menu == title])
        self.add_submenu(title, menu)
        return menu


def motion_switch(settings: Settings, window: QWidget) -> QAction:
    """What switches animation off."""
    action = QAction("Reduce motion", window)
    action.setCheckable(True)
    action.setChecked(settings.reduced_motion)
    action.toggled.connect(lambda on: setattr(settings, "reduced_motion", on))
    return action


class RecentMenu(QMenu):
    """What was opened last, to be opened again."""

    def __init__(self, settings: Settings, open_path: Callable[[Path], None], parent: QWidget) -> None:
        super().__init__("Open recent", parent)
        self._settings, self._open = settings, open_path
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for path in self._settings.recent:
            self._offer(path)
        if self.isEmpty() and (nothing := self.addAction("Nothing was opened yet")) is not None:
            nothing.setEnabled(False)

    def _offer(self, path: Path) -> None:
        action = add_action(self, str(path))
        action.triggered.connect(lambda _checked=False: self._open(path))
