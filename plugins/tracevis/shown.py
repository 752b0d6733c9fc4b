"""What is shown of a trace: its chosen threads in their order, the warp, the grid of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    LINEAR,
    LevelFolding,
    Levels,
    NeedProgress,
    ThreadGroups,
    TimeGrid,
    Trace,
    ViewContext,
    Viewport,
    Warp,
    grid_of,
    is_main,
    level_tops,
    levels_in,
    thread_groups,
    warp_of,
)

from .counting import CounterTrack, counter_tracks
from .state import TraceVisState, Window, window_of

RULER, HEADER, GAP = 30.0, 20.0, 10.0  # logical pixels
LEGEND, STRIP = 24.0, 36.0
MOST_STRIPS = 6
_STEP = 16  # levels
LEAST_LEVELS = 8  # of a deep thread, however low the canvas is
_CROWDED = HEADER + GAP + 16  # logical pixels for a thread, below which it has no header
_LEAST_LANE = 1.5  # logical pixels of a thread
_THIN = 2.0  # logical pixels of a level, below which it is not seen
_PART = 0.42  # of the canvas that a deep thread gets at first: two of them are seen at once
SMALL = 20_000  # calls: so few are counted at once, without a worker


@dataclass(frozen=True)
class Lane:
    """A thread on the canvas. top: of its header; depth: levels; folding: heights of its levels.

    height  of the header and the levels that have room
    header  height of its header
    seen    so many of its levels have room: the upper ones of a deep thread among others
    drawn   so many of them are drawn: those above the lower border of the viewport, and some more
    """

    thread: int
    top: float
    depth: int
    folding: LevelFolding
    height: float
    header: float
    seen: int
    drawn: int = 1 << 30

    def above(self, bottom: float) -> Lane:
        """The same lane, drawn down to a place on the canvas: in steps, so that scrolling draws little anew."""
        tops = self.top + self.header + level_tops(self.folding, max(self.depth - 1, 0))[:-1]
        inside = int(np.searchsorted(tops, bottom))
        return replace(self, drawn=min(-(-max(inside, 1) // _STEP) * _STEP, self.seen))


@dataclass(frozen=True, eq=False)
class Shown:
    """levels: None while they are being made. lanes: of the chosen threads; height: of all of them."""

    trace: Trace
    levels: Levels | None
    warp: Warp
    window: Window
    lanes: tuple[Lane, ...]
    height: float


def theta_of(context: ViewContext) -> float:
    """1/ns: the parameter is relative to the mean time between two events of the trace."""
    trace = context.trace()
    return float(context.values["theta"]) * 2 * max(len(trace.calls), 1) / trace.length


def groups_in(context: ViewContext) -> ThreadGroups | None:
    """Threads that do the same; None while they are being compared."""
    trace = context.trace()
    if len(trace.calls) <= SMALL:
        return context.memo(thread_groups, trace)
    found: ThreadGroups | None = context.found.get("groups")
    return found


def threads_of(context: ViewContext, state: TraceVisState) -> tuple[int, ...]:
    """The threads that are drawn, in their order: one of each group where equal ones are shown once."""
    chosen, groups = chosen_threads(context, state), groups_in(context)
    if not context.values["alike"] or groups is None:
        return chosen
    return context.memo(_representatives, groups, chosen)


def alike(context: ViewContext, thread: int) -> int:
    """For how many threads one stands; 1 where each is drawn."""
    groups = groups_in(context)
    if not context.values["alike"] or groups is None:
        return 1
    return context.memo(_sizes, groups).get(thread, 1)


def _sizes(groups: ThreadGroups) -> dict[int, int]:
    return {thread: len(members) for members in groups.threads for thread in members}


def _representatives(groups: ThreadGroups, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """The first of each group, in the order given."""
    group = {thread: number for number, members in enumerate(groups.threads) for thread in members}
    kept: dict[int, int] = {}
    for thread in chosen:
        kept.setdefault(group[thread], thread)
    return tuple(kept.values())


def chosen_threads(context: ViewContext, state: TraceVisState) -> tuple[int, ...]:
    """The threads that are ticked and not hidden, in their order: pinned ones, then the main one, then by choice."""
    order, trace = str(context.values["order"]), context.trace()
    by_hand = state.by_hand if order == "hand" else ()
    return context.memo(_ordered, trace, context.focus.threads, order, state.hidden, state.pinned, by_hand)


def _ordered(
    trace: Trace,
    chosen: frozenset[int] | None,
    by: str,
    hidden: tuple[int, ...],
    pinned: tuple[int, ...],
    by_hand: tuple[int, ...],
) -> tuple[int, ...]:
    threads = trace.threads
    count, time = np.diff(threads.ptr), threads.last - threads.first
    gone, place = set(hidden), {thread: at for at, thread in enumerate(by_hand)}
    shown = [
        thread
        for thread in range(len(threads))
        if thread not in gone and (count[thread] if chosen is None else thread in chosen)
    ]

    def key(thread: int) -> tuple[object, ...]:
        rank = {"calls": -int(count[thread]), "time": -int(time[thread])}.get(by, int(threads.first[thread]))
        hand = place.get(thread, len(place))
        return thread not in pinned, hand, int(threads.process[thread]), not is_main(threads, thread), rank, thread

    return tuple(sorted(shown, key=key))


def order_of(trace: Trace) -> tuple[int, ...]:
    """The threads in the order in which they stand at first."""
    return _ordered(trace, None, "start", (), (), ())


def warp_in(context: ViewContext) -> Warp:
    """The warp by the parameter; the former one, or a linear one, while it is being made."""
    found: Warp | None = context.found.get("warp")
    return LINEAR if theta_of(context) == 0.0 or found is None else found


def make_warp(events: npt.NDArray[np.int64], theta: float, progress: NeedProgress) -> Warp:
    """`warp_of`: a need, since the queue of a large trace is too large to be kept by the memo."""
    progress("Compacting time", 0, 0)
    made = warp_of(events, theta)
    grid_of((float(events[0]), float(events[-1])), 4.0, made)  # its loops are compiled here, not while it is drawn
    return made


def grid_in(context: ViewContext, window: Window, width: float) -> TimeGrid:
    """The columns of a window."""
    return context.memo(grid_of, window, max(width, 1.0), warp_in(context), float(context.values["threshold"]))


def shown(context: ViewContext, state: TraceVisState, viewport: Viewport) -> Shown:
    """What the activity view shows, for a viewport."""
    trace, levels = context.trace(), levels_in(context)
    lanes: tuple[Lane, ...] = ()
    if levels is not None:
        row = float(context.values["height"])
        room = viewport.height - LEGEND - RULER - strips_height(context)
        threads, folding = threads_of(context, state), (state.upper, state.lower)
        top = RULER + strips_height(context)
        if context.values["fit"]:
            lanes = context.memo(_fitted, levels, threads, folding, row, room, top)
        else:
            whole = threads if context.values["levels"] == "all" else state.whole
            lanes = context.memo(_lanes, levels, threads, folding, row, room, top, whole)
    bottom = lanes[-1].top + lanes[-1].height + GAP + LEGEND if lanes else 0.0
    if context.values["fit"] and bottom <= viewport.height + GAP:
        bottom = min(bottom, viewport.height)  # no scroll bar for a fraction of a pixel, or for the gap below the last
    return Shown(trace, levels, warp_in(context), window_of(context, state), lanes, bottom)


def strips_height(context: ViewContext) -> float:
    """Logical pixels of the strips of counters, which stand above all threads."""
    return STRIP * len(counters_in(context))


def counters_in(context: ViewContext) -> tuple[CounterTrack, ...]:
    """The counters that are drawn: those with most values; none where they are switched off."""
    return context.memo(counter_tracks, context.trace())[:MOST_STRIPS] if context.values["counters"] else ()


def _lanes(
    levels: Levels,
    threads: tuple[int, ...],
    folded: tuple[int, int | None],
    row: float,
    room: float,
    top: float,
    whole: tuple[int, ...],
) -> tuple[Lane, ...]:
    """One below another. Where they need more than the room, a deep thread that is not `whole` gets a part of it, so
    that others are seen as well.
    """
    depths = [levels.depth_of(thread) for thread in threads]
    most = 1 << 30
    if len(threads) > 1 and sum(depth * row + HEADER + GAP for depth in depths) > room:
        most = max(int(_PART * room / row), LEAST_LEVELS)
    every = frozenset(whole)
    kinds = {
        (depth, on): _lane(depth, folded, row, HEADER, depth if on else most)
        for depth in set(depths)
        for on in (True, False)
    }
    return _stacked(
        threads, [kinds[depth, thread in every] for thread, depth in zip(threads, depths, strict=True)], top, GAP
    )


def _stacked(threads: tuple[int, ...], kinds: list[Lane], top: float, gap: float) -> tuple[Lane, ...]:
    """Lanes of these kinds one below another."""
    lanes = list[Lane]()
    for thread, kind in zip(threads, kinds, strict=True):
        lanes.append(replace(kind, thread=thread, top=top))
        top += kind.height + gap
    return tuple(lanes)


def _fitted(
    levels: Levels, threads: tuple[int, ...], folded: tuple[int, int | None], row: float, room: float, top: float
) -> tuple[Lane, ...]:
    """All of them in the room there is. Levels become lower; where that leaves nothing to see, the upper ones alone are
    shown, without a header. Of thousands of threads only so many fit as pixels.
    """
    depths = [levels.depth_of(thread) for thread in threads]
    share = room / max(len(threads), 1)
    header, gap, least = HEADER, GAP, 0.0
    if share < _CROWDED:
        header, gap, least = 0.0, 1.0 if share >= 4 else 0.0, _THIN
    most = _level_of(np.array(depths, np.float64) * row, room - len(threads) * (header + gap))
    if least:
        most = max(most, _LEAST_LANE)
    kinds = dict[int, Lane]()
    for depth in set(depths):
        seen = depth if most >= depth * least else max(int(most / least), 1)
        kinds[depth] = _lane(depth, folded, min(row, max(most / max(seen, 1), 0.05)), header, seen)
    return _stacked(threads, [kinds[depth] for depth in depths], top, gap)


def _lane(depth: int, folded: tuple[int, int | None], row: float, header: float, most: int) -> Lane:
    """What the lanes of threads of a depth have in common.

    most  it has room for so many levels that are not folded; for two more rather than a part of them
    """
    upper, lower = folded
    folding = LevelFolding(min(upper, depth), lower, min(3.0, row / 3), row)
    levels = level_tops(folding, max(depth - 1, 0))
    enough = row * (most + (2 if most > 2 and header else 0)) + 0.5
    seen = depth if levels[-1] <= enough else max(int(np.searchsorted(levels, most * row + 0.5)) - 1, 1)
    return Lane(-1, 0.0, depth, folding, header + float(levels[min(seen, len(levels) - 1)]), header, seen)


def _level_of(wanted: npt.NDArray[np.float64], room: float) -> float:
    """The height h at which `min(wanted, h)` adds up to the room: deep stacks give way first."""
    ordered = np.sort(wanted)
    left = len(ordered) - np.arange(len(ordered))  # so many want as much, or more
    height = (room - np.concatenate(([0.0], np.cumsum(ordered)[:-1]))) / np.maximum(left, 1)
    enough = np.flatnonzero(height <= ordered)
    return float(height[enough[0]]) if len(enough) else float(ordered.max(initial=0.0))
