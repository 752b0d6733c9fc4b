"""Traces made up for tests: small, and with everything that a trace may hold."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.table import NO_ROW, SCHEMAS, Table
from cbvtool.trace.model.trace import Functions, Header, Trace

NAMES = ("main", "Shop.order", "<lambda>", "größe", 'a"b,c', "operator<")


def made_trace(seed: int, most: int = 40, tables: bool = True) -> Trace:
    """A trace of up to `most` events in each of up to four threads; the same for the same seed."""
    chance = random.Random(seed)
    builder = TraceBuilder("test", Budget("The trace"))
    builder.describe(program="app.py", arguments=("--fast", "ä"), dirty=True, run=2, clock="monotonic", began=2**60)
    builder.describe(parameters={"size": "large"})
    functions = [builder.function(name, "shop", f"src/{number % 2}.py", number) for number, name in enumerate(NAMES)]
    begun = 0
    for number in range(chance.randrange(5)):
        thread = builder.thread(number // 2, number, chance.choice(("thread", "thread", "async")))
        builder.name_thread(thread, f"T{number}", "app")
        now = chance.randrange(-5, 50)
        builder.alive(thread, now)
        for _ in range(chance.randrange(most)):
            now += chance.choice((0, 1, 1, 3, 20))
            what = chance.randrange(5)
            if what < 2:
                begun = builder.begin(thread, chance.choice(functions), now) + 1
            elif what < 4:
                builder.end(thread, now)
            else:
                begun = builder.span(thread, chance.choice(functions), now, now + chance.randrange(30)) + 1
        if begun and chance.random() < 0.5:
            builder.created_by(thread, chance.randrange(begun))
    builder.omissions["metadata of no use"] += 3
    texts = [builder.pool.number(text) for text in ("", "lock", "x = 1", "漢字")]
    built = builder.build()
    found = {}
    if tables:
        found = {name: _table(chance, name, len(built.calls), len(built.threads), texts) for name in SCHEMAS}
        if len(built.calls):
            calls = np.array([chance.randrange(len(built.calls)) for _ in range(3)], np.uint32)
            found["taxa"] = Table({"call": calls, "weight": np.array([0.5, np.nan, 1], np.float32)})
    return builder.trace(built, found)


def _table(chance: random.Random, name: str, calls: int, threads: int, texts: list[int]) -> Table:
    """Rows that fit a trace of so many calls and threads; its processes and threads are its resources."""
    rows = chance.randrange(6) if calls else 0
    columns: dict[str, list[Any]] = {column: [] for column in SCHEMAS[name]}
    if name == "objects":
        rows = 3
    for _ in range(rows):
        start = chance.randrange(200)
        for column, values in columns.items():
            if column in ("call", "source", "target"):
                none = [NO_ROW] if name == "instants" else []
                values.append(chance.choice([*none, chance.randrange(calls)]))
            elif column == "end":
                values.append(start + chance.randrange(50))
            elif column in ("start", "time", "source_time", "target_time"):
                values.append(start)
            elif column == "thread":
                values.append(chance.randrange(-1, threads))
            elif column == "resource":
                values.append(chance.randrange(threads))
            elif column == "object":
                values.append(chance.randrange(3))
            elif SCHEMAS[name][column] is np.uint32:
                values.append(chance.choice(texts))
            else:
                values.append(chance.randrange(2))
    return Table({column: np.array(values, SCHEMAS[name][column]) for column, values in columns.items()})


def made_profile(seed: int) -> Profile:
    """A calling context tree with two metrics, one of them by place."""
    chance = random.Random(seed)
    n = chance.randrange(1, 12)
    parent = [-1]
    for row in range(1, n):  # a row on the way up from the last one
        above = row - 1
        while above >= 0 and chance.random() < 0.5:
            above = parent[above]
        parent.append(above)
    end_row = list(range(1, n + 1))
    for row in range(n - 1, -1, -1):
        if parent[row] >= 0:
            end_row[parent[row]] = max(end_row[parent[row]], end_row[row])
    values = np.array([chance.choice((0.0, 1.5, np.nan)) for _ in range(2 * n)]).reshape(2, n)
    return Profile(
        Header(program="solver", format="test", parameters={"ranks": "2"}),
        Functions(("a", "b"), ("", "m"), ("a.c", ""), np.array([3, 0], np.int32)),
        np.array([chance.randrange(2) for _ in range(n)], np.uint32),
        np.array(parent, np.int32),
        np.array(end_row, np.int32),
        tuple(chance.choice(("", "a.c")) for _ in range(n)),
        np.zeros(n, np.int32),
        (
            ProfileMetric("time", "ns", False, values[0], values[0], values[1]),
            ProfileMetric("calls", "calls", True, values.mean(0), values.min(0), values.max(0), values),
        ),
        ((0, 0), (1, 0)),
        True,
        {"mended": 1},
        {"left out": 2},
    )


def same(one: Any, other: Any, without: tuple[str, ...] = ("path",)) -> str:
    """Where two values of the model differ first; empty = nowhere."""
    if isinstance(one, np.ndarray):
        equal = isinstance(other, np.ndarray) and one.dtype == other.dtype and one.shape == other.shape
        return "" if equal and one.tobytes() == other.tobytes() else f"{one!r} is not {other!r}"
    if hasattr(one, "__dataclass_fields__"):
        one = {name: getattr(one, name) for name in one.__dataclass_fields__ if name not in without}
        other = {name: getattr(other, name) for name in one}
    if hasattr(one, "items"):
        if set(one) != set(other):
            return f"{sorted(one)} is not {sorted(other)}"
        found = ((name, same(one[name], other[name], without)) for name in one)
        return next((f"{name}: {what}" for name, what in found if what), "")
    if isinstance(one, tuple) and len(one) == len(other):
        return next(filter(None, (same(mine, its, without) for mine, its in zip(one, other, strict=True))), "")
    return "" if one == other else f"{one!r} is not {other!r}"
