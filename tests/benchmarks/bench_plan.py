"""How long plans take on a large graph: python tests/benchmarks/bench_plan.py [--nodes N] [--moves N]

A random tree with half as many relations as nodes; random moves of files. Prints one Markdown table row per step,
milliseconds by the clock, median of the runs:

replay      the moves lowered, applied, and the graph frozen once
preorder    the derived index of the new graph
check       one forbidden or allowed drop, as asked during a drag
compress    the net primitives
tasks       the whole task list, impact and clashes included
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import Group, History, Move, check, run
from cbvtool.plan.compress import compress
from cbvtool.plan.tasks import tasks

RUNS = 7


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--moves", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args(arguments)
    chance = random.Random(1)
    base, folders, files = tree(options.nodes, chance)
    moves = tuple(Move((chance.choice(files),), chance.choice(folders)) for _ in range(options.moves))
    assert len(base.tree.order) == len(base.key_of) == len(base)

    def planned() -> History:
        history = History(base, (Group("all", moves),))
        assert len(history.graph.tree.order) == len(base)
        return history

    steps: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
        "replay": (lambda: None, lambda _: run(base, moves)),
        "preorder": (lambda: run(base, moves).graph, lambda graph: graph.tree),
        "check": (lambda: planned().graph, lambda graph: check(moves[0], graph)),
        "compress": (planned, compress),
        "tasks": (planned, tasks),
    }
    print(f"{len(base):,} nodes, {len(base.edges):,} relations, {len(moves):,} moves\n")
    print("| step | ms |\n| --- | ---: |")
    for name, (prepare, step) in steps.items():
        print(f"| {name} | {statistics.median(timed(prepare(), step) for _ in range(options.runs)):,.1f} |")


def timed(argument: Any, step: Callable[[Any], object]) -> float:
    start = time.perf_counter()
    step(argument)
    return (time.perf_counter() - start) * 1000


def tree(nodes: int, chance: random.Random) -> tuple[Graph, list[str], list[str]]:
    """A graph, the ids of its folders (one node in twenty), the ids of its files."""
    builder = GraphBuilder("random")
    folders, files = [""], list[str]()
    for number in range(1, nodes):
        is_folder = number <= nodes // 20
        above = chance.choice(folders)
        name = f"d{number}" if is_folder else f"f{number}.py"
        node = f"{above}/{name}".lstrip("/")
        builder.add_node(node, above, name, "folder" if is_folder else "file", file=None if is_folder else node)
        (folders if is_folder else files).append(node)
    for number in range(nodes // 2):
        user, used = chance.choice(files), chance.choice(files)
        builder.add_edge(builder.key(user), builder.key(used), "import", sites=[(user, number % 99 + 1)])
    return builder.freeze(), folders, files


if __name__ == "__main__":
    main()
