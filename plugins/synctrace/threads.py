"""Which thread stands where, and in which colour (ST-3, ST-6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cbvtool.api import CLASS_COLORS, Trace, ViewContext, is_main

from .state import SyncState, Window

MOST_THREADS = 60  # of the semicircle; more would be too narrow to read
COLORS = len(CLASS_COLORS)


@dataclass(frozen=True)
class Placed:
    """main: the thread of the straight view, -1 = there is none; ring: those of the semicircle, from left to right."""

    main: int
    ring: tuple[int, ...]

    @property
    def every(self) -> tuple[int, ...]:
        """All of them, the main one first."""
        return (self.main, *self.ring) if self.main >= 0 else self.ring


def main_first(trace: Trace) -> tuple[int, ...]:
    """All threads in the order in which they are worth seeing while calls are sorted."""
    return tuple(sorted(range(len(trace.threads)), key=lambda thread: not is_main(trace.threads, thread)))


def placed(context: ViewContext, state: SyncState) -> Placed:
    """The threads that are drawn."""
    return context.memo(_placed, context.trace(), context.focus.threads, state.main, state.ring, state.hidden)


def _placed(
    trace: Trace, chosen: frozenset[int] | None, main: int, ring: tuple[int, ...], hidden: tuple[int, ...]
) -> Placed:
    threads = trace.threads
    count = np.diff(threads.ptr)
    gone = set(hidden)
    there = [
        thread
        for thread in range(len(threads))
        if thread not in gone
        and threads.kind[thread] != "task"
        and (count[thread] > 0 if chosen is None else thread in chosen)
    ]
    if not there:
        return Placed(-1, ())
    if main not in there:
        main = next((thread for thread in there if is_main(threads, thread)), there[0])
    place = {thread: at for at, thread in enumerate(ring)}
    rest = [thread for thread in there if thread != main]
    if len(rest) > MOST_THREADS:
        busiest = sorted(rest, key=lambda thread: (thread not in place, -int(count[thread]), thread))[:MOST_THREADS]
        rest = [thread for thread in rest if thread in set(busiest)]
    return Placed(main, tuple(sorted(rest, key=lambda thread: (place.get(thread, len(place)), thread))))


def colored(at: Placed, before: Mapping[int, int]) -> dict[int, int]:
    """The number of the colour of each thread: neighbours differ, and all differ from the main one's (ST-3).

    A thread keeps the colour it had `before`, unless a neighbour to its left, or the main thread, has that now.
    """
    found: dict[int, int] = {}
    if at.main >= 0:
        found[at.main] = before.get(at.main, 0)
    taken = found.get(at.main, -1)
    used = [0] * COLORS
    for place, thread in enumerate(at.ring):
        left = found[at.ring[place - 1]] if place else -1
        color = before.get(thread, -1)
        if color in (-1, left, taken):
            follower = before.get(at.ring[place + 1], -1) if place + 1 < len(at.ring) else -1
            free = [each for each in range(COLORS) if each not in (left, taken)]
            color = min(free, key=lambda each: (each == follower, used[each], each))
        found[thread] = color
        used[color] += 1
    return found


def colors_of(context: ViewContext, state: SyncState) -> dict[int, int]:
    """The number of the colour of each thread that is drawn."""
    return context.memo(_colors, placed(context, state), state.colors)


def _colors(at: Placed, before: tuple[tuple[int, int], ...]) -> dict[int, int]:
    return colored(at, dict(before))


def window_of(context: ViewContext, state: SyncState, thread: int) -> Window:
    """What is shown of a thread, ns since the start: its own window, or that of all others."""
    trace = context.trace()
    whole = (0.0, trace.length)
    own = next(((low, high) for one, low, high in state.windows if one == thread), None)
    if own is None and context.focus.window != state.told:
        first, last = context.focus.within(trace.span)
        own = (float(first - trace.span[0]), float(last - trace.span[0]))
    begin, end = own or state.window or whole
    begin = min(max(begin, 0.0), whole[1])
    end = min(max(end, begin), whole[1])
    return (begin, end) if end > begin else (max(begin - 0.5, 0.0), max(begin - 0.5, 0.0) + 1.0)
