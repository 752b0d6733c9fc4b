"""How long metrics of relations take on a large graph: python tests/benchmarks/bench_metrics.py [--files N] [...]

A random tree of folders, files and functions; relations between functions near each other, one in five between any
two; once without cycles, once with. Prints one Markdown table row per metric, seconds of processor time (one core),
median of the runs, and the most memory that the process took.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time

import numpy as np

from cbvtool.graph import Edges, Graph
from cbvtool.metrics import METRICS, Subject

NAMES = ("fan_in", "transitive_users", "transitive_uses", "instability", "unused")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--functions", type=int, default=4, help="in each file")
    parser.add_argument("--relations", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    for cyclic in (False, True):
        graph = large_graph(options.files, options.functions, options.relations, cyclic=cyclic)
        assert len(graph.tree.order) == len(graph)
        print(f"{len(graph):,} nodes, {len(graph.edges):,} relations, {'with' if cyclic else 'without'} cycles\n")
        print("| metric | s |\n| --- | ---: |")
        for name in NAMES:
            took = statistics.median(timed(name, graph) for _ in range(options.runs))
            print(f"| {name} | {took:,.2f} |")
        print()
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


def timed(name: str, graph: Graph) -> float:
    start = time.process_time()
    METRICS[name].compute(Subject(graph))
    return time.process_time() - start


def large_graph(files: int, functions: int, relations: int, *, cyclic: bool, seed: int = 1) -> Graph:
    """The same numbers give the same graph. The first file is an entry point."""
    rng = np.random.default_rng(seed)
    folders = max(files // 10, 1)
    first_file, first_function = 1 + folders, 1 + folders + files
    count = first_function + files * functions
    above = np.maximum(np.arange(1, 1 + folders) // 8, 0)
    in_folder = rng.integers(1, 1 + folders, files)
    in_file = np.repeat(np.arange(first_file, first_function), functions)
    user = rng.integers(first_file, count, relations)
    used = np.clip(user + np.rint(rng.normal(0, count / 50, relations)).astype(int), first_file, count - 1)
    anywhere = rng.random(relations) < 0.2
    used[anywhere] = rng.integers(first_file, count, int(anywhere.sum()))
    if not cyclic:
        user, used = np.minimum(user, used), np.maximum(user, used)
    ends = np.unique(np.column_stack((user, used))[user != used], axis=0)
    rows, none = len(ends), np.zeros(count, np.int32)
    names = ("", *(f"{key}.py" for key in range(1, count)))
    names = (*names[:first_file], "main.py", *names[first_file + 1 :])
    return Graph(
        "large",
        names,
        names,
        np.repeat([0, 1, 2, 3], [1, folders, files, files * functions]),
        ("project", "folder", "file", "function"),
        np.concatenate(([-1], above, in_folder, in_file)),
        none - 1,
        none,
        none,
        values={"sloc": np.where(np.arange(count) < first_file, np.nan, 10.0)},
        edges=Edges(
            ends[:, 0],
            ends[:, 1],
            np.zeros(rows, np.int16),
            np.ones(rows, np.float32),
            np.zeros(rows, np.uint8),
            np.zeros(rows, np.uint8),
            np.zeros(rows + 1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0, np.int32),
            ("call",),
        ),
    )


if __name__ == "__main__":
    main()
