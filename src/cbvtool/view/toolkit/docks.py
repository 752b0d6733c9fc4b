"""Docks whose title bar is only a thin grip while a tab shows the name already."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from qtpy.QtCore import QEvent, QPointF, QSize, Qt, QTimer
from qtpy.QtGui import QPainter, QPaintEvent, QPalette
from qtpy.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QSizePolicy, QTabBar, QWidget

from cbvtool.view.toolkit.close_button import close_button
from cbvtool.view.toolkit.plain import Label, set_tooltip

GRIP = 16  # px, height of the title bar in a tab
TITLE = 32


@runtime_checkable
class Coverable(Protocol):
    """A panel that is notified when its tab comes to the front."""

    def uncover(self, seen: bool) -> None:
        """Called when its tab came to the front, or went behind another."""


# Panels that were renamed: stored arrangements of docks use the former name.
_KEPT_AS = {"style": "look"}


class _TitleBar(QWidget):
    """Name and close button, or a grip of three dots with the button.

    It passes presses to the dock, which moves itself.
    """

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self.setObjectName("dock_title")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        set_tooltip(self, "Drag to move this panel")
        self._name = Label(dock.windowTitle(), self)
        self._name.setObjectName("heading")
        self._close = close_button(self, f"Close {dock.windowTitle()}")
        self._close.clicked.connect(dock.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 2, 0)
        layout.addWidget(self._name)
        layout.addStretch()
        layout.addWidget(self._close)
        self.slim = False

    def make_slim(self, slim: bool) -> None:
        """Switch between a grip and a full title bar."""
        self.slim = slim
        self._name.setVisible(not slim)
        self._close.setFixedHeight(GRIP if slim else TITLE - 8)
        self.setFixedHeight(GRIP if slim else TITLE)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The height of its current form."""
        return QSize(60, GRIP if self.slim else TITLE)

    def minimumSizeHint(self) -> QSize:
        """The height of its current form."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint three dots on a grip."""
        super().paintEvent(event)
        if not self.slim:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().color(QPalette.ColorRole.Mid))
        middle = QPointF(self.width() / 2, self.height() / 2)
        for step in (-1, 0, 1):
            painter.drawEllipse(middle + QPointF(8 * step, 0), 1.6, 1.6)


class Dock(QDockWidget):
    """A panel that can be moved, tabbed, floated and closed."""

    def __init__(self, title: str, content: QWidget, window: QMainWindow) -> None:
        super().__init__(title, window)
        self.setObjectName(_KEPT_AS.get(title.lower(), title.lower()))
        self.setWidget(content)
        self._window = window
        self._bar = _TitleBar(self)
        self.setTitleBarWidget(self._bar)
        if isinstance(content, Coverable):
            self.visibilityChanged.connect(content.uncover)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._adapt)
        for signal in (self.dockLocationChanged, self.topLevelChanged, self.visibilityChanged):
            signal.connect(lambda _what: self._later.start())
        self._adapt()

    def event(self, event: QEvent | None) -> bool:
        """React to docks that were added to or removed from the tabs."""
        if event is not None and event.type() in (QEvent.Type.Show, QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._later.start()
        return super().event(event)

    def _adapt(self) -> None:
        neighbours = [dock for dock in self._window.tabifiedDockWidgets(self) if not dock.isHidden()]
        slim = bool(neighbours) and not self.isFloating()
        if slim != self._bar.slim or self._bar.height() == 0:
            self._bar.make_slim(slim)
        for tabs in self._window.findChildren(QTabBar, "", Qt.FindChildOption.FindDirectChildrenOnly):
            if not tabs.count():
                tabs.hide()  # Qt leaves empty tab bars behind when docks move away
