"""How soon Cancel is answered, for each kind of background work in the window: bench_cancel.py [--only NAME ...].

The kinds are those of `tests/view/test_jobs.py`, begun in the real window of the sample project; work that never ends
by itself stands for what they do: it reports progress every 5 ms where the real work does, or cannot stop. Milliseconds
by the clock from the click on Cancel:

window   until the status bar has said what was cancelled, and the window has handled all its events
thread   until the thread of the work has ended; "goes on" where it cannot stop: its result is dropped, and the window
         has begun other work in a thread of its own meanwhile
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))
sys.path.insert(0, str(Path(__file__).parents[2]))

import pytest
from qtpy.QtCore import QEvent, QObject, QSettings, Qt, QThread
from qtpy.QtTest import QTest
from qtpy.QtWidgets import QApplication, QMessageBox

from cbvtool.drawing.renderer import Renderer
from cbvtool.errors import Cancelled
from cbvtool.progress import Progress
from cbvtool.project import Project, open_project
from cbvtool.rules import read_rules
from cbvtool.session import Session, picture
from cbvtool.view.toolkit import jobs as jobs_module
from cbvtool.view.toolkit.application import application
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.sample import make_sample, sample_script
from tests.view.test_jobs import KINDS, Begin, shown_jobs

PATIENCE = 30.0  # seconds


class Stopwatch:
    """Work that never ends by itself, and when its thread ended."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()
        self.can_stop = False
        self.ended = 0.0

    def work(self, progress: Progress | None) -> object:
        """Stands for the work of a job; `progress` is None where that cannot stop."""
        self.can_stop = progress is not None
        thread: Any = QThread.currentThread()  # the stubs know no kind of connection
        thread.finished.connect(self._end, Qt.ConnectionType.DirectConnection)
        self.begun.set()
        while progress is not None:
            progress("working", 1, 2)
            time.sleep(0.005)
        self.let_go.wait(PATIENCE)
        raise Cancelled

    def _end(self) -> None:
        self.ended = time.perf_counter()


def until(loop: QApplication, condition: Callable[[], bool]) -> None:
    """Let the window work until `condition` holds."""
    end = time.perf_counter() + PATIENCE
    while not condition():
        loop.processEvents()
        time.sleep(0.001)
        if time.perf_counter() > end:
            raise TimeoutError("the window is stuck")


def opened(project: Project, folder: Path, loop: QApplication) -> MainWindow:
    """A window on the sample project that stands still and asks nothing."""
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    settings.reduced_motion = True
    window = MainWindow(Session(), settings)
    window.resize(900, 600)
    window.show()
    window.session.rules = read_rules(project.path)
    window.session.open(project)
    window.session.set_view(expanded=frozenset({window.session.graph.key_of["shop"]}))
    until(loop, lambda: window.canvas.stage.is_still and not window.jobs.running)
    return window


def measure(begin: Begin, project: Project, folder: Path, loop: QApplication) -> tuple[float, float | None]:
    """Seconds from the click to a free window, and to the end of the thread; None = it goes on."""
    watch = Stopwatch()
    with pytest.MonkeyPatch.context() as always, pytest.MonkeyPatch.context() as patch:
        always.setattr(Renderer, "warm_up", lambda _renderer: iter(()))
        always.setattr(jobs_module, "SHOWN_AFTER", 0)
        window = opened(project, folder, loop)
        always.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
        begin(window, patch, watch.work)
        status, mouse = window.status, cast("Any", QTest)  # the stubs take its functions for methods
        until(loop, lambda: watch.begun.is_set() and status.cancel.isVisible() and bool(shown_jobs(window)))
        start = time.perf_counter()
        mouse.mouseClick(status.cancel, Qt.MouseButton.LeftButton)
        patch.undo()  # what is begun anew ends
        always.setattr(picture, "HUGE", 0)
        loop.processEvents()
        until(loop, lambda: status.last.text().startswith("Cancelled"))
        loop.processEvents()
        free = time.perf_counter() - start
        if watch.can_stop:
            until(loop, lambda: watch.ended > 0)
        else:
            found: list[int] = []
            window.jobs.run(QObject(window), "Other work", lambda _: 1, found.append, print)
            until(loop, lambda: bool(found))
            assert not watch.ended
        watch.let_go.set()
        window.close()
        window.deleteLater()
        loop.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))  # before Python collects its parts
    return free, watch.ended - start if watch.can_stop else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="kinds, by the names of functions there")
    only = parser.parse_args().only
    loop, script = application(), sample_script()
    assert script is not None
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name}_HOME": scratch for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        sample = make_sample(Path(scratch), script)
        print("| kind of work | window, ms | thread, ms |\n| --- | ---: | ---: |")
        for begin in KINDS:
            name = begin.__name__
            if only is None or name in only:
                free, ended = measure(begin, open_project(sample), Path(tempfile.mkdtemp(dir=scratch)), loop)
                thread = "goes on" if ended is None else f"{1000 * ended:,.0f}"
                print(f"| {name.replace('_', ' ')} | {1000 * free:,.0f} | {thread} |", flush=True)
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
