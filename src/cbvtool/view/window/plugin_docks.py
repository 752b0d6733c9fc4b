"""Docks for the views of plugins: opened and closed while the window runs, several of one kind."""

from __future__ import annotations

from functools import partial

from qtpy.QtCore import QEvent, QObject, Qt, QTimer
from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import QAction, QDockWidget, QMainWindow, QMenu

from cbvtool.errors import InputError, error_text
from cbvtool.extensions import PluginRegistry
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.plugin.requests import SetFocus
from cbvtool.session.change import Change
from cbvtool.session.plugin_views.plugin_views import OpenedView
from cbvtool.view.desk import Desk
from cbvtool.view.panels.plugin_views.plugin_panel import PluginPanel
from cbvtool.view.panels.plugin_views.requesting import Requesting
from cbvtool.view.toolkit.docks import Dock
from cbvtool.view.toolkit.plain import add_action, set_tooltip
from cbvtool.words import one_line

SHARE = 0.62  # of the height of the window, for a view that is opened
LEAST_SHARE = 0.4  # of one whose place was remembered


class PluginDock(Dock):
    """A dock that is deleted when it is closed.

    in_front  False while it is hidden behind another tab
    """

    def __init__(self, opened: OpenedView, panel: PluginPanel, window: QMainWindow) -> None:
        title = one_line(opened.instance.view.label)
        super().__init__(title if opened.number == 1 else f"{title} {opened.number}", panel, window)
        self.setObjectName(opened.name)
        self.panel = panel
        self.in_front = True
        self.visibilityChanged.connect(self._note_place)

    def _note_place(self, in_front: bool) -> None:
        self.in_front = in_front


class PluginDocks(QObject):
    """Belongs to a window: gives each open view of the session a dock.

    docks    name of a view -> its dock
    requesting  carries out the requests of plugin commands
    actions  name of a plugin view -> action that opens it, in the menu Traces and in the palette
    """

    def __init__(self, desk: Desk, window: QMainWindow) -> None:
        super().__init__(window)
        self._desk, self._window = desk, window
        self._session, self._views = desk.session, desk.session.plugin_views
        self._registry = PluginRegistry()
        self.requesting = Requesting(desk, lambda _answer: None, self.open, self.show_overlay, window)
        self.docks: dict[str, PluginDock] = {}
        self.actions: dict[str, QAction] = {}

    def offer(self, registry: PluginRegistry, menu: QMenu, by_name: dict[str, QAction]) -> None:
        """Offer the views of plugins. by_name: actions that the palette lists."""

        def report(name: str, reason: str) -> None:
            before = len(registry.problems)
            registry.report("view", name, reason)
            if len(registry.problems) > before:
                self._desk.note(one_line(str(registry.problems[-1])))

        self._views.offer(registry.views, report)
        if registry.views:
            menu.addSeparator()
        for name, view in registry.views.items():
            action = self.actions[name] = add_action(menu, one_line(view.label))
            set_tooltip(action, f"Open the view {one_line(view.label)} of what is looked at")
            action.triggered.connect(partial(self._open, name))
            by_name[f"view:{name}"] = action
        self._registry = registry
        for name, overlay in registry.overlays.items():
            action = by_name[f"overlay:{name}"] = add_action(menu, one_line(overlay.label))
            set_tooltip(action, "Offer its columns wherever metrics are chosen, and show the first one as colours")
            action.triggered.connect(partial(self._lay_over, name))
        for name, command in registry.commands.items():
            action = by_name[f"plugin:{name}"] = add_action(menu, one_line(command.label))
            action.setShortcut(QKeySequence(command.keys))
            action.triggered.connect(partial(self._run, name))
        menu.aboutToShow.connect(self._enable)
        self._enable()

    def install(self) -> None:
        """Follow the session."""
        self._unsubscribe = self._session.subscribe(self._follow)

    def open(self, name: str) -> OpenedView | None:
        """Open a view on the current subject, or say why that is impossible."""
        if name not in self._views.views:
            self._desk.say(f"There is no view {one_line(name)!r}")
            return None
        try:
            opened = self._views.open_view(name)
        except InputError as error:
            self._desk.say(str(error))
            return None
        self._show(opened)
        return opened

    def show_overlay(self, name: str) -> None:
        """Offer the columns of an overlay as metrics, and show the first one as colours."""
        overlay = self._registry.overlays.get(name)
        if overlay is None or not self._session.is_open:
            self._desk.say(f"There is no overlay {one_line(name)!r}" if overlay is None else "Nothing is open")
            return
        names = self._views.lay_over(overlay, partial(self._registry.report, "overlay", name))
        if names:
            self._session.map("color", names[0])
        else:
            self._desk.say(f"The overlay {one_line(overlay.label)} has nothing to show")

    def _lay_over(self, name: str, _checked: bool = False) -> None:
        self.show_overlay(name)

    def _run(self, name: str, _checked: bool = False) -> None:
        """Run a command of a plugin, and carry out its requests."""
        command = self._registry.commands[name]
        if not self._session.is_open:
            self._desk.say("Nothing is open")
            return
        try:
            requests = tuple(command.run(self._views.context()))
        except Exception as error:  # errors of plugins become a sentence for the user
            self._registry.report("command", name, f"raised {error_text(error)}")
            self._desk.say(f"The command {one_line(command.label)} failed: {one_line(error_text(error))}")
            return
        for request in requests:
            if isinstance(request, SetFocus):
                self._session.traces.look_at(request.focus)
            else:
                self.requesting.do(request, ViewEvent(EventKind.KEY))

    def _open(self, name: str, _checked: bool = False) -> None:
        """Bring a hidden view of that kind to the front; if there is none, open another one."""
        kept = [dock for dock in self.docks.values() if dock.panel.instance.view.name == name]
        hidden = next((dock for dock in kept if not dock.in_front), None)
        if hidden is None:
            self.open(name)
        else:
            hidden.show()
            hidden.raise_()

    def _enable(self) -> None:
        for name, action in self.actions.items():
            action.setEnabled(not self._views.why_not(name))

    def _follow(self, what: Change) -> None:
        if what == Change.PROJECT:
            for name in [name for name in self.docks if name not in self._views.opened]:
                self._remove(name)
        changed, opened, gone = self._views.refresh()
        for each in gone:
            self._remove(each.name)
        for each in opened:
            self._show(each)
        for name in changed:
            if name in self.docks:
                self.docks[name].panel.refresh()
        if what in (Change.PROJECT, Change.TRACE):
            self._enable()

    def _show(self, opened: OpenedView) -> None:
        panel = PluginPanel(self._desk, opened, self.open, self.show_overlay, self._window)
        dock = self.docks[opened.name] = PluginDock(opened, panel, self._window)
        dock.installEventFilter(self)
        if not self._window.restoreDockWidget(dock):
            self._place(dock)
        dock.show()
        dock.raise_()
        QTimer.singleShot(0, partial(self._bring, opened.name))  # Qt lays out tabs that it restores only then

    def _bring(self, name: str) -> None:
        """To the front, and with room to be read in where a lower window was remembered."""
        dock, window = self.docks.get(name), self._window
        if dock is None:
            return
        dock.raise_()
        bottom = window.dockWidgetArea(dock) == Qt.DockWidgetArea.BottomDockWidgetArea
        if bottom and not dock.isFloating() and dock.height() < LEAST_SHARE * window.height():
            window.resizeDocks([dock], [round(SHARE * window.height())], Qt.Orientation.Vertical)

    def _place(self, dock: PluginDock) -> None:
        """Put a new dock among the tabs at the bottom, and give these panels room for it."""
        window, bottom = self._window, Qt.DockWidgetArea.BottomDockWidgetArea
        beside = [
            each
            for each in window.findChildren(QDockWidget)
            if each is not dock
            and window.dockWidgetArea(each) == bottom
            and not each.isHidden()
            and not each.isFloating()
        ]
        window.addDockWidget(bottom, dock)
        if beside:
            window.tabifyDockWidget(beside[-1], dock)
        dock.show()  # Qt resizes no dock that is hidden
        height = round(SHARE * window.height())
        if max((each.height() for each in beside), default=0) < height:
            window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """If the user closes a dock, close its view, too; a dock hidden behind a tab keeps its view."""
        if (
            event is not None
            and event.type() == QEvent.Type.HideToParent
            and isinstance(watched, PluginDock)
            and self.docks.get(watched.objectName()) is watched
        ):
            QTimer.singleShot(0, partial(self._close_hidden, watched))  # Qt hides a dock for a moment to let it float
        return super().eventFilter(watched, event)

    def _close_hidden(self, dock: PluginDock) -> None:
        name = next((name for name, each in self.docks.items() if each is dock), None)
        if name is not None and dock.isHidden():
            self._views.close(name)
            self._remove(name)

    def _remove(self, name: str) -> None:
        dock = self.docks.pop(name, None)
        if dock is None:
            return
        dock.panel.close_down()
        self._window.removeDockWidget(dock)
        dock.deleteLater()

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        for dock in self.docks.values():
            dock.removeEventFilter(self)
            dock.panel.close_down()
