"""A view of a plugin on a canvas alone, as a panel shows it, and real events for it."""

from __future__ import annotations

from typing import Any

from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QWheelEvent
from qtpy.QtWidgets import QApplication

from cbvtool.api import Plot, Request, ViewEvent, Viewport, locate
from cbvtool.plugin.requests import SetFocus
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.view.plots.plot_canvas import PlotCanvas
from tests.view.pointer import point
from tests.view.test_plugin_views import drag

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class ShownView:
    """One part of a view on a canvas without animations. asked: what it wanted of its host."""

    def __init__(self, instance: ViewInstance, part: str, size: tuple[int, int]) -> None:
        self.instance, self.part = instance, part
        self.asked: list[Request] = []
        self.canvas = PlotCanvas(part, self._draw, lambda hit: self.instance.tell(part, hit), animated=False)
        self.canvas.happened.connect(self._happened)
        self.canvas.resize(*size)

    def _draw(self, viewport: Viewport) -> Plot | None:
        found = self.instance.draw(self.part, viewport)
        assert isinstance(found, Plot)
        return found

    def _happened(self, event: ViewEvent) -> None:
        changed, asked = self.instance.on(event)
        self.asked += asked
        for request in asked:
            if isinstance(request, SetFocus):
                self.instance.look_at(request.focus)
        if changed:
            self.canvas.refresh()

    @property
    def plot(self) -> Plot:
        """What is shown, the newest."""
        self.canvas.picture()
        return self.canvas.plot

    def names(self) -> set[str]:
        return {each.name for each in self.plot.layers}

    def layer(self, name: str) -> Any:
        return next(each for each in self.plot.layers if each.name == name)

    def spot(self, pane: str, x: float, y: float) -> QPoint:
        """Where data of a pane lie on the widget; without a pane: pixels."""
        if not pane:
            return QPoint(round(x), round(y))
        px, py = locate(self.plot.pane(pane), x, y)
        return QPoint(round(float(px)), round(float(py)))

    def hover(self, place: QPoint) -> None:
        point(self.canvas.ground, place)
        self.canvas.picture()

    def drag(self, *places: QPoint, let_go: bool = True) -> None:
        QtBot.mousePress(self.canvas.ground, LEFT, pos=places[0])
        for place in places[1:]:
            drag(self.canvas, place)
        if let_go:
            QtBot.mouseRelease(self.canvas.ground, LEFT, pos=places[-1])

    def wheel(self, place: QPoint, steps: int) -> None:
        spot = QPointF(self.canvas.ground.mapToGlobal(place))
        event = QWheelEvent(
            QPointF(place),
            spot,
            QPoint(),
            QPoint(0, 120 * steps),
            Qt.MouseButton.NoButton,
            NONE,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(self.canvas.ground, event)
