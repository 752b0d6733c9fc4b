"""What stands beside the main view: opens and closes the places of the registry."""

from __future__ import annotations

from functools import partial
from typing import Any

from qtpy.QtCore import QObject, Qt
from qtpy.QtWidgets import QSplitter, QVBoxLayout, QWidget

from cbvtool.errors import InputError
from cbvtool.session.change import Change
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk, ViewPlace
from cbvtool.view.window.caption import Caption
from cbvtool.view.window.places import PLACES, PlaceWidget


class Beside(QObject):
    """Belongs to a window.

    opened    by their names
    caption   of the main view, which says what that shows while something stands beside it
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self.opened: dict[str, PlaceWidget] = {}

    def install(self, pages: QWidget, caption: Caption, least: int) -> None:
        """Make room beside `pages`, which are at least so wide, and follow the window's session."""
        middle = pages.parentWidget()
        assert middle is not None
        column = middle.layout()
        assert column is not None
        self._splitter = QSplitter(Qt.Orientation.Horizontal, middle)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        column.replaceWidget(pages, self._splitter)
        first = QWidget(self._splitter)
        first.setMinimumWidth(least)  # the start page, which is not shown beside, is wider
        inner = QVBoxLayout(first)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        self.caption = caption
        caption.setParent(first)
        caption.hide()
        inner.addWidget(caption)
        inner.addWidget(pages, 1)
        self._unsubscribe = self._desk.session.subscribe(self._changed)

    @property
    def views(self) -> QWidget:
        """What holds all views, the main one among them."""
        return self._splitter

    @property
    def places(self) -> tuple[ViewPlace, ...]:
        """The views that stand there."""
        return tuple(widget.place for widget in self.opened.values())

    @property
    def is_open(self) -> bool:
        """Whether anything stands there."""
        return bool(self.opened)

    def toggle(self, name: str) -> None:
        """Open a place, or close it."""
        self.close(name) if name in self.opened else self.open(name)

    def open(self, name: str) -> None:
        """Show a place beside the main view."""
        row = PLACES[name]
        widget = self.opened[name] = row.make(self._desk)
        widget.closed.connect(partial(self.close, name))
        self._splitter.addWidget(widget)
        self._splitter.setSizes([1000] * self._splitter.count())
        self.caption.show()
        self.caption.follow()
        self._desk.part(Actions).add_to(widget.place.canvas)
        prepare = widget.prepare()

        def begin(prepared: Any) -> None:
            try:
                widget.begin(prepared)
            except InputError as error:
                fail(str(error))

        def fail(why: str) -> None:
            self.close(name)
            self._desk.say(why)

        self._desk.jobs.run(
            self,
            f"Opening: {row.text.lower()}",
            lambda _: prepare(),
            begin,
            fail,
            purpose=name,
            cancelled=partial(self.close, name),
        )

    def close(self, name: str) -> None:
        """Close a place."""
        widget = self.opened.pop(name, None)
        if widget is None:
            return
        self._desk.jobs.drop(self, name)
        widget.close_down()
        widget.hide()
        widget.setParent(None)
        widget.deleteLater()
        self.caption.setVisible(self.is_open)
        self._desk.refresh()

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        self._close_all()

    def _close_all(self) -> None:
        for name in list(self.opened):
            self.close(name)

    def _changed(self, what: Change) -> None:
        if what == Change.PROJECT:
            self._close_all()  # their places are those of another subject
        if self.is_open:
            self.caption.follow()
