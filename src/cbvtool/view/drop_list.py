"""A combo box whose arrow is a chevron in the colour of its text, like the other icons."""

from __future__ import annotations

from qtpy.QtCore import QPointF
from qtpy.QtGui import QPainter, QPaintEvent, QPalette, QPen, QPolygonF
from qtpy.QtWidgets import QComboBox, QWidget

FROM_RIGHT = 13.0  # px from the right edge to the middle of the chevron
HALF = 3.5  # px, half its width


class DropList(QComboBox):
    """The style sheet takes the frame off its button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drop")

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The combo box, and the chevron over it."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setPen(QPen(self.palette().color(group, QPalette.ColorRole.Text), 1.3))
        x, y = self.width() - FROM_RIGHT, self.height() / 2
        painter.drawPolyline(
            QPolygonF([QPointF(x - HALF, y - HALF / 2), QPointF(x, y + HALF / 2), QPointF(x + HALF, y - HALF / 2)])
        )
        painter.end()
