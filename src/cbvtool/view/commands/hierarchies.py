"""Other hierarchies in the window: a list in the tool bar, a menu, and the effect on commands of planning (CBV-13)."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QObject, Signal
from qtpy.QtWidgets import QWidget

from cbvtool.hierarchies import CSV, FOLDERS, GROUPINGS, label
from cbvtool.session import Grouped, Session
from cbvtool.session.change import Change
from cbvtool.view.commands.commands import COMMANDS
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk
from cbvtool.view.panels.versions.comparing_versions import ComparingVersions
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.file_dialogs import ask_table
from cbvtool.view.toolkit.plain import set_tooltip

PLANNING = (
    "move_to",
    "merge_into",
    "split",
    "pull_out",
    "new_container",
    "new_empty",
    "rename",
    "remove",
)  # commands that need folders, or packages
SHOW_FOLDERS = "Show folders"
END_COMPARISON = "End the comparison"
TABLE = "table"  # the row of the list that asks for a file
TIP = "What the rings are: folders, or other groups of the same files"


class HierarchyList(DropList):
    """All hierarchies; the current one is selected."""

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
        """Select this hierarchy. One from a table has a row of its own while it is shown."""
        self._now = name
        if self.findData(name) < 0:
            self.insertItem(len(GROUPINGS) + 1, label(name), name)
        for row in range(self.count() - 1, -1, -1):
            if str(self.itemData(row)).startswith(CSV) and self.itemData(row) != name:
                self.removeItem(row)
        self.setCurrentIndex(self.findData(name))

    def _choose(self, row: int) -> None:
        name = str(self.itemData(row))
        self.setCurrentIndex(self.findData(self._now))  # keep the old selection until the new hierarchy is ready
        if name == TABLE:
            self.table_asked.emit()
        elif name != self._now:
            self.chosen.emit(name)


class Regrouping(QObject):
    """Shows a session in other hierarchies, which are made in the background."""

    def __init__(self, session: Session, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._desk = session, desk
        self._reveals = False  # whether what is selected is to be seen afterwards
        self._said = ""  # why nothing can be planned, as it was said last
        self._unsubscribe = session.subscribe(self._follow)

    @property
    def busy(self) -> bool:
        """Whether a hierarchy is being computed."""
        return self._desk.jobs.is_busy(self)

    def show(self, name: str, *, reveals: bool = False) -> None:
        """Show the hierarchy `name`; `reveals`: with the way to what is selected expanded."""
        self._reveals = reveals
        what = f"Grouping by {label(name).lower()}" if name else "Going back to folders"
        self._desk.jobs.run(self, what, lambda _: self._session.grouped(name), self._take, self._desk.say, at_once=True)

    def ask_table(self) -> None:
        """Let the user choose a table, and show the hierarchy in it."""
        choose_table(self._desk, self.show)

    def offer_planning(self) -> None:
        """Say why nothing can be planned in what is shown, and offer the way to where it can be."""
        self._said = self._session.dragging.elsewhere
        if self._session.versions.compared is not None:
            self._desk.say(self._said, False, END_COMPARISON, self._desk.part(ComparingVersions).end)
        elif self._said:
            self._desk.say(self._said, False, SHOW_FOLDERS, lambda: self.show(FOLDERS, reveals=True))

    def close_down(self) -> None:
        """The view closes."""
        self._unsubscribe()
        self._desk.jobs.stop(self)

    def _follow(self, what: Change) -> None:
        """What was said is not so any more."""
        if what in (Change.PROJECT, Change.PLAN) and self._said and self._said != self._session.dragging.elsewhere:
            self._desk.unsay(self._said)
            self._said = ""

    def _show_chosen(self) -> None:
        session = self._session
        graph, view = session.graph, session.view
        around = {above for key in view.selected for above in graph.ancestors(key)}
        inside = all(graph.is_below(key, view.root) for key in view.selected)
        session.set_view(expanded=view.expanded | around, root=view.root if inside else graph.root)

    def _take(self, prepared: Grouped) -> None:
        if self._session.is_open:
            for note in self._session.show_in(prepared.name, prepared):
                self._desk.say(note, error=False)
            if self._reveals:
                self._show_chosen()


def choose_table(desk: Desk, show: Callable[[str], None]) -> None:
    """Let the user choose a table, and show the hierarchy in it."""
    if (chosen := ask_table(desk.settings.folder, desk.widget)) is not None:
        desk.settings.folder = chosen.parent
        show(f"{CSV}{chosen}")


class Hierarchies(QObject):
    """Belongs to a window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session = desk, desk.session
        self.list = HierarchyList(desk.widget)

    def install(self) -> None:
        """Put the list into the tool bar, and follow the session."""
        actions = self._desk.part(Actions)
        actions.bar.insertWidget(actions.by_name["undo"], self.list)
        actions.submenu("Hierarchy").setToolTipsVisible(True)
        actions.menus["Plan"].setToolTipsVisible(True)
        self.list.chosen.connect(self._desk.main.regroup)
        self.list.table_asked.connect(lambda: choose_table(self._desk, self._desk.main.regroup))
        self._unsubscribe = self._session.subscribe(self._changed)
        self._changed(Change.PROJECT)

    def show(self, name: str) -> None:
        """Show another hierarchy in the view that has the focus."""
        if name != self._desk.here.session.view.hierarchy:
            self._desk.here.regroup(name)

    def ask_table(self) -> None:
        """Let the user choose a table, and show the hierarchy in it, in the view that has the focus."""
        choose_table(self._desk, self._desk.here.regroup)

    def close_down(self) -> None:
        """Called when the window closes."""
        self._unsubscribe()

    def _changed(self, what: Change) -> None:
        if what not in (Change.PROJECT, Change.PLAN):
            return
        self.list.setEnabled(self._session.is_open)
        self.list.show_name(self._session.view.hierarchy)
        for command in COMMANDS:
            if command.name in PLANNING:
                usual = command.tip or command.text.rstrip(".")
                tip = self._session.dragging.elsewhere.rstrip(".") or usual
                set_tooltip(self._desk.part(Actions).by_name[command.name], tip)
