"""Fold the calls of a trace, or of a time window of it, into a calling context tree: one compiled pass."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.call_tree import measured, preorder
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Trace

_LEAST, _MOST = -(2**63), 2**63 - 1
_NO_CPU = np.empty(0, np.int64)
TOO_MANY = "values by thread: there are too many nodes and threads, mean, lowest and highest are those of the run"
MOST_CELLS = 30_000_000


def folded(
    trace: Trace,
    window: tuple[int, int] | None = None,
    *,
    by_thread: bool = False,
    budget: Budget | None = None,
    threads: tuple[int, ...] | None = None,
    rows: tuple[int, int] | None = None,
) -> Profile:
    """The profile of the calls that overlap `window` (ns, first and last), their times clipped to it.

    The metrics are calls, inclusive and exclusive time in ns, and thread CPU time where a node's calls all have one
    and lie wholly in the window: how CPU time is spread within a call is unknown. An open call counts up to the end of
    its thread. Calls of threads that are put together from samples are counted, but mean nothing (`Profile.sampled`).

    window     None = the whole trace
    by_thread  keep values by (process, thread), too
    budget     is asked before each thread
    threads    only these; None = all that count
    rows       only calls of this range (first, after the last): a call and all below it, which is then a root
    """
    low, high = (_LEAST, _MOST) if window is None else window
    calls, every = trace.calls, trace.threads
    tree = _Tree()
    owners: list[npt.NDArray[np.float64]] = []
    cells = 0
    chosen = threads if threads is not None else range(len(every)) if by_thread else every.counted()
    for thread in chosen:
        if budget is not None:
            budget.spend()
        first, last = int(every.ptr[thread]), int(every.ptr[thread + 1])
        if rows is not None:
            first, last = max(first, rows[0]), min(last, rows[1])
        before = tree.sums[:, : tree.nodes].copy() if by_thread else None
        if first < last:
            tree.fold(trace, first, last, low, high)
        if before is not None:
            own = tree.sums[:, : tree.nodes].copy()
            own[:, : before.shape[1]] -= before
            owners.append(own)
            cells += own.size
            if cells > MOST_CELLS:
                by_thread, owners = False, []
    row, end_row = preorder(tree.parent[: tree.nodes])
    order = np.empty(len(row), np.int64)
    order[row] = np.arange(len(row))
    given = tree.parent[: tree.nodes][order]
    parent = (np.where(given >= 0, row[given], -1) if len(row) else given).astype(np.int32)
    sums = tree.sums[:, : tree.nodes][:, order]
    names = [("calls", "calls", False), ("time", "ns", True), ("time", "ns", False)]
    if calls.cpu is not None:
        names.append(("cpu time", "ns", True))
    metrics = []
    for which, (name, unit, inclusive) in enumerate(names):
        if owners:
            by_place = np.full((len(owners), len(row)), np.nan)
            for place, own in enumerate(owners):
                values = np.where(own[0] > 0, own[which], np.nan)
                by_place[place, row[: own.shape[1]]] = values
            if which == 3:
                by_place[:, np.isnan(_cpu(sums))] = np.nan
            metrics.append(measured(name, unit, inclusive, by_place))
            continue
        whole = _cpu(sums) if which == 3 else sums[which]
        metrics.append(ProfileMetric(name, unit, inclusive, whole, whole, whole))
    omissions = dict(trace.omissions)
    if cells > MOST_CELLS:
        omissions[TOO_MANY] = 1
    places = [(int(every.process[thread]), int(every.id[thread])) for thread, _ in zip(chosen, owners, strict=False)]
    return Profile(
        trace.header,
        trace.functions,
        tree.function[: tree.nodes][order].astype(np.uint32),
        parent,
        end_row,
        ("",) * len(row),
        np.zeros(len(row), np.int32),
        tuple(metrics),
        tuple(places),
        trace.sampled,
        dict(trace.repairs),
        omissions,
    )


def _cpu(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """CPU time of the nodes of which every call's is known (`sums[4]` counts the others)."""
    return np.where(sums[4] > 0, np.nan, sums[3])


class _Tree:
    """The nodes so far: parent, function, five sums (calls, inclusive, exclusive, CPU, calls without CPU), hash table.

    Arrays grow between two runs of the kernel, which stops when one of them is full.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.parent, self.function = np.empty(1024, np.int64), np.empty(1024, np.int64)
        self.sums = np.zeros((5, 1024))
        self.table = np.full(4096, -1, np.int64)

    def fold(self, trace: Trace, first: int, last: int, low: int, high: int) -> None:
        """Add the calls of rows `first` to `last`, which are those of one thread."""
        calls = trace.calls
        deepest = int(calls.depth[first:last].max()) + 1
        stack = np.full(deepest, -1, np.int64)  # a call at whose depth none is around is a root
        cpu = _NO_CPU if calls.cpu is None else calls.cpu
        at = first
        while True:
            columns = (calls.function, calls.start, calls.end, calls.depth, calls.end_row, cpu)
            state = (self.parent, self.function, self.sums, self.table, stack)
            at, self.nodes = fold_calls(*columns, at, last, low, high, self.nodes, *state)
            if at >= last:
                return
            self._grow()

    def _grow(self) -> None:
        size = 2 * len(self.parent)
        self.parent = np.concatenate((self.parent, np.empty(size // 2, np.int64)))
        self.function = np.concatenate((self.function, np.empty(size // 2, np.int64)))
        self.sums = np.concatenate((self.sums, np.zeros((5, size // 2))), axis=1)
        self.table = np.full(4 * size, -1, np.int64)
        insert_all(self.parent, self.function, self.nodes, self.table)


@kernel
def slot_of(
    parent: int,
    function: int,
    parents: npt.NDArray[np.int64],
    functions: npt.NDArray[np.int64],
    table: npt.NDArray[np.int64],
) -> int:
    """The place in the open hash table of the node (parent, function): its own, or the free one where it belongs."""
    mask = len(table) - 1
    slot = ((parent + 1) * 1_000_003 + function * 86_243) & 0x7FFFFFFFFFFF
    slot = (slot ^ (slot >> 15)) & mask
    while table[slot] >= 0 and (parents[table[slot]] != parent or functions[table[slot]] != function):
        slot = (slot + 1) & mask
    return slot


@kernel
def insert_all(
    parents: npt.NDArray[np.int64], functions: npt.NDArray[np.int64], nodes: int, table: npt.NDArray[np.int64]
) -> None:
    """Fill an empty hash table, whose length is a power of two, with the first `nodes` nodes."""
    for node in range(nodes):
        table[slot_of(parents[node], functions[node], parents, functions, table)] = node


@kernel
def fold_calls(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    function: npt.NDArray[np.uint32],
    start: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    depth: npt.NDArray[np.uint16] | npt.NDArray[np.uint32],
    end_row: npt.NDArray[np.uint32],
    cpu: npt.NDArray[np.int64],
    row: int,
    last: int,
    low: int,
    high: int,
    nodes: int,
    parents: npt.NDArray[np.int64],
    functions: npt.NDArray[np.int64],
    sums: npt.NDArray[np.float64],
    table: npt.NDArray[np.int64],
    stack: npt.NDArray[np.int64],
) -> tuple[int, int]:
    """Add calls from `row` on to the tree; (the row where it stopped, number of nodes): before `last` = arrays full.

    function ... cpu  columns of `Calls`, all of them; `cpu` may be empty = not measured
    low, high         ns; a call that ends before or begins after is left out, as is one that only touches the window,
                      unless it takes no time
    stack             int64[deepest + 1]: node of the call at each depth around the current one
    """
    while row < last:
        if start[row] > high:
            break
        if end[row] < low:
            row = end_row[row]
            continue
        if (start[row] == high or end[row] == low) and start[row] < end[row]:
            row = end_row[row]
            continue
        level = depth[row]
        above = stack[level - 1] if level > 0 else -1
        slot = slot_of(above, function[row], parents, functions, table)
        node = table[slot]
        if node < 0:
            if nodes == len(parents):
                return row, nodes
            node = nodes
            nodes += 1
            table[slot] = node
            parents[node] = above
            functions[node] = function[row]
        stack[level] = node
        begin, finish = max(start[row], low), min(end[row], high)
        length = float(finish - begin)
        if length < 0:  # 64 bits do not hold it
            length = float(finish) - float(begin)
        sums[0, node] += 1
        sums[1, node] += length
        sums[2, node] += length
        if above >= 0:
            sums[2, above] -= length
        if len(cpu) > 0:
            if cpu[row] >= 0 and begin == start[row] and finish == end[row]:
                sums[3, node] += cpu[row]
            else:
                sums[4, node] += 1
        row += 1
    return last, nodes
