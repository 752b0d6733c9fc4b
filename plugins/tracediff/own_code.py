"""Only the code that is open: the context as if nothing else had been called."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import NO_CALL, NO_NODE, Need, NeedProgress, OwnCalls, Trace, ViewContext, own_calls

from .pair import chosen_in
from .state import TraceDiffState

_AT_ONCE = 20_000  # calls: so few are filtered without a worker


def own_needs(context: ViewContext) -> tuple[Need, ...]:
    """The slow work that is needed before; none while all calls are shown, or few."""
    needs = []
    for number, known in enumerate(context.maps):
        trace = context.trace(number)
        if context.values["own"] and known is not None and len(trace.calls) > _AT_ONCE:
            needs.append(Need(f"own {number}", "leaving out other code", make_own, (trace, known.node)))
    return tuple(needs)


def make_own(trace: Trace, node: npt.NDArray[np.int32], *, progress: NeedProgress) -> OwnCalls:
    """The calls of the functions that have a node."""
    progress("Leaving out other code", 0, 0)
    return _own(trace, node)


def _own(trace: Trace, node: npt.NDArray[np.int32]) -> OwnCalls:
    return own_calls(trace, node != NO_NODE)


def inward(context: ViewContext) -> ViewContext | None:
    """What the parts of the view see; None while other calls are being left out."""
    if not context.values["own"]:
        return context
    inputs = list(context.inputs)
    for number, known in enumerate(context.maps):
        trace = context.trace(number)
        if known is None:
            continue
        small = len(trace.calls) <= _AT_ONCE
        own = context.memo(_own, trace, known.node) if small else context.found.get(f"own {number}")
        if own is None:
            return None
        inputs[number] = own.trace
    return replace(context, inputs=tuple(inputs))


def fitting(context: ViewContext, state: TraceDiffState) -> TraceDiffState:
    """The state without rows that the calls which are shown do not have: they may be of all calls."""
    pair = chosen_in(context, state)
    if pair is None:
        return state
    ranges = []
    for chosen in pair:
        low, high = context.trace(chosen.number).threads.ptr[chosen.thread : chosen.thread + 2]
        ranges.append((int(low), int(high)))
    if state.call != NO_CALL and (state.side < 0 or not ranges[state.side][0] <= state.call < ranges[state.side][1]):
        state = replace(state, side=-1, call=NO_CALL, match=-1)
    if state.chosen is not None:
        low, high = ranges[state.chosen[0]]
        state = state if low <= state.chosen[1] < high else replace(state, chosen=None, turn=0)
    return state
