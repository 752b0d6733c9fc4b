"""ExtraVis with odd traces, sizes and windows (EX-1 to EX-6): a sentence or a picture, and no fault is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from cbvtool.api import (
    Budget,
    EventKind,
    Hit,
    Labels,
    Plot,
    Range,
    SetFocus,
    Trace,
    TraceBuilder,
    ViewEvent,
    Viewport,
    ViewTable,
)
from cbvtool.plots.filling import fill
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
from plugins.extravis.view import ExtraVisView
from tests.plugin_views.test_tracevis_attacked import ODD, deep
from tests.trace.timelines import deep_trace, random_trace

SIZES = (Viewport(900.0, 500.0), Viewport(1.0, 1.0), Viewport(300.0, 90.0, 2.0))


def wide(functions: int) -> Trace:
    """A function that calls thousands, each once: more columns than pixels."""
    made = TraceBuilder("test", Budget("The trace"))
    thread, start = made.thread(1, 1), made.function("start", "main", "main.py", 1)
    made.begin(thread, start, 0)
    for number in range(functions):
        name = made.function(f"f{number}", f"m{number % 40}", f"src/m{number % 40}.py", number + 1)
        made.begin(thread, name, 2 * number + 1)
        made.end(thread, 2 * number + 2)
    made.end(thread, 2 * functions + 1)
    return made.trace(made.build(), {})


TRACES: dict[str, Callable[[], Trace]] = {
    **ODD,
    "100,000 deep": lambda: deep(100_000),
    "5,000 columns": lambda: wide(5_000),
}
SENTENCES = {
    "no call": "The trace holds no calls.",
    "one call": "The trace holds one call, and no caller of it.",
    "100,000 siblings": "None of the 100,000 calls was made by another one: there is no caller to draw.",
}


def drawn(instance: ViewInstance, sight: Viewport) -> None:
    for part in ("sequence", "bundle", "pairs", "similar"):
        made = instance.draw(part, sight)
        assert isinstance(made, Plot | ViewTable), made
        if isinstance(made, Plot):
            fill(made, sight)


@pytest.mark.parametrize("name", list(TRACES))
def test_odd_traces_are_drawn(name: str) -> None:
    """At any size; what cannot be drawn is a sentence, never a blank picture."""
    said: list[str] = []
    instance = ViewInstance(ExtraVisView(), own_inputs((TRACES[name](),)), ViewSurroundings(), said.append)
    instance.settle()
    first = instance.draw("sequence", SIZES[0])
    assert isinstance(first, Plot)
    sentence = SENTENCES.get(name)
    if sentence is not None:
        (label,) = first.layers
        assert isinstance(label, Labels)
        assert label.text == (sentence,)
    assert first.layers
    for sight in SIZES:
        drawn(instance, sight)
    for window in ((-1e300, 1e300), (0.0, 0.0), (5.0, 5.0 + 1e-9), (float(2**52), float(2**53))):
        instance.on(ViewEvent(EventKind.RANGE, "sequence", "rows", range=Range((0.0, 1.0), window)))
        drawn(instance, SIZES[0])
    for kind in EventKind:
        instance.on(ViewEvent(kind, "sequence", "rows", 3.0, 4.0, 300.0, 250.0, Hit("calls", 0), size=(900.0, 500.0)))
    for key in ("m", "z", "n", "s", "Escape", "a"):
        instance.on(ViewEvent(EventKind.KEY, "sequence", key=key))
        instance.settle()
    instance.look_at(replace(instance.focus, window=(10**18, 10**18 + 1)))
    drawn(instance, SIZES[0])
    assert not said
    assert not instance.needs.failed


@pytest.mark.parametrize("other", ["no call", "one call", "same", "unlike"])
def test_odd_pairs_of_traces_are_drawn(other: str) -> None:
    """EX-6: against an empty trace, one of a call, itself, one without a common function."""
    one = random_trace(3, 300)
    second = {"same": lambda: one, "unlike": lambda: deep_trace(1, 50)}.get(other) or ODD[other]
    said: list[str] = []
    instance = ViewInstance(ExtraVisView(), own_inputs((one, second())), ViewSurroundings(), said.append)
    instance.settle()
    for sight in SIZES:
        drawn(instance, sight)
    instance.set_value("color", "differs")
    instance.set_value("emphasis", "differs")
    drawn(instance, SIZES[0])
    assert not said


def test_a_part_of_no_call_and_of_one() -> None:
    """EX-4: a drag of nothing changes nothing; one of a pixel looks at one call."""
    instance = ViewInstance(ExtraVisView(), own_inputs((random_trace(2, 400),)), ViewSurroundings(), print)
    instance.settle()
    before = instance.state
    start = ViewEvent(EventKind.PRESS, "sequence", "rows", 300.0, 0.0, 300.0, 200.0)
    instance.on(ViewEvent(EventKind.DROP, "sequence", "rows", 300.0, 0.0, 300.0, 200.0, start=start))
    assert instance.state is before
    asked = instance.on(ViewEvent(EventKind.DROP, "sequence", "rows", 300.0, 0.5, 300.0, 201.0, start=start))[1]
    assert any(isinstance(each, SetFocus) for each in asked)
    assert instance.state.part == (0, 1)
    drawn(instance, SIZES[0])


def test_calls_that_need_workers_are_drawn_meanwhile() -> None:
    """EX-2: until the calls are read there is a sentence; then the picture."""
    instance = ViewInstance(ExtraVisView(), own_inputs((random_trace(1, 32_000),)), ViewSurroundings(), print)
    first = instance.draw("sequence", SIZES[0])
    assert isinstance(first, Plot)
    assert [each.text for each in first.layers if isinstance(each, Labels)] == [("Reading calls in order …",)]
    instance.settle()
    second = instance.draw("sequence", SIZES[0])
    assert isinstance(second, Plot)
    assert "rows 0" in [each.name for each in second.layers]
