"""The map of 100,000 functions to 100,000 nodes, and the overlay of a window on 14 million calls of 43 threads.

python tests/benchmarks/bench_mapping.py: processor time and time of the clock, the best of three, kernels loaded.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.trace.making.builder import GivenEvents, ThreadEvents, calls_of, processes_and_threads
from cbvtool.trace.making.matching import BEGIN, END
from cbvtool.trace.mapping.map_functions import map_functions
from cbvtool.trace.model.strings import Strings
from cbvtool.trace.model.trace import Functions, Header, Threads, Trace
from cbvtool.trace.overlay.relations import with_run_time
from cbvtool.trace.overlay.windows import classes_of, run_time

CALLS, THREADS, FUNCTIONS, NODES = 14_000_000, 43, 5_000, 100_000


def main() -> None:
    graph, functions = project(NODES)
    measured("map of 100,000 functions", lambda: map_functions(functions, graph, "/home/me/project"))
    measured("the same, recorded elsewhere", lambda: map_functions(functions, graph))
    graph, functions = project(FUNCTIONS)
    subject = trace(functions)
    nodes = map_functions(functions, graph, "/home/me/project")
    classes = classes_of(subject, nodes, graph)
    first, last = subject.span
    quarter, hundredth = (last - first) // 4, (last - first) // 100
    print(f"{len(subject.calls):,} calls, {len(classes):,} classes, {len(classes.pairs[0]):,} pairs")
    run_time(subject, classes, (first, first))
    measured("classes of calls, once for a map", lambda: classes_of(subject, nodes, graph))
    measured("window of everything", lambda: run_time(subject, classes))
    measured("window of a half", lambda: run_time(subject, classes, (first + quarter, last - quarter)))
    measured(
        "window of a hundredth", lambda: run_time(subject, classes, (first + quarter, first + quarter + hundredth))
    )
    found = run_time(subject, classes)
    measured("relations of the graph", lambda: with_run_time(graph, found))


def measured(what: str, work: Callable[[], Any]) -> None:
    best = (float("inf"), float("inf"))
    for _ in range(3):
        clock, processor = time.perf_counter(), time.process_time()
        work()
        best = min(best, (time.process_time() - processor, time.perf_counter() - clock))
    print(f"{what}: {best[0] * 1000:,.0f} ms of processor time, {best[1] * 1000:,.0f} ms")


def project(count: int) -> tuple[Graph, Functions]:
    """A project with that many functions, twenty to a file, and how a recording names each of them."""
    made = GraphBuilder("project")
    names, files, lines = [], [], []
    for number in range(count):
        folder, path = f"p{number // 400}", f"p{number // 400}/m{number // 20}.py"
        if folder not in made:
            made.add_node(folder, "", folder, "folder")
        if path not in made:
            made.add_node(path, folder, path.rpartition("/")[2], "file", file=path)
            made.add_node(f"{path}::C", path, "C", "class", file=path, line=1, end_line=400)
        line = number % 20 * 10 + 2
        made.add_node(
            f"{path}::C.f{number}", f"{path}::C", f"f{number}", "function", file=path, line=line, end_line=line + 8
        )
        names.append(f"C.f{number}" if number % 5 else f"C.f{number}.<locals>.<lambda>")
        files.append(f"/home/me/project/{path}")
        lines.append(line)
    return made.freeze(), Functions(tuple(names), ("",) * count, tuple(files), np.array(lines, np.int32))


def trace(functions: Functions) -> Trace:
    """Random calls: deeper and back again, the functions of a level more or less the same ones."""
    random = np.random.default_rng(15)
    threads = [events(random, CALLS // THREADS) for _ in range(THREADS)]
    counts = [int(np.count_nonzero(thread.kind != END)) for thread in threads]
    given = GivenEvents(counts, len(functions), iter(threads))
    made = calls_of(given, [(2**62, -(2**62))] * THREADS, Counter())
    table = Threads(
        np.ones(THREADS, np.int64),
        np.arange(THREADS),
        ("thread",) * THREADS,
        ("process",) * THREADS,
        ("thread",) * THREADS,
        np.zeros(THREADS, np.bool_),
        np.full(THREADS, -1, np.int64),
        made.first,
        made.last,
        made.ptr,
    )
    resources = processes_and_threads(table)
    return Trace(Header(), functions, made.calls, table, resources, Strings.of([""]), made.open_rows)


def events(random: np.random.Generator, calls: int) -> ThreadEvents:
    """Begins and ends of one thread, as many of each; calls are some 20 deep."""
    kind = np.where(random.random(2 * calls) < 0.5, BEGIN, END).astype(np.uint8)
    depth = np.cumsum(np.where(kind == BEGIN, 1, -1))
    level = depth - np.minimum.accumulate(np.minimum(depth, 0))
    function = (
        np.minimum(level, 60) * 80 + np.minimum(random.pareto(1.0, 2 * calls) * 3, 79).astype(np.int64)
    ) % FUNCTIONS
    function = np.where(kind == BEGIN, function, 2**32 - 1).astype(np.uint32)
    return ThreadEvents(kind, function, np.arange(2 * calls) * 100, np.zeros(2 * calls, np.int64))


if __name__ == "__main__":
    main()
