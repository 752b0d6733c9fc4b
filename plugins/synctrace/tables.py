"""Tables: threads, who waits for whom, longest waits, contended objects, critical path, what if (ST-8, NEW-18)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cbvtool.api import NOBODY, CriticalStep, Trace, ViewColumn, ViewContext, ViewTable, thread_title

from .estimates import changes_table, estimate_table
from .pairs import Known, known_in
from .pathway import path_of
from .state import SyncState
from .threads import placed
from .wording import call_name, object_name

_NONE = np.empty(0, np.int32)
_MATCHING = "Matching waits …"


def draw_table(context: ViewContext, state: SyncState, part: str) -> ViewTable:
    """One of the tables."""
    known = known_in(context)
    if part == "threads":
        return _threads_table(context, state, known)
    if known is None:
        return ViewTable((), _NONE, empty=_MATCHING)
    if part == "what-if":
        return changes_table(context, state, known)
    if part == "estimate":
        return estimate_table(context, state, known)
    if part == "path":
        steps = path_of(context, state, known)
        columns, items = context.memo(_path, known.trace, known, steps)
        return ViewTable(columns, items, empty="Point at a moment and press C: what it depended on stands here.")
    make: Callable[[Trace, Known], tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]]
    make = {"totals": _totals, "waits": _waits, "objects": _objects}[part]
    columns, items = context.memo(make, known.trace, known)
    more = max(len(np.unique(known.group)) - len(items), 0) if part == "waits" else 0
    return ViewTable(columns, items, more=more, empty="The recording holds no waits.")


def _threads_table(context: ViewContext, state: SyncState, known: Known | None) -> ViewTable:
    at = placed(context, state)
    columns, items = context.memo(_threads, context.trace(), known)
    selected = frozenset({at.main} if at.main >= 0 else ())
    return ViewTable(columns, items, selected=selected, marked=frozenset(at.every), empty="The trace has no threads.")


def _threads(trace: Trace, known: Known | None) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    threads, count = trace.threads, np.diff(trace.threads.ptr)
    rows = np.flatnonzero(count > 0)
    lives = (threads.last - threads.first)[rows].astype(np.int64)
    waits = np.zeros(len(rows), np.int64) if known is None else waiting_time(trace, known)[rows]
    share = np.where(lives > 0, np.round(100 * waits / np.maximum(lives, 1), 1), 0.0)
    order = np.argsort(-waits, kind="stable")
    rows, lives, waits, share = rows[order], lives[order], waits[order], share[order]
    return (
        ViewColumn("Thread", [thread_title(trace.threads, row) for row in rows.tolist()], kind="text"),
        ViewColumn("Waits", waits, kind="time"),
        ViewColumn("of life", share, unit="%", kind="bar"),
        ViewColumn("Lives", lives, kind="time"),
        ViewColumn("Calls", count[rows].astype(np.int64)),
        ViewColumn("Process", [threads.process_name[row] or str(threads.process[row]) for row in rows], kind="text"),
    ), rows.astype(np.int32)


def waiting_time(trace: Trace, known: Known) -> npt.NDArray[np.int64]:
    """int64[threads], ns that each waits."""
    roots = np.flatnonzero(trace.calls.depth == 0)
    found = np.zeros(len(trace.threads), np.int64)
    np.add.at(found, trace.thread_of(roots), known.wait[roots])
    return found


def _who(trace: Trace, thread: int) -> str:
    return "nobody that was recorded" if thread == NOBODY else thread_title(trace.threads, thread)


def _totals(trace: Trace, known: Known) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    found = known.totals
    share = np.round(100 * found.of_object / np.maximum(found.total, 1), 1)
    return (
        ViewColumn("Waits", [thread_title(trace.threads, thread) for thread in found.waiting.tolist()], kind="text"),
        ViewColumn("for", [_who(trace, thread) for thread in found.releasing.tolist()], kind="text"),
        ViewColumn("Total", found.total, kind="time"),
        ViewColumn("Mostly over", [object_name(trace, thing) for thing in found.object.tolist()], kind="text"),
        ViewColumn("of it", share, unit="%", kind="bar", help="Share of the total that was waited for this object"),
        ViewColumn("Count", found.count),
        ViewColumn("Longest", found.longest, kind="time"),
    ), np.arange(len(found), dtype=np.int32)


def _waits(trace: Trace, known: Known) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    found = known.longest
    ended = [
        "never" if never else _who(trace, thread)
        for never, thread in zip(known.longest.open.tolist(), found.releasing.tolist(), strict=True)
    ]
    return (
        ViewColumn("Thread", [thread_title(trace.threads, thread) for thread in found.thread.tolist()], kind="text"),
        ViewColumn("Time", found.end - found.start, kind="time"),
        ViewColumn("Ended by", ended, kind="text"),
        ViewColumn("Object", [object_name(trace, thing) for thing in found.object.tolist()], kind="text"),
        ViewColumn("In", [call_name(trace, row) for row in found.call.tolist()], kind="text"),
        ViewColumn("Released in", [call_name(trace, row) for row in found.release.tolist()], kind="text"),
        ViewColumn("From", found.start - trace.span[0], kind="time"),
    ), np.arange(len(found), dtype=np.int32)


def _objects(trace: Trace, known: Known) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    found = known.objects
    return (
        ViewColumn("Object", [object_name(trace, thing) for thing in found.object.tolist()], kind="text"),
        ViewColumn("Waited for", found.total, kind="time"),
        ViewColumn("Waits", found.count),
        ViewColumn("Threads", found.threads, help="How many threads waited for it"),
        ViewColumn("Longest", found.longest, kind="time"),
        ViewColumn("Mostly held by", [_who(trace, thread) for thread in found.holder.tolist()], kind="text"),
        ViewColumn("Held", found.held, kind="time", help="The waiting that this thread ended"),
    ), np.arange(len(found), dtype=np.int32)


def _path(
    trace: Trace, known: Known, steps: tuple[CriticalStep, ...]
) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    waits = [
        int(known.pairs.wait_end[step.row] - known.pairs.wait_start[step.row]) if step.row >= 0 else -1
        for step in steps
    ]
    things = [object_name(trace, int(known.pairs.object[step.row])) if step.row >= 0 else "" for step in steps]
    return (
        ViewColumn("Thread", [thread_title(trace.threads, step.thread) for step in steps], kind="text"),
        ViewColumn("From", np.array([step.start - trace.span[0] for step in steps], np.int64), kind="time"),
        ViewColumn("Runs", np.array([step.end - step.start for step in steps], np.int64), kind="time"),
        ViewColumn("After waiting", np.array(waits, np.int64), kind="time"),
        ViewColumn("for", things, kind="text"),
    ), np.arange(len(steps), dtype=np.int32)
