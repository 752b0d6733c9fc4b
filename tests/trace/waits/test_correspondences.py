"""ST-1, ST-2 and ST-8: which release ended which wait, against a reading by brute force and against known schedules."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.table import SCHEMAS, Table
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import MUTEX, RELEASE, RULES, Rule, correspondences
from cbvtool.trace.waits.critical_path import critical_path
from cbvtool.trace.waits.shares import Activity, dur_of
from cbvtool.trace.waits.totals import NOBODY, contended, explained, longest_waits, wait_totals
from cbvtool.trace.waits.what_if import WhatIf, what_if
from tests.trace.seeded import made_trace
from tests.trace.waits.schedules import schedule

MS = 1_000_000  # ns
Pair = tuple[int, int, int]  # row of the waits, row of the releasing call, its moment


def sought(trace: Trace, rule: Rule) -> set[Pair]:
    """ST-2, wait by wait and release by release, without conditions."""
    waits, releases = trace.table("waits"), trace.table("releases")
    thread = trace.thread_of(np.arange(len(trace.calls)))
    sets: dict[tuple[int, int, int], list[int]] = {}
    for row in range(len(waits)):
        key = int(waits["call"][row]), int(waits["start"][row]), max(int(waits["start"][row]), int(waits["end"][row]))
        sets.setdefault(key, []).append(row)
    found: set[Pair] = set()
    for (call, start, end), rows in sets.items():
        if call in trace.open_rows and end >= trace.calls.end[call]:
            continue
        best: dict[int, tuple[int, int, int]] = {}  # by row of the waits: what orders releases, and the release
        for row in rows:
            for one in range(len(releases)):
                by, time = int(releases["call"][one]), int(releases["time"][one])
                if releases["object"][one] != waits["object"][row]:
                    continue
                last = int(trace.calls.end[by]) if trace.calls.start[by] == time else time
                if rule == "default":
                    fits, key = thread[by] != thread[call] and start <= time <= end, (time, 0, one)
                else:
                    fits, key = time <= end and last >= start, (last, time, one)
                if fits and (row not in best or key >= best[row]):
                    best[row] = key
        chosen = {row: one for row, (_, _, one) in best.items()}
        whole = [row for row in chosen if waits["all"][row]]
        ended = max(chosen, key=lambda row: (best[row], row)) if chosen else -1
        for row, one in chosen.items():
            if row in whole or row == ended:
                found.add((row, int(releases["call"][one]), int(releases["time"][one])))
    return found


def busy_trace(seed: int) -> Trace:
    """A random trace with many waits for few objects: sets of them, for all or any, at coinciding times."""
    trace, chance = made_trace(seed), np.random.default_rng(seed)
    calls = trace.calls
    if not len(calls):
        return trace
    call = np.repeat(chance.integers(0, len(calls), 15), chance.integers(1, 4, 15))
    start = np.repeat(chance.integers(0, 120, 15), 1)[np.searchsorted(np.unique(call), call) % 15]
    whole = chance.random(len(calls)) < 0.5
    waits: dict[str, npt.NDArray[Any]] = {
        "call": call.astype(np.uint32),
        "object": chance.integers(0, 3, len(call)).astype(np.uint32),
        "start": start,
        "end": start + (call * 7) % 40,
        "all": whole[call],
    }
    by = chance.integers(0, len(calls), 40)
    time = np.where(chance.random(40) < 0.5, calls.start[by], chance.integers(0, 160, 40))
    releases = {"call": by.astype(np.uint32), "object": chance.integers(0, 3, 40).astype(np.uint32), "time": time}
    return replace(trace, tables={**trace.tables, "waits": Table(waits), "releases": Table(releases)})


def without_conditions(trace: Trace) -> Trace:
    """The same, its objects being of no kind: so that nothing goes in turn."""
    objects = trace.table("objects")
    plain = Table({**objects.columns, "kind": np.zeros(len(objects), np.uint32)})
    return replace(trace, tables={**trace.tables, "objects": plain})


def told(trace: Trace, rule: Rule, pairs: set[Pair]) -> set[tuple[int, int, int]]:
    """Of each pair: the wait's call, its object where it waits for all, and how late its release is by the rule."""
    waits, calls = trace.table("waits"), trace.calls
    found = set()
    for row, call, time in pairs:
        late = int(calls.end[call]) if rule == "literal" and calls.start[call] == time else time
        found.add((int(waits["call"][row]), int(waits["object"][row]) if waits["all"][row] else -1, late))
    return found


@pytest.mark.parametrize("rule", RULES)
@given(seed=st.integers(0, 10_000))
def test_both_rules_are_those_of_a_reading_by_brute_force(rule: Rule, seed: int) -> None:
    """Of releases that are equally late any may be named."""
    trace = busy_trace(seed)
    found = correspondences(trace, rule)
    ended = found.primary
    columns = found.wait[ended], found.releasing[ended], found.moment[ended]
    pairs = set(zip(*(column.tolist() for column in columns), strict=True))
    assert told(trace, rule, pairs) == told(trace, rule, sought(trace, rule))
    if rule == "default":  # also of mutexes that are taken again, and of recorded links
        assert (found.waiting_thread != found.releasing_thread).all()
    assert not set(found.unexplained.tolist()) & set(found.wait[ended].tolist())
    assert not set(found.open.tolist()) & set(found.wait.tolist())


def test_known_schedules() -> None:
    """ST-2: 40 threads, 10,000 waits; mutexes, conditions, semaphores, all and any, re-entrant locks, time-outs."""
    known = schedule(7, steps=250)
    trace, releases = known.trace, known.trace.table("releases")
    assert len(trace.threads) == 40
    assert len(trace.table("waits")) >= 10_000
    found = correspondences(trace)
    ended = found.primary
    columns = (found.waiting, found.object, found.releasing, found.moment)
    got = {
        (call, thing): pair for call, thing, *pair in zip(*(column[ended].tolist() for column in columns), strict=True)
    }
    true = {
        wait: [int(releases["call"][row]), int(releases["time"][row])] for wait, row in known.truth.items() if row >= 0
    }
    assert len(true) > 5000
    assert sum(got.get(wait) == release for wait, release in true.items()) >= 0.99 * len(true)
    assert sum(wait not in true for wait in got) <= 0.02 * len(true), "waits that timed out or never had to wait"
    again = found.kind == MUTEX
    assert again.any(), "a condition's mutex"
    kinds = trace.table("objects")["kind"][found.object[again]]
    assert {trace.strings[kind] for kind in np.unique(kinds).tolist()} == {"mutex"}
    assert (found.waiting_thread != found.releasing_thread).all(), "a thread never releases itself"
    small = schedule(3, threads=12, steps=12).trace
    brute, literal = sought(without_conditions(small), "literal"), correspondences(small, "literal")
    ended = literal.primary
    named = (literal.wait[ended], literal.releasing[ended], literal.moment[ended])
    rows = set(zip(*(column.tolist() for column in named), strict=True))
    assert {row for row, _, _ in rows} == {row for row, _, _ in brute}
    assert told(small, "literal", rows) == told(small, "literal", brute), "the release that ends last"
    assert len(rows) > 100


@pytest.mark.parametrize("activity", ["wait", "release", "io"])
@given(seed=st.integers(0, 10_000))
def test_shares_are_sums_over_children(activity: Activity, seed: int) -> None:
    """ST-1: at most the duration; of a call that does nothing of it itself, the sum over its children, or all of it
    where a call around it waits meanwhile."""
    trace = busy_trace(seed)
    calls, shares = trace.calls, dur_of(trace, activity)
    assert (shares >= 0).all()
    assert (shares <= calls.end - calls.start).all()
    table = trace.table({"wait": "waits", "io": "io", "release": "releases"}[activity])
    itself, within = set(table["call"].tolist()), set[int]()
    spans = dict[int, list[tuple[int, int]]]()
    for at, call in enumerate(table["call"].tolist()):
        if activity != "release":
            spans.setdefault(call, []).append((int(table["start"][at]), int(table["end"][at])))
        elif call < len(calls) and table["time"][at] == calls.start[call]:
            spans.setdefault(call, []).append((int(calls.start[call]), int(calls.end[call])))
    for row in range(len(calls)):
        begin, end = int(calls.start[row]), int(calls.end[row])
        for child in np.arange(row + 1, calls.end_row[row]).tolist():
            if calls.depth[child] == calls.depth[row] + 1 and (
                row in within
                or any(
                    s <= calls.start[child] and calls.end[child] <= e
                    for s, e in spans.get(row, [])
                    if s <= e and s <= end and e >= begin
                )
            ):
                within.add(child)
    for row in range(len(calls)):
        below = np.arange(row + 1, calls.end_row[row])
        children = below[calls.depth[below] == calls.depth[row] + 1]
        if row in within:
            assert shares[row] == calls.end[row] - calls.start[row]
        elif row not in itself and not within & set(children.tolist()):
            assert shares[row] == min(shares[children].sum(), calls.end[row] - calls.start[row])


@given(seed=st.integers(0, 10_000))
def test_tables_add_up(seed: int) -> None:
    """ST-8: every wait is counted; totals are those of the longest waits, of the objects, of the share explained."""
    trace = busy_trace(seed)
    found = correspondences(trace)
    waits, totals, things = longest_waits(trace, found, None), wait_totals(trace, found), contended(trace, found)
    time = waits.end - waits.start
    assert (np.diff(time) <= 0).all()
    nobody = totals.releasing == NOBODY
    assert (
        totals.count[nobody].sum()
        == np.count_nonzero(waits.releasing == NOBODY)
        == len(found.unexplained) + len(found.open)
    )
    assert totals.count.sum() >= len(waits)
    assert set(waits.row[waits.open].tolist()) == set(found.open.tolist())
    assert (things.held <= things.total).all()
    part, whole = explained(trace, found)
    assert 0 <= part <= whole == time[~waits.open].sum()


@given(seed=st.integers(0, 10_000))
def test_the_object_most_waited_for_of_each_pair_of_threads(seed: int) -> None:
    """ST-8: over what one thread waits for another, with its time, against adding up wait by wait."""
    trace = busy_trace(seed)
    found = correspondences(trace)
    waits, totals = longest_waits(trace, found, None), wait_totals(trace, found)
    said = [
        (int(one), int(other), int(thing), int(call), int(start), int(end))
        for one, other, thing, call, start, end, ended in zip(
            found.waiting_thread,
            found.releasing_thread,
            found.object,
            found.waiting,
            found.wait_start,
            found.wait_end,
            found.primary,
            strict=True,
        )
        if ended
    ]
    said += [
        (one, NOBODY, thing, call, start, end)
        for one, thing, call, start, end, other in np.column_stack(
            (waits.thread, waits.object, waits.call, waits.start, waits.end, waits.releasing)
        ).tolist()
        if other == NOBODY
    ]
    plain = dict[tuple[int, int], dict[int, int]]()
    for one, other, thing, _, start, end in {(o, r, t, c, s): (o, r, t, c, s, e) for o, r, t, c, s, e in said}.values():
        things = plain.setdefault((one, other), {})
        things[thing] = things.get(thing, 0) + end - start
    assert len(plain) == len(totals)
    for at, pair in enumerate(zip(totals.waiting.tolist(), totals.releasing.tolist(), strict=True)):
        most = max(plain[pair].values())
        first = min(thing for thing, time in plain[pair].items() if time == most)
        assert (int(totals.object[at]), int(totals.of_object[at])) == (first, most)
        assert most <= totals.total[at]


def test_a_critical_path_goes_back_through_waits() -> None:
    """Every step ends when it released the next one; times never run forward; it ends where nothing was waited for."""
    trace = schedule(5, threads=14, steps=40).trace
    found = correspondences(trace)
    for thread in range(len(trace.threads)):
        moment = int(trace.threads.last[thread])
        path = critical_path(trace, found, thread, moment)
        assert (path[-1].thread, path[-1].end) == (thread, moment)
        assert path[0].row == -1
        rows = [step.row for step in path[1:]]
        assert len(set(rows)) == len(rows)
        for before, step in itertools.pairwise(path):
            assert (before.thread, before.end) == (found.releasing_thread[step.row], found.moment[step.row])
            assert step.start == found.wait_end[step.row] <= step.end
            assert before.end <= step.start


def test_nothing_to_find() -> None:
    """A trace without waits, and one whose waits were all in vain."""
    trace = made_trace(1, tables=False)
    assert len(correspondences(trace)) == 0
    assert len(wait_totals(trace, correspondences(trace))) == len(contended(trace, correspondences(trace))) == 0
    alone = made_trace(9)
    alone = replace(alone, tables={"waits": alone.table("waits"), "objects": alone.table("objects")})
    found = correspondences(alone)
    assert not (found.kind == RELEASE).any()
    assert len(found.unexplained) + len(found.open) <= len(alone.table("waits"))
    with pytest.raises(ValueError, match="default, literal"):
        correspondences(trace, "other")  # type: ignore[arg-type] # what the test is about


def test_estimates_of_a_convoy() -> None:
    """NEW-18: three threads take a lock one after the other for 10 ms each; two locks, no lock, half the writing."""
    trace = convoy()
    found = correspondences(trace)
    assert (
        what_if(trace, found, WhatIf("io", factor=1)).end
        == what_if(trace, found, WhatIf("split", 0, 1.0)).end
        == 30 * MS
    )
    without = what_if(trace, found, WhatIf("without", 0))
    assert (without.before, without.end) == (30 * MS, 10 * MS)
    assert without.threads.tolist() == [0, 10 * MS, 20 * MS]
    assert without.saved.tolist() == [20 * MS, 10 * MS]
    assert what_if(trace, found, WhatIf("split", 0, 2.0)).end == 17.5 * MS  # 10 / 2, then (5 + 10) / 2, then 10
    assert what_if(trace, found, WhatIf("without", 1)).end == 30 * MS, "another object"
    first, second = (what_if(trace, found, WhatIf("wait", wait=row)) for row in (0, 1))
    assert (first.end, first.saved.tolist(), first.waits.tolist()) == (20 * MS, [10 * MS, 10 * MS], [1, 0])
    assert (second.end, second.saved.tolist(), second.waits.tolist()) == (20 * MS, [20 * MS], [1])
    assert what_if(trace, found, WhatIf("wait", wait=99)).end == 30 * MS, "there is no such wait"
    quick = what_if(trace, found, WhatIf("io", factor=2.0))
    assert quick.end == 27 * MS, "6 ms of writing while the others wait"
    assert "10" not in quick.assumptions[0]
    with pytest.raises(ValueError, match="1 or more"):
        what_if(trace, found, WhatIf("io", factor=0.5))


@given(seed=st.integers(0, 10_000))
def test_nothing_changes_where_nothing_is_changed(seed: int) -> None:
    """Replaying a run as it was gives the run as it was; whatever is taken away, no thread ends later."""
    trace = schedule(seed, threads=12, steps=4).trace
    found = correspondences(trace)
    same = what_if(trace, found, WhatIf("split", 0, 1.0))
    assert same.end == same.before
    assert not same.threads.any()
    assert not len(same.waits)
    for thing in range(4):
        assert (what_if(trace, found, WhatIf("without", thing)).threads >= 0).all()


def convoy() -> Trace:
    """Three threads: each waits for the lock (object 0), then holds it for 10 ms, and the first one writes for 6."""
    builder = TraceBuilder("test", Budget("The trace"))
    work, lock = builder.function("work"), builder.function("lock")
    threads = [builder.thread(1, number) for number in range(3)]
    waits: dict[str, list[int]] = {name: [] for name in ("call", "object", "start", "end", "all")}
    numbers = []
    for number, thread in enumerate(threads):
        free = number * 10 * MS
        numbers.append((builder.span(thread, lock, 0, free), free))
        builder.span(thread, work, free, free + 10 * MS)
    built = builder.build()
    for number, free in numbers[1:]:
        for name, value in zip(waits, (int(built.row[number]), 0, 0, free, 0), strict=True):
            waits[name].append(value)
    held = built.calls.end_row.astype(np.int64) - 1
    workers = np.flatnonzero(built.calls.function == work)
    assert len(held) == 6
    none = np.zeros(2, np.uint32)
    tables = {
        "objects": Table({"process": np.zeros(2, np.int64), "id": np.arange(2), "kind": none, "name": none}),
        "waits": Table({name: np.array(values, SCHEMAS["waits"][name]) for name, values in waits.items()}),
        "releases": Table(
            {"call": workers.astype(np.uint32), "object": np.zeros(3, np.uint32), "time": np.array([10, 20, 30]) * MS}
        ),
        "io": Table(
            {
                "call": workers[:1].astype(np.uint32),
                "object": np.ones(1, np.uint32),
                "start": np.array([2 * MS]),
                "end": np.array([8 * MS]),
                "bytes": np.array([1]),
                "write": np.ones(1, np.bool_),
            }
        ),
    }
    return builder.trace(built, tables)
