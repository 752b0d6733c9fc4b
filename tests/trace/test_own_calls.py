"""Calls of some functions alone, in the trace and in TraceVis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.api import NO_NODE, Bars, EventKind, Hit, Labels, Plot, SetFocus, Trace, ViewEvent, Viewport, own_calls
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
from cbvtool.trace.mapping.node_map import NodeMap
from cbvtool.trace.model.trace import NO_CALL
from plugins.tracevis.view import TraceVisView
from tests.trace.timelines import random_trace, timelines

VIEW = Viewport(800.0, 600.0)


def ancestors(trace: Trace) -> list[list[int]]:
    """Of each call the rows of those around it, outermost first: by their subtrees, one by one."""
    calls = trace.calls
    found: list[list[int]] = [[] for _ in range(len(calls))]
    for row in range(len(calls)):
        for below in range(row + 1, int(calls.end_row[row])):
            found[below].append(row)
    return found


@given(timelines(120), st.sets(st.integers(0, 6)))
def test_what_stays_is_nested_as_it_was(trace: Trace, numbers: set[int]) -> None:
    """The callers of a call that stays are its former callers that stay; times and threads are the same."""
    kept = np.array([f in numbers for f in range(len(trace.functions))], np.bool_)
    own = own_calls(trace, kept)
    stays = [row for row in range(len(trace.calls)) if kept[trace.calls.function[row]]]
    assert own.rows.tolist() == stays
    former = ancestors(trace)
    for here, around in enumerate(ancestors(own.trace)):
        there = own.row_there(here)
        assert own.row_here(there) == here
        assert [own.row_there(row) for row in around] == [row for row in former[there] if row in set(stays)]
        assert own.trace.calls.depth[here] == len(around)
        assert own.trace.calls.start[here] == trace.calls.start[there]
        assert own.trace.calls.end[here] == trace.calls.end[there]
    everywhere = np.arange(len(stays))
    assert np.array_equal(own.trace.thread_of(everywhere), trace.thread_of(own.rows.astype(np.int64)))
    for row in set(range(len(trace.calls))) - set(stays):
        assert own.row_here(row) == NO_CALL


def started(trace: Trace, foreign: set[int]) -> ViewInstance:
    """TraceVis with "Only my code", where some functions have no node."""
    inputs = own_inputs((trace,))
    [known] = inputs.maps
    assert known is not None
    node = np.array([NO_NODE if f in foreign else key for f, key in enumerate(known.node)], np.int32)
    partly = NodeMap(node, known.why.copy(), known.reasons)
    said: list[str] = []
    instance = ViewInstance(
        TraceVisView(), replace(inputs, maps=(partly,)), ViewSurroundings(), said.append, values={"own": True}
    )
    instance.settle()
    assert not said
    return instance


def test_only_my_code_is_drawn_and_selected() -> None:
    """TV-1: calls of other code fold into their callers; what is selected is a call of the whole trace."""
    for calls in (400, 30_000):
        trace = random_trace(3, calls, deeper=0.6)
        instance = started(trace, {0, 1, 2, 3})
        drawn = instance.draw("activity", VIEW)
        assert isinstance(drawn, Plot)
        [bars] = [each for each in drawn.layers if isinstance(each, Bars) and each.name == "bars 0"]
        assert bars.item is not None
        own = own_calls(trace, np.arange(len(trace.functions)) > 3)
        function = own.trace.calls.function[bars.item]
        assert (function > 3).all()
        single = np.flatnonzero(bars.merged == 1)
        at = int(single[0])
        x = float(bars.x0[at] + bars.x1[at]) / 2
        row = int(bars.item[at])
        event = ViewEvent(EventKind.CLICK, "activity", "thread 0", x=x, hit=Hit("bars 0", row))
        focus = instance.on(event)[1][0]
        assert isinstance(focus, SetFocus)
        assert focus.focus.calls == (own.row_there(row),)
        assert instance.state.selected == own.row_there(row)
        assert instance.tell("activity", Hit("bars 0", row))[0] == trace.functions.name[int(function[at])]
        again = instance.draw("activity", VIEW)
        assert isinstance(again, Plot)
        assert any(each.name == "selected 0" for each in again.layers)


def test_no_code_of_ours_is_said() -> None:
    instance = started(random_trace(3, 50), set(range(7)))
    drawn = instance.draw("activity", VIEW)
    assert isinstance(drawn, Plot)
    [text] = drawn.layers
    assert isinstance(text, Labels)
    assert text.text == ("No call is of the code that is open.",)
