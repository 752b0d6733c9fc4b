"""What the panels have in common that follow the session by themselves: work is done only for what can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qtpy.QtGui import QShowEvent
from qtpy.QtWidgets import QWidget

if TYPE_CHECKING:
    from cbvtool.session.change import Change
    from cbvtool.view.window.main_window import MainWindow


class LinkedPanel(QWidget):
    """Follows the window's session while it is visible; what it missed meanwhile it hears when it is shown.

    A new panel is a subclass in a file of its own, with a row in `panels.PANELS`.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window_ = window
        self.session = window.session
        self._missed: set[Change] = set()
        self._covered = False  # by another tab: such a widget is visible to Qt

    def tell(self, what: Change) -> None:
        """Something changed: which part is told to the listeners of a `Session`."""
        self._missed.add(what)
        if self.is_seen:
            self._catch_up()

    @property
    def is_seen(self) -> bool:
        """Whether somebody can look at it: it is shown, and not behind another tab."""
        return self.isVisible() and not self._covered

    def uncover(self, seen: bool) -> None:
        """Its tab came to the front, or went behind another."""
        self._covered = not seen
        if self.is_seen:
            self._catch_up()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Catch up."""
        super().showEvent(event)
        if self.is_seen:
            self._catch_up()

    def _catch_up(self) -> None:
        if self._missed and self.session.is_open:
            missed, self._missed = frozenset(self._missed), set()
            self.follow(missed)

    def follow(self, changes: frozenset[Change]) -> None:
        """Show the present state; `changes` says which parts of it are new (see `Session`)."""
        raise NotImplementedError

    def restyle(self) -> None:
        """The theme changed: colours that are not the style sheet's are to be taken anew."""

    def close_down(self) -> None:
        """The window closes: end timers and workers."""
