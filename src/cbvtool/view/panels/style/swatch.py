"""Small pictures of colour maps, for lists."""

from __future__ import annotations

import numpy as np
from qtpy.QtCore import QSize
from qtpy.QtGui import QIcon, QImage, QPixmap

from cbvtool.geometry.colors import BY_KIND, KIND_COLORS, RELATION_MAPS, THEMES, gradient, map_colors, relation_ends

SIZE = QSize(56, 12)


def map_swatch(name: str) -> QIcon:
    """A colour map from its least to its largest value."""
    return _icon(map_colors(np.linspace(0.0, 1.0, SIZE.width()), name)[:, :3])


def relation_swatch(name: str, theme: str) -> QIcon:
    """The colours of a relation from its user to its used end; one of `RELATION_MAPS`."""
    assert name in RELATION_MAPS
    if name == BY_KIND:
        colors = np.array([color[:3] for color in KIND_COLORS[theme]], np.uint8)
        return _icon(colors[np.arange(SIZE.width()) * len(colors) // SIZE.width()])
    return _icon(np.rint(gradient(*relation_ends(THEMES[theme], name), SIZE.width())).astype(np.uint8))


def _icon(row: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> QIcon:
    """A bar of one colour for each column: uint8[w, 3]."""
    pixels = np.ascontiguousarray(np.broadcast_to(row, (SIZE.height(), *row.shape)))
    image = QImage(pixels.tobytes(), SIZE.width(), SIZE.height(), 3 * SIZE.width(), QImage.Format.Format_RGB888)
    return QIcon(QPixmap.fromImage(image))
