"""Widgets beside the picture that accept drops of nodes: the tree and the breadcrumb; and the data of such a drag.

A drag that begins in the picture grabs the mouse, so that Qt does not tell other widgets about it: the drag controller
asks each place which node is under the pointer. A drag that begins in the tree is a Qt drag: `HandedOn` reports it to
the drag controller. Both then behave alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from qtpy.QtCore import QEvent, QMimeData, QObject, QPoint, Qt
from qtpy.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from qtpy.QtWidgets import QWidget

MIME = "application/x-cbvtool-keys"  # ids, NUL between them


def mime_data(ids: Iterable[str]) -> QMimeData:
    """Data for dragging the nodes with these ids."""
    data = QMimeData()
    data.setData(MIME, "\0".join(ids).encode())
    return data


def dragged_ids(event: QDropEvent) -> list[str]:
    """The ids of the dragged nodes; empty for other drags."""
    data = event.mimeData()
    if data is None or not data.hasFormat(MIME):
        return []
    return bytes(data.data(MIME).data()).decode().split("\0")


class DropPlace(Protocol):
    """A widget that shows nodes and accepts drops on them. Positions are global."""

    def node_at(self, spot: QPoint) -> int | None:
        """Key of the node shown at a position, -1 = no node there; None = the position is outside the widget."""

    def mark(self, key: int, refused: bool) -> None:
        """Mark the node that is the target of a drop; -1 = none."""

    def scroll_near(self, spot: QPoint) -> None:
        """Scroll if the position is near a border. It is called repeatedly."""

    def unfold(self, key: int) -> None:
        """Expand a node until `fold_back`."""

    def fold_back(self, kept: Sequence[int]) -> None:
        """Collapse the nodes that `unfold` expanded, except those in `kept`."""


class Hand(Protocol):
    """Interface of the drag controller. Positions are global."""

    def lift(self, ids: Sequence[str], spot: QPoint) -> bool:
        """Start dragging these nodes, for a drag that began in another widget. False = not possible now."""

    def over(self, spot: QPoint) -> None:
        """Move the drag to a position."""

    def let_go(self, keys: Qt.KeyboardModifiers) -> None:
        """Drop at the pointer; `keys` were held then."""

    def put_back(self) -> None:
        """End the drag; if it was not dropped, cancel it."""


def is_over(widget: QWidget, spot: QPoint) -> bool:
    """Whether a global position is on a widget that is visible there."""
    return widget.isVisible() and widget.visibleRegion().contains(widget.mapFromGlobal(spot))


class HandedOn(QObject):
    """Reports Qt drags of nodes over a widget to a drag controller."""

    def __init__(self, widget: QWidget, hand: Hand) -> None:
        super().__init__(widget)
        self._widget, self._hand = widget, hand
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Handle drags of nodes; the widget handles all other events."""
        if not isinstance(event, QDropEvent) or not dragged_ids(event):  # Qt's events for movement are QDropEvents, too
            return super().eventFilter(watched, event)
        event.acceptProposedAction()
        self._hand.over(self._widget.mapToGlobal(event.pos()))
        if not isinstance(event, QDragEnterEvent | QDragMoveEvent):
            self._hand.let_go(event.keyboardModifiers())
        return True
