"""Made-up runs of processes on machines, with and without something wrong, whose place is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.trace import Resources, Trace

MS = 1_000_000


class Planted(NamedTuple):
    """What is wrong: ranks, and from when until when, ns."""

    ranks: tuple[int, ...]
    first: int
    last: int


def run_of(spans: list[list[tuple[str, int, int]]], per_machine: int = 8) -> Trace:
    """A trace of ranks that do (state, start, end) one after the other, on machines of so many ranks each."""
    made = TraceBuilder("test", Budget("The trace"))
    rows = []
    for rank, own in enumerate(spans):
        thread = made.thread(rank, rank)
        made.name_thread(thread, f"rank {rank}", f"rank {rank}")
        rows.append(thread)
        for state, start, end in own:
            made.span(thread, made.function(state), start, end)
    machines = -(-len(spans) // per_machine)
    name = [f"machine {each}" for each in range(machines)] + [f"rank {each}" for each in range(len(spans))]
    parent = [-1] * machines + [rank // per_machine for rank in range(len(spans))]
    kind = ["machine"] * machines + ["process"] * len(spans)
    thread_of = [-1] * machines + rows
    tree = Resources(tuple(name), tuple(kind), np.array(parent, np.int32), np.array(thread_of, np.int32))
    return made.trace(made.build(), {}, tree)


def free_run(
    rng: np.random.Generator, ranks: int, steps: int, noise: float, wrong: Planted | None = None, more: str = "wait"
) -> Trace:
    """Init, then steps of compute, send and wait, without a barrier: every step begins at its time.

    wrong  these ranks compute for a third of each step only; the rest is `more`
    """
    step = 10 * MS
    spans: list[list[tuple[str, int, int]]] = []
    for rank in range(ranks):
        begin = int(step * (1 + noise * rng.random()))
        own = [("init", 0, begin)]
        for number in range(1, steps):
            until = (number + 1) * step
            middle = (begin + until) / 2
            ill = wrong is not None and rank in wrong.ranks and wrong.first <= middle < wrong.last
            share = np.clip(rng.normal(0.25 if ill else 0.75, noise * 0.2), 0.05, 0.9)
            computed = begin + int((until - begin) * share)
            sent = computed + int((until - computed) * np.clip(rng.normal(0.4, noise * 0.2), 0.1, 0.9))
            own += [("compute", begin, computed), (more if ill else "send", computed, sent), ("wait", sent, until)]
            begin = until
        spans.append(own)
    return run_of(spans)


def barrier_run(rng: np.random.Generator, ranks: int, steps: int, noise: float, wrong: Planted | None = None) -> Trace:
    """Steps of compute, then a barrier that all leave at once. wrong: these ranks compute twice as long."""
    step = 10 * MS
    time = 0
    spans: list[list[tuple[str, int, int]]] = [[] for _ in range(ranks)]
    for _ in range(steps):
        long = step * np.clip(rng.normal(1.0, noise, ranks), 0.3, 3.0)
        if wrong is not None and wrong.first <= time < wrong.last:
            long[list(wrong.ranks)] *= 2
        until = time + int(long.max()) + MS // 10
        for rank in range(ranks):
            spans[rank] += [("compute", time, time + int(long[rank])), ("barrier", time + int(long[rank]), until)]
        time = until
    return run_of(spans)


def crowded_run(rng: np.random.Generator, ranks: int, steps: int, wrong: tuple[int, int, int] | None = None) -> Trace:
    """Steps of compute, then a barrier, on two processors for all: in each step others are late.

    wrong  a rank that does something else for two thirds of its time, from a step to another
    """
    turn, time = 10 * MS, 0
    spans: list[list[tuple[str, int, int]]] = [[] for _ in range(ranks)]
    for step in range(steps):
        left, begin, done = np.full(ranks, 6), time, np.zeros(ranks, np.int64)
        while left.any():
            ready = np.flatnonzero(left)
            runs = rng.choice(ready, min(2, len(ready)), replace=False)
            left[runs] -= 1
            time += turn
            done[runs] = time
        for rank, until in enumerate(done.tolist()):
            if wrong is not None and rank == wrong[0] and wrong[1] <= step < wrong[2]:
                for at in range(begin, time, turn):
                    spans[rank] += [("compute", at, at + turn // 3), ("hog", at + turn // 3, at + turn)]
            else:
                spans[rank] += [("compute", begin, until), ("barrier", until, time)]
    return run_of(spans)
