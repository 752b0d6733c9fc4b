"""The menus of the right mouse button: on a segment, on a relation, on empty space."""

from __future__ import annotations

from collections.abc import Iterable

from qtpy.QtCore import QObject, QPoint, Qt
from qtpy.QtWidgets import QAction, QMenu

from cbvtool.session import Session
from cbvtool.view.commands.commands import COMMANDS, CONTEXT, RELATION, SUBMENUS, Command
from cbvtool.view.commands.linking import Linking
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk


class ContextMenus(QObject):
    """What can be done with what is under the pointer, in the order of `CONTEXT`."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk

    def show(self, session: Session, place: QPoint, key: int) -> None:
        """The menu of the node `key` in the view of `session`; selects it if it is not selected. -1 = empty space."""
        if key >= 0 and key not in session.view.selected:
            session.select([key])
        self.show_for_selection(place) if key >= 0 else self.popup(place, [c for c in COMMANDS if c.space])

    def show_for_selection(self, place: QPoint) -> None:
        """The menu of the selected nodes."""
        self.popup(place, [c for c in COMMANDS if c.node])

    def show_for_relation(self, place: QPoint, relation: int) -> None:
        """The menu of a relation. The caller has selected its two ends."""
        menu, scene = self.popup(place, [c for c in COMMANDS if c.name in RELATION]), self._desk.main.stage.scene
        sites = QAction("List its places in the source", menu)
        sites.triggered.connect(lambda: self._desk.part(Linking).list_sites(relation, scene))
        menu.insertAction(menu.actions()[0], sites)
        menu.insertSeparator(menu.actions()[1])

    def popup(self, place: QPoint, commands: Iterable[Command]) -> QMenu:
        """A menu of these commands."""
        menu = QMenu(self._desk.widget)
        menu.setObjectName("context")
        before = ""
        for command in sorted(commands, key=lambda command: CONTEXT.index(SUBMENUS.get(command.menu, command.menu))):
            if (command.first or SUBMENUS.get(command.menu, command.menu) != before) and not menu.isEmpty():
                menu.addSeparator()
            before = SUBMENUS.get(command.menu, command.menu)
            menu.addAction(self._desk.part(Actions).for_context(command, menu))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)
        return menu
