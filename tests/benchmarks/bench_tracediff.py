"""How fast TraceDiff matches and draws: python tests/benchmarks/bench_tracediff.py [--calls N] [--once | --frames]

First what is found once: best matches of the longest calls, of all calls, and the alignment. `worst` are 150,000 random
calls each, with some 59,000 different sets of functions below them. Then frames.

Generated: two runs of a program with phases in loops, the second with its phases in another order, and a pair without
any structure. Processor ms at 1600 x 1000: what is made once, the first picture, frames with 2,000 tubes while the
picture is still, while one side is panned, and while the pointer moves over calls. A frame is what view and host do:
answer the event, draw both canvases, fill what is not kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from cbvtool.api import (
    EventKind,
    Hit,
    Plot,
    Range,
    Trace,
    TraceBuilder,
    ViewEvent,
    Viewport,
    aligned_calls,
    call_tree,
    common_functions,
    likeness,
)
from cbvtool.budget import Budget
from cbvtool.plots.filling import LayerCache, Tile, fill
from cbvtool.session.plugin_views.instance import ViewInstance
from plugins.tracediff.view import TraceDiffView
from tests.plugin_views.opened import opened
from tests.trace.timelines import random_trace

VIEW = Viewport(1320.0, 760.0)
SIZE = (VIEW.width, VIEW.height)


def phased(calls: int, seed: int) -> Trace:
    """Some 30 phases of some functions each, in loops within loops, in an order that the seed gives."""
    rng = np.random.default_rng(seed)
    made = TraceBuilder("test", Budget("The trace"))
    main = made.function("main", "app", "app.py", 1)
    functions = [[made.function(f"p{p}_{n}", "app", "app.py", 2) for n in range(12)] for p in range(30)]
    thread, now = made.thread(1, 1), 0
    made.begin(thread, main, now)
    for phase in rng.permutation(30).tolist():
        own = functions[phase]
        made.begin(thread, own[0], now := now + 100)
        for turn in range(max(calls // 30 // 13, 1)):
            made.begin(thread, own[1 + turn % 3], now := now + 10)
            for number in range(4):
                made.begin(thread, own[4 + (turn + number) % 8], now := now + 10)
                for _ in range(2):
                    made.span(thread, own[4 + number], now + 1, now := now + int(rng.integers(20, 400)))
                made.end(thread, now := now + 10)
            made.end(thread, now := now + 10)
        made.end(thread, now := now + 100)
    made.end(thread, now + 100)
    return made.trace(made.build(), {})


def worst(calls: int, seed: int) -> Trace:
    """Random calls of 1,000 functions, at random depths: nearly all that make calls have a set of their own below."""
    rng = np.random.default_rng(seed)
    made = TraceBuilder("test", Budget("The trace"))
    functions = [made.function(f"f{n}", "app", "app.py", 1) for n in range(1000)]
    thread, now, depth = made.thread(1, 1), 0, 1
    made.begin(thread, functions[0], now)
    ups = np.where(rng.random(calls) < 0.4, 0, rng.geometric(0.6, calls)).tolist()
    for number, (up, step) in enumerate(zip(ups, rng.integers(1, 400, calls).tolist(), strict=True)):
        for _ in range(min(up if number else 0, depth - 1)):
            made.end(thread, now := now + 1)
            depth -= 1
        made.begin(thread, functions[int(rng.integers(1000))], now := now + step)
        depth += 1
    for _ in range(depth):
        made.end(thread, now := now + 1)
    return made.trace(made.build(), {})


def once(name: str, one: Trace, other: Trace) -> str:
    """A row of the first table: processor ms."""
    common = common_functions(one.functions, other.functions)
    trees = [
        call_tree(trace, 0, ids, common.count) for trace, ids in ((one, common.of_reference), (other, common.of_test))
    ]
    begin = time.process_time()
    early: list[float] = []
    found = likeness(trees[0], trees[1], first=lambda _found: early.append(1000 * (time.process_time() - begin)))
    whole = 1000 * (time.process_time() - begin)
    aligned = timed(lambda: aligned_calls(found))
    first = early[0] if early else whole
    return (
        f"| {name} | {len(one.calls):,} + {len(other.calls):,} | {len(found.sets):,} | {first:,.0f} | {whole:,.0f} "
        f"| {aligned:,.0f} |"
    )


def timed(work: Callable[[], object]) -> float:
    """Processor ms."""
    begin = time.process_time()
    work()
    return 1000 * (time.process_time() - begin)


class Frames:
    """What a window does with a view, without one."""

    def __init__(self, *traces: Trace, **values: object) -> None:
        self.instance: ViewInstance = opened(TraceDiffView(), *traces, values=values)
        self.tiles: dict[str, LayerCache[Tile | None]] = {"main": LayerCache(), "overview": LayerCache()}

    def draw(self, *, moving: bool = False) -> Plot:
        """Both canvases."""
        drawn = Plot()
        for part, height in (("overview", 230.0), ("main", VIEW.height)):
            viewport = replace(VIEW, height=height, moving=moving)
            found = self.instance.draw(part, viewport)
            assert isinstance(found, Plot), found
            fill(found, viewport, self.tiles[part])
            drawn = found
        return drawn

    def event(self, event: ViewEvent, *, moving: bool = False) -> None:
        """Answer an event, and draw."""
        self.instance.on(event)
        self.draw(moving=moving)


def measured(name: str, one: Trace, other: Trace, **values: object) -> str:
    """A row of the table."""
    made = Frames(one, other, **values)
    prepared = timed(made.instance.settle)
    first = timed(made.draw)
    tubes = next((str(each.text[0]) for each in made.draw().layers if each.name == "headline"), "")
    pane = made.draw().pane("lower")
    low, high = pane.x
    panned, pointed, still = [], [], []
    for step in range(12):
        ends = (low + 0.01 * step * (high - low), high + 0.01 * step * (high - low))
        event = ViewEvent(EventKind.RANGE, "main", "lower", range=Range(ends, pane.y, moving=True), size=SIZE)
        panned.append(timed(lambda event=event: made.event(event, moving=True)))  # type: ignore[misc]
    made.event(ViewEvent(EventKind.RANGE, "main", "lower", range=Range((low, high), pane.y), size=SIZE))
    bars = next(each for each in made.draw().layers if each.name == "bars upper")
    rows = np.asarray(bars.item)
    chosen = rows[np.linspace(0, len(rows) - 1, 40).astype(int)].tolist()
    for row in chosen:
        start = float(one.calls.start[row] - one.calls.start[0])
        event = ViewEvent(EventKind.HOVER, "main", "upper", x=start, hit=Hit("bars upper", row), size=SIZE)
        pointed.append(timed(lambda event=event: made.event(event)))  # type: ignore[misc]
        still.append(timed(made.draw))
    figures = (prepared, first, np.median(still), np.median(panned), np.median(pointed), max(pointed))
    return (
        f"| {name} | {len(one.calls):,} + {len(other.calls):,} | "
        + " | ".join(f"{figure:,.0f}" for figure in figures)
        + f" | {tubes.split(' · ')[0]} |"
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=300_000)
    parser.add_argument("--once", action="store_true", help="only what is found once")
    parser.add_argument("--frames", action="store_true", help="only frames")
    options = parser.parse_args(arguments)
    for mode in ("best", "all"):
        warm = Frames(phased(2_000, 1), phased(2_000, 2), mode=mode)  # the kernels are compiled, or read, before
        warm.instance.settle()
        warm.draw()
    work = sum(number * number for number in range(10**6))  # how busy the machine is: 60 ms on an idle one
    print(f"a loop of a million: {timed(lambda: sum(n * n for n in range(10**6))):.0f} ms ({work % 7})")
    if not options.frames:
        print("| pair | calls | different sets | longest calls matched | all matched | aligned |")
        print("| --- | --- | ---: | ---: | ---: | ---: |")
        for calls in (options.calls, 2_000_000):
            print(once("phases", phased(calls, 1), phased(calls, 2)), flush=True)
        print(once("worst", worst(150_000, 1), worst(150_000, 2)), flush=True)
    if options.once:
        return
    print("| pair | calls | matching | first picture | still | panned | hover | worst hover | in view |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    one, other = phased(options.calls, 1), phased(options.calls, 2)
    print(measured("phases", one, other), flush=True)
    print(measured("phases, all above τ", one, other, mode="all"), flush=True)
    random = random_trace(1, options.calls // 3, gap=300.0), random_trace(2, options.calls // 3, gap=300.0)
    print(measured("random", *random), flush=True)
    random = random_trace(1, 170_000, gap=300.0), random_trace(2, 170_000, gap=300.0)
    print(measured("random", *random), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
