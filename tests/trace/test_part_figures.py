"""Figures of what is in focus, and which bars stand for functions, against plain counting (VF-3, VF-5)."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.api import Trace
from cbvtool.trace.timeline.bars import bars_of, grid_of
from cbvtool.trace.timeline.brushing import standing_for
from cbvtool.trace.timeline.levels import levels_of, path_to
from cbvtool.trace.timeline.part_figures import NEVER, outermost_time, part_figures
from tests.trace.timelines import timelines, windows


def plainly(trace: Trace, window: tuple[float, float], rows: set[int]) -> list[list[int]]:
    """(calls, total, own, first, deepest, sum of depths) of each function, call by call."""
    calls, origin = trace.calls, trace.span[0]
    low, high = int(np.floor(window[0])) + origin, int(np.ceil(window[1])) + origin
    found = [[0, 0, 0, int(NEVER), -1, 0] for _ in range(len(trace.functions))]
    for row in sorted(rows):
        start, end = int(calls.start[row]), int(calls.end[row])
        if end < low or start > high:
            continue
        inside = min(end, high) - max(start, low)
        own, child = inside, row + 1
        while child < int(calls.end_row[row]):
            own -= max(min(int(calls.end[child]), high) - max(int(calls.start[child]), low), 0)
            child = int(calls.end_row[child])
        of, deep = found[int(calls.function[row])], int(calls.depth[row])
        of[0], of[1], of[2], of[5] = of[0] + 1, of[1] + inside, of[2] + own, of[5] + deep
        of[3], of[4] = min(of[3], start - origin), max(of[4], deep)
    return found


@given(timelines(120), st.data())
def test_figures_of_a_part_are_those_counted_call_by_call(trace: Trace, data: st.DataObject) -> None:
    """VF-5: subtrees, several beside one another or in one another, and paths; in any window."""
    window = data.draw(windows(trace))
    some = data.draw(st.lists(st.integers(0, len(trace.calls) - 1), max_size=3))
    ranges = tuple((row, int(trace.calls.end_row[row])) for row in some)
    path = path_to(trace, levels_of(trace), data.draw(st.integers(0, len(trace.calls) - 1)))
    found = part_figures(trace, window, ranges, path)
    rows = {row for low, high in ranges for row in range(low, high)} | set(path)
    columns = (found.count, found.total, found.own, found.first, found.deepest, found.depths)
    assert np.column_stack(columns).tolist() == plainly(trace, window, rows)


@given(timelines(120), st.integers(1, 4), st.booleans(), st.data())
def test_the_time_of_a_group_counts_its_outermost_calls_alone(
    trace: Trace, groups: int, everything: bool, data: st.DataObject
) -> None:
    """VF-5: of a file, whose calls call one another; over subtrees, paths, and all threads; no more than it ran."""
    window = data.draw(windows(trace))
    group = np.arange(len(trace.functions)) % (groups + 1) - 1
    ptr, calls = trace.threads.ptr.tolist(), trace.calls
    ranges, path = tuple(itertools.pairwise(ptr)), tuple[int, ...]()
    if not everything:
        some = data.draw(st.lists(st.integers(0, len(calls) - 1), max_size=3))
        ranges = tuple((row, int(calls.end_row[row])) for row in some)
        path = path_to(trace, levels_of(trace), data.draw(st.integers(0, len(calls) - 1)))
    found = outermost_time(trace, window, ranges, path, group, groups)
    low, high = (int(of(time)) + trace.span[0] for of, time in zip((np.floor, np.ceil), window, strict=True))
    rows = {row for first, last in ranges for row in range(first, last)} | set(path)
    plain = [0] * groups
    for row in rows:
        of = int(group[calls.function[row]])
        around = [each for each in rows if each < row < calls.end_row[each] and group[calls.function[each]] == of]
        if of >= 0 and not around and calls.end[row] >= low and calls.start[row] <= high:
            plain[of] += min(int(calls.end[row]), high) - max(int(calls.start[row]), low)
    assert found.tolist() == plain
    if len(trace.threads) == 1:
        assert max(plain) <= trace.span[1] - trace.span[0]


@given(timelines(300), st.sampled_from([3.0, 40.0, 2000.0]), st.integers(0, 127))
def test_a_bar_stands_for_every_call_that_is_merged_in_it(trace: Trace, pixels: float, bits: int) -> None:
    """VF-3: the way from the code to the calls leaves none out, however narrow."""
    levels = levels_of(trace)
    marked = np.array([bits >> number & 1 for number in range(len(trace.functions))], np.bool_)
    for thread in range(len(trace.threads)):
        bars = bars_of(trace, levels, thread, grid_of((0.0, float(trace.span[1] - trace.span[0])), pixels))
        expected = []
        for row, last, depth in zip(bars.row, bars.last, bars.depth, strict=True):
            here = levels.rows(thread, int(depth)).astype(np.int64)
            same = here[(here >= row) & (here <= last)]
            same = same[marked[trace.calls.function[same]]]
            expected.append(int(same[0]) if len(same) else -1)
        assert standing_for(trace, levels, thread, bars, marked).tolist() == expected
