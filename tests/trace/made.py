"""Random traces and profiles for property tests, and whether two are equal."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.table import SCHEMAS, Table
from cbvtool.trace.model.trace import Trace

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
Tree = tuple[int, int, int, list["Tree"]]  # function, pause before, own time before the calls below, calls below

TREES: st.SearchStrategy[Tree] = st.deferred(
    lambda: st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 9), st.lists(TREES, max_size=3))
)


def add_calls(made: TraceBuilder, thread: int, trees: list[Tree], time: int, functions: list[int], shut: bool) -> int:
    """Begins and ends of call trees; the time after them. `shut` = False leaves the last calls open."""
    for place, (function, pause, own, below) in enumerate(trees):
        made.begin(thread, functions[function], time + pause)
        is_last = place == len(trees) - 1 and not shut
        time = add_calls(made, thread, below, time + pause + own, functions, shut or not is_last) + 1
        if not is_last:
            made.end(thread, time, functions[function])
    return time


@st.composite
def traces(draw: st.DrawFn, tables: bool = True) -> Trace:
    made = TraceBuilder("test", Budget("The trace"))
    names = draw(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, st.integers(0, 9)), min_size=4, max_size=4, unique=True))
    functions = [made.function(*name) for name in names]
    for number in range(draw(st.integers(0, 3))):
        thread = made.thread(draw(st.integers(-1, 1)), number)
        made.name_thread(thread, draw(TEXTS), draw(TEXTS))
        if draw(st.booleans()):
            made.mark_sampled(thread)
        trees = draw(st.lists(TREES, max_size=3))
        add_calls(made, thread, trees, draw(st.integers(-5, 5)), functions, draw(st.booleans()))
        made.alive(thread, draw(st.integers(-9, 60)))
    made.describe(
        program=draw(TEXTS),
        arguments=tuple(draw(st.lists(TEXTS, max_size=2))),
        dirty=draw(st.sampled_from([None, True, False])),
        parameters=draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
    )
    made.omissions["things"] += draw(st.integers(0, 2))
    given = {}
    if tables:
        for name in draw(st.sets(st.sampled_from(sorted(SCHEMAS)), max_size=3)):
            rows = draw(st.integers(1, 4))
            given[name] = Table(
                {
                    column: np.array(draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows)), dtype)
                    for column, dtype in SCHEMAS[name].items()
                }
            )
        if draw(st.booleans()):
            name = draw(st.sampled_from(["later", "calls", "X"]))
            given[name] = Table({"value": np.array([1.5, np.inf]), "flag": np.array([True, False])})
        for text in draw(st.lists(TEXTS, max_size=3)):
            made.pool.number(text)
    trace = made.trace(made.build(), given)
    if draw(st.booleans()):
        cpu = np.array(
            draw(st.lists(st.integers(-1, 3), min_size=len(trace.calls), max_size=len(trace.calls))), np.int64
        )
        object.__setattr__(trace.calls, "cpu", cpu)
    return trace


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    made = ProfileBuilder("test", Budget("The profile"))
    names = draw(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, st.integers(0, 9)), min_size=3, max_size=3, unique=True))
    functions = [made.function(*name) for name in names]
    count = draw(st.integers(0, 8))
    for node in range(count):
        parent = draw(st.integers(-1, node - 1))
        made.node(draw(st.sampled_from(functions)), parent, draw(TEXTS), draw(st.integers(0, 9)))
    values = st.floats(0, 1e6)
    if count:
        for _ in range(draw(st.integers(0, 6))):
            node, name = draw(st.integers(0, count - 1)), draw(st.sampled_from("ab"))
            made.add(node, name, draw(values), unit=draw(st.sampled_from(["ns", ""])), inclusive=draw(st.booleans()))
        for _ in range(draw(st.integers(0, 6))):
            place = draw(st.integers(0, 2)), draw(st.integers(-1, 1))
            made.add(draw(st.integers(0, count - 1)), "placed", draw(values), unit="ns", place=place)
        if draw(st.booleans()):
            made.summarise(draw(st.integers(0, count - 1)), "said", 1.0, draw(st.sampled_from([2.0, np.nan])), 3.0)
    graph = draw(st.booleans())
    if graph:
        for _ in range(draw(st.integers(0, 4))):
            pair = draw(st.sampled_from(functions)), draw(st.sampled_from(functions))
            made.pair(*pair, "calls", draw(values), unit="calls")
    return made.profile(sampled=draw(st.booleans()), call_graph=graph)


def assert_same(one: object, other: object, where: str = "") -> None:
    """Equal in every column, types included; what a trace or profile computes does not count."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert isinstance(other, np.ndarray)
        assert one.dtype == other.dtype, where
        assert one.shape == other.shape, where
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f"), where
    elif isinstance(one, Table):
        assert isinstance(other, Table)
        assert_same(dict(one.columns), dict(other.columns), where)
    elif isinstance(one, dict):
        assert isinstance(other, dict)
        assert list(one) == list(other), where
        for key, value in one.items():
            assert_same(value, other[key], f"{where}.{key}")
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):  # type: ignore[arg-type]
            assert_same(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    elif isinstance(one, tuple) and any(isinstance(value, ProfileMetric) for value in one):
        assert isinstance(other, tuple)
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            assert_same(first, second, f"{where}.{first.name}")
    else:
        assert one == other, where
