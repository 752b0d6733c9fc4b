"""Call trees for tests: random ones, and those written as nested lists."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.trees import CallTree
from cbvtool.trace.model.trace import Trace
from tests.trace.handmade import builder

Timed = tuple[str, int, int, list["Timed"]]  # function, start, end, what it calls
Nested = tuple[int, list["Nested"]]  # function, what it calls


def tree_of(root: Nested) -> CallTree:
    """A tree whose calls begin one ns after each other; row 0 is the root."""
    function: list[int] = []
    depth: list[int] = []
    end_row: list[int] = []
    waiting: list[tuple[Nested, int]] = [(root, 0)]
    while waiting:
        (number, below), level = waiting.pop()
        function.append(number)
        depth.append(level)
        waiting += [(child, level + 1) for child in reversed(below)]
    for row, level in enumerate(depth):
        after = (other for other in range(row + 1, len(depth)) if depth[other] <= level)
        end_row.append(next(after, len(depth)))
    rows = np.arange(len(function))
    ends = np.array(end_row)
    return CallTree(np.array(function), ends, np.array(depth), rows, ends, 0, False)


def random_tree(n: int, functions: int, seed: int, deeper: float = 0.4) -> CallTree:
    """n calls of random functions; `deeper` is how often a call makes one."""
    random = np.random.default_rng(seed)
    depth = np.zeros(n, np.int64)
    for row in range(1, n):
        up = 0 if random.random() < deeper else int(random.geometric(0.6))
        depth[row] = max(1, depth[row - 1] + 1 - up)
    end_row = np.full(n, n, np.int64)
    above: list[int] = []
    for row, level in enumerate(depth.tolist()):
        while above and depth[above[-1]] >= level:
            end_row[above.pop()] = row
        above.append(row)
    start = np.cumsum(random.integers(0, 4, n))
    start -= start[0]
    end = np.concatenate((start, [start[-1] + 1]))[end_row]
    return CallTree(random.integers(0, functions, n), end_row, depth, start, end, 0, False)


def traced(calls: list[Timed]) -> Trace:
    """A trace of one thread."""
    made = builder()

    def add(thread: int, call: Timed) -> None:
        name, start, end, below = call
        made.begin(thread, made.function(name, "m", "/src/m.py"), start)
        for each in below:
            add(thread, each)
        made.end(thread, end)

    thread = made.thread(1, 1)
    for call in calls:
        add(thread, call)
    return made.trace(made.build())
