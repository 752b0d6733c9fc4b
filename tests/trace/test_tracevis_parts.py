"""What TraceVis tells of parts of a trace: counters, instants, legend, chosen parts, merged calls, threads by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.api import EventKind, Hit, Plot, Range, Say, SetFocus, Trace, ViewEvent, merged_calls, own_calls
from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.strings import Strings
from cbvtool.trace.model.table import Table
from cbvtool.trace.timeline.bars import grid_of
from cbvtool.trace.timeline.warp import event_queue, warp_of
from plugins.tracevis.counting import CounterTrack, column_values, value_at
from tests.trace.test_tracevis import VIEW, layer, plot, say, started, table
from tests.trace.timelines import random_trace, timelines, windows


def with_tables(trace: Trace) -> Trace:
    """The trace, with two counters, three instants and arguments of the second call."""
    first, long = trace.span[0], trace.span[1] - trace.span[0]
    strings = Strings.of(["", "memory", "queue", "begun", "a note", "colour", "red"])
    counters = Table(
        {
            "resource": np.full(5, -1, np.int32),
            "name": np.array([1, 1, 1, 2, 2], np.uint32),
            "time": first + np.array([0, long // 4, long // 2, long // 3, long // 2]),
            "value": np.array([1.0, 8.0, 2.0, 5.0, -1.0]),
        }
    )
    instants = Table(
        {
            "thread": np.array([0, 0, 1], np.int32),
            "call": np.full(3, 2**32 - 1, np.uint32),
            "time": first + np.array([long // 5, long // 2, long // 2]),
            "name": np.full(3, 3, np.uint32),
            "text": np.full(3, 4, np.uint32),
        }
    )
    arguments = Table(
        {"call": np.array([1], np.uint32), "name": np.array([5], np.uint32), "value": np.array([6], np.uint32)}
    )
    return replace(trace, strings=strings, tables={"counters": counters, "instants": instants, "arguments": arguments})


@pytest.fixture
def trace() -> Trace:
    return with_tables(random_trace(3, 400, 3, deeper=0.3))


@given(st.data())
def test_a_column_has_the_highest_value_of_its_time(data: st.DataObject) -> None:  # against a loop over all values
    trace = random_trace(1, 60)
    low, high = data.draw(windows(trace))
    long = float(trace.span[1] - trace.span[0])
    times = sorted(data.draw(st.lists(st.integers(0, int(long)), min_size=1, max_size=40)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    track = CounterTrack("x", np.array(times), rng.normal(size=len(times)))
    warp = warp_of(event_queue(trace), data.draw(st.sampled_from([0.0, 1e-3])))
    grid = grid_of((low, high), 50, warp)
    found = column_values(track, grid)
    for column, (begin, end) in enumerate(zip(grid.edges[:-1], grid.edges[1:], strict=True)):
        within = [value for time, value in zip(times, track.value, strict=True) if begin < time <= end]
        within += [value_at(track, begin)]
        expected = max((value for value in within if value == value), default=np.nan)
        assert found[column] == expected or (np.isnan(found[column]) and np.isnan(expected))


@pytest.mark.parametrize("theta", [0.0, 5.0])
def test_counters_and_instants_lie_on_the_time_of_the_calls(trace: Trace, theta: float) -> None:
    """A strip for each counter; marks of a thread where a call that began then would begin."""
    instance = started(trace, theta=theta)
    drawn = plot(instance)
    memory = layer(drawn, "counter 0")
    assert float((memory.y1 - memory.y0).max()) == pytest.approx(28.0)
    marks = layer(drawn, "instants 0")
    times = trace.table("instants")["time"][:2] - trace.span[0]
    warp = instance.needs.found["warp"] if theta else None
    assert marks.x == pytest.approx(warp.forward(times.astype(float)) if warp else times)
    assert len(layer(drawn, "instants 1").x) == 1
    told = instance.tell("activity", Hit("instants 0", 0))
    assert told[:2] == ("begun", "a note")
    say(instance, EventKind.HOVER, x=float(marks.x[1]), y=1.0)
    assert instance.tell("activity", Hit("counter 0", 0)) == ("memory", "2")
    instance.set_value("counters", False)
    assert plot(instance).panes[0].shape.y < drawn.panes[0].shape.y
    assert not any(each.name.startswith("counter") for each in plot(instance).layers)


def test_a_click_on_a_mark_selects_no_call(trace: Trace) -> None:
    instance = started(trace)
    assert say(instance, EventKind.CLICK, hit=Hit("instants 0", 0)) == ()
    assert instance.state.selected == -1


def test_the_legend_names_what_colours_mean(trace: Trace) -> None:
    instance = started(trace)
    names = layer(plot(instance), "legend names").text
    flat = instance.needs.found["figures"].flat
    assert names[0] == trace.functions.name[int(np.argmax(flat.own))]
    instance.set_value("color", "module")
    drawn = plot(instance)
    assert set(layer(drawn, "legend names").text) == set(trace.functions.module)
    bars = layer(drawn, "bars 0")
    single = bars.merged == 1
    assert {tuple(color) for color in bars.color[single].tolist()} <= {
        tuple(color) for color in layer(drawn, "legend").color.tolist()
    }
    for by in ("duration", "depth"):
        instance.set_value("color", by)
        assert len(layer(plot(instance), "legend most").text) == 1


@pytest.mark.parametrize("own", [False, True])
def test_the_table_is_about_the_call_that_was_clicked(trace: Trace, own: bool) -> None:
    instance = started(trace, own=own)
    calls = trace.calls
    row = next(row for row in range(1, 400) if calls.end_row[row] > row + 5)
    say(instance, EventKind.CLICK, x=float(calls.start[row] - trace.span[0]), hit=Hit("bars 0", row))
    assert instance.state.about_call == row
    instance.settle()
    flat = instance.needs.found["own: figures" if own else "figures"].flat
    assert flat.count.tolist() == np.bincount(calls.function[row : calls.end_row[row]], minlength=7).tolist()
    say(instance, EventKind.CLICK)
    instance.settle()
    assert int(instance.needs.found["own: figures" if own else "figures"].flat.count.sum()) == len(calls)


def test_the_table_is_about_a_thread_or_a_range(trace: Trace) -> None:
    instance = started(trace)
    say(instance, EventKind.ROW, "", part="threads", hit=Hit("", 1))
    instance.settle()
    low, high = trace.threads.ptr[1:3]
    assert int(instance.needs.found["figures"].flat.count.sum()) == high - low
    assert table(instance, "threads").selected == {1}
    long = float(trace.span[1] - trace.span[0])
    press = ViewEvent(EventKind.PRESS, "activity", "ruler", x=0.25 * long)
    instance.on(press)
    _, (said,) = instance.on(ViewEvent(EventKind.DROP, "activity", "ruler", x=0.5 * long, start=press))
    assert isinstance(said, Say)
    assert instance.state.about_range == pytest.approx((0.25 * long, 0.5 * long))
    assert instance.state.about_thread == -1
    assert len(layer(plot(instance), "range length").text) == 1
    instance.settle()
    inside = (trace.calls.start - trace.span[0] <= 0.5 * long) & (trace.calls.end - trace.span[0] >= 0.25 * long)
    assert int(instance.needs.found["figures"].flat.count.sum()) == pytest.approx(np.count_nonzero(inside), abs=2)


@given(timelines(120), st.data())
def test_merged_calls_add_up_and_stand_by_weight(trace: Trace, data: st.DataObject) -> None:
    """Every box has the time of its calls, callees lie within callers, and siblings get narrower to the right."""
    low, high = data.draw(windows(trace))
    found = merged_calls(trace, (low, high))
    stacks: dict[tuple[int, ...], list[float]] = {}
    first, last = int(low) + trace.span[0], int(np.ceil(high)) + trace.span[0]
    calls = trace.calls
    around: list[int] = []
    for row in range(len(calls)):
        around = [*around[: int(calls.depth[row])], int(calls.function[row])]
        begin, end = max(int(calls.start[row]), first), min(int(calls.end[row]), last)
        if end > begin or (end == begin and calls.start[row] == calls.end[row]):
            thread = stacks.setdefault(tuple(around), [0.0, 0.0])
            thread[0] += 1
            thread[1] += end - begin
    paths: list[tuple[int, ...]] = []
    for box in range(len(found.x0)):
        above = int(found.parent[box])
        paths.append((*(paths[above] if above >= 0 else ()), int(found.function[box])))
        assert stacks[paths[box]] == [found.count[box], pytest.approx(found.x1[box] - found.x0[box])]
        assert found.depth[box] == len(paths[box]) - 1
        if above >= 0:
            assert found.x0[above] <= found.x0[box] + 1e-6
            assert found.x1[box] <= found.x1[above] + 1e-6
    assert len(paths) == len(set(paths)) == len(stacks)
    for above in {int(parent) for parent in found.parent}:
        boxes = np.flatnonzero(found.parent == above)
        ordered = boxes[np.lexsort((found.x1[boxes], found.x0[boxes]))]
        wide = (found.x1 - found.x0)[ordered]
        assert found.x0[ordered][1:] == pytest.approx(found.x1[ordered][:-1])
        assert (np.diff(wide[wide > 0]) <= 1e-6).all()


def test_one_key_shows_merged_calls_of_what_is_chosen(trace: Trace) -> None:
    instance = started(trace)
    row = next(row for row in range(1, 400) if trace.calls.end_row[row] > row + 2)
    say(instance, EventKind.CLICK, x=float(trace.calls.start[row] - trace.span[0]), hit=Hit("bars 0", row))
    say(instance, EventKind.KEY, key="i")
    instance.settle()
    drawn = plot(instance)
    boxes, found = layer(drawn, "merged"), instance.needs.found["merged"]
    assert found.count[0] == 1
    assert found.width == trace.calls.end[row] - trace.calls.start[row]
    assert len(boxes.x0) <= len(found.x0)
    assert "one call of" in layer(drawn, "title").text[0]
    inner = int(np.flatnonzero(found.depth == 1)[0])
    say(instance, EventKind.DOUBLE, "merged", hit=Hit("merged", inner))
    assert plot(instance).panes[0].x == (found.x0[inner], found.x1[inner])
    say(instance, EventKind.RANGE, "merged", range=Range((0.0, found.width), (0.0, 1.0)))
    assert plot(instance).panes[0].x == (0.0, found.width)
    (focus, _) = say(instance, EventKind.CLICK, "merged", hit=Hit("merged", inner))
    assert isinstance(focus, SetFocus)
    assert focus.focus.function == found.function[inner]
    assert any(each.name == "marked" for each in plot(instance).layers)
    assert "calls" in " ".join(instance.tell("activity", Hit("merged", inner)))
    say(instance, EventKind.KEY, key="i")
    assert any(each.name == "bars 0" for each in plot(instance).layers)


def test_threads_are_hidden_by_a_key_and_sorted_by_hand(trace: Trace) -> None:  # TV-3
    instance = started(trace)
    assert isinstance(say(instance, EventKind.KEY, key="h")[0], Say)  # the pointer is on no thread
    order = [pane.name for pane in plot(instance).panes if pane.name != "ruler"]
    say(instance, EventKind.HOVER, order[0], x=5.0, y=3.0)
    say(instance, EventKind.KEY, key="Down", modifiers=frozenset({"shift"}))
    moved = [order[1], order[0], order[2]]
    assert [pane.name for pane in plot(instance).panes][:3] == moved
    start = ViewEvent(EventKind.PRESS, "activity", hit=Hit("threads", int(order[2].split()[1])))
    instance.on(start)
    instance.on(ViewEvent(EventKind.DROP, "activity", moved[0], start=start))
    assert [pane.name for pane in plot(instance).panes][:3] == [order[2], order[1], order[0]]
    say(instance, EventKind.HOVER, order[0], x=5.0, y=3.0)
    say(instance, EventKind.KEY, key="h")
    assert order[0] not in [pane.name for pane in plot(instance).panes]
    assert len(table(instance, "threads").marked or ()) == 2
    say(instance, EventKind.KEY, key="H")
    assert len(plot(instance).panes) == 4


def test_one_of_equal_threads_stands_for_all() -> None:  # TV-3
    made = TraceBuilder("test", Budget("The trace"))
    work, rest = made.function("work"), made.function("rest")
    for number in range(5):
        thread = made.thread(1, number)
        for call in range(3):
            made.begin(thread, rest if number == 4 else work, 10 * call)
            made.end(thread, 10 * call + 5)
    trace = made.trace(made.build(), {})
    instance = started(trace, alike=True)
    drawn = plot(instance)
    assert [pane.name for pane in drawn.panes] == ["thread 1", "thread 4", "ruler"]  # the main one is the first
    assert layer(drawn, "sizes").text == ("3 calls, one of 4 alike", "3 calls")
    assert table(instance, "threads").marked == frozenset(range(5))
    instance.set_value("alike", False)
    assert len(plot(instance).panes) == 6


def test_only_my_code_keeps_arguments_and_marks(trace: Trace) -> None:
    kept = np.ones(len(trace.functions), np.bool_)
    kept[int(trace.calls.function[0])] = False
    own = own_calls(trace, kept)
    arguments = own.trace.table("arguments")
    stays = bool(kept[trace.calls.function[1]])
    assert len(arguments) == int(stays)
    if stays:
        assert own.rows[arguments["call"][0]] == 1
    assert len(own.trace.table("instants")) == 3
    assert len(own.trace.table("counters")) == 5


def test_states_of_chosen_parts_are_kept_and_checked(trace: Trace) -> None:
    instance = started(trace)
    view: Any = instance.view
    state = replace(instance.state, about_range=(1.0, 9.0), by_hand=(2, 0, 1), merged=True, merged_x=(0.0, 5.0))
    instance.state = state
    assert view.load(instance.context, instance.data()) == state
    for wrong in ({"about_call": 10_000}, {"about_thread": 99}, {"by_hand": [9]}, {"merged_x": [3.0, 1.0]}):
        with pytest.raises(ValueError, match=r"trace|window"):
            view.load(instance.context, wrong)
    assert isinstance(instance.draw("activity", VIEW), Plot)
