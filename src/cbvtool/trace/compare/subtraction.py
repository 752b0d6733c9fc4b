"""Calls of runs without those of other runs: what one feature alone calls (TD-10; software reconnaissance).

Source: Wilde and Scully, "Software reconnaissance: mapping program features to code", 1995.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cbvtool.trace.compare.runs.paths import CallPaths, Row

Level = Literal["function", "pair", "path"]


@dataclass(frozen=True)
class RemainingCalls:
    """Calls that remain: those of a function, by its callers if asked for.

    path   the callers that are told apart and the function, the outermost first: 1, 2 or all of them
    calls  how many there are in all runs
    own    ns that they took by themselves, in all runs
    """

    path: tuple[Row, ...]
    calls: int
    own: float

    @property
    def function(self) -> Row:
        """The function that is called."""
        return self.path[-1]


def remaining_calls(paths: CallPaths, level: Level = "function") -> list[RemainingCalls]:
    """Calls of the reference without those of the test, most first.

    level  "function": of functions that the test never calls; "pair": also where it never calls them from this caller;
           "path": where it never calls them on this path from a root
    """
    sides = slice(0, paths.references), slice(paths.references, None)
    calls, others = (paths.calls[side].sum(axis=0) for side in sides)
    own = paths.own[sides[0]].sum(axis=0)
    sums: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    first: dict[tuple[int, ...], int] = {}
    for path in np.flatnonzero((calls > 0) | (others > 0)).tolist():
        function, parent = int(paths.function[path]), int(paths.parent[path])
        caller = int(paths.function[parent]) if parent >= 0 else -1
        key = {"function": (function,), "pair": (caller, function), "path": (path,)}[level]
        first.setdefault(key, path)
        for place, value in enumerate((calls[path], others[path], own[path])):
            sums[key][place] += value
    depth = {"function": 1, "pair": 2, "path": len(paths)}[level]
    found = [
        RemainingCalls(_rows(paths, first[key], depth), round(number), time)
        for key, (number, there, time) in sums.items()
        if number > 0 and there == 0
    ]
    return sorted(found, key=lambda one: (-one.calls, [row[2] for row in one.path], [row[0] for row in one.path]))


def functions_called(paths: CallPaths) -> Iterator[Row]:
    """The functions that the test calls, as it has them."""
    calls = paths.calls[paths.references :].sum(axis=0)
    for function in np.unique(paths.function[calls > 0]).tolist():
        yield paths.test[function]


def _rows(paths: CallPaths, path: int, depth: int) -> tuple[Row, ...]:
    """The last `depth` functions of a path, as the reference has them."""
    return tuple(paths.reference[int(paths.function[each])] for each in paths.above(path)[-depth:])
