"""What the view costs in the real window, for three sizes of scene: make bench-view, or

    python tests/benchmarks/bench_view.py [--rounds N] [--size 1600x1000] [--sizes 1000x1500,...] [GRAPH ...]

Random trees of files with random relations, all expanded: 1,000 / 1,500, 8,850 / 50,000 (as large as Chromium in the
thesis) and 100,000 / 200,000 leaves / relations. The window runs in this process without a screen; VTK draws as it does
everywhere. Milliseconds of processor time, all threads together, and of the clock, median of the rounds. Prints the
tables of docs/benchmarks.md.

frame        the camera turns by a few pixels, until the canvas is painted
highlight    the pointer moves to another segment, until it and its partners are seen
mapping      another metric for the colour, or the height, until it is painted; until the picture is smooth again
expand       one level less and more, until it is painted

With files of graphs (cbvtool analyze ... -o graph.json.gz), or sizes (100000x200000), only the pauses are measured, for
each of them: the longest time in which the window took no event, by the processor time of its thread alone, and by the
clock, which others that use the processors make longer. The first window of the process opens its graph before
OpenGL is loaded.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_FONT_DPI", "96")  # else this platform has 100, and a pixel of the canvas 1.04 of the picture
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from qtpy.QtCore import QEvent, QEventLoop, QPoint, QPointF, QSettings, Qt, QTimer
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication

from cbvtool.bundling.bundle import bundle
from cbvtool.bundling.fan_out import fan_out
from cbvtool.bundling.paths import routes
from cbvtool.formats.registry import read_graph
from cbvtool.geometry.scene.rings import ring_mesh
from cbvtool.graph import Graph, lift
from cbvtool.layout.radial import radial_layout
from cbvtool.layout.visible import visible_tree
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.view.toolkit.application import application
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.toolkit.worker import Worker
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.opening import read
from tests.layout.cases import random_graph

SIZES = ((1_000, 1_500), (8_850, 50_000), (100_000, 200_000))
PATIENCE = 120.0  # seconds until something must have happened
ALL = 200_000  # nodes up to which all of a graph are shown at once


class Cost(NamedTuple):
    """Milliseconds of processor time, and of the clock; None = they are the same."""

    processor: float | None
    clock: float

    def __str__(self) -> str:
        return f"{self.clock:,.1f}" if self.processor is None else f"{self.processor:,.1f} / {self.clock:,.1f}"


class Watch:
    """The window, and the pauses in which it took no event."""

    def __init__(self, window: MainWindow, loop: QApplication) -> None:
        self.window, self._loop = window, loop
        self.painted = 0
        self.pauses: list[tuple[float, float]] = []  # seconds of this thread, and of the clock
        self._begin()
        self._tick = QTimer()
        self._tick.timeout.connect(self._note)
        self._tick.start(4)
        stage = window.canvas.stage
        paint = stage.paint

        def counted(painter: object) -> None:
            paint(painter)  # type: ignore[arg-type]  # Qt's painter, passed on
            self.painted += stage.phase.is_current

        stage.paint = counted  # type: ignore[method-assign]  # the stage itself need not know that it is watched

    def _begin(self) -> None:
        self._worked, self._last = time.thread_time(), time.perf_counter()

    def _note(self) -> None:
        self.pauses.append((time.thread_time() - self._worked, time.perf_counter() - self._last))
        self._begin()

    def close(self) -> None:
        """Watch no longer, and close the window."""
        self._tick.stop()
        self.window.close()

    def until(self, condition: Callable[[], bool]) -> None:
        """Let the window work until `condition` holds."""
        end = time.perf_counter() + PATIENCE
        while not condition():
            self._loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)  # the tick is one
            if time.perf_counter() > end:
                raise TimeoutError("the window is stuck")

    def settle(self, *, measured: bool = True) -> None:
        """Until nothing changes any more; without `measured`, slow metrics may come later."""
        stage, making, measuring = (
            self.window.canvas.stage,
            self.window.main_view.scene_making,
            self.window.main_view.measuring,
        )
        if self.window.session.is_open:
            self.until(lambda: stage.is_still and not making.busy and not (measured and measuring.busy))

    def cost(self, act: Callable[[], object], *, settled: bool = False, moving: bool = False) -> Cost:
        """From `act` until the canvas is painted, or until nothing changes.

        moving   it is one of many in a row: nobody waits until all is still
        """
        if not moving:
            self.settle()
        before, start, begin = self.painted, time.process_time(), time.perf_counter()
        act()
        self.until(lambda: self.painted > before and not self.window.main_view.scene_making.busy)
        if settled:
            self.settle()
        return Cost(1000 * (time.process_time() - start), 1000 * (time.perf_counter() - begin))

    def longest(self, act: Callable[[], object], ready: Callable[[], bool]) -> Cost:
        """The longest pause from `act` until `ready`, and all is still."""
        self.settle(measured=False)
        self.pauses.clear()
        self._begin()
        act()
        self.until(ready)
        self.settle(measured=False)
        self.until(lambda: bool(self.pauses))
        processor, clock = zip(*self.pauses, strict=True)
        return Cost(1000 * max(processor), 1000 * max(clock))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--size", default="1600x1000")
    parser.add_argument("--sizes", default=",".join(f"{leaves}x{relations}" for leaves, relations in SIZES))
    parser.add_argument("graphs", nargs="*", metavar="GRAPH")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    loop = application()
    columns: dict[str, dict[str, Cost]] = {}
    for given in options.graphs:
        leaves, _, relations = given.partition("x")
        is_size = leaves.isdecimal() and relations.isdecimal()
        graph = random_graph(int(leaves), int(relations)) if is_size else read_graph(Path(given))[0]
        columns[f"{graph.name}: {len(graph):,} / {len(graph.edges):,}"] = pauses(graph, loop, width, height)
    for size in () if columns else options.sizes.split(","):
        leaves, relations = map(int, size.split("x"))
        found = measure(random_graph(leaves, relations), loop, width, height, options.rounds)
        columns[f"{leaves:,} / {relations:,}"] = found
    print(f"\nCanvas of {width} x {height}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end.\n")
    print(f"| milliseconds of processor time / of the clock | {' | '.join(columns)} |")
    print(f"| --- |{' ---: |' * len(columns)}")
    for name in next(iter(columns.values())):
        print(f"| {name} | " + " | ".join(str(column[name]) for column in columns.values()) + " |")


def watched(graph: Graph, loop: QApplication, width: int, height: int, *, at_once: bool = False) -> tuple[Watch, Cost]:
    """A window in which `graph` was opened, and the longest pause meanwhile.

    at_once   it is opened before OpenGL is loaded
    """
    settings = Settings(QSettings(tempfile.mkstemp(suffix=".ini")[1], QSettings.Format.IniFormat))
    settings.reduced_motion = True
    window = MainWindow(Session(), settings)
    for dock in window.desk.docks.values():
        dock.hide()
    window.canvas.setFixedSize(width, height)
    window.show()
    watch = Watch(window, loop)
    session, stage = window.session, window.canvas.stage
    if not at_once:
        watch.until(lambda: stage.renderer is not None and not stage.findChild(QTimer, "warm-up").isActive())
    project = Project(Path("random").absolute(), "random", graph, None, "", "graph")
    worker = Worker(window)

    def open_it() -> None:
        worker.start(
            lambda progress: read(session, project, progress),
            lambda opened: session.open(project, start=opened.start),
            print,
        )

    return watch, watch.longest(open_it, lambda: session.is_open and watch.painted > 0)


def pauses(graph: Graph, loop: QApplication, width: int, height: int) -> dict[str, Cost]:
    """The longest pause of each of the things that change what is shown."""
    first, opening = watched(graph, loop, width, height, at_once=True)
    first.close()
    watch, another = watched(graph, loop, width, height)
    session, stage = watch.window.session, watch.window.canvas.stage
    figures = {"opening, in the first window": opening, "opening, in another window": another}

    def note(name: str, act: Callable[[], object]) -> None:
        figures[name] = watch.longest(act, lambda: not session.is_late)

    def widest(*, collapsed: bool) -> int:
        """The widest folder that is shown."""
        scene = session.scene()
        extent = scene.layout.a1 - scene.layout.a0
        items = np.flatnonzero(np.diff(graph.tree.child_ptr)[scene.tree.key] > 0)
        items = items[(items > 0) & (scene.tree.leaf[items] == collapsed)]
        return int(scene.tree.key[items[extent[items].argmax()]])

    def look_at(key: int, name: str) -> None:
        note(f"select {name}", lambda: session.select([key]))
        note(f"point at {name}", lambda: point(watch.window.canvas, stage.picking.place_of(key, own=True)))
        point(watch.window.canvas, QPoint(2, 2))
        session.select([])

    folder = widest(collapsed=True)
    note("expand the widest folder", lambda: session.toggle(folder))
    note("collapse it", lambda: session.toggle(folder))
    note("one level more", lambda: session.step_depth(1))
    note("one level less", lambda: session.step_depth(-1))
    look_at(folder, "it")
    if len(graph) <= ALL:
        inner = frozenset(np.flatnonzero(np.diff(graph.tree.child_ptr)).tolist())
        note("expand all", lambda: session.set_view(expanded=inner))
        look_at(widest(collapsed=False), "the widest folder")
        note("then one level less", lambda: session.step_depth(-1))
        note("and one more again", lambda: session.step_depth(1))
    watch.close()
    return figures


def measure(graph: Graph, loop: QApplication, width: int, height: int, rounds: int) -> dict[str, Cost]:
    watch, _ = watched(graph, loop, width, height)
    window = watch.window
    canvas, session = window.canvas, window.session
    session.set_view(expanded=frozenset(range(len(graph))))
    watch.until(lambda: len(session.scene().tree) > len(graph) / 2)
    watch.settle()
    scene = session.scene()
    mapping, stage = session.view.mapping, canvas.stage
    figures = stages(watch, graph, rounds)
    watch.settle()
    figures["frame while orbiting"] = median(
        rounds * 4,
        lambda i: watch.cost(lambda: stage.look(stage.camera.orbited(7.0, 1.0 if i % 2 else -1.0)), moving=True),
    )
    leaves = [int(item) for item in scene.blocks.item[:: max(1, len(scene.blocks.item) // (2 * rounds))]]
    places = [stage.picking.place_of(int(scene.tree.key[item])) for item in dict.fromkeys(leaves)]
    figures["pointer to highlight"] = median(
        rounds, lambda i: watch.cost(lambda: point(canvas, places[i % len(places)]))
    )
    point(canvas, QPoint(2, 2))
    metrics = ("complexity", "fan_in", "sloc", "fan_out")
    mappings = {
        "color": [replace(mapping, color=name) for name in metrics],
        "height": [replace(mapping, height=name) for name in metrics],
        "angle": [replace(mapping, angle=name) for name in metrics],
    }
    for variable, changes in mappings.items():
        for change in changes:  # measured once
            watch.cost(partial(session.set_view, mapping=change))
        figures[f"another {variable}, painted"] = median(
            rounds, partial(_in_turn, watch, [partial(session.set_view, mapping=change) for change in changes])
        )
    figures["another colour, smooth again"] = median(
        rounds,
        lambda i: watch.cost(lambda: session.set_view(mapping=replace(mapping, color=metrics[i % 4])), settled=True),
    )
    figures["one level less or more, painted"] = median(
        rounds, lambda i: watch.cost(lambda: session.step_depth(1 if i % 2 else -1))
    )
    watch.close()
    return figures


def stages(watch: Watch, graph: Graph, rounds: int) -> dict[str, Cost]:
    """What layout, bundles and geometry cost from nothing, by stages of the pipeline."""
    weight, everything = graph.values["sloc"], frozenset(range(len(graph)))
    tree = visible_tree(graph, everything, own_weight=weight)
    layout = radial_layout(tree, weight)
    lifted = lift(graph.edges, tree.represent)

    def bundled() -> object:
        fan = fan_out(graph.edges, tree, layout, lifted)
        route = routes(tree, layout, fan.item, fan.angle, fan.source, fan.target)
        return bundle(route.take(route.order), 0.8)

    work: dict[str, Callable[[], object]] = {
        "build: visible tree and layout": lambda: radial_layout(
            visible_tree(graph, everything, own_weight=weight), weight
        ),
        "build: lifting, fan-out, bundles": lambda: (lift(graph.edges, tree.represent), bundled()),
        "build: mesh of the rings": lambda: ring_mesh(tree, layout),
    }
    watch.settle()
    return {name: median(rounds, partial(_timed_again, act)) for name, act in work.items()}


def _in_turn(watch: Watch, acts: Sequence[Callable[[], object]], number: int) -> Cost:
    return watch.cost(acts[number % len(acts)])


def _timed_again(act: Callable[[], object], number: int) -> Cost:
    del number
    return timed(act)


def timed(act: Callable[[], object]) -> Cost:
    start, begin = time.process_time(), time.perf_counter()
    act()
    return Cost(1000 * (time.process_time() - start), 1000 * (time.perf_counter() - begin))


def point(canvas: object, place: QPoint) -> None:
    """Move the pointer over the canvas."""
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(place), none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, event)  # type: ignore[arg-type]  # a widget


def median(rounds: int, act: Callable[[int], Cost]) -> Cost:
    processor, clock = zip(*(act(i) for i in range(rounds)), strict=True)
    return Cost(statistics.median(processor), statistics.median(clock))


if __name__ == "__main__":
    main()
