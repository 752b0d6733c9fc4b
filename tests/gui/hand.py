"""A hand on mouse and keyboard, and where to put it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

import numpy as np
from qtpy.QtCore import QPoint
from qtpy.QtGui import QCursor
from qtpy.QtWidgets import QApplication, QWidget

from cbvtool.view.canvas.canvas import Mode
from cbvtool.view.window.main_window import MainWindow

BUTTONS = {"left": "1", "middle": "2", "right": "3"}
# By their codes: with the key maps of 2026 (Debian testing), xdotool presses something else for the name F5.
FUNCTION_KEYS = {f"F{number}": str(66 + number) for number in range(1, 11)}


@dataclass
class Hand:
    """A hand on the mouse and the keyboard. Places are pixels of a widget."""

    wait_until: Callable[[Callable[[], bool]], None]
    _clicked: tuple[QPoint, float] = field(default_factory=lambda: (QPoint(-1000, -1000), 0.0))

    def _send(self, *arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], check=True, timeout=60)

    def point(self, widget: QWidget, place: QPoint) -> None:
        """Move the pointer; returns once Qt has seen it there."""
        target = widget.mapToGlobal(place)
        self._send("mousemove", str(target.x()), str(target.y()))
        self.wait_until(lambda: QCursor.pos() == target)

    def jump(self, spot: QPoint) -> None:
        """Move the pointer to a place of the screen, without waiting for Qt."""
        self._send("mousemove", str(spot.x()), str(spot.y()))

    def press(self, button: str = "left") -> None:
        self._send("mousedown", BUTTONS[button])

    def release(self, button: str = "left") -> None:
        self._send("mouseup", BUTTONS[button])

    def click(self, widget: QWidget, place: QPoint, button: str = "left", *, twice: bool = False) -> None:
        self.point(widget, place)
        if (QCursor.pos() - self._clicked[0]).manhattanLength() < 2 * QApplication.startDragDistance():
            self.wait_until(lambda: monotonic() > self._clicked[1])  # two clicks at one place are no double click
        repeat = ("--repeat", "2", "--delay", "60") if twice else ()
        self._send("click", *repeat, BUTTONS[button])
        self._clicked = (QCursor.pos(), monotonic() + 1.2 * QApplication.doubleClickInterval() / 1000)

    def glide(self, widget: QWidget, start: QPoint, end: QPoint, steps: int = 12) -> Iterator[QPoint]:
        """Move the pointer from `start` to `end` in steps, and tell where it is after each."""
        for step in range(1, steps + 1):
            place = start + (end - start) * (step / steps)
            self.point(widget, place)
            yield place

    def wheel(self, widget: QWidget, place: QPoint, notches: int) -> None:
        self.point(widget, place)
        self._send("click", "--repeat", str(abs(notches)), "4" if notches > 0 else "5")

    def hold(self, name: str) -> None:
        self._send("keydown", name)

    def let_go(self, name: str) -> None:
        self._send("keyup", name)

    def keys(self, *names: str) -> None:
        self._send("key", *(FUNCTION_KEYS.get(name, name) for name in names))

    def type(self, text: str) -> None:
        self._send("type", "--delay", "1", text)


def key(window: MainWindow, node: str) -> int:
    """Key of the node with this id in the target design."""
    return window.session.graph.key_of[node]


def place(window: MainWindow, node: str) -> QPoint:
    """Where the segment of a node is seen on the canvas."""
    return window.canvas.stage.picking.place_of(key(window, node))


def empty_place(window: MainWindow) -> QPoint:
    """A place on the canvas that is neither a segment nor a relation."""
    canvas = window.canvas
    for x in range(10, canvas.width(), 20):
        spot = QPoint(x, 12)
        if canvas.stage.picking.key_at(spot) < 0 and canvas.stage.picking.relation_at(spot) < 0:
            return spot
    raise AssertionError("the canvas is full")


def pick_up(window: MainWindow, hand: Hand, node: str) -> QPoint:
    """Press the button on a segment and move 9 pixels; where it was."""
    start = place(window, node)
    hand.point(window.canvas, start)
    hand.press()
    hand.point(window.canvas, start + QPoint(9, 0))
    hand.wait_until(lambda: window.canvas.mode is Mode.DRAG)
    return start


def drag(window: MainWindow, hand: Hand, node: str, target: str) -> None:
    """Drag a segment onto a container and drop it there."""
    done = len(window.session.history.done)
    start = pick_up(window, hand, node)
    end = place(window, target)  # the layout has closed up
    for _ in hand.glide(window.canvas, start, end, steps=4):
        pass
    wanted = key(window, target)
    hand.wait_until(lambda: window.session.view.drag is not None and window.session.view.drag.target == wanted)
    hand.release()
    hand.wait_until(lambda: len(window.session.history.done) == done + 1)


def relation_place(window: MainWindow, user: str, used: str, share: float) -> QPoint:
    """Where the relation between two segments is seen on the canvas, about at that share of its way."""
    stage, graph = window.canvas.stage, window.session.graph
    scene = stage.scene
    assert scene is not None
    ends = [int(scene.tree.represent[graph.key_of[node]]) for node in (user, used)]
    rows = np.flatnonzero((scene.lifted.source == ends[0]) & (scene.lifted.target == ends[1]))
    places: list[tuple[float, int, int]] = []
    samples = scene.curves.shape[1]
    nearest_first = sorted(range(1, samples - 1), key=lambda sample: abs(sample / (samples - 1) - share))
    for curve in scene.curves[np.isin(scene.curve_lifted, rows)].astype(float):
        for x, y in stage.camera.project(curve[nearest_first], *stage.size)[0].tolist():
            spot = QPoint(round(x), round(y))
            row, along = stage.picking.on_relation(spot)
            if row in rows and stage.picking.key_at(spot) < 0 and not stage.picking.legend_at(spot):
                places.append((abs(along - share), spot.x(), spot.y()))
                if places[-1][0] < 0.02:  # to pick a place takes a millisecond
                    break
    assert places, f"no place of {user} -> {used} is free"
    away, x, y = min(places)
    assert away < 0.15, away
    return QPoint(x, y)


def pick_up_relation(window: MainWindow, hand: Hand, user: str, used: str, share: float) -> QPoint:
    """Press the button on a relation and move 9 pixels; where it was."""
    start = relation_place(window, user, used, share)
    hand.point(window.canvas, start)
    hand.press()
    hand.point(window.canvas, start + QPoint(9, 0))
    hand.wait_until(lambda: window.canvas.mode is Mode.DRAG)
    return start
