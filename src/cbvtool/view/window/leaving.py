"""Signals that end the window: it closes without a question, and what is not saved is kept for the next time.

Python calls a handler of a signal only between two of its own instructions, and a window that waits for events carries
out none. So the system also writes the signal's number into a pipe, which Qt waits for.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable

from qtpy.QtCore import QObject, QSocketNotifier, QTimer
from qtpy.QtWidgets import QApplication, QDialog

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no third


class Leaving(QObject):
    """From its making until `undo`, these signals call `leave`. Signals that are ignored stay ignored.

    status  exit status, as a shell reports a program that the signal ended; 0 = there was none
    """

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__()
        self.status = 0
        self._leave = leave
        self._handlers = {}
        if threading.current_thread() is not threading.main_thread():
            return
        self._hear, self._say = socket.socketpair()
        for end in (self._hear, self._say):
            end.setblocking(False)
        self._before = signal.set_wakeup_fd(self._say.fileno(), warn_on_full_buffer=False)
        for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, lambda number, frame: None)
        number = self._hear.fileno()
        self._notifier = QSocketNotifier(number, QSocketNotifier.Type.Read, self)  # type: ignore[arg-type]  # of stubs
        self._notifier.activated.connect(self._came)

    def undo(self) -> None:
        """Let signals do what they did before."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if self._handlers:
            self._notifier.setEnabled(False)
            signal.set_wakeup_fd(self._before)
            self._hear.close()
            self._say.close()
        self._handlers = {}

    def _came(self) -> None:
        for number in self._hear.recv(64):
            if number in self._handlers and not self.status:
                self.status = 128 + number
                _close_dialogs()
                QTimer.singleShot(0, self._leave)  # once the dialogs have returned to who opened them


def _close_dialogs() -> None:
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog) and widget.isVisible():
            widget.reject()
