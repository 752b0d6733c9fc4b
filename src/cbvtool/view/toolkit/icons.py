"""The window's icons, drawn as lines in the theme's text colour, so that they are sharp at any pixel ratio."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QPointF, QRectF, Qt
from qtpy.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

SIDE = 16  # logical pixels; the drawings below use this grid


def _folder(path: QPainterPath) -> None:
    path.moveTo(2, 12.5)
    path.lineTo(2, 4)
    path.lineTo(6, 4)
    path.lineTo(7.5, 5.5)
    path.lineTo(14, 5.5)
    path.lineTo(14, 12.5)
    path.closeSubpath()


def _package(path: QPainterPath) -> None:
    _folder(path)
    path.addEllipse(QPointF(8, 9.2), 1.4, 1.4)


def _file(path: QPainterPath) -> None:
    path.moveTo(4, 2.5)
    path.lineTo(9.5, 2.5)
    path.lineTo(12, 5)
    path.lineTo(12, 13.5)
    path.lineTo(4, 13.5)
    path.closeSubpath()
    path.moveTo(6, 8)
    path.lineTo(10, 8)
    path.moveTo(6, 10.5)
    path.lineTo(10, 10.5)


def _class(path: QPainterPath) -> None:
    path.addRect(QRectF(3, 4, 10, 8))
    path.moveTo(3, 7)
    path.lineTo(13, 7)


def _function(path: QPainterPath) -> None:
    path.moveTo(10.5, 3.5)
    path.cubicTo(8, 3, 8, 5, 8, 7)
    path.lineTo(8, 10)
    path.cubicTo(8, 12.5, 7, 13, 5.5, 12.5)
    path.moveTo(5.8, 7.5)
    path.lineTo(10.2, 7.5)


def _project(path: QPainterPath) -> None:
    path.addEllipse(QPointF(8, 8), 5.8, 5.8)
    path.addEllipse(QPointF(8, 8), 2.6, 2.6)


def _other(path: QPainterPath) -> None:
    path.addRoundedRect(QRectF(4, 4, 8, 8), 2, 2)


def _back(path: QPainterPath) -> None:
    path.moveTo(10, 3.5)
    path.lineTo(5.5, 8)
    path.lineTo(10, 12.5)


def _forward(path: QPainterPath) -> None:
    path.moveTo(6, 3.5)
    path.lineTo(10.5, 8)
    path.lineTo(6, 12.5)


def _theme(path: QPainterPath) -> None:
    path.addEllipse(QPointF(8, 8), 5.2, 5.2)
    path.moveTo(8, 2.8)
    path.lineTo(8, 13.2)
    for x, half in ((9.6, 4.9), (11.2, 4.1), (12.4, 2.6)):
        path.moveTo(x, 8 - half)
        path.lineTo(x, 8 + half)


def _undo(path: QPainterPath) -> None:
    path.moveTo(6, 3)
    path.lineTo(3, 6)
    path.lineTo(6, 9)
    path.moveTo(3, 6)
    path.lineTo(9, 6)
    path.cubicTo(14, 6, 14, 13, 9, 13)
    path.lineTo(6, 13)


def _redo(path: QPainterPath) -> None:
    path.moveTo(10, 3)
    path.lineTo(13, 6)
    path.lineTo(10, 9)
    path.moveTo(13, 6)
    path.lineTo(7, 6)
    path.cubicTo(2, 6, 2, 13, 7, 13)
    path.lineTo(10, 13)


def _fit(path: QPainterPath) -> None:
    for x, y, dx, dy in ((2.5, 2.5, 1, 1), (13.5, 2.5, -1, 1), (2.5, 13.5, 1, -1), (13.5, 13.5, -1, -1)):
        path.moveTo(x + 3.5 * dx, y)
        path.lineTo(x, y)
        path.lineTo(x, y + 3.5 * dy)
    path.addEllipse(QPointF(8, 8), 2.2, 2.2)


def _close(path: QPainterPath) -> None:
    path.moveTo(4.5, 4.5)
    path.lineTo(11.5, 11.5)
    path.moveTo(11.5, 4.5)
    path.lineTo(4.5, 11.5)


def _play(path: QPainterPath) -> None:
    path.moveTo(5, 3)
    path.lineTo(12.5, 8)
    path.lineTo(5, 13)
    path.closeSubpath()


def _pause(path: QPainterPath) -> None:
    for x in (5.5, 10.5):
        path.moveTo(x, 3.5)
        path.lineTo(x, 12.5)


_DRAWINGS: dict[str, Callable[[QPainterPath], None]] = {
    "folder": _folder,
    "package": _package,
    "file": _file,
    "class": _class,
    "function": _function,
    **dict.fromkeys(("interface", "struct", "union", "enum", "trait", "object", "type"), _class),
    **dict.fromkeys(("section", "paragraph"), _function),
    "namespace": _package,
    "program": _file,
    "project": _project,
    "other": _other,
    "open": _folder,
    "back": _back,
    "forward": _forward,
    "theme": _theme,
    "undo": _undo,
    "redo": _redo,
    "fit": _fit,
    "close": _close,
    "play": _play,
    "pause": _pause,
}


def icon(name: str, color: QColor, faded: QColor) -> QIcon:
    """The icon `name` in `color`, and in `faded` while disabled; an unknown name gives the icon `other`."""
    result = QIcon()
    for mode, shade in ((QIcon.Mode.Normal, color), (QIcon.Mode.Selected, color), (QIcon.Mode.Disabled, faded)):
        for ratio in (1, 2, 3):
            result.addPixmap(_pixmap(name, shade, ratio), mode)
    return result


def _pixmap(name: str, color: QColor, ratio: int) -> QPixmap:
    path = QPainterPath()
    _DRAWINGS.get(name, _other)(path)
    pixmap = QPixmap(SIDE * ratio, SIDE * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(color, 1.3)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.strokePath(path, pen)
    painter.end()
    return pixmap
