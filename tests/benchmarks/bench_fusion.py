"""ViewFusion on 8,850 files and one million calls: python tests/benchmarks/bench_fusion.py [CALLS]

Makes a project of 8,850 files (some 60,000 nodes) and a thread of a million calls, and prints what it takes, from an
event to a picture that only has to be painted, at 1600 x 1000: the treemap anew (another size), another window, and the
pointer over calls and over code, by processor time (all threads) and by the clock. Without a screen.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from cbvtool.api import EventKind, Graph, NodeMap, Trace, TraceBuilder, ViewEvent, Viewport
from cbvtool.budget import Budget
from cbvtool.graph import GraphBuilder
from cbvtool.plots.filling import LayerCache, Tile, fill
from cbvtool.plots.to_picture import Items, to_picture
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings
from plugins.viewfusion.scene import scene_in
from plugins.viewfusion.view import ViewFusionView

FILES, CALLS = 8_850, 1_000_000
RUNS = 40
SIGHT = Viewport(1600.0, 1000.0)


def project(files: int, seed: int = 1) -> Graph:
    """Folders of some 12 files, each in another one; files of 0 to 12 functions."""
    rng, made, folders = np.random.default_rng(seed), GraphBuilder("project"), [""]
    for number in range(files // 12):
        above = folders[int(len(folders) * rng.random() ** 2)]
        made.add_node(f"d{number}", above, f"d{number}", "folder")
        folders.append(f"d{number}")
    for number in range(files):
        file = f"f{number}.py"
        made.add_node(file, folders[int(rng.integers(1, len(folders)))], file, "file", file=file)
        for inner in range(int(rng.integers(0, 13))):
            name = f"{file}::g{inner}"
            made.add_node(name, file, f"g{inner}", "function", file=file, line=inner + 1)
            made.measure(made.key(name), "sloc", float(rng.lognormal(2.5, 1.0)) + 1)
    return made.freeze()


def run_of(graph: Graph, calls: int, seed: int = 2) -> tuple[Trace, NodeMap]:
    """One thread: jobs one after the other, in which calls nest at random, up to 40 deep."""
    rng, made = np.random.default_rng(seed), TraceBuilder("bench", Budget("The trace", seconds=1e9))
    keys = np.flatnonzero([name == "function" for name in np.array(graph.kind_names)[graph.kinds]])
    chosen = rng.choice(keys, min(20_000, len(keys)), replace=False)
    functions = [
        made.function(graph.names[key], "", graph.ids[key].partition("::")[0], number)
        for number, key in enumerate(chosen.tolist())
    ]
    thread = made.thread(1, 1)
    which = (len(functions) * rng.random(calls) ** 3).astype(np.int64)
    steps, pauses = rng.random(4 * calls), rng.integers(1, 2_000, 4 * calls)
    now, depth, begun, at = 0, 0, 0, 0
    while begun < calls or depth:
        now += int(pauses[at % len(pauses)])
        if begun < calls and (not depth or (steps[at % len(steps)] < 0.5 and depth < 40)):
            made.begin(thread, functions[int(which[begun])], now)
            begun, depth = begun + 1, depth + 1
        else:
            made.end(thread, now)
            depth -= 1
        at += 1
    trace = made.trace(made.build(), {})
    return trace, NodeMap(chosen.astype(np.int32), np.zeros(len(chosen), np.int8), ("made up",))


def main(calls: int) -> None:
    """Print a table."""
    gc.freeze()  # as `cbvtool.app` does
    graph = project(FILES)
    trace, known = run_of(graph, calls)
    values = {"color": "calls", "area": "lines"}
    inputs = ViewInputs((trace,), (known,), (0,), graph)
    instance = ViewInstance(ViewFusionView(), inputs, ViewSurroundings(), print, values=values)
    began = time.process_time()
    instance.settle()
    taken = time.process_time() - began
    print(f"{len(trace.calls):,} calls, {len(graph):,} nodes, {FILES:,} files; prepared once in {1000 * taken:.0f} ms")
    tiles, items = LayerCache[Tile | None](), LayerCache[Items]()

    def draw(sight: Viewport = SIGHT) -> None:
        to_picture(fill(instance.draw("fusion", sight), sight, tiles), cache=items)  # type: ignore[arg-type]  # a plot

    draw()
    scene = scene_in(instance.context, instance.state, SIGHT)
    assert scene is not None
    _, y, width, height = scene.box
    rng = np.random.default_rng(3)
    bars = scene.bars
    long = float(trace.span[1] - trace.span[0])

    def hover(px: float, py: float) -> Callable[[], None]:
        def act() -> None:
            event = ViewEvent(EventKind.HOVER, "fusion", "calls", long * px / width, py - y, px, py)
            instance.on(event)
            draw()

        return act

    def window(share: float) -> Callable[[], None]:
        ends = tuple(trace.span[0] + int(long * end) for end in (share, share + 0.5))

        def act() -> None:
            instance.look_at(replace(instance.focus, window=(ends[0], ends[1])))
            draw()

        return act

    def over(depth: int) -> list[Callable[[], None]]:
        rows = np.flatnonzero(bars.depth == depth)
        middle = (scene.columns()[rows].mean(axis=1)) if len(rows) else np.array([width / 2])
        row = y + (scene.tops[depth] + scene.tops[depth + 1]) / 2
        return [hover(float(px), float(row)) for px in rng.choice(middle, RUNS)]

    print("| what | processor ms, median (longest) | clock ms, median (longest) |")
    print("| --- | ---: | ---: |")
    sizes = [replace(SIGHT, height=1000.0 - number) for number in range(RUNS)]
    told("the treemap, at another height", [lambda sight=sight: draw(sight) for sight in sizes])  # type: ignore[misc]
    draw()
    told("the pointer over outermost calls", over(0))
    told("the pointer over calls 5 deep", over(5))
    places = [
        hover(float(rng.uniform(0, width)), float(rng.uniform(y + height * 0.6, y + height))) for _ in range(RUNS)
    ]
    told("the pointer below all calls", places)
    instance.on(ViewEvent(EventKind.TAP, "fusion", key="Ctrl"))
    told("the pointer over code, a cell", places)
    instance.state = replace(instance.state, height=50)
    told("the pointer over code, the whole project", places)
    instance.on(ViewEvent(EventKind.TAP, "fusion", key="Ctrl"))
    told("another window", [window(part / 200) for part in range(RUNS)])


def told(what: str, acts: Sequence[Callable[[], object]]) -> None:
    """A row of the table."""
    processor, clock = list[float](), list[float]()
    for act in acts:
        began = time.process_time(), time.perf_counter()
        act()
        processor.append(1000 * (time.process_time() - began[0]))
        clock.append(1000 * (time.perf_counter() - began[1]))
    both = [f"{sorted(times)[len(times) // 2]:.1f} ({max(times):.1f})" for times in (processor, clock)]
    print(f"| {what} | {both[0]} | {both[1]} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS)
