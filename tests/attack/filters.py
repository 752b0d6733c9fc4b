"""Hostile filters in the window: `python -m tests.attack.filters [--patterns 200] [--files 8000] [--seed N] [--where]`.

A window shows a folder of so many files with nasty names (`tests/hostile_patterns.py`). Each pattern becomes the
filter of nodes; every other one is cancelled after a while, and some are followed by a step of the plan that makes a
name. What must hold: the event loop never rests for more than 200 ms, Cancel takes 2 s at most, and an ordinary
pattern still finds afterwards. What this thread, or one that draws for it, waits for a processor that others use is
not counted. Prints for each pattern the longest rest, this thread's processor time meanwhile, what is left of the rest
(it waited for the lock of Python, or for what somebody else does), and the seconds of Cancel; with --where, also where
this thread is when it rests for long.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.attack.attack import ENDING, PAUSE, _screen
from tests.attack.window import _beat, _waited, _waiting, _watch
from tests.hostile_patterns import hostile_patterns, nasty_names

BEAT = 0.005  # seconds between two looks at events
LONGEST = 8.0  # seconds for one pattern: the five that its search may take, and what follows
FIRST_CANCEL, EVERY_CANCEL, EVERY_STEP = 0.02, 2, 5


class Loop:
    """The event loop of a window, turned by hand.

    rested, busy   the longest rest in seconds, and the processor time of this thread during it
    """

    def __init__(self) -> None:
        from cbvtool.view.toolkit.application import application

        self.qt = application()
        self.rested = self.busy = 0.0

    def turn(self, seconds: float) -> None:
        """Answer events for so long."""
        end = time.monotonic() + seconds
        last, waited, used = time.monotonic(), _waited(), time.thread_time()
        while last < end:
            self.qt.processEvents()
            time.sleep(BEAT)
            now, waits, uses = time.monotonic(), _waited(), time.thread_time()
            _beat[0] = now
            if (rest := now - last - BEAT - (waits - waited)) > self.rested:
                self.rested, self.busy = rest, uses - used
            last, waited, used = now, waits, uses


def waits() -> dict[str, float]:
    """Thread -> seconds that it was ready to run and others ran."""
    return {task.name: _waiting(task) for task in Path("/proc/self/task").iterdir()}


def attack(files: int, patterns: list[str], where: bool) -> int:
    """Number of patterns that something did not hold for."""
    import faulthandler

    from cbvtool.session import Session
    from cbvtool.view.window.main_window import MainWindow

    faulthandler.enable()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        for name in nasty_names(files):
            Path(folder, name).touch()
        loop = Loop()
        window = MainWindow(Session())
        window.resize(1400, 900)
        window.show()
        if where:
            threading.Thread(target=_watch, args=(threading.get_ident(),), daemon=True).start()
        window.opening.how = {"cache": False}
        loop.turn(3.0)
        window.open(Path(folder))
        while window.opening.busy or not window.session.is_open:
            loop.turn(0.1)
        loop.turn(5.0)
        session, making = window.session, window.main_view.scene_making
        worst = [0.0, 0.0]
        for number, text in enumerate(("kind:file", "kind:folder", "", *(f"/{pattern}/" for pattern in patterns)), -3):
            loop.rested, begin, cancel = 0.0, time.monotonic(), 0.0
            session.set_view(only=text)
            if number < 0:
                pass  # for comparison: what showing another picture takes, without any pattern
            elif number % EVERY_CANCEL:
                loop.turn(FIRST_CANCEL * (number % 20))
                if making.busy:
                    asked, used, waited = time.monotonic(), time.process_time(), waits()
                    window.jobs.cancel()
                    while making.busy and time.monotonic() - asked < 3 * LONGEST:
                        loop.turn(BEAT)
                    others = max((now - waited.get(task, 0.0) for task, now in waits().items()), default=0.0)
                    # Nothing sleeps, so that it takes no longer than what all threads do.
                    cancel = min(time.monotonic() - asked - others, time.process_time() - used)
            elif number % EVERY_STEP == 0:
                session.create(session.graph.root, f"made{number}")
            while (making.busy or session.is_late) and time.monotonic() - begin < 2 * LONGEST:
                loop.turn(0.05)
            loop.turn(0.5)
            worst = [max(worst[0], loop.rested), max(worst[1], cancel)]
            wrong = ["the loop rested"] * (loop.rested > PAUSE) + ["Cancel took long"] * (cancel > ENDING)
            wrong += ["the picture is still being made"] * (making.busy or session.is_late)
            failed += bool(wrong)
            print(
                f"{loop.rested * 1000:5.0f} ms, {loop.busy * 1000:5.0f} ms of processor, "
                f"{max(0.0, loop.rested - loop.busy) * 1000:5.0f} ms else, cancel {cancel:5.2f} s  "
                f"{text[:80]} {', '.join(wrong).upper()}",
                flush=True,
            )
        session.set_view(only="/^a{99}/")
        while making.busy or session.is_late or session.scene().unsearched:
            loop.turn(0.05)
        found = files - len([key for key in session.scene().filtered if session.graph.kind(key) == "file"])
        failed += found != -(-files // 3)
        session.travel(0)  # else closing would ask whether to save
        while making.busy or session.first_job is not None:
            loop.turn(0.05)
        window.close()
    print(f"{len(patterns)} patterns, {failed} bad; longest rest {worst[0] * 1000:.0f} ms, Cancel {worst[1]:.2f} s")
    return failed


def main() -> int:
    """Exit status 0 when all held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patterns", type=int, default=200)
    parser.add_argument("--files", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--where", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, _screen() as display:
        if not display:
            print("An X server is needed: install xvfb.", file=sys.stderr)
            return 2
        os.environ |= {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "DATA", "CACHE", "STATE")} | {"DISPLAY": display}
        return 1 if attack(chosen.files, hostile_patterns(chosen.patterns, chosen.seed), chosen.where) else 0


if __name__ == "__main__":
    sys.exit(main())
