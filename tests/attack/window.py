"""The window under attack: window.py SUBJECT FILE opens the subject, cancels after some seconds, and is closed.

Into FILE go, as JSON, the longest rest of the event loop from the moment of opening on, and the seconds that Cancel and
closing took.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from qtpy.QtCore import QTimer

from cbvtool.session import Session
from cbvtool.view.application import application
from cbvtool.view.main_window import MainWindow

WORKING, PATIENCE, BEAT = 5.0, 15.0, 5  # seconds, seconds, milliseconds


def main() -> None:
    """Runs the window."""
    subject, file = Path(sys.argv[1]), Path(sys.argv[2])
    qt = application()
    window = MainWindow(Session({}))
    window.show()
    rested = 0.0

    def turn(seconds: float) -> None:
        """Answer events for so long."""
        nonlocal rested
        end = last = time.monotonic()
        end += seconds
        while last < end:
            qt.processEvents()
            time.sleep(BEAT / 1000)
            now = time.monotonic()
            rested = max(rested, now - last - BEAT / 1000)
            last = now

    timer = QTimer()
    timer.start(BEAT)
    turn(3.0)  # until all is loaded
    rested = 0.0
    window.opening.how = {"cache": False}
    begin = time.monotonic()
    window.open(subject)
    while window.opening.busy and time.monotonic() - begin < WORKING:
        turn(0.05)
    cancelled = time.monotonic()
    window.opening.cancel()
    while window.opening.busy and time.monotonic() - cancelled < PATIENCE:
        turn(0.05)
    told = {"cancel": time.monotonic() - cancelled}
    turn(0.5)
    told["pause"] = rested
    closed = time.monotonic()
    window.close()
    told["close"] = time.monotonic() - closed
    file.write_text(json.dumps(told))


if __name__ == "__main__":
    main()
