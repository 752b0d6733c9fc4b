"""The card at the pointer while the pointer is outside the picture: over the tree, or over the breadcrumb."""

from __future__ import annotations

from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QPainter, QPaintEvent
from qtpy.QtWidgets import QWidget

from cbvtool.geometry.picture import Picture, Rect, Text
from cbvtool.view.canvas.qt_painter import paint

BESIDE = QPoint(18, 18)  # px from the pointer
ROOM = 4096  # px, size of the picture for which a card is laid out, so that it stands on the right of the pointer


class DragLabel(QWidget):
    """A window of its own that ignores mouse and keys, because other windows may be under the pointer."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip)  # it has no frame
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self._card = Picture(0, 0)

    @property
    def lines(self) -> list[str]:
        """The text of the card."""
        return [item.text for item in self._card.items if isinstance(item, Text)]

    def show_at(self, spot: QPoint, card: Picture) -> None:
        """Show a card, laid out for a pointer at the top left of a picture of `ROOM`, beside a global spot."""
        self._card = card
        box = next(item for item in card.items if isinstance(item, Rect))
        self.resize(round(box.width) + 1, round(box.height) + 1)
        place, screen = spot + BESIDE, self.screen()
        if screen is not None and place.x() + self.width() > screen.geometry().right():
            place.setX(spot.x() - BESIDE.x() - self.width())
        if screen is not None and place.y() + self.height() > screen.geometry().bottom():
            place.setY(spot.y() - BESIDE.y() - self.height())
        self.move(place)
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the card."""
        box = next((item for item in self._card.items if isinstance(item, Rect)), None)
        if box is None:
            return
        painter = QPainter(self)
        painter.translate(-box.x, -box.y)
        paint(self._card, painter)
        painter.end()
