"""The judgement of a drag as the canvas shows it: the figures on the card, and the tint of possible targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qtpy.QtCore import QObject, QPoint, Signal

from cbvtool.assessment.rows import FigureRow
from cbvtool.drawing.judgement_picture import card_picture, signs_picture
from cbvtool.geometry.picture import Picture, Rect
from cbvtool.view.canvas.qt_painter import text_width
from cbvtool.view.canvas.stage import Stage


class JudgementCard(QObject):
    """State of the judgement of a drag: the code that judges sets it, and the canvas paints it.

    rows, heading   content of the card; no rows = there is no card
    stale           whether the rows are about the previous target
    gains           key -> gain of the tinted targets
    """

    changed = Signal()

    def __init__(self, stage: Stage, parent: QObject) -> None:
        super().__init__(parent)
        self._stage = stage
        self.rows: Sequence[FigureRow] = ()
        self.heading = ""
        self.stale = False
        self.gains: Mapping[int, float] = {}
        self._signs: tuple[tuple[object, ...], Picture] | None = None

    def show_rows(self, rows: Sequence[FigureRow], heading: str) -> None:
        """Show these figures."""
        self.rows, self.heading, self.stale = rows, heading, False
        self.changed.emit()

    def await_rows(self) -> None:
        """Mark the figures as stale until new ones arrive."""
        if not self.stale:
            self.stale = True
            self.changed.emit()

    def show_gains(self, gains: Mapping[int, float]) -> None:
        """Tint these targets."""
        self.gains = gains
        self._stage.tint(gains)
        self.changed.emit()

    def clear(self) -> None:
        """Remove everything at the end of a drag."""
        if self.rows or self.gains:
            self.rows, self.gains, self.stale = (), {}, False
            self._stage.tint({})
            self.changed.emit()

    def signs(self) -> Picture:
        """The signs on tinted targets, to be painted below the ghost."""
        stage = self._stage
        if stage.shown is None or not self.gains:
            return Picture(*stage.size)
        now = stage.shown, self.gains, stage.camera, stage.size, stage.theme
        if self._signs is None or self._signs[0] != now:
            self._signs = now, signs_picture(*now)
        return self._signs[1]

    def picture(self, held: Picture, pointer: QPoint) -> Picture:
        """The card, beside the other items at the pointer: the last rectangle of `held` is the caption."""
        caption = next((item for item in reversed(held.items) if isinstance(item, Rect)), None)
        place = (float(pointer.x()), float(pointer.y()))
        return card_picture(
            self.rows, self.heading, caption, place, self._stage.size, self._stage.theme, text_width, stale=self.stale
        )
