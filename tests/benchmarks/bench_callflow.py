"""What 100 runs cost in CallFlow: python tests/benchmarks/bench_callflow.py [--rounds N]

100 made-up runs of 150 call paths, at 1600 x 900. Milliseconds of processor time, median and longest of the rounds,
until the widget has painted it.

union, layout  what is made once, on a worker
frame          the pointer moves, nothing else changes
target, mode   another target run; the next mode
linked views   another target run in each of them, at 800 x 300
functions      the same with a box for each function
10,000 runs    of these call paths, united: processor seconds
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from qtpy.QtWidgets import QApplication

from cbvtool.api import Plot, Profile, Viewport, united
from cbvtool.plots.filling import warm_up
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
from cbvtool.trace.ensemble.runs import ProfiledRun
from cbvtool.view.plots.plot_canvas import PlotCanvas
from plugins.callflow import box_plots, icicle, parallel, run_map, scatter, spreading
from plugins.callflow.reacting import MODES
from plugins.callflow.view import CallFlowView
from tests.trace.ensemble.made import series, tree_paths

RUNS, NODES, SIZE = 100, 150, (1600, 900)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    warm_up()
    application = QApplication.instance() or QApplication([])
    rng = np.random.default_rng(1)
    times = rng.uniform(1e9, 9e9, (RUNS, NODES))
    profiles = [
        replace(
            each.profile,
            header=replace(
                each.profile.header,
                parameters={"number": str(number), "size": str(number % 7), "kind": "abc"[number % 3]},
            ),
        )
        for number, each in enumerate(series(tree_paths(rng, NODES), times))
    ]
    for modules in ("module", "function"):
        values = {"modules": modules, "along": "size"}  # 14 or 15 repeats of each run
        # A view that is opened first takes the loops from the disk.
        for again in range(2):
            instance = ViewInstance(CallFlowView(), own_inputs(profiles), ViewSurroundings(), print, values=values)
            began = time.process_time()
            instance.settle()
            if again:
                print(f"{modules}: union, layout {1000 * (time.process_time() - began):.0f} ms")
        shown(instance, rounds)
        linked(instance, rounds)
    many = many_runs(profiles)
    began = time.process_time()
    united(many)
    print(f"{len(many):,} runs united: {time.process_time() - began:.2f} s")
    assert application is not None


def many_runs(profiles: list[Profile]) -> list[ProfiledRun]:
    """10,000 runs with values of their own."""
    found = []
    for number in range(10_000):
        profile = profiles[number % len(profiles)]
        values = profile.metrics[0].mean * (1 + number / 1e5)
        metric = replace(profile.metrics[0], mean=values, low=values, high=values)
        found.append(ProfiledRun(str(number), replace(profile, metrics=(metric,)), {}))
    return found


def canvas_of(instance: ViewInstance, part: str, size: tuple[int, int]) -> PlotCanvas:
    """A part of the view, shown."""

    def draw(sight: Viewport) -> Plot:
        drawn = instance.draw(part, sight)
        assert isinstance(drawn, Plot)
        return drawn

    canvas = PlotCanvas(part, draw, animated=False)
    canvas.resize(*size)
    canvas.show()
    QApplication.processEvents()
    canvas.picture()
    if instance.settle():
        canvas.refresh()
        canvas.picture()
    return canvas


def linked(instance: ViewInstance, rounds: int) -> None:
    """Print what another target costs in the linked views."""
    step = iter(range(1, 10_000))
    instance.set_value("mode", "target")
    for part in (icicle.PART, box_plots.PART, spreading.PART, scatter.PART, run_map.PART, parallel.PART):
        canvas = canvas_of(instance, part, (800, 300))

        def target(canvas: PlotCanvas = canvas) -> None:
            instance.set_value("target", next(step) % RUNS + 1)
            canvas.refresh()
            canvas.picture()
            canvas.ground.repaint()

        print(f"  target, {part}: {measured(target, rounds)}")
        canvas.close()


def shown(instance: ViewInstance, rounds: int) -> None:
    """Print what each change costs in a canvas."""
    canvas = canvas_of(instance, "main", SIZE)
    step = iter(range(1, 10_000))

    def painted() -> None:
        canvas.refresh()
        canvas.picture()
        canvas.ground.repaint()

    def target() -> None:
        instance.set_value("target", next(step) % RUNS + 1)
        painted()

    def mode() -> None:
        instance.set_value("mode", MODES[next(step) % len(MODES)])
        painted()

    for value in MODES:
        instance.set_value("mode", value)
        painted()
        print(f"  frame, {value}: {measured(painted, rounds)}")
        if value != "summary":
            print(f"  target, {value}: {measured(target, rounds)}")
    print(f"  mode: {measured(mode, rounds)}")
    canvas.close()


def measured(act: Callable[[], None], rounds: int) -> str:
    """Median and longest."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        act()
        found.append(1000 * (time.process_time() - began))
    return f"{statistics.median(found):.1f} ms, at most {max(found):.1f} ms"


if __name__ == "__main__":
    main()
