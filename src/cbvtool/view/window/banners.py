"""Bars over the upper edge of a widget: they cover a part of it, so that it keeps its place and size."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtCore import QEvent, QObject
from qtpy.QtWidgets import QWidget

_MOVES = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest, QEvent.Type.Resize)


class Banners(QObject):
    """Keeps `bars`, those that are shown, one below the other across the upper edge of `over`."""

    def __init__(self, bars: Sequence[QWidget], over: QWidget) -> None:
        super().__init__(over)
        self._bars, self._over = tuple(bars), over
        for bar in self._bars:
            hidden = bar.isHidden()
            bar.setParent(over)
            bar.setHidden(hidden)
            bar.installEventFilter(self)
        over.installEventFilter(self)
        self.place()

    def place(self) -> None:
        """Put every bar where it belongs."""
        top, wide = 0, self._over.width()
        for bar in self._bars:
            if bar.isHidden():
                continue
            tall = bar.heightForWidth(wide) if bar.hasHeightForWidth() else bar.sizeHint().height()
            bar.setGeometry(0, top, wide, tall)
            bar.raise_()
            top += tall

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Adapt to a bar that is shown, hidden or says something else, and to another size of what is below."""
        if event is not None and event.type() in _MOVES and (watched is self._over or event.type() != _MOVES[-1]):
            self.place()
        return super().eventFilter(watched, event)
