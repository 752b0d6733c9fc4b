"""Before and after on one key: a short press switches over, a key that is held shows the base until it is let go."""

from __future__ import annotations

from qtpy.QtCore import QElapsedTimer, QEvent, QObject, Qt
from qtpy.QtGui import QKeyEvent, QKeySequence
from qtpy.QtWidgets import QApplication

from cbvtool.session import Session
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk

HELD = 350  # ms from which on a key was held
COMMAND = "before_after"


class BeforeAfter(QObject):
    """Belongs to a window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._since = QElapsedTimer()
        self._shown: Session | None = None  # that shows the base while the key is down

    def install(self) -> None:
        """Know when a key is let go; one that is held down does not switch again and again."""
        self._desk.part(Actions).by_name[COMMAND].setAutoRepeat(False)

    def close_down(self) -> None:
        """The window closes."""
        self._show(None)

    def switch(self) -> None:
        """Show what was there before the plan, or the plan again."""
        here = self._desk.here.session
        before = not here.view.before
        if refused := here.show_before(before):
            self._desk.say(refused)
            return
        self._show(here if before else None)
        self._since.start()

    def _show(self, shown: Session | None) -> None:
        """See events only while a session shows the base: a filter in Python slows every event of the program down."""
        self._shown = shown
        application = QApplication.instance()
        assert application is not None
        if shown is None:
            application.removeEventFilter(self)
        else:
            application.installEventFilter(self)

    def eventFilter(self, _watched: QObject | None, event: QEvent | None) -> bool:
        """A key that was held until now ends what it began."""
        shown = self._shown
        if shown is None or not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyRelease:
            return False
        if not event.isAutoRepeat() and self._is_ours(event):
            self._show(None)
            if self._since.elapsed() >= HELD:
                shown.show_before(False)
        return False

    def _is_ours(self, event: QKeyEvent) -> bool:
        """Whether it is the last key of one of the shortcuts."""
        shortcuts = self._desk.part(Actions).by_name[COMMAND].shortcuts()
        return any(_last_key(shortcut) == event.key() for shortcut in shortcuts if shortcut.count())


def _last_key(shortcut: QKeySequence) -> int:
    """Without Shift and the like."""
    return int(shortcut[shortcut.count() - 1]) & ~int(Qt.KeyboardModifier.KeyboardModifierMask)
