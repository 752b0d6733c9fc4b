"""Tables: files with calls in the window, threads."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import Graph, PartFigures, Trace, ViewColumn, ViewContext, ViewTable, thread_title

from .scene import Prepared, prepared_in, times_of_files, window_figures
from .state import ViewFusionState, thread_of, window_of

_MOST = 100_000


def files_table(context: ViewContext, state: ViewFusionState) -> ViewTable:
    """One row for each file that is called in the window, the one with most calls first."""
    prepared = prepared_in(context, state)
    if prepared is None:
        return ViewTable((), np.empty(0, np.int32), empty="Laying calls over the code …")
    figures = context.memo(window_figures, prepared, window_of(context, state))
    times = context.memo(times_of_files, prepared, window_of(context, state))
    columns, items = context.memo(_files, prepared, figures, times, context.graph)
    chosen = frozenset(items[np.isin(prepared.tree.key[items], context.selected)].tolist())
    return ViewTable(columns, items, selected=chosen, empty="No file is called in the window.")


def _files(
    prepared: Prepared, figures: PartFigures, times: npt.NDArray[np.int64], graph: Graph
) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    tree = prepared.tree
    known = np.flatnonzero((prepared.cell >= 0) & (figures.count > 0))
    file = tree.file[prepared.cell[known]]
    known, file = known[file >= 0], file[file >= 0]
    count, total, own = (
        np.bincount(file, weights=column[known], minlength=len(tree)).astype(np.int64)
        for column in (figures.count, figures.total, figures.own)
    )
    deepest, shallowest = np.full(len(tree), -1), np.full(len(tree), np.iinfo(np.int64).max)
    np.maximum.at(deepest, file, figures.deepest[known])
    np.minimum.at(shallowest, file, figures.first[known])
    rows = np.flatnonzero(count > 0)
    rows = rows[np.argsort(-count[rows], kind="stable")][:_MOST]
    return (
        ViewColumn("File", [graph.path(key) for key in tree.key[rows].tolist()], kind="text"),
        ViewColumn("Calls", count[rows], kind="bar", help="Of all threads" if prepared.of_all else "Of this thread"),
        ViewColumn("Time", times[rows], kind="time", help="Calls of the file within one another count once"),
        ViewColumn("Own time", own[rows], kind="time", help="Without the calls below"),
        ViewColumn("A call", total[rows] // count[rows], kind="time", help="Time of a call, on average"),
        ViewColumn("Deepest", deepest[rows], help="Depth of its deepest call"),
        ViewColumn("First", shallowest[rows], kind="time", help="Time of its first call"),
    ), rows.astype(np.int32)


def threads_table(context: ViewContext, state: ViewFusionState) -> ViewTable:
    """One row for each thread; the chosen one is drawn."""
    columns, items = context.memo(_threads, context.trace())
    return ViewTable(columns, items, selected=frozenset({thread_of(context, state)}), empty="The trace has no threads.")


def _threads(trace: Trace) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    threads = trace.threads
    count = np.diff(threads.ptr).astype(np.int64)
    rows = np.argsort(-count, kind="stable")[:_MOST]
    return (
        ViewColumn("Thread", [thread_title(threads, row) for row in rows.tolist()], kind="text"),
        ViewColumn("Calls", count[rows]),
        ViewColumn("Lives", (threads.last - threads.first)[rows].astype(np.int64), kind="time"),
        ViewColumn("Process", [threads.process_name[row] or str(threads.process[row]) for row in rows], kind="text"),
    ), rows.astype(np.int32)
