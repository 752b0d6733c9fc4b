"""How long traces take: python tests/benchmarks/bench_traces.py [--calls N] [--megabytes N] [--huge] [--frames] [...]

Everything is generated. Building: begins and ends of 43 threads as columns, to calls. Import: a Chrome JSON as
viztracer writes it, beside msgspec's bare parse of the same bytes into typed structs, at its fastest (garbage collector
off), wall clock and processor time. Each import runs in a process of its own, whose peak memory is printed.
First use: the same with an empty cache of compiled code. --huge imports a file of 4 GB and cancels another import.
--frames measures TraceVis alone: frames of the activity view in windows of all widths, of random nesting and of as many
siblings, with and without compaction, each moved a bit from the one before (1600 px, 40 levels: four threads of ten).
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from cbvtool.trace.making.builder import GivenEvents, ThreadEvents, calls_of
from cbvtool.trace.making.matching import BEGIN, END
from cbvtool.trace.model.strings import Strings
from cbvtool.trace.model.trace import Calls, Functions, Header, Resources, Threads, Trace

if TYPE_CHECKING:
    from cbvtool.session.plugin_views.instance import ViewInstance

T = TypeVar("T")

THREADS = 43
_FUNCTIONS = 2000
_LEAVES = 7  # calls that each call of a generated file makes


class Event(msgspec.Struct):
    """A trace event, as a reader would declare it that has msgspec make an object of each."""

    ph: str = ""
    ts: float = 0
    dur: float = 0
    pid: int = 0
    tid: int = 0
    name: str = ""
    cat: str = ""


class File(msgspec.Struct):
    """A file of trace events."""

    traceEvents: list[Event]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=14_000_000)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--huge", action="store_true")
    parser.add_argument("--frames", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None, help="where generated files are put, for a while")
    parser.add_argument("--one", nargs=2, metavar=("WORK", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.frames:
        frames(options.calls)
        return
    if options.one:
        print(
            json.dumps(
                {"import": imported, "msgspec": parsed, "cancel": cancelled, "write": written}[options.one[0]](
                    Path(options.one[1])
                )
            )
        )
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "trace.json"
        generate(path, 1)
        one("import", path)  # compiles
        first = one("import", path, {"NUMBA_CACHE_DIR": str(Path(folder) / "cache")})
        again = one("import", path)
        wait, cpu = (first[key] - again[key] for key in ("s", "cpu"))
        print(f"first use of the kernels: {wait:.1f} s ({cpu:.1f} s of processor)")
        print("| building | s | processor s | bytes a call |\n| --- | ---: | ---: | ---: |")
        for postorder in (False, True):
            took, cpu, size = min(built(options.calls, postorder) for _ in range(options.runs))
            form = "spans in the order of their ends" if postorder else "begins and ends"
            print(f"| {options.calls:,} calls, {form} | {took:.2f} | {cpu:.2f} | {size:.1f} |")
        compare(path, options.megabytes, options.runs)
        if options.huge:
            compare(path, 4000, 1, bare=False)
            print("cancelled while it is read:", one("cancel", path))
            print("cancelled while it is written, then written and opened again:", one("write", path))


def compare(path: Path, megabytes: int, runs: int, *, bare: bool = True) -> None:
    """Import a generated file, and parse it with msgspec in turn."""
    generate(path, megabytes)
    size = path.stat().st_size
    found: dict[str, dict[str, float]] = {}
    for _ in range(runs):
        for work in ("import", "msgspec") if bare else ("import",):
            measured = one(work, path)
            best = found.setdefault(work, measured)
            for key in ("s", "cpu"):
                best[key] = min(best[key], measured[key])
    print(f"\n| {size / 1e6:,.0f} MB | s | processor s | peak MB |\n| --- | ---: | ---: | ---: |")
    for work, measured in found.items():
        row = f"{measured['s']:.2f} | {measured['cpu']:.2f} | {measured['mb']:,.0f}"
        print(f"| {work}, {measured['calls']:,} calls | {row} |")
    if bare:
        both = found["import"], found["msgspec"]
        print(f"ratio {both[0]['s'] / both[1]['s']:.2f}, of processor time {both[0]['cpu'] / both[1]['cpu']:.2f}")


def one(work: str, path: Path, environment: dict[str, str] | None = None) -> dict[str, float]:
    """Do it in a process of its own."""
    command = [sys.executable, __file__, "--one", work, str(path)]
    done = subprocess.run(command, env=os.environ | (environment or {}), capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def imported(path: Path) -> dict[str, float]:
    """Read a trace. Writing it as a folder belongs here, too: the task asks for both."""
    from cbvtool.trace.readers.registry import read_traces

    small = path.with_name("small.json")
    if path.stat().st_size > 2_000_000:  # kernels are loaded before: they are measured by themselves
        generate(small, 1)
        read_traces(small)
    wall, cpu = time.perf_counter(), processor()
    parts = read_traces(path)
    return measured(wall, cpu, sum(len(part.calls) for part in parts if hasattr(part, "calls")))


def parsed(path: Path) -> dict[str, float]:
    """Parse with msgspec alone."""
    data = path.read_bytes()
    gc.disable()
    wall, cpu = time.perf_counter(), processor()
    events = msgspec.json.decode(data, type=File).traceEvents
    return measured(wall, cpu, len(events))


def cancelled(path: Path) -> dict[str, float]:
    """Cancel an import in its middle: how long until it ends."""
    from cbvtool.trace.readers.registry import read_traces

    asked = 0.0

    class Stop(Exception):
        pass

    def progress(what: str, done: int, total: int) -> None:
        nonlocal asked
        if done > total // 2:
            asked = asked or time.perf_counter()
            raise Stop

    with suppress(Stop):
        read_traces(path, progress)
    return measured(asked, processor(), 0)


def written(path: Path) -> dict[str, float]:
    """Import, cancel the writing of the folder in its middle, write it, open it again: how long the last takes."""
    from cbvtool.trace.readers.registry import read_traces
    from cbvtool.trace.store.folder import open_folder, write_folder

    class Stop(Exception):
        pass

    def progress(what: str, done: int, total: int) -> None:
        if done > total // 2:
            raise Stop

    (part,) = read_traces(path)
    folder = path.with_suffix(".cbvtrace")
    before = sorted(path.parent.iterdir())
    with suppress(Stop):
        write_folder(folder, part, progress)
    assert sorted(path.parent.iterdir()) == before, "a cancelled writing left something"
    write_folder(folder, part)
    wall, cpu = time.perf_counter(), processor()
    return measured(wall, cpu, len(open_folder(folder).calls))


def processor() -> float:
    """Seconds of processor time of this process and of those that it has started and ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measured(wall: float, cpu: float, calls: int) -> dict[str, float]:
    took = {"s": time.perf_counter() - wall, "cpu": processor() - cpu}
    return took | {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "calls": calls}


def built(calls: int, postorder: bool) -> tuple[float, float, float]:
    """Build calls from columns: seconds, processor seconds, bytes a call."""
    events = [thread_events(calls // THREADS, postorder, seed) for seed in range(THREADS)]
    own = [int(np.count_nonzero(part.kind != END)) for part in events]

    def threads() -> Iterator[ThreadEvents]:
        while events:
            yield events.pop(0)

    wall, cpu = time.perf_counter(), time.process_time()
    repairs: Counter[str] = Counter()
    found = calls_of(GivenEvents(own, _FUNCTIONS, threads()), [(2**63 - 1, -(2**63))] * THREADS, repairs)
    took = time.perf_counter() - wall, time.process_time() - cpu
    assert not repairs
    columns = (found.calls.function, found.calls.start, found.calls.end, found.calls.depth, found.calls.end_row)
    return *took, sum(column.nbytes for column in columns) / len(found.calls)


def thread_events(calls: int, postorder: bool, seed: int) -> ThreadEvents:
    """Random nested calls of one thread, as begins and ends or as spans in the order of their ends."""
    rng = np.random.default_rng(seed)
    steps = rng.random(2 * calls) < 0.5  # a walk; where it would fall below 0, the ends are left out
    height = np.cumsum(np.where(steps, 1, -1))
    kept = steps | (height >= np.minimum.accumulate(np.concatenate(([0], height[:-1]))))
    steps = steps[kept]
    missing = int(np.cumsum(np.where(steps, 1, -1))[-1])
    kind = np.concatenate((np.where(steps, BEGIN, END), np.full(max(missing, 0), END))).astype(np.uint8)
    depth = np.cumsum(np.where(kind == BEGIN, 1, -1))
    time = np.cumsum(rng.integers(1, 1000, len(kind)))
    level = np.where(kind == BEGIN, depth, depth + 1)  # begin and end of a call have the same
    order = np.argsort(level, kind="stable")  # in each level they alternate
    begins, ends = order[::2], order[1::2]
    function = np.empty(len(kind), np.uint32)
    function[begins] = function[ends] = rng.integers(0, _FUNCTIONS, len(begins))
    if not postorder:
        return ThreadEvents(kind, function, time, time)
    by_end = np.argsort(ends)
    begins, ends = begins[by_end], ends[by_end]
    return ThreadEvents(np.full(len(ends), 2, np.uint8), function[begins], time[begins], time[ends])


def frames(calls: int) -> None:
    """A table of the bars of a frame: made, and filled with labels through the view itself."""
    from cbvtool.plots.filling import LayerCache, fill
    from cbvtool.plots.plot import Viewport
    from cbvtool.session.plugin_views.instance import ViewInstance
    from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
    from cbvtool.trace.timeline.bars import bars_of, grid_of
    from cbvtool.trace.timeline.levels import levels_of
    from cbvtool.trace.timeline.warp import event_queue, warp_of
    from plugins.tracevis.view import TraceVisView

    traces = {"jobs": job_trace(calls), "random nesting": nested_trace(calls), "siblings": sibling_trace(calls)}
    print(f"{calls:,} calls; processor ms, median of 100 frames (longest)")
    print("| trace | theta | window | bars | making them | the whole view |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, trace in traces.items():
        levels, took = timed(lambda trace=trace: levels_of(trace))  # type: ignore[misc]
        events, queue = timed(lambda trace=trace: event_queue(trace))  # type: ignore[misc]
        span = float(trace.span[1] - trace.span[0])
        instance = ViewInstance(TraceVisView(), own_inputs((trace,)), ViewSurroundings(), print)
        instance.settle()
        threads = range(min(4, len(trace.threads)))
        for relative in (0.0, 10.0):
            warp, warped = timed(lambda: warp_of(events, relative * 2 * calls / span))  # noqa: B023
            instance.set_value("theta", relative)
            instance.settle()
            for low, high in ((0.0, 1.0), (0.4, 0.5), (0.5, 0.51), (0.5, 0.5001), (0.9999, 0.9999 + 1e-6)):
                bars, alone, whole = 0, list[float](), list[float]()
                cache: LayerCache = LayerCache()
                for run in range(102):
                    by = run * (high - low) / 1600
                    window = ((low + by) * span, min((high + by), 1.0) * span)
                    began = time.process_time()
                    grid = grid_of(window, 1600, warp)
                    bars = sum(len(bars_of(trace, levels, thread, grid, 10)) for thread in threads)
                    alone.append(time.process_time() - began)
                    ends = tuple(int(end) + trace.span[0] for end in window)
                    instance.look_at(replace(instance.focus, window=(ends[0], max(ends[1], ends[0] + 1))))
                    viewport = Viewport(1600.0, 800.0)
                    began = time.process_time()
                    fill(instance.draw("activity", viewport), viewport, cache)  # type: ignore[arg-type]
                    whole.append(time.process_time() - began)
                both = [f"{1000 * sorted(t[2:])[50]:.1f} ({1000 * max(t[2:]):.1f})" for t in (alone, whole)]
                print(f"| {name} | {relative:g} | {high - low:.0e} | {bars:,} | {both[0]} | {both[1]} |", flush=True)
            print(f"| {name} | {relative:g} | another theta | | {1000 * warped:.1f} | |")
            answers(name, relative, instance)
        print(f"| {name} | | first picture after opening | | {1000 * first_picture(trace):.0f} | |")
        print(f"| {name} | | calls by depth, once | | {1000 * took:.0f} | |")
        print(f"| {name} | | queue of {len(events):,} events, once | | {1000 * queue:.0f} | |")


def answers(name: str, theta: float, instance: ViewInstance) -> None:
    """Rows for what users wait for: from an event until the parts that change are filled; work of workers left out."""
    from cbvtool.plots.filling import LayerCache, fill
    from cbvtool.plots.plot import Plot, Viewport
    from cbvtool.plugin.events import EventKind, ViewEvent

    viewport, small = Viewport(1600.0, 800.0), Viewport(1600.0, 120.0)
    caches: tuple[LayerCache, LayerCache] = (LayerCache(), LayerCache())
    instance.look_at(replace(instance.focus, window=None, threads=None))

    def drawn(part: str = "activity") -> Plot:
        plot = instance.draw(part, small if part == "structure" else viewport)
        assert isinstance(plot, Plot)
        fill(plot, small if part == "structure" else viewport, caches[part == "structure"])
        return plot

    pane = next(each for each in drawn().panes if each.name.startswith("thread "))
    hover, overview, threads = list[float](), list[float](), list[float]()
    for run in range(42):
        x = pane.x[0] + (pane.x[1] - pane.x[0]) * run / 42
        instance.on(ViewEvent(EventKind.HOVER, "activity", pane.name, x=x, y=5.0 + 3 * run))
        hover.append(timed(drawn)[1])
    for run in range(6):
        small = Viewport(1600.0 - run, 120.0)
        overview.append(timed(lambda: drawn("structure"))[1])
    for run in range(6):
        instance.look_at(replace(instance.focus, threads=frozenset(range(run, len(instance.context.trace().threads)))))
        threads.append(timed(drawn)[1])
    instance.look_at(replace(instance.focus, threads=None))
    for what, took in (("hover", hover[2:]), ("overview", overview), ("threads changed, at once", threads[1:])):
        usual, most = 1000 * sorted(took)[len(took) // 2], 1000 * max(took)
        print(f"| {name} | {theta:g} | {what} | | | {usual:.1f} ({most:.1f}) |")


def first_picture(trace: Trace) -> float:
    """Processor seconds from a trace that is open until its first threads are drawn."""
    from cbvtool.plots.filling import LayerCache, fill
    from cbvtool.plots.plot import Plot, Viewport
    from cbvtool.session.plugin_views.instance import ViewInstance
    from cbvtool.session.plugin_views.needs import make
    from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
    from plugins.tracevis.view import TraceVisView

    began = time.process_time()
    instance = ViewInstance(TraceVisView(), own_inputs((trace,)), ViewSurroundings(), print)
    need = next(need for need in instance.wanted() if need.name == "levels")
    took = list[float]()

    def first(levels: object) -> None:
        if took:
            return
        instance.needs.first(need, levels)
        plot = instance.draw("activity", Viewport(1600.0, 800.0))
        assert isinstance(plot, Plot)
        fill(plot, Viewport(1600.0, 800.0), LayerCache())
        took.append(time.process_time() - began)

    first(make(need, first=first))
    return took[0]


def timed(make: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and processor seconds."""
    began = time.process_time()
    made = make()
    return made, time.process_time() - began


def nested_trace(calls: int) -> Trace:
    """43 threads of random nesting."""
    events = [thread_events(calls // THREADS, False, seed) for seed in range(THREADS)]
    own = [int(np.count_nonzero(part.kind == BEGIN)) for part in events]
    found = calls_of(GivenEvents(own, _FUNCTIONS, iter(events)), [(2**63 - 1, -(2**63))] * THREADS, Counter())
    return trace_of(found.calls, np.concatenate(([0], np.cumsum(own))))


def job_trace(calls: int) -> Trace:
    """43 threads of some 1,000 jobs each, nine calls in one another, with leaves in the innermost: many bars."""
    rng = np.random.default_rng(2)
    chain = 9
    jobs = max(calls // THREADS // 400, 1) if calls < THREADS * 200_000 else 1000
    leaves = max(calls // THREADS // jobs - chain, 1)
    width = chain + leaves
    count = THREADS * jobs
    length = rng.integers(60 * leaves, 140 * leaves, count)
    begin = length.reshape(THREADS, jobs).cumsum(axis=1).ravel() + np.tile(np.arange(jobs) * 20 * leaves, THREADS)
    start, end = np.empty((count, width), np.int64), np.empty((count, width), np.int64)
    start[:, :chain] = begin[:, None] + np.arange(chain)
    end[:, :chain] = (begin + length)[:, None] - np.arange(chain)
    start[:, chain:] = begin[:, None] + chain + np.arange(leaves) * 50
    end[:, chain:] = start[:, chain:] + 30
    level = np.concatenate((np.arange(chain), np.full(leaves, chain))).astype(np.uint16)
    base = (np.arange(count) * width)[:, None]
    last = np.concatenate((np.full(chain, width), np.arange(chain + 1, width + 1)))
    function = rng.integers(0, _FUNCTIONS, count * width).astype(np.uint32)
    made = Calls(function, start.ravel(), end.ravel(), np.tile(level, count), (base + last).ravel().astype(np.uint32))
    return trace_of(made, np.arange(THREADS + 1) * jobs * width)


def sibling_trace(calls: int) -> Trace:
    """One thread, all of whose calls stand below one call."""
    rng = np.random.default_rng(1)
    start = np.concatenate(([0], np.cumsum(rng.integers(2, 1000, calls - 1))))
    end = start + rng.integers(0, 2, calls)
    end[0] = end[-1] + 1
    depth = np.ones(calls, np.uint16)
    depth[0] = 0
    last = np.arange(1, calls + 1, dtype=np.uint32)
    last[0] = calls
    function = rng.integers(0, _FUNCTIONS, calls).astype(np.uint32)
    return trace_of(Calls(function, start, end, depth, last), np.array([0, calls]))


def trace_of(calls: Calls, ptr: npt.NDArray[np.int64]) -> Trace:
    """A trace of these calls."""
    count = len(ptr) - 1
    zero = np.zeros(count, np.int64)
    first = calls.start[ptr[:-1]]
    last = np.array([int(calls.end[low:high].max()) for low, high in pairwise(ptr.tolist())])
    texts = tuple(f"function_{n}" for n in range(_FUNCTIONS))
    modules, files = tuple(f"module_{n % 50}" for n in range(_FUNCTIONS)), ("",) * _FUNCTIONS
    threads = Threads(
        zero,
        np.arange(count),
        tuple(f"thread {n}" for n in range(count)),
        ("made",) * count,
        ("thread",) * count,
        zero.astype(np.bool_),
        zero - 1,
        first,
        last,
        ptr,
    )
    none = np.zeros(0, np.int32)
    functions = Functions(texts, modules, files, np.zeros(_FUNCTIONS, np.int32))
    resources = Resources((), (), none, none)
    return Trace(Header(), functions, calls, threads, resources, Strings.of([""]), np.zeros(0, np.uint32))


def generate(path: Path, megabytes: int) -> None:
    """Write a Chrome JSON as viztracer does: spans in the order of their ends, 43 threads, names with file and line."""
    rng = np.random.default_rng(1)
    names = [
        f"Class{n % 97}.method_{n} (/home/user/project/package/module_{n % 53}.py:{n % 700 + 1})" for n in range(2000)
    ]
    period = 3 * 1000  # ns of a call with its leaves
    blocks = []  # of each thread; the digits of microseconds above thousands are filled in later
    for thread in range(THREADS):
        lines = []
        picks = rng.integers(0, len(names), 333 * (_LEAVES + 1)).tolist()
        for call in range(333):
            begin = call * period
            for leaf in range(_LEAVES + 1):
                inside = leaf < _LEAVES
                at = begin + 100 + leaf * 300 if inside else begin
                long = f"0.{200 + leaf}" if inside else "2.9"
                head = f'"pid":1,"tid":{thread},"ts":81995MMMMM{at // 1000:03d}.{at % 1000:03d},"ph":"X","cat":"fee"'
                lines.append(f'{{{head},"dur":{long},"name":"{names[picks.pop()]}"}}')
        blocks.append(",\n".join(lines))
    with path.open("w") as file:
        size = file.write('{"traceEvents":[{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"main"}}')
        rounds = 0
        while size < megabytes * 1e6:
            size += file.write(",\n" + blocks[rounds % THREADS].replace("MMMMM", f"{rounds // THREADS:05d}"))
            rounds += 1
        file.write('],"viztracer_metadata":{"version":"1.1.1"}}')


if __name__ == "__main__":
    main()
