"""Only the code that is open: the context and the state as if nothing else had been called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.api import NO_NODE, Need, NeedProgress, OwnCalls, Request, SetFocus, Trace, ViewContext, own_calls

from .state import TraceVisState

NAME = "own"
PREFIX = "own: "  # of what is found out of these calls alone: results of the whole trace have other rows
_CALLS = ("selected", "hits", "about_call")  # fields of the state that are rows of calls
_AT_ONCE = 20_000  # calls: so few are filtered without a worker


def own_need(context: ViewContext) -> tuple[Need, ...]:
    """The slow work that is needed before; none while all calls are shown, or few."""
    trace, known = context.trace(), context.maps[0]
    if not context.values["own"] or known is None or len(trace.calls) <= _AT_ONCE:
        return ()
    return (Need(NAME, "leaving out other code", make_own, (trace, known.node)),)


def make_own(trace: Trace, node: npt.NDArray[np.int32], progress: NeedProgress) -> OwnCalls:
    """`own_calls` of the functions that have a node."""
    progress("Leaving out other code", 0, 0)
    return _own(trace, node)


def _own(trace: Trace, node: npt.NDArray[np.int32]) -> OwnCalls:
    return own_calls(trace, node != NO_NODE)


def own_in(context: ViewContext) -> OwnCalls | None:
    """The calls of the code that is open; None while all are shown."""
    trace, known = context.trace(), context.maps[0]
    if not context.values["own"] or known is None:
        return None
    if len(trace.calls) <= _AT_ONCE:
        return context.memo(_own, trace, known.node)
    found: OwnCalls | None = context.found.get(NAME)
    return found


def inward(own: OwnCalls | None, context: ViewContext, state: TraceVisState) -> tuple[ViewContext, TraceVisState]:
    """What the parts of the view see. States keep rows of the whole trace."""
    if own is None:
        return context, state
    found = {name.removeprefix(PREFIX): value for name, value in context.found.items() if name.startswith(PREFIX)}
    rows: dict[str, Any] = {name: own.row_here(getattr(state, name)) for name in _CALLS}
    return replace(context, inputs=(own.trace, *context.inputs[1:]), found=found), replace(state, **rows)


def outward(
    own: OwnCalls | None, state: TraceVisState, inner: TraceVisState, answer: tuple[TraceVisState, tuple[Request, ...]]
) -> tuple[TraceVisState, tuple[Request, ...]]:
    """The way back, for the answer to an event. state: as it is kept; inner: what `inward` made of it."""
    if own is None:
        return answer
    after, requests = answer
    told = tuple(
        SetFocus(replace(each.focus, calls=tuple(own.row_there(row) for row in each.focus.calls)))
        if isinstance(each, SetFocus) and each.focus.calls
        else each
        for each in requests
    )
    if after is inner:
        return state, told
    rows: dict[str, Any] = {}
    for name in _CALLS:
        before, now = getattr(inner, name), getattr(after, name)
        rows[name] = getattr(state, name) if now == before else own.row_there(now)
    return replace(after, **rows), told
