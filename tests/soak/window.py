"""The window of the soak: `cbvtool.app` as it is, with a heart that beats where soak.py can hear it.

window.py FOLDER SUBJECT [--trace RECORDING] [--plant FAULT]: writes into FOLDER
    beat     one line of JSON, a few times a second: see `Heart`
    log      what the program logs from warnings on, exceptions with their traces; where it hangs, on SIGUSR1
    slow     where it was each time that it did not answer for a second

On SIGUSR2 it goes back to its first state and measures itself there: see `Rest`.
With a recording, views of it are open.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TextIO

from qtpy.QtCore import QObject, QThread, QTimer
from qtpy.QtWidgets import QApplication

from cbvtool import app
from cbvtool.hierarchies import FOLDERS
from cbvtool.view.toolkit.application import application
from cbvtool.view.toolkit.memory import trim
from cbvtool.view.window.main_window import DEFAULT_SIZE, MainWindow
from cbvtool.view.window.second_view import SECOND_VIEW

EVERY = 50  # ms between two beats
WRITTEN = 5  # every so many beats
SLOW = 1.0  # seconds without a beat after which `slow` tells where it is
PAUSES = (0.1, 0.2, 0.5, 1.0)  # seconds beyond the usual: so long pauses are counted
TRACE_VIEWS = ("tracevis", "tracevis", "fusion", "sync", "busy")
STILL = 8  # beats without work until a state is taken for settled
MIB = 2**20


class Heart(QObject):
    """Beats while events are answered.

    What is written: the beats so far, the longest gap between two in seconds, how many were longer than `PAUSES`, the
    window's id once it is shown and has something in it, whether work is under way, and what `Rest` found out.
    """

    def __init__(self, file: Path, slow: TextIO, parent: QObject, traced: bool = False) -> None:
        super().__init__(parent)
        self._traced = traced
        self._pauses = [0] * len(PAUSES)
        self._file, self._slow = file, slow
        self._beats = 0
        self._last = time.monotonic()
        threading.Thread(target=self._watch, args=(threading.get_ident(),), daemon=True).start()
        self._rest: Rest | None = None
        self._wanted = False
        self._gap = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._beat)
        self._timer.start(EVERY)

    def want_rest(self) -> None:
        """Go to rest with the next beat."""
        self._wanted = True

    def _watch(self, thread: int) -> None:
        """Tell once of each long silence; on a thread of its own. (That of faulthandler reads frames in use.)"""
        told = -1
        while True:
            time.sleep(0.1)
            if time.monotonic() - self._last > SLOW and self._beats != told:
                told = self._beats
                stack = traceback.format_stack(sys._current_frames()[thread])
                print("Timeout", *reversed(stack), file=self._slow, flush=True)

    def _beat(self) -> None:
        now = time.monotonic()
        gap = now - self._last
        self._gap, self._last = max(self._gap, gap), now
        if self._rest is not None:
            self._pauses = [count + (gap > EVERY / 1000 + p) for count, p in zip(self._pauses, PAUSES, strict=True)]
        self._beats += 1
        window = main_window()
        ready = window is not None and window.session.is_open and window.canvas.stage.shown is not None
        if window and ready and not window.opening.busy:
            traced = self._traced and not window.session.traces.is_wanted and window.session.traces.current is not None
            if self._rest is None and (traced or not self._traced):
                self._rest = Rest(window, TRACE_VIEWS if traced else ())
            if self._wanted and self._rest is not None:
                self._wanted = False
                self._rest.begin()
            if self._rest is not None and self._rest.step():
                self._last = time.monotonic()  # measuring takes a while, too
        if self._beats % WRITTEN:
            return
        told = {
            "beats": self._beats,
            "gap": round(self._gap, 3),
            "window": int(window.winId()) if window and ready else 0,
            "busy": window is not None and (window.opening.busy or self._rest is None),
            "pauses": self._pauses,
            "rests": self._rest.found if self._rest else [],
        }
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(told))
        os.replace(fresh, self._file)


class Rest:
    """Brings the window back to how it was when its subject was read, and measures there; then on with the plan.

    found   for each rest: memory in MiB, objects of Python, widgets
    """

    def __init__(self, window: MainWindow, views: tuple[str, ...] = ()) -> None:
        """views: of traces, that are opened again after each rest."""
        self._window, self._first = window, window.session.view
        self._views = views
        self._theme = window.settings.theme
        self._planned = 0
        self._still = 0
        self._steps: list[Callable[[], None]] = []
        self.found: list[tuple[float, int, int]] = []
        self._open()

    def _open(self) -> None:
        for name in self._views:
            self._window.plugin_docks.open(name)

    def begin(self) -> None:
        """Start with it."""
        self._steps = [self._close, self._back, self._look, self._fit, self._measure]

    def step(self) -> bool:
        """Do the next thing once the last one has settled; whether there was one."""
        window = self._window
        stage = window.canvas.stage
        works = window.session.is_late or not stage.is_still
        works |= any(job.isRunning() for job in window.findChildren(QThread))
        self._still = 0 if works else self._still + 1
        if not self._steps or self._still < STILL:
            return False
        self._still = 0
        self._steps.pop(0)()
        return True

    def _close(self) -> None:
        """Whatever lies over the picture, stands beside it, or is not finished; folders again."""
        window = self._window
        for widget in QApplication.topLevelWidgets():
            if widget is not window and widget.isVisible():
                widget.close()
        window.canvas.cancel_drag()
        window.canvas.cancel_region()
        window.beside.close(SECOND_VIEW)
        for dock in list(window.plugin_docks.docks.values()):
            dock.close()
        window.searching.clear()
        window.hierarchies.show(FOLDERS)

    def _back(self) -> None:
        session = self._window.session
        self._planned = len(session.history.done) if session.history else 0
        session.travel(0)

    def _look(self) -> None:
        window = self._window
        if window.settings.theme != self._theme:
            window.desk.do("theme")
        window.session.set_view(**{field.name: getattr(self._first, field.name) for field in fields(self._first)})
        window.showNormal()
        window.reset_layout()
        window.resize(DEFAULT_SIZE)
        window.move(100, 60)

    def _fit(self) -> None:
        self._window.canvas.stage.fit()

    def _measure(self) -> None:
        """What timers do within ten seconds is done at once; then the plan is as it was."""
        gc.collect()
        if (renderer := self._window.canvas.stage.renderer) is not None:
            renderer.rest()
            renderer.rest()  # what is not used since the first
        if (give := trim()) is not None:
            give()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        taken = round(pages * os.sysconf("SC_PAGESIZE") / MIB, 1)
        self.found.append((taken, len(gc.get_objects()), len(QApplication.allWidgets())))
        self._window.session.travel(self._planned)
        self._open()


def main_window() -> MainWindow | None:
    """The window, once it is made."""
    return next((widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)), None)


def _raise() -> None:
    raise ValueError("planted")


def _hang() -> None:
    time.sleep(3600)


def _leak() -> None:
    _kept.append(bytearray(os.urandom(1)) * 40_000_000)


def _thread() -> None:
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()


def _complain() -> None:
    os.write(2, b"planted\n")


def _quit() -> None:
    os._exit(3)


_kept: list[bytearray] = []
# What goes wrong, again and again, a second after the window shows something: to see that the soak notices.
FAULTS: dict[str, Callable[[], None]] = {
    "exception": _raise,
    "hang": _hang,
    "leak": _leak,
    "thread": _thread,
    "stderr": _complain,
    "death": _quit,
}


def plant(fault: Callable[[], None], parent: QObject) -> None:
    """Let it go wrong."""
    timer = QTimer(parent)
    timer.timeout.connect(lambda: fault() if (shown := main_window()) and shown.session.is_open else None)
    timer.start(1000)


def main() -> int:
    """Open the window on the subject; its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("subject", type=Path)
    parser.add_argument("--trace", type=Path)
    parser.add_argument("--plant", choices=FAULTS)
    chosen = parser.parse_args()
    log = (chosen.folder / "log").open("w", buffering=1)
    logging.basicConfig(level=logging.WARNING, stream=log, format="%(levelname)s %(name)s: %(message)s")
    logging.captureWarnings(True)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, file=log)
    qt = application()
    heart = Heart(chosen.folder / "beat", (chosen.folder / "slow").open("w"), qt, chosen.trace is not None)
    signal.signal(signal.SIGUSR2, lambda *_: heart.want_rest())
    if chosen.plant:
        plant(FAULTS[chosen.plant], qt)
    return app.main(chosen.subject, trace=chosen.trace)


if __name__ == "__main__":
    raise SystemExit(main())
