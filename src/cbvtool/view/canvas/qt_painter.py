"""Paints a Picture with QPainter: labels, legends, ghosts and outlines over the 3D frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from qtpy.QtCore import QPointF, QRectF, Qt
from qtpy.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPaintDevice,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QTransform,
)

from cbvtool.geometry.picture import Color, Image, Picture, Polyline, Rect, Text

HALO_WIDTH = 3.0  # px


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter for a device, ended in any case: Qt crashes if a device goes while something still paints on it."""
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()


def paint(picture: Picture, painter: QPainter) -> None:
    """Paint all items of `picture` in their order; the painter's transformation stays as it was."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    for item in picture.items:
        if isinstance(item, Text):
            _paint_text(item, painter)
        elif isinstance(item, Rect):
            _paint_rect(item, painter)
        elif isinstance(item, Image):
            _paint_image(item, painter)
        else:
            _paint_polyline(item, painter)
    painter.restore()


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width in pixels that `text` takes when painted `size` pixels high."""
    return float(_metrics(round(size), bold).horizontalAdvance(text))


def qcolor(color: Color) -> QColor:
    """The same colour for Qt."""
    return QColor(*color)


def _paint_text(item: Text, painter: QPainter) -> None:
    size = round(item.size)
    metrics = _metrics(size, item.bold)
    width = metrics.horizontalAdvance(item.text)
    left = {"left": 0.0, "center": -width / 2, "right": -width}[item.anchor]
    baseline = (metrics.ascent() - metrics.descent()) / 2
    halo = item.halo if item.halo is not None and item.halo[3] > 0 else None
    if (
        halo is not None
        and not item.angle
        and painter.worldTransform().type() <= QTransform.TransformationType.TxTranslate
    ):
        device = painter.device()
        ratio = 1.0 if device is None else device.devicePixelRatioF()
        stamp, dx, dy = _stamp(item.text, size, item.bold, item.color, halo, ratio)
        painter.drawImage(QPointF(item.x + left - dx, item.y + baseline - dy), stamp)
        return
    painter.save()
    painter.translate(item.x, item.y)
    if item.angle:
        painter.rotate(item.angle)
    painter.translate(left, baseline)
    _write(item.text, size, item.bold, item.color, halo, painter)
    painter.restore()


def _write(text: str, size: int, bold: bool, color: Color, halo: Color | None, painter: QPainter) -> None:
    """Write text at the origin."""
    if halo is not None:
        pen = QPen(qcolor(halo), HALO_WIDTH)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(_outline(text, size, bold), pen)
    painter.setFont(_font(size, bold))
    painter.setPen(qcolor(color))
    painter.drawText(QPointF(0, 0), text)


@lru_cache(maxsize=1024)
def _stamp(text: str, size: int, bold: bool, color: Color, halo: Color, ratio: float) -> tuple[QImage, float, float]:
    """Text with its halo as an image, and the origin of the text in it; for names that are painted repeatedly."""
    metrics = _metrics(size, bold)
    dx, dy = math.ceil(HALO_WIDTH) + size, math.ceil(HALO_WIDTH) + math.ceil(metrics.ascent())
    wide = math.ceil(metrics.horizontalAdvance(text)) + 2 * dx
    tall = dy + math.ceil(metrics.descent()) + math.ceil(HALO_WIDTH)
    image = QImage(math.ceil(wide * ratio), math.ceil(tall * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    with painting(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.translate(dx, dy)
        _write(text, size, bold, color, halo, painter)
    return image, dx, dy


def _paint_rect(item: Rect, painter: QPainter) -> None:
    painter.setPen(QPen(qcolor(item.outline), 1.0) if item.outline[3] else QPen(Qt.PenStyle.NoPen))
    painter.setBrush(QBrush(qcolor(item.fill)) if item.fill[3] else QBrush(Qt.BrushStyle.NoBrush))
    painter.drawRoundedRect(QRectF(item.x, item.y, item.width, item.height), item.radius, item.radius)


def _paint_image(item: Image, painter: QPainter) -> None:
    height, width = item.pixels.shape[:2]
    if not width or not height:
        return
    pixels = np.ascontiguousarray(item.pixels)
    data: Any = pixels.data  # Qt does not copy it
    sort = QImage.Format.Format_RGBA8888_Premultiplied
    image = QImage(data, width, height, 4 * width, sort)
    usual = painter.compositionMode()
    if item.darken:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Darken)
    painter.drawImage(QRectF(item.x, item.y, item.width, item.height), image)
    painter.setCompositionMode(usual)


def _paint_polyline(item: Polyline, painter: QPainter) -> None:
    points = QPolygonF([QPointF(x, y) for x, y in item.points])
    pen = QPen(qcolor(item.color), item.width) if item.color[3] else QPen(Qt.PenStyle.NoPen)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if item.dashed:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    if item.fill[3]:
        painter.setBrush(QBrush(qcolor(item.fill)))
        painter.drawPolygon(points)
    else:
        painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        painter.drawPolyline(points)


@lru_cache(maxsize=64)
def _font(size: int, bold: bool) -> QFont:
    font = QFont()  # the application's font: the system's UI font
    font.setPixelSize(max(size, 1))
    font.setBold(bold)
    return font


@lru_cache(maxsize=64)
def _metrics(size: int, bold: bool) -> QFontMetricsF:
    return QFontMetricsF(_font(size, bold))


@lru_cache(maxsize=2048)  # about 16 KiB each
def _outline(text: str, size: int, bold: bool) -> QPainterPath:
    path = QPainterPath()
    path.addText(QPointF(0, 0), _font(size, bold), text)
    return path
