"""What SyncTrace says by signs and words: legend, stripes, labels, merged bars, waits that nothing ended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cbvtool.api import (
    SPAWN,
    Bars,
    BoxShape,
    Cushion,
    EventKind,
    Hit,
    Labels,
    SectorShape,
    Trace,
    Viewport,
    duration,
    grid_of,
    locate,
    place,
    tick_times,
    time_text,
)
from cbvtool.budget import Budget
from cbvtool.cli import DONE, main
from cbvtool.geometry.colors import THEMES
from cbvtool.plots.filling import fill
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.strings import Strings
from cbvtool.trace.model.table import NO_ROW, SCHEMAS, Table
from cbvtool.trace.store.folder import write_folder
from plugins.synctrace.bars import bars_in
from plugins.synctrace.curves import PIECES
from plugins.synctrace.pairs import alike, known_in
from tests.plugin_views.opened import layer
from tests.trace.test_synctrace import VIEW, at_of, has, plot, say, started, state, table, trace_of, zoomed
from tests.trace.timelines import deep_trace, random_trace

MS = 1_000_000  # ns
SETS = ([0, 1, 2], [1, 2], [0])  # objects of three waits


def waiting(*waits: tuple[list[int], bool], never: bool = False, unknown: bool = False) -> Trace:
    """Thread 0 waits for sets of three objects (for all of them or any), which thread 1 releases one after the other.

    never    then it waits until the end, for an object that nobody releases
    unknown  that object was not recorded, as of a caller that uftrace left open
    """
    made = TraceBuilder("test", Budget("The trace"))
    wait, work, release = (made.function(name) for name in ("wait", "work", "release"))
    one, other = made.thread(1, 0), made.thread(1, 1)
    columns: dict[str, list[int]] = {name: [] for name in SCHEMAS["waits"]}
    spans = [
        (made.span(one, wait, 10 * n * MS, (10 * n + 8) * MS), n, things, all_of)
        for n, (things, all_of) in enumerate(waits)
    ]
    freed = [
        (made.span(other, release, (10 * n + 3 + thing) * MS, (10 * n + 3 + thing) * MS + 1000), thing)
        for n in range(len(waits))
        for thing in range(3)
    ]
    if never:
        made.begin(one, work, (10 * len(waits)) * MS)
        made.begin(one, wait, (10 * len(waits) + 1) * MS)
        made.span(other, work, (10 * len(waits) + 1) * MS, (10 * len(waits) + 40) * MS)
    built = made.build()
    for span, n, things, all_of in spans:
        for thing in things:
            row = (int(built.row[span]), thing, 10 * n * MS, (10 * n + 8) * MS, all_of)
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    if never:
        call = int(
            np.flatnonzero((built.calls.function == wait) & np.isin(np.arange(len(built.calls)), built.open_rows))[0]
        )
        thing = NO_ROW if unknown else 3
        row = (call, thing, int(built.calls.start[call]), (10 * len(waits) + 41) * MS, False)
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    none = np.zeros(4, np.uint32)
    kind = np.full(4, made.pool.number("event"), np.uint32)
    tables = {
        "objects": Table({"process": np.zeros(4, np.int64), "id": np.arange(4), "kind": kind, "name": none}),
        "waits": Table({name: np.array(values, SCHEMAS["waits"][name]) for name, values in columns.items()}),
        "releases": Table(
            {
                "call": np.array([built.row[span] for span, _ in freed], np.uint32),
                "object": np.array([thing for _, thing in freed], np.uint32),
                "time": built.calls.start[[int(built.row[span]) for span, _ in freed]],
            }
        ),
    }
    return made.trace(built, tables)


def words(instance: ViewInstance, width: float, height: float) -> tuple[str, ...]:
    """Of the legend, in reading order."""
    text: tuple[str, ...] = layer(plot(instance, Viewport(width, height)), "legend names").text
    return text


def test_no_width_leaves_a_word_of_the_legend_out() -> None:
    """ST-7, OC-4: both ways of colouring, and the comparison with the wait under the pointer."""
    instance = started()
    signs = {"computes", "reads and writes", "released here", "never ended"}
    for told in (
        "curve: colour of the thread that waits",
        "one thread alone waits for it",
        "waits for the same objects, outlined",
    ):
        wide = words(instance, 1600.0, 1000.0)
        assert {told, *signs} <= set(wide)
        for width, height in ((700.0, 500.0), (420.0, 420.0)):
            assert words(instance, width, height) == wide
        if instance.values["color"] == "object":
            say(instance, EventKind.HOVER, hit=Hit("curves", int(layer(plot(instance), "curves").item[-1])))
        instance.set_value("color", "object")
    narrow = Viewport(420.0, 420.0)
    names, count = (layer(plot(instance, narrow), f"legend {name}") for name in ("names", "count"))
    boxes = [
        (x, y, x + narrow.measure(text, 11.0, False)) for x, y, text in zip(names.x, names.y, names.text, strict=True)
    ]
    assert count.text[0]
    boxes.append((count.x[0] - narrow.measure(count.text[0], 11.0, False), count.y[0], count.x[0]))
    for number, (left, y, right) in enumerate(boxes):
        assert left >= 0
        assert right <= 420
        assert all(abs(y - y2) > 10 or right < l2 or r2 < left for l2, y2, r2 in boxes[:number])
    assert min(y for _, y, _ in boxes) > max(
        pane.shape.r1 for pane in at_of(instance, narrow).panes.values() if isinstance(pane.shape, SectorShape)
    )


def test_the_legend_tells_both_greys_of_curves() -> None:
    """ST-7: of objects that one thread alone waits for, and of links, which are no waits; no links, no word of them."""
    trace = waiting((SETS[0], True), (SETS[1], True))
    drawn = plot(started(trace, color="object"))
    assert {"curve: colour of the object", "one thread alone waits for it"} <= set(layer(drawn, "legend names").text)
    assert not has(drawn, "legend grey link")
    grey = tuple(layer(drawn, "legend grey lone").color)[:3]
    assert {tuple(color) for color in np.asarray(layer(drawn, "curves").color)[:, :3].tolist()} == {grey}
    first, last = (int(trace.threads.ptr[thread]) for thread in (0, 1))  # a call of either thread
    strings = Strings.of([*trace.strings, "spawn"])
    link = (last, first, len(strings) - 1, int(trace.calls.start[last]), int(trace.calls.start[first]))
    columns = {
        name: np.array([value], SCHEMAS["links"][name]) for name, value in zip(SCHEMAS["links"], link, strict=True)
    }
    linked = replace(trace, strings=strings, tables={**trace.tables, "links": Table(columns)})
    drawn = plot(started(linked))
    assert "link: a start or a message, no wait" in layer(drawn, "legend names").text
    known = known_in(started(linked).context)
    assert known is not None
    (row,) = np.flatnonzero(known.pairs.kind[layer(drawn, "curves").item] == SPAWN)
    assert tuple(layer(drawn, "curves").color[row])[:3] == tuple(layer(drawn, "legend grey link").color)[:3]


@pytest.mark.parametrize("window", [(0.0, 1.0), (0.31, 0.36)])
def test_a_time_axis_tells_the_window_of_the_straight_thread(window: tuple[float, float]) -> None:
    """ST-3, ST-6: each time stands where it is; the window in words, of other threads too; the pointer's moment."""
    instance = started()
    main_thread, whole = at_of(instance).at.main, at_of(instance).trace.length
    low, high = (share * whole for share in window)
    zoomed(instance, main_thread, low, high)
    at, drawn = at_of(instance), plot(instance)
    pane, times, ground = at.panes[main_thread], layer(drawn, "ruler times"), layer(drawn, "ruler ground")
    expected = tick_times(grid_of((low, high), pane.shape.width), pane.shape.width)
    assert len(expected) > 4
    x, _ = locate(pane, expected, np.zeros(len(expected)))
    assert np.abs(np.maximum(x, 0) + 4 - times.x).max() < 0.01
    step = float(np.diff(expected).min())
    assert times.text == tuple(time_text(time, step) for time in expected.tolist())
    strips = [each.shape.y + each.shape.height for each in drawn.panes if each.name.startswith("over ")]
    assert max(strips) <= ground.y0[0] < ground.y1[0] == pane.shape.y  # over nothing else
    words = layer(drawn, "main window").text[0]
    all_of_it = f"all {duration(round(whole))}"
    long, begin = duration(round(high - low)), time_text(low, (high - low) / 100)
    assert words == (all_of_it if window == (0.0, 1.0) else f"from {begin} on, {long} of {duration(round(whole))}")
    told = [instance.tell("main", Hit("thread names", thread)) for thread in (main_thread, at.at.ring[0])]
    assert [f"shown: {said}" in lines for said, lines in zip((words, all_of_it), told, strict=True)] == [True, True]
    assert not has(drawn, "pointer time")
    moment = low + 0.4 * (high - low)
    say(instance, EventKind.HOVER, pane.name, x=moment, y=0.5)
    shown = layer(plot(instance), "pointer time")
    assert shown.text == (time_text(moment, (high - low) / pane.shape.width),)
    assert shown.x[0] == pytest.approx(0.4 * pane.shape.width)
    say(instance, EventKind.HOVER, at.panes[at.at.ring[0]].name, x=moment, y=0.5)
    assert not has(plot(instance), "pointer time")  # that thread may show another time


def test_curves_of_the_same_objects_are_outlined_besides() -> None:
    """ST-7: a second sign, also of the curves that a worker draws; not all tell red from brown."""
    sets = [(SETS[0], True), (SETS[1], True), (SETS[0], True), (SETS[2], False)]
    instance = started(waiting(*sets), color="object")
    known = known_in(instance.context)
    assert known is not None
    assert not has(plot(instance), "same objects")
    curves = layer(plot(instance), "curves").item.astype(np.int64)
    first = int(curves[known.pairs.wait[curves] == 0][0])
    say(instance, EventKind.HOVER, hit=Hit("curves", first))
    drawn = plot(instance)
    same, shares = alike(known, first, layer(drawn, "curves").item.astype(np.int64))
    assert 0 < same.sum() < shares.sum()
    rims = layer(drawn, "same objects")
    assert len(rims.ptr) - 1 == same.sum()
    outline = np.asarray(layer(drawn, "curves").points).reshape(len(same), -1, 2)[same]
    rim = np.asarray(rims.points).reshape(same.sum(), -1, 2)
    sides = (rim[:, : 2 * PIECES + 2] + rim[:, 2 * PIECES + 2 :][:, ::-1]) / 2
    assert np.abs(sides - outline).max() < 1e-6  # along both borders of the curve
    busy = started(trace_of(12, 60), color="object")
    small = Viewport(700.0, 500.0)
    rest = plot(busy, small)
    say(busy, EventKind.HOVER, hit=Hit("curves", int(layer(rest, "curves").item[-1])))
    (need,) = busy.wanted()
    whole = make(need)
    busy.needs.take(need, whole)
    assert layer(plot(busy, small), "more curves") is whole.below
    assert need.of[5] == state(busy).hover >= 0
    *how, _, theme, viewport = need.of
    plain = make(replace(need, of=(*how, -1, theme, viewport)))
    text = np.array(busy.context.theme.text[:3])
    near = [
        int((np.abs(each.below.image[..., :3].astype(int) - text).max(axis=2) < 40).sum()) for each in (whole, plain)
    ]
    assert near[0] > near[1] + 100  # the outlines


def test_waits_for_all_and_for_any_are_told_apart() -> None:  # ST-6
    instance = started(waiting((SETS[0], True), (SETS[1], False), (SETS[2], False)))
    known = known_in(instance.context)
    assert known is not None
    calls = np.unique(known.trace.table("waits")["call"]).tolist()
    at, told = at_of(instance), []
    for call in calls:
        bar = Hit(f"bars {at.panes[0].name}", call)
        say(instance, EventKind.HOVER, at.panes[0].name, x=float(known.trace.calls.start[call] + 1), hit=bar)
        told.append("\n".join(instance.tell("main", bar)))
    assert "waits for all of 3 objects" in told[0]
    assert "waits for any of 2 objects" in told[1]
    assert "objects" not in told[2]
    pairs = known.pairs
    for pair in np.flatnonzero(pairs.primary).tolist():
        lines = instance.tell("main", Hit("curves", pair))
        group = pairs.waiting[pair]
        assert ("waits for all of several objects" in lines) == (group == calls[0])
        assert ("waits for any of several objects" in lines) == (group == calls[1])


@pytest.mark.parametrize("unknown", [False, True])
def test_a_wait_that_never_ended_has_a_square_and_is_told_as_such(
    unknown: bool, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ST-2, ST-8; of a caller that uftrace left open nobody knows for what it waits, and view and command say so."""
    trace = waiting((SETS[2], False), never=True, unknown=unknown)
    instance = started(trace)
    known = known_in(instance.context)
    assert known is not None
    (row,) = known.pairs.open.tolist()
    drawn = plot(instance)
    squares = layer(drawn, "never ended")
    assert squares.item.tolist() == [row]
    assert squares.shape == "square"
    assert not has(drawn, "timed out")
    assert row not in known.pairs.wait[layer(drawn, "curves").item]
    call = int(known.trace.table("waits")["call"][row])
    name = "an object that was not recorded" if unknown else "event 0x3"
    x, y = place(at_of(instance).panes[0], squares.x[0], squares.y[0])
    assert x == pytest.approx(trace.span[1] - trace.span[0], rel=1e-3)
    assert y > trace.calls.depth[call]
    assert instance.tell("main", Hit("never ended", row))[1:] == (name, "It was never released.")
    assert f"{name}: never released" in instance.tell("main", Hit("bars main 0", call))
    waits = table(instance, "waits")
    assert [waits.columns[at].values[0] for at in (2, 3)] == ["never", name]
    write_folder(tmp_path / "run", trace)
    assert main(["trace", "waits", str(tmp_path / "run")]) == DONE
    said = capsys.readouterr().out
    assert "still waits" in said
    assert ("unknown" in said) == unknown


def test_a_merged_bar_says_how_many_calls_it_stands_for() -> None:  # OC-4
    trace = random_trace(4, 4000, 1, gap=30.0, deeper=0.5)
    instance = started(trace)
    plot(instance)
    at = at_of(instance)
    bars = bars_in(instance.context, at, 0)
    many, single = np.flatnonzero(bars.count > 1), np.flatnonzero(bars.count == 1)
    assert len(many) > 5
    for bar in (*many[:5], many[np.argmax(bars.count[many])]):
        row, depth = int(bars.row[bar]), int(bars.depth[bar])
        rows = [each for each in range(row, int(bars.last[bar]) + 1) if trace.calls.depth[each] == depth]
        assert len(rows) == bars.count[bar]
        lines = instance.tell("main", Hit("bars main 0", row))
        assert lines[1].startswith(f"one of {len(rows):,} calls")
        functions = len({int(trace.calls.function[each]) for each in rows})
        assert (f"of {functions:,} functions" in lines[1]) == (functions > 1)
    for bar in single[:3]:
        assert "in this bar" not in "\n".join(instance.tell("main", Hit("bars main 0", int(bars.row[bar]))))


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_bars_are_dark_at_their_right_ends(theme) -> None:
    """ST-3, in both kinds of panes, by the pixels: so repetition shows as stripes."""
    trace = deep_trace(2, 1)
    instance = started(trace)
    instance.look_around(replace(instance.around, theme=theme))
    drawn, at = plot(instance), at_of(instance)
    for thread in (0, 1):
        pane = at.panes[thread]
        bars = layer(drawn, f"bars {pane.name}")
        assert isinstance(bars, Bars)
        assert bars.shade == Cushion(at=-1.0)
        (tile,) = fill(replace(drawn, layers=(bars,)), VIEW).tiles
        assert tile is not None
        light = tile.image[..., :3].astype(int).sum(axis=2)
        seen = tile.image[..., 3] > 250
        rows, columns = np.nonzero(seen)
        x, _ = place(pane, columns + tile.left + 0.5, rows + tile.top + 0.5)
        share = (x - bars.x0[0]) / (bars.x1[0] - bars.x0[0])
        left, middle, right = (
            light[rows, columns][(share > low) & (share < low + 0.1)].mean() for low in (0.05, 0.45, 0.85)
        )
        assert left > middle > right


def test_labels_lie_along_the_arc_and_deeper_ones_have_more_room() -> None:  # ST-3
    instance = started(deep_trace(4, 5))
    at, drawn = at_of(instance), plot(instance)
    labels = layer(drawn, f"labels {at.panes[at.at.main].name}")
    assert labels.angle is None  # the straight view
    for thread in at.at.ring:
        pane = at.panes[thread]
        shape = pane.shape
        assert isinstance(shape, SectorShape)
        assert not isinstance(shape, BoxShape)
        labels = layer(drawn, f"labels {pane.name}")
        assert isinstance(labels, Labels)
        assert labels.angle is not None
        assert labels.room is not None
        assert len(labels.text) >= 4
        turn = shape.a0 + (labels.x - pane.x[0]) / (pane.x[1] - pane.x[0]) * (shape.a1 - shape.a0)
        # Along the arc: a step along the text is a step across the radius.
        assert np.abs(np.cos(labels.angle) * np.cos(turn) + np.sin(labels.angle) * np.sin(turn)).max() < 1e-9
        assert (np.cos(labels.angle) >= -1e-9).all()  # none stands on its head
        order = np.argsort(labels.y)
        same = labels.x[order]
        assert same.max() - same.min() < 0.5 * (pane.x[1] - pane.x[0])
        assert (np.diff(np.asarray(labels.room)[order]) > 0).all()
