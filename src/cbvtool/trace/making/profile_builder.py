"""Collect what a reader finds of a profile, and make the profile of it."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget, OverBudget
from cbvtool.trace.making.call_tree import measured, preorder
from cbvtool.trace.making.function_pool import FunctionPool
from cbvtool.trace.model.profile import CallPairs, Profile, ProfileMetric, Values
from cbvtool.trace.model.trace import Header

NO_NODE = -1
_NODE_SIZE, _VALUE_SIZE = 60, 20  # bytes of memory
MOST_CELLS = 30_000_000  # of one metric's table of places and nodes
MOST_PAIRS = 5_000_000
ONLY_SUMMARY = "metrics whose values by rank and thread are too many: mean, lowest and highest are kept"
NOT_FINITE = "values that are no numbers"


@dataclass
class _Cells:
    """Values as they come: node (or pair), place or -1, value; and (low, mean, high) that the file gives."""

    name: str
    unit: str
    inclusive: bool
    node: array[int] = field(default_factory=lambda: array("q"))
    place: array[int] = field(default_factory=lambda: array("i"))
    value: array[float] = field(default_factory=lambda: array("d"))
    summary: dict[int, tuple[float, float, float]] = field(default_factory=dict)


class ProfileBuilder:
    """What a reader finds, node by node. A node's parent comes before it; values of one node and place are summed.

    format  the reader's name
    budget  is asked now and then, and told of what is kept

    Raises OverBudget and Cancelled while things are added.
    """

    def __init__(self, format: str, budget: Budget) -> None:
        self.header = Header(format=format)
        self.repairs: Counter[str] = Counter()
        self.omissions: Counter[str] = Counter()
        self._budget = budget
        self._functions = FunctionPool()
        self._parent, self._function, self._site_line = array("q"), array("I"), array("i")
        self._site_file: list[str] = []
        self._children: dict[tuple[int, int, str, int], int] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._metrics: dict[tuple[str, str, bool], _Cells] = {}
        self._pairs: dict[tuple[int, int], int] = {}
        self._pair_metrics: dict[tuple[str, str, bool], _Cells] = {}
        self._unpaid_count = self._unpaid_size = 0

    def __len__(self) -> int:
        return len(self._parent)

    def describe(self, **fields: Any) -> None:
        """Set fields of the header."""
        self.header = replace(self.header, **fields)

    def function(self, name: str, module: str = "", file: str = "", line: int = 0) -> int:
        """The row of a function, a new one if it was not named yet."""
        self._spend(0, 0)
        return self._functions.row(name, module, file, line)

    def node(self, function: int, parent: int = NO_NODE, site_file: str = "", site_line: int = 0) -> int:
        """A new node; siblings may be equal."""
        if len(self._parent) >= 2**31 - 1:
            raise ValueError("more nodes than rows of 32 bits can number")
        self._spend(1, _NODE_SIZE)
        self._parent.append(parent)
        self._function.append(function)
        self._site_file.append(site_file)
        self._site_line.append(site_line if 0 <= site_line < 2**31 else 0)
        return len(self._parent) - 1

    def child(self, function: int, parent: int = NO_NODE, site_file: str = "", site_line: int = 0) -> int:
        """The node of that function and call site below `parent`, a new one if there is none."""
        key = (parent, function, site_file, site_line)
        node = self._children.get(key)
        if node is None:
            node = self._children[key] = self.node(function, parent, site_file, site_line)
            self._spend(0, 2 * _NODE_SIZE)
        return node

    def add(
        self,
        node: int,
        name: str,
        value: float,
        *,
        unit: str = "",
        inclusive: bool = False,
        place: tuple[int, int] | None = None,
    ) -> None:
        """A value of a node, added to what is there; `place` is (rank, thread), None = of the run."""
        self._add(self._metrics, node, name, value, unit, inclusive, place)

    def summarise(
        self, node: int, name: str, low: float, mean: float, high: float, *, unit: str = "", inclusive: bool = False
    ) -> None:
        """What the file says of a node's values over ranks and threads; NaN = it does not say."""
        self._spend(1, _NODE_SIZE)
        cells = self._metrics.setdefault((name, unit, inclusive), _Cells(name, unit, inclusive))
        cells.summary[node] = (low, mean, high)

    def pair(
        self, caller: int, callee: int, name: str, value: float, *, unit: str = "", inclusive: bool = False
    ) -> None:
        """A value of a pair of functions, of a file that has no contexts."""
        number = self._pairs.setdefault((caller, callee), len(self._pairs))
        if number >= MOST_PAIRS:
            raise OverBudget(f"{self._budget.work} was stopped: more than {MOST_PAIRS:,} pairs of caller and callee.")
        self._add(self._pair_metrics, number, name, value, unit, inclusive, None)

    def _add(
        self,
        metrics: dict[tuple[str, str, bool], _Cells],
        node: int,
        name: str,
        value: float,
        unit: str,
        inclusive: bool,
        place: tuple[int, int] | None,
    ) -> None:
        if not math.isfinite(value):
            self.omissions[NOT_FINITE] += 1
            return
        self._spend(1, _VALUE_SIZE)
        cells = metrics.get((name, unit, inclusive))
        if cells is None:
            cells = metrics[name, unit, inclusive] = _Cells(name, unit, inclusive)
        cells.node.append(node)
        cells.place.append(-1 if place is None else self._places.setdefault(place, len(self._places)))
        cells.value.append(value)

    def _spend(self, count: int, size: int) -> None:
        self._unpaid_count += count
        self._unpaid_size += size
        if self._unpaid_count >= 4096 or self._unpaid_size >= 1 << 18:
            self._budget.spend(count=self._unpaid_count, size=self._unpaid_size)
            self._unpaid_count = self._unpaid_size = 0

    def profile(self, *, sampled: bool = False, call_graph: bool = False) -> Profile:
        """The profile of what was added.

        call_graph  the file has functions and pairs alone: pairs are kept, even if there are none
        """
        row, end_row = preorder(np.frombuffer(self._parent, np.int64) if len(self) else np.empty(0, np.int64))
        order = np.empty(len(row), np.int64)
        order[row] = np.arange(len(row))
        given = np.array(self._parent, np.int64)[order]
        parent = np.where(given >= 0, row[given], NO_NODE).astype(np.int32) if len(row) else given.astype(np.int32)
        places = len(self._places)
        metrics = tuple(self._metric(cells, row, len(row), places) for cells in self._metrics.values())
        pairs = None
        if call_graph:
            number = np.arange(len(self._pairs))
            callers, callees = zip(*self._pairs, strict=True) if self._pairs else ((), ())
            pairs = CallPairs(
                np.array(callers, np.uint32),
                np.array(callees, np.uint32),
                tuple(self._metric(cells, number, len(number), 0) for cells in self._pair_metrics.values()),
            )
        return Profile(
            self.header,
            self._functions.functions(),
            np.array(self._function, np.uint32)[order],
            parent,
            end_row,
            tuple(self._site_file[node] for node in order.tolist()),
            np.array(self._site_line, np.int32)[order],
            metrics,
            tuple(self._places),
            sampled,
            dict(self.repairs),
            dict(self.omissions),
            pairs,
        )

    def _metric(self, cells: _Cells, row: npt.NDArray[np.int64], n: int, places: int) -> ProfileMetric:
        """The metric of what was collected, its nodes in their new rows."""
        given = (cells.name, cells.unit, cells.inclusive)
        node = row[np.frombuffer(cells.node, np.int64)] if len(cells.node) else np.empty(0, np.int64)
        place = np.array(cells.place, np.int64)
        value = np.array(cells.value, np.float64)
        if cells.summary:
            summary = np.full((3, n), np.nan)
            summary[:, row[list(cells.summary)]] = np.array(list(cells.summary.values())).T
            return ProfileMetric(*given, summary[1], summary[0], summary[2], summarised=True)
        placed = place >= 0
        whole = _summed(node[~placed], value[~placed], n)
        if not placed.any():
            return ProfileMetric(*given, whole, whole, whole)
        if not placed.all():
            self.omissions["values of no rank beside those of ranks"] += int((~placed).sum())
        if places * n > MOST_CELLS:
            self.omissions[ONLY_SUMMARY] += 1
            return _over_places(*given, node[placed], place[placed], value[placed], n)
        cell = place[placed] * n + node[placed]
        return measured(*given, _summed(cell, value[placed], places * n).reshape(places, n))


def _over_places(
    name: str,
    unit: str,
    inclusive: bool,
    node: npt.NDArray[np.int64],
    place: npt.NDArray[np.int64],
    value: Values,
    n: int,
) -> ProfileMetric:
    """A metric's mean, lowest and highest value over the places that have one."""
    distinct, of = np.unique(place * n + node, return_inverse=True)
    sums = np.bincount(of, weights=value, minlength=len(distinct))
    at = distinct % n
    count = np.bincount(at, minlength=n)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, at, sums)
    np.maximum.at(high, at, sums)
    mean = np.bincount(at, weights=sums, minlength=n) / np.maximum(count, 1)
    low, mean, high = (np.where(count > 0, values, np.nan) for values in (low, mean, high))
    return ProfileMetric(name, unit, inclusive, mean, low, high, summarised=True)


def _summed(node: npt.NDArray[np.int64], value: Values, n: int) -> Values:
    """Sums by node; NaN where there is nothing."""
    sums = np.bincount(node, weights=value, minlength=n)
    return np.where(np.bincount(node, minlength=n) > 0, sums, np.nan)
