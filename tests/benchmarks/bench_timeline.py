"""Frames while a range of the timeline is dragged, in the real window: python tests/benchmarks/bench_timeline.py CLONE

Opens CLONE (of a repository with a long history), shows the timeline and drags a range over 40 % of what is seen, in
120 moves of the mouse; after each, the window may paint. Prints the frames of the 3D picture a second, by processor
time (all threads) and by the clock, for two sizes of the window. Without a screen; VTK draws as it does everywhere.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))

from qtpy.QtCore import QEvent, QPointF, QSettings, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication, QWidget

from cbvtool.geometry.camera import Camera
from cbvtool.plots.panes import BoxShape
from cbvtool.session import Session
from cbvtool.view.canvas.frames import Frames
from cbvtool.view.panels.timeline.timeline_panel import TimelinePanel
from cbvtool.view.toolkit.application import application
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow

SIZES = ((960, 640), (1440, 900))
MOVES = 120
PATIENCE = 600.0  # seconds


def wait(qt: QApplication, ready: Callable[[], bool]) -> None:
    """Let the window work until `ready`."""
    end = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise SystemExit("The window does not get ready.")
        qt.processEvents()
        time.sleep(0.002)


def main(clone: Path) -> None:
    """Print a line for each size."""
    qt = application()
    store = Path(tempfile.mkdtemp(prefix="cbvtool-bench-"), "settings.ini")
    window = MainWindow(Session(), Settings(QSettings(str(store), QSettings.Format.IniFormat)))
    window.show()
    window.open(clone)
    session, stage = window.session, window.canvas.stage
    wait(qt, lambda: session.project is not None and not session.project.partial and stage.is_still)
    panel = window.desk.show(TimelinePanel)
    wait(qt, lambda: bool(panel.canvas.plot.panes) and panel.canvas.plot.panes[0].name == "time")
    wait(qt, lambda: not window.jobs.running)  # changed lines are counted
    frames, quick = [0], Frames.draw_quickly

    def counted(drawn: Frames, camera: Camera) -> None:
        frames[0] += 1
        quick(drawn, camera)

    Frames.draw_quickly = counted  # type: ignore[assignment,method-assign]  # the frames are to be counted
    changes = session.time_ranges.changes
    assert changes is not None
    print(f"{clone.name}: {len(changes.sha):,} commits, {len(session.graph):,} nodes")
    for size in SIZES:
        window.resize(*size)
        session.time_ranges.choose((None, None))
        wait(qt, lambda: stage.is_still)
        ground, pane = panel.canvas.ground, panel.canvas.plot.panes[0]
        shape = pane.shape
        assert isinstance(shape, BoxShape)

        def send(kind: QEvent.Type, share: float, ground: QWidget = ground, shape: BoxShape = shape) -> None:
            place = QPointF(shape.x + share * shape.width, shape.y + shape.height * 0.7)
            left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
            button = none if kind == QEvent.Type.MouseMove else left
            held = none if kind == QEvent.Type.MouseButtonRelease else left
            event = QMouseEvent(kind, place, button, held, Qt.KeyboardModifier.NoModifier)
            qt.sendEvent(ground, event)

        send(QEvent.Type.MouseButtonPress, 0.3)
        frames[0], clock, processor = 0, time.perf_counter(), time.process_time()
        for move in range(MOVES):
            send(QEvent.Type.MouseMove, 0.3 + 0.4 * move / MOVES)
            qt.processEvents()
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        send(QEvent.Type.MouseButtonRelease, 0.7)
        wide, tall = window.width(), window.height()
        print(
            f"{wide} x {tall}: {frames[0]} frames, {1000 * processor / frames[0]:.0f} ms of processor time each: "
            f"{frames[0] / processor:.1f} a second; by the clock {frames[0] / clock:.1f} a second"
        )
    window.leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
