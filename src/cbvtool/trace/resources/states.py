"""Which state a call is in: its function, its module, its package, or whether it runs, waits, reads or writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.titles import function_title
from cbvtool.trace.model.trace import Functions, Trace
from cbvtool.trace.waits.by_name import with_waits

GROUPINGS = (
    ("function", "Function"),
    ("module", "Module"),
    ("package", "Package"),
    ("activity", "Runs, waits, reads and writes"),
)
MOST_STATES = 20
OTHERS = "others"
RUNS, WAITS, READS_WRITES = "runs", "waits", "reads, writes"
_WAITING = re.compile(
    r"wait|barrier|idle|sleep|block|poll|select|recv|receive|\bjoin|acquire|allreduce|allgather|alltoall|bcast"
    r"|reduce|gather|scatter|sync|futex|no state",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class CallStates:
    """The state of each call.

    name         str[x]
    of_function  int32[f]
    marked       uint32[m], ascending: calls whose state, and that of all calls below, is `mark`
    mark         int32[m]
    """

    name: tuple[str, ...]
    of_function: npt.NDArray[np.int32]
    marked: npt.NDArray[np.uint32]
    mark: npt.NDArray[np.int32]


def group_names(functions: Functions, by: str) -> list[str]:
    """The group of each function, by "function", "module" or "package". What has no name is "?"."""
    if by == "function":
        return [function_title(functions, row) for row in range(len(functions))]
    where = [module or file for module, file in zip(functions.module, functions.file, strict=True)]
    if by == "package":
        where = [each.replace("/", ".").lstrip(".").split(".")[0] for each in where]
    return [each or "?" for each in where]


def merged_groups(
    names: Sequence[str], weight: npt.NDArray[np.float64], most: int = MOST_STATES
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """The groups, the heaviest first, and the group of each name; those beyond `most` together are `OTHERS`.

    weight  float64[n]. Equal weights: by name, so that the order is always the same. Groups of no weight come last.
    """
    distinct, of = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    of = of.reshape(-1)
    sums = np.bincount(of, weight, len(distinct))
    order = np.argsort(-sums, kind="stable")
    place = np.empty(len(distinct), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    shown = [str(distinct[each]) for each in order]
    if len(shown) > most:
        shown = [*shown[: most - 1], OTHERS]
        place = np.minimum(place, most - 1)
    return tuple(shown), place[of].astype(np.int32)


def call_states(trace: Trace, by: str, weight: npt.NDArray[np.float64] | None = None) -> CallStates:
    """The state of each call by one of `GROUPINGS`.

    weight  float64[f], ns: own time of each function, by which groups are ordered; None = all are equal
    """
    if by == "activity":
        return _activities(trace)
    names = group_names(trace.functions, by)
    weight = np.ones(len(names)) if weight is None else weight
    shown, of = merged_groups(names, weight)
    return CallStates(shown, of, np.empty(0, np.uint32), np.empty(0, np.int32))


def _activities(trace: Trace) -> CallStates:
    """Waiting wins over reading and writing, where a call is said to do both. If no call does either, names decide."""
    trace = with_waits(trace)
    state = {}
    for table, what in (("io", 2), ("waits", 1)):
        calls = trace.table(table)["call"]
        for call in np.unique(calls[calls != NO_ROW]).tolist():
            state[call] = what
    marked = np.array(sorted(state), np.uint32)
    mark = np.array([state[call] for call in marked.tolist()], np.int32)
    of_function = np.zeros(len(trace.functions), np.int32)
    if not state:  # as of states that somebody named: "Sleeping"
        of_function[[is_waiting(name) for name in trace.functions.name]] = 1
    return CallStates((RUNS, WAITS, READS_WRITES), of_function, marked, mark)


def is_waiting(state: str) -> bool:
    """Whether the name of a state says that a resource waits in it."""
    return _WAITING.search(state) is not None
