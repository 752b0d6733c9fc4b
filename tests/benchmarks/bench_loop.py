"""The longest time for which SyncTrace holds the window's thread up: python tests/benchmarks/bench_loop.py [CALLS]

43 threads, 100,000 waits (see bench_sync), 1600 x 1000, the loop of Qt without a screen: what lies between two rounds
of the loop, by processor time of the window's thread and by the clock, while the wheel turns over a thread, the pointer
moves, all threads take another window, the canvas changes its size, and the worker hands curves over.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from qtpy.QtCore import QObject, QPoint, Signal
from qtpy.QtWidgets import QApplication

from cbvtool.api import Need, Plot, Viewport
from cbvtool.plots.filling import warm_up
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.view.plots.plot_canvas import PIECE
from plugins.synctrace.view import SyncTraceView
from tests.benchmarks.bench_sync import waiting_trace
from tests.benchmarks.bench_traces import nested_trace
from tests.plugin_views.opened import opened
from tests.view.pointer import point
from tests.view.shown_view import ShownView


class Piecewise(ShownView):
    """As a panel draws it: at rest in pieces; curves that follow come from a thread.

    begun   needs, and what is handed over of each
    """

    def __init__(self, instance: ViewInstance) -> None:
        super().__init__(instance, "main", (1600, 1000))
        self.begun: list[tuple[Need, list[object]]] = []

    def _draw(self, viewport: Viewport) -> Plot | None:
        found = self.instance.draw_within(self.part, viewport, math.inf if viewport.moving else PIECE)
        assert found is None or isinstance(found, Plot)
        return found

    def work(self) -> None:
        """Begin what is needed, each on a thread of its own."""
        for need in self.instance.wanted():
            handed: list[object] = []
            self.begun.append((need, handed))
            threading.Thread(target=self._make, args=(need, handed)).start()

    def _make(self, need: Need, handed: list[object]) -> None:
        handed.append(make(need, first=handed.append))

    def take(self) -> None:
        """Show what the threads have handed over."""
        for need, handed in self.begun:
            if handed and self.instance.needs.first(need, handed.pop(0)):
                self.canvas.refresh()


class Rounds(QObject):
    """Notes what lies between events that another thread sends every 5 ms, as mouse and keys would come."""

    sent = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.sent.connect(self._round)
        self.over = threading.Event()
        self._last = self._now()
        self.times: list[tuple[float, float]] = []
        self._sender = threading.Thread(target=self._send)
        self._sender.start()

    def _send(self) -> None:
        while not self.over.wait(0.005):
            self.sent.emit()

    def _now(self) -> tuple[float, float]:
        return time.thread_time(), time.perf_counter()

    def _round(self) -> None:
        now = self._now()
        self.times.append((now[0] - self._last[0], now[1] - self._last[1]))
        self._last = now

    def during(self, what: str, acts: list[Callable[[], object]], application: QApplication) -> None:
        """Print the longest of the rounds in which `acts` happen, one every 150 ms."""
        self.times.clear()
        for act in acts:
            act()
            until = time.perf_counter() + 0.15
            while time.perf_counter() < until:
                application.processEvents()
        until = time.perf_counter() + 2
        while time.perf_counter() < until:
            application.processEvents()
        processor, clock = (1000 * np.array(column) for column in zip(*self.times, strict=True))
        print(f"| {what} | {processor.max():.0f} | {clock.max():.0f} |", flush=True)


def main(calls: int) -> None:
    """Print a table."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    warm_up()
    trace = waiting_trace(nested_trace(calls), 100_000)
    instance = opened(SyncTraceView(), trace)
    instance.settle()
    shown = Piecewise(instance)
    shown.canvas.show()
    shown.canvas.picture()
    ground, rounds = shown.canvas.ground, Rounds()

    def windows(share: float) -> None:
        ends = (trace.span[0] + round(share * trace.length), trace.span[0] + round((share + 0.6) * trace.length))
        instance.look_at(replace(instance.focus, window=ends))
        shown.canvas.refresh()

    print(f"{calls:,} calls, 43 threads; milliseconds between two rounds of the loop, at most")
    print("| while | processor | clock |")
    print("| --- | ---: | ---: |")
    places = [QPoint(200 + 24 * step, 420 + 8 * step) for step in range(40)]
    rounds.during("the pointer moves", [lambda place=place: point(ground, place) for place in places], application)  # type: ignore[misc]
    rounds.during("the wheel turns over a thread", [lambda: shown.wheel(QPoint(840, 800), 1)] * 12, application)
    rounds.during(
        "all threads take another window",
        [lambda step=step: windows(0.03 * step) for step in range(12)],  # type: ignore[misc]
        application,
    )
    rounds.during(
        "the canvas changes its size",
        [lambda step=step: shown.canvas.resize(1600, 1000 - step) for step in range(6)],  # type: ignore[misc]
        application,
    )
    shown.work()
    rounds.during("a worker hands curves over", [shown.take] * 25, application)
    rounds.over.set()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 14_000_000)
