"""Tooltips: calls, waits, who ended them, and how much of its life a thread waits (ST-6, ST-8)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import RELEASE, Hit, Trace, ViewContext, call_at, duration, levels_in, thread_title

from .arranging import arrangement
from .bars import bars_in
from .estimates import estimate_lines
from .gathered import gathered_in
from .names import window_text
from .pairs import Known, known_in
from .state import SyncState
from .threads import window_of
from .wording import call_name, object_name

# Layers whose items are correspondences.
PAIRS = ("curves", "curves releases", "more curves", "more releases", "lit", "lit releases", "path leaps")
_WORDS = ("released", "given back", "message", "started", "task")


def call_under(context: ViewContext, row: int, time: float) -> int:
    """The call at a moment (ns since the start) where a bar begins with `row`: the row itself of a single one."""
    trace, levels = context.trace(), levels_in(context)
    if levels is None:
        return row
    thread = int(trace.thread_of(np.array([row]))[0])
    found = call_at(trace, levels, thread, int(trace.calls.depth[row]), round(time))
    return found if found >= 0 else row


def is_call(hit: Hit) -> bool:
    """Whether a call was hit."""
    return hit.layer.startswith(("bars main", "bars ring")) and hit.item >= 0


def tell_hit(context: ViewContext, state: SyncState, hit: Hit) -> tuple[str, ...]:
    """On what is under the pointer in the picture."""
    known = known_in(context)
    if is_call(hit):
        lines = call_lines(context, known, call_under(context, hit.item, state.at))
        return (*lines[:1], *merged_line(context, state, hit), *lines[1:])
    if hit.layer in {"thread names", "main name", "discs", "thread bands"}:
        return thread_lines(context, state, known, hit.item)
    if known is None:
        return ()
    if hit.layer == "estimate":
        return estimate_lines(context, state, known)
    if hit.layer in PAIRS:
        return pair_lines(known.trace, known, hit.item)
    if hit.layer in {"timed out", "never ended"}:
        return wait_lines(known.trace, hit.item, never=hit.layer == "never ended")
    if hit.layer == "gathered":
        return path_lines(context, known, state, hit.item)
    return ()


def merged_line(context: ViewContext, state: SyncState, hit: Hit) -> tuple[str, ...]:
    """Of a bar that stands for several calls: how many of how many functions, and what is not seen of them (OC-4)."""
    viewport, trace = context.viewports.get("main"), context.trace()
    at = None if viewport is None else arrangement(context, state, viewport)
    thread = int(hit.layer.rpartition(" ")[2])
    if at is None or thread not in at.panes:
        return ()
    bars = bars_in(context, at, thread)
    (found,) = np.nonzero((bars.row == hit.item) & (bars.count > 1))
    if not len(found):
        return ()
    bar = found[0]
    return context.memo(_merged, trace, int(bars.row[bar]), int(bars.last[bar]))


def _merged(trace: Trace, first: int, last: int) -> tuple[str, ...]:
    depth = trace.calls.depth
    rows = first + np.flatnonzero(depth[first : last + 1] == depth[first])
    functions = len(np.unique(trace.calls.function[rows]))
    long = duration(int((trace.calls.end[rows] - trace.calls.start[rows]).sum()))
    of = f" of {functions:,} functions" if functions > 1 else ""
    return (f"one of {len(rows):,} calls{of} in this bar, {long} together; zoom in to see them and the pauses between",)


def call_lines(context: ViewContext, known: Known | None, row: int) -> tuple[str, ...]:
    """A call: its duration beside the usual one of its function, its waiting, reading and writing, and its waits."""
    trace = context.trace()
    if not 0 <= row < len(trace.calls):
        return ()
    function, long = int(trace.calls.function[row]), int(trace.calls.end[row] - trace.calls.start[row])
    lines = [call_name(trace, row), *([trace.functions.module[function]] if trace.functions.module[function] else [])]
    times = context.memo(durations_of, trace, function)
    usual = f"; usually {duration(int(np.median(times)))} (median of {len(times):,})" if len(times) > 1 else ""
    still = "at least " if bool(np.isin(row, trace.open_rows)) else ""
    lines.append(f"{still}{duration(long)}{usual}")
    if known is None:
        return tuple(lines)
    parts = [("waits", int(known.wait[row])), ("reads and writes", int(known.io[row]))]
    lines += [f"{word} {duration(time)}, {_percent(time, long)}" for word, time in parts if time]
    pairs = np.flatnonzero(known.pairs.waiting == row)
    for pair in pairs[:4].tolist():
        lines.append(_ended(known.trace, known, pair))
    waits = known.trace.table("waits")
    lines += [f"{object_name(known.trace, int(waits['object'][at]))}: {says}" for at, says in _alone(known, row)[:4]]
    own = np.flatnonzero(waits["call"] == row)
    if len(np.unique(waits["object"][own])) > 1:
        lines.append(f"waits for {'all' if bool(waits['all'][own].all()) else 'any'} of {len(own):,} objects")
    return tuple(lines)


def _alone(known: Known, call: int) -> list[tuple[int, str]]:
    """The waits of a call that no release ended: row of the table of waits, and what became of each."""
    calls = known.trace.table("waits")["call"]
    never, out = known.pairs.open, known.pairs.unexplained
    return [(at, "never released") for at in never[calls[never] == call].tolist()] + [
        (at, "no release was recorded") for at in out[calls[out] == call].tolist()
    ]


def durations_of(trace: Trace, function: int) -> npt.NDArray[np.int64]:
    """int64[calls of the function], ns, ascending."""
    rows = np.flatnonzero(trace.calls.function == function)
    return np.sort(trace.calls.end[rows] - trace.calls.start[rows])


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.0f} % of it"


def _ended(trace: Trace, known: Known, pair: int) -> str:
    pairs = known.pairs
    word = _WORDS[int(pairs.kind[pair])]
    releaser = thread_title(trace.threads, int(pairs.releasing_thread[pair]))
    where = f"{releaser} in {call_name(trace, int(pairs.releasing[pair]))}"
    thing = object_name(trace, int(pairs.object[pair]))
    return f"{f'{thing}, ' if thing else ''}{word} by {where}"


def pair_lines(trace: Trace, known: Known, pair: int) -> tuple[str, ...]:
    """A correspondence: who waited how long in what, and who ended it from where; of a condition the signal first."""
    pairs = known.pairs
    waiter = thread_title(trace.threads, int(pairs.waiting_thread[pair]))
    long = duration(int(pairs.wait_end[pair] - pairs.wait_start[pair]))
    waits = trace.table("waits")
    row = int(pairs.wait[pair])
    first = f"{waiter} waits {long} in {call_name(trace, int(pairs.waiting[pair]))}" if row >= 0 else waiter
    alike = np.flatnonzero(pairs.wait == row) if row >= 0 else np.array([pair])
    alike = alike[np.argsort(pairs.kind[alike], kind="stable")]
    pair = int(alike[0])
    late = int(pairs.wait_end[pair] - pairs.moment[pair])
    lines = [first, *(_ended(trace, known, each) for each in alike[:4].tolist())]
    if pairs.kind[pair] == RELEASE and late > 0:
        lines.append(f"goes on {duration(late)} after that")
    if row >= 0 and int((known.group == known.group[row]).sum()) > 1:
        lines.append(
            "waits for all of several objects" if bool(waits["all"][row]) else "waits for any of several objects"
        )
    return tuple(lines)


def path_lines(context: ViewContext, known: Known, state: SyncState, path: int) -> tuple[str, ...]:
    """An aggregated path: the waits that it stands for, and all waits of the one thread for the other."""
    viewport = context.viewports.get("main")
    at = None if viewport is None else arrangement(context, state, viewport)
    found = None if at is None else gathered_in(context, at, known, state.over)
    if found is None or not 0 <= path < len(found.releasing):
        return ()
    trace, pairs, rows = context.trace(), known.pairs, found.rows[found.member == path]
    _, once = np.unique(known.group[pairs.wait[rows]], return_index=True)  # one for several objects has several curves
    time = (pairs.wait_end - pairs.wait_start)[rows[once]]
    waiting, releasing = state.over, int(found.releasing[path])
    totals = known.totals
    (at_,) = np.nonzero((totals.waiting == waiting) & (totals.releasing == releasing))
    lines = [
        f"{thread_title(trace.threads, waiting)} waits for {thread_title(trace.threads, releasing)}",
        f"this path: {_sum(len(time), int(time.sum()), int(time.max()))}",
    ]
    if len(at_):
        figures = (int(column[at_[0]]) for column in (totals.count, totals.total, totals.longest))
        lines.append(f"in the whole recording: {_sum(*figures)}")
    return tuple(lines)


def _sum(count: int, total: int, longest: int) -> str:
    if count == 1:
        return f"1 wait, {duration(total)}"
    return f"{count:,} waits, {duration(total)} together, at most {duration(longest)}"


def wait_lines(trace: Trace, row: int, *, never: bool) -> tuple[str, ...]:
    """A wait that no release ended."""
    waits = trace.table("waits")
    call = int(waits["call"][row])
    thread = int(trace.thread_of(np.array([call]))[0])
    long = duration(int(waits["end"][row] - waits["start"][row]))
    says = (
        "It was never released." if never else "No release of it was recorded: a time-out, or code without recording."
    )
    return (
        f"{thread_title(trace.threads, thread)} waits {long} in {call_name(trace, call)}",
        object_name(trace, int(waits["object"][row])),
        says,
    )


def thread_lines(context: ViewContext, state: SyncState, known: Known | None, thread: int) -> tuple[str, ...]:
    """A thread: how long it lives, how much of that it waits, and what is shown of it."""
    trace = context.trace()
    long = int(trace.threads.last[thread] - trace.threads.first[thread])
    lines = [
        thread_title(trace.threads, thread),
        f"lives {duration(long)}, {int(np.diff(trace.threads.ptr)[thread]):,} calls",
    ]
    if known is not None:
        low, high = int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1])
        roots = low + np.flatnonzero(trace.calls.depth[low:high] == 0)
        waits = int(known.wait[roots].sum())
        lines.append(f"waits {duration(waits)}, {_percent(waits, long).replace('it', 'its life')}")
    low_end, high_end = window_of(context, state, thread)
    lines.append(f"shown: {window_text(low_end, high_end, trace.length)}")
    return (*lines, "Drag it onto another one to swap them; a click widens it, a double click hides it.")
