"""The desk of a window: what its parts share, and where they find each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

from qtpy.QtCore import QObject, QPoint, Signal
from qtpy.QtGui import QColor, QIcon
from qtpy.QtWidgets import QApplication, QMainWindow, QMenu, QMenuBar, QWidget

from cbvtool.session import Session
from cbvtool.view.commands.context_menus import ContextMenus
from cbvtool.view.commands.linking import Linking
from cbvtool.view.commands.menus import Actions
from cbvtool.view.commands.searching import Searching
from cbvtool.view.desk import P, ViewPlace
from cbvtool.view.panels.panel import Panel
from cbvtool.view.panels.panels import PANELS
from cbvtool.view.panels.style.style_panel import StylePanel
from cbvtool.view.toolkit import theme
from cbvtool.view.toolkit.docks import Dock
from cbvtool.view.toolkit.icons import icon
from cbvtool.view.toolkit.jobs import Jobs
from cbvtool.view.toolkit.message_bar import MessageBar
from cbvtool.view.toolkit.plain import set_caption, tooltip_of
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.beside import Beside
from cbvtool.view.window.revealing import reveal
from cbvtool.view.window.status import Status

T = TypeVar("T")


@runtime_checkable
class _Working(Protocol):
    """A part that listens or works in the background, until the window closes."""

    def close_down(self) -> None: ...


class WindowDesk(QObject):
    """A `Desk`. The window adds the parts in the order in which they need each other.

    restyled   has another theme, whose accent is this

    panels, docks   by the names of the registry
    """

    restyled = Signal(str)

    def __init__(self, window: QMainWindow, session: Session, settings: Settings) -> None:
        super().__init__(window)
        self.widget, self.session, self.settings = window, session, settings
        self.look = theme.look(settings.theme)
        self.status = Status(window)
        self.message = MessageBar(window)
        self.jobs = Jobs(self.status, window)
        self.jobs.cancelled.connect(lambda what: self.note(f"Cancelled: {what[:1].lower()}{what[1:]}"))
        self.panels: dict[str, Panel] = {}
        self.docks: dict[str, Dock] = {}
        self._parts: dict[type, object] = {}
        self._main: ViewPlace | None = None
        self._here: ViewPlace | None = None

    def add(self, part: T) -> T:
        """Let the other parts find this one."""
        self._parts[type(part)] = part
        return part

    def make_panels(self) -> None:
        """A panel and a dock for each row of the registry."""
        for row in PANELS:
            panel = self.panels[row.name] = self.add(row.make(self))
            dock = self.docks[row.name] = Dock(panel.TITLE, panel, self.widget)
            panel.windowTitleChanged.connect(dock.setWindowTitle)

    # -- views ---------------------------------------------------------------------------------------------

    @property
    def main(self) -> ViewPlace:
        """The view that is always there."""
        assert self._main is not None
        return self._main

    def begin(self, main: ViewPlace) -> None:
        """Have this main view, and know from now on which one has the focus."""
        self._main = main
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)

    def close_down(self) -> None:
        """The window closes: end the work of all parts, panels among them, those that others need last."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.disconnect(self._focus_moved)
        for part in reversed(self._parts.values()):
            if isinstance(part, _Working):
                part.close_down()

    @property
    def places(self) -> tuple[ViewPlace, ...]:
        """All views, the main one first."""
        return (self.main, *self.part(Beside).places)

    @property
    def here(self) -> ViewPlace:
        """The view that has the keyboard focus; the main one while none has it."""
        return self._here if self._here is not None and self._here in self.places else self.main

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Menus, dialogs and other windows borrow the focus from the view that they are about."""
        if now is None or now.window() is not self.widget or isinstance(now, QMenu | QMenuBar):
            return
        before = self.here
        holding = [place for place in self.places if place.widget is now or place.widget.isAncestorOf(now)]
        self._here = holding[0] if holding else None
        if self.here is not before:
            self.refresh()

    def toggle(self, place: str) -> None:
        """Open a place of the registry beside the main view, or close it."""
        self.part(Beside).toggle(place)

    def is_open(self, place: str) -> bool:
        """Whether a place of the registry is open."""
        return place in self.part(Beside).opened

    # -- messages ------------------------------------------------------------------------------------------

    def say(self, sentence: str, error: bool = True, offer: str = "", run: Callable[[], None] | None = None) -> None:
        """Show a sentence across the top, with a button `offer` that calls `run`."""
        self.message.say(_sentence(sentence), error=error, offer=offer, run=run)

    def unsay(self, sentence: str) -> None:
        """Hide this sentence across the top, if it is still there."""
        if self.message.text == _sentence(sentence):
            self.message.hide()

    def note(self, sentence: str) -> None:
        """Show a sentence in the status bar for a while."""
        self.status.note(sentence)

    # -- parts ---------------------------------------------------------------------------------------------

    def part(self, kind: type[T]) -> T:
        """The part of this class."""
        found = self._parts[kind]
        assert isinstance(found, kind)
        return found

    def panel(self, kind: type[P]) -> P:
        """The panel of this class, as it is."""
        return self.part(kind)

    def show(self, kind: type[P]) -> P:
        """The same, brought to the front."""
        panel = self.part(kind)
        assert isinstance(panel, Panel)
        self.bring(panel.NAME)
        return panel

    def switch(self, kind: type[P]) -> None:
        """Bring it to the front; close it if it is there, with the tabs that came with it."""
        panel = self.part(kind)
        assert isinstance(panel, Panel)
        if not panel.is_seen:
            self.bring(panel.NAME)
            return
        if panel.TOGETHER and not panel.ALONE:
            for other in self.panels.values():
                if other.TOGETHER and other.AREA is panel.AREA:
                    self.docks[other.NAME].hide()
        self.docks[panel.NAME].hide()

    def is_seen(self, kind: type[P]) -> bool:
        """Whether the user can see it."""
        panel = self.part(kind)
        return isinstance(panel, Panel) and panel.is_seen

    def bring(self, name: str) -> None:
        """Bring a panel to the front, and with it those that come together in its area."""
        together = [panel for panel in self.panels.values() if panel.TOGETHER and panel.AREA is self.panels[name].AREA]
        if not self.panels[name].ALONE and all(self.docks[panel.NAME].isHidden() for panel in together):
            for panel in together:
                self.docks[panel.NAME].show()
        self.raise_panel(name)

    def raise_panel(self, name: str) -> None:
        """Bring a panel to the front."""
        self.docks[name].show()
        self.docks[name].raise_()

    def reveal(self, *keys: int) -> None:
        """Select nodes in the main view, and expand the way to them."""
        reveal(self.session, keys)

    def do(self, command: str) -> None:
        """Do what a command does, or say why that cannot be."""
        actions = self.part(Actions)
        action = actions.by_name[command]
        actions.bring(command) if action.isEnabled() else self.say(tooltip_of(action))

    def show_menu(self, at: QPoint) -> None:
        """Offer what can be done with the selection."""
        self.part(ContextMenus).show_for_selection(at)

    def edit(self, file: int, line: int) -> None:
        """Open a file in the user's editor."""
        self.part(Linking).open_place(file, line)

    # -- how it looks --------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """See which commands can be done now, and what they are about."""
        actions, counts = self.part(Actions), self.panel(StylePanel).counts
        actions.refresh()
        noting, named = self.session.noting, actions.by_name
        named["guesses"].setText(f"Guessed relations ({counts.guesses:,})")
        named["external"].setText(f"External packages ({counts.packages:,})")
        set_caption(named["undo"], noting.label_undo or "Undo")
        set_caption(named["redo"], noting.label_redo or "Redo")

    def restyle(self) -> None:
        """Take theme, motion and size of labels of the settings."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self.look = theme.apply(self.settings.theme, application)
        actions = self.part(Actions)
        actions.motion.setChecked(self.settings.reduced_motion)
        for name in ("back", "forward", "undo", "redo", "fit", "theme"):
            actions.by_name[name].setIcon(self._icon(name))
        actions.by_name["open_folder"].setIcon(self._icon("open"))
        self.session.set_view(theme=self.settings.theme)
        for panel in self.panels.values():
            panel.restyle()
        self.part(Searching).restyle()
        self.restyled.emit(self.look.accent)
        for place in self.places:
            place.stage.relabel()

    def _icon(self, name: str) -> QIcon:
        return icon(name, QColor(self.look.ink), QColor(self.look.faint))

    def icon(self, kind: str) -> QIcon:
        """The icon of a kind of node, in the colours of the theme."""
        return icon(kind, QColor(self.look.muted), QColor(self.look.faint))


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "?", "!")) else f"{text}."
