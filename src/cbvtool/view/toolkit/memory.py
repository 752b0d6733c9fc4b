"""Gives memory back that is free already: glibc keeps what lies between blocks in use, soon hundreds of MiB."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

from qtpy.QtCore import QObject, QTimer

EVERY = 10_000  # ms; takes some 20 ms where there is much to give back, else less than one


def trim() -> Callable[[], None] | None:
    """What gives it back; None where the C library does that by itself."""
    if not sys.platform.startswith("linux"):
        return None
    found = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if found is None:
        return None

    def give() -> None:
        found(0)

    return give


def give_back(parent: QObject) -> None:
    """Do it every few seconds as long as `parent` lives."""
    if (give := trim()) is None:
        return
    timer = QTimer(parent)
    timer.setInterval(EVERY)
    timer.timeout.connect(give)
    timer.start()
