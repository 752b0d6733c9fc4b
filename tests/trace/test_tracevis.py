"""TraceVis without a display (TV-1 to TV-9): its parts drawn and its events answered by the host's own instance."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from cbvtool.api import (
    Ask,
    Bars,
    EventKind,
    Hit,
    Labels,
    LevelFolding,
    Plot,
    Range,
    Raster,
    Say,
    SelectNodes,
    SetFocus,
    Trace,
    ViewEvent,
    Viewport,
    ViewTable,
    bar_heights,
    function_title,
    level_tops,
    neighbour,
    window_figures,
)
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.trace.model.trace import Functions
from cbvtool.trace.timeline.levels import call_at, levels_of, path_to
from cbvtool.trace.timeline.thread_groups import thread_groups
from plugins.tracevis.state import TraceVisState
from plugins.tracevis.view import TraceVisView
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.trace.timelines import deep_trace, random_trace

VIEW = Viewport(800.0, 600.0)
MANY = 40_000  # calls: sorted in a need, not at once


def started(trace: Trace, **values: object) -> ViewInstance:
    said: list[str] = []
    instance = opened(TraceVisView(), trace, said=said, values=values)
    instance.settle()
    assert not said
    assert not instance.needs.failed
    return instance


def plot(instance: ViewInstance, part: str = "activity", viewport: Viewport = VIEW) -> Plot:
    return drawn_plot(instance, part, viewport)


def table(instance: ViewInstance, part: str) -> ViewTable:
    drawn = instance.draw(part, VIEW)
    assert isinstance(drawn, ViewTable), drawn
    return drawn


def say(instance: ViewInstance, kind: EventKind, pane: str = "thread 0", **fields: Any) -> tuple[object, ...]:
    return instance.on(ViewEvent(kind, fields.pop("part", "activity"), pane, **fields))[1]


@pytest.mark.parametrize("calls", [0, 1, 300, MANY])
def test_every_part_draws_whatever_the_trace(calls: int) -> None:
    instance = started(random_trace(1, calls, 2, gap=30.0), theta=1.0)
    for part in ("activity", "structure", "pattern", "threads", "functions", "relations"):
        assert isinstance(instance.draw(part, VIEW), Plot | ViewTable), part


@pytest.mark.parametrize("values", [{"fit": True}, {"aggregates": "clusters"}, {"color": "depth"}, {"color": "module"}])
@pytest.mark.parametrize("window", [(0.0, 1.0), (0.9999, 0.9999 + 1e-6), (0.5, 0.5)])
def test_every_window_and_look_draws(values: dict[str, object], window: tuple[float, float]) -> None:
    trace = random_trace(2, 2000, 3)
    instance = started(trace, **values)
    first, long = trace.span[0], trace.span[1] - trace.span[0]
    instance.look_at(replace(instance.focus, window=(first + int(window[0] * long), first + int(window[1] * long))))
    instance.settle()
    for bars in (each for each in plot(instance).layers if each.name.startswith("bars ")):
        assert isinstance(bars, Bars)
        assert bars.item is not None
        assert len(bars.item) <= 2 * 800 * 200


@pytest.mark.parametrize("gap", [1.0, 2.0])
def test_zero_length_calls_and_all_at_one_time_draw(gap: float) -> None:
    assert plot(started(random_trace(1, 200, gap=gap))).layers


def test_of_ten_thousand_threads_those_on_the_screen_are_drawn() -> None:
    trace = random_trace(1, 2, 10_000, gap=5.0)
    instance = started(trace)
    drawn = plot(instance)
    assert len(drawn.panes) < 40
    assert drawn.height > 100_000
    below = plot(instance, viewport=replace(VIEW, top=50_000.0))
    assert {pane.name for pane in drawn.panes} & {pane.name for pane in below.panes} == {"ruler"}
    assert plot(started(trace, fit=True)).height < 20_000


def test_zooming_changes_time_alone_and_is_told_to_the_others() -> None:  # TV-1, TV-5
    trace = random_trace(3, 500, 2)
    instance = started(trace)
    before = plot(instance)
    low, high = before.panes[0].x
    wanted = Range((low + 0.25 * (high - low), low + 0.5 * (high - low)), before.panes[0].y)
    (request,) = say(instance, EventKind.RANGE, range=wanted)
    assert isinstance(request, SetFocus)
    assert request.focus.window is not None
    after = plot(instance)
    assert {pane.x for pane in after.panes} == {after.panes[0].x}
    assert after.panes[0].x == pytest.approx(wanted.x, abs=1.5)
    assert [pane.shape for pane in after.panes] == [pane.shape for pane in before.panes]
    assert [pane.y for pane in after.panes] == [pane.y for pane in before.panes]
    assert say(instance, EventKind.RANGE, range=replace(wanted, moving=True)) == ()


def test_hovering_draws_no_heavy_layer_anew() -> None:  # TV-6
    trace = random_trace(3, 800)
    instance = started(trace)
    say(instance, EventKind.HOVER, x=trace.span[1] * 0.5, y=5.0)
    before = plot(instance)
    say(instance, EventKind.HOVER, x=trace.span[1] * 0.6, y=25.0)
    after = plot(instance)
    heavy = [each.name for each in before.layers if each.name.startswith(("bars ", "pale labels ", "grid "))]
    assert len(heavy) == 3
    assert all(layer(before, name) is layer(after, name) for name in heavy)
    focus = layer(after, "focus 0")
    assert focus.shade.at == trace.span[1] * 0.6
    say(instance, EventKind.LEAVE)
    assert not any(each.name.startswith("focus") for each in plot(instance).layers)


def test_the_modes_of_brushing_choose_what_the_thesis_says() -> None:  # TV-6
    trace = random_trace(7, 200, gap=300.0)
    instance = started(trace)
    levels, rng = levels_of(trace), np.random.default_rng(1)
    drawn = plot(instance)
    bars, pane = layer(drawn, "bars 0"), drawn.panes[0]
    deepest = int(trace.calls.depth.max())
    seen = set()
    for _ in range(300):
        x, y = rng.uniform(*pane.x), rng.uniform(0, 17.0 * deepest + 40)
        say(instance, EventKind.HOVER, x=x, y=y)
        focus = layer(plot(instance), "focus 0")
        rows = set(focus.item.tolist())
        inside = np.flatnonzero((bars.x0 <= x) & (x <= bars.x1) & (bars.y0 <= y) & (y < bars.y1 + 1))
        if len(inside):
            seen.add("detail")
            row = int(bars.item[inside[-1]])
            below = {int(item) for item in bars.item if row <= item < trace.calls.end_row[row]}
            assert rows >= below
        elif y >= 17.0 * (deepest + 1):
            seen.add("overview")
            shown = [path_to(trace, levels, int(row)) for row in rows]
            assert max(map(len, shown)) == len(rows)  # one path, from the root on
        else:
            seen.add("approach")
            level = [row for row in rows if trace.calls.depth[row] == int(y / 17.0)]
            sides = [(trace.calls.start[row] - trace.span[0] > x) for row in level]
            assert sides.count(True) <= 1 + sum(trace.calls.start[row] - trace.span[0] > x for row in level)
    assert seen == {"detail", "overview", "approach"}


def test_dragging_up_folds_levels_and_down_unfolds_them() -> None:  # TV-7
    trace = random_trace(4, 300, gap=30.0)
    instance = started(trace)
    start = ViewEvent(EventKind.PRESS, "activity", "thread 0", py=200.0)
    height = plot(instance).height
    instance.on(start)
    say(instance, EventKind.DRAG, py=200.0 - 3 * 18, start=start)
    assert instance.state.upper == 3
    assert plot(instance).height < height
    say(instance, EventKind.DRAG, py=400.0, start=start)
    assert instance.state.upper == 0
    say(instance, EventKind.DROP, py=200.0 - 2 * 18, start=start, modifiers=frozenset({"shift"}))
    assert instance.state.lower == int(trace.calls.depth.max()) - 2
    assert instance.state.pressed is None


def test_heights_of_bars_are_those_of_the_formula() -> None:  # TV-7: at 1,000 points
    rng = np.random.default_rng(5)
    for _ in range(1000):
        deepest = int(rng.integers(0, 40))
        upper, lower = int(rng.integers(0, deepest + 2)), int(rng.integers(-1, deepest + 1))
        depth = int(rng.integers(0, deepest + 1))
        folded = 0 <= depth < upper or lower < depth <= deepest
        folding = LevelFolding(upper, lower, 2.0, 18.0)
        assert float(bar_heights(depth, folding, deepest)) == (2.0 if folded else 18.0)
        tops = level_tops(folding, deepest)
        assert tops[depth + 1] - tops[depth] == (2.0 if folded else 18.0)
    assert LevelFolding().dragged(3, 9, from_below=False) == LevelFolding(3)
    assert LevelFolding().dragged(3, 9, from_below=True).lower == 6
    assert LevelFolding(lower=6).dragged(-9, 9, from_below=True).lower is None


def test_what_is_selected_in_the_3d_view_is_framed() -> None:
    """All of the project is nothing in particular."""
    trace = random_trace(5, 300)
    instance = started(trace)
    [key] = instance.context.nodes(int(trace.calls.function[0]))
    assert "function 0" not in {each.name for each in plot(instance).layers}
    for chosen, framed in ((key, True), (int(instance.context.graph.tree.order[0]), False)):
        assert instance.look_around(replace(instance.around, selected=(chosen,)))
        assert ("function 0" in {each.name for each in plot(instance).layers}) == framed


def test_a_click_selects_a_call_and_its_node() -> None:
    trace = random_trace(5, 300)
    instance = started(trace)
    bars = layer(plot(instance), "bars 0")
    at = int(np.argmax(bars.x1 - bars.x0))
    row = int(bars.item[at])
    hit = Hit("bars 0", row)
    focus, nodes = say(instance, EventKind.CLICK, x=float(bars.x0[at] + bars.x1[at]) / 2, hit=hit)
    assert isinstance(focus, SetFocus)
    assert focus.focus.calls == (row,)
    assert focus.focus.function == trace.calls.function[row]
    assert isinstance(nodes, SelectNodes)
    assert len(nodes.keys) == 1
    assert any(each.name == "selected 0" for each in plot(instance).layers)
    assert say(instance, EventKind.KEY, key="s")
    cleared = say(instance, EventKind.CLICK)
    assert isinstance(cleared[0], SetFocus)
    assert cleared[0].focus.calls == ()


def test_a_double_click_shows_the_call() -> None:
    trace = random_trace(5, 300)
    instance = started(trace)
    row = 150
    request, *_ = say(instance, EventKind.DOUBLE, hit=Hit("bars 0", row))
    assert isinstance(request, SetFocus)
    assert request.focus.window is not None
    low, high = request.focus.window
    assert low <= trace.calls.start[row] <= trace.calls.end[row] <= high
    assert high - low <= 1.2 * (trace.calls.end[row] - trace.calls.start[row]) + 4


@pytest.mark.parametrize(("key", "way"), [("Up", "caller"), ("Down", "callee"), ("Left", "before"), ("Right", "after")])
def test_keys_lead_to_neighbours(key: str, way: str) -> None:
    trace = random_trace(6, 200)
    calls = trace.calls
    levels, instance = levels_of(trace), started(trace)
    for row in range(0, 200, 11):
        instance.state = replace(instance.state, selected=row)
        answer = say(instance, EventKind.KEY, key=key)
        expected = {
            "caller": [n for n in range(row) if calls.end_row[n] > row][-1:],
            "callee": [row + 1] if calls.end_row[row] > row + 1 else [],
            "before": [n for n in range(row) if calls.depth[n] == calls.depth[row]][-1:],
            "after": [n for n in range(row + 1, 200) if calls.depth[n] == calls.depth[row]][:1],
        }[way]
        assert neighbour(trace, levels, row, way) == (expected[0] if expected else -1)
        if expected:
            assert instance.state.selected == expected[0]
        else:
            assert isinstance(answer[0], Say)


def test_the_next_call_of_a_function_goes_round() -> None:
    trace = random_trace(6, 100)
    rows = np.flatnonzero(trace.calls.function == trace.calls.function[0]).tolist()
    instance = started(trace)
    instance.state = replace(instance.state, selected=rows[0])
    for row in (*rows[1:], rows[0]):
        say(instance, EventKind.KEY, key="n")
        assert instance.state.selected == row
    say(instance, EventKind.KEY, key="p")
    assert instance.state.selected == rows[-1]


def test_search_counts_and_steps_through_calls() -> None:
    trace = random_trace(8, 150)
    instance = started(trace)
    assert isinstance(say(instance, EventKind.KEY, key="/")[0], Ask)
    *_, told = say(instance, EventKind.KEY, key="search=Function_3")
    count = int(np.sum([trace.functions.name[f] == "function_3" for f in trace.calls.function]))
    assert isinstance(told, Say)
    assert told.text.startswith(f"{count} calls of 1 functions")
    assert trace.functions.name[trace.calls.function[instance.state.selected]] == "function_3"
    framed = layer(plot(instance), "found 0")
    single = layer(plot(instance), "bars 0")
    same = (single.merged == 1) & (trace.calls.function[single.item] == trace.functions.name.index("function_3"))
    assert len(framed.x0) == 4 * np.count_nonzero(same) > 0
    first = instance.state.selected
    say(instance, EventKind.KEY, key="f")
    assert instance.state.selected > first
    assert len(table(instance, "functions").item) == 1
    assert isinstance(say(instance, EventKind.KEY, key="search=nowhere")[0], Say)


def test_a_range_is_typed_and_gone_back_from() -> None:
    trace = random_trace(8, 500)
    instance = started(trace)
    whole = plot(instance).panes[0].x
    say(instance, EventKind.KEY, key="range=1us..2.5us")
    assert plot(instance).panes[0].x == pytest.approx((1000.0, 2500.0))
    say(instance, EventKind.KEY, key="[")
    assert plot(instance).panes[0].x == pytest.approx(whole)
    say(instance, EventKind.KEY, key="]")
    assert plot(instance).panes[0].x == pytest.approx((1000.0, 2500.0))
    for wrong in ("", "1", "2s..1s", "x..y", "1..2..3"):
        assert isinstance(say(instance, EventKind.KEY, key=f"range={wrong}")[0], Say)


def test_marks_keep_their_notes() -> None:
    instance = started(random_trace(8, 100))
    say(instance, EventKind.HOVER, x=500.0, y=3.0)
    say(instance, EventKind.KEY, key="note=here")
    assert instance.state.marks == ((500.0, "here"),)
    notes = layer(plot(instance), "notes")
    assert isinstance(notes, Labels)
    assert tuple(notes.text) == ("here",)
    say(instance, EventKind.KEY, key="note=")
    assert instance.state.marks == ()


def test_another_theta_leaves_the_ends_of_the_window_and_the_order() -> None:  # TV-4
    trace = random_trace(9, 400, 2, gap=3000.0)
    linear, bent = started(trace), started(trace, theta=100.0)
    one, other = layer(plot(linear), "bars 0"), layer(plot(bent), "bars 0")
    assert plot(bent).panes[0].x[1] < plot(linear).panes[0].x[1]
    assert any(each.name == "squeezed" for each in plot(bent).layers)
    both = np.intersect1d(one.item[one.merged == 1], other.item[other.merged == 1])
    assert len(both) > 1
    starts = [dict(zip(bars.item.tolist(), bars.x0.tolist(), strict=True)) for bars in (one, other)]
    first, second = (np.argsort([start[row] for row in both], kind="stable") for start in starts)
    assert np.array_equal(first, second)


def test_equal_threads_stand_together() -> None:  # TV-3
    trace = random_trace(1, 2, 40, gap=5.0)
    groups = thread_groups(trace)
    assert sorted(thread for members in groups.threads for thread in members) == list(range(40))
    ptr, function = trace.threads.ptr, trace.calls.function
    for members in groups.threads:
        assert len({tuple(np.bincount(function[ptr[t] : ptr[t + 1]], minlength=7)) for t in members}) == 1
    assert len(set(groups.functions)) <= len(groups.threads)
    rows = table(started(trace), "threads")
    assert sum(int(value) for value in rows.columns[2].values) == 40


def test_deep_threads_share_the_canvas_until_all_their_levels_are_wanted() -> None:  # TV-1, TV-3
    instance = started(deep_trace(3, 40))
    drawn = plot(instance)
    boxes = {pane.name: pane.shape for pane in drawn.panes}
    assert boxes["thread 1"].y < VIEW.height  # the second one is seen as well
    assert layer(drawn, "levels").text[0] == f"{40 - len(layer(drawn, 'bars 0').item)} more levels"
    assert len(layer(drawn, "bars 0").item) < 20
    say(instance, EventKind.CLICK, "", hit=Hit("levels", 0))
    assert layer(plot(instance, viewport=Viewport(800.0, 2000.0)), "bars 0").item.tolist() == list(range(40))
    assert plot(instance).height > drawn.height
    say(instance, EventKind.HOVER, "thread 0", x=1.0, y=3.0)
    say(instance, EventKind.KEY, key="e")
    assert plot(instance).height == drawn.height


def test_a_call_that_a_key_leads_to_is_brought_into_sight() -> None:  # TV-1
    trace = deep_trace(3, 40)
    instance = started(trace)
    say(instance, EventKind.KEY, key="search=level 39")
    selected = instance.state.selected
    assert trace.calls.depth[selected] == 39
    reveal = plot(instance).reveal
    assert reveal is not None
    what, low, high = reveal
    assert what == selected
    assert VIEW.height < low < high < plot(instance).height


def test_the_first_threads_of_a_large_trace_are_seen_before_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """TV-1: levels of the threads that stand first are handed over before those of all; then nothing is lacking."""
    monkeypatch.setattr("cbvtool.plugin.call_levels.EARLY_CALLS", 5)
    trace = random_trace(3, MANY // 8, 8)
    instance = opened(TraceVisView(), trace)
    [need] = [each for each in instance.wanted() if each.name == "levels"]
    early = list[Plot]()

    def first(levels: object) -> None:
        assert instance.needs.first(need, levels)
        early.append(plot(instance))

    whole = make(need, first=first)
    instance.needs.take(need, whole)
    after = plot(instance)
    filled = [
        [each for each in drawn.layers if isinstance(each, Bars) and each.name.startswith("bars ") and len(each.x0)]
        for drawn in (*early, after)
    ]
    assert len(filled[0]) == 1 < len(filled[1])
    assert layer(after, filled[0][0].name).x0.tolist() == filled[0][0].x0.tolist()
    assert np.array_equal(whole.row, levels_of(trace).row)


@pytest.mark.parametrize(("threads", "height"), [(20, 260.0), (100, 220.0)])
def test_many_threads_on_one_screen_have_bars_that_are_seen(threads: int, height: float) -> None:
    drawn = plot(started(deep_trace(threads, 30), fit=True), viewport=Viewport(1000.0, height))
    assert drawn.height <= height
    for thread in range(threads):
        bars = layer(drawn, f"bars {thread}")
        assert (bars.y1 - bars.y0 >= min(1.5, (height - 70) / threads * 0.9)).all()
        assert len(bars.item) >= 1


def test_a_module_is_called_by_its_name() -> None:
    functions = Functions(
        ("<module>", "f", "<module>", "", "<module>"),
        ("a.b.c", "a", "", "", ""),
        ("", "", "<frozen zipimport>", "", ""),
        np.zeros(5, np.int32),
    )
    said = [function_title(functions, number) for number in range(5)]
    assert said == ["b.c, module", "f", "frozen zipimport, module", "?", "<module>"]


def test_ticking_a_thread_hides_it_everywhere() -> None:  # TV-3
    instance = started(random_trace(1, 50, 3))
    (request,) = say(instance, EventKind.CHECK, "", part="threads", hit=Hit("", 1))
    assert isinstance(request, SetFocus)
    assert request.focus.threads == frozenset({0, 2})
    instance.look_at(request.focus)
    assert {pane.name for pane in plot(instance).panes} == {"ruler", "thread 0", "thread 2"}


def test_overviews_mark_the_window_and_the_chosen_function() -> None:  # TV-2
    trace = random_trace(2, 500)
    instance = started(trace)
    long = trace.span[1] - trace.span[0]
    function = int(trace.calls.function[0])
    instance.look_at(replace(instance.focus, window=(trace.span[0], trace.span[0] + long // 4), function=function))
    instance.settle()
    for part in ("structure", "pattern"):
        drawn = plot(instance, part)
        assert layer(drawn, "window").x0.tolist() == pytest.approx([0.0, 200.0], abs=1.0)
        assert len(layer(drawn, "activity").x0) > 0
    assert isinstance(layer(plot(instance, "pattern"), "pattern"), Raster)
    (request,) = say(instance, EventKind.CLICK, "whole", part="structure", x=long * 0.5)
    assert isinstance(request, SetFocus)
    assert sum(request.focus.window or ()) / 2 - trace.span[0] == pytest.approx(long * 0.5, abs=2)


def test_figures_of_a_window_are_those_of_its_calls() -> None:
    trace = random_trace(11, 400, 2)
    calls, origin = trace.calls, trace.span[0]
    window = (0.2 * trace.span[1], 0.6 * trace.span[1])
    low, high = int(window[0]) + origin, math.ceil(window[1]) + origin
    found = window_figures(trace, window, (1,))
    count, longest = np.zeros(7, np.int64), np.zeros(7, np.int64)
    pairs: dict[int, int] = {}
    levels = levels_of(trace)
    for row in range(int(trace.threads.ptr[1]), int(trace.threads.ptr[2])):
        if calls.end[row] < low or calls.start[row] > high:
            continue
        what = int(calls.function[row])
        count[what] += 1
        longest[what] = max(longest[what], min(calls.end[row], high) - max(calls.start[row], low))
        path = path_to(trace, levels, row)
        if len(path) > 1:
            key = int(calls.function[path[-2]]) * 7 + what
            pairs[key] = pairs.get(key, 0) + 1
    assert np.array_equal(found.flat.count, count)
    assert np.array_equal(found.flat.longest, longest)
    assert dict(zip(found.pair.tolist(), found.pair_count.tolist(), strict=True)) == pairs
    for function in range(7):
        callees, counts, _ = found.callees(function)
        assert dict(zip(callees.tolist(), counts.tolist(), strict=True)) == {
            key % 7: value for key, value in pairs.items() if key // 7 == function
        }


def test_tooltips_tell_of_the_call_and_its_function() -> None:
    trace = random_trace(11, 100)
    instance = started(trace)
    lines = instance.tell("activity", Hit("bars 0", 5))
    assert lines[0] == trace.functions.name[trace.calls.function[5]]
    assert any("calls by length" in line for line in lines)
    assert instance.tell("activity", Hit("bars 0", 10_000)) == ()


def test_the_call_at_a_time_is_found() -> None:
    trace = random_trace(12, 200)
    levels = levels_of(trace)
    for row in range(0, 200, 3):
        middle = int(trace.calls.start[row] + trace.calls.end[row]) // 2 - trace.span[0]
        found = call_at(trace, levels, 0, int(trace.calls.depth[row]), middle)
        assert trace.calls.start[found] <= middle + trace.span[0] <= trace.calls.end[found]
    assert call_at(trace, levels, 0, 0, -5) == -1


def test_a_state_is_kept_and_a_broken_one_starts_afresh() -> None:
    trace = random_trace(12, 50)
    view, state = TraceVisView(), TraceVisState((5.0, 9.0), selected=3, marks=((2.0, "x"),), back=((0.0, 4.0),))
    kept = opened(view, trace, data=asdict(state))
    assert kept.state == state
    for wrong in (
        {"window": "all"},
        {"selected": 10**9},
        {"window": [9.0, 5.0]},
        {"upper": -1},
        {"hidden": [7]},
        {"marks": [[1.0, "x"]] * 10_000},
        {"search": "x" * 10**6},
        {"back": [[1.0, float("nan")]]},
    ):
        assert opened(view, trace, data=wrong).state == TraceVisState()
