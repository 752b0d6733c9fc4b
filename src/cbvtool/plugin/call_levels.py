"""The calls of a trace by depth, as views need them: at once, or on a worker with some threads first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cbvtool.plugin.view import Need, NeedProgress, ViewContext
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.timeline.levels import Levels, levels_of

SORTED_AT_ONCE = 20_000  # calls: so few are sorted without a worker
EARLY_CALLS = 500_000  # so many are sorted first
_NAME = "levels"


def levels_needs(trace: Trace, order: Iterable[int]) -> tuple[Need, ...]:
    """The need that `levels_in` waits for; none for few calls. order: threads, those that are to be seen first."""
    if len(trace.calls) <= SORTED_AT_ONCE:
        return ()
    return (Need(_NAME, "sorting calls by depth", make_levels, (trace, tuple(order))),)


def levels_in(context: ViewContext) -> Levels | None:
    """The calls by depth; None while they are sorted. Threads whose turn has not come have no levels."""
    trace = context.trace()
    if len(trace.calls) <= SORTED_AT_ONCE:
        return context.memo(levels_of, trace)
    found: Levels | None = context.found.get(_NAME)
    return found if found is not None and found.calls == len(trace.calls) else None  # of another trace until then


def make_levels(trace: Trace, order: tuple[int, ...], *, progress: NeedProgress) -> Levels:
    """`levels_of`; those of the first threads of `order` are handed over before, where that is much less work."""
    count, early, calls = np.diff(trace.threads.ptr), set[int](), 0
    for thread in order:
        early.add(thread)
        calls += int(count[thread])
        if calls > EARLY_CALLS:
            break
    if calls < len(trace.calls) / 2:
        progress.first(levels_of(trace, threads=early))
    return levels_of(trace, progress)
