"""The dependency matrix in place of the picture, on demand."""

from __future__ import annotations

from qtpy.QtCore import QObject, Qt
from qtpy.QtWidgets import QDockWidget, QMainWindow, QWidget

from cbvtool.view.desk import Desk
from cbvtool.view.panels.matrix_panel import MatrixPanel

_CORNERS = (Qt.Corner.BottomLeftCorner, Qt.Corner.BottomRightCorner)
_SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


class MatrixPage(QObject):
    """Belongs to a window: hides its views, so that the matrix has their room, and shows them again."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._views: QWidget | None = None
        self._before = 0  # px, how high the matrix was
        self.is_on = False

    def install(self, views: QWidget) -> None:
        """Know what is hidden meanwhile; the end of the matrix brings it back."""
        self._views = views
        self._dock.visibilityChanged.connect(lambda _seen: self.end() if self._dock.isHidden() else None)

    @property
    def _dock(self) -> QDockWidget:
        dock = self._desk.panel(MatrixPanel).parentWidget()
        assert isinstance(dock, QDockWidget)
        return dock

    def switch(self) -> None:
        """The matrix in place of the picture, or the picture again."""
        self.end() if self.is_on else self._begin()

    def _begin(self) -> None:
        assert self._views is not None
        self._desk.show(MatrixPanel)
        self._before, self.is_on = self._dock.height(), True
        self._views.hide()
        self._take_corners(_SIDES)
        self._resize(self._desk.widget.height())
        self._desk.panel(MatrixPanel).view.setFocus()
        self._desk.refresh()

    def end(self) -> None:
        """Show the picture again, if the matrix stands in its place."""
        if not self.is_on or self._views is None:
            return
        self.is_on = False
        self._views.show()
        self._take_corners((Qt.DockWidgetArea.BottomDockWidgetArea,) * 2)
        self._resize(self._before)
        self._desk.refresh()

    def _take_corners(self, areas: tuple[Qt.DockWidgetArea, ...]) -> None:
        """Give the lower corners to these areas: panels at the sides stay as high as they are."""
        window = self._desk.widget
        assert isinstance(window, QMainWindow)
        for corner, area in zip(_CORNERS, areas, strict=True):
            window.setCorner(corner, area)

    def _resize(self, high: int) -> None:
        window = self._desk.widget
        assert isinstance(window, QMainWindow)
        for widget in (window.centralWidget(), window):  # the least height of what was hidden counts no more
            layout = None if widget is None else widget.layout()
            if layout is not None:
                layout.invalidate()
                layout.activate()
        window.resizeDocks([self._dock], [high], Qt.Orientation.Vertical)
