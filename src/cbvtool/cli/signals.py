"""Signals that end the program: they clean up like Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP")  # the second one: the terminal was closed; Windows has none


class Ended(KeyboardInterrupt):
    """A signal asked the program to end.

    status  exit status, as a shell reports it
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """While this lasts, these signals raise `Ended`, once: tidying up is not disturbed by a second one.

    A signal that is ignored stays ignored (`nohup`). On another thread than the main one nothing changes.
    """
    found = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    on_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in found if on_main and signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for other in ours:
            signal.signal(other, signal.SIG_IGN)
        raise Ended(number)

    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def ignore_interrupts() -> None:
    """From now on Ctrl-C and the signals above do nothing. Python would tell of one that comes while it ends."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", *NAMES):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
