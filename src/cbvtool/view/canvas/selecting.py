"""Selects the nodes inside a rectangle or lasso that the user draws over the picture; shown while it is drawn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QPoint

from cbvtool.drawing.drag_picture import selection_picture
from cbvtool.geometry.picking.region import items_in
from cbvtool.geometry.picture import Picture, Polyline, Rect, Text
from cbvtool.session import Session
from cbvtool.view.canvas.qt_painter import text_width
from cbvtool.view.canvas.stage import Stage

LASSO_STEP = 4  # px between two corners of a lasso
LASSO_CORNERS = 256  # a lasso with more is thinned out
OUTLINED = 150  # most segments that are outlined while a region is drawn; a text shows their total number
BESIDE = 14.0  # px from the pointer to the text
SIZE = 12.0  # px, size of the text


class Selecting:
    """Belongs to a canvas; at most one region is drawn at a time."""

    def __init__(self, session: Session, stage: Stage) -> None:
        self._session = session
        self._stage = stage
        self.armed = False  # the next drag with the left button draws a lasso
        self._lasso = False
        self._corners: list[QPoint] = []

    @property
    def active(self) -> bool:
        """Whether a region is being drawn."""
        return bool(self._corners)

    def begin(self, place: QPoint, *, lasso: bool) -> None:
        """Start a rectangle or a lasso at `place`."""
        self._lasso, self._corners, self.armed = lasso, [place, place], False

    def move(self, place: QPoint) -> None:
        """Move the current corner to `place`."""
        if self._lasso and (place - self._corners[-2]).manhattanLength() >= LASSO_STEP:
            self._corners.append(place)
            if len(self._corners) > LASSO_CORNERS:
                self._corners = [*self._corners[:-2:2], *self._corners[-2:]]
        else:
            self._corners[-1] = place

    def held(self) -> tuple[int, ...]:
        """Keys of the nodes in the region now."""
        scene = self._stage.scene
        if scene is None or not self.active:
            return ()
        items = items_in(scene, self._stage.camera, *self._stage.size, self._outline())
        own = items[~scene.tree.slot[items]]
        return tuple(dict.fromkeys(scene.tree.key[own].tolist()))

    def end(self, *, add: bool) -> int:
        """Select the nodes in the region; with `add`, toggle them in the selection. Returns their number."""
        keys = self.held()
        self.cancel()
        self._session.select(keys, add=add)
        return len(keys)

    def cancel(self) -> bool:
        """Stop drawing a region, or cancel an armed lasso. Returns whether there was one."""
        busy = self.active or self.armed
        self._corners, self.armed = [], False
        return busy

    def picture(self) -> Picture:
        """The region, the segments in it, and their number."""
        scene, size, theme = self._stage.scene, self._stage.size, self._stage.theme
        if scene is None or not self.active:
            return Picture(*size)
        keys = self.held()
        outline = self._outline()
        points = tuple((float(x), float(y)) for x, y in (*outline, outline[0]))
        region = Polyline(points, theme.accent, 1.5, dashed=True, fill=(*theme.accent[:3], 28))
        words = "1 segment" if len(keys) == 1 else f"{len(keys):,} segments"
        place, wide = self._corners[-1], text_width(words, SIZE) + 12
        x = min(place.x() + BESIDE, size[0] - wide - 4)
        y = min(place.y() + BESIDE, size[1] - 26)
        card = Rect(x, y, wide, 22, (*theme.ground[:3], 235), theme.line, 4.0)
        said = Picture(*size, (region, card, Text(words, x + 6, y + 11, SIZE, theme.text, "left")))
        return selection_picture(scene, keys[:OUTLINED], self._stage.camera, *size, theme.accent) + said

    def _outline(self) -> npt.NDArray[np.float64]:
        """float64[c, 2]: the corners of the region in pixels."""
        if self._lasso:
            return np.array([(corner.x(), corner.y()) for corner in self._corners], np.float64)
        first, last = self._corners[0], self._corners[-1]
        x0, x1, y0, y1 = first.x(), last.x(), first.y(), last.y()
        return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], np.float64)
