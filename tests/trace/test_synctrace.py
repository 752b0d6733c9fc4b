"""SyncTrace without a display (ST-3 to ST-8): its picture, its tables and its answers to events."""

from __future__ import annotations

import random
from dataclasses import asdict, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.api import (
    Areas,
    Bars,
    BoxShape,
    EventKind,
    Hit,
    Labels,
    Plot,
    Range,
    Say,
    SetFocus,
    Trace,
    ViewEvent,
    Viewport,
    ViewTable,
    correspondences,
    duration,
    locate,
    place,
    thread_title,
)
from cbvtool.cli import DONE, main
from cbvtool.geometry.colors import THEMES
from cbvtool.plots.filling import fill
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.trace.model.table import Table
from cbvtool.trace.store.folder import write_folder
from plugins.synctrace.arranging import LINE, NAME_SIZE, Arrangement, arrangement
from plugins.synctrace.bars import bars_in
from plugins.synctrace.curves import PIECES, anchors, outlines
from plugins.synctrace.gathered import ACROSS, gathered, path_outlines
from plugins.synctrace.more_curves import MoreCurves
from plugins.synctrace.names import label_boxes, short_name
from plugins.synctrace.pairs import MOST_AT_ONCE, alike, known_in, seen_in
from plugins.synctrace.palette import BUSY, IO, WAITS, activities, call_colors
from plugins.synctrace.state import SyncState
from plugins.synctrace.telling import pair_lines
from plugins.synctrace.threads import COLORS, Placed, colored
from plugins.synctrace.view import SyncTraceView
from plugins.synctrace.wording import object_name
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.trace.timelines import random_trace
from tests.trace.waits.schedules import schedule
from tests.trace.waits.test_by_name import run

SIZE = (1600.0, 1000.0)
VIEW = Viewport(*SIZE)


@lru_cache(maxsize=4)
def trace_of(threads: int = 8, steps: int = 30) -> Trace:
    return schedule(7, threads, steps).trace


def started(trace: Trace | None = None, **values: object) -> ViewInstance:
    said: list[str] = []
    instance = opened(SyncTraceView(), trace or trace_of(), said=said, values=values)
    instance.settle()
    assert not said
    return instance


def plot(instance: ViewInstance, viewport: Viewport = VIEW) -> Plot:
    return drawn_plot(instance, "main", viewport)


def table(instance: ViewInstance, part: str) -> ViewTable:
    drawn = instance.draw(part, VIEW)
    assert isinstance(drawn, ViewTable), drawn
    return drawn


def at_of(instance: ViewInstance, viewport: Viewport = VIEW) -> Arrangement:
    found = arrangement(instance.context, instance.state, viewport)
    assert found is not None
    return found


def has(drawn: Plot, name: str) -> bool:
    return any(each.name == name for each in drawn.layers)


def say(instance: ViewInstance, kind: EventKind, pane: str = "", **fields: Any) -> tuple[object, ...]:
    return instance.on(ViewEvent(kind, fields.pop("part", "main"), pane, size=SIZE, **fields))[1]


def state(instance: ViewInstance) -> SyncState:
    found = instance.state
    assert isinstance(found, SyncState)
    return found


@pytest.mark.parametrize("part", ["main", "threads", "totals", "waits", "objects", "path", "what-if", "estimate"])
@pytest.mark.parametrize("calls", [0, 1, 300])
def test_every_part_draws_whatever_the_trace(part: str, calls: int) -> None:
    instance = started(random_trace(1, calls, 3))
    assert isinstance(instance.draw(part, VIEW), Plot | ViewTable)
    assert isinstance(instance.draw(part, Viewport(90.0, 60.0)), Plot | ViewTable)


def test_threads_alone_in_the_straight_view_and_the_others_in_a_semicircle() -> None:  # ST-3
    at = at_of(started())
    assert isinstance(at.panes[at.at.main].shape, BoxShape)
    sectors: Any = [at.panes[thread].shape for thread in at.at.ring]
    assert len({(sector.cx, sector.cy, sector.r0) for sector in sectors}) == 1
    assert all(sector.a0 > sector.a1 for sector in sectors)
    assert sectors[0].a0 == pytest.approx(np.pi)
    assert sectors[-1].a1 == pytest.approx(0.0)
    assert all(one.a1 > other.a0 for one, other in pairwise(sectors))


def test_neighbours_differ_in_colour_after_ten_thousand_changes() -> None:  # ST-3
    chance = random.Random(3)
    ring, main = list(range(1, 44)), 0
    gone: list[int] = []
    colors: dict[int, int] = {}
    for _ in range(10_000):
        before, colors = colors, colors | colored(Placed(main, tuple(ring)), colors)
        shown = [colors[thread] for thread in ring]
        assert all(one != other for one, other in pairwise(shown))
        assert colors[main] not in shown
        changed = {thread for thread in ring if before.get(thread, colors[thread]) != colors[thread]}
        assert len(changed) <= len(ring) // 2
        one, other = chance.randrange(len(ring)), chance.randrange(len(ring))
        match chance.randrange(4):
            case 0:
                ring[one], ring[other] = ring[other], ring[one]
            case 1:
                main, ring[one] = ring[one], main
            case 2 if len(ring) > 3:
                gone.append(ring.pop(one))
            case _ if gone:
                ring.insert(one, gone.pop(chance.randrange(len(gone))))
    assert COLORS >= 4  # left, right, main, and one that is free


def test_a_swap_of_two_far_from_each_other_changes_no_colour_that_fits() -> None:  # ST-3
    before = colored(Placed(0, (1, 2, 3, 4, 5, 6)), {})
    assert colored(Placed(0, (1, 2, 3, 4, 5, 6)), before) == before
    after = colored(Placed(0, (1, 2, 3, 4, 6)), before)
    assert sum(after[thread] != before[thread] for thread in after) <= 1


def test_places_and_their_inverses_agree_in_both_kinds_of_panes() -> None:
    at, chance = at_of(started()), np.random.default_rng(1)
    for thread in at.at.every:
        pane = at.panes[thread]
        x, y = chance.uniform(*pane.x, 200), chance.uniform(*pane.y, 200)
        px, py = locate(pane, x, y)
        again = locate(pane, *place(pane, px, py))
        assert np.abs(np.stack(again) - np.stack((px, py))).max() < 0.01


@pytest.mark.parametrize("wrapped", [0, 3])
def test_every_curve_begins_and_ends_on_its_calls_bars(wrapped: int) -> None:
    """ST-4: in both kinds of panes, at all levels."""
    instance = started(schedule(7, 8, 30, wrapped).trace)
    at, known = at_of(instance), known_in(instance.context)
    assert known is not None
    seen = seen_in(instance.context, at, known)
    rows = np.concatenate((seen.rows, seen.rest))
    assert len(rows) > 50
    where, pairs, origin = anchors(at, known, rows), known.pairs, at.trace.span[0]
    shown = set[tuple[str, bool]]()
    for end, point, thread, call, time in (
        ("start", where.start, pairs.waiting_thread, pairs.waiting, pairs.wait_start),
        ("end", where.end, pairs.waiting_thread, pairs.waiting, pairs.wait_end),
        ("release", where.release, pairs.releasing_thread, pairs.releasing, pairs.moment),
    ):
        for place_, row in zip(point, rows.tolist(), strict=True):
            pane = at.panes[int(thread[row])]
            shown.add((end, isinstance(pane.shape, BoxShape)))
            x, y = place(pane, *place_)
            depth, own = int(at.trace.calls.depth[call[row]]), int(call[row])
            assert at.tops[depth] < y < at.tops[depth + 1]
            assert x == pytest.approx(time[row] - origin, rel=1e-6, abs=1e-3 * (at.trace.span[1] - origin))
            assert at.trace.calls.start[own] - origin - 1 <= time[row] - origin <= at.trace.calls.end[own] - origin + 1
    assert shown == {(end, straight) for end in ("start", "end", "release") for straight in (True, False)}
    shapes = outlines(where, at.center)
    assert np.abs(shapes[:, 0] - where.start).max() < 1.5
    assert np.abs(shapes[:, -1] - where.end).max() < 1.5
    middle = shapes.shape[1] // 2
    assert np.abs(shapes[:, middle - 1 : middle + 1].mean(axis=1) - where.release).max() < 1.5


def zoomed(instance: ViewInstance, thread: int, low: float, high: float) -> None:
    pane = at_of(instance).panes[thread]
    say(instance, EventKind.RANGE, pane.name, range=Range((low, high), pane.y))


def test_a_release_outside_of_its_window_is_paler_and_has_no_circle() -> None:  # ST-4
    instance = started()
    at, known = at_of(instance), known_in(instance.context)
    assert known is not None
    long = at.trace.span[1] - at.trace.span[0]
    releaser = int(np.bincount(known.pairs.releasing_thread[known.pairs.primary]).argmax())
    before = layer(plot(instance), "curves releases")
    zoomed(instance, releaser, 0.4 * long, 0.5 * long)
    drawn, at = plot(instance), at_of(instance)
    curves = layer(drawn, "curves")
    moment = known.pairs.moment[curves.item] - at.trace.span[0]
    outside = (known.pairs.releasing_thread[curves.item] == releaser) & ((moment < 0.4 * long) | (moment > 0.5 * long))
    assert outside.any()
    alpha = np.asarray(curves.color)[:, 3]
    assert alpha[outside].max() < alpha[~outside].min()
    discs = layer(drawn, "curves releases")
    assert not set(discs.item.tolist()) & set(curves.item[outside].tolist())
    assert len(discs.item) < len(before.item)


def test_no_curve_without_a_visible_part_of_its_wait() -> None:  # ST-4
    instance = started()
    at, known = at_of(instance), known_in(instance.context)
    assert known is not None
    long = at.trace.span[1] - at.trace.span[0]
    waiter = int(np.bincount(known.pairs.waiting_thread[known.pairs.primary]).argmax())
    zoomed(instance, waiter, 0.2 * long, 0.25 * long)
    rows = layer(plot(instance), "curves").item
    own = rows[known.pairs.waiting_thread[rows] == waiter]
    origin = at.trace.span[0]
    assert (
        (known.pairs.wait_end[own] - origin >= 0.2 * long) & (known.pairs.wait_start[own] - origin <= 0.25 * long)
    ).all()
    shown = {each.name for each in plot(instance).layers}
    assert any(name.startswith("waits ") for name in shown)
    assert any(name.startswith("wait begins ") for name in shown)


def test_the_longest_waits_are_drawn_at_once_and_the_rest_follow_and_are_counted() -> None:  # ST-4
    instance = started(trace_of(40, 120))
    known, at = known_in(instance.context), at_of(instance)
    assert known is not None
    seen = seen_in(instance.context, at, known)
    long = known.pairs.wait_end - known.pairs.wait_start
    assert (np.diff(long[np.concatenate((seen.rows, seen.rest))]) <= 0).all()
    assert long[seen.rows].min() >= np.sort(long)[::-1][: MOST_AT_ONCE + 1].min()
    assert len(seen.rest) > 1000
    first = plot(instance)
    assert set(layer(first, "curves").item.tolist()) == set(seen.rows.tolist())
    assert layer(first, "legend count").text == (f"150 of {seen.count:,} waits are drawn, the longest first.",)
    assert not has(first, "more curves")
    (need,) = instance.wanted()
    handed: list[MoreCurves] = []
    whole = make(need, first=handed.append)
    assert [each.count for each in handed][:2] == [1000, 2000]
    assert whole.count == len(seen.rest)
    instance.needs.first(need, handed[0])
    assert layer(plot(instance), "legend count").text[0].startswith("1,150 of")
    instance.needs.take(need, whole)
    drawn = plot(instance)
    assert layer(drawn, "legend count").text == ("",)
    assert layer(drawn, "curves") is layer(first, "curves")
    more = layer(drawn, "more curves")
    assert set(np.unique(more.item).tolist()) <= {-1, *seen.rest.tolist()}
    assert len(np.unique(more.item)) > 200  # one hides another
    moving = plot(instance, replace(VIEW, moving=True))
    assert layer(moving, "curves") is layer(first, "curves")
    assert not has(moving, "more curves")
    assert instance.wanted() == ()  # nothing is begun while it moves
    assert not has(plot(started(curves=False)), "curves")


def test_of_a_condition_the_signal_is_told_before_its_mutex() -> None:  # ST-2
    instance = started()
    known = known_in(instance.context)
    assert known is not None
    pairs = known.pairs
    twice = np.intersect1d(pairs.wait[~pairs.primary], pairs.wait[pairs.primary])
    row = int(twice[twice >= 0][0])
    told = [pair_lines(known.trace, known, int(pair)) for pair in np.flatnonzero(pairs.wait == row)]
    assert len(told) > 1
    assert len(set(told)) == 1
    assert told[0][1].startswith("condition ")
    assert "given back" in told[0][2]


def test_waits_that_nothing_ended_have_a_mark_and_no_curve_where_they_are_seen() -> None:
    instance = started()
    known = known_in(instance.context)
    assert known is not None
    whole = plot(instance)
    assert not has(whole, "timed out")  # a free lock is taken without a release: too short to be seen, and no mark
    waits, origin, row = known.trace.table("waits"), known.trace.span[0], int(known.pairs.unexplained[0])
    low, high = (float(waits[name][row]) - origin for name in ("start", "end"))
    instance.state = replace(instance.state, window=(low - (high - low), high + (high - low)))
    drawn = plot(instance)
    assert row in layer(drawn, "timed out").item
    marks = {name: set(layer(drawn, name).item.tolist()) for name in ("timed out", "never ended") if has(drawn, name)}
    assert row in marks["timed out"]
    assert marks["timed out"] <= set(known.pairs.unexplained.tolist())
    assert marks.get("never ended", set()) <= set(known.pairs.open.tolist())
    curved = set(known.pairs.wait[layer(drawn, "curves").item].tolist())
    assert not curved & set().union(*marks.values())


def holds(outline: np.ndarray, places: np.ndarray) -> np.ndarray:
    """bool[n]: which places (float64[n, 2]) lie in a closed outline by the even-odd rule, by which areas are filled."""
    x, y = outline[:, 0], outline[:, 1]
    x2, y2 = np.roll(x, -1), np.roll(y, -1)
    px, py = places[:, :1], places[:, 1:]
    cuts = (y <= py) != (y2 <= py)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = x + (py - y) / (y2 - y) * (x2 - x) > px
    inside: np.ndarray = (cuts & right).sum(axis=1) % 2 == 1
    return inside


@pytest.mark.parametrize(("size", "threads", "wrapped"), [(SIZE, 20, 4), ((520.0, 420.0), 9, 3)])
def test_aggregated_paths_enclose_the_anchors_of_their_members(
    size: tuple[float, float], threads: int, wrapped: int
) -> None:
    """ST-5, in pixels: waits and releases lie at their calls' depths; the release side is concave nevertheless."""
    instance = started(schedule(7, threads, 60, wrapped).trace)
    at, known = at_of(instance, Viewport(*size)), known_in(instance.context)
    assert known is not None
    pairs, depth = known.pairs, at.trace.calls.depth
    paths, deep, main = 0, 0, 0
    for thread in at.at.every:
        found = gathered(at, known, thread, bars_in(instance.context, at, thread))
        rows, member = found.rows, found.member
        assert (pairs.waiting_thread[rows] == thread).all()
        assert (found.releasing[member] == pairs.releasing_thread[rows]).all()
        assert found.count.sum() == len(rows)
        where, shapes = anchors(at, known, rows), path_outlines(at, known, thread, found)
        paths += len(shapes)
        deep += int((depth[pairs.releasing[rows]] > 0).sum())
        main += int((found.releasing == at.at.main).sum())
        for path, shape in enumerate(shapes):
            own = member == path
            for place_ in (where.start, where.end, where.release):
                assert holds(shape, place_[own]).all()
            hollow = np.hypot(*(shape[PIECES + 1 : PIECES + 2 + ACROSS] - np.array(at.center)).T)
            corners = shape[[PIECES + 1, PIECES + 1 + ACROSS]] - np.array(at.center)
            assert hollow[ACROSS // 2] < np.hypot(*corners.mean(axis=0))  # nearer to the centre than a straight side
    assert paths > 50
    assert deep > 100
    assert main > 0


def test_aggregated_paths_are_hidden_until_their_thread_is_pointed_at() -> None:  # ST-5
    instance = started(trace_of(40, 120))
    assert not has(plot(instance), "gathered")
    at = at_of(instance)
    pane = next(
        at.panes[each]
        for each in at.at.ring
        if len(gathered(at, known_in(instance.context), each, bars_in(instance.context, at, each)).begin)  # type: ignore[arg-type] # found
    )
    say(instance, EventKind.HOVER, pane.name, x=1.0, y=0.5)
    drawn = plot(instance)
    names = [each.name for each in drawn.layers]
    assert names.index("gathered") < names.index("curves")
    assert names.index("gathered over bars") < names.index("curves over bars")
    say(instance, EventKind.LEAVE)
    assert not {"gathered", "gathered over bars"} & {each.name for each in plot(instance).layers}


def test_colours_say_what_calls_do() -> None:  # ST-7
    wait, io, duration = np.array([0, 5, 5, 0, 9, 2]), np.array([0, 0, 5, 5, 10, 0]), np.array([10, 10, 10, 10, 20, 10])
    assert activities(wait, io).tolist() == [BUSY, WAITS, WAITS, IO, IO, WAITS]
    for theme in THEMES.values():
        color = call_colors(wait, io, duration, theme).astype(int)
        assert color[1, 1] > color[1, 0]  # green
        assert color[3, 0] > color[3, 1]  # red
        pale, strong = color[5], color[1]
        assert abs(pale[1] - pale[0]) < abs(strong[1] - strong[0])  # the stronger, the more of the call it is


@given(st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=40, deadline=None)
def test_a_pure_wait_is_never_red(wait: int, io: int) -> None:  # ST-7: the printed ratio would paint it so
    what = activities(np.array([wait]), np.array([io]))[0]
    assert (what == IO) == (io > wait)


def test_reading_and_writing_is_hatched_besides() -> None:  # not by colour alone
    trace = random_trace(2, 60, 2)
    rows = np.arange(0, 20, dtype=np.uint32)
    io = Table({"call": rows, "kind": 0 * rows, "start": trace.calls.start[rows], "end": trace.calls.end[rows]})
    drawn = plot(started(replace(trace, tables={**trace.tables, "io": io})))
    hatched = [each for each in drawn.layers if isinstance(each, Bars) and each.name.startswith("io ")]
    assert hatched
    assert all(each.pattern == "diagonal" for each in hatched)


def test_objects_of_one_thread_alone_are_grey_and_a_wait_compares_the_others_with_it() -> None:  # ST-7
    instance = started(color="object")
    known, drawn = known_in(instance.context), plot(instance)
    assert known is not None
    curves = layer(drawn, "curves")
    alone = ~known.several(known.pairs.object[curves.item])
    grey = (np.asarray(curves.color)[:, :3] == instance.context.theme.other[:3]).all(axis=1)
    assert (grey == alone).all()
    row = int(curves.item[-1])
    say(instance, EventKind.HOVER, hit=Hit("curves", row))
    compared = layer(plot(instance), "curves")
    same, shares = alike(known, row, compared.item.astype(np.int64))
    assert same[compared.item.tolist().index(row)]
    assert len(np.unique(np.asarray(compared.color)[same, :3], axis=0)) == 1
    grey = (np.asarray(compared.color)[:, :3] == instance.context.theme.other[:3]).all(axis=1)
    assert (grey == ~shares).all()


def test_fifty_threads_have_names_that_do_not_overlap_and_room() -> None:
    trace = random_trace(1, 6, 50)
    names = tuple(f"ThreadPoolExecutor-0_{number}" for number in range(50))
    trace = replace(trace, threads=replace(trace.threads, name=names))
    instance = started(trace)
    for wide in (-1, at_of(instance).at.ring[20]):
        if wide >= 0:
            say(instance, EventKind.CLICK, hit=Hit("thread names", wide))
        at = at_of(instance)
        assert len(at.at.every) == 50
        for thread in at.at.ring:
            assert at.pixels[thread] >= (300 if thread == wide else 30)
        labels = layer(plot(instance), "thread names")
        assert isinstance(labels, Labels)
        long = [VIEW.measure(text, NAME_SIZE, False) for text in labels.text]
        boxes = [(x, y, w) for (x, y), w in zip(label_boxes(at, long), long, strict=True)]
        for number, (x, y, w) in enumerate(boxes):
            assert w / 2 <= x <= SIZE[0] - w / 2
            assert LINE / 2 <= y <= SIZE[1] - LINE
            for a, b, c in boxes[:number]:
                assert abs(a - x) >= (w + c) / 2 or abs(b - y) >= LINE - 1e-9
        assert len(set(labels.text)) == 49
        assert not has(plot(instance), "empty")


def test_short_names_keep_both_ends() -> None:
    assert short_name("worker-12", 500.0, VIEW.measure) == "worker-12"
    short = short_name("ThreadPoolExecutor-0_12", 60.0, VIEW.measure)
    assert short.endswith("_12")
    assert "…" in short
    assert VIEW.measure(short, NAME_SIZE, False) <= 60


def test_each_thread_has_its_own_window_and_one_key_aligns_them() -> None:  # ST-6
    instance = started()
    at = at_of(instance)
    one, other = at.at.ring[:2]
    long = at.trace.span[1] - at.trace.span[0]
    zoomed(instance, one, 0.25 * long, 0.5 * long)
    at = at_of(instance)
    assert at.windows[one] == pytest.approx((0.25 * long, 0.5 * long))
    assert at.windows[other] == at.windows[at.at.main] == (0.0, long)
    say(instance, EventKind.HOVER, at.panes[one].name, x=0.3 * long, y=0.5)
    (request,) = say(instance, EventKind.KEY, key="a")
    assert isinstance(request, SetFocus)
    instance.look_at(request.focus)
    assert len(set(at_of(instance).windows.values())) == 1
    assert at_of(instance).windows[other] == pytest.approx((0.25 * long, 0.5 * long), abs=1)


def test_threads_swap_hide_and_come_back() -> None:  # ST-6
    instance = started()
    at = at_of(instance).at
    one, other = at.ring[1], at.ring[4]
    press = ViewEvent(EventKind.PRESS, "main", hit=Hit("thread names", one), size=SIZE)
    instance.on(press)
    say(instance, EventKind.DROP, at_of(instance).panes[other].name, start=press)
    after = at_of(instance).at
    assert after.ring.index(one) == 4
    assert after.ring.index(other) == 1
    (said,) = say(instance, EventKind.DOUBLE, hit=Hit("thread names", one))
    assert isinstance(said, Say)
    assert one not in at_of(instance).at.every
    assert one not in (table(instance, "threads").marked or ())
    say(instance, EventKind.CHECK, part="threads", hit=Hit("", one))
    assert one in at_of(instance).at.every
    main = at_of(instance).at.main
    say(instance, EventKind.ROW, part="threads", hit=Hit("", other))
    now = at_of(instance).at
    assert now.main == other
    assert now.ring.index(main) == 1
    for _ in range(20):
        say(instance, EventKind.DOUBLE, hit=Hit("discs", at_of(instance).at.main))
    assert len(at_of(instance).at.every) == 1
    say(instance, EventKind.KEY, key="H")
    assert set(at_of(instance).at.every) == set(at.every)


def test_splitter_radius_and_folding_follow_a_drag_and_return() -> None:  # ST-6
    instance = started()
    before, at = state(instance), at_of(instance)
    for hit, pane, check in (
        (Hit("splitter", 0), "", lambda now: now.split - at.split == pytest.approx(100.0)),
        (Hit("radius", 0), "", lambda now: now.radii[0] < at.radii[0] - 40),
        (Hit(), at.panes[at.at.main].name, lambda now: now.tops[-1] < at.tops[-1]),
    ):
        by = 100.0 if hit.layer == "splitter" else -50.0
        press = ViewEvent(EventKind.PRESS, "main", pane, px=500.0, py=400.0, hit=hit, size=SIZE)
        instance.on(press)
        say(instance, EventKind.DRAG, pane, px=500.0, py=400.0 + by, start=press)
        say(instance, EventKind.DROP, pane, px=500.0, py=400.0 + by, start=press)
        assert check(at_of(instance)), hit
    assert state(instance) != before


def test_pointing_and_moving_draw_no_heavy_layer_anew() -> None:
    instance = started()
    first = plot(instance)
    at = at_of(instance)
    for share in (0.2, 0.4, 0.6):
        say(instance, EventKind.HOVER, at.panes[at.at.ring[0]].name, x=share * at.trace.span[1], y=0.5)
        again = plot(instance)
        heavy = [each for each in first.layers if each.name.startswith(("bars ", "curves", "labels ", "waits "))]
        assert len(heavy) > 10
        assert all(layer(again, each.name) is each for each in heavy)
    zoomed(instance, at.at.ring[0], 0.0, 1000.0)
    again = plot(instance)
    other = f"bars {at.panes[at.at.ring[1]].name}"
    assert layer(again, other) is layer(first, other)


def test_a_picture_is_drawn_in_pieces_and_becomes_the_same() -> None:
    """However short the time, each piece gets further, and nothing is made twice."""
    whole, instance = plot(started()), started()
    pieces = 1
    while (drawn := instance.draw_within("main", VIEW, 0.0)) is None:
        pieces += 1
    assert pieces > 20
    assert isinstance(drawn, Plot)
    assert [each.name for each in drawn.layers] == [each.name for each in whole.layers]
    for one, other in zip(fill(drawn, VIEW).tiles, fill(whole, VIEW).tiles, strict=True):
        assert one is other is None or (one is not None and other is not None and (one.image == other.image).all())
    again = plot(instance)
    heavy = [each for each in drawn.layers if each.name.startswith(("bars ", "curves", "labels "))]
    assert all(layer(again, each.name) is each for each in heavy)


def test_the_main_thread_of_a_large_trace_is_seen_before_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cbvtool.plugin.call_levels.SORTED_AT_ONCE", 10)
    monkeypatch.setattr("cbvtool.plugin.call_levels.EARLY_CALLS", 5)
    instance = opened(SyncTraceView(), random_trace(3, 400, 8))
    assert has(plot(instance), "empty")
    [need] = [each for each in instance.wanted() if each.name == "levels"]
    early: list[Plot] = []

    def first(levels: object) -> None:
        assert instance.needs.first(need, levels)
        early.append(plot(instance))

    instance.needs.take(need, make(need, first=first))
    whole = {each.name: len(each.x0) for each in plot(instance).layers if each.name.startswith("bars ")}
    (seen,) = ({each.name: len(each.x0) for each in one.layers if each.name in whole} for one in early)
    main = f"bars {at_of(instance).panes[at_of(instance).at.main].name}"
    assert seen[main] == whole[main] > 0
    assert 0 < sum(count > 0 for count in seen.values()) < sum(count > 0 for count in whole.values())


def test_tables_tell_who_waits_and_a_row_leads_there() -> None:  # ST-8
    instance = started()
    known = known_in(instance.context)
    assert known is not None
    waits = table(instance, "waits")
    assert (np.diff(np.asarray(waits.columns[1].values, np.int64)) <= 0).all()
    totals, objects = table(instance, "totals"), table(instance, "objects")
    assert len(totals.item) == len(known.totals)
    assert len(objects.item) == len(known.objects)
    over = {column.name: column.values for column in totals.columns}
    assert over["Mostly over"][0] == object_name(known.trace, int(known.totals.object[0]))
    assert over["of it"][0] == pytest.approx(100 * known.totals.of_object[0] / known.totals.total[0], abs=0.05)
    for part in ("waits", "totals", "objects"):
        say(instance, EventKind.ROW, part=part, hit=Hit("", 0))
        row = known.longest
        low, high = at_of(instance).windows[at_of(instance).at.main]
        assert high - low < at_of(instance).trace.span[1] - at_of(instance).trace.span[0]
        assert state(instance).selected in row.call
        drawn = plot(instance)
        if state(instance).wait >= 0:
            assert layer(drawn, "lit").item.tolist() == [state(instance).wait]


def test_tooltips_tell_object_releaser_share_and_usual_duration() -> None:  # ST-8
    instance = started()
    known, at = known_in(instance.context), at_of(instance)
    assert known is not None
    pair = int(np.flatnonzero(known.pairs.primary)[0])
    call, thread = int(known.pairs.waiting[pair]), int(known.pairs.waiting_thread[pair])
    name = f"bars {at.panes[thread].name}"
    time = float(known.pairs.wait_start[pair] - at.trace.span[0])
    say(instance, EventKind.HOVER, at.panes[thread].name, x=time, hit=Hit(name, call))
    lines = "\n".join(instance.tell("main", Hit(name, call)))
    assert "usually" in lines
    assert "waits" in lines
    assert f"by {thread_title(at.trace.threads, int(known.pairs.releasing_thread[pair]))} in" in lines
    assert any(kind in lines for kind in ("mutex", "condition", "semaphore", "event"))
    assert state(instance).hover >= 0
    assert has(plot(instance), "lit")
    assert "of its life" in "\n".join(instance.tell("main", Hit("thread names", thread)))


def test_the_critical_path_is_a_chain_and_a_list() -> None:
    instance = started()
    at = at_of(instance)
    long = float(at.trace.span[1] - at.trace.span[0])
    say(instance, EventKind.HOVER, at.panes[at.at.ring[0]].name, x=0.9 * long, y=0.5)
    say(instance, EventKind.KEY, key="c")
    rows = table(instance, "path")
    assert len(rows.item) > 1
    assert (np.diff(np.asarray(rows.columns[1].values, np.int64)) >= 0).all()
    drawn = plot(instance)
    assert has(drawn, "path leaps")
    say(instance, EventKind.ROW, part="path", hit=Hit("", 1))
    say(instance, EventKind.KEY, key="C")
    assert not has(plot(instance), "path leaps")


def test_a_document_restores_the_view_and_nonsense_is_refused() -> None:
    instance = started()
    at = at_of(instance)
    zoomed(instance, at.at.ring[2], 100.0, 5000.0)
    say(instance, EventKind.DOUBLE, hit=Hit("thread names", at.at.ring[0]))
    say(instance, EventKind.CLICK, hit=Hit("thread names", at.at.ring[3]))
    kept = asdict(state(instance))
    view = SyncTraceView()
    assert view.load(instance.context, kept) == replace(state(instance), hover=-1, over=-1, wait=-1)
    for name, value in (
        ("ring", (0, 99)),
        ("main", 99),
        ("hidden", (-2,)),
        ("ring", (1, 1)),
        ("windows", ((0, 5.0, 1.0),)),
        ("share", 7.0),
        ("radius", -1.0),
        ("upper", -1),
        ("selected", 10**9),
        ("path", (99, 0.0)),
        ("change", ("sleep", 0)),
    ):
        with pytest.raises(ValueError, match=r"."):
            view.load(instance.context, {**kept, name: value})


def test_the_literal_rule_is_a_choice() -> None:  # ST-2
    instance = started(rule="literal")
    known = known_in(instance.context)
    assert known is not None
    assert len(known.pairs) == len(correspondences(trace_of(), "literal"))
    assert isinstance(layer(plot(instance), "curves"), Areas)


def test_waits_are_known_by_the_names_of_functions() -> None:
    """ST-2: a recording without tables of waits, as of Chrome or speedscope, is no picture without waits."""
    instance = started(
        run([(1, "std::mutex::lock", 10, 40, {"this": "0x10"}), (2, "std::mutex::unlock", 30, 31, {"this": "0x10"})])
    )
    assert len(layer(plot(instance), "curves").item) == 1
    assert table(instance, "waits").columns[3].values == ["mutex 0x10"]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_command_draws_the_same_bytes_twice(tmp_path: Path, suffix: str) -> None:
    write_folder(tmp_path / "run", trace_of())
    files = [tmp_path / f"{number}.{suffix}" for number in range(2)]
    for file in files:
        assert main(["trace", "render", "sync", str(tmp_path / "run"), "-o", str(file), "--size", "700x500"]) == DONE
    assert files[0].read_bytes() == files[1].read_bytes()
    assert len(files[0].read_bytes()) > 20_000


def test_the_tooltip_of_an_aggregated_path_tells_its_own_waits_and_all_of_its_threads() -> None:  # ST-5, ST-8
    instance = started(trace_of(40, 120))
    at, known = at_of(instance), known_in(instance.context)
    assert known is not None
    thread = next(one for one in at.at.ring if len(gathered(at, known, one, bars_in(instance.context, at, one)).begin))
    say(instance, EventKind.HOVER, at.panes[thread].name, x=1.0, y=0.5)
    paths = layer(plot(instance), "gathered").item.tolist()
    found = gathered(at, known, thread, bars_in(instance.context, at, thread))
    assert paths == list(range(len(found.begin)))
    parts = 0
    for path in paths:
        rows = found.rows[found.member == path]
        waits = {
            (int(known.pairs.waiting[row]), int(known.pairs.wait_start[row])): int(
                known.pairs.wait_end[row] - known.pairs.wait_start[row]
            )
            for row in rows
        }
        who, own, whole = instance.tell("main", Hit("gathered", path))
        assert who.endswith(f"waits for {thread_title(at.trace.threads, int(found.releasing[path]))}")
        assert f"{len(waits)} wait" in own
        assert duration(sum(waits.values())) in own
        totals = known.totals
        (at_,) = np.flatnonzero((totals.waiting == thread) & (totals.releasing == found.releasing[path]))
        assert f"{int(totals.count[at_]):,} wait" in whole
        assert duration(int(totals.total[at_])) in whole
        parts += totals.count[at_] > len(waits)
    assert parts > 0
