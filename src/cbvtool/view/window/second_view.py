"""The second view: what is open once more, with a hierarchy, style and camera of its own (CBV-13)."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from qtpy.QtCore import Qt, QTimer
from qtpy.QtWidgets import QVBoxLayout

from cbvtool.session import Start
from cbvtool.session.change import Change
from cbvtool.session.follower import SecondSession
from cbvtool.view.desk import Desk, ViewPlace
from cbvtool.view.window.caption import Caption
from cbvtool.view.window.places import PLACES, PlaceRow, PlaceWidget
from cbvtool.view.window.view import View

SECOND_VIEW = "second_view"  # its name in the registry


class SecondView(PlaceWidget):
    """One more picture of the window's project, with a caption. Selection, pointer and plan are shared."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self.session = SecondSession(desk.session, lambda run: QTimer.singleShot(0, run))
        self._view = View(desk, self.session, self, around=self)
        self.canvas, self.regrouping = self._view.canvas, self._view.regrouping
        self.canvas.setAccessibleName("Second circular bundle view")
        self.caption = Caption(self.session, self.regrouping, True, self)
        self.caption.closed.connect(self.closed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.caption)
        column.addWidget(self.canvas, 1)
        self.canvas.legend_chosen.connect(self._point_at)
        self._unsubscribe = self.session.subscribe(self._changed)

    @property
    def place(self) -> ViewPlace:
        """The view in it."""
        return self._view

    def prepare(self) -> Callable[[], Start]:
        """Make the first picture, on any thread."""
        return self.session.beginning

    def begin(self, prepared: Start) -> None:
        """Show what was prepared. Raises InputError where the machine has no OpenGL."""
        renderer = importlib.import_module("cbvtool.drawing.renderer").Renderer(64, 64)  # loaded long ago, by the first
        self.canvas.stage.set_renderer(renderer)
        self.session.begin(prepared)
        self.canvas.stage.opened()

    def close_down(self) -> None:
        """Free the renderer, and wait until all threads are gone."""
        self._unsubscribe()
        self.session.close_down()
        self._view.close_down()

    def _changed(self, what: Change) -> None:
        self.caption.follow()
        if what == Change.VIEW:
            self.canvas.stage.refresh()
            if self.session.view.drag is None:
                self._view.want(self.session.scene())
        if self._desk.here is self._view:
            self._desk.refresh()

    def _point_at(self, what: str, _range: bool) -> None:
        self.caption.metrics.get(what, self.caption.hierarchy).setFocus(Qt.FocusReason.ShortcutFocusReason)


PLACES.add(
    PlaceRow(
        SECOND_VIEW,
        "Second view",
        ("Ctrl+Shift+V",),
        "A second view of the same files, with its own hierarchy and style",
        SecondView,
    )
)
