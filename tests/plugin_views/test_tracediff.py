"""TraceDiff without a display (TD-1 to TD-7): what it draws against plain counting, and what it answers."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cbvtool.api import (
    NO_NODE,
    CallChange,
    EventKind,
    Hit,
    Labels,
    Plot,
    Range,
    Raster,
    Say,
    Segments,
    Trace,
    TraceBuilder,
    ViewEvent,
    Viewport,
    ViewTable,
    locate,
)
from cbvtool.budget import Budget
from cbvtool.cli import DONE, main
from cbvtool.geometry.colors import DARK, LIGHT
from cbvtool.plots.filling import fill
from cbvtool.plots.picking import pick
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
from cbvtool.trace.store.folder import write_folder
from plugins.tracediff.changes import COLORS
from plugins.tracediff.matching import Compared, Known, compared_in, known_in
from plugins.tracediff.overview import hit_intervals, offset_colors
from plugins.tracediff.pair import chosen_in
from plugins.tracediff.palette import offsets, positions, with_strength
from plugins.tracediff.state import LOWER, UPPER, TraceDiffState
from plugins.tracediff.view import TraceDiffView
from plugins.tracediff.visible import MOST, Drawn, drawn_in, planes_of
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.trace.handmade import builder
from tests.trace.timelines import random_trace

VIEW = Viewport(900.0, 640.0)


def phases(order: str = "abc", scale: int = 1, program: str = "run.py", prefix: str = "") -> Trace:
    """main calls a phase for each letter; a phase has functions of its own, called in a loop."""
    made = TraceBuilder("test", Budget("The trace"))
    made.describe(program=program)
    function = {
        name: made.function(prefix + name, "app", "app.py", 1)
        for name in ("main", *(f"{letter}{part}" for letter in "abcdef" for part in ("", "_in", "_work", "_out")))
    }
    thread = made.thread(1, 1)
    made.name_thread(thread, "MainThread")
    time = 1000
    made.begin(thread, function["main"], time)
    for letter in order:
        made.begin(thread, function[letter], time := time + 10)
        made.span(thread, function[f"{letter}_in"], time + 1, time + 20)
        time += 20
        for _ in range(5):
            made.span(thread, function[f"{letter}_work"], time + 1, time + 40 * scale)
            time += 40 * scale
        made.span(thread, function[f"{letter}_out"], time + 1, time + 10)
        time += 12
        made.end(thread, time)
    made.end(thread, time + 5)
    return made.trace(made.build(), {})


def started(*traces: Trace, theme: Any = LIGHT, data: Any = None, **values: object) -> ViewInstance:
    said: list[str] = []
    instance = opened(
        TraceDiffView(), *traces, said=said, around=ViewSurroundings(theme=theme), values=values, data=data
    )
    instance.settle()
    assert not said
    return instance


def plot(instance: ViewInstance, part: str = "main", viewport: Viewport = VIEW) -> Plot:
    return drawn_plot(instance, part, viewport)


def said(instance: ViewInstance) -> str:
    found = layer(plot(instance), "said")
    return "" if found is None else str(found.text[0])


def say(instance: ViewInstance, kind: EventKind, pane: str = "", **fields: Any) -> tuple[Any, ...]:
    fields.setdefault("size", (VIEW.width, VIEW.height))
    requests = instance.on(ViewEvent(kind, fields.pop("part", "main"), pane, **fields))[1]
    instance.settle()
    return requests


def inner(instance: ViewInstance) -> tuple[Compared, Known, Drawn]:
    context, state = instance.context, instance.state
    pair = chosen_in(context, state)
    assert pair is not None
    compared, known, planes = compared_in(context, pair), known_in(context, pair), planes_of(context, state, pair, VIEW)
    assert compared is not None
    assert known is not None
    assert planes is not None
    return compared, known, drawn_in(context, compared, known, planes)


def name(trace: Trace, row: int) -> str:
    return trace.functions.name[trace.calls.function[row]]


def row_of(trace: Trace, function: str, number: int = 0) -> int:
    return [row for row in range(len(trace.calls)) if name(trace, row) == function][number]


def hover(instance: ViewInstance, side: int, row: int) -> None:
    """The pointer goes to a call."""
    trace = instance.context.trace(side)
    drawn = plot(instance)
    pane = ("upper", "lower")[side]
    bars = layer(drawn, f"bars {pane}")
    (at,) = np.flatnonzero(bars.item == row)
    x, y = (bars.x0[at] + bars.x1[at]) / 2, (bars.y0[at] + bars.y1[at]) / 2
    px, py = locate(drawn.pane(pane), x, y)
    hit = pick(fill(drawn, VIEW), float(px), float(py))
    assert hit == Hit(f"bars {pane}", row), name(trace, row)
    say(instance, EventKind.HOVER, pane, x=float(x), px=float(px), py=float(py), hit=hit)


def click(instance: ViewInstance, side: int, row: int) -> tuple[Any, ...]:
    pane = ("upper", "lower")[side]
    bars = layer(plot(instance), f"bars {pane}")
    (at,) = np.flatnonzero(bars.item == row)
    return say(instance, EventKind.CLICK, pane, x=float(bars.x0[at]), hit=Hit(f"bars {pane}", row))


# -- what is drawn --


def test_td_5_groups_are_the_phases_and_tubes_join_them() -> None:
    """TD-5: The match of the roots makes no group; tubes reach from the middle of one call to that of the other."""
    one, other = phases("abc"), phases("cab", 2)
    instance = started(one, other)
    compared, known, drawn = inner(instance)
    assert sorted(name(one, row) for row in known.rows[known.root][:, UPPER]) == ["a", "b", "c"]
    assert len(drawn) == drawn.total == (known.group >= 0).sum()
    planes = planes_of(instance.context, instance.state, compared.pair, VIEW)
    assert planes is not None
    for end, (sample, plane) in enumerate(zip((0, -1), planes, strict=True)):
        places = drawn.tubes.middle[:, sample]
        np.testing.assert_allclose(places[:, 0], plane.side.x[drawn.bar[:, end]])
        np.testing.assert_allclose(places[:, 1], plane.side.y[drawn.bar[:, end]])
    tubes = layer(plot(instance), "tubes")
    assert isinstance(tubes, Raster)
    assert tubes.item is not None
    assert set(np.unique(tubes.item)) - {-1} <= set(drawn.match.tolist())
    assert (tubes.image[..., 3] > 0).any()


def test_td_3_both_begin_with_their_roots_in_one_scale() -> None:
    """TD-3: Whatever their clocks say, and however long the trace was on before."""
    one, other = phases("abc"), phases("abc", 3)
    drawn = plot(started(one, other))
    assert drawn.pane("upper").x == drawn.pane("lower").x
    upper, lower = (layer(drawn, f"bars {pane}") for pane in ("upper", "lower"))
    assert upper.x0.min() == lower.x0.min() == 0.0
    assert lower.x1.max() == pytest.approx(drawn.pane("lower").x[1])
    # Mirrored: the root of A at the top, that of B at the bottom.
    at = [locate(drawn.pane(pane), 0.0, 0.0)[1] for pane in ("upper", "lower")]
    assert float(at[0]) < 100
    assert float(at[1]) > 500


@pytest.mark.parametrize("seed", range(4))
def test_td_6_at_most_so_many_the_strongest_first(seed: int) -> None:
    """TD-6: Of all matches with both calls in view: wide ones first, then by similarity;
    the rest is counted on screen.
    """
    one, other = random_trace(seed, 6000, gap=100.0), random_trace(seed + 50, 6000, gap=100.0)
    instance = started(one, other, phases=False)
    compared, known, drawn = inner(instance)
    total = 0
    planes = planes_of(instance.context, instance.state, compared.pair, VIEW)
    assert planes is not None
    for rows, group in zip(known.rows.tolist(), known.group.tolist(), strict=True):
        deep = [compared.trees[side].depth[rows[side]] - compared.trees[side].virtual for side in (UPPER, LOWER)]
        total += group >= 0 and all(deep[side] < planes[side].levels for side in (UPPER, LOWER))
    assert drawn.total == total
    assert len(drawn) <= MOST
    assert len(np.unique(drawn.bar[:, 0] * 1_000_000 + drawn.bar[:, 1])) == len(drawn)
    for side in (UPPER, LOWER):
        bars = planes[side].bars
        rows = known.rows[drawn.match, side] + compared.trees[side].first
        which = drawn.bar[:, side]
        assert ((bars.row[which] <= rows) & (rows <= bars.last[which])).all()
    headline = layer(plot(instance), "headline").text[0]
    assert f"{total:,} matches in view" in headline
    order = np.lexsort((-known.similarity, np.isin(np.arange(len(known)), known.root, invert=True)))
    np.testing.assert_array_equal(known.similarity, known.similarity[order])


def test_td_7_colours_are_the_formulas() -> None:
    """TD-7: Relative to the roots of the group, or of the threads; seen from a side;
    the similarity as a second channel.
    """
    one, other = phases("abc"), phases("bca")
    compared, known, drawn = inner(started(one, other))
    raw, relative = (offsets(compared, known, drawn.match, raw=each) for each in (True, False))
    seen = positions(compared, known, drawn.match, UPPER)
    for at, match in enumerate(drawn.match.tolist()):
        f, g = known.rows[match].tolist()
        top_f, top_g = known.rows[known.root[known.group[match]]].tolist()
        a, b = one.calls, other.calls
        away = abs((a.start[f] - a.start[0]) - (b.start[g] - b.start[0]))
        assert raw[at] == pytest.approx(away / max(compared.length))
        within = abs((a.start[f] - a.start[top_f]) - (b.start[g] - b.start[top_g]))
        long = max(a.end[top_f] - a.start[top_f], b.end[top_g] - b.start[top_g])
        assert relative[at] == pytest.approx(within / long)
        assert seen[at] == pytest.approx((b.start[g] - b.start[top_g]) / (b.end[top_g] - b.start[top_g]))
    assert np.median(relative) == 0.0  # each phase is as it was, at another place
    assert np.median(raw) > 0.3
    color, shine = with_strength(np.full((4, 4), 255, np.uint8), np.array([15.0, 15, 17, 17]), np.array([0, 1.0, 0, 1]))
    assert color[1, 3] == color[2, 3] == color[3, 3] == 255 > color[0, 3] > 0
    assert shine[0] == shine[1] == shine[2] == 0 < shine[3]


def test_td_4_bars_hover_and_hue() -> None:
    """TD-4: Bars of A and B; red = the match lies in the past, green = in the future, grey = now;
    blue under a subtree.
    """
    one, other = phases("abc"), phases("bca")
    instance = started(one, other)
    drawn = plot(instance, "overview")
    assert [pane.name for pane in drawn.panes] == ["over upper", "over lower"]
    assert drawn.panes[0].y == (0.0, 1.0)
    assert drawn.panes[1].y == (1.0, 0.0)
    assert layer(drawn, "alike 0") is not None
    assert layer(drawn, "hit 0") is None
    hover(instance, UPPER, row_of(one, "a"))
    hit = [layer(plot(instance, "overview"), f"hit {side}") for side in (UPPER, LOWER)]
    compared, _, _ = inner(instance)
    long, count = max(compared.length), 90
    expected = [set[int](), set[int]()]
    for row in range(row_of(one, "a"), int(one.calls.end_row[row_of(one, "a")])):
        best = int(compared.best(UPPER)[row])
        if best >= 0 and compared.similarity(UPPER)[row] > 0.2:
            for side, start in ((0, compared.trees[0].start[row]), (1, compared.trees[1].start[best])):
                expected[side].add(min(int(start * (count / long)), count - 1))
    for side in (UPPER, LOWER):
        assert {round(x / (long / count)) for x in hit[side].x0.tolist()} == expected[side]
    assert hit[UPPER].x0.max() < hit[LOWER].x0.min()  # a is the first phase of A, and the last one of B
    color = offset_colors(np.array([-500.0, 500, 0]), np.array([500.0, 500, 0]), 1000.0, LIGHT).astype(int)
    assert color[0, 0] > color[0, 1]
    assert color[1, 1] > color[1, 0]
    assert np.ptp(color[2, :3]) < 20
    assert hit_intervals(compared, LOWER, row_of(other, "c"), 0.2, long, count)[LOWER].size


def test_td_4_the_literal_sum_of_similarities() -> None:
    """TD-4: with `sum` a bar is as high as the sum over the calls that begin in its interval; the highest is full."""
    instance = started(phases("abc"), phases("bca"), sum=True)
    drawn = plot(instance, "overview")
    compared, _, _ = inner(instance)
    long, count = max(compared.length), 90
    sums = []
    for side in (UPPER, LOWER):
        at = np.minimum(compared.trees[side].start * (count / long), count - 1).astype(np.int64)
        sums.append(np.bincount(at, compared.similarity(side), count))
    highest = max(float(each.max()) for each in sums)
    for side in (UPPER, LOWER):
        bars = layer(drawn, f"alike {side}")
        assert bars.item.tolist() == np.flatnonzero(sums[side]).tolist()
        height = np.asarray(bars.y1 - bars.y0) - 0.01
        full = (
            max(float((each.y1 - each.y0).max()) for each in (layer(drawn, "alike 0"), layer(drawn, "alike 1"))) - 0.01
        )
        assert height / full == pytest.approx(sums[side][bars.item] / highest, abs=0.06)
    words = [str(each.text) for each in drawn.layers if isinstance(each, Labels)]
    assert any(f"sum of similarities, up to {highest:,.0f}" in each for each in words)


def test_td_6_tubes_narrower_than_so_many_pixels_are_lines() -> None:
    """TD-6: `lines` and tubes stand in one picture; what is wider keeps its borders."""
    traces = random_trace(1, 400), random_trace(2, 400)
    tubes, both = (inner(started(*traces, lines=under))[2] for under in (0.0, 20.0))
    thin = both.wide < 20.0
    assert thin.any()
    assert not thin.all()
    assert np.ptp(both.tubes.half[thin]) == 0.0 < np.ptp(tubes.tubes.half[thin])
    assert np.array_equal(both.tubes.half[~thin], tubes.tubes.half[~thin])


def test_td_1_the_longest_calls_are_shown_before_others_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """TD-1: what was handed over first is drawn, and said to be so."""
    monkeypatch.setattr("cbvtool.trace.compare.matches.MANY_SETS", 0)
    monkeypatch.setattr("cbvtool.trace.compare.matches.FIRST", 4)
    instance = opened(TraceDiffView(), phases("abc"), phases("cab"))
    (compares,) = [need for need in instance.wanted() if need.name == "compared"]
    handed_over: list[Any] = []
    whole = make(compares, first=handed_over.append)
    assert instance.needs.first(compares, handed_over[0])
    for need in instance.wanted():
        instance.needs.take(need, make(need))
    early = inner(instance)
    assert early[0].early
    assert "of the longest calls so far" in layer(plot(instance), "headline").text[0]
    instance.needs.take(compares, whole)
    instance.settle()
    assert "so far" not in layer(plot(instance), "headline").text[0]
    assert len(early[1]) < len(inner(instance)[1])


def test_td_7_repeated_siblings_are_framed_with_their_count() -> None:
    """TD-7: Five calls of one function, one after the other."""
    drawn = plot(started(phases("a"), phases("a")), viewport=Viewport(1600.0, 900.0))
    assert layer(drawn, "run counts upper").text == ("5×",)
    frame = layer(drawn, "runs upper")
    assert isinstance(frame, Segments)
    assert frame.color == (214, 39, 40, 255)
    assert len(frame.x0) == 4


# -- what it answers --


def test_pointing_brushing_and_tooltips() -> None:
    """A call keeps the colours of what matches below it; its own match lies on top; the tooltip names the partner."""
    one, other = phases("abc"), phases("cab", 2)
    instance = started(one, other)
    hover(instance, UPPER, row_of(one, "b"))
    drawn = plot(instance)
    brushed = layer(drawn, "tubes brushed")
    compared, known, all_drawn = inner(instance)
    below = {
        match
        for match in all_drawn.match.tolist()
        if row_of(one, "b") <= known.rows[match, UPPER] < one.calls.end_row[row_of(one, "b")]
    }
    assert set(np.unique(brushed.item).tolist()) - {-1} <= below
    assert set(np.unique(layer(drawn, "tubes lit").item).tolist()) - {-1} == {instance.state.match}
    assert name(one, int(known.rows[instance.state.match, UPPER])) == "b"
    lines = instance.tell("main", Hit("bars upper", row_of(one, "b")))
    assert lines[0] == "b"
    assert any("Most like b in B, similarity 1.00" in line for line in lines)
    match = int(layer(drawn, "tubes").item.max())
    assert any(line.startswith("Similarity") for line in instance.tell("main", Hit("tubes", match)))
    # Brushed matches are counted from the call and its match, whatever their group is.
    top, some = instance.state.match, np.array(sorted(below))
    begin = [compared.trees[side].start[known.rows[some, side]] for side in (UPPER, LOWER)]
    root = known.rows[top]
    away = np.abs((begin[0] - compared.trees[0].start[root[0]]) - (begin[1] - compared.trees[1].start[root[1]]))
    long = max(tree.end[row] - tree.start[row] for tree, row in zip(compared.trees, root.tolist(), strict=True))
    np.testing.assert_allclose(offsets(compared, known, some, raw=False, top=top), np.clip(away / long, 0, 1))
    say(instance, EventKind.LEAVE)
    assert layer(plot(instance), "tubes brushed") is None


def test_td_3_a_click_aligns_to_the_strongest_group_and_again_to_the_next() -> None:
    """TD-3: The other side moves alone: both calls begin at one x."""
    one, other = phases("abc"), phases("cab", 2)
    instance = started(one, other)
    compared, known, _ = inner(instance)
    seen = []
    for _ in range(3):
        (*_, told) = click(instance, UPPER, 0)
        assert isinstance(told, Say)
        seen.append(instance.state.match)
        rows = known.rows[instance.state.match]
        windows = instance.state.windows
        starts = [compared.trees[side].start[rows[side]] for side in (UPPER, LOWER)]
        assert starts[0] - windows[0][0] == pytest.approx(starts[1] - windows[1][0])
        assert windows[0][1] - windows[0][0] == pytest.approx(windows[1][1] - windows[1][0])
    assert len(set(seen)) == 3  # main itself has no group: its three phases
    (told,) = say(instance, EventKind.KEY, key="a")
    assert "others are as similar" in told.text
    say(instance, EventKind.KEY, key="A")
    assert instance.state.windows == (None, None)


def test_td_2_dropping_a_root_match_shows_the_inner_groups() -> None:
    """TD-2: Level control: of the group that is pointed at; and large groups are opened by themselves."""
    one, other = phases("abc"), phases("cab", 2)
    instance = started(one, other)
    hover(instance, UPPER, row_of(one, "b"))
    (told,) = say(instance, EventKind.KEY, key="d")
    assert "dropped" in told.text
    assert instance.state.dropped == ((row_of(one, "b"), row_of(other, "b")),)
    _, known, _ = inner(instance)
    assert {name(one, row) for row in known.rows[known.root][:, UPPER]} == {"a", "b_in", "b_work", "b_out", "c"}
    say(instance, EventKind.KEY, key="D")
    assert len(inner(instance)[1].root) == 3


def test_tau_and_mode_are_live() -> None:
    """A higher threshold leaves fewer; all above tau are more than the best."""
    one, other = random_trace(1, 300, gap=100.0), random_trace(2, 300, gap=100.0)
    low, high = (started(one, other, tau=tau) for tau in (0.1, 0.95))
    assert len(inner(low)[1]) > len(inner(high)[1])
    every = plot(started(one, other, mode="all", phases=False))
    best = plot(started(one, other, phases=False))

    def count(drawn: Plot) -> int:
        told = layer(drawn, "headline").text[0].split(" match")[0]
        return int(told.removeprefix("more than ").replace(",", ""))

    assert count(every) > count(best)


def changed_pair() -> tuple[Trace, Trace]:
    """B lacks the phase b, calls x within c, and begins with a call of its own."""

    def run(after: bool) -> Trace:
        made = builder()
        thread = made.thread(1, 1)
        names = ("main", "a", "b", "c", "step", "x", "setup")
        function = {name: made.function(name, "m", "/src/m.py") for name in names}
        time = 0
        made.begin(thread, function["main"], time)
        for name in ("setup", "a", "c") if after else ("a", "b", "c"):
            made.begin(thread, function[name], time := time + 10)
            for _ in range(3):
                made.span(thread, function["step"], time + 1, time + 40)
                time += 40
            if after and name == "c":
                made.span(thread, function["x"], time + 1, time + 90)
                time += 90
            made.end(thread, time := time + 5)
        made.end(thread, time + 5)
        return made.trace(made.build(), {})

    return run(False), run(True)


def test_td_11_aligned_calls_tell_what_changed_and_keys_go_from_one_change_to_the_next() -> None:
    """TD-1, TD-11: bars in the colours of changes, the others quiet; tooltips, headline and legend say it; N and P."""
    one, other = changed_pair()
    instance = started(one, other, mode="aligned")
    drawn = plot(instance)
    changes = instance.context.found["changes"]
    kinds = {
        (side, name(trace, tree.first + row)): CallChange(int(changes.kinds(side)[row]))
        for side, (trace, tree) in enumerate(zip((one, other), changes.compared.trees, strict=True))
        for row in changes.changed[side].tolist()
    }
    assert kinds == {
        (UPPER, "b"): CallChange.REMOVED,
        (LOWER, "setup"): CallChange.INSERTED,
        (LOWER, "x"): CallChange.INSERTED,
    }
    bars = layer(drawn, "bars lower")
    color = {name(other, row): tuple(color) for row, color in zip(bars.item.tolist(), bars.color.tolist(), strict=True)}
    assert color["x"] == color["setup"] == COLORS[CallChange.INSERTED]
    assert color["a"] not in COLORS.values()
    assert {"1 removed", "2 inserted"} <= set(layer(drawn, "legend texts").text)
    assert "moved" not in layer(drawn, "legend texts").text
    assert layer(drawn, "tubes") is not None
    x = row_of(other, "x")
    assert "Inserted: A has no such call here" in instance.tell("main", Hit("bars lower", x))
    assert "As it was, at the same place in A" in instance.tell("main", Hit("bars lower", row_of(other, "a")))
    seen = []
    for key in ("n", "n", "n", "n", "p"):
        say(instance, EventKind.KEY, key=key)
        side, call = instance.state.chosen
        seen.append(name((one, other)[side], call))
    assert seen == ["setup", "b", "x", "setup", "x"]
    say(instance, EventKind.KEY, key="m")
    best = started(one, other)
    answer = say(best, EventKind.KEY, key="n")
    assert [each.text for each in answer if isinstance(each, Say)] == [
        "Choose Matches: Aligned one to one, to go from one change to the next."
    ]


def test_windows_are_independent_and_dragged_in_the_overview() -> None:
    """A RANGE moves one side; a drag in the overview chooses an area, one inside of it moves it."""
    one, other = phases("abc"), phases("abc")
    instance = started(one, other)
    say(instance, EventKind.RANGE, "upper", range=Range((100.0, 200.0), (0.0, 1.0)))
    assert instance.state.windows == ((100.0, 200.0), None)
    press = ViewEvent(EventKind.PRESS, "overview", "over lower", x=300.0, px=100.0)
    instance.on(press)
    for kind in (EventKind.DRAG, EventKind.DROP):
        say(instance, kind, "over lower", part="overview", x=500.0, px=200.0, start=press)
    assert instance.state.windows == ((100.0, 200.0), (300.0, 500.0))
    press = ViewEvent(EventKind.PRESS, "overview", "over lower", x=400.0, px=150.0)
    instance.on(press)
    say(instance, EventKind.DROP, "over lower", part="overview", x=450.0, px=175.0, start=press)
    assert instance.state.windows[LOWER] == (350.0, 550.0)
    assert instance.state.pressed is None


def test_td_5_levels_fold_by_a_vertical_drag() -> None:
    """TD-5: From the root; with Shift from the leaves; each side by itself."""
    instance = started(phases("abc"), phases("abc"))
    before = planes_of(instance.context, instance.state, chosen_in(instance.context, instance.state), VIEW)  # type: ignore[arg-type]
    press = ViewEvent(EventKind.PRESS, "main", "upper", py=300.0, size=(VIEW.width, VIEW.height))
    instance.on(press)
    say(instance, EventKind.DROP, "upper", py=286.0, start=press)
    assert instance.state.upper == (1, 0)
    after = planes_of(instance.context, instance.state, chosen_in(instance.context, instance.state), VIEW)  # type: ignore[arg-type]
    assert before is not None
    assert after is not None
    assert np.diff(after[UPPER].tops)[0] < np.diff(before[UPPER].tops)[0]
    assert (after[LOWER].tops == before[LOWER].tops).all()


# -- the pair --


def test_td_1_any_two_threads_and_proposals() -> None:
    """TD-1: Partners by name, then by functions; also of one trace; a table chooses any other."""
    two = random_trace(3, 60, threads=2)
    instance = started(two, random_trace(4, 60, threads=2))
    table = instance.draw("pairs", VIEW)
    assert isinstance(table, ViewTable)
    assert {str(why) for why in table.columns[3].values} == {"same name"}
    say(instance, EventKind.ROW, part="lower", hit=Hit("", 1))  # the second thread of the first trace
    assert instance.state.threads[LOWER] == (0, 1)
    assert isinstance(instance.draw("groups", VIEW), ViewTable)

    alone = started(two)
    pair = chosen_in(alone.context, alone.state)
    assert pair is not None
    assert pair[UPPER].thread != pair[LOWER].thread
    assert not said(alone)
    say(alone, EventKind.KEY, key="x")
    swapped = chosen_in(alone.context, alone.state)
    assert swapped == (pair[LOWER], pair[UPPER])


def test_td_1_several_roots_get_a_virtual_one() -> None:
    """TD-1: Only leaves: their matches are groups of one call each."""

    def leaves(count: int) -> Trace:
        made = TraceBuilder("test", Budget("The trace"))
        functions = [made.function(f"f{number}") for number in range(6)]
        thread = made.thread(1, 1)
        for number in range(count):
            made.span(thread, functions[number % 6], 20 * number, 20 * number + 15)
        return made.trace(made.build(), {})

    instance = started(leaves(6), leaves(12), phases=False)
    compared, known, drawn = inner(instance)
    assert compared.trees[UPPER].virtual
    assert not said(instance)
    assert len(drawn) == 6
    assert (known.group[drawn.match] >= 0).all()


def test_a_tube_is_pointed_at_where_it_is_seen() -> None:
    """It lies on top then, and its tooltip names both calls."""
    instance = started(phases("abc"), phases("cab", 2))
    drawn = plot(instance)
    filled = fill(drawn, VIEW)
    hits = {pick(filled, px, 320.0) for px in np.arange(5.0, 900.0, 10.0).tolist()} - {Hit()}
    assert hits
    hit = max(hits, key=lambda each: each.item)
    assert hit.layer == "tubes"
    say(instance, EventKind.HOVER, "upper", hit=hit)
    assert set(np.unique(layer(plot(instance), "tubes lit").item).tolist()) == {-1, hit.item}
    lines = instance.tell("main", hit)
    assert lines[0].startswith("A: ")
    assert lines[1].startswith("B: ")


def test_only_my_code() -> None:
    """Calls of other code are left out on both sides; what was pointed at before does not disturb."""
    one, other = phases("abc"), phases("cab", 2)
    inputs = own_inputs([one, other])
    maps = []
    for trace, known in zip((one, other), inputs.maps, strict=True):
        assert known is not None
        node = known.node.copy()
        node[[row for row, text in enumerate(trace.functions.name) if "_" in text]] = NO_NODE
        maps.append(replace(known, node=node))
    instance = ViewInstance(TraceDiffView(), replace(inputs, maps=tuple(maps)), ViewSurroundings(), print)
    instance.settle()
    hover(instance, UPPER, len(one.calls) - 1)
    instance.set_value("own", True)
    instance.settle()
    bars = layer(plot(instance), "bars upper")
    assert len(bars.item) == 4  # main and its phases
    assert "3 matches in view" in layer(plot(instance), "headline").text[0]


# -- bad input: a sentence, never a blank picture --


def empty() -> Trace:
    made = TraceBuilder("test", Budget("The trace"))
    made.thread(1, 1)
    return made.trace(made.build(), {})


def one_call(duration: int = 10, function: str = "main") -> Trace:
    made = TraceBuilder("test", Budget("The trace"))
    made.span(made.thread(1, 1), made.function(function, "app", "app.py", 1), 0, duration)
    return made.trace(made.build(), {})


MODES = pytest.mark.parametrize("mode", ["best", "all", "aligned"])


@MODES
def test_bad_input_gets_a_sentence(mode: str) -> None:
    """TD-1: no common function, an empty trace, nothing alike, one call; by whatever calls are matched."""

    def sentence(*traces: Trace, **values: object) -> str:
        return said(started(*traces, mode=mode, **values))

    assert sentence(phases("abc"), phases("abc", prefix="other_")) == "The two threads have no function in common."
    for theme in (LIGHT, DARK):
        assert "Trace B holds no calls" in sentence(phases("a"), empty(), theme=theme)
    assert "Trace A holds no calls" in sentence(empty(), phases("a"))
    assert "holds no calls" in sentence(empty())
    assert "but for the roots" in sentence(phases("a"), one_call())
    assert "but for the roots" in sentence(one_call(), one_call())
    for part in ("overview", "groups", "pairs", "upper", "lower", "functions"):
        started(empty(), mode=mode).draw(part, VIEW)


@MODES
def test_too_many_sets_of_functions_are_a_sentence_on_the_screen(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    """TD-1: what fails is said once in words, and the view does not go on to compare for ever."""
    monkeypatch.setattr("cbvtool.trace.compare.subtrees.MOST_MEMBERS", 10)
    reported: list[str] = []
    instance = opened(TraceDiffView(), phases("abc"), phases("cab"), said=reported, values={"mode": mode})
    instance.settle()
    assert said(instance) == (
        "The call trees hold too many different sets of functions to be compared. "
        "Choose other threads, or record fewer functions."
    )
    assert "Not compared" in layer(plot(instance), "headline").text[0]
    assert len(reported) == 1
    for part in ("overview", "groups", "pairs", "upper", "lower", "functions"):
        instance.draw(part, VIEW)


@MODES
def test_bad_input_of_other_kinds_is_named(mode: str) -> None:
    """A trace against itself, sampled against recorded, samples against time, processor time against the clock."""

    def of_kind(clock: str, sampled: bool) -> Trace:
        made = TraceBuilder("test", Budget("The trace"))
        made.describe(program="app", clock=clock)
        thread = made.thread(1, 1)
        made.span(thread, made.function("main"), 0, 100)
        made.span(thread, made.function("load"), 10, 90)
        if sampled:
            made.mark_sampled(thread)
        return made.trace(made.build(), {})

    alone = started(phases("abc"), mode=mode)
    assert "A and B are the same thread" in layer(plot(alone), "headline").text[0]

    def headline(*traces: Trace) -> str:
        return str(layer(plot(started(*traces, mode=mode)), "headline").text[0])

    both = headline(of_kind("monotonic", False), of_kind("samples", True))
    assert "B was sampled" in both
    assert "one counts samples" in both
    assert "one counts processor time" in headline(of_kind("cpu", False), of_kind("monotonic", False))


def test_a_chain_of_a_hundred_thousand_calls_and_one_against_many() -> None:
    """What has no room is said; nothing fails."""
    made = TraceBuilder("test", Budget("The trace"))
    thread, function = made.thread(1, 1), made.function("again", "app", "app.py", 1)
    for level in range(100_000):
        made.begin(thread, function, level)
    for level in range(100_000):
        made.end(thread, 100_000 + level)
    deep = made.trace(made.build(), {})
    instance = started(deep, deep)
    assert "inner levels have no room" in layer(plot(instance), "name upper").text[0]


@MODES
def test_one_call_against_many(mode: str) -> None:
    """TD-1: a function in common is not denied because its calls are unlike; the same call deeper in is a match."""
    made = TraceBuilder("test", Budget("The trace"))
    thread, functions = made.thread(1, 1), [made.function(f"f{n}", "app", "app.py", 1) for n in range(40)]
    made.begin(thread, made.function("main", "app", "app.py", 1), 0)
    for at in range(30_000):
        made.span(thread, functions[at % 40], 10 * at, 10 * at + 5)
    made.end(thread, 300_000)
    many = made.trace(made.build(), {})
    instance = started(one_call(1000), many, mode=mode)
    assert "but for the roots" in said(instance)
    plot(instance, "overview")
    instance = started(many, one_call(5, "f7"), mode=mode)
    if mode == "all":  # of calls that are wide enough to be seen
        assert said(instance).startswith("No call of A in view")
    else:
        assert said(instance) == ""
        assert inner(instance)[1].group.tolist() == [0]  # a match alone is a group
    plot(instance, "overview")


# -- documents and files --


def test_states_from_documents() -> None:
    """What makes no sense is dropped; what does is kept."""
    traces = phases("abc"), phases("cab")
    kept = started(*traces, data=asdict(TraceDiffState(windows=((5.0, 60.0), None), dropped=((1, 2),))))
    assert kept.state.windows == ((5.0, 60.0), None)
    for bad in (
        TraceDiffState(threads=((0, 7), (1, 0))),
        TraceDiffState(threads=((2, 0), (1, 0))),
        TraceDiffState(windows=((60.0, 5.0), None)),
        TraceDiffState(upper=(-1, 0)),
        TraceDiffState(dropped=((0, 0),) * 1000),
    ):
        assert started(*traces, data=asdict(bad)).state == TraceDiffState()
    # Calls that are not there: nothing is dropped.
    odd = started(*traces, data=asdict(TraceDiffState(dropped=((99999, -5),))))
    assert len(inner(odd)[1].root) == 3


@pytest.mark.usefixtures("own_settings")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_render_without_qt_twice_the_same_bytes(tmp_path: Path, theme: str) -> None:
    """`cbvtool trace render diff A B`."""
    for number, trace in enumerate((phases("abc"), phases("cab", 2))):
        write_folder(tmp_path / f"run{number}", trace)
    files = [tmp_path / f"{number}.png" for number in range(2)]
    for file in files:
        arguments = ["diff", str(tmp_path / "run0"), str(tmp_path / "run1"), "-o", str(file), "--size", "700x500"]
        assert main(["trace", "render", *arguments, "--theme", theme]) == DONE
    assert files[0].read_bytes() == files[1].read_bytes()


def test_labels_of_both_themes() -> None:
    """Names are written in the colour of writing of the theme."""
    for theme in (LIGHT, DARK):
        labels = layer(plot(started(phases("abc"), phases("abc"), theme=theme)), "labels upper")
        assert isinstance(labels, Labels)
        assert labels.color == theme.text
        assert "main" in labels.text


def test_td_3_two_recordings_of_one_command_are_told_apart() -> None:
    """TD-3: by their files; switches of Python are no part of a name; B says how long it takes beside A."""
    both = [
        replace(trace, header=replace(trace.header, program="/usr/bin/python3", arguments=("-B", "-X", "run.py", "1")))
        for trace in (phases("ab"), phases("ab", 2))
    ]
    instance = started(*both)
    instance.take_inputs(replace(instance.inputs, names=("old", "new")))
    titles = [str(layer(plot(instance), f"name {side}").text[0]) for side in ("upper", "lower")]
    assert titles[UPPER].startswith("A   old: run.py 1 · MainThread   ")
    assert titles[LOWER].startswith("B   new: run.py 1 · MainThread   ")
    assert titles[LOWER].endswith(" × as long as A")
    assert "× as long" not in titles[UPPER] + layer(plot(instance), "headline").text[0]
    other = replace(both[1], header=replace(both[1].header, arguments=("-m", "run", "2")))
    unlike = started(both[0], other)
    assert str(layer(plot(unlike), "name lower").text[0]).startswith("B   run 2 · ")
