"""Flat figures: the compiled pass against a naive one; those of a profile against those of the trace it stands for."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.making.flat import UNKNOWN, flat_figures, flat_of_profile, thread_figures
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Trace
from tests.trace.made import made_trace


def naive(trace: Trace) -> dict[int, tuple[int, int, int, int]]:
    """Function -> calls, total, self, longest, by the words of the definition."""
    calls = trace.calls
    found: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in range(len(calls)):
        thread = int(trace.thread_of(np.array([row]))[0])
        around = [above for above in range(int(trace.threads.ptr[thread]), row) if calls.end_row[above] > row]
        function, time = int(calls.function[row]), int(calls.end[row] - calls.start[row])
        below = [
            other for other in range(row + 1, int(calls.end_row[row])) if calls.depth[other] == calls.depth[row] + 1
        ]
        figures = found[function]
        figures[0] += 1
        figures[1] += time if function not in [int(calls.function[above]) for above in around] else 0
        figures[2] += time - sum(int(calls.end[other] - calls.start[other]) for other in below)
        figures[3] = max(figures[3], time)
    return {function: (a, b, c, d) for function, (a, b, c, d) in found.items()}


@given(st.integers(0, 2**32))
def test_figures_are_those_of_the_definition(seed: int) -> None:
    trace = made_trace(seed, tables=False)
    found = flat_figures(trace)
    columns = (found.count, found.total, found.own, found.longest)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    assert {function: figures for function, figures in enumerate(rows) if figures[0]} == naive(trace)


@given(st.integers(0, 2**32))
def test_figures_of_threads(seed: int) -> None:
    trace = made_trace(seed, tables=False)
    found = thread_figures(trace)
    assert int(found.calls.sum()) == len(trace.calls)
    for thread in range(len(trace.threads)):
        of = trace.calls.function[trace.threads.ptr[thread] : trace.threads.ptr[thread + 1]]
        assert found.functions[thread] == len(set(of.tolist()))
    assert (found.cpu == UNKNOWN).all()


@given(st.integers(0, 2**32), st.booleans())
def test_a_profile_of_the_same_calls_has_the_same_figures(seed: int, inclusive: bool) -> None:
    """A node for each call; time measured with or without what is below: the other one follows."""
    trace = made_trace(seed, tables=False)
    calls, n = trace.calls, len(trace.calls)
    parent = np.full(n, -1, np.int32)
    for row in range(n):
        around = [above for above in range(row) if calls.end_row[above] > row]
        parent[row] = around[-1] if around else -1
    time = (calls.end - calls.start).astype(float)
    if not inclusive:
        for row in range(n):
            if parent[row] >= 0:
                time[parent[row]] -= calls.end[row] - calls.start[row]
    one = np.ones(n)
    metrics = (ProfileMetric("t", "ns", inclusive, time, time, time), ProfileMetric("c", "calls", False, one, one, one))
    nodes = (calls.function, parent, calls.end_row.astype(np.int32), ("",) * n, np.zeros(n, np.int32))
    profile = Profile(trace.header, trace.functions, *nodes, metrics)
    expected, found = flat_figures(trace), flat_of_profile(profile)
    called = expected.count > 0
    for name in ("count", "total", "own"):
        assert getattr(found, name)[called].tolist() == getattr(expected, name)[called].tolist()
        assert (getattr(found, name)[~called] == UNKNOWN).all()
    assert (found.longest == UNKNOWN).all()
