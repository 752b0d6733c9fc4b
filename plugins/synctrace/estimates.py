"""What if: changes to think through, what each would save, and the waits that would be shorter (NEW-18)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_OBJECT,
    Bars,
    Estimate,
    Labels,
    Need,
    NeedProgress,
    Theme,
    Trace,
    ViewColumn,
    ViewContext,
    Viewport,
    ViewTable,
    WhatIf,
    duration,
    thread_title,
    what_if,
)

from .arranging import HEADER, Arrangement
from .pairs import Known, known_in
from .state import KINDS, Change, SyncState
from .wording import call_name, object_name

NAME = "estimates"
_KEY = "what-if"  # first word of the keys of a menu
AT_ONCE = 20_000  # waits of a trace, up to which all changes are estimated; of more, the chosen one
MOST_OBJECTS, MOST_WAITS = 10, 10  # of the list of changes
_MOST_ROWS = 2_000  # waits in the table of an estimate
_MOST_MARKS = 2_000  # waits that are marked in the picture
_LOCKS = frozenset(
    ("lock", "reentrant lock", "read-write lock", "spin lock", "mutex", "semaphore", "monitor", "critical section")
)
RUN, THREAD, WAIT, ASSUMES = range(4)  # what a row of an estimate speaks of


@dataclass(frozen=True, eq=False)
class Estimates:
    """known: of which waits; by: what each change would save, as far as it was estimated."""

    known: Known
    by: dict[Change, Estimate]


def changes(known: Known, chosen: Change | None) -> tuple[Change, ...]:
    """The changes that are worth a thought: those of the objects and waits that cost most, and the chosen one."""
    trace, found = known.trace, list[Change]()
    if len(trace.table("io")):
        found.append(("io", -1))
    things = [thing for thing in known.objects.object.tolist() if 0 <= thing < len(trace.table("objects"))]
    ended = np.zeros(len(trace.table("objects")) + 1, np.bool_)
    ended[known.pairs.object[known.pairs.primary & (known.pairs.object != NO_OBJECT)]] = True
    for thing in [thing for thing in things if ended[thing]][:MOST_OBJECTS]:
        found.append(("without", thing))
        if is_lock(trace, thing):
            found.append(("split", thing))
    waits = known.longest
    rows = np.flatnonzero(waits.releasing >= 0)[:MOST_WAITS]
    found += [("wait", row) for row in waits.row[rows].tolist()]
    if chosen is not None and chosen not in found:
        found.append(chosen)
    return tuple(found)


def chosen_change(state: SyncState, known: Known) -> Change | None:
    """The change that is thought through; None also where a document names an object or a wait that is not there."""
    if state.change is None or state.change[0] == "io":
        return state.change
    kind, row = state.change
    there = len(known.trace.table("waits" if kind == "wait" else "objects"))
    calls = known.trace.table("waits")["call"]
    return state.change if 0 <= row < there and (kind != "wait" or calls[row] < len(known.trace.calls)) else None


def is_lock(trace: Trace, thing: int) -> bool:
    """Whether an object can be split: threads hold a part of it in turn."""
    kind = trace.strings[int(trace.table("objects")["kind"][thing])]
    return kind.lower() in _LOCKS


def change_name(known: Known, change: Change) -> str:
    """A change in words."""
    kind, row = change
    trace = known.trace
    if kind == "io":
        return "input and output took half its time"
    if kind == "without":
        return f"nobody waited for {object_name(trace, row)}"
    if kind == "split":
        return f"{object_name(trace, row)} were split in two"
    waits = trace.table("waits")
    call, start = int(waits["call"][row]), int(waits["start"][row]) - trace.span[0]
    thread = thread_title(trace.threads, int(trace.thread_of(np.array([call]))[0]))
    return f"{thread} did not wait in {call_name(trace, call)} at {duration(start)}"


def estimate_needs(context: ViewContext, state: SyncState) -> tuple[Need, ...]:
    """Estimates of all changes where there are few waits, of the chosen one where there are many."""
    known = known_in(context)
    if known is None:
        return ()
    chosen = chosen_change(state, known)
    few = len(known.group) <= AT_ONCE
    wanted = context.memo(changes, known, chosen) if few else (chosen,) if chosen else ()
    return (Need(NAME, "estimating what changes would save", make_estimates, (known, wanted)),) if wanted else ()


def make_estimates(known: Known, wanted: tuple[Change, ...], *, progress: NeedProgress) -> Estimates:
    """Replay the run with each change; what there is, is shown whenever it has doubled."""
    by: dict[Change, Estimate] = {}
    shown = 0
    for number, change in enumerate(wanted):
        progress("estimating what changes would save", number, len(wanted))
        kind, row = change
        asked = WhatIf("wait", wait=row) if kind == "wait" else WhatIf(kind, row)
        by[change] = what_if(known.trace, known.pairs, asked)
        if len(by) >= 2 * shown and len(by) < len(wanted):
            shown = len(by)
            progress.first(Estimates(known, dict(by)))
    return Estimates(known, by)


def estimates_in(context: ViewContext, known: Known) -> dict[Change, Estimate]:
    """What is known of the changes so far."""
    found: Estimates | None = context.found.get(NAME)
    return found.by if found is not None and found.known is known else {}


def chosen_in(context: ViewContext, state: SyncState, known: Known | None) -> Estimate | None:
    """The estimate of the chosen change; None while it is made, or none is chosen."""
    change = None if known is None else chosen_change(state, known)
    return None if known is None or change is None else estimates_in(context, known).get(change)


def offered(context: ViewContext, known: Known, pair: int) -> tuple[tuple[str, str], ...]:
    """The entries of a menu at a correspondence, -1 = at none: (key, words); `asked` makes a change of a key."""
    found = list[Change]()
    if pair >= 0 and known.pairs.wait[pair] >= 0:
        found.append(("wait", int(known.pairs.wait[pair])))
        thing = int(known.pairs.object[pair])
        if 0 <= thing < len(known.trace.table("objects")):
            found.append(("without", thing))
            if is_lock(known.trace, thing):
                found.append(("split", thing))
    if len(known.trace.table("io")):
        found.append(("io", -1))
    return tuple((f"{_KEY} {kind} {row}", f"What if {change_name(known, (kind, row))}?") for kind, row in found)


def asked(key: str) -> Change | None:
    """The change of an entry of a menu; None of another key."""
    word, _, rest = key.partition(" ")
    kind, _, row = rest.partition(" ")
    if word != _KEY:
        return None
    return next(((each, int(row)) for each in KINDS if each == kind), None)


# -- tables ---------------------------------------------------------------------------------------------------------


def changes_table(context: ViewContext, state: SyncState, known: Known) -> ViewTable:
    """What could be changed, what saves most first; the chosen change is selected."""
    chosen = chosen_change(state, known)
    listed: tuple[Change, ...] = context.memo(changes, known, chosen)
    columns, items = context.memo(_listed, known, listed, context.found.get(NAME))
    return ViewTable(
        columns,
        items,
        selected=frozenset(at for at, change in enumerate(listed) if change == chosen),
        empty="The recording holds no wait that another thread ended, and no input or output.",
    )


def _listed(
    known: Known, listed: tuple[Change, ...], estimates: Estimates | None
) -> tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32]]:
    by = {} if estimates is None or estimates.known is not known else estimates.by
    found = [by.get(change) for change in listed]
    saved = np.array([-1 if one is None else max(one.before - one.end, 0) for one in found], np.int64)
    less = np.array([0 if one is None else int(one.threads.sum()) for one in found], np.int64)
    order = np.lexsort(
        (-less, -saved)
    )  # of changes that do not shorten the run, those first by which threads end earlier
    pick = [found[at] for at in order.tolist()]
    earlier = [np.nan if one is None else float(np.count_nonzero(one.threads > 0)) for one in pick]
    return (
        ViewColumn("What if", [change_name(known, listed[at]) for at in order.tolist()], kind="text"),
        ViewColumn("Estimate: saves", saved[order], kind="time", help=_HELP),
        ViewColumn("Run takes", np.array([-1 if one is None else one.end for one in pick], np.int64), kind="time"),
        ViewColumn("Waits shorter", np.array([np.nan if one is None else float(len(one.waits)) for one in pick])),
        ViewColumn("Threads end earlier", np.array(earlier, np.float64)),
    ), order.astype(np.int32)


_HELP = "A change of the recorded run, thought through; the table Estimate tells what it assumes"


@dataclass(frozen=True, eq=False)
class EstimateRows:
    """Rows of the table of an estimate.

    what  int8[r]: RUN, THREAD, WAIT or ASSUMES
    row   int64[r]: of threads, or of the table of waits; -1 of others
    more  waits that were left out
    """

    columns: tuple[ViewColumn, ...]
    what: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]
    more: int


def estimate_table(context: ViewContext, state: SyncState, known: Known) -> ViewTable:
    """The run, the threads and the waits that the chosen change affects, and what the estimate assumes."""
    rows = estimate_rows(context, state, known)
    if rows is None:
        none = chosen_change(state, known) is None
        empty = "Choose a change in the table What if." if none else "Estimating …"
        return ViewTable((), np.empty(0, np.int32), empty=empty)
    return ViewTable(rows.columns, np.arange(len(rows.what), dtype=np.int32), more=rows.more)


def estimate_rows(context: ViewContext, state: SyncState, known: Known) -> EstimateRows | None:
    """The rows of that table; None while there are none."""
    found, change = chosen_in(context, state, known), chosen_change(state, known)
    return None if found is None or change is None else context.memo(_rows, known, found, change)


def _rows(known: Known, found: Estimate, change: Change) -> EstimateRows:
    trace, first = known.trace, known.trace.span[0]
    order = np.argsort(-found.threads, kind="stable")
    threads = order[found.threads[order] > 0]
    ends = trace.threads.last.astype(np.int64)[threads] - first
    waits, saved = found.waits[:_MOST_ROWS], found.saved[:_MOST_ROWS]
    table = trace.table("waits")
    calls = table["call"][waits].astype(np.int64)
    waiters = trace.thread_of(calls)
    names = [
        f"{thread_title(trace.threads, thread)} in {call_name(trace, call)}, {object_name(trace, thing)}"
        for thread, call, thing in zip(
            waiters.tolist(), calls.tolist(), table["object"][waits].astype(np.int64).tolist(), strict=True
        )
    ]
    long = table["end"][waits] - table["start"][waits]
    none = np.full(len(found.assumptions), -1, np.int64)
    counts = (1, len(threads), len(waits), len(none))
    before = np.concatenate(([found.before], ends, long, none)).astype(np.int64)
    less = np.concatenate(([found.before - found.end], found.threads[threads], saved, none)).astype(np.int64)
    after = np.where(before < 0, -1, before - less)
    kinds = [("run",), ("thread",) * counts[1], ("wait",) * counts[2], ("assumes",) * counts[3]]
    titles = [thread_title(trace.threads, thread) for thread in threads.tolist()]
    return EstimateRows(
        (
            ViewColumn("Estimate", [word for part in kinds for word in part], kind="text", help=_HELP),
            ViewColumn("of", [f"if {change_name(known, change)}", *titles, *names, *found.assumptions], kind="text"),
            ViewColumn("Saves", less, kind="time"),
            ViewColumn("Now", before, kind="time", help="When the run or a thread ends; how long a wait takes"),
            ViewColumn("Then", after, kind="time"),
        ),
        np.repeat(np.arange(4), counts).astype(np.int8),
        np.concatenate(([-1], threads, waits, none)).astype(np.int64),
        len(found.waits) - len(waits),
    )


# -- picture --------------------------------------------------------------------------------------------------------


def estimate_lines(context: ViewContext, state: SyncState, known: Known) -> tuple[str, ...]:
    """The chosen change in words, and what the estimate assumes."""
    found, change = chosen_in(context, state, known), chosen_change(state, known)
    if change is None:
        return ()
    if found is None:
        return (f"What if {change_name(known, change)}? Estimating …",)
    affected = f"{len(found.waits):,} waits shorter, {np.count_nonzero(found.threads > 0):,} threads end earlier"
    return (
        f"Estimate, if {change_name(known, change)}: {duration(found.end)} instead of {duration(found.before)}",
        affected,
        *found.assumptions,
    )


def estimate_layers(
    context: ViewContext, state: SyncState, at: Arrangement, known: Known, viewport: Viewport, left: float
) -> tuple[Bars | Labels, ...]:
    """A headline from `left` on, and in the bars of waits the time that would be saved, hatched at their ends."""
    lines = estimate_lines(context, state, known)
    if not lines:
        return ()
    room = max(viewport.width - left - 8, 0.0)
    head = Labels(
        name="estimate",
        x=np.array([viewport.width - 8]),
        y=np.array([HEADER / 2]),
        text=(lines[0],),
        color=context.theme.accent,
        size=11.0,
        bold=True,
        anchor="right",
        room=np.array([room]),
        item=np.zeros(1, np.int32),
    )
    found = chosen_in(context, state, known)
    return (*(() if found is None else context.memo(_saved, at, known, found, context.theme)), head)


def _saved(at: Arrangement, known: Known, found: Estimate, theme: Theme) -> tuple[Bars, ...]:
    waits, origin, tops = known.trace.table("waits"), at.trace.span[0], at.tops
    rows, saved = found.waits[:_MOST_MARKS], found.saved[:_MOST_MARKS]
    calls = waits["call"][rows].astype(np.int64)
    threads, depth = at.trace.thread_of(calls), at.trace.calls.depth[calls].astype(np.int64)
    end = (waits["end"][rows] - origin).astype(np.float64)
    layers = []
    for thread in sorted(set(threads.tolist()) & set(at.panes)):
        low, high = at.windows[thread]
        here = np.flatnonzero((threads == thread) & (end >= low) & (end - saved <= high))
        if len(here):
            pane = at.panes[thread].name
            layers.append(
                Bars(
                    name=f"saved {pane}",
                    pane=pane,
                    x0=end[here] - saved[here],
                    x1=end[here],
                    y0=tops[depth[here]],
                    y1=tops[depth[here] + 1] - 0.05,
                    color=(*theme.accent[:3], 150),
                    pattern="diagonal",
                )
            )
    return tuple(layers)
