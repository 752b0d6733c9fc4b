"""A pointer that moves without the mouse of the screen, which other windows may have."""

from __future__ import annotations

from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication, QWidget


def point(widget: QWidget, spot: QPoint) -> None:
    """Move the pointer there, as the widget sees it; the real one of the screen may be elsewhere."""
    none = Qt.MouseButton.NoButton
    there = QPointF(widget.mapToGlobal(spot))
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(spot), there, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)
