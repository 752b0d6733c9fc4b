"""Widgets that nodes can be dropped on beside the picture: the tree and the breadcrumb.

A drag that began in the picture holds the mouse, so Qt tells no other widget of it: the hand asks each place what is
under the pointer. A drag that began in the tree is one of Qt's: `HandedOn` tells the hand of it. Both do the same then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from qtpy.QtCore import QEvent, QObject, QPoint
from qtpy.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from qtpy.QtWidgets import QWidget

from cbvtool.view.toolkit.dragged_ids import dragged_ids


class DropPlace(Protocol):
    """A widget that shows nodes, and takes drops on them. Spots are global."""

    def node_at(self, spot: QPoint) -> int | None:
        """Key of the node that is shown at a spot, -1 = none there; None = the spot is elsewhere."""

    def mark(self, key: int, refused: bool) -> None:
        """Mark the node that a drop is meant for; -1 = none."""

    def scroll_near(self, spot: QPoint) -> None:
        """Scroll if the spot is near a border. Is called again and again."""

    def unfold(self, key: int) -> None:
        """Show what is in a node, until `fold_back`."""

    def fold_back(self, kept: Sequence[int]) -> None:
        """Hide again what `unfold` has shown, but of these keys."""


class Hand(Protocol):
    """What holds nodes during a drag, wherever the pointer is. Spots are global."""

    def lift(self, ids: Sequence[str], spot: QPoint) -> bool:
        """Hold these nodes, for a drag that began elsewhere. False = that is not possible now."""

    def over(self, spot: QPoint) -> None:
        """The pointer is there now."""

    def let_go(self) -> None:
        """Drop what is held where the pointer is."""

    def put_back(self) -> None:
        """The drag is over: hold nothing, and change nothing, if something is still held."""


def is_over(widget: QWidget, spot: QPoint) -> bool:
    """Whether a global spot is on a widget that can be seen there."""
    return widget.isVisible() and widget.visibleRegion().contains(widget.mapFromGlobal(spot))


class HandedOn(QObject):
    """Tells a hand of Qt's drags of nodes over a widget."""

    def __init__(self, widget: QWidget, hand: Hand) -> None:
        super().__init__(widget)
        self._widget, self._hand = widget, hand
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take drags of nodes; all else is for the widget."""
        if not isinstance(event, QDropEvent) or not dragged_ids(event):  # those that move are drops, too
            return super().eventFilter(watched, event)
        event.acceptProposedAction()
        self._hand.over(self._widget.mapToGlobal(event.pos()))
        if not isinstance(event, QDragEnterEvent | QDragMoveEvent):
            self._hand.let_go()
        return True
