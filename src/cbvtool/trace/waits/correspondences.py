"""Which release ended which wait (ST-2).

Source: Trümper 2014, §4.3.1, equation 4.9; the default rule is ours: the printed one takes a release that ends last,
whoever made it, also one that went on long after the wait was over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.progress import Progress, silent
from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.conditions import signals_in_turn
from cbvtool.trace.waits.events import Releases, Waits, is_asleep, releases_of, waits_of
from cbvtool.trace.waits.joins import joined
from cbvtool.trace.waits.runs import runs_of

Ints = npt.NDArray[np.int64]
Rule = Literal["default", "literal"]
RULES: tuple[Rule, ...] = ("default", "literal")

# What a row of `Correspondences` is: a release that ended a wait, the mutex that a condition wait took again, links.
RELEASE, MUTEX, FLOW, SPAWN, TASK = range(5)
_LINKS = {"flow": FLOW, "spawn": SPAWN, "task": TASK}
NO_OBJECT = -1


@dataclass(frozen=True, eq=False)
class Correspondences:
    """c pairs of a wait and the release that ended it, by end of the wait; times are ns of the trace.

    wait              int64[c]   row of the table of waits, -1 for a recorded link
    waiting           int64[c]   row of the call that waited
    releasing         int64[c]   row of the call that released
    wait_start        int64[c]   of a link: the time of its target
    wait_end          int64[c]
    moment            int64[c]   when it was released
    waiting_thread    int32[c]
    releasing_thread  int32[c]
    object            int64[c]   row of the table of objects, `NO_OBJECT` for links
    kind              uint8[c]   RELEASE, MUTEX, FLOW, SPAWN or TASK
    unexplained       int64[u]   waits that ended, but by no release of the trace: time-outs, releases not recorded;
                                 sleep is none of them
    open              int64[o]   waits that were still under way at the end of the trace

    A wait for several objects is several rows of the table of waits; `unexplained` and `open` name its first one.
    """

    wait: Ints
    waiting: Ints
    releasing: Ints
    wait_start: Ints
    wait_end: Ints
    moment: Ints
    waiting_thread: npt.NDArray[np.int32]
    releasing_thread: npt.NDArray[np.int32]
    object: Ints
    kind: npt.NDArray[np.uint8]
    unexplained: Ints
    open: Ints

    def __len__(self) -> int:
        return len(self.wait)

    @property
    def primary(self) -> npt.NDArray[np.bool_]:
        """bool[c]: releases that ended a wait; neither second curves of condition waits nor links."""
        ended: npt.NDArray[np.bool_] = self.kind == RELEASE
        return ended


def correspondences(trace: Trace, rule: Rule = "default", progress: Progress = silent) -> Correspondences:
    """Find the release that ended each wait (ST-2). Raises ValueError for an unknown rule.

    Candidates are releases of an object that is waited for. Default rule: of another thread, the latest one within the
    wait; signals of a condition go to those that wait for it in turn (`signals_in_turn`). Literal rule: of any thread,
    the one whose call ends last among those that meet the wait (closed intervals). Of equally late ones the last row
    counts. A wait for all objects has a release for each of them, a wait for any the latest among them. A condition
    wait that releases a mutex takes it again: the release by which it could is a row of the kind MUTEX. A wait for the
    end of a thread that nothing released was ended by that end, in the thread's last outermost call (`joined`). A wait
    that was still open at the end of the trace was ended by nothing.
    """
    if rule not in RULES:
        raise ValueError(f"a rule is one of {', '.join(RULES)}, not {rule!r}")
    progress("sorting releases", 0, 3)
    waits, releases = waits_of(trace), releases_of(trace)
    progress("matching waits", 1, 3)
    find = _latest_within if rule == "default" else _ending_last
    ended = np.flatnonzero(~waits.open)
    found = np.full(len(waits), -1, np.int64)
    found[ended] = find(waits.take(ended), releases)
    if rule == "default":
        woken = signals_in_turn(trace, waits, releases)
        found = np.where(waits.open | (woken < 0), found, woken)
    chosen = _of_any(waits, releases, found, rule)
    answered = np.zeros(waits.groups, np.bool_)
    answered[waits.group[chosen]] = True
    threads = joined(trace, waits)
    threads[answered[waits.group]] = -1
    by_end = np.flatnonzero(threads >= 0)
    answered[waits.group[by_end]] = True
    first = waits.first_rows()
    is_open = waits.open[first]
    progress("matching mutexes of conditions", 2, 3)
    again = _mutexes_again(waits, releases, ended)
    retaken = find(again, releases) if len(again) else np.empty(0, np.int64)
    fits = np.flatnonzero(retaken >= 0)
    parts = [
        _rows(waits.take(chosen), releases, found[chosen], RELEASE),
        _rows(again.take(fits), releases, retaken[fits], MUTEX),
        _ends(trace, waits.take(by_end), threads[by_end]),
        _recorded(trace),
    ]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.lexsort((columns[9], columns[0], columns[4]))
    wait, waiting, releasing, start, end, moment, waiter, releaser, thing, kind = (column[order] for column in columns)
    return Correspondences(
        wait,
        waiting,
        releasing,
        start,
        end,
        moment,
        waiter.astype(np.int32),
        releaser.astype(np.int32),
        thing,
        kind.astype(np.uint8),
        waits.row[first[~answered & ~is_open & ~is_asleep(trace, waits.object[first])]],
        waits.row[first[is_open]],
    )


def _latest_within(waits: Waits, releases: Releases) -> Ints:
    """Rows of `releases`: the latest by another thread with start <= time <= end of the wait; -1 = none."""
    at = _last_before(waits, releases)
    same = (at >= 0) & (releases.thread[at] == waits.thread) if len(releases) else np.zeros(len(at), np.bool_)
    at[same] = releases.other[at[same]]
    late = (at >= 0) & (releases.time[at] >= waits.start) if len(releases) else same
    return np.where(late, at, -1)


def _ending_last(waits: Waits, releases: Releases) -> Ints:
    """Rows of `releases`: of any thread, the one that ends last, if its interval meets that of the wait; -1 = none."""
    at = _last_before(waits, releases)
    if not len(releases):
        return at
    at = np.where(at >= 0, releases.ending_last[at], -1)
    return np.where((at >= 0) & (releases.end[at] >= waits.start), at, -1)


def _last_before(waits: Waits, releases: Releases) -> Ints:
    """Rows of `releases`: the last one of the wait's object that begins no later than the wait ends; -1 = none."""
    things = np.concatenate((releases.object, waits.object))
    times = np.concatenate((releases.time, waits.end))
    asks = np.repeat(np.array([0, 1], np.int8), (len(releases), len(waits)))
    order = np.lexsort((asks, times, things))
    row = np.where(asks[order] == 0, order, -1)  # the releases are sorted already, and stay in their order
    row = np.maximum.accumulate(row) if len(row) else row
    result = np.full(len(waits), -1, np.int64)
    asking = np.flatnonzero(asks[order] == 1)
    result[order[asking] - len(releases)] = row[asking]
    fits = result >= 0
    fits[fits] = releases.object[result[fits]] == waits.object[fits]
    return np.where(fits & (waits.object != NO_ROW), result, -1)


def _of_any(waits: Waits, releases: Releases, found: Ints, rule: Rule) -> Ints:
    """Rows of `waits` with a release, but of those that wait for any of several objects only the one that ended it."""
    rows = np.flatnonzero(found >= 0)
    moment = (releases.time if rule == "default" else releases.end)[found[rows]]
    order = np.lexsort((found[rows], moment, waits.group[rows]))
    rows = rows[order]
    last = np.ones(len(rows), np.bool_)
    last[:-1] = waits.group[rows[1:]] != waits.group[rows[:-1]]
    return np.sort(rows[last | waits.all[rows]])


def _mutexes_again(waits: Waits, releases: Releases, ended: Ints) -> Waits:
    """Waits for the objects that a waiting call itself releases while it waits: it has to take them again."""
    if not len(ended) or not len(releases):
        return waits.take(np.empty(0, np.int64))
    by_call = np.argsort(releases.call, kind="stable")
    calls = releases.call[by_call]
    low, high = np.searchsorted(calls, waits.call[ended], "left"), np.searchsorted(calls, waits.call[ended], "right")
    count = high - low
    pair = np.repeat(np.arange(len(ended)), count)
    at = by_call[np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(low, count)]
    wait = ended[pair]
    within = (releases.time[at] >= waits.start[wait]) & (releases.time[at] <= waits.end[wait])
    within &= releases.object[at] != waits.object[wait]
    wait, thing = wait[within], releases.object[at[within]]
    order, new = runs_of(waits.group[wait], thing)
    once = order[new]
    return waits.take(wait[once], thing[once])


def _rows(waits: Waits, releases: Releases, at: Ints, kind: int) -> tuple[Ints, ...]:
    return (
        waits.row,
        waits.call,
        releases.call[at],
        waits.start,
        waits.end,
        releases.time[at],
        waits.thread,
        releases.thread[at],
        waits.object,
        np.full(len(at), kind, np.int64),
    )


def _ends(trace: Trace, waits: Waits, threads: Ints) -> tuple[Ints, ...]:
    """Waits that the ends of threads let go on."""
    ptr = trace.threads.ptr
    top = np.flatnonzero(trace.calls.depth == 0) if len(threads) else np.empty(0, np.int64)
    last = top[np.searchsorted(top, ptr[threads + 1]) - 1] if len(threads) else threads
    moment = trace.threads.last[threads]
    kind = np.full(len(threads), RELEASE, np.int64)
    return waits.row, waits.call, last, waits.start, waits.end, moment, waits.thread, threads, waits.object, kind


def _recorded(trace: Trace) -> tuple[Ints, ...]:
    """Links from one thread to another that the recording holds, of the kinds in `_LINKS`."""
    links = trace.table("links")
    kinds = np.zeros(len(links), np.int64)
    for kind in np.unique(links["kind"]).tolist():
        kinds[links["kind"] == kind] = _LINKS.get(trace.strings[kind], 0)
    calls = len(trace.calls)
    source, target = links["source"].astype(np.int64), links["target"].astype(np.int64)
    rows = np.flatnonzero((kinds > 0) & (source < calls) & (target < calls))
    rows = rows[trace.thread_of(source[rows]) != trace.thread_of(target[rows])]
    source, target = source[rows], target[rows]
    none = np.full(len(rows), -1, np.int64)
    time = links["target_time"][rows]
    threads = trace.thread_of(target), trace.thread_of(source)
    return none, target, source, time, time, links["source_time"][rows], *threads, none, kinds[rows]
