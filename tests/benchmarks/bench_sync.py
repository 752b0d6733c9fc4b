"""How long it takes to see who waits for whom: python tests/benchmarks/bench_sync.py [--calls N]

Generated: 43 threads of random nesting; some calls wait for or release one of 50 locks: 2,700 and 100,000 waits
with three releases each. Processor time: correspondences by both rules, shares of waiting of every call, the tables;
frames of SyncTrace at 1600 x 1000 while one thread is panned, without curves and with them, and while the pointer
moves; the pieces of a frame at rest in which all threads changed, and showing what a worker made of further curves.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from cbvtool.api import EventKind, Hit, Need, Pane, Plot, Range, ViewEvent, Viewport
from cbvtool.plots.filling import LayerCache, Tile, fill, fill_until
from cbvtool.plots.plot import NOTHING
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import RULES, correspondences
from cbvtool.trace.waits.shares import dur_of
from cbvtool.trace.waits.totals import contended, longest_waits, wait_totals
from cbvtool.view.plots.plot_canvas import PIECE
from plugins.synctrace import pairs as pairs_module
from plugins.synctrace.arranging import arrangement
from plugins.synctrace.pairs import known_in, seen_in
from plugins.synctrace.view import SyncTraceView
from tests.benchmarks.bench_traces import nested_trace, timed
from tests.plugin_views.opened import opened

_LOCKS = 50
VIEW = Viewport(1600.0, 1000.0)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=14_000_000)
    options = parser.parse_args(arguments)
    small = waiting_trace(nested_trace(20_000), 100)  # the kernels are compiled, or read, before
    dur_of(small, "wait")
    correspondences(small)
    gc.freeze()  # as `cbvtool.app` does
    bare = nested_trace(options.calls)
    print(f"{len(bare.calls):,} calls, {len(bare.threads)} threads; processor ms")
    print("| waits | default rule | literal rule | found | share of each call | tables |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for count in (2_700, 100_000):
        trace = waiting_trace(bare, count)
        found = {rule: timed(lambda rule=rule: correspondences(trace, rule)) for rule in RULES}  # type: ignore[misc] # noqa: B023
        shares = timed(lambda: dur_of(trace, "wait"))[1]  # noqa: B023
        pairs = found["default"][0]
        tables = sum(timed(lambda make=make: make(trace, pairs))[1] for make in (wait_totals, longest_waits, contended))  # type: ignore[misc] # noqa: B023
        times = " | ".join(f"{1000 * found[rule][1]:.0f}" for rule in RULES)
        print(f"| {count:,} | {times} | {len(pairs):,} | {1000 * shares:.0f} | {1000 * tables:.0f} |", flush=True)
        for line in frames(trace):  # printed between the rows: what is slow is seen early
            print(line, flush=True)


def frames(trace: Trace) -> list[str]:
    """Processor ms of frames of the picture: median and worst of 20."""
    found = []
    for curves in (False, True):
        instance = opened(SyncTraceView(), trace, values={"curves": curves})
        instance.settle()
        tiles: LayerCache[Tile | None] = LayerCache()
        draw_frame(instance, tiles, VIEW)
        at = arrangement(instance.context, instance.state, VIEW)
        assert at is not None
        pane = at.panes[at.at.ring[3]]
        low, high = pane.x
        times: dict[str, list[float]] = {"panned": [], "pointer": []}
        for step in range(20):
            part = 0.1 + 0.02 * step
            ends = (low + part * (high - low), low + (part + 0.3) * (high - low))
            moving = replace(VIEW, moving=True)
            event = ViewEvent(EventKind.RANGE, "main", pane.name, range=Range(ends, pane.y, moving=True))
            times["panned"].append(timed(lambda event=event: framed(instance, tiles, event, moving))[1])  # type: ignore[misc] # noqa: B023
        draw_frame(instance, tiles, VIEW)
        for event in pointed(instance, pane):
            times["pointer"].append(timed(lambda event=event: framed(instance, tiles, event, VIEW))[1])  # type: ignore[misc] # noqa: B023
        instance.on(ViewEvent(EventKind.LEAVE, "main"))
        times["all threads at rest, a piece"] = still = pieces(instance, trace)
        times["curves that follow, shown"] = following(instance, tiles)
        if curves:
            times["a moving frame with 1,000 curves at once"] = thousand(instance, pane)
        words = [f"{word} {1000 * np.median(t):.0f} (at most {1000 * max(t):.0f})" for word, t in times.items() if t]
        whole = f"all pieces together {1000 * sum(still) / 5:.0f}"
        found.append(f"  {'with' if curves else 'no'} curves: {', '.join(words)}; {whole}")
    return found


def pointed(instance: ViewInstance, pane: Pane) -> list[ViewEvent]:
    """The pointer on 20 curves where there are some, so that each is highlighted; else on 20 places of a pane."""
    low, high = pane.x
    known = known_in(instance.context)
    at = arrangement(instance.context, instance.state, VIEW)
    assert known is not None
    assert at is not None
    rows = seen_in(instance.context, at, known).rows if instance.values["curves"] else ()
    hits = [Hit("curves releases", int(rows[step % len(rows)])) if len(rows) else NOTHING for step in range(20)]
    return [
        ViewEvent(EventKind.HOVER, "main", pane.name, x=low + 0.02 * step * (high - low), y=0.5, hit=hit)
        for step, hit in enumerate(hits)
    ]


def thousand(instance: ViewInstance, pane: Pane) -> list[float]:
    """Processor seconds of frames while a thread is panned, if the 1,000 longest waits were all drawn at once."""
    found, at_once = [], pairs_module.MOST_AT_ONCE
    pairs_module.MOST_AT_ONCE = 1_000
    instance.memo.clear()
    tiles: LayerCache[Tile | None] = LayerCache()
    low, high = pane.x
    for step in range(21):
        ends = (low + (0.1 + 0.02 * step) * (high - low), low + (0.4 + 0.02 * step) * (high - low))
        event = ViewEvent(EventKind.RANGE, "main", pane.name, range=Range(ends, pane.y, moving=True))
        found.append(timed(lambda event=event: framed(instance, tiles, event, replace(VIEW, moving=True)))[1])  # type: ignore[misc]
    pairs_module.MOST_AT_ONCE = at_once
    instance.memo.clear()
    return found[1:]


def pieces(instance: ViewInstance, trace: Trace) -> list[float]:
    """Processor seconds of each piece of five frames at rest, as the window draws them, with another window of time."""
    tiles: LayerCache[Tile | None] = LayerCache()
    found = []
    for step in range(5):
        ends = (trace.span[0] + round((0.02 + 0.04 * step) * trace.length), trace.span[0] + round(0.9 * trace.length))
        instance.look_at(replace(instance.focus, window=ends))
        done = False
        while not done:
            done, taken = timed(lambda: piece(instance, tiles))
            found.append(taken)
    return found


def piece(instance: ViewInstance, tiles: LayerCache[Tile | None]) -> bool:
    """What `PlotCanvas` does at a time, but for painting; True = the picture is whole."""
    until = time.thread_time() + PIECE
    drawn = instance.draw_within("main", VIEW, PIECE)
    return isinstance(drawn, Plot) and fill_until(drawn, VIEW, tiles, until) is not None


def following(instance: ViewInstance, tiles: LayerCache[Tile | None]) -> list[float]:
    """Processor seconds of showing what the worker hands over of the curves that are not drawn at once."""
    draw_frame(instance, tiles, VIEW)
    found: list[float] = []
    for need in instance.wanted():

        def show(value: object, need: Need = need) -> None:
            instance.needs.first(need, value)
            found.append(timed(lambda: draw_frame(instance, tiles, VIEW))[1])

        whole, taken = timed(lambda need=need, show=show: make(need, first=show))  # type: ignore[misc]
        instance.needs.take(need, whole)
        print(f"  {whole.count:,} curves that follow: {1000 * (taken - sum(found)):.0f} on a worker", flush=True)
    return found


def framed(instance: ViewInstance, tiles: LayerCache[Tile | None], event: ViewEvent, viewport: Viewport) -> None:
    instance.on(event)
    draw_frame(instance, tiles, viewport)


def draw_frame(instance: ViewInstance, tiles: LayerCache[Tile | None], viewport: Viewport) -> None:
    drawn = instance.draw("main", viewport)
    assert isinstance(drawn, Plot)
    fill(drawn, viewport, tiles)


def waiting_trace(trace: Trace, count: int) -> Trace:
    """The same calls, of which `count` wait and three times as many release one of 50 locks."""
    rng = np.random.default_rng(1)
    calls = trace.calls
    chosen = rng.choice(len(calls), min(4 * count, len(calls)), replace=False)
    waits, releases = np.sort(chosen[: len(chosen) // 4]), np.sort(chosen[len(chosen) // 4 :])
    kinds = np.zeros(_LOCKS, np.uint32)
    tables = {
        "objects": Table({"process": kinds.astype(np.int64), "id": np.arange(_LOCKS), "kind": kinds, "name": kinds}),
        "waits": Table(
            {
                "call": waits.astype(np.uint32),
                "object": rng.integers(0, _LOCKS, len(waits)).astype(np.uint32),
                "start": calls.start[waits],
                "end": calls.end[waits],
                "all": np.zeros(len(waits), np.bool_),
            }
        ),
        "releases": Table(
            {
                "call": releases.astype(np.uint32),
                "object": rng.integers(0, _LOCKS, len(releases)).astype(np.uint32),
                "time": calls.start[releases],
            }
        ),
    }
    return replace(trace, tables=tables)


if __name__ == "__main__":
    main()
