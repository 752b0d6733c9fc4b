"""Returns free memory to the system, because glibc keeps gaps between used blocks, up to hundreds of MiB."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

from qtpy.QtCore import QObject, QTimer

EVERY = 10_000  # ms between two calls; a call takes about 20 ms if there is much to return, else less than one


def trim() -> Callable[[], None] | None:
    """A function that returns free memory; None if the C library does so itself."""
    if not sys.platform.startswith("linux"):
        return None
    found = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if found is None:
        return None

    def give() -> None:
        found(0)

    return give


def give_back(parent: QObject) -> None:
    """Call it every few seconds as long as `parent` exists."""
    if (give := trim()) is None:
        return
    timer = QTimer(parent)
    timer.setInterval(EVERY)
    timer.timeout.connect(give)
    timer.start()
