"""Traces for tests of what lies along time: random nesting, gaps of all sizes."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.trace import Trace


def random_trace(seed: int, calls: int, threads: int = 1, gap: float = 1000.0, deeper: float = 0.5) -> Trace:
    """Random nested calls: pauses are heavy-tailed up to about `gap` ** 2 ns, some are 0.

    deeper  how likely the next event is a begin
    """
    rng = np.random.default_rng(seed)
    made = TraceBuilder("test", Budget("The trace"))
    names = [made.function(f"function_{n}", f"module_{n % 3}", f"src/m{n % 3}.py", n + 1) for n in range(7)]
    for number in range(threads):
        thread = made.thread(1, number)
        made.name_thread(thread, f"thread {number}", "program")
        time, stack = int(rng.integers(0, 50)), 0
        begun = 0
        while begun < calls or stack:
            pause = 0 if rng.random() < 0.2 else int(gap ** (2 * rng.random()))
            time += pause
            if begun < calls and (stack == 0 or rng.random() < deeper):
                made.begin(thread, names[int(rng.integers(0, 7))], time)
                stack, begun = stack + 1, begun + 1
            else:
                made.end(thread, time)
                stack -= 1
    return made.trace(made.build(), {})


def deep_trace(threads: int, depth: int) -> Trace:
    """Threads that make `depth` calls within one another, each of another function: `level 0`, ..."""
    made = TraceBuilder("test", Budget("The trace"))
    functions = [made.function(f"level {level}") for level in range(depth)]
    for number in range(threads):
        thread = made.thread(1, number)
        for level, function in enumerate(functions):
            made.begin(thread, function, level)
        for level in range(depth):
            made.end(thread, 2 * depth + level)
    return made.trace(made.build(), {})


@st.composite
def timelines(draw: st.DrawFn, most: int = 400) -> Trace:
    """A random trace of one to three threads."""
    return random_trace(
        draw(st.integers(0, 10_000)),
        draw(st.integers(1, most)),
        draw(st.integers(1, 3)),
        draw(st.sampled_from([2.0, 30.0, 3000.0])),
        draw(st.sampled_from([0.1, 0.4, 0.5, 0.7])),
    )


@st.composite
def windows(draw: st.DrawFn, trace: Trace) -> tuple[float, float]:
    """A window of it, ns since its start: all of it or a part, however narrow."""
    length = float(trace.span[1] - trace.span[0])
    part = draw(st.sampled_from([1.0, 0.5, 0.05, 1e-3, 1e-6]))
    at = draw(st.floats(0, 1)) * (1 - part) * length
    return at, at + max(part * length, 1e-3)
