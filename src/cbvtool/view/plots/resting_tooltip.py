"""The tooltip of a plot: shown when the pointer rests on an item, then moved along with the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qtpy.QtCore import QObject, QPoint, QTimer
from qtpy.QtWidgets import QWidget

from cbvtool.plots.plot import NOTHING, Hit
from cbvtool.view.toolkit.tooltip import Tooltip

TELL_AFTER = 300  # ms that the pointer rests before the tooltip is shown


class RestingTooltip(QObject):
    """Belongs to a canvas. tell: returns the lines for an item."""

    def __init__(self, tell: Callable[[Hit], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent)
        self._tell = tell
        self._hit, self._place = NOTHING, QPoint()
        self._card = Tooltip(parent)
        self._resting = QTimer(self)
        self._resting.setSingleShot(True)
        self._resting.setInterval(TELL_AFTER)
        self._resting.timeout.connect(self._show)

    @property
    def text(self) -> str:
        """The text of the tooltip; "" while it is hidden."""
        return self._card.text if self._card.isVisible() else ""

    def point(self, hit: Hit, place: QPoint) -> None:
        """The pointer is on an item, at a place of the canvas."""
        if hit != self._hit or not hit:
            self.hide()
        self._hit, self._place = hit, place
        if hit and self._card.isVisible():
            self._card.show_at(place, self._card.text.split("\n"))
        elif hit:
            self._resting.start()

    def tell_again(self) -> None:
        """Update the lines for the item under the pointer."""
        if self._hit:
            self._resting.start()

    def hide(self) -> None:
        """Hide the tooltip until the pointer rests again."""
        self._resting.stop()
        self._card.hide()

    def _show(self) -> None:
        lines = tuple(self._tell(self._hit)) if self._hit else ()
        if lines:
            self._card.show_at(self._place, lines)
