"""SyncTrace's part for what-if, without a display (NEW-18)."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from cbvtool.api import Bars, EventKind, Hit, Menu, Say, WhatIf, duration, thread_title, what_if
from cbvtool.session.plugin_views.instance import ViewInstance
from plugins.synctrace import estimates
from plugins.synctrace.estimates import ASSUMES, RUN, THREAD, WAIT, change_name, changes, estimate_rows
from plugins.synctrace.pairs import Known, known_in
from plugins.synctrace.view import SyncTraceView
from tests.plugin_views.opened import layer
from tests.trace.test_synctrace import at_of, has, plot, say, started, state, table, trace_of
from tests.trace.waits.test_by_name import run
from tests.trace.waits.test_correspondences import MS, convoy


def known_of(instance: ViewInstance) -> Known:
    found = known_in(instance.context)
    assert found is not None
    return found


def row_of(instance: ViewInstance, words: str) -> int:
    """The item of the row of the changes that holds these words."""
    shown = table(instance, "what-if")
    names = list(shown.columns[0].values)
    return int(shown.item[next(at for at, name in enumerate(names) if words in str(name))])


def choose(instance: ViewInstance, words: str) -> None:
    say(instance, EventKind.ROW, part="what-if", hit=Hit("", row_of(instance, words)))
    instance.settle()


def test_changes_are_listed_with_what_they_would_save_and_one_is_told_in_full() -> None:
    """A convoy of three threads: without waits for the lock the run takes 10 ms, not 30; half the writing: 27."""
    instance = started(convoy())
    shown = table(instance, "what-if")
    saves = np.asarray(shown.columns[1].values, np.int64)
    assert shown.columns[1].name == "Estimate: saves"
    assert saves.max() == 20 * MS
    assert (np.diff(saves) <= 0).all()  # what saves most stands first
    told = dict(zip(map(str, shown.columns[0].values), saves.tolist(), strict=True))
    assert told["input and output took half its time"] == 3 * MS
    assert sum("did not wait in lock" in name for name in told) == 2  # each wait alone
    assert table(instance, "estimate").empty == "Choose a change in the table What if."
    assert not has(plot(instance), "estimate")

    choose(instance, "nobody waited")
    assert table(instance, "what-if").selected
    say(instance, EventKind.HOVER, at_of(instance).panes[0].name, x=1.0, y=0.5)
    assert table(instance, "what-if").columns is table(instance, "what-if").columns  # a table that is kept
    rows = estimate_rows(instance.context, state(instance), known_of(instance))
    assert rows is not None
    assert rows.what.tolist() == [RUN, THREAD, THREAD, WAIT, WAIT, *[ASSUMES] * 4]
    kinds, names, less, now, then = (list(column.values) for column in table(instance, "estimate").columns)
    assert kinds[:4] == ["run", "thread", "thread", "wait"]
    assert [int(value) for value in less[:5]] == [20 * MS, 20 * MS, 10 * MS, 20 * MS, 10 * MS]
    assert (int(now[0]), int(then[0])) == (30 * MS, 10 * MS)
    assert any("processors enough" in str(name) for name in names[5:])
    head = layer(plot(instance), "estimate")
    assert head.text[0].startswith("Estimate, if nobody waited for ")
    assert head.text[0].endswith(f"{duration(10 * MS)} instead of {duration(30 * MS)}")
    lines = instance.tell("main", Hit("estimate", 0))
    assert lines[1] == "2 waits shorter, 2 threads end earlier"
    assert any("same work in the same order" in line for line in lines)
    hatched = [each for each in plot(instance).layers if each.name.startswith("saved ")]
    bars = [each for each in hatched if isinstance(each, Bars)]
    assert sum(len(each.x0) for each in bars) == 2
    assert all(each.pattern == "diagonal" for each in bars)
    assert len(bars) == len(hatched)

    say(instance, EventKind.KEY, key="Escape")
    assert state(instance).change is None
    assert not has(plot(instance), "estimate")


def test_rows_of_an_estimate_lead_to_threads_and_waits() -> None:
    instance = started(trace_of())
    known = known_of(instance)
    choose(instance, "split")
    kind, thing = state(instance).change or ("io", -1)
    assert kind == "split"
    found = what_if(known.trace, known.pairs, WhatIf("split", thing))
    rows = estimate_rows(instance.context, state(instance), known)
    assert rows is not None
    assert rows.row[rows.what == WAIT].tolist() == found.waits.tolist()
    assert sorted(rows.row[rows.what == THREAD].tolist()) == np.flatnonzero(found.threads > 0).tolist()
    wait = int(np.argmax(rows.what == WAIT))
    say(instance, EventKind.ROW, part="estimate", hit=Hit("", wait))
    call = int(known.trace.table("waits")["call"][rows.row[wait]])
    assert state(instance).selected == call
    assert at_of(instance).at.main == int(known.trace.thread_of(np.array([call]))[0])
    if (rows.what == THREAD).any():
        thread = int(np.argmax(rows.what == THREAD))
        say(instance, EventKind.ROW, part="estimate", hit=Hit("", thread))
        assert at_of(instance).at.main == rows.row[thread]
    before = state(instance)
    for item in (0, len(rows.what) - 1, len(rows.what)):  # the run, an assumption, none
        say(instance, EventKind.ROW, part="estimate", hit=Hit("", item))
        assert state(instance) == before


def test_a_menu_offers_changes_of_the_wait_under_the_pointer() -> None:
    instance = started(convoy())
    known = known_of(instance)
    (menu,) = say(instance, EventKind.MENU, hit=Hit("curves", 0))
    assert isinstance(menu, Menu)
    words = [word for _, word in menu.entries]
    assert len(words) == 3
    assert words[0].startswith(
        f"What if {thread_title(known.trace.threads, int(known.pairs.waiting_thread[0]))} did not"
    )
    assert words[-1] == "What if input and output took half its time?"
    (said,) = say(instance, EventKind.KEY, key=menu.entries[0][0])
    assert isinstance(said, Say)
    assert state(instance).change == ("wait", int(known.pairs.wait[0]))
    (menu,) = say(instance, EventKind.MENU)  # on empty ground
    assert isinstance(menu, Menu)
    assert len(menu.entries) == 1
    silent = started(run([(1, "work", 0, 10, {})]))
    assert say(silent, EventKind.MENU) == ()
    assert table(silent, "what-if").empty.startswith("The recording holds no wait")


def test_of_many_waits_the_chosen_change_alone_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "AT_ONCE", 10)
    instance = started(trace_of())
    assert estimates.NAME not in {need.name for need in instance.wanted()}
    saves = np.asarray(table(instance, "what-if").columns[1].values, np.int64)
    assert len(saves) > 10
    assert table(instance, "what-if").item.tolist() == list(range(len(saves)))  # as they were listed
    assert (saves == -1).all()
    choose(instance, "nobody waited")
    assert (np.asarray(table(instance, "what-if").columns[1].values, np.int64) >= 0).sum() == 1
    assert len(table(instance, "estimate").item) > 1


@pytest.mark.parametrize("change", [("split", 999), ("without", -1), ("wait", 10**8), ("wait", -1)])
def test_a_change_of_what_is_not_there_is_none(change: tuple[str, int]) -> None:
    """A document may name objects and waits of another recording."""
    instance = started(trace_of())
    data = {**asdict(state(instance)), "change": change}
    instance.state = SyncTraceView().load(instance.context, data)
    instance.settle()
    assert not has(plot(instance), "estimate")
    assert table(instance, "estimate").empty == "Choose a change in the table What if."
    assert not table(instance, "what-if").selected


def test_changes_are_those_of_what_was_waited_for_longest() -> None:
    known = known_of(started(trace_of(40, 120)))
    found = changes(known, None)
    things = [row for kind, row in found if kind == "without"]
    order = known.objects.object.tolist()
    assert [order.index(thing) for thing in things] == sorted(order.index(thing) for thing in things)
    assert len(things) == estimates.MOST_OBJECTS
    for kind, row in found:
        if kind == "split":
            assert "mutex" in change_name(known, (kind, row)) or "semaphore" in change_name(known, (kind, row))
    assert changes(known, ("without", order[-1]))[-1] == ("without", order[-1])  # the chosen one is always there
