"""The window of the soak: `cbvtool.app` as it is, with a heart that beats where soak.py can hear it.

window.py FOLDER SUBJECT [--plant FAULT]: writes into FOLDER
    beat     one line of JSON, a few times a second: see `Heart`
    log      what the program logs from warnings on, exceptions with their traces; where it hangs, on SIGUSR1
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from qtpy.QtCore import QObject, QTimer
from qtpy.QtWidgets import QApplication

from cbvtool import app
from cbvtool.view.application import application
from cbvtool.view.main_window import MainWindow

EVERY = 50  # ms between two beats
WRITTEN = 5  # every so many beats


class Heart(QObject):
    """Beats while events are answered.

    What is written: the beats so far, the longest gap between two in seconds, the window's id once it is shown and
    has something in it, and whether work is under way.
    """

    def __init__(self, file: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._file = file
        self._beats = 0
        self._last = time.monotonic()
        self._gap = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._beat)
        self._timer.start(EVERY)

    def _beat(self) -> None:
        now = time.monotonic()
        self._gap, self._last = max(self._gap, now - self._last), now
        self._beats += 1
        if self._beats % WRITTEN:
            return
        window = main_window()
        ready = window is not None and window.session.is_open and window.canvas.stage.shown is not None
        told = {
            "beats": self._beats, "gap": round(self._gap, 3), "window": int(window.winId()) if window and ready else 0,
            "busy": window is not None and window.opening.busy,
        }  # fmt: skip
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(told))
        os.replace(fresh, self._file)


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
    "exception": _raise, "hang": _hang, "leak": _leak, "thread": _thread, "stderr": _complain, "death": _quit,
}  # fmt: skip


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
    parser.add_argument("--plant", choices=FAULTS)
    chosen = parser.parse_args()
    log = (chosen.folder / "log").open("w", buffering=1)
    logging.basicConfig(level=logging.WARNING, stream=log, format="%(levelname)s %(name)s: %(message)s")
    logging.captureWarnings(True)
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, file=log)
    qt = application()
    Heart(chosen.folder / "beat", qt)
    if chosen.plant:
        plant(FAULTS[chosen.plant], qt)
    return app.main(chosen.subject)


if __name__ == "__main__":
    raise SystemExit(main())
