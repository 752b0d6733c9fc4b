"""Which state a call is in: its function, its module, its package, or whether it runs, waits, reads or writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    timed        the trace whose tables say when a thread waits, reads or writes; None = functions decide
    """

    name: tuple[str, ...]
    of_function: npt.NDArray[np.int32]
    timed: Trace | None = None


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
    return CallStates(shown, of)


def _activities(trace: Trace) -> CallStates:
    """By the intervals of the tables; if there are none, by names, as of states that somebody named ("Sleeping")."""
    trace = with_waits(trace)
    known = any(len(trace.table(table)) for table in ("waits", "io"))
    of_function = np.zeros(len(trace.functions), np.int32)
    of_function[[not known and is_waiting(name) for name in trace.functions.name]] = 1
    return CallStates((RUNS, WAITS, READS_WRITES), of_function, trace if known else None)


def is_waiting(state: str) -> bool:
    """Whether the name of a state says that a resource waits in it."""
    return _WAITING.search(state) is not None
