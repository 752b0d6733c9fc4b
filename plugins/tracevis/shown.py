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
    level_tops,
    levels_of,
    thread_groups,
    warp_of,
)

from .counting import CounterTrack, counter_tracks
from .state import TraceVisState, Window, length_of, window_of

RULER, HEADER, GAP = 30.0, 20.0, 10.0  # logical pixels
LEGEND, STRIP = 24.0, 36.0
MOST_STRIPS = 6
_STEP = 16  # levels
SMALL = 20_000  # calls: so few are sorted at once, without a worker


@dataclass(frozen=True)
class Lane:
    """A thread on the canvas. top: of its header; depth: levels; folding: heights of its levels.

    drawn  so many of its levels are drawn: those above the lower border of the viewport, and some more
    """

    thread: int
    top: float
    depth: int
    folding: LevelFolding
    height: float
    drawn: int = 1 << 30

    def above(self, bottom: float) -> Lane:
        """The same lane, drawn down to a place on the canvas: in steps, so that scrolling draws little anew."""
        tops = self.top + header_of(self) + level_tops(self.folding, max(self.depth - 1, 0))[:-1]
        seen = int(np.searchsorted(tops, bottom))
        return replace(self, drawn=-(-max(seen, 1) // _STEP) * _STEP)


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
    return float(context.values["theta"]) * 2 * max(len(trace.calls), 1) / length_of(trace)


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
    trace: Trace, chosen: frozenset[int] | None, by: str, hidden: tuple[int, ...], pinned: tuple[int, ...],
    by_hand: tuple[int, ...],
) -> tuple[int, ...]:  # fmt: skip
    threads = trace.threads
    count, time = np.diff(threads.ptr), threads.last - threads.first
    gone, place = set(hidden), {thread: at for at, thread in enumerate(by_hand)}
    shown = [
        thread
        for thread in range(len(threads))
        if thread not in gone and (count[thread] if chosen is None else thread in chosen)
    ]

    def key(thread: int) -> tuple[object, ...]:
        main = threads.name[thread] in {"MainThread", "main"} or threads.id[thread] == threads.process[thread]
        rank = {"calls": -int(count[thread]), "time": -int(time[thread])}.get(by, int(threads.first[thread]))
        hand = place.get(thread, len(place))
        return thread not in pinned, hand, int(threads.process[thread]), not main, rank, thread

    return tuple(sorted(shown, key=key))


def levels_in(context: ViewContext) -> Levels | None:
    """The calls by depth; None while a large trace is being sorted."""
    trace = context.trace()
    if len(trace.calls) <= SMALL:
        return context.memo(levels_of, trace)
    found: Levels | None = context.found.get("levels")
    return found if found is not None and len(found.row) == len(trace.calls) else None  # of another trace until then


def warp_in(context: ViewContext) -> Warp:
    """The warp by the parameter; the former one, or a linear one, while it is being made."""
    found: Warp | None = context.found.get("warp")
    return LINEAR if theta_of(context) == 0.0 or found is None else found


def make_warp(events: npt.NDArray[np.int64], theta: float, progress: NeedProgress) -> Warp:
    """`warp_of`: a need, since the queue of a large trace is too large to be kept by the memo."""
    progress("Compacting time", 0, 0)
    return warp_of(events, theta)


def grid_in(context: ViewContext, window: Window, width: float) -> TimeGrid:
    """The columns of a window."""
    return context.memo(grid_of, window, max(width, 1.0), warp_in(context), float(context.values["threshold"]))


def shown(context: ViewContext, state: TraceVisState, viewport: Viewport) -> Shown:
    """What the activity view shows, for a viewport."""
    trace, levels = context.trace(), levels_in(context)
    lanes: tuple[Lane, ...] = ()
    if levels is not None:
        row = float(context.values["height"])
        fit = viewport.height - LEGEND if context.values["fit"] else 0.0
        folding = (state.upper, state.lower)
        lanes = context.memo(_lanes, levels, threads_of(context, state), folding, row, fit, strips_height(context))
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
    levels: Levels, threads: tuple[int, ...], folding_of: tuple[int, int | None], row: float, fit: float, above: float
) -> tuple[Lane, ...]:
    """One below another. fit: logical pixels that all of them have to share, 0 = no matter how high; above: taken."""
    upper, lower = folding_of
    depths = [levels.depth_of(thread) for thread in threads]
    gap = GAP
    header = HEADER
    if fit:
        room = fit - RULER - above
        if room < len(threads) * (header + gap + 8):
            header, gap = min(header, max(room / max(len(threads), 1) * 0.4, 0.0)), 1.0
    rows = [row] * len(threads)
    if fit:
        most = _level_of(np.array(depths, np.float64) * row, room - len(threads) * (header + gap))
        rows = [min(row, max(most / max(depth, 1), 0.05)) for depth in depths]
    lanes, top = [], RULER + above
    for thread, depth, row in zip(threads, depths, rows, strict=True):
        folded = min(3.0, row / 3)
        folding = LevelFolding(min(upper, depth), lower, folded, row)
        small = min(upper, depth)
        if lower is not None:
            small += max(depth - 1 - max(lower, small - 1), 0)
        height = header + small * folded + (depth - small) * row
        lanes.append(Lane(thread, top, depth, folding, height))
        top += height + gap
    return tuple(lanes)


def _level_of(wanted: npt.NDArray[np.float64], room: float) -> float:
    """The height h at which `min(wanted, h)` adds up to the room: deep stacks give way first."""
    ordered = np.sort(wanted)
    left = len(ordered) - np.arange(len(ordered))  # so many want as much, or more
    height = (room - np.concatenate(([0.0], np.cumsum(ordered)[:-1]))) / np.maximum(left, 1)
    enough = np.flatnonzero(height <= ordered)
    return float(height[enough[0]]) if len(enough) else float(ordered.max(initial=0.0))


def header_of(lane: Lane) -> float:
    """Height of the header of a lane: what its levels leave."""
    small = min(lane.folding.upper, lane.depth)
    if lane.folding.lower is not None:
        small += max(lane.depth - 1 - max(lane.folding.lower, small - 1), 0)
    return lane.height - small * lane.folding.folded - (lane.depth - small) * lane.folding.unfolded
