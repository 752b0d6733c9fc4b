"""Tables: proposed pairs, the thread of each side, groups of matches, functions that one trace lacks (TD-1, TD-12)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Trace, ViewColumn, ViewContext, ViewTable, function_title

from .matching import Compared, Known, call_of, compared_in, known_in
from .pair import Chosen, Proposal, Source, chosen_in, name_of, proposals, source_of, traces_of
from .state import LOWER, UPPER, TraceDiffState

_NONE = np.empty(0, np.int32)
_MOST = 10_000
Rows = tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]


def draw_table(context: ViewContext, state: TraceDiffState, part: str) -> ViewTable:
    """One of the tables."""
    pair = chosen_in(context, state)
    if part in {"upper", "lower"}:
        side = UPPER if part == "upper" else LOWER
        columns, item = context.memo(_threads, *traces_of(context))
        marked = frozenset({thread_item(traces_of(context), pair[side])} if pair is not None else ())
        return ViewTable(columns, item, marked=marked, selected=marked, empty="No thread made a call.")
    if part == "pairs":
        columns, item = context.memo(_pairs, proposals(context), *traces_of(context))
        now = [row for row, each in enumerate(proposals(context)) if (each.upper, each.lower) == pair]
        return ViewTable(columns, item, selected=frozenset(now), empty="No thread made a call.")
    if pair is None:
        return ViewTable((), _NONE, empty="There is nothing to compare.")
    if part == "functions":
        columns, item = context.memo(_functions, source_of(context, pair))
        return ViewTable(columns, item, empty="Both traces know all functions.")
    compared, known = compared_in(context, pair), known_in(context, pair)
    if compared is None or known is None:
        return ViewTable((), _NONE, empty="Comparing calls …")
    columns, item = context.memo(_groups, compared, known)
    return ViewTable(columns, item, more=max(len(known.root) - len(item), 0), empty="No calls match.")


def thread_item(traces: tuple[Trace, ...], chosen: Chosen) -> int:
    """The number of a thread in tables of all threads of all traces."""
    return sum(len(trace.threads) for trace in traces[: chosen.number]) + chosen.thread


def thread_at(traces: tuple[Trace, ...], item: int) -> Chosen | None:
    """The thread of such a number."""
    for number, trace in enumerate(traces):
        if 0 <= item < len(trace.threads):
            return Chosen(number, item)
        item -= len(trace.threads)
    return None


def _threads(*traces: Trace) -> Rows:
    found = [
        (number, row, int(trace.threads.ptr[row + 1] - trace.threads.ptr[row]))
        for number, trace in enumerate(traces)
        for row in range(len(trace.threads))
        if trace.threads.ptr[row + 1] > trace.threads.ptr[row]
    ]
    found.sort(key=lambda each: (each[0], -each[2], each[1]))
    lives = [int(traces[n].threads.last[row] - traces[n].threads.first[row]) for n, row, _ in found]
    item = [thread_item(traces, Chosen(number, row)) for number, row, _ in found]
    return (
        ViewColumn("Trace", [f"{number + 1}" for number, _, _ in found], kind="text"),
        ViewColumn("Thread", [name_of(traces[number], row) for number, row, _ in found], kind="text"),
        ViewColumn("Calls", np.array([count for _, _, count in found], np.int64), kind="bar"),
        ViewColumn("Lives", np.array(lives, np.int64), kind="time"),
    ), np.array(item, np.int32)


def _pairs(found: tuple[Proposal, ...], *traces: Trace) -> Rows:
    names = [
        [name_of(traces[chosen.number], chosen.thread) for chosen in side]
        for side in ([each.upper for each in found], [each.lower for each in found])
    ]
    return (
        ViewColumn("A", names[UPPER], kind="text"),
        ViewColumn("B", names[LOWER], kind="text"),
        ViewColumn("Functions shared", np.round([100 * each.shared for each in found], 1), unit="%", kind="bar"),
        ViewColumn("Why", [each.why for each in found], kind="text"),
    ), np.arange(len(found), dtype=np.int32)


def _functions(source: Source) -> Rows:
    rows: list[tuple[str, str, str]] = []
    common = source.common
    for name, trace, alone in (("A", source.upper, common.only_reference), ("B", source.lower, common.only_test)):
        rows += [
            (name, function_title(trace.functions, row), trace.functions.file[row] or trace.functions.module[row])
            for row in alone.tolist()
        ]
    rows = rows[:_MOST]
    return (
        ViewColumn("Only in", [row[0] for row in rows], kind="text"),
        ViewColumn("Function", [row[1] for row in rows], kind="text"),
        ViewColumn("File", [row[2] for row in rows], kind="text"),
    ), np.arange(len(rows), dtype=np.int32)


def _groups(compared: Compared, known: Known) -> Rows:
    one, other = compared.trees
    sizes = np.bincount(known.group[known.group >= 0], minlength=len(known.root))
    order = np.argsort(-sizes, kind="stable")[:_MOST]
    rows = known.rows[known.root[order]]
    long = (one.end - one.start)[rows[:, 0]], (other.end - other.start)[rows[:, 1]]
    names = [[_call_name(compared, side, row) for row in rows[:, side].tolist()] for side in (UPPER, LOWER)]
    return (
        ViewColumn("In A", names[UPPER], kind="text"),
        ViewColumn("In B", names[LOWER], kind="text"),
        ViewColumn("Matches", sizes[order].astype(np.int64), kind="bar"),
        ViewColumn("Similarity", np.round(known.similarity[known.root[order]], 3)),
        ViewColumn("A takes", long[0].astype(np.int64), kind="time"),
        ViewColumn("B takes", long[1].astype(np.int64), kind="time"),
        ViewColumn("Begins in A", one.start[rows[:, 0]].astype(np.int64), kind="time"),
        ViewColumn("in B", other.start[rows[:, 1]].astype(np.int64), kind="time"),
    ), order.astype(np.int32)


def _call_name(compared: Compared, side: int, row: int) -> str:
    call = call_of(compared, side, row)
    trace = (compared.source.upper, compared.source.lower)[side]
    return function_title(trace.functions, int(trace.calls.function[call])) if call >= 0 else "all its roots"
