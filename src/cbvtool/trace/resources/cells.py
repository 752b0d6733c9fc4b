"""The microscopic model: how much of each state each resource has in each slice of time (OC-1; paper 003, III.A)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.making.builder import processes_and_threads
from cbvtool.trace.model.trace import Resources, Trace
from cbvtool.trace.resources.activities import ACTIVITIES, activity_columns
from cbvtool.trace.resources.resource_tree import ResourceTree
from cbvtool.trace.resources.slices import add_begins, add_levels, add_times, depths_of, edges_of
from cbvtool.trace.resources.states import MOST_STATES, call_states, merged_groups
from cbvtool.trace.resources.trace_resources import resource_tree

Floats = npt.NDArray[np.float64]
MOST_CELLS = 40_000_000  # leaves x slices x states
RECORDED = "recorded"
COUNTER = "counters"


class Amount(NamedTuple):
    """What is measured.

    what    "time" that a state is the innermost one, "calls" that begin, "counters": their value
    by      one of `states.GROUPINGS`, or "recorded": the trace's table of states
    counter of counters, this one alone; "" = each is a state
    """

    what: str = "time"
    by: str = "function"
    counter: str = ""


TIMES = Amount()


@dataclass(frozen=True, eq=False)
class ResourceCells:
    """The model of l leaves, k slices and x states.

    state   str[x], the heaviest first
    edges   int64[k + 1], ns: where slices begin
    amount  float64[l, k, x], leaves in the order of `tree.leaves`: ns, calls, or value x ns; never negative
    what    see `Amount`
    notes   sentences on what was left out
    thread  int64[l]: row of the thread of each leaf, -1 = none
    number  int[x]: place of each state among those of the whole trace, so that its colour stays; empty = as here
    """

    tree: ResourceTree
    state: tuple[str, ...]
    edges: npt.NDArray[np.int64]
    amount: Floats
    what: str = "time"
    notes: tuple[str, ...] = ()
    thread: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    number: tuple[int, ...] = ()

    @property
    def slices(self) -> int:
        """k."""
        return len(self.edges) - 1

    @property
    def window(self) -> tuple[int, int]:
        """First and last time, ns."""
        return int(self.edges[0]), int(self.edges[-1])

    @cached_property
    def highest(self) -> float:
        """The largest amount per ns of one state in one cell, at least a tiny one."""
        rate = self.amount / np.diff(self.edges)[None, :, None]
        return float(max(rate.max(initial=0.0), 1e-300))

    def strength(self, amount: float, leaves: int, first: int, last: int) -> float:
        """How strong an amount is in an area of slices `first` to `last`, 0 to 1: of time its share of all time there,
        of other things its density beside the densest cell.
        """
        room = float(leaves) * float(self.edges[last + 1] - self.edges[first])
        return min(amount / room / (1.0 if self.what == "time" else self.highest), 1.0)

    def below(self, row: int) -> ResourceCells:
        """The model of the subtree of a row alone."""
        tree = self.tree
        low, high = int(tree.first_leaf[row]), int(tree.first_leaf[tree.end[row]])
        return replace(self, tree=tree.subtree(row), amount=self.amount[low:high], thread=self.thread[low:high])


def amounts_offered(trace: Trace) -> tuple[Amount, ...]:
    """What the trace holds amounts of: recorded states first, if it has some."""
    found = []
    if len(trace.table("states")):
        found.append(Amount("time", RECORDED))
    if len(trace.calls):
        found += [Amount("time", "function"), Amount("calls", "function")]
    if len(trace.table("counters")):
        found.append(Amount(COUNTER, ""))
    return tuple(found)


def amount_of(trace: Trace, what: str, by: str) -> Amount:
    """The amount that is asked for, or the first that the trace has."""
    offered = amounts_offered(trace)
    if offered and all(each.what != what for each in offered):
        return offered[0]
    if what == "time" and (by == RECORDED or not len(trace.calls)):
        by = RECORDED if Amount("time", RECORDED) in offered else "function"
    return Amount(what, "" if what == COUNTER else by)


def own_time(trace: Trace) -> Floats:
    """float64[f], ns: time of each function without the calls below, over the whole trace."""
    f = len(trace.functions)
    sums = np.zeros((1, f + 1), np.int64)
    states = np.arange(f, dtype=np.int32)
    edges = np.array([trace.span[0], max(trace.span[1], trace.span[0] + 1)], np.int64)
    calls = trace.calls
    columns = (calls.function, calls.start, calls.end, calls.depth)
    for thread in trace.threads.counted():
        add_times(states, *columns, *_rows(trace, thread), edges, sums)
    return sums[0, :f].astype(np.float64)


def _rows(trace: Trace, thread: int) -> tuple[int, int, int]:
    """The rows of the calls of a thread, and how deep they are at most."""
    low, high = trace.threads.ptr[thread : thread + 2].tolist()
    return low, high, int(trace.calls.depth[low:high].max(initial=0))


def cells_of(
    trace: Trace,
    amount: Amount = TIMES,
    slices: int = 100,
    window: tuple[int, int] | None = None,
    pattern: str = "",
    table: str = "",
    weight: Floats | None = None,
    progress: Progress = silent,
) -> ResourceCells:
    """The model of a trace: one pass over its calls.

    window          ns; None = all
    pattern, table  see `trace_resources.resource_tree`
    weight          `own_time(trace)`, which orders the states; None = it is computed

    Raises ValueError, whose text is a sentence, where the trace has no such amount.
    """
    first, last = _span(trace) if window is None else window
    edges = edges_of(first, last, slices)
    if amount.what == COUNTER:
        found = _of_counters(trace, amount, edges, pattern, table)
    elif amount.by == RECORDED:
        found = _of_states(trace, edges, pattern, table)
    else:
        if weight is None and amount.by != "activity":
            weight = own_time(trace)
        found = _of_calls(trace, amount, edges, pattern, table, weight, progress)
    if found.slices < slices:
        few = f"The window is {found.slices:,} ns long and has so many slices, not {slices:,}."
        found = replace(found, notes=(*found.notes, few))
    return _without_empty(found)


def _span(trace: Trace) -> tuple[int, int]:
    """That of its threads, states and counters."""
    first, last = [trace.span[0]], [trace.span[1]]
    if not len(trace.threads):
        first, last = [], []
    states, counters = trace.table("states"), trace.table("counters")
    if len(states):
        first.append(int(states["start"].min()))
        last.append(int(states["end"].max()))
    if len(counters):
        first.append(int(counters["time"].min()))
        last.append(int(counters["time"].max()))
    return min(first, default=0), max(last, default=1)


def _room(tree: ResourceTree, edges: npt.NDArray[np.int64], states: int) -> None:
    """Raise ValueError where the model would not fit."""
    if len(tree.leaves) * (len(edges) - 1) * states > MOST_CELLS:
        raise ValueError(
            f"{len(tree.leaves):,} resources x {len(edges) - 1:,} slices x {states} states are more than "
            f"{MOST_CELLS:,} cells; choose fewer slices."
        )


def _thread_rows(resources: Resources) -> dict[int, int]:
    """Row of `Threads` -> row of `Resources`, the first one."""
    found: dict[int, int] = {}
    for row, thread in enumerate(resources.thread.tolist()):
        if thread >= 0:
            found.setdefault(thread, row)
    return found


def _of_calls(
    trace: Trace,
    amount: Amount,
    edges: npt.NDArray[np.int64],
    pattern: str,
    table: str,
    weight: Floats | None,
    progress: Progress,
) -> ResourceCells:
    calls, ptr = trace.calls, trace.threads.ptr
    rows = _thread_rows(trace.resources)
    if any(thread not in rows for thread in trace.threads.counted()):
        trace = replace(trace, resources=processes_and_threads(trace.threads))
        rows = _thread_rows(trace.resources)
    threads = {rows[thread]: thread for thread in trace.threads.counted() if ptr[thread + 1] > ptr[thread]}
    tree, notes = resource_tree(trace, threads, pattern, table)
    states = call_states(trace, amount.by, weight)
    x = len(states.name)
    _room(tree, edges, x + 1)
    sums = np.zeros((len(edges) - 1, x + 1), np.int64)
    out = np.empty((len(tree.leaves), len(edges) - 1, x), np.float64)
    for place, leaf in enumerate(tree.leaves.tolist()):
        progress("summing calls", place, len(out))
        thread = threads[int(tree.source[leaf])]
        low, high, deepest = _rows(trace, thread)
        sums[:] = 0
        if amount.what == "calls":
            add_begins(states.of_function, calls.function, calls.start, low, high, edges, sums)
        elif states.timed is not None:
            spans = activity_columns(states.timed, thread)
            add_times(ACTIVITIES, *spans, 0, len(spans.start), 0, edges, sums)
        else:
            columns = (calls.function, calls.start, calls.end, calls.depth, low, high, deepest)
            add_times(states.of_function, *columns, edges, sums)
        out[place] = sums[:, :x]
    what = "calls" if amount.what == "calls" else "time"
    own = np.array([threads[int(source)] for source in tree.source[tree.leaves]], np.int64)
    return ResourceCells(tree, states.name, edges, out, what, tuple(notes), own)


def _of_states(trace: Trace, edges: npt.NDArray[np.int64], pattern: str, table: str) -> ResourceCells:
    """Of the table of states: the innermost one where they lie within one another."""
    states = trace.table("states")
    keep = np.flatnonzero(states["resource"] >= 0)
    order = keep[np.lexsort((-states["end"][keep], states["start"][keep], states["resource"][keep]))]
    resource, start, end = (states[column][order] for column in ("resource", "start", "end"))
    distinct, code = np.unique(states["name"][order], return_inverse=True)
    code = code.reshape(-1)
    names = [trace.strings[int(each)] or "?" for each in distinct]
    long = np.bincount(code, (end - start).astype(np.float64), len(names)).astype(np.float64)
    name, of = merged_groups(names, long, MOST_STATES)
    tree, notes = resource_tree(trace, np.unique(resource).tolist(), pattern, table)
    _room(tree, edges, len(name) + 1)
    depth = np.empty(len(order), np.uint32)
    depths_of(resource, start, end, depth)
    function = code.astype(np.uint32)
    for column in (function, start, end, depth):
        column.flags.writeable = False  # as the columns of calls are: the kernel is compiled once
    sums = np.zeros((len(edges) - 1, len(name) + 1), np.int64)
    out = np.empty((len(tree.leaves), len(edges) - 1, len(name)), np.float64)
    for place, source in enumerate(tree.source[tree.leaves].tolist()):
        low, high = np.searchsorted(resource, (source, source + 1)).tolist()
        sums[:] = 0
        deepest = int(depth[low:high].max(initial=0))
        add_times(of, function, start, end, depth, low, high, deepest, edges, sums)
        out[place] = sums[:, :-1]
    own = trace.resources.thread[tree.source[tree.leaves]].astype(np.int64)
    return ResourceCells(tree, name, edges, out, "time", tuple(notes), own)


def _of_counters(trace: Trace, amount: Amount, edges: npt.NDArray[np.int64], pattern: str, table: str) -> ResourceCells:
    """A state for each counter; a counter below 0 counts as 0."""
    counters = trace.table("counters")
    keep = (counters["resource"] >= 0) & np.isfinite(counters["value"])
    if amount.counter:
        wanted = [int(each) for each in np.unique(counters["name"]) if trace.strings[int(each)] == amount.counter]
        keep &= np.isin(counters["name"], wanted)
    order = np.flatnonzero(keep)
    order = order[np.lexsort((counters["time"][order], counters["name"][order], counters["resource"][order]))]
    resource, time, value = (counters[column][order] for column in ("resource", "time", "value"))
    distinct, code = np.unique(counters["name"][order], return_inverse=True)
    code = code.reshape(-1)
    names = np.array([trace.strings[int(each)] or "?" for each in distinct])
    tree, notes = resource_tree(trace, np.unique(resource).tolist(), pattern, table)
    span = np.zeros(len(names))
    np.add.at(span, code, np.maximum(value, 0))
    shown, of = merged_groups(names.tolist(), span, MOST_STATES)
    _room(tree, edges, len(shown))
    place_of = {source: place for place, source in enumerate(tree.source[tree.leaves].tolist())}
    out = np.zeros((len(tree.leaves), len(edges) - 1, len(shown)), np.float64)
    track = resource.astype(np.int64) * max(len(names), 1) + code
    bounds = np.concatenate(([0], np.flatnonzero(np.diff(track)) + 1, [len(track)])).tolist() if len(track) else [0]
    for low, high in pairwise(bounds):
        if (place := place_of.get(int(resource[low]))) is not None:
            column = np.zeros(len(edges) - 1)
            add_levels(time[low:high], value[low:high], int(edges[-1]), edges, column)
            out[place, :, of[code[low]]] += column
    if (value < 0).any():
        notes.append(f"{int((value < 0).sum()):,} values of counters lie below 0 and count as 0.")
    own = trace.resources.thread[tree.source[tree.leaves]].astype(np.int64)
    return ResourceCells(tree, shown, edges, out, COUNTER, tuple(notes), own)


def _without_empty(cells: ResourceCells) -> ResourceCells:
    """The model without states that have nothing in this window; one is kept."""
    has: npt.NDArray[np.bool_] = np.asarray(cells.amount.any(axis=(0, 1)))
    if has.all():
        return cells
    has[0] |= not has.any()
    kept = np.flatnonzero(has).tolist()
    state = tuple(cells.state[each] for each in kept)
    return replace(cells, state=state, amount=cells.amount[:, :, kept].copy(), number=tuple(kept))
