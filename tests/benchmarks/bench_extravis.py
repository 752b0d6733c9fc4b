"""ExtraVis with 1.4 million calls: python tests/benchmarks/bench_extravis.py [CALLS]

Makes a project of some 350 called functions and a recording of 1.4 million random calls, and prints what it takes, from
an event to a picture that only has to be painted, at 1600 x 1000: rows zoomed and panned, a range dragged, p changed,
the pointer on rows, the circle; and once: reading calls, ordering leaves, looking for a marked part of 1,000 calls,
aligning with a recording that lacks 1,000 calls. By processor time (all threads) and by the clock. Without a screen.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from cbvtool.api import EventKind, Hit, NodeMap, Plot, Range, ViewEvent, Viewport, aligned_rows, repeats
from cbvtool.plots.filling import LayerCache, Tile, fill
from cbvtool.plots.to_picture import Items, to_picture
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings
from plugins.extravis.scene import scene_in
from plugins.extravis.view import ExtraVisView
from tests.benchmarks.bench_fusion import project, run_of, told

CALLS, FILES, RUNS = 1_400_000, 60, 30
SIGHT, ASIDE = Viewport(1000.0, 1000.0), Viewport(600.0, 640.0)


def main(calls: int) -> None:
    """Print two tables."""
    graph = project(FILES)
    trace, known = run_of(graph, calls)
    inputs = ViewInputs((trace,), (NodeMap(known.node, known.why, known.reasons),), (0,), graph)
    instance = ViewInstance(ExtraVisView(), inputs, ViewSurroundings(), print, values={"columns": "functions"})
    began = time.process_time()
    instance.settle()
    taken = time.process_time() - began
    tiles = {part: LayerCache[Tile | None]() for part in ("sequence", "bundle")}
    items = {part: LayerCache[Items]() for part in tiles}

    def draw(part: str = "sequence") -> None:
        sight = SIGHT if part == "sequence" else ASIDE
        drawn = instance.draw(part, sight)
        assert isinstance(drawn, Plot), drawn
        to_picture(fill(drawn, sight, tiles[part]), cache=items[part])

    draw()
    draw("bundle")
    scene = scene_in(instance.context, instance.state)
    assert scene is not None
    rows, rng = scene.length, np.random.default_rng(1)
    print(
        f"{len(trace.calls):,} calls, {rows:,} with a caller, {len(scene.icicle):,} columns, "
        f"{len(scene.pairs):,} pairs; read in order once in {1000 * taken:.0f} ms"
    )

    def shown(low: float, high: float) -> Callable[[], None]:
        def act() -> None:
            instance.on(ViewEvent(EventKind.RANGE, "sequence", "rows", range=Range((0.0, 1.0), (low, high))))
            draw()

        return act

    def part(low: float, high: float, which: str) -> Callable[[], None]:
        start = ViewEvent(EventKind.PRESS, "sequence", "rows", 500.0, low, 500.0, 300.0)

        def act() -> None:
            instance.on(ViewEvent(EventKind.DRAG, "sequence", "rows", 500.0, high, 500.0, 500.0, start=start))
            draw(which)

        return act

    def power(value: float) -> Callable[[], None]:
        def act() -> None:
            instance.set_value("power", value)
            draw()

        return act

    def hover(px: float, py: float) -> Callable[[], None]:
        def act() -> None:
            where = "sequence", "rows", 0.0, 0.0, px, py, Hit("calls", 0)
            instance.on(ViewEvent(EventKind.HOVER, *where, size=(SIGHT.width, SIGHT.height)))
            draw()

        return act

    print("| a frame | processor ms, median (longest) | clock ms, median (longest) |")
    print("| --- | ---: | ---: |")
    told("nearly all rows", [shown(0.0, rows - 50.0 * number - 1) for number in range(RUNS)])
    told("a tenth of them, panned", [shown(rows * 0.02 * n, rows * (0.02 * n + 0.1)) for n in range(RUNS)])
    instance.on(ViewEvent(EventKind.KEY, "sequence", key="a"))
    told("p changed", [power(-1.0 - number / 10) for number in range(RUNS)])
    power(-1.0)()
    spots = rng.uniform((150.0, 250.0), (950.0, 950.0), (RUNS, 2))
    told("the pointer on rows, with the highlight", [hover(float(x), float(y)) for x, y in spots])
    told("a range dragged, rows", [part(rows * 0.3, rows * (0.4 + n / 100), "sequence") for n in range(RUNS)])
    told("a range dragged, circle", [part(rows * 0.3, rows * (0.4 + n / 100), "bundle") for n in range(RUNS)])
    print("| once | processor ms | clock ms |")
    print("| --- | ---: | ---: |")
    known_calls = scene.columns.identities[0].of_call
    other = np.delete(known_calls, rng.choice(rows, 1_000, replace=False))
    told("looking for a marked part of 1,000 calls", [lambda: repeats(known_calls, 5_000, 6_000)])
    told("aligning with a recording that lacks 1,000 calls", [lambda: aligned_rows(known_calls, other)])

    def ordered() -> None:
        instance.set_value("order", "calls")
        instance.settle()
        draw()

    told("leaves ordered by calls", [ordered])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS)
