"""The union of the calling context trees of many runs, with the values of all (CF-1; 004, 4.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cbvtool.budget import OverBudget
from cbvtool.errors import InputError
from cbvtool.progress import Progress, silent
from cbvtool.trace.ensemble.runs import ProfiledRun, RunValues, metric_of, values_of_each
from cbvtool.trace.making.call_tree import preorder
from cbvtool.trace.making.function_pool import FunctionPool
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Functions

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
MOST_CELLS = 200_000_000  # runs x nodes
NEGATIVE = "runs with values below zero"
EQUAL = "runs that are equal to an earlier one"
_EVERY = 64  # runs between two looks at Cancel
_TOGETHER = 1024  # runs whose values are worked out between two looks at Cancel


@dataclass(frozen=True, eq=False)
class RankValues:
    """What the ranks of one run spent. rows: int64[m] of the ensemble; inclusive: float64[k, m], NaN = not there."""

    rows: Ints
    inclusive: Floats


@dataclass(frozen=True, eq=False)
class Ensemble:
    """r runs over one forest of n nodes in preorder. Values are means over the ranks of a run.

    names        of the runs
    parameters   of each run, by name
    metric, unit what the values are
    functions    of all runs
    function     uint32[n]    row of `functions`
    parent       int32[n]     a row before it, -1 for a root
    end_row      int32[n]     the row after the last node below it
    inclusive    float64[r, n]  NaN = the run lacks the node, which is not 0
    exclusive    float64[r, n]
    low, high    float64[r, n]  inclusive, of the ranks of each run
    ranks        of each run, None = unknown apart
    summarised   bool[r]      of its ranks only lowest, mean and highest are known
    repairs      what was odd, counted
    """

    names: tuple[str, ...]
    parameters: tuple[Mapping[str, str], ...]
    metric: str
    unit: str
    functions: Functions
    function: npt.NDArray[np.uint32]
    parent: npt.NDArray[np.int32]
    end_row: npt.NDArray[np.int32]
    inclusive: Floats
    exclusive: Floats
    low: Floats
    high: Floats
    ranks: tuple[RankValues | None, ...]
    summarised: npt.NDArray[np.bool_]
    repairs: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        """Runs."""
        return len(self.names)

    @property
    def totals(self) -> Floats:
        """float64[r]: what each run spent in all."""
        roots: Floats = np.nansum(self.inclusive[:, self.parent < 0], axis=1)
        return roots


def united(runs: Sequence[ProfiledRun], metric: str = "", progress: Progress = silent) -> Ensemble:
    """The ensemble of runs by one metric (default: the first time).

    A node is known by its function and the nodes above it; equal siblings by their order. Raises InputError where
    there is no run, a run lacks the metric or measures it in another unit, or nothing is common to any two runs;
    OverBudget; Cancelled.
    """
    if not runs:
        raise InputError("There is no run.")
    values: list[RunValues] = []
    for number in range(0, len(runs), _TOGETHER):
        progress("Reading metrics", number, len(runs))
        some = runs[number : number + _TOGETHER]
        values += values_of_each([run.profile for run in some], [_metric(run, metric) for run in some])
    _must_agree(runs, values)
    shapes = _Shapes()
    places = []
    for number, run in enumerate(runs):
        if not number % _EVERY:
            progress("Uniting runs", number, len(runs))
        places.append(shapes.rows_of(run.profile))
        if len(runs) * len(shapes.parent) > MOST_CELLS:
            raise OverBudget(
                f"The runs have too little in common: {len(shapes.parent):,} call paths of {number + 1:,} runs."
            )
    row, end_row = preorder(np.array(shapes.parent, np.int64))
    _must_share(runs, places, len(row))
    size = len(runs), len(row)
    tables = [np.full(size, np.nan) for _ in range(4)]
    ranks: list[RankValues | None] = []
    repairs: Counter[str] = Counter()
    seen: set[bytes] = set()
    for number, (found, place) in enumerate(zip(values, places, strict=True)):
        at = row[place]
        for table, column in zip(tables, (found.inclusive, found.exclusive, found.low, found.high), strict=True):
            table[number, at] = column
        several = found.by_rank is not None and len(found.by_rank) > 1
        ranks.append(RankValues(at, found.by_rank) if several and found.by_rank is not None else None)
        repairs[NEGATIVE] += bool((found.inclusive < 0).any())
        same = tables[0][number].tobytes()
        repairs[EQUAL] += len(runs) > 1 and same in seen
        seen.add(same)
    inclusive, exclusive, low, high = tables
    order = np.empty(len(row), np.int64)
    order[row] = np.arange(len(row))
    above = np.array(shapes.parent, np.int64)[order]
    return Ensemble(
        tuple(run.name for run in runs),
        tuple(run.parameters for run in runs),
        values[0].name,
        values[0].unit,
        shapes.pool.functions(),
        np.array(shapes.function, np.uint32)[order],
        np.where(above >= 0, row[above], -1).astype(np.int32),
        end_row,
        inclusive,
        exclusive,
        low,
        high,
        tuple(ranks),
        np.array([found.summarised for found in values], np.bool_),
        {what: count for what, count in repairs.items() if count},
    )


def _metric(run: ProfiledRun, name: str) -> ProfileMetric:
    try:
        return metric_of(run.profile, name)
    except InputError as error:
        raise InputError(f"{run.name}: {error}") from None


def _must_agree(runs: Sequence[ProfiledRun], values: Sequence[RunValues]) -> None:
    """All runs measure the same in one unit."""
    first = values[0]
    for run, found in zip(runs, values, strict=True):
        if found.unit != first.unit:
            what = [f"{each.name} in {each.unit or 'no unit'}" for each in (first, found)]
            raise InputError(f"{runs[0].name} measures {what[0]}, {run.name} {what[1]}: these cannot be compared.")


def _must_share(runs: Sequence[ProfiledRun], places: Sequence[Ints], nodes: int) -> None:
    """Some node is of two runs."""
    if len(runs) > 1 and sum(len(place) for place in places) == nodes and nodes > 1:
        raise InputError("No two of these runs have a call path in common: they are of unrelated programs.")


class _Shapes:
    """The nodes of all runs so far, numbered as they came: parent before child."""

    def __init__(self) -> None:
        self.pool = FunctionPool()
        self.parent: list[int] = []
        self.function: list[int] = []
        self._nodes: dict[tuple[int, int, int], int] = {}
        self._tables: dict[tuple[tuple[str, ...], ...], Ints] = {}
        self._known: dict[tuple[bytes, bytes], Ints] = {}

    def rows_of(self, profile: Profile) -> Ints:
        """int64[n]: the node of each node of a profile. Runs of one shape are looked up once."""
        function = self._functions(profile.functions)[profile.function]
        shape = function.tobytes(), profile.parent.tobytes()
        found = self._known.get(shape)
        if found is None:
            found = self._known[shape] = self._new(function.tolist(), profile.parent)
        return found

    def _functions(self, functions: Functions) -> Ints:
        key = functions.name, functions.module, functions.file
        found = self._tables.get(key)
        if found is None:
            rows = [self.pool.row(*each, 0) for each in zip(*key, strict=True)]
            found = self._tables[key] = np.array(rows, np.int64)
        return found

    def _new(self, function: list[int], parent: npt.NDArray[np.int32]) -> Ints:
        nodes, orders = self._nodes, _order_among_equals(function, parent).tolist()
        own: list[int] = []
        for what, above, order in zip(function, parent.tolist(), orders, strict=True):
            key = own[above] if above >= 0 else -1, what, order
            node = nodes.get(key)
            if node is None:
                node = nodes[key] = len(self.parent)
                self.parent.append(key[0])
                self.function.append(what)
            own.append(node)
        return np.array(own, np.int64)


def _order_among_equals(function: list[int], parent: npt.NDArray[np.int32]) -> Ints:
    """int64[n]: how many equal siblings stand before each node."""
    key = (parent.astype(np.int64) + 1) * (max(function, default=0) + 1) + np.array(function, np.int64)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    begins = (
        np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(key) else np.empty(0, np.int64)
    )
    lengths = np.diff(np.append(begins, len(key)))
    found = np.empty(len(key), np.int64)
    found[order] = np.arange(len(key)) - np.repeat(begins, lengths)
    return found
