"""Leads a pane from the ranges it shows to others, shortly."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QObject

from cbvtool.plots.panes import Pane
from cbvtool.plots.ranges import between
from cbvtool.view.canvas.motion import animation
from cbvtool.view.plots.gestures import Ranges

GLIDE = 120  # ms of a change of ranges


class RangeGlide(QObject):
    """Belongs to a canvas. send: called with (name of the pane, its ranges, whether the way goes on).

    animated  False: panes arrive at once
    """

    def __init__(self, send: Callable[[str, Ranges, bool], None], animated: bool, parent: QObject) -> None:
        super().__init__(parent)
        self.animated = animated
        self._send = send
        self._way: tuple[str, Ranges, Ranges] | None = None
        self._sent: dict[str, Ranges] = {}  # those of panes that the picture in the making will show
        self._animation = animation(self, self._slide, GLIDE)

    @property
    def is_moving(self) -> bool:
        """Whether a pane is on its way."""
        return self._way is not None

    def aim(self, pane: Pane) -> Ranges:
        """The ranges that a pane shows, will show once the picture is whole, or is on its way to."""
        if self._way is not None and self._way[0] == pane.name:
            return self._way[2]
        return self._sent.get(pane.name, (pane.x, pane.y))

    def note(self, name: str, ranges: Ranges) -> None:
        """A pane was given these ranges, and the next picture shows them."""
        self._sent[name] = ranges

    def picture_is_whole(self) -> None:
        """What was given is shown, as far as the view followed it."""
        self._sent.clear()

    def go(self, pane: Pane, after: Ranges) -> None:
        """Bring a pane to other ranges."""
        self._animation.stop()
        shows_it = (pane.x, pane.y) == after
        if shows_it and self._sent.get(pane.name, after) == after:
            self._way = None
            return
        self._way = (pane.name, (pane.x, pane.y), after)
        if self.animated and not shows_it:
            self._animation.start()
        else:
            self.arrive()

    def arrive(self) -> None:
        """End a way where it leads to."""
        self._animation.stop()
        if self._way is not None:
            name, _, after = self._way
            self._way = None
            self._send(name, after, False)

    def _slide(self, share: float) -> None:
        if self._way is None:
            return
        if share >= 1:
            self.arrive()
            return
        name, before, after = self._way
        if share > 0:
            ranges = between(before[0], after[0], share), between(before[1], after[1], share)
            self._send(name, ranges, True)
