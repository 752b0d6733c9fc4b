"""The longest time for which a view holds the window's thread up: python tests/benchmarks/bench_loop.py [CALLS]

SyncTrace: 43 threads, 100,000 waits (see bench_sync). ViewFusion: 8,850 files and a million calls (see bench_fusion),
with its overview. 1600 x 1000, the loop of Qt without a screen: what lies between two rounds of the loop, by processor
time of the window's thread and by the clock, while the wheel turns, the pointer moves, another window of time is looked
at, the canvas changes its size, and the worker hands curves over.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from qtpy.QtCore import QObject, QPoint, Signal
from qtpy.QtWidgets import QApplication

from cbvtool.api import EventKind, Need, Plot, Trace, ViewEvent, Viewport
from cbvtool.plots.filling import warm_up
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings
from plugins.synctrace.view import SyncTraceView
from plugins.viewfusion.view import ViewFusionView
from tests.benchmarks.bench_fusion import CALLS, FILES, project, run_of
from tests.benchmarks.bench_sync import waiting_trace
from tests.benchmarks.bench_traces import nested_trace
from tests.plugin_views.opened import opened
from tests.view.pointer import point
from tests.view.shown_view import ShownView

Acts = Sequence[Callable[[], object]]


class Piecewise(ShownView):
    """As a panel draws it: at rest in pieces; curves that follow come from a thread.

    begun   needs, and what is handed over of each
    beside  other parts of the view, which are drawn anew with it
    """

    def __init__(self, instance: ViewInstance, part: str, size: tuple[int, int], *beside: ShownView) -> None:
        super().__init__(instance, part, size)
        self.begun: list[tuple[Need, list[object]]] = []
        self.beside = beside
        for each in (*beside, self):
            each.canvas.show()

    def _draw(self, viewport: Viewport) -> Plot | None:
        found = self.instance.draw_within(self.part, viewport, self.canvas.within)
        assert found is None or isinstance(found, Plot)
        return found

    def _happened(self, event: ViewEvent) -> None:
        super()._happened(event)
        for each in self.beside:
            each.canvas.refresh()

    def give_pointer_over(self) -> None:
        """A tap of Ctrl: the pointer is for the other one of calls and code."""
        self.instance.on(ViewEvent(EventKind.TAP, self.part, key="Ctrl"))
        self.canvas.refresh()

    def look_at(self, window: tuple[int, int]) -> None:
        """As if another view had asked for another window of time."""
        self.instance.look_at(replace(self.instance.focus, window=window))
        for each in (self, *self.beside):
            each.canvas.refresh()

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

    def during(self, what: str, acts: Acts, application: QApplication) -> None:
        """Print the longest of the rounds in which `acts` happen, one every 150 ms."""
        application.processEvents()
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
    """Print a table for each view."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    gc.freeze()  # as `cbvtool.app` does
    warm_up()
    rounds = Rounds()
    try:
        of_synctrace(calls, rounds, application)
        of_viewfusion(rounds, application)
    finally:
        rounds.over.set()


def of_synctrace(calls: int, rounds: Rounds, application: QApplication) -> None:
    trace = waiting_trace(nested_trace(calls), 100_000)
    instance = opened(SyncTraceView(), trace)
    instance.settle()
    shown = Piecewise(instance, "main", (1600, 1000))
    shown.canvas.picture()
    ground = shown.canvas.ground
    print(f"SyncTrace, {calls:,} calls, 43 threads; milliseconds between two rounds of the loop, at most")
    print("| while | processor | clock |")
    print("| --- | ---: | ---: |")
    places = [QPoint(200 + 24 * step, 420 + 8 * step) for step in range(40)]
    rounds.during("the pointer moves", [lambda place=place: point(ground, place) for place in places], application)  # type: ignore[misc]
    turns(shown, QPoint(840, 800), "over a thread", rounds, application)
    rounds.during("all threads take another window", windows(shown, trace), application)
    rounds.during(
        "all threads take another window, and the wheel turns meanwhile",
        [
            act
            for step, look in enumerate(windows(shown, trace))
            for act in (look, lambda step=step: shown.wheel(QPoint(840, 800), 1 - 2 * (step % 2)))
        ],
        application,
    )
    rounds.during("the canvas changes its size", sizes(shown), application)
    shown.work()
    rounds.during("a worker hands curves over", [shown.take] * 25, application)


def of_viewfusion(rounds: Rounds, application: QApplication) -> None:
    graph = project(FILES)
    trace, known = run_of(graph, CALLS)
    values = {"color": "calls", "area": "lines"}
    inputs = ViewInputs((trace,), (known,), (0,), graph)
    instance = ViewInstance(ViewFusionView(), inputs, ViewSurroundings(), print, values=values)
    instance.settle()
    overview = Piecewise(instance, "overview", (1600, 72))
    shown = Piecewise(instance, "fusion", (1600, 1000), overview)
    for each in (shown, overview):
        each.canvas.picture()
    ground = shown.canvas.ground
    print(f"\nViewFusion, {CALLS:,} calls, {FILES:,} files; milliseconds between two rounds of the loop, at most")
    print("| while | processor | clock |")
    print("| --- | ---: | ---: |")
    above, below = ([QPoint(200 + 24 * step, y + 6 * step) for step in range(40)] for y in (40, 640))
    rounds.during("the pointer moves over calls", [lambda at=at: point(ground, at) for at in above], application)  # type: ignore[misc]
    shown.give_pointer_over()
    rounds.during("the pointer moves over code", [lambda at=at: point(ground, at) for at in below], application)  # type: ignore[misc]
    rounds.during(
        "the wheel turns over code",
        [lambda: shown.wheel(below[3], 1)] * 6 + [lambda: shown.wheel(below[3], -1)] * 6,
        application,
    )
    shown.give_pointer_over()
    turns(shown, QPoint(840, 60), "over calls", rounds, application)
    rounds.during("another window is looked at", windows(shown, trace), application)
    rounds.during("the canvas changes its size", sizes(shown), application)


def turns(shown: Piecewise, place: QPoint, where: str, rounds: Rounds, application: QApplication) -> None:
    """The wheel turns, without animation and with it."""
    for animated in (False, True):
        shown.canvas.glide.animated = animated
        how = "with animation" if animated else "without animation"
        acts = [lambda: shown.wheel(place, 1)] * 6 + [lambda: shown.wheel(place, -1)] * 6
        rounds.during(f"the wheel turns {where}, {how}", acts, application)


def windows(shown: Piecewise, trace: Trace) -> Acts:
    ends = [tuple(trace.span[0] + round(s * trace.length) for s in (0.03 * n, 0.03 * n + 0.6)) for n in range(12)]
    return [lambda window=window: shown.look_at(window) for window in ends]  # type: ignore[misc]


def sizes(shown: Piecewise) -> Acts:
    return [lambda n=n: shown.canvas.resize(1600 - n % 2, 1000 - n) for n in range(8)]  # type: ignore[misc]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 14_000_000)
