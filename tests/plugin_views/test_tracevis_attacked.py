"""TraceVis with hostile states, odd traces and extreme windows (TV-1 to TV-9): it opens afresh or draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.api import (
    NO_NODE,
    Budget,
    EventKind,
    Hit,
    Plot,
    Range,
    Trace,
    TraceBuilder,
    ViewEvent,
    Viewport,
    ViewTable,
)
from cbvtool.plots.filling import fill
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
from plugins.tracevis.state import TraceVisState
from plugins.tracevis.view import TraceVisView
from tests.plugin_views.opened import opened
from tests.trace.timelines import random_trace

VIEW = Viewport(900.0, 500.0)
PARTS = ("activity", "structure", "pattern", "threads", "functions", "relations")
HUGE = 10**9


def of_spans(*spans: tuple[int, int, int]) -> Trace:
    """A trace of calls (thread, begin, end)."""
    made = TraceBuilder("test", Budget("The trace"))
    name = made.function("work", "module", "work.py", 1)
    threads: dict[int, int] = {}
    for number, begin, end in spans:
        if number not in threads:
            threads[number] = made.thread(1, number)
        made.begin(threads[number], name, begin)
        made.end(threads[number], end)
    return made.trace(made.build(), {})


ODD: dict[str, Callable[[], Trace]] = {
    "no call": lambda: of_spans(),
    "one call": lambda: of_spans((1, 5, 9)),
    "one call of no length": lambda: of_spans((1, 5, 5)),
    "calls of no length": lambda: of_spans(*((1, at, at) for at in range(0, 3000, 3))),
    "all at one time": lambda: of_spans(*((1, 7, 7) for _ in range(500))),
    "the end of time": lambda: of_spans((1, 0, 1), (1, 2**62, 2**62 + 1)),
    "10,000 threads": lambda: of_spans(*((number, number % 50, number % 50 + 60) for number in range(10_000))),
    "100,000 siblings": lambda: of_spans(*((1, 2 * at, 2 * at + 1) for at in range(100_000))),
    "50,000 deep": lambda: deep(50_000),
}


def deep(levels: int) -> Trace:
    """A recursion."""
    made = TraceBuilder("test", Budget("The trace"))
    name, thread = made.function("again", "module", "work.py", 1), made.thread(1, 1)
    for at in range(levels):
        made.begin(thread, name, at)
    for at in range(levels):
        made.end(thread, levels + at)
    return made.trace(made.build(), {})


def draw_all(instance: ViewInstance, said: list[str]) -> None:
    """Every part is drawn and filled, and nothing is told of faults."""
    instance.settle()
    for part in PARTS:
        drawn = instance.draw(part, VIEW)
        assert isinstance(drawn, Plot | ViewTable), (part, drawn, said)
        if isinstance(drawn, Plot):
            fill(drawn, VIEW)
    assert not said
    assert not instance.needs.failed


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "values", [{}, {"theta": 10_000.0, "fit": True, "aggregates": "clusters", "color": "duration"}]
)
def test_odd_traces_are_drawn(name: str, values: dict[str, object]) -> None:
    """TV-1, TV-4, TV-9: whole, and a millionth of the trace near its end."""
    said: list[str] = []
    trace = ODD[name]()
    instance = opened(TraceVisView(), trace, said=said, values=values)
    draw_all(instance, said)
    drawn = instance.draw("activity", VIEW)
    assert isinstance(drawn, Plot)
    if not drawn.panes:
        return  # nothing to zoom into
    pane = drawn.panes[0]
    low = pane.x[0] + 0.9999 * (pane.x[1] - pane.x[0])
    window = Range((low, low + 1e-6 * (pane.x[1] - pane.x[0])), pane.y)
    instance.on(ViewEvent(EventKind.RANGE, "activity", pane.name, range=window))
    assert instance.state.window is not None
    instance.on(ViewEvent(EventKind.HOVER, "activity", pane.name, low, 3.0, hit=Hit("", 0)))
    draw_all(instance, said)


ANYTHING: list[Any] = [
    None,
    True,
    -1,
    HUGE,
    2**70,
    -(2**70),
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x" * 1000,
    [],
    [1],
    [[1, 2]],
    [[2.0, 1.0]],
    [[float("nan"), 1.0]],
    [-1],
    [HUGE],
    [None],
    ["a"],
    {},
    {"a": 1},
    [[0.0, 1.0, 2.0]],
    [[0.0, "note"]],
    [["x", 1]],
    [0] * 100_000,
    [float("nan"), float("inf")],
    [1e300, 2e300],
    [0, HUGE],
    [-1e9, 1e9],
]


@pytest.mark.parametrize("field", [*TraceVisState.__dataclass_fields__, "nothing so"])
def test_hostile_states_open_afresh_or_draw(field: str) -> None:
    """A document may say anything of a field: wrong types, very long values, numbers that are none."""
    trace = random_trace(3, 200, 3)
    drawn = set[str]()  # states; most of what it says makes the view open afresh
    for value in [*ANYTHING, "x" * 30_000_000 if field == "search" else None]:
        said: list[str] = []
        instance = opened(TraceVisView(), trace, said=said, data={field: value})
        said.clear()  # that a state was dropped may be told
        if repr(instance.state) not in drawn:
            drawn.add(repr(instance.state))
            draw_all(instance, said)


EVENTS = st.builds(
    lambda kind, pane, x, y, key, low, wide, item, shift: ViewEvent(
        kind,
        "activity" if pane != "whole" else "structure",
        pane,
        x,
        y,
        x,
        y,
        Hit("", item),
        key=key,
        range=Range((low, low + wide), (0.0, 1.0)) if kind is EventKind.RANGE else None,
        start=ViewEvent(EventKind.PRESS, "activity", pane, y, x, y, x),
        modifiers=frozenset({"shift"}) if shift else frozenset(),
    ),
    st.sampled_from(
        [
            EventKind.HOVER,
            EventKind.CLICK,
            EventKind.DOUBLE,
            EventKind.PRESS,
            EventKind.DRAG,
            EventKind.DROP,
            EventKind.RANGE,
            EventKind.KEY,
            EventKind.LEAVE,
        ]
    ),
    st.sampled_from(["thread 0", "thread 1", "whole", "ruler", ""]),
    st.floats(-1e12, 1e12),
    st.floats(-1e6, 1e6),
    st.sampled_from(
        [
            "/",
            "g",
            "m",
            "f",
            "F",
            "n",
            "p",
            "Up",
            "Down",
            "Left",
            "Right",
            "Enter",
            "[",
            "]",
            "s",
            "search=function",
            "search=",
            "search=" + "x" * 5000,
            "range=1..2",
            "range=2..1",
            "range=1e999..",
            "range=0..0.000000001",
            "range=99999999999999999999..999999999999999999999",
            "note=here",
            "note=",
            "note=" + "ä" * 5000,
        ]
    ),
    st.floats(-1e12, 1e12),
    st.sampled_from([1e-6, 1.0, 1e5, 1e12]),
    st.integers(0, 199),
    st.booleans(),
)


@pytest.mark.hypothesis
@given(st.lists(EVENTS, min_size=1, max_size=12), st.booleans())
@settings(deadline=None)
def test_whatever_is_done_the_next_frame_is_drawn(events: list[ViewEvent], warped: bool) -> None:
    """TV-1 to TV-9: events in any order, at any place; what they leave behind can be saved and loaded."""
    said: list[str] = []
    instance = opened(TraceVisView(), random_trace(5, 200, 2), said=said, values={"theta": 3.0 if warped else 0.0})
    instance.settle()
    for event in events:
        instance.on(event)
    draw_all(instance, said)


def test_while_other_code_is_left_out_nothing_of_the_whole_trace_is_used() -> None:
    """Only my code: results that were made of all calls have other rows, and are not drawn meanwhile."""
    trace, said = random_trace(7, 30_000, 2), list[str]()
    inputs = own_inputs((trace,))
    [known] = inputs.maps
    assert known is not None
    partly = replace(known, node=np.where(np.arange(len(known.node)) < 5, known.node, NO_NODE).astype(np.int32))
    instance = ViewInstance(TraceVisView(), replace(inputs, maps=(partly,)), ViewSurroundings(), said.append)
    draw_all(instance, said)
    instance.set_value("own", True)
    while needs := instance.wanted():  # one after the other, and the view is drawn after each
        for need in needs:
            instance.needs.take(need, make(need))
            for part in PARTS:
                assert isinstance(instance.draw(part, VIEW), Plot | ViewTable), said
            for key in ("Up", "n", "/"):
                instance.on(ViewEvent(EventKind.KEY, "activity", key=key))
    draw_all(instance, said)
