"""Bars that become those of the next plot (OC-2): on the screen alone, interruptible, and not where it is unwanted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from qtpy.QtCore import Qt, QVariantAnimation
from qtpy.QtGui import QColor

from cbvtool.plots.layers import Bars, Layer
from cbvtool.plots.panes import BoxShape, Pane
from cbvtool.plots.plot import Plot, Viewport
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.view.plots.plot_canvas import PlotCanvas

COLORS = ((200, 0, 0), (0, 200, 0), (0, 0, 200))


def bar(name: str, bottom: float, color: tuple[int, int, int, int]) -> Bars:
    zero = np.zeros(1)
    return Bars(name=name, pane="plane", x0=zero, x1=zero + 1, y0=zero, y1=zero + bottom, color=color)


class Steps:
    """A view of one bar, whose colour is another one after each key; a click adds something else."""

    def __init__(self, qtbot, animated: bool = True) -> None:
        self.step, self.more = 0, False
        self.canvas = PlotCanvas("main", self.draw, animated=animated)
        self.canvas.happened.connect(self.on)
        self.canvas.resize(100, 60)
        qtbot.addWidget(self.canvas)
        self.canvas.show()
        qtbot.waitUntil(lambda: bool(self.canvas.plot.layers))
        self.qtbot = qtbot

    def draw(self, viewport: Viewport) -> Plot:
        pane = Pane("plane", BoxShape(0, 0, viewport.width, viewport.height), (0, 1), (0, 1), "", "")
        layers: list[Layer] = [bar("bars", 1.0, (*COLORS[self.step], 255))]
        if self.more:
            layers.append(bar("more", 0.1, (9, 9, 9, 255)))
        return Plot((pane,), tuple(layers), gradual=("bars",))

    def on(self, event: ViewEvent) -> None:
        if event.kind is EventKind.KEY:
            self.step += 1
        elif event.kind is EventKind.CLICK:
            self.more = True
        else:
            return
        self.canvas.refresh()

    def key(self) -> QVariantAnimation:
        """Press a key, and be in the middle of the way, whatever the clock says."""
        self.qtbot.keyClick(self.canvas, "n")
        self.seen()
        return self.to(90)

    def to(self, time: int) -> QVariantAnimation:
        glide = self.canvas.findChild(QVariantAnimation, "layer glide")
        assert isinstance(glide, QVariantAnimation)
        if glide.state() != QVariantAnimation.State.Stopped:
            glide.pause()
            glide.setCurrentTime(time)
        return glide

    def seen(self) -> tuple[int, ...]:
        """What the middle of the widget shows."""
        color = self.canvas.ground.grab().toImage().pixelColor(50, 30)
        return color.red(), color.green(), color.blue()

    def filed(self) -> tuple[int, ...]:
        """What a file of it shows."""
        color = QColor(self.canvas.image().pixel(50, 30))
        return color.red(), color.green(), color.blue()


@pytest.fixture
def steps(qtbot) -> Callable[..., Steps]:
    return lambda **more: Steps(qtbot, **more)


def between(one: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(round(a + (b - a) * share) for a, b in zip(one, other, strict=True))


def test_a_step_fades_on_the_screen_and_never_in_a_file(steps: Callable[..., Steps], qtbot) -> None:
    """OC-2: half the time, seven eighths of the way; then it comes to rest."""
    view = steps()
    glide = view.key()
    assert view.seen() == pytest.approx(between(COLORS[0], COLORS[1], 7 / 8), abs=1)
    assert view.filed() == COLORS[1]
    glide.resume()
    qtbot.waitUntil(lambda: glide.state() == QVariantAnimation.State.Stopped)
    assert view.canvas.layer_glide.picture is None
    assert view.seen() == COLORS[1]


def test_the_next_step_interrupts_the_one_before(steps: Callable[..., Steps]) -> None:
    """OC-2: a key that is held goes on at its speed; each way begins where the one before leads to."""
    view = steps()
    view.key()
    view.key()
    assert view.seen() == pytest.approx(between(COLORS[1], COLORS[2], 7 / 8), abs=1)
    view.to(0)
    assert view.seen() == pytest.approx(COLORS[1], abs=1)


def test_what_else_changes_meanwhile_is_seen_and_the_way_goes_on(steps: Callable[..., Steps], qtbot) -> None:
    """OC-2: a frame around something, while shapes fade."""
    view = steps()
    view.key()
    qtbot.mouseClick(view.canvas.ground, Qt.MouseButton.LeftButton, pos=view.canvas.ground.rect().center())
    view.seen()
    view.to(60)
    assert view.seen() not in {COLORS[0], COLORS[1]}
    assert view.canvas.ground.grab().toImage().pixelColor(50, 2).red() == 9


def test_a_resize_ends_the_way(steps: Callable[..., Steps], qtbot) -> None:
    """OC-2: the shapes of another size are no step."""
    view = steps()
    view.key()
    view.canvas.resize(120, 70)
    qtbot.waitUntil(lambda: view.canvas.plot.pane("plane").shape == BoxShape(0, 0, 120, 70))
    assert view.seen() == COLORS[1]


@pytest.mark.parametrize("later", [False, True])
def test_nothing_moves_where_that_is_not_wanted(steps: Callable[..., Steps], later: bool) -> None:
    """OC-2: animations are off, from the begin on or since a while."""
    view = steps(animated=later)
    if later:
        view.canvas.animate(False)
    view.key()
    assert view.seen() == COLORS[1]
    assert view.canvas.layer_glide.picture is None
