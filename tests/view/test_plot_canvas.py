"""Plots in a widget: one grammar of wheel, drags and keys; all else reaches the view (TV-1, TV-5, TV-6, TV-7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QContextMenuEvent, QWheelEvent
from qtpy.QtWidgets import QApplication

from cbvtool.geometry.colors import DARK
from cbvtool.plots.layers import Bars, Labels, Layer
from cbvtool.plots.panes import BoxShape, Pane, SectorShape, place
from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.view.plots.plot_canvas import PlotCanvas
from tests.view.pointer import point

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
LIMIT = (0.0, 100.0)


class Picky:
    """A view with one pane and five bars of 20 in its upper half; it notes what happens, and follows ranges."""

    def __init__(self) -> None:
        self.pane = Pane("time", BoxShape(10, 10, 380, 100), LIMIT, (0, 2), limit=LIMIT)
        first = np.arange(5) * 20.0
        colors = np.array([[200, 40 * i, 90, 255] for i in range(5)], np.uint8)
        item = np.arange(5, dtype=np.int32)
        zero, one = np.zeros(5), np.ones(5)
        self.bars = Bars(name="bars", pane="time", x0=first, x1=first + 19, y0=zero, y1=one, color=colors, item=item)
        self.height = 0.0
        self.seen: list[ViewEvent] = []
        self.hit = Hit()
        self.canvas: PlotCanvas | None = None

    def draw(self, viewport: Viewport) -> Plot:
        at, black = np.array([50.0]), (0, 0, 0, 255)
        names = Labels(name="names", pane="time", x=at, y=at * 0.03, text=["<b>a</b>"], color=black)
        layers: list[Layer] = [self.bars, names]
        if self.hit:
            edge = np.array([20.0 * self.hit.item])
            layers.append(
                Bars(
                    name="focus", pane="time", x0=edge, x1=edge + 19, y0=edge * 0, y1=edge * 0 + 1, color=(0, 0, 0, 255)
                )
            )
        return Plot((self.pane,), tuple(layers), height=self.height)

    def tell(self, hit: Hit) -> tuple[str, ...]:
        return (f"<b>bar</b> {hit.item}", "second & line")

    def happened(self, event: ViewEvent) -> None:
        self.seen.append(event)
        if event.range is not None:
            self.pane = replace(self.pane, x=event.range.x, y=event.range.y)
        if event.kind == EventKind.HOVER:
            self.hit = event.hit
        self.canvas.refresh()

    def kinds(self) -> list[str]:
        found = [event.kind.value for event in self.seen]
        self.seen.clear()
        return found

    def spot(self, x: float, y: float) -> QPoint:
        """Where the data of the pane lie on the widget."""
        share = (x - self.pane.x[0]) / (self.pane.x[1] - self.pane.x[0])
        return QPoint(round(10 + 380 * share), round(10 + 50 * y))


@pytest.fixture
def view() -> Picky:
    return Picky()


@pytest.fixture
def canvas(view: Picky, qtbot) -> PlotCanvas:
    made = PlotCanvas("main", view.draw, view.tell, animated=False)
    view.canvas = made
    made.happened.connect(view.happened)
    qtbot.addWidget(made)
    made.resize(400, 200)
    made.show()
    qtbot.waitExposed(made)
    made.setFocus()
    return made


@pytest.fixture
def press(canvas: PlotCanvas, qtbot) -> Callable[..., None]:
    """Presses at the first place, moves through the others; `let_go` at the last one."""

    def drag(*spots: QPoint, let_go: bool = True) -> None:
        ground = canvas.ground
        qtbot.mousePress(ground, LEFT, pos=spots[0])
        for spot in spots[1:]:
            _move(canvas, spot, LEFT)
        if let_go:
            qtbot.mouseRelease(ground, LEFT, pos=spots[-1])

    return drag


def _move(canvas: PlotCanvas, spot: QPoint, held: Qt.MouseButton) -> None:
    from qtpy.QtCore import QEvent
    from qtpy.QtGui import QMouseEvent

    there = QPointF(canvas.ground.mapToGlobal(spot))
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(spot), there, Qt.MouseButton.NoButton, held, NONE)
    QApplication.sendEvent(canvas.ground, event)


def _wheel(canvas: PlotCanvas, spot: QPoint, steps: float, held: Qt.KeyboardModifier = NONE) -> None:
    there = QPointF(canvas.ground.mapToGlobal(spot))
    turn = QPoint(0, round(120 * steps))
    phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(QPointF(spot), there, QPoint(), turn, Qt.MouseButton.NoButton, held, phase, False)
    QApplication.sendEvent(canvas.ground, event)


@pytest.mark.parametrize("x", [3.0, 30.0, 77.0])
def test_the_wheel_zooms_and_the_moment_under_the_pointer_stays(canvas, view, x: float) -> None:
    spot = view.spot(x, 0.5)
    before = place(view.pane, spot.x(), spot.y())[0]
    for steps in (3, 2, -1):
        _wheel(canvas, spot, steps)
        assert float(place(view.pane, spot.x(), spot.y())[0]) == pytest.approx(float(before))
    assert view.pane.x[1] - view.pane.x[0] == pytest.approx(100 / 1.25**4)
    assert view.pane.y == (0, 2)
    assert set(view.kinds()) == {"range"}


def test_zooming_ends_at_the_limit(canvas, view) -> None:
    _wheel(canvas, view.spot(90, 0.5), 5)
    _wheel(canvas, view.spot(view.pane.x[0], 0.5), -9)
    assert view.pane.x == LIMIT


def test_ranges_glide_and_the_last_one_is_still(canvas, view, qtbot) -> None:
    canvas.glide.animated = True
    spot = view.spot(30, 0.5)
    _wheel(canvas, spot, 1)
    _wheel(canvas, spot, 1)  # goes on from where the first one leads to
    qtbot.waitUntil(lambda: any(event.range is not None and not event.range.moving for event in view.seen))
    ranges = [event.range for event in view.seen if event.kind == EventKind.RANGE]
    assert [r.moving for r in ranges] == [True] * (len(ranges) - 1) + [False]
    assert ranges[-1].x[1] - ranges[-1].x[0] == pytest.approx(100 / 1.25**2)
    for r in ranges:
        share = (spot.x() - 10) / 380
        assert r.x[0] + share * (r.x[1] - r.x[0]) == pytest.approx(share * 100)


def test_a_drag_along_the_axis_moves_the_pane(canvas, view, press) -> None:
    _wheel(canvas, view.spot(50, 0.5), 4)
    before = view.pane.x
    wide = before[1] - before[0]
    view.kinds()
    press(QPoint(200, 80), QPoint(210, 81), QPoint(238, 90))
    assert view.pane.x[0] == pytest.approx(before[0] - wide * 38 / 380)
    assert view.pane.x[1] - view.pane.x[0] == pytest.approx(wide)
    assert [event.range.moving for event in view.seen] == [True, True, False]
    assert set(view.kinds()) == {"range"}
    press(QPoint(200, 80), QPoint(390, 80), QPoint(2000, 80))
    assert view.pane.x == (0, pytest.approx(wide))


def test_escape_ends_a_drag_as_if_it_had_not_begun(canvas, view, press, qtbot) -> None:
    _wheel(canvas, view.spot(50, 0.5), 4)
    before = view.pane.x
    press(QPoint(200, 80), QPoint(230, 80), let_go=False)
    assert view.pane.x != before
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert view.pane.x == before
    view.kinds()
    qtbot.mouseRelease(canvas.ground, LEFT, pos=QPoint(230, 80))
    assert view.kinds() == ["release"] or not view.seen


def test_a_drag_across_the_axis_is_the_views(canvas, view, press, qtbot) -> None:
    """TV-7: levels fold by a vertical drag."""
    press(view.spot(30, 0.5), view.spot(30, 0.8), view.spot(32, 1.5))
    press_, drag, *_, drop = view.seen
    assert view.kinds() == ["press", "drag", "drag", "drop"]
    assert press_.hit == Hit("bars", 1)
    assert drag.start is press_
    assert (drop.start, drop.y) == (press_, pytest.approx(1.5, abs=0.02))
    press(view.spot(30, 0.5), view.spot(30, 1.5), let_go=False)
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    key = next(event for event in view.seen if event.kind == EventKind.KEY)
    assert (key.key, key.start.kind) == ("Escape", EventKind.PRESS)
    assert "drop" not in view.kinds()


def test_items_that_are_grabbed_are_dragged_by_the_view(canvas, view, press) -> None:
    view.bars = replace(view.bars, grab=True)
    canvas.refresh()
    press(view.spot(30, 0.5), view.spot(60, 0.5))
    assert view.kinds() == ["press", "drag", "drop"]


def test_clicks_double_clicks_and_menus_reach_the_view(canvas, view, qtbot) -> None:
    qtbot.mouseClick(canvas.ground, LEFT, Qt.KeyboardModifier.ControlModifier, view.spot(50, 0.5))
    click = view.seen[-1]
    assert (click.kind, click.hit, click.part, click.pane) == (EventKind.CLICK, Hit("bars", 2), "main", "time")
    assert click.modifiers == {"ctrl"}
    assert (click.x, click.y) == (pytest.approx(50, abs=0.3), pytest.approx(0.5, abs=0.02))
    view.kinds()
    qtbot.mouseDClick(canvas.ground, LEFT, pos=view.spot(50, 0.5))
    assert view.seen[-1].hit.item == 2
    assert "double" in view.kinds()
    spot = view.spot(70, 0.5)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, spot, canvas.ground.mapToGlobal(spot))
    QApplication.sendEvent(canvas.ground, event)
    assert view.seen[-1].hit.item == 3
    assert view.kinds() == ["menu"]


def test_a_double_click_on_empty_ground_and_f_show_all(canvas, view, qtbot) -> None:
    for act in (
        lambda: qtbot.mouseDClick(canvas.ground, LEFT, pos=view.spot(50, 1.5)),
        lambda: qtbot.keyClick(canvas, Qt.Key.Key_F),
    ):
        view.pane = replace(view.pane, x=(40.0, 60.0))
        canvas.refresh()
        act()
        assert view.pane.x == LIMIT


def test_f_shows_what_the_pane_calls_home_though_more_can_be_panned_to(canvas, view, qtbot) -> None:
    """VF-6: what lies under a plot is uncovered by panning it aside."""
    view.pane = replace(view.pane, limit=(-100.0, 200.0), home=(0.0, 100.0), x=(-60.0, 40.0))
    canvas.refresh()
    qtbot.keyClick(canvas, Qt.Key.Key_F)
    assert view.pane.x == (0.0, 100.0)


def test_a_modifier_by_itself_is_a_tap_and_with_anything_else_it_is_none(canvas, view, qtbot) -> None:
    """VF-2: Ctrl toggles; a shortcut, a click or a turn of the wheel with Ctrl does not."""
    control, spot = Qt.KeyboardModifier.ControlModifier, view.spot(10, 0.5)

    def taps(between: Callable[[], object]) -> list[str]:
        qtbot.keyPress(canvas, Qt.Key.Key_Control)
        between()
        qtbot.keyRelease(canvas, Qt.Key.Key_Control, control)
        found = [event.key for event in view.seen if event.kind is EventKind.TAP]
        view.seen.clear()
        return found

    assert taps(lambda: None) == ["Ctrl"]
    assert taps(lambda: qtbot.keyClick(canvas, Qt.Key.Key_Z, control)) == []
    assert taps(lambda: qtbot.mouseClick(canvas.ground, LEFT, control, pos=spot)) == []
    assert taps(lambda: _wheel(canvas, spot, 1, control)) == []
    assert taps(lambda: qtbot.keyClick(canvas, Qt.Key.Key_Shift, control)) == []
    assert taps(lambda: None) == ["Ctrl"]


def test_keys_move_and_zoom_and_others_reach_the_view(canvas, view, qtbot) -> None:
    view.pane = replace(view.pane, x=(40.0, 60.0))
    canvas.refresh()
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert view.pane.x == (42, 62)
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert view.pane.x == (pytest.approx(44), pytest.approx(60))
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert view.pane.x == (pytest.approx(40), pytest.approx(60))
    view.seen.clear()
    qtbot.keyClick(canvas, Qt.Key.Key_Up)  # the pane does not zoom along y
    qtbot.keyClick(canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(canvas, "a")
    keys = [(event.key, set(event.modifiers)) for event in view.seen if event.kind == EventKind.KEY]
    assert [key for key in keys if key[0] != "Alt"] == [("Up", set()), ("Left", {"alt"}), ("a", set())]
    assert "release" in view.kinds()


def test_hovering_fills_only_what_lies_on_top(canvas, view, qtbot) -> None:
    """TV-6: what follows the pointer is drawn anew at each move, the heavy layers are not (counted)."""
    canvas.picture()
    made = canvas.tiles.made
    for x in (10, 30, 50, 70):
        point(canvas.ground, view.spot(x, 0.5))
        canvas.picture()
    assert [event.hit.item for event in view.seen] == [0, 1, 2, 3]
    heavy = {id(view.bars)}
    fresh = canvas.tiles.made - made
    assert fresh == 8  # labels and focus are new objects each time; the bars never
    assert {id(layer) for layer in canvas.plot.layers} & heavy


def test_the_tooltip_is_plain_text_and_goes_away(canvas, view, qtbot) -> None:
    point(canvas.ground, view.spot(30, 0.5))
    qtbot.waitUntil(lambda: canvas.tooltip_text != "")
    assert canvas.tooltip_text == "<b>bar</b> 1\nsecond & line"
    point(canvas.ground, view.spot(30, 1.5))
    assert canvas.tooltip_text == ""


def test_leaving_is_told(canvas, view, qtbot) -> None:
    from qtpy.QtCore import QEvent

    point(canvas.ground, view.spot(30, 0.5))
    QApplication.sendEvent(canvas.ground, QEvent(QEvent.Type.Leave))
    assert view.kinds() == ["hover", "leave"]


def test_content_that_is_higher_scrolls(canvas, view) -> None:
    view.pane = replace(view.pane, shape=BoxShape(10, 300, 380, 100))
    view.height = 500
    canvas.refresh()
    canvas.picture()
    bar = canvas.verticalScrollBar()
    assert bar.maximum() == 300
    _wheel(canvas, QPoint(200, 100), -3)  # beside the pane: it scrolls
    assert bar.value() == 216
    point(canvas.ground, QPoint(200, 100))
    hover = view.seen[-1]
    assert (hover.py, hover.pane) == (316, "time")
    _wheel(canvas, QPoint(200, 100), 1)  # in the pane: it zooms
    assert view.pane.x[1] - view.pane.x[0] == pytest.approx(80)
    _wheel(canvas, QPoint(200, 100), 1, Qt.KeyboardModifier.ShiftModifier)
    assert bar.value() == 144


def test_the_wheel_reaches_the_view_where_it_asks_for_it(canvas, view) -> None:
    view.bars = replace(view.bars, wheel=True)
    canvas.refresh()
    _wheel(canvas, view.spot(30, 0.5), 2)
    assert view.seen[-1].steps == 2
    assert view.kinds() == ["wheel"]
    _wheel(canvas, QPoint(200, 180), -1)  # outside of all panes
    assert view.kinds() == ["wheel"]


def test_bent_panes_zoom_about_the_pointer(canvas, view) -> None:
    view.pane = replace(view.pane, shape=SectorShape(200, 100, 20, 90, -3.0, 3.0))
    canvas.refresh()
    before = float(place(view.pane, 230, 60)[0])
    _wheel(canvas, QPoint(230, 60), 4)
    assert view.pane.x[1] - view.pane.x[0] == pytest.approx(100 / 1.25**4)
    assert float(place(view.pane, 230, 60)[0]) == pytest.approx(before)


def test_copy_and_files_hold_what_is_shown(canvas, view, tmp_path: Path, qtbot) -> None:
    canvas.restyle(DARK)
    qtbot.keyClick(canvas, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QApplication.clipboard().image()
    assert (copied.width(), copied.height()) == (canvas.image().width(), canvas.image().height())
    canvas.save(tmp_path / "a.png")
    canvas.save(tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    spot = view.spot(30, 0.5)
    pixel = Image.open(tmp_path / "a.png").getpixel((spot.x(), spot.y()))
    assert pixel == (200, 40, 90) == copied.pixelColor(spot).getRgb()[:3]
    canvas.save(tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text()
    assert svg.count("<rect") == 6  # the ground and five bars
    assert "&lt;b&gt;a" in svg


def test_what_is_painted_in_the_window_is_the_picture(canvas, view, qtbot) -> None:
    shown = canvas.ground.grab().toImage()
    made = canvas.image()
    for x in (10, 30, 50, 70, 90):
        spot = view.spot(x, 0.5)
        assert shown.pixelColor(spot).getRgb() == made.pixelColor(spot).getRgb()


def test_a_slow_draw_is_noted(canvas, view, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "cbvtool.view.plots.plot_canvas")
    canvas.refresh()
    canvas.picture()
    monkeypatch.setattr("cbvtool.view.plots.plot_canvas.SLOW", 0.0)
    before = len(caplog.messages)
    canvas.refresh()
    canvas.picture()
    assert "'main' took" in caplog.messages[before]


class Halting:
    """`view.draw` with nearly no time at once: done at every `every`-th call. asked: its calls."""

    def __init__(self, view: Picky, every: float) -> None:
        self.view, self.every, self.asked = view, every, 0

    def __call__(self, viewport: Viewport) -> Plot | None:
        self.asked += 1
        return self.view.draw(viewport) if self.asked % self.every == 0 else None


def test_a_picture_at_rest_is_drawn_in_pieces_between_events(canvas: PlotCanvas, view: Picky, qtbot) -> None:
    """What was shown stays until the next one is whole; a click waits a little for it, a moving pointer does not."""
    canvas.picture()
    before, halting = canvas.plot, Halting(view, 5)
    canvas._draw = halting
    canvas.refresh()
    _move(canvas, QPoint(200, 30), Qt.MouseButton.NoButton)
    assert canvas.plot is before
    assert view.seen.pop().hit == Hit("bars", 2)
    qtbot.waitUntil(lambda: canvas.plot is not before)
    assert halting.asked >= 5
    before = canvas.plot
    canvas.refresh()
    qtbot.mouseClick(canvas.ground, LEFT, pos=QPoint(200, 30))
    assert canvas.plot is not before


def test_no_event_waits_for_a_picture_that_takes_long(canvas: PlotCanvas, view: Picky, qtbot) -> None:
    """TV-5: clicks and keys are about what is shown; turns of the wheel add up, also those that are not shown yet."""
    canvas.picture()
    before = canvas.plot
    canvas._draw = Halting(view, math.inf)
    canvas.refresh()
    qtbot.mouseClick(canvas.ground, LEFT, pos=view.spot(30, 0.5))
    assert view.seen[-1].hit == Hit("bars", 1)
    spot = view.spot(50, 0.5)
    for wide in (80.0, 64.0, 80.0, 100.0):
        _wheel(canvas, spot, 1 if wide < view.pane.x[1] - view.pane.x[0] else -1)
        assert view.pane.x[1] - view.pane.x[0] == pytest.approx(wide)
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert view.pane.x[1] - view.pane.x[0] == pytest.approx(80)
    _drag = (QPoint(200, 80), QPoint(210, 80), QPoint(219, 80))
    qtbot.mousePress(canvas.ground, LEFT, pos=_drag[0])
    for place_ in _drag[1:]:
        _move(canvas, place_, LEFT)
    qtbot.mouseRelease(canvas.ground, LEFT, pos=_drag[-1])
    assert list(view.pane.x) == pytest.approx([6, 86])  # 19 pixels of 380 show 4 of 80
    assert canvas.plot is before


def test_a_drag_goes_on_when_the_picture_of_its_last_step_is_whole(
    canvas: PlotCanvas, view: Picky, press, qtbot
) -> None:
    """TV-5: steps between are left out, so that a slow picture is seen; nothing is lost at the end."""
    canvas.picture()
    halting = Halting(view, 3)
    canvas._draw = halting
    press(view.spot(30, 0.5), view.spot(30, 0.8), view.spot(32, 1.1), view.spot(33, 1.4), let_go=False)
    drags = [event.y for event in view.seen if event.kind is EventKind.DRAG]
    assert len(drags) < 3
    qtbot.waitUntil(lambda: view.seen[-1].y == pytest.approx(1.4, abs=0.02))
    assert view.seen[-1].kind is EventKind.DRAG
    canvas._draw = Halting(view, math.inf)
    canvas.refresh()
    for y in (1.5, 1.6):
        _move(canvas, view.spot(33, y), LEFT)
    qtbot.mouseRelease(canvas.ground, LEFT, pos=view.spot(33, 1.7))
    assert [event.kind.value for event in view.seen[-2:]] == ["drag", "drop"]
    assert [event.y for event in view.seen[-2:]] == [pytest.approx(1.6, abs=0.02), pytest.approx(1.7, abs=0.02)]
