"""Where the time of two runs differs: tables, both in one picture, causes, without a display (TD-11, TD-14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cbvtool.api import (
    ChangedCode,
    ChangedLines,
    CodeChanges,
    EventKind,
    Hit,
    InputError,
    OpenSource,
    Plot,
    Progress,
    Range,
    Trace,
    ViewEvent,
    Viewport,
    ViewTable,
)
from cbvtool.geometry.colors import DARK, LIGHT
from cbvtool.plots.filling import fill
from cbvtool.plots.picking import pick
from cbvtool.progress import silent
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.needs import make
from cbvtool.session.plugin_views.surroundings import ViewSurroundings
from cbvtool.session.plugin_views.tables import table_text
from plugins.tracediff.difference import Difference
from plugins.tracediff.state import LOWER, TraceDiffState
from plugins.tracediff.view import TraceDiffView
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.trace.compare.trees import Timed, traced

VIEW = Viewport(900.0, 500.0)
BEFORE: list[Timed] = [
    (
        "main",
        0,
        1000,
        [
            ("load", 0, 300, [("read", 0, 100, [])]),
            ("sort", 300, 500, []),
            ("sort", 500, 700, []),
            ("log", 700, 760, []),
        ],
    )
]
# `load` is put below `cache`, reads 50 ns longer; one more call of `sort`, `log` is gone, `check` is new.
AFTER: list[Timed] = [
    (
        "main",
        0,
        1400,
        [
            ("cache", 0, 380, [("load", 10, 360, [("read", 10, 160, [])])]),
            ("sort", 400, 600, []),
            ("sort", 600, 800, []),
            ("sort", 800, 1000, []),
            ("check", 1000, 1300, []),
        ],
    )
]


class Code:
    """`SubjectCode` of a repository where `load` and `unused` were changed."""

    def __init__(self, reason: str = "", renames: dict[str, str] | None = None) -> None:
        self.reason, self.asked = reason, list[tuple[str, str]]()
        self.renames = renames or {}

    def text(self, file: str, commit: str = "") -> str:
        return ""

    def changed(self, old: str, new: str, progress: Progress) -> CodeChanges:
        self.asked.append((old, new))
        if self.reason:
            raise InputError(self.reason)
        code = (ChangedCode("m.py", name, ChangedLines("m.py", 4, 1, 5, 2)) for name in ("unused", "load"))
        return CodeChanges(tuple(code), self.renames)


def of_commit(trace: Trace, commit: str) -> Trace:
    return replace(trace, header=replace(trace.header, commit=commit))


def started(
    code: Code | None = None, theme: Any = LIGHT, commits: Sequence[str] = "ab", **values: object
) -> ViewInstance:
    faults: list[str] = []
    traces = [of_commit(traced(calls), commit) for calls, commit in zip((BEFORE, AFTER), commits, strict=True)]
    instance = opened(
        TraceDiffView(), *traces, said=faults, around=ViewSurroundings(theme=theme, code=code), values=values
    )
    instance.settle()
    assert not faults
    return instance


def table(instance: ViewInstance, part: str) -> ViewTable:
    drawn = instance.draw(part, VIEW)
    assert isinstance(drawn, ViewTable), drawn
    return drawn


def rows(instance: ViewInstance, part: str, *columns: str) -> list[tuple[Any, ...]]:
    found = {each.name: list(each.values) for each in table(instance, part).columns}
    return list(zip(*(found[name] for name in columns), strict=True))


def item_of(instance: ViewInstance, part: str, function: str) -> int:
    shown = table(instance, part)
    return int(shown.item[list(shown.columns[0].values).index(function)])


def difference(instance: ViewInstance) -> Difference:
    found: Difference = instance.context.found["difference"]
    return found


def context_of(instance: ViewInstance, function: str) -> int:
    found = difference(instance)
    (row,) = [row for row in range(1, len(found.union)) if found.name(row) == function]
    return row


def say(instance: ViewInstance, kind: EventKind, part: str, **fields: Any) -> tuple[Any, ...]:
    requests = instance.on(ViewEvent(kind, part, fields.pop("pane", ""), **fields))[1]
    instance.settle()
    return requests


def bar(plot: Plot, row: int) -> tuple[float, float, float, float]:
    """x0, x1, y0, y1 of a context."""
    bars = layer(plot, "bars union")
    (at,) = np.flatnonzero(bars.item == row)
    return tuple(float(each[at]) for each in (bars.x0, bars.x1, bars.y0, bars.y1))  # type: ignore[return-value]


def test_td_11_longer_and_shorter_calls_are_apart() -> None:
    """TD-11: By self time; a layer put around calls takes nothing from them; counts and total time beside it."""
    instance = started()
    assert rows(instance, "slower", "Function", "Self", "Total", "Calls A", "Calls B", "What") == [
        ("check", 300.0, 300.0, 0, 1, "only in B"),
        ("sort", 200.0, 200.0, 2, 3, "more calls"),
        ("read", 50.0, 50.0, 1, 1, ""),
        ("cache", 30.0, 380.0, 0, 1, "only in B"),
    ]
    assert (
        rows(instance, "faster", "Function", "Self", "Calls A", "Calls B", "What")
        == [("main", -120.0, 1, 1, ""), ("log", -60.0, 1, 0, "only in A")][::1]
    )


def test_td_11_thresholds_scaling_and_call_paths() -> None:
    """TD-11: Least change, least share; A as long as B; rows by call path say what became of them."""
    assert [row[0] for row in rows(started(share=10.0), "slower", "Function")] == ["check", "sort"]
    few = started(least=0.001)  # 1 µs
    assert len(table(few, "slower").item) == 0
    assert table(few, "slower").empty.startswith("Nothing takes longer in B")
    (scaled,) = [row for row in rows(started(normal=True), "faster", "Function", "Self A", "Self B") if row[0] == "log"]
    assert scaled == ("log", 60 * 1.4, 0.0)
    paths = dict(rows(started(rows="paths"), "slower", "Function", "What"))
    assert paths == {"check": "inserted", "sort": "more calls", "read": "", "cache": "put around"}
    text = table_text(table(started(), "slower")).splitlines()
    assert text[0].split("\t")[:3] == ["Function", "Self (ns)", "Total (ns)"]
    assert text[1].split("\t")[:3] == ["check", "300", "300"]


def test_td_11_both_in_one_loses_nothing_that_vanished() -> None:
    """TD-11: A context is as wide as the larger of both, and all below; new and gone ones have patterns and signs."""
    instance = started()
    plot = drawn_plot(instance, "union", VIEW)
    main = bar(plot, context_of(instance, "main"))
    own = np.maximum(difference(instance).union.own, 0).max(axis=0).sum()
    assert main[:2] == (0.0, own)
    log, check = (bar(plot, context_of(instance, name)) for name in ("log", "check"))
    assert (log[1] - log[0], check[1] - check[0]) == (60.0, 300.0)
    load, cache = (bar(plot, context_of(instance, name)) for name in ("load", "cache"))
    assert cache[0] <= load[0] < load[1] <= cache[1]
    assert load[2] >= cache[3] - 1
    marked = {name: set(layer(plot, f"union {name}").x0.tolist()) for name in ("new", "gone")}
    assert marked == {"new": {cache[0], check[0]}, "gone": {log[0]}}
    texts = layer(drawn_plot(instance, "union", Viewport(2000.0, 500.0)), "labels union").text
    assert "- log  -60 ns" in texts
    assert "+ check  +300 ns" in texts
    bars = layer(plot, "bars union")
    colors = {
        difference(instance).name(int(row)): color.astype(int) for row, color in zip(bars.item, bars.color, strict=True)
    }
    assert colors["check"][0] > colors["check"][2] > 0
    assert colors["log"][2] > colors["log"][0]
    assert np.ptp(colors["load"][:3]) < 20
    assert "B 1.4 µs: +400 ns (+40%), by the clock" in layer(plot, "union headline").text[0]
    totals = layer(drawn_plot(started(change="total"), "union", VIEW), "labels union").text
    assert "main  +400 ns" in totals


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_td_11_pointing_and_zooming_in_both_in_one(theme: Any) -> None:
    """TD-11: The tooltip tells self and total time; a double click zooms; N goes from the largest change on."""
    instance = started(theme=theme)
    plot = drawn_plot(instance, "union", VIEW)
    row = context_of(instance, "sort")
    x0, x1, y0, y1 = bar(plot, row)
    pane = plot.pane("union")
    px = (x0 + x1) / 2 / (pane.x[1] - pane.x[0]) * VIEW.width
    hit = pick(fill(plot, VIEW), px, 24.0 + (y0 + y1) / 2)
    assert hit == Hit("bars union", row)
    say(instance, EventKind.HOVER, "union", pane="union", hit=hit)
    assert instance.state.context == row
    lines = instance.tell("union", hit)
    assert lines[0] == "sort"
    assert "2 calls in A, 3 in B" in lines
    assert "Self 400 ns in A, 600 ns in B: +200 ns" in lines
    assert "Called by main" in lines
    say(instance, EventKind.DOUBLE, "union", pane="union", hit=hit)
    low, high = instance.state.union
    assert low <= x0 < x1 < high
    zoomed = drawn_plot(instance, "union", VIEW)
    assert zoomed.pane("union").x == (low, high)
    assert bar(zoomed, context_of(instance, "main"))[:2] == (low, high)  # cut off, so that its name is seen
    say(instance, EventKind.RANGE, "union", pane="union", range=Range((10.0, 90.0), (0.0, 1.0)))
    assert instance.state.union == (10.0, 90.0)
    say(instance, EventKind.KEY, "union", key="A")
    assert instance.state.union is None
    seen = []
    for key in "nnp":
        say(instance, EventKind.KEY, "union", key=key)
        seen.append(difference(instance).name(difference(instance).context_of(*instance.state.chosen)))
    assert seen == ["check", "sort", "check"]
    say(instance, EventKind.LEAVE, "union")
    assert instance.state.context == -1


def test_td_11_a_row_leads_to_the_place_in_both_pictures() -> None:
    """TD-11: The longest call is chosen, both windows hold it; a double click asks for its source."""
    instance = started()
    item = item_of(instance, "slower", "read")
    say(instance, EventKind.ROW, "slower", hit=Hit("", item))
    side, call = instance.state.chosen
    trace = instance.context.trace(side)
    assert (side, trace.functions.name[trace.calls.function[call]]) == (LOWER, "read")
    low, high = instance.state.windows[LOWER]
    assert low < trace.calls.start[call] < trace.calls.end[call] < high
    x0, x1, *_ = bar(drawn_plot(instance, "union", VIEW), item)
    assert instance.state.union[0] <= x0 < x1 <= instance.state.union[1]
    assert table(instance, "slower").selected == {item}
    assert isinstance(say(instance, EventKind.OPEN, "slower", hit=Hit("", item))[0], OpenSource)
    say(instance, EventKind.ROW, "slower", hit=Hit("", 10_000))
    assert instance.state.chosen == (side, call)


def test_td_14_causes_in_table_tooltip_and_picture() -> None:
    """TD-14: Own code, the nearest changed caller, or nothing on the call path; of the commits of the recordings."""
    code = Code()
    instance = started(code)
    assert code.asked == [("a", "b")]
    assert dict(rows(instance, "slower", "Function", "Cause")) == {
        "check": "code unchanged",
        "sort": "code unchanged",
        "read": "caller load, m.py:5",
        "cache": "code unchanged",
    }
    told = instance.tell("union", Hit("bars union", context_of(instance, "load")))
    assert told[-1] == "Its own code was changed, m.py:5"
    call = int(np.flatnonzero(instance.context.trace(1).calls.depth == 3)[0])
    assert instance.tell("main", Hit("bars lower", call))[-1] == "load above it was changed, m.py:5"
    plot = drawn_plot(instance, "union", VIEW)
    assert layer(plot, "union changed").x.tolist() == [bar(plot, context_of(instance, "load"))[0]]
    assert "2 functions between the commits" in layer(plot, "union reason").text[0]


@pytest.mark.parametrize(
    ("code", "commits", "reason"),
    [
        (None, "ab", "Open the repository"),
        (Code(), ("a", ""), "do not say of which commits"),
        (Code("The repository has no commit a."), "ab", "no commit a"),
    ],
)
def test_td_14_an_unknown_cause_is_a_sentence(code: Code | None, commits: Sequence[str], reason: str) -> None:
    """TD-14: Without a repository, commits or a known commit no cause is claimed."""
    instance = started(code, commits=commits)
    assert reason in layer(drawn_plot(instance, "union", VIEW), "union reason").text[0]
    assert "Cause" not in {each.name for each in table(instance, "slower").columns}
    assert not any("changed" in line for line in instance.tell("union", Hit("bars union", 1)))


def test_td_11_the_tooltip_tells_self_time_beside_the_whole() -> None:
    """TD-11: Of two calls that match, and of all calls of their path."""
    told = started().tell("main", Hit("bars lower", 2))
    assert "350 ns here, 300 ns there; by itself 200 ns and 200 ns" in told
    assert "All of this path: 1 call in A, 1 in B" in told


def test_td_11_a_state_of_both_in_one_is_kept_and_checked() -> None:
    """TD-11: The window is kept by documents; what makes no sense is dropped."""
    instance = started()
    say(instance, EventKind.RANGE, "union", pane="union", range=Range((10.0, 90.0), (0.0, 1.0)))
    view = TraceDiffView()
    kept: TraceDiffState = view.load(instance.context, instance.data())
    assert kept.union == (10.0, 90.0)
    with pytest.raises(ValueError, match="window"):
        view.load(instance.context, {**instance.data(), "union": [5.0, 5.0]})


LOOP: list[Timed] = [("leaf", time, time + 1, []) for time in range(5)]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ([("f", 0, 9, [])], [("g", 0, 9, [])], "no function in common"),
        ([], [("g", 0, 9, [])], "holds no calls"),
        ([], [], "no calls"),
    ],
)
def test_td_11_nothing_to_unite_is_a_sentence(one: list[Timed], other: list[Timed], said: str) -> None:
    """TD-11: No common function, an empty trace: a sentence, and no claim in the tables."""
    instance = opened(TraceDiffView(), traced(one), traced(other))
    instance.settle()
    assert said in layer(drawn_plot(instance, "union", VIEW), "said").text[0]
    assert table(instance, "faster").empty or len(table(instance, "faster").item)


@pytest.mark.parametrize("calls", [BEFORE, LOOP, [("deep", 0, 9, [])]])
def test_td_11_a_trace_beside_itself_differs_nowhere(calls: list[Timed]) -> None:
    """TD-11: No row, no pattern, no colour; only leaves below a virtual root as well."""
    instance = opened(TraceDiffView(), traced(calls), traced(calls))
    instance.settle()
    assert [len(table(instance, part).item) for part in ("slower", "faster")] == [0, 0]
    plot = drawn_plot(instance, "union", VIEW)
    assert not len(layer(plot, "union new").x0)
    assert not len(layer(plot, "union gone").x0)
    assert len(np.unique(layer(plot, "bars union").color, axis=0)) == 1
    say(instance, EventKind.KEY, "union", key="n")
    assert instance.state.chosen is None


# -- which function is which --


def in_file(trace: Trace, file: str, **names: str) -> Trace:
    """The same run, its code in another file, some functions under other names."""
    functions = trace.functions
    name = tuple(names.get(each, each) for each in functions.name)
    return replace(trace, functions=replace(functions, name=name, file=(file,) * len(functions)))


def alone(instance: ViewInstance) -> list[str]:
    """Functions of the table of those that one trace lacks."""
    found = table(instance, "functions")
    return [f"{side} {name}" for side, name in zip(found.columns[0].values, found.columns[1].values, strict=True)]


def compared_as(code: Code | None, other: Trace, **values: object) -> ViewInstance:
    one = of_commit(traced(BEFORE), "old")
    around = ViewSurroundings(code=code)
    instance = opened(TraceDiffView(), one, of_commit(other, "new"), around=around, values=values)
    instance.settle()
    return instance


def test_td_12_files_that_git_calls_renamed_are_followed() -> None:
    """TD-12: without the repository no function of a renamed file has a partner; with it all have, and that is told."""
    other = in_file(traced(BEFORE), "/elsewhere/renamed.py")
    without = compared_as(None, other)
    assert len(alone(without)) == 2 * len(other.functions)
    code = Code(renames={"m.py": "renamed.py", "unrecorded.py": "other.py"})
    followed = compared_as(code, other)
    assert alone(followed) == []
    assert code.asked == [("old", "new")], "asked once, for renames and causes"
    assert layer(drawn_plot(followed, "main", VIEW), "headline").text[0].startswith("1 renamed file followed")
    assert not layer(drawn_plot(followed, "main", VIEW), "said")


def test_td_12_renames_of_files_that_were_not_recorded_compare_nothing_anew() -> None:
    """TD-12: what was compared stays."""
    code = Code(renames={"other.py": "third.py"})
    instance = opened(
        TraceDiffView(),
        *(of_commit(traced(BEFORE), commit) for commit in ("old", "new")),
        around=ViewSurroundings(code=code),
    )
    first = []
    for _ in range(20):
        wanted = instance.wanted()
        for need in wanted:
            made = make(need, silent)
            first += [made] if need.name == "compared" else []
            instance.needs.take(need, made)
        if not wanted:
            break
    assert code.asked == [("old", "new")]
    assert len(first) == 1


def test_td_12_a_table_of_the_user_pairs_functions() -> None:
    """TD-12: a pair that names nothing is told, and a line that is no pair."""
    other = in_file(traced(BEFORE), "/src/m.py", sort="order", load="fetch")
    assert alone(compared_as(None, other)) == ["A load", "A sort", "B fetch", "B order"]
    paired = compared_as(None, other, same="reference,test\nsort, order\nm.py::load,m.py::fetch\n")
    assert alone(paired) == []
    assert not layer(drawn_plot(paired, "main", VIEW), "headline").text[0].startswith("1 pair")
    idle = compared_as(None, other, same="reference,test\nsort,order\nnothing,at all")
    assert layer(drawn_plot(idle, "main", VIEW), "headline").text[0].startswith("1 pair of the table name no function")
    broken = compared_as(None, other, same="reference,test\nsort")
    assert layer(drawn_plot(broken, "main", VIEW), "headline").text[0].startswith("The table of functions, line 2")
