"""From a saved file to the picture, in the real window: python tests/benchmarks/bench_follow.py FOLDER FILE [--times N]

FOLDER is followed in a window without a screen, with a cache of its own; FILE is a path in it that gets a remark at its
end N times (and is put back). Prints median and 95th percentile of the time from saving to the picture, by the clock
and in processor time of the process, and the longest time for which the window's thread was at work between two rounds
of its event loop.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

from qtpy.QtCore import QSettings, QTimer

from cbvtool.project import open_project
from cbvtool.session import Session
from cbvtool.view.toolkit.application import application
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow

TICK = 5  # ms


class Pauses:
    """The longest time between two ticks of the event loop, by the clock and of the window's thread alone."""

    def __init__(self) -> None:
        self.wall = self.processor = 0.0
        self._last = (time.perf_counter(), time.thread_time())
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK)

    def _tick(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        self.wall = max(self.wall, now[0] - self._last[0])
        self.processor = max(self.processor, now[1] - self._last[1])
        self._last = now

    def begin(self) -> None:
        """Forget what was."""
        self.wall = self.processor = 0.0


def at_most(percent: int, taken: Sequence[float]) -> float:
    """What `percent` of the times do not exceed: one of them, the largest where there are few."""
    return sorted(taken)[math.ceil(len(taken) * percent / 100) - 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        qt = application()
        settings = Settings(QSettings(str(Path(scratch) / "settings.ini"), QSettings.Format.IniFormat))
        window = MainWindow(Session(), settings)
        cache = options.cache or Path(scratch)
        window.opening.how = {"cache": cache}
        window.show()
        window.session.open(open_project(options.folder, cache=cache))
        pauses, looks = Pauses(), list[float]()
        window.work_tree.looked.connect(lambda: looks.append(time.perf_counter()))

        def wait(count: int) -> None:
            while len(looks) < count or not window.canvas.stage.is_still:
                qt.processEvents()
                time.sleep(0.001)

        window.work_tree.switch()
        wait(1)
        file = options.folder / options.file
        before = file.read_bytes()
        remark = b"# %d\n" if file.suffix == ".py" else b"// %d\n"
        walls, cpus, paused = list[float](), list[float](), list[tuple[float, float]]()
        try:
            for number in range(options.times):
                pauses.begin()
                began, cpu = time.perf_counter(), time.process_time()
                file.write_bytes(before + b"\n" * number + remark % number)
                wait(number + 2)
                walls.append(time.perf_counter() - began)
                cpus.append(time.process_time() - cpu)
                paused.append((pauses.processor * 1000, pauses.wall * 1000))
        finally:
            file.write_bytes(before)
        print(window.session.project.graph if window.session.project else "")
        for name, taken in (("by the clock", walls), ("processor", cpus)):
            print(f"save to picture, {name}: median {median(taken):.2f} s, p95 {at_most(95, taken):.2f} s")
        print("longest pauses, ms of processor (clock):", ", ".join(f"{cpu:.0f} ({wall:.0f})" for cpu, wall in paused))
        window.leave()


if __name__ == "__main__":
    main()
