"""Bars of a window (TV-1, TV-9) and the warp of time (TV-4) against brute force."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.timeline.bars import TimeBars, TimeGrid, bars_of, clustered, grid_of
from cbvtool.trace.timeline.levels import levels_of, parent_of, path_to
from cbvtool.trace.timeline.warp import LINEAR, Floats, Times, Warp, event_queue, held, squeezed, warp_of
from tests.trace.timelines import random_trace, timelines, windows

THETAS = st.sampled_from([0.0, 1e-9, 1e-6, 1e-3, 0.1, 10.0])


def logscale(dt: npt.ArrayLike, theta: float) -> Floats:
    """ln(1 + theta * dt) / theta; dt where theta is 0 (002 §4.1.3)."""
    gaps = np.asarray(dt, np.float64)
    return gaps if theta == 0.0 else np.asarray(np.log1p(theta * gaps) / theta)


def naive_bars(trace: Trace, thread: int, grid: TimeGrid) -> list[tuple[int, int, int, int, int]]:
    """(row, last, count, depth, above) of each bar: the rule of TV-9 call by call."""
    calls, origin = trace.calls, trace.span[0]
    low, high = trace.threads.ptr[thread], trace.threads.ptr[thread + 1]
    scale = (len(grid.edges) - 1) / (grid.right - grid.left)
    window = grid.window

    starts, ends = ((grid.warp.forward(times - origin) - grid.left) * scale for times in (calls.start, calls.end))

    found: list[list[float]] = []
    groups: list[tuple[int, int, int]] = [(-1, int(low), int(high))]
    for depth in range(int(calls.depth[low:high].max(initial=0)) + 1):
        level = len(found)
        for above, begin, end in groups:
            for row in range(begin, end):
                out = calls.end[row] - origin < window[0] or calls.start[row] - origin > window[1]
                if calls.depth[row] != depth or out:
                    continue
                x0 = min(max(float(starts[row]), 0.0), len(grid.edges) - 1.0)
                x1 = min(max(float(ends[row]), x0), len(grid.edges) - 1.0)
                narrow = x1 - x0 < 1
                if len(found) > level and narrow and found[-1][7]:
                    last = found[-1]
                    if (last[8] == above and x0 - last[6] < 1) or int(last[5]) == int(x0):
                        last[1], last[2], last[6], last[8] = row, last[2] + 1, x1, above
                        continue
                found.append([row, row, 1, depth, above, x0, x1, narrow, above])
        groups = [(n, int(b[0]) + 1, int(calls.end_row[int(b[1])])) for n, b in enumerate(found) if n >= level]
    return [tuple(int(value) for value in bar[:5]) for bar in found]  # type: ignore[misc]


def as_tuples(bars: TimeBars) -> list[tuple[int, int, int, int, int]]:
    columns = (bars.row, bars.last, bars.count, bars.depth, bars.above)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@settings(deadline=None)
@given(st.data())
def test_bars_are_those_of_the_rule_call_by_call(data: st.DataObject) -> None:  # TV-1, TV-9
    trace = data.draw(timelines(150))
    window = data.draw(windows(trace))
    warp = warp_of(event_queue(trace), data.draw(THETAS))
    grid = grid_of(window, data.draw(st.sampled_from([1, 7, 100, 1600])), warp, data.draw(st.sampled_from([1.0, 3.0])))
    levels = levels_of(trace)
    for thread in range(len(trace.threads)):
        bars = bars_of(trace, levels, thread, grid)
        assert as_tuples(bars) == naive_bars(trace, thread, grid)


@settings(deadline=None)
@given(st.data())
def test_at_most_two_bars_a_column_and_level_are_drawn(data: st.DataObject) -> None:  # TV-9
    trace = data.draw(timelines(2000))
    grid = grid_of(data.draw(windows(trace)), 40, warp_of(event_queue(trace), data.draw(THETAS)))
    levels = levels_of(trace)
    bars = bars_of(trace, levels, 0, grid)
    assert np.bincount(bars.depth, minlength=1).max() <= 2 * 40
    assert (np.diff(bars.x0)[np.diff(bars.depth) == 0] >= 0).all()
    assert (bars.x1 >= bars.x0).all()
    assert set(bars_of(trace, levels, 0, grid, 2).depth.tolist()) <= {0, 1}


@settings(deadline=None)
@given(st.data())
def test_each_call_of_the_window_is_in_one_bar_of_its_depth(data: st.DataObject) -> None:  # TV-9: nothing is lost
    trace = data.draw(timelines())
    levels = levels_of(trace)
    span = float(trace.span[1] - trace.span[0]) or 1.0
    bars = bars_of(trace, levels, 0, grid_of((0.0, span), 50))
    seen = np.zeros(int(trace.threads.ptr[1]), np.int64)
    for row, last, depth in zip(bars.row.tolist(), bars.last.tolist(), bars.depth.tolist(), strict=True):
        rows = np.arange(row, last + 1)
        seen[rows[trace.calls.depth[rows] == depth]] += 1
    assert (seen == 1).all()
    assert bars.count.sum() == len(seen)


def test_cluster_wise_one_box_stands_for_all_below() -> None:  # TV-9
    trace = random_trace(3, 600, gap=50.0)
    levels = levels_of(trace)
    bars = bars_of(trace, levels, 0, grid_of((0.0, float(trace.span[1])), 60))
    boxes, deepest = clustered(bars)
    assert len(boxes) < len(bars)
    assert boxes.count.sum() == bars.count.sum()
    assert (deepest >= boxes.depth).all()
    merged = {(row, last) for row, last, count, *_ in as_tuples(bars) if count > 1}
    assert merged & set(zip(boxes.row.tolist(), boxes.last.tolist(), strict=True))
    assert not merged & {(int(boxes.row[n]), int(boxes.last[n])) for n in np.flatnonzero(boxes.count == 1)}


@settings(deadline=None)
@given(st.data())
def test_the_warp_agrees_with_brute_force(data: st.DataObject) -> None:  # TV-4
    trace = data.draw(timelines())
    theta = data.draw(THETAS)
    events = event_queue(trace)
    warp = warp_of(events, theta)
    every = np.unique(np.concatenate((trace.calls.start, trace.calls.end, trace.span))) - trace.span[0]
    assert np.array_equal(events, every)
    naive = every[0] + np.concatenate(([0.0], np.cumsum(logscale(np.diff(every), theta))))
    pixel = max(float(naive[-1] - naive[0]), 1e-9) / 1600
    assert np.abs(warp.forward(every) - naive).max() < 0.01 * pixel
    times = np.sort(np.array(data.draw(st.lists(st.floats(-10, float(every[-1]) + 10), min_size=1, max_size=30))))
    assert np.abs(warp.forward(times) - _between(times, every, naive)).max() < 0.01 * pixel + 1e-9
    back = warp.inverse(warp.forward(times))
    assert np.allclose(back, times, rtol=1e-9, atol=1e-6 * max(1.0, float(every[-1])))


def _between(times: Floats, every: Times, naive: Floats) -> Floats:
    inside = np.interp(times, every, naive)
    inside = np.where(times < every[0], naive[0] + times - every[0], inside)
    return np.where(times > every[-1], naive[-1] + times - every[-1], inside)


@settings(deadline=None)
@given(st.data())
def test_order_and_simultaneity_hold_across_threads(data: st.DataObject) -> None:  # TV-4
    trace = data.draw(timelines())
    warp = warp_of(event_queue(trace), data.draw(THETAS))
    times = np.concatenate((trace.calls.start, trace.calls.end)) - trace.span[0]
    order = np.argsort(times, kind="stable")
    steps, warped = np.diff(times[order]), np.diff(warp.forward(times[order]))
    assert (warped[steps == 0] == 0).all()
    assert (warped[steps > 0] > 0).all()


def test_theta_zero_is_exactly_linear() -> None:  # TV-4
    trace = random_trace(1, 500)
    events = event_queue(trace)
    times = np.linspace(0, float(events[-1]), 999)
    assert warp_of(events, 0.0) is LINEAR
    assert np.array_equal(LINEAR.forward(times), times)
    near = warp_of(events, 1e-14)
    assert np.abs(near.forward(times) - times).max() < 1e-5 * events[-1] / 1600
    with pytest.raises(ValueError, match="theta"):
        warp_of(events, -1.0)
    with pytest.raises(ValueError, match="theta"):
        warp_of(events, float("nan"))


@settings(deadline=None)
@given(st.data())
def test_another_theta_holds_a_moment_in_place(data: st.DataObject) -> None:  # TV-4
    trace = random_trace(data.draw(st.integers(0, 99)), 300)
    events, span = event_queue(trace), float(trace.span[1] - trace.span[0])
    before, after = warp_of(events, 0.0), warp_of(events, data.draw(st.sampled_from([1e-6, 1e-3])))
    window = (0.4 * span, 0.5 * span)
    share = data.draw(st.floats(0, 1))
    moment = window[0] + share * (window[1] - window[0])
    new = held(before, after, window, moment, (0.0, span))
    left, at, right = after.forward(np.array([new[0], moment, new[1]])).tolist()
    if new[0] > 0 and new[1] < span:
        assert (at - left) / (right - left) == pytest.approx(share, abs=1e-6)
    assert 0 <= new[0] < new[1] <= span


def test_squeezed_columns_are_those_of_the_gap() -> None:  # TV-4, the ruler
    events = np.array([0, 10, 20, 1_000_000, 1_000_010], np.int64)
    warp: Warp = warp_of(events, 0.1)
    columns = squeezed(warp, (0.0, 1_000_010.0), 10)
    assert columns.min() == 1
    assert columns.max() > 100
    assert (squeezed(LINEAR, (0.0, 10.0), 4) == 1).all()


def test_parents_and_paths() -> None:
    trace = random_trace(5, 300, 2)
    levels = levels_of(trace)
    for row in range(0, len(trace.calls), 7):
        around = [other for other in range(row + 1) if trace.calls.end_row[other] > row]
        around = [other for other in around if trace.thread_of(np.array([other])) == trace.thread_of(np.array([row]))]
        assert path_to(trace, levels, row) == tuple(around)
        assert parent_of(trace, levels, row) == (around[-2] if len(around) > 1 else -1)


def test_a_trace_without_calls_and_a_narrow_window_of_one_time() -> None:
    empty = random_trace(1, 0, 2)
    levels = levels_of(empty)
    assert len(bars_of(empty, levels, 0, grid_of((0.0, 1.0), 100))) == 0
    at_once = random_trace(1, 50, gap=1.0)  # all at one time or nearly
    assert len(bars_of(at_once, levels_of(at_once), 0, grid_of((0.0, 0.0), 100))) == 0
    assert len(bars_of(at_once, levels_of(at_once), 0, grid_of((0.0, 1e-6), 100))) > 0


@pytest.mark.parametrize("relative", [1e-3, 1.0, 100.0])
def test_places_between_knots_are_exact_to_a_hundredth_of_a_pixel(relative: float) -> None:  # TV-4
    rng = np.random.default_rng(3)
    gaps = rng.integers(1, 1000, 400_000)
    gaps[rng.integers(0, len(gaps), 20)] *= 100_000  # idle stretches
    events = np.cumsum(gaps)
    warp = warp_of(events, relative / float(gaps.mean()))
    for window in ((0.0, float(events[-1])), (float(events[1000]), float(events[300_000]) + 0.5)):
        grid = grid_of(window, 20, warp)
        pixel = (grid.right - grid.left) / 20
        assert len(grid.knots.knot) < len(warp.blocks)
        places = np.linspace(grid.left, grid.right, 20_001)
        found = grid.knots.inverse(warp, places)
        assert np.abs(warp.forward(found) - places).max() < 0.01 * pixel
        assert (np.diff(grid.edges) > 0).all()


def test_a_theta_for_which_products_overflow_is_summed_all_the_same() -> None:  # TV-4
    events = np.arange(0, 100, dtype=np.int64) * 10**15
    warp = warp_of(events, 1e30)
    step = np.log1p(1e45) / 1e30
    assert np.allclose(warp.forward(events.astype(np.float64)), step * np.arange(100), rtol=1e-12)
