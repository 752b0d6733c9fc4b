"""The badges of the plan as icons, for the tree and the breadcrumb: the same signs as in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from qtpy.QtCore import QPointF, QRectF, QSize, Qt
from qtpy.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

from cbvtool.geometry.overlay.plan_marks import SIGNS
from cbvtool.geometry.scene.planned import Sort

SIDE = 14  # px of an icon
SCALE = 3  # of its pixels: sharp on dense screens


def badge(sorts: Sequence[Sort], accent: QColor) -> QIcon:
    """The icon for the first change in the list."""
    picture = QPixmap(QSize(SIDE, SIDE) * SCALE)
    picture.setDevicePixelRatio(SCALE)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint_badge(painter, QRectF(0, 0, SIDE, SIDE), sorts, accent)
    painter.end()
    return QIcon(picture)


def paint_badge(painter: QPainter, box: QRectF, sorts: Sequence[Sort], accent: QColor) -> None:
    """Paint a round badge with the sign of the change."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(accent)
    painter.drawEllipse(box.adjusted(0.5, 0.5, -0.5, -0.5))
    pen = QPen(QColor("#FFFFFF"), 1.5)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    middle, size = box.center(), box.width() * 0.28
    for line in SIGNS[sorts[0]] if sorts else ():
        points = [QPointF(middle.x() + size * x, middle.y() + size * y) for x, y in line]
        for start, end in pairwise(points):
            painter.drawLine(start, end)
    painter.restore()
