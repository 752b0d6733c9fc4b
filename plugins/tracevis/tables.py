"""Tables: threads (TV-3), functions of the window, callers and callees of the chosen function."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_FUNCTION,
    ThreadGroups,
    Trace,
    ViewColumn,
    ViewContext,
    ViewTable,
    WindowFigures,
    function_title,
    thread_title,
)

from .emphasis import matching
from .shown import chosen_threads, groups_in
from .state import TraceVisState

_MOST = 100_000

_CPU = "CPU time, without the calls below, where it was recorded"


def threads_table(context: ViewContext, state: TraceVisState) -> ViewTable:
    """One row for each thread; equal ones stand together, below their representative."""
    shown = frozenset(chosen_threads(context, state))
    columns, items = context.memo(_threads, context.trace(), groups_in(context))
    selected = frozenset({state.about_thread} if state.about_thread >= 0 else ())
    return ViewTable(columns, items, selected=selected, marked=shown, empty="The trace has no threads.")


def _threads(trace: Trace, groups: ThreadGroups | None) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    threads = trace.threads
    known = groups or ThreadGroups(tuple((thread,) for thread in range(len(threads))), ((),) * len(threads))
    order = [(group, thread) for group, members in enumerate(known.threads) for thread in members][:_MOST]
    rows = np.array([thread for _, thread in order], np.int32)
    names, alike, top = [], [], []
    for group, thread in order:
        members, functions = known.threads[group], known.functions[group]
        first = thread == members[0]
        names.append(thread_title(trace.threads, thread) if first else f"   = {thread_title(trace.threads, thread)}")
        alike.append(len(members) if first else 0)
        most = ", ".join(f"{function_title(trace.functions, function)} {count:,}" for function, count in functions[:3])
        top.append(most if first else "")
    count = np.diff(threads.ptr)
    return (
        ViewColumn("Thread", names, kind="text"),
        ViewColumn("Calls", count[rows].astype(np.int64)),
        ViewColumn("Alike", np.array(alike, np.int64), help="How many threads call the same functions as often"),
        ViewColumn("Lives", (threads.last - threads.first)[rows].astype(np.int64), kind="time"),
        ViewColumn("Mostly calls", top, kind="text"),
        ViewColumn("Process", [threads.process_name[row] or str(threads.process[row]) for row in rows], kind="text"),
    ), rows


def functions_table(context: ViewContext, state: TraceVisState) -> ViewTable:
    """Functions called in the window, the one with the most own time first."""
    found: WindowFigures | None = context.found.get("figures")
    if found is None:
        return ViewTable((), np.empty(0, np.int32), empty="Adding up the functions of the window …")
    columns, items = context.memo(_functions, context.trace(), found, state.search.casefold())
    chosen = context.focus.function
    empty = f"No function of the window has a name with {state.search!r}." if state.search else "No call lies here."
    return ViewTable(columns, items, selected=frozenset({chosen} if chosen != NO_FUNCTION else ()), empty=empty)


def _functions(trace: Trace, found: WindowFigures, search: str) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    flat = found.flat
    shows = flat.count > 0
    if search:
        shows = shows & matching(trace, search)
    order = np.argsort(-flat.own, kind="stable")
    rows = order[shows[order]][:_MOST]
    cpu = np.where(found.cpu > 0, found.cpu, -1)
    return (
        ViewColumn("Function", [function_title(trace.functions, row) for row in rows.tolist()], kind="text"),
        ViewColumn("Self", flat.own[rows], kind="time", help="Without the calls below"),
        ViewColumn("Total", flat.total[rows], kind="time", help="With the calls below; recursion once"),
        ViewColumn("Calls", flat.count[rows]),
        ViewColumn("Longest", flat.longest[rows], kind="time"),
        *((ViewColumn("CPU", cpu[rows], kind="time", help=_CPU),) if (cpu >= 0).any() else ()),
        ViewColumn("Module", [trace.functions.module[row] for row in rows], kind="text"),
    ), rows.astype(np.int32)


def relations_table(context: ViewContext) -> ViewTable:
    """Callers and callees of the chosen function in the window."""
    found: WindowFigures | None = context.found.get("figures")
    function = context.focus.function
    if found is None or function == NO_FUNCTION:
        return ViewTable((), np.empty(0, np.int32), empty="Choose a function to see who calls it and what it calls.")
    columns, items = context.memo(_relations, context.trace(), found, function)
    return ViewTable(columns, items, empty="Nothing calls it in the window, and it calls nothing.")


def _relations(
    trace: Trace, found: WindowFigures, function: int
) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    parts = [(word, *found_of(function)) for word, found_of in (("caller", found.callers), ("calls", found.callees))]
    words, rows, counts, totals = [], [], [], []
    for word, functions, count, total in parts:
        order = np.argsort(-total, kind="stable")
        words += [word] * len(order)
        rows.append(functions[order])
        counts.append(count[order])
        totals.append(total[order])
    every = np.concatenate(rows)
    return (
        ViewColumn("Relation", words, kind="text"),
        ViewColumn("Function", [function_title(trace.functions, row) for row in every.tolist()], kind="text"),
        ViewColumn("Calls", np.concatenate(counts)),
        ViewColumn("Time", np.concatenate(totals), kind="time"),
        ViewColumn("Module", [trace.functions.module[row] for row in every], kind="text"),
    ), every.astype(np.int32)
