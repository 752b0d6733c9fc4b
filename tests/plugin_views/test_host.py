"""The host of views: what it keeps, what it takes from documents, and what it does about faults."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.api import (
    Bars,
    ChoiceParameter,
    EventKind,
    FileParameter,
    Focus,
    Hit,
    Need,
    NumberParameter,
    Plot,
    SetFocus,
    SliderParameter,
    SwitchParameter,
    TextParameter,
    ViewColumn,
    ViewEvent,
    Viewport,
    ViewTable,
    state_of,
)
from cbvtool.errors import InputError
from cbvtool.geometry.colors import LIGHT
from cbvtool.plugin.parts import parts_of
from cbvtool.plugin.states import data_of, must_be_small
from cbvtool.session.plugin_views.drawn import must_be_drawable
from cbvtool.session.plugin_views.instance import ViewFailure
from cbvtool.session.plugin_views.memo import BoundedMemo, same
from cbvtool.session.plugin_views.needs import NeedResults
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, why_not
from cbvtool.session.plugin_views.tables import cell, table_plot, table_text
from cbvtool.session.plugin_views.values import kept_values, set_from_text, text_of_file, values_of
from plugins.synctrace.view import SyncTraceView
from plugins.tracevis.view import TraceVisView
from plugins.viewfusion.view import ViewFusionView
from tests.plugin_views.opened import drawn_plot, opened
from tests.plugin_views.views import DiffView, FaultyState, FaultyView, RunsView, SyncState, SyncView, small_trace
from tests.trace.timelines import random_trace

VIEWPORT = Viewport(400, 300)

# -- the memo --


def test_the_memo_compares_arrays_by_identity_and_numbers_by_value() -> None:
    memo, calls = BoundedMemo(), []

    def double(values: np.ndarray, by: float) -> np.ndarray:
        calls.append(by)
        return values * by

    one = np.arange(3)
    first = memo(double, one, 2.0)
    assert memo(double, one, 2.0) is first
    assert memo(double, one.copy(), 2.0) is not first
    assert memo(double, one, by=2.0) is not first
    assert memo(double, one, 3.0) is not first
    assert len(calls) == 4


@given(st.lists(st.integers(0, 20), max_size=60))
def test_the_memo_is_bounded(asked: list[int]) -> None:
    """It never keeps more than it may, and always gives what the function gives."""
    memo = BoundedMemo(results=5, size=1000)
    for number in asked:
        assert memo(np.full, number, 7.0).tolist() == [7.0] * number
        assert len(memo) <= 5


def test_the_memo_forgets_large_results_first_asked() -> None:
    memo = BoundedMemo(results=100, size=1000)
    first = memo(np.zeros, 100)
    memo(np.zeros, 50)
    assert len(memo) == 1
    assert memo(np.zeros, 100) is not first


def test_one_and_true_are_not_the_same() -> None:
    array = np.zeros(2)
    assert len({same(1), same(1.0), same(True), same("1"), same((1,)), same((1.0,))}) == 6
    assert same((array, 1)) == same((array, 1))
    assert same(Focus(0, (1, 2))) == same(Focus(0, (1, 2)))


# -- needs --


def need(name: str = "a", *of: object) -> Need:
    return Need(name, "something", _nothing, of)


def _nothing(*of: object, progress: object) -> None:
    """The work."""


def test_the_latest_of_a_need_wins() -> None:
    """What is declared anew makes results of the former void; the former result stays until then."""
    needs = NeedResults()
    (one,) = needs.declare([need("a", 1)])
    assert needs.take(one, "one")
    (two,) = needs.declare([need("a", 2)])
    assert needs.found == {"a": "one"}
    (three,) = needs.declare([need("a", 3)])
    assert not needs.take(two, "two")
    assert not needs.first(two, "two")
    assert [each.of for each in needs.making] == [(3,)]
    assert needs.first(three, "thr")
    assert needs.take(three, "three")
    assert needs.declare([need("a", 3)]) == ()
    assert needs.found == {"a": "three"}
    assert needs.making == ()


def test_a_need_that_goes_takes_its_result_along() -> None:
    needs = NeedResults()
    (one,) = needs.declare([need("a", 1)])
    needs.declare([])
    assert not needs.take(one, "one")
    assert needs.found == {}


def test_a_need_that_failed_is_not_made_again_until_it_is_another() -> None:
    needs = NeedResults()
    (one,) = needs.declare([need("a", 1)])
    assert needs.fail(one, "it failed")
    assert needs.declare([need("a", 1)]) == ()
    assert needs.failed == {"a": "it failed"}
    assert len(needs.declare([need("a", 2)])) == 1
    assert needs.failed == {}
    needs.fail(one, "of nobody")
    assert needs.failed == {}


def test_a_failed_need_can_be_retried() -> None:
    needs = NeedResults()
    (one,) = needs.declare([need("a", 1)])
    needs.fail(one, "it failed")
    needs.retry()
    assert len(needs.declare([need("a", 1)])) == 1


def test_going_back_to_what_is_made_makes_nothing() -> None:
    """A slider that is moved and moved back: what is being made meanwhile is void."""
    needs = NeedResults()
    (one,) = needs.declare([need("a", 1)])
    needs.take(one, "one")
    (two,) = needs.declare([need("a", 2)])
    assert needs.declare([need("a", 1)]) == ()
    assert not needs.take(two, "two")
    assert needs.found == {"a": "one"}


# -- states --


@dataclass(frozen=True)
class Inner:
    number: int = 3


@dataclass(frozen=True)
class Kept:
    text: str = "x"
    share: float = 0.5
    rows: tuple[int, ...] = ()
    chosen: frozenset[int] = frozenset()
    inner: Inner = Inner()
    maybe: tuple[float, float] | None = None


@given(
    st.builds(
        Kept,
        st.text(st.characters(codec="utf-8"), max_size=20),
        st.floats(allow_nan=False, allow_infinity=False),
        st.lists(st.integers(-(2**53), 2**53)).map(tuple),
        st.frozensets(st.integers(0, 99)),
        st.builds(Inner, st.integers(-9, 9)),
        st.none() | st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    )
)
def test_a_state_comes_back_from_its_data(state: Kept) -> None:
    assert state_of(Kept, data_of(state)) == state


@pytest.mark.parametrize(
    "data",
    [{"text": 3}, {"rows": ["a"]}, {"rows": 7}, {"inner": []}, {"maybe": [1.0]}, {"share": "nan"}, {"rows": [10**400]}],
)
def test_data_of_other_types_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - msgspec's words
        state_of(Kept, data)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["radius", "window", "x"]), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["radius", "window", "bent", "x"]), json))
def test_no_data_of_a_document_stops_a_view(data: dict[str, Any]) -> None:
    """It opens with that state or afresh, says nothing, and draws."""
    said: list[str] = []
    instance = opened(SyncView(), small_trace(), said=said, data=data)
    assert isinstance(instance.state, SyncState)
    assert said == []


@pytest.mark.parametrize(
    "data",
    [
        {"names": ["x" * 300_000]},
        {"names": ["x"] * 30_000},
        {"x" * 300_000: 1},
        {"names": [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]},
    ],
)
def test_data_beyond_all_measure_never_reaches_the_view(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"more than|nested"):
        must_be_small(data)
    assert opened(FaultyView("load"), small_trace(), data=data).state == FaultyState()


def test_a_state_that_is_no_plain_data_is_not_kept() -> None:
    said: list[str] = []
    instance = opened(FaultyView(), small_trace(), said=said)
    instance.state = replace(instance.state, names=np.zeros(3))
    assert instance.data() == {}
    assert said == ["has a state that cannot be kept: ndarray is no plain value"]


# -- parameters --

PARAMETERS = (
    SliderParameter("theta", "Theta", 0.01, 10, 0, log=True, zero=True),
    NumberParameter("rows", "Rows", 1, 9, 5),
    ChoiceParameter("by", "By", (("time", "Time"), ("calls", "Calls")), "time"),
    SwitchParameter("bent", "Bent"),
    TextParameter("text", "Text", longest=3),
    FileParameter("file", "File"),
)


def test_a_file_of_a_parameter_has_a_limit(tmp_path: Path) -> None:
    file = tmp_path / "f.csv"
    file.write_bytes(b"x" * (16 * 2**20 + 1))
    with pytest.raises(InputError, match=r"f\.csv is larger than 16 MB\.$"):
        text_of_file(file)


def test_values_are_set_by_text(tmp_path: Path) -> None:
    file = tmp_path / "f.csv"
    file.write_text("a,b")
    written = ["theta=0", "rows=3", "by=calls", "bent=yes", "text=a=b", f"file={file}"]
    assert set_from_text(PARAMETERS, written) == {
        "theta": 0.0,
        "rows": 3,
        "by": "calls",
        "bent": True,
        "text": "a=b",
        "file": "a,b",
    }
    assert set_from_text(PARAMETERS, ["theta=0.5"]) == {"theta": 0.5}


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("gone=1", "There is no parameter 'gone': the view has bent, by, file, rows, text, theta."),
        ("rows", "'rows' sets nothing: write rows=VALUE."),
        ("rows=10", "rows is a whole number from 1 to 9."),
        ("rows=2.5", "rows is a whole number from 1 to 9."),
        ("rows=many", "rows is a whole number from 1 to 9."),
        ("theta=0.001", "theta is 0 or a number from 0.01 to 10."),
        ("theta=nan", "theta is 0 or a number from 0.01 to 10."),
        ("by=size", "by is one of time, calls."),
        ("bent=maybe", "bent is yes or no."),
        ("text=long", "text is a text of at most 3 characters."),
        ("file=/no/such/file", "/no/such/file cannot be read: No such file or directory."),
    ],
)
def test_a_value_that_cannot_be_is_said_in_a_sentence(written: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        set_from_text(PARAMETERS, [written])
    assert str(error.value) == sentence


@given(st.dictionaries(st.sampled_from([each.name for each in PARAMETERS]), json))
def test_values_of_documents_are_taken_where_they_fit(data: dict[str, Any]) -> None:
    values = values_of(PARAMETERS, data)
    assert set(values) == {each.name for each in PARAMETERS}
    assert values_of(PARAMETERS, values) == values
    assert "file" not in kept_values(PARAMETERS, values)


def test_a_huge_number_in_a_document_is_no_value() -> None:
    assert values_of(PARAMETERS, {"theta": 10**400, "rows": 10**400})["rows"] == 5


# -- faults --


@pytest.mark.parametrize("where", ["start", "needs", "layout", "draw", "on", "tell"])
def test_a_fault_of_a_view_is_a_sentence_in_its_place(where: str) -> None:
    """Nothing is raised; it is reported, with what was raised."""
    said: list[str] = []
    instance = opened(FaultyView(where), small_trace(), said=said)
    instance.settle()
    drawn = instance.draw("main", VIEWPORT)
    instance.on(ViewEvent(EventKind.HOVER, "main"))
    instance.tell("main", Hit("a", 0))
    assert set(said) == {f"raised KeyError: 'no {where}'"}
    if where in ("start", "draw"):
        assert drawn == ViewFailure(f"The view Faulty failed: KeyError: 'no {where}'")
    else:
        assert isinstance(drawn, Plot)


def test_work_that_fails_is_reported_once() -> None:
    said: list[str] = []
    instance = opened(FaultyView("work"), small_trace(), said=said)
    instance.settle()
    instance.settle()
    assert said == ["raised KeyError: 'no work' while it made 'work'"]
    assert instance.needs.failed == {"work": "the work failed: KeyError: 'no work'"}


def test_arrays_that_do_not_fit_are_a_fault_of_the_view() -> None:
    drawn = opened(FaultyView("sizes"), small_trace()).draw("main", VIEWPORT)
    assert drawn == ViewFailure("The view Faulty failed: ValueError: x1 of 'a' has 2 values for 3 items")


# -- focus and inputs --


def test_an_instance_follows_the_others_or_not() -> None:
    """Its focus counts its own inputs; the shared one counts the open traces."""
    instance = opened(DiffView(), small_trace(), small_trace())
    instance.take_inputs(replace(instance.inputs, numbers=(4, 2)))
    assert instance.look_around(ViewSurroundings(focus=Focus(2, (1, 5))))
    assert instance.focus == Focus(1, (1, 5))
    assert not instance.look_around(ViewSurroundings(focus=Focus(0, (2, 3))))  # of a trace that it does not show
    instance.follow(False)
    assert not instance.look_around(ViewSurroundings(focus=Focus(2, (7, 9))))
    assert instance.focus == Focus(1, (1, 5))
    instance.follow(True)
    assert instance.focus == Focus(1, (7, 9))


def test_a_focus_that_is_set_is_told_in_the_numbers_of_the_others() -> None:
    instance = opened(SyncView(), small_trace())
    instance.take_inputs(replace(instance.inputs, numbers=(3,)))
    instance.look_around(ViewSurroundings(focus=Focus(3)))
    event = ViewEvent(EventKind.RANGE, "main", "above", range=_range())
    assert instance.on(event)[1] == (SetFocus(Focus(3, (1, 9))),)
    instance.follow(False)
    assert instance.on(event)[1] == ()


def _range() -> Any:
    from cbvtool.api import Range

    return Range((1, 9), (0, 4))


@pytest.mark.parametrize(
    ("view", "kinds", "reason"),
    [
        (SyncView(), ["trace"], ""),
        (SyncView(), [], "it takes 1 trace, not 0 traces"),
        (SyncView(), ["trace", "profile"], "it takes 1 trace, no profile"),
        (DiffView(), ["trace"], "it takes 2 traces, not 1 trace"),
        (RunsView(), ["profile"] * 10, ""),
        (RunsView(), [], "it takes 1 or more profiles, not 0 profiles"),
    ],
)
def test_a_view_says_what_it_takes(view: Any, kinds: list[str], reason: str) -> None:
    assert why_not(view.takes, kinds) == reason


def test_two_traces_without_a_repository_share_a_graph() -> None:
    """Functions of one name and file have one node."""
    instance = opened(DiffView(), small_trace(), small_trace(shift=7))
    one, two = instance.inputs.maps
    assert one is not None
    assert two is not None
    assert one.node.tolist() == two.node.tolist()


# -- tables --


def table(rows: int = 3, more: int = 0) -> ViewTable:
    values = np.arange(rows, dtype=np.float64)
    values[:1] = np.nan
    columns = (
        ViewColumn("Name", [f"=a\t{row}" for row in range(rows)], kind="text"),
        ViewColumn("Time", np.arange(-1, rows - 1, dtype=np.int64) * 1000, kind="time"),
        ViewColumn("Share", values, "%", kind="bar"),
    )
    return ViewTable(columns, np.arange(rows, dtype=np.int32), more, empty="Nothing.")


def test_a_table_as_text_can_be_taken_apart_again() -> None:
    """Missing values are empty; no cell is a formula; what is left out is counted."""
    assert table_text(table(3, 9)).splitlines() == [
        "Name\tTime (ns)\tShare (%)",
        "'=a 0\t\t",
        "'=a 1\t0\t1",
        "'=a 2\t1000\t2",
        "and 9 more",
    ]
    assert table_text(table(0)).splitlines()[-1] == "Nothing."
    assert cell(table().columns[1], 2) == "1 µs"


def test_a_table_has_at_most_so_many_rows() -> None:
    drawn = must_be_drawable(table(100_002, 1), "table")
    assert isinstance(drawn, ViewTable)
    assert (len(drawn.item), drawn.more) == (100_000, 3)


def test_a_table_is_drawn_as_far_as_there_is_room() -> None:
    plot = table_plot(table(50), Viewport(300, 100), LIGHT)
    names = {each.name: each for each in plot.layers}
    assert len(names["column 0"].text) == 4
    assert names["note"].text == ["and 47 more"]


@pytest.mark.parametrize("view", [TraceVisView, SyncTraceView, ViewFusionView], ids=lambda view: view.name)
def test_tooltips_of_merged_bars_say_how_many_they_stand_for(view: type) -> None:
    """OC-4: in every view of calls along time."""
    instance = opened(view(), random_trace(4, 3000, 1, gap=30.0))
    instance.settle()
    part = next(each.name for each in parts_of(instance.layout()) if each.kind == "canvas")
    drawn = drawn_plot(instance, part, Viewport(800.0, 500.0))
    tried = {True: 0, False: 0}
    for layer in drawn.layers:
        if not isinstance(layer, Bars) or layer.item is None or layer.merged is None:
            continue
        for bar in (*np.flatnonzero(layer.merged > 1)[:3], *np.flatnonzero(layer.merged == 1)[:3]):
            count = int(layer.merged[bar])
            lines = instance.tell(part, Hit(layer.name, int(layer.item[bar])))
            told = [line for line in lines if "in this bar" in line]
            assert bool(told) == (count > 1)
            assert not told or f"one of {count:,} " in told[0]
            tried[count > 1] += 1
    assert min(tried.values()) > 0
