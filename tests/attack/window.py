"""The window under attack: window.py SUBJECT FILE [--where] opens it, cancels after some seconds, and is closed.

Into FILE go, as JSON, the longest rest of the event loop from the moment of opening on, and the seconds that Cancel and
closing took.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from pathlib import Path

from qtpy.QtCore import QTimer

from cbvtool.session import Session
from cbvtool.view.toolkit.application import application
from cbvtool.view.window.main_window import MainWindow

WORKING, PATIENCE, CALM, BEAT = 5.0, 15.0, 0.05, 5  # three times seconds, milliseconds


_beat = [0.0]


def _waited() -> float:
    """Seconds that this thread was ready to run and others ran; 0 where the system does not tell.

    OpenGL without a graphics card draws in threads of its own, for which this one waits: theirs, of the one that had to
    wait most, are added.
    """
    return _waiting(Path("/proc/thread-self")) + max(map(_waiting, _drawing()), default=0.0)


def _waiting(task: Path) -> float:
    try:
        return int((task / "schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


_tasks: dict[str, bool] = {}  # thread -> whether it draws


def _drawing() -> list[Path]:
    found = []
    for task in Path("/proc/self/task").iterdir():
        if task.name not in _tasks:
            try:
                _tasks[task.name] = (task / "comm").read_text().startswith("llvmpipe")
            except OSError:  # ended since the folder was listed
                continue
        if _tasks[task.name]:
            found.append(task)
    return found


def _watch(thread: int) -> None:
    """Tell where the window's thread is whenever it does not answer for a while: for whoever looks for the reason."""
    while True:
        time.sleep(0.02)
        if _beat[0] and (rest := time.monotonic() - _beat[0]) > 0.15:
            stack = traceback.format_stack(sys._current_frames()[thread])
            print(f"{rest:.2f}", *stack[-6:], file=sys.stderr, flush=True)


def main() -> None:
    """Runs the window."""
    subject, file = Path(sys.argv[1]), Path(sys.argv[2])
    qt = application()
    window = MainWindow(Session())
    window.show()
    rested = 0.0
    if "--where" in sys.argv:
        threading.Thread(target=_watch, args=(threading.get_ident(),), daemon=True).start()

    def turn(seconds: float) -> None:
        """Answer events for so long."""
        nonlocal rested
        end = last = time.monotonic()
        end += seconds
        before = _waited()
        while last < end:
            qt.processEvents()
            time.sleep(BEAT / 1000)
            now, waited = time.monotonic(), _waited()
            _beat[0] = now
            rested = max(rested, now - last - BEAT / 1000 - (waited - before))
            last, before = now, waited

    def calm() -> None:
        """Answer events until all is loaded and drawn: nothing takes long for a second."""
        nonlocal rested
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            rested = 0.0
            turn(1.0)
            if rested < CALM and not window.opening.busy:
                break

    timer = QTimer()
    timer.start(BEAT)
    window.opening.how = {"cache": False}
    calm()
    plain = subject.parent / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("def f():\n    return 1\n")
    window.open(plain)  # the first picture compiles what draws it
    calm()
    patience = time.monotonic() + 4 * PATIENCE
    while not window.session.is_open and time.monotonic() < patience:
        turn(0.5)
    if not window.session.is_open:  # then no attack could harm anything
        raise RuntimeError(f"the plain folder is not shown: {window.message.text}")
    rested = 0.0
    begin = time.monotonic()
    window.open(subject)
    while window.opening.busy and time.monotonic() - begin < WORKING:
        turn(0.05)
    cancelled = time.monotonic()
    window.jobs.cancel()
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
