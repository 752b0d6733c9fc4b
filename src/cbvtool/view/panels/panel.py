"""Base class of all panels: where they stand, and how they follow the session."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from qtpy.QtGui import QShowEvent
from qtpy.QtWidgets import QWidget

from cbvtool.session.change import Change
from cbvtool.view.desk import Desk


class Area(Enum):
    """The side of the window where a panel stands on a new installation, behind those registered before it."""

    LEFT = "left"
    RIGHT = "right"
    BOTTOM = "bottom"


class Panel(QWidget):
    """Follows the main session while it is visible; what it missed meanwhile it hears when it is shown.

    A new panel is a subclass in a file of its own, and a row in `panels.PANELS`.

    NAME       in the registry
    TITLE      of its dock; `setWindowTitle` changes what is shown there
    AREA       where it stands on a new installation
    SHOWN      whether it is there on a new installation
    ALWAYS     it follows also while nobody sees it: its title or other parts tell of it
    TOGETHER   panels of the area that come together, as tabs, when one of the area is shown and none of them is there
    ALONE      those do not come with it
    """

    NAME: ClassVar[str]
    TITLE: ClassVar[str]
    AREA: ClassVar[Area] = Area.BOTTOM
    SHOWN: ClassVar[bool] = False
    ALWAYS: ClassVar[bool] = False
    TOGETHER: ClassVar[bool] = False
    ALONE: ClassVar[bool] = False

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self.desk = desk
        self.session = desk.session
        self.setWindowTitle(self.TITLE)
        self._missed: set[Change] = set()
        self._covered = False  # by another tab: such a widget is visible to Qt

    def tell(self, what: Change) -> None:
        """Something changed: one of the words that `Session` tells its listeners."""
        self._missed.add(what)
        if self.ALWAYS or self.is_seen:
            self._catch_up()

    @property
    def is_seen(self) -> bool:
        """Whether the user can see it: it is shown, and not behind another tab."""
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

    def values_came(self) -> None:
        """More values have been measured; nothing else changed."""

    def restyle(self) -> None:
        """Take the colours of another theme that are not the style sheet's."""

    def close_down(self) -> None:
        """The window closes: end timers. Jobs are ended by the window."""
