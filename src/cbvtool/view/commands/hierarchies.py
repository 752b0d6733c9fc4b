"""Other hierarchies in the window: a list in the tool bar, a menu, and what planning has to say to them (CBV-13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qtpy.QtCore import QObject, Signal
from qtpy.QtWidgets import QMenu, QWidget

from cbvtool.hierarchies import CSV, FOLDERS, GROUPINGS, label
from cbvtool.session import ELSEWHERE, Grouped, Session
from cbvtool.session.change import Change
from cbvtool.view.commands.commands import COMMANDS, SUBMENUS
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.file_dialogs import ask_table
from cbvtool.view.toolkit.jobs import Jobs
from cbvtool.view.toolkit.plain import set_tooltip
from cbvtool.view.toolkit.settings import Settings

if TYPE_CHECKING:
    from cbvtool.view.window.main_window import MainWindow

PLANNING = ("move_to", "new_container", "rename", "remove")  # commands that work on folders alone
TABLE = "table"  # the row of the list that asks for a file
TIP = "What the rings are: folders, or other groups of the same files"


class HierarchyList(DropList):
    """All hierarchies, the present one chosen."""

    chosen = Signal(str)
    table_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_tooltip(self, TIP)
        self.setAccessibleName("Hierarchy")
        for name in (FOLDERS, *GROUPINGS):
            self.addItem(label(name), name)
        self.addItem("From a table...", TABLE)
        self._now = FOLDERS
        self.activated.connect(self._choose)

    def show_name(self, name: str) -> None:
        """Be at this one; a table has a row of its own as long as it is shown."""
        self._now = name
        if self.findData(name) < 0:
            self.insertItem(len(GROUPINGS) + 1, label(name), name)
        for row in range(self.count() - 1, -1, -1):
            if str(self.itemData(row)).startswith(CSV) and self.itemData(row) != name:
                self.removeItem(row)
        self.setCurrentIndex(self.findData(name))

    def _choose(self, row: int) -> None:
        name = str(self.itemData(row))
        self.setCurrentIndex(self.findData(self._now))  # until it is there
        if name == TABLE:
            self.table_asked.emit()
        elif name != self._now:
            self.chosen.emit(name)


class Regrouping(QObject):
    """Shows a session in other hierarchies, which are made in the background."""

    said = Signal(str)  # why it cannot be done
    noted = Signal(str)  # what did not fit

    def __init__(self, session: Session, settings: Settings, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._settings, self._jobs, self._parent = session, settings, jobs, parent

    @property
    def busy(self) -> bool:
        """Whether one is being made."""
        return self._jobs.is_busy(self)

    def show(self, name: str) -> None:
        """Show the hierarchy `name`."""
        what = f"Grouping by {label(name).lower()}" if name else "Going back to folders"
        self._jobs.run(
            self, what, lambda progress: self._session.grouped(name, lambda: progress(what, 0, 0)), self._take,
            self.said.emit, at_once=True,
        )  # fmt: skip

    def ask_table(self) -> None:
        """Let the user choose a table, and show what it says."""
        if (chosen := ask_table(self._settings.folder, self._parent)) is not None:
            self._settings.folder = chosen.parent
            self.show(f"{CSV}{chosen}")

    def _take(self, prepared: Grouped) -> None:
        if self._session.is_open:
            for note in self._session.show_in(prepared.name, prepared):
                self.noted.emit(note)


class Hierarchies(QObject):
    """Belongs to a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self.regrouping = Regrouping(window.session, window.settings, window.jobs, window)
        self.list = HierarchyList(window)

    def install(self) -> None:
        """Put the list into the tool bar, and follow the session."""
        window = self._window
        window.bar.insertWidget(window.actions_by_name["undo"], self.list)
        menu = window._menus["Hierarchy"] = QMenu("Hierarchy", window)
        menu.setToolTipsVisible(True)
        menu.addActions([window.actions_by_name[c.name] for c in COMMANDS if c.menu == "Hierarchy"])
        window._menus[SUBMENUS["Hierarchy"]].insertMenu(window.actions_by_name["second_view"], menu)
        window._menus["Plan"].setToolTipsVisible(True)
        self.list.chosen.connect(self.regrouping.show)
        self.list.table_asked.connect(self.regrouping.ask_table)
        self.regrouping.said.connect(window.say)
        self.regrouping.noted.connect(lambda note: window.say(note, error=False))
        self._unsubscribe = self._session.subscribe(self._changed)
        self._changed(Change.PROJECT)

    def show(self, name: str) -> None:
        """Show another hierarchy."""
        if name != self._session.view.hierarchy:
            self.regrouping.show(name)

    def ask_table(self) -> None:
        """Let the user choose a table, and show what it says."""
        self.regrouping.ask_table()

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()

    def _changed(self, what: Change) -> None:
        if what not in (Change.PROJECT, Change.PLAN):
            return
        self.list.setEnabled(self._session.is_open)
        self.list.show_name(self._session.view.hierarchy)
        for command in COMMANDS:
            if command.name in PLANNING:
                usual = command.tip or command.text.rstrip(".")
                tip = ELSEWHERE.rstrip(".") if self._session.view.hierarchy else usual
                set_tooltip(self._window.actions_by_name[command.name], tip)
