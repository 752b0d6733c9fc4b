"""Uses the real window as a hand would, and takes pictures of it. Import it once the Qt platform is chosen."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOME / "src"))

from qtpy.QtCore import QEvent, QPoint, QSettings, Qt, QTimer  # noqa: E402 - the path is set above
from qtpy.QtGui import QKeyEvent, QMouseEvent  # noqa: E402
from qtpy.QtWidgets import QApplication, QTabWidget, QWidget  # noqa: E402

from cbvtool.extensions import discover  # noqa: E402
from cbvtool.plots.panes import BoxShape  # noqa: E402
from cbvtool.session import Session  # noqa: E402
from cbvtool.view.panels.timeline.timeline_panel import TimelinePanel  # noqa: E402
from cbvtool.view.toolkit.application import application  # noqa: E402
from cbvtool.view.toolkit.settings import Settings  # noqa: E402
from cbvtool.view.window.main_window import DEFAULT_SIZE, MainWindow  # noqa: E402
from cbvtool.view.window.second_view import SECOND_VIEW  # noqa: E402

PATIENCE = 300.0  # seconds
FONT = 9.5  # points, as desktops have it; without a desktop Qt takes a larger one


class Photographer:
    """Uses the window as a hand would, and saves what it shows."""

    def __init__(self, out: Path, store: Path, *, screen: bool = False) -> None:
        """Pictures go to `out`; `store`: settings of the window. With `screen`, all that is on the screen is taken."""
        self.out, self._screen = out, screen
        self.application = application()
        font = self.application.font()
        font.setPointSizeF(FONT)
        self.application.setFont(font)
        settings = Settings(QSettings(str(store), QSettings.Format.IniFormat))
        settings.reduced_motion = True
        self.window = MainWindow(Session(), settings)
        self.window.resize(DEFAULT_SIZE)  # the screen that is none is small
        self.window.offer_plugins(discover(installed_plugins=())[0])
        self.window.reset_layout()
        self.window.show()
        self.canvas, self.stage, self.session = self.window.canvas, self.window.canvas.stage, self.window.session

    def wait(self, ready: Callable[[], bool]) -> None:
        """Let the window work until `ready`."""
        end = time.monotonic() + PATIENCE
        while not ready():
            if time.monotonic() > end:
                raise SystemExit(f"The window does not get ready: {self.window.message.text or 'no message'}")
            self.application.processEvents()
            time.sleep(0.002)

    def open(self, path: Path) -> None:
        """Open a subject and wait for its picture."""
        done: list[int] = []
        self.stage.first_frame.connect(lambda: done.append(1))
        self.window.open(path)
        self.wait(lambda: bool(done) and self.stage.is_still and not self.window.opening.busy)
        self.settle()
        self.window.message.hide()

    def key(self, node: str) -> int:
        """Key of a node."""
        return self.session.graph.key_of[node]

    def mouse(self, kind: QEvent.Type, place: QPoint, *, down: bool) -> None:
        """Send one event of the left button, or of none."""
        moves = kind == QEvent.Type.MouseMove
        button = Qt.MouseButton.NoButton if moves else Qt.MouseButton.LeftButton
        buttons = Qt.MouseButton.LeftButton if down else Qt.MouseButton.NoButton
        spot = self.canvas.mapToGlobal(place)
        event = QMouseEvent(kind, place, spot, button, buttons, Qt.KeyboardModifier.NoModifier)
        self.application.sendEvent(self.canvas, event)

    def click(self, node: str, *, own: bool = False) -> None:
        """Click a segment."""
        place = self.stage.picking.place_of(self.key(node), own=own)
        self.mouse(QEvent.Type.MouseButtonPress, place, down=True)
        self.mouse(QEvent.Type.MouseButtonRelease, place, down=False)

    def lift(self, node: str, onto: str, *, own: bool = False) -> QPoint:
        """Drag a segment onto a container, and hold it there."""
        start = self.stage.picking.place_of(self.key(node), own=own)
        self.mouse(QEvent.Type.MouseButtonPress, start, down=True)
        self.mouse(QEvent.Type.MouseMove, start + QPoint(8, 8), down=True)
        end = self.stage.picking.place_of(self.key(onto), own=True)
        for step in range(1, 9):
            self.mouse(QEvent.Type.MouseMove, start + (end - start) * (step / 8), down=True)
        return end

    def drop(self, place: QPoint) -> None:
        """Let go."""
        self.mouse(QEvent.Type.MouseButtonRelease, place, down=False)
        self.canvas.leaveEvent(None)

    def settle(self, seconds: float = 0.3) -> None:
        """Let the window work for a while: lists are filled and names laid out when nothing else is to be done."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end)
        self.wait(lambda: self.stage.is_still or not self.session.is_open)

    def judged(self) -> None:
        """Wait until it is worked out what the plan comes to."""
        self.wait(lambda: self.window.judging.current is not None)
        self.settle()

    def resize(self, width: int, height: int) -> None:
        """Give the window a size, and its panels their usual places."""
        self.window.setGeometry(0, 0, width, height)
        self.settle(0.1)
        self.tidy()

    def look(self, theme: str) -> None:
        """Light or dark."""
        if self.window.settings.theme != theme:
            self.window.desk.do("theme")

    def do(self, command: str) -> None:
        """Do one of the commands of the menus."""
        self.window.actions_by_name[command].trigger()
        self.settle()

    def type(self, text: str) -> None:
        """Type into the search field."""
        self.window.search.setFocus()
        self.window.search.setText(text)
        self.window.search.textEdited.emit(text)
        self.settle(1.0)

    def reveal_match(self) -> None:
        """Go to the first match, and end the search."""
        first = self.window.searching.matches[0]
        self.window.searching.clear()
        self.canvas.setFocus()
        self.window.desk.reveal(first)

    def tidy(self) -> None:
        """Put all panels where they belong."""
        self.window.reset_layout()
        self.settle()

    def choose_time_range(self, name: str) -> None:
        """Let so much of the history count."""
        choice = self.window.desk.panels["style"].time_range
        row = choice.findText(name)
        choice.setCurrentIndex(row)
        choice.activated.emit(row)
        self.settle()

    def drag_range(self, start: float, end: float) -> None:
        """Drag a range in the timeline, between two shares of what is seen of the history."""
        timeline = self.window.desk.show(TimelinePanel)
        self.wait(lambda: bool(timeline.canvas.plot.panes))
        shape = timeline.canvas.plot.panes[0].shape
        assert isinstance(shape, BoxShape)
        ground = timeline.canvas.ground
        places = [
            QPoint(round(shape.x + share * shape.width), round(shape.y + shape.height * 0.7)) for share in (start, end)
        ]
        steps = [places[0], *(places[0] + (places[1] - places[0]) * (step / 5) for step in range(1, 6))]
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        kinds = [QEvent.Type.MouseButtonPress, *[QEvent.Type.MouseMove] * 5]
        for kind, place in [*zip(kinds, steps, strict=True), (QEvent.Type.MouseButtonRelease, places[1])]:
            button = none if kind == QEvent.Type.MouseMove else left
            buttons = none if kind == QEvent.Type.MouseButtonRelease else left
            spot = ground.mapToGlobal(place)
            event = QMouseEvent(kind, place, spot, button, buttons, Qt.KeyboardModifier.NoModifier)
            self.application.sendEvent(ground, event)
        self.settle(1.0)

    def show_second(self, hierarchy: str, name: str) -> None:
        """Show a second view in another hierarchy, with one of its groups selected."""
        self.do("second_view")
        second = self.window.beside.opened[SECOND_VIEW]
        assert second is not None
        self.wait(lambda: second.session.is_open and second.canvas.stage.is_still)
        second.regrouping.show(hierarchy)
        self.wait(lambda: second.session.view.hierarchy == hierarchy and second.canvas.stage.is_still)
        second.session.select([second.session.graph.names.index(name)])
        self.settle(1.0)
        self.wait(lambda: second.canvas.stage.is_still)

    def open_trace(self, path: Path) -> None:
        """Lay a recording over what is open."""
        self.window.tracing.open_file(path)
        self.traced()

    def traced(self) -> None:
        """Wait until the calls of the window of time are added up."""
        traces = self.session.traces
        self.wait(lambda: bool(traces.opened) and not traces.is_wanted)
        self.settle(1.0)

    def choose_window(self, first: float, last: float) -> None:
        """Look at a part of the time, as shares of it."""
        traces = self.session.traces
        current = traces.current
        assert current is not None
        begin, end = current.trace.span
        window = begin + round((end - begin) * first), begin + round((end - begin) * last)
        traces.look_at(replace(traces.focus, window=window))
        self.traced()

    def open_view(self, name: str, **values: Any) -> None:
        """Open a view of a plugin on the trace, with values of its parameters."""
        opened = self.window.plugin_docks.open(name)
        assert opened is not None
        panel = self.panel = self.window.plugin_docks.docks[opened.name].panel
        self.wait(lambda: panel.prepared)
        for parameter, value in values.items():
            panel.instance.set_value(parameter, value)
        panel.refresh()
        self.settle(1.0)
        self.wait(lambda: not self.window.jobs.running)
        self.settle()

    def close_view(self) -> None:
        """Close the view that was opened last, and its dock."""
        self.window.plugin_docks.docks[self.panel.opened.name].close()
        self.settle()

    def point_at(self, part: str, x: float, y: float) -> None:
        """The pointer rests on a part of the view that was opened last, at shares of its width and height."""
        ground = self.panel.canvases[part].ground
        place = QPoint(round(ground.width() * x), round(ground.height() * y))
        none, spot = Qt.MouseButton.NoButton, ground.mapToGlobal(place)
        move = QMouseEvent(QEvent.Type.MouseMove, place, spot, none, none, Qt.KeyboardModifier.NoModifier)
        self.application.sendEvent(ground, move)
        self.settle()

    def click_at(self, part: str, x: float, y: float) -> None:
        """Click a part of the view that was opened last, at shares of its width and height."""
        self.point_at(part, x, y)
        ground = self.panel.canvases[part].ground
        place = QPoint(round(ground.width() * x), round(ground.height() * y))
        left, none, spot = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton, ground.mapToGlobal(place)
        for kind, held in ((QEvent.Type.MouseButtonPress, left), (QEvent.Type.MouseButtonRelease, none)):
            click = QMouseEvent(kind, place, spot, left, held, Qt.KeyboardModifier.NoModifier)
            self.application.sendEvent(ground, click)
        self.settle()

    def click_row(self, part: str, *texts: str) -> None:
        """Click the first row of a table of the view that was opened last that holds all of these texts."""
        part_of = self.panel.tables[part]
        _to_front(part_of)
        model = part_of.table.model()
        assert model is not None
        for row in range(model.rowCount()):
            cells = [str(model.index(row, column).data()) for column in range(model.columnCount())]
            if all(any(text in cell for cell in cells) for text in texts):
                part_of.table.clicked.emit(model.index(row, 0))
                self.settle(0.5)
                self.wait(lambda: not self.window.jobs.running)
                return
        raise SystemExit(f"No row of {part} holds {', '.join(texts)}.")

    def show_table(self, part: str) -> None:
        """Bring a table of the view that was opened last to the front."""
        _to_front(self.panel.tables[part])
        self.settle(0.5)

    def show_picture(self, part: str) -> None:
        """Bring a canvas of the view that was opened last to the front."""
        _to_front(self.panel.canvases[part])
        self.settle(1.0)

    def press_over(self, part: str, key: str, x: float, y: float) -> None:
        """A key, while the pointer is over a part of the view opened last, at shares of its width and height."""
        self.point_at(part, x, y)
        ground = self.panel.canvases[part].ground
        ground.setFocus()
        letter, text = getattr(Qt.Key, f"Key_{key[0].upper()}{key[1:]}"), key if len(key) == 1 else ""
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            self.application.sendEvent(ground, QKeyEvent(kind, letter, Qt.KeyboardModifier.NoModifier, text))
        self.settle(0.5)

    def show_tab(self, text: str) -> None:
        """Bring a table of the trace to the front."""
        tabs = self.window.desk.panels["traces"].tabs
        tabs.setCurrentIndex([tabs.tabText(tab) for tab in range(tabs.count())].index(text))
        self.settle()

    def take_dialog(self, name: str, command: str) -> None:
        """Save the dialog that a command shows, and close it."""

        def snap() -> None:
            self._save(name)
            dialog = QApplication.activeModalWidget()
            if dialog is not None:
                dialog.close()

        QTimer.singleShot(600, snap)
        self.window.actions_by_name[command].trigger()

    def take_widget(self, name: str, widget: QWidget) -> None:
        """Save what a dialog or a panel shows."""
        self.settle()
        file = self.out / f"{name}.png"
        if not widget.grab().save(str(file), "PNG"):
            raise SystemExit(f"{file} cannot be written.")
        print(file)

    def take_menu(self, name: str, node: str) -> None:
        """Save the menu of a segment."""
        spot = self.canvas.mapToGlobal(self.stage.picking.place_of(self.key(node)))
        self.canvas.menu_requested.emit(spot, self.key(node))
        self.settle()
        self._save(name)
        menu = QApplication.activePopupWidget()
        if menu is not None:
            menu.close()

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front."""
        self.window.desk.raise_panel(name)

    def take(self, name: str) -> None:
        """Save what the window shows as `name`.png."""
        self.wait(lambda: self.stage.is_still or not self.session.is_open)
        self.settle()
        self._save(name)

    def _save(self, name: str) -> None:
        file = self.out / f"{name}.png"
        screen = self.window.screen()
        assert screen is not None
        place = self.window.frameGeometry()
        taken = (
            screen.grabWindow(0, place.x(), place.y(), place.width(), place.height())  # type: ignore[arg-type]  # 0: all of it
            if self._screen
            else self.window.grab()
        )
        if not taken.save(str(file), "PNG"):
            raise SystemExit(f"{file} cannot be written.")
        print(file)

    def close(self) -> None:
        """End, without a question."""
        while self.session.unsaved:
            self.session.undo()
        self.window.close()


def _to_front(part: QWidget) -> None:
    """Bring a part of a view to the front, where it lies behind a tab."""
    tabs = part.parentWidget()
    while tabs is not None and not isinstance(tabs, QTabWidget):
        tabs = tabs.parentWidget()
    if tabs is not None:
        tabs.setCurrentWidget(part)
