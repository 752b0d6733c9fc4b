"""The sample mill, recorded: each finding that its `expected.json` lists is found (ST-1, ST-2, ST-8, TR-1)."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from cbvtool.cli import DONE, main
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.waits.correspondences import correspondences
from cbvtool.trace.waits.critical_path import critical_path
from cbvtool.trace.waits.shares import dur_of
from cbvtool.trace.waits.totals import explained
from tests.trace.mill.findings import MILL, Told, expected, within
from tests.trace.uftrace_run import recorded_c


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording, made as users do; the mill ends by itself, although its monitor waits for ever."""
    out = tmp_path_factory.mktemp("mill") / "run"
    record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(out), "--"]
    subprocess.run([*record, sys.executable, "-B", "-m", "mill"], cwd=MILL, check=True, capture_output=True)
    return out


@pytest.fixture(scope="module", params=["python", "c"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """What it holds, and what the mill in C does, recorded by uftrace."""
    if request.param == "c":
        return Told(recorded_c(tmp_path_factory.mktemp("c"), MILL / "mill.c"), expected("c"))
    trace = read_traces(request.getfixturevalue("run"))[0]
    assert isinstance(trace, Trace)
    return Told(trace, expected())


@pytest.mark.parametrize("name", expected()["findings"])
def test_a_finding_is_in_the_recording(told: Told, name: str) -> None:
    """Who waits, for which object, in which function, how much of its life, and who ended it."""
    finding = told.expected["findings"][name]
    rows = told.of(finding)
    waits = told.waits
    assert rows
    longest = rows[0]
    assert told.function(int(waits.call[longest])) == finding["function"]
    assert bool(waits.open[longest]) == finding.get("open", False)
    if "share of life" in finding:
        assert within(told.time(rows) / told.life(finding["threads"]), finding["share of life"])
    ended: dict[str, int] = {}
    for row in rows:
        name = told.thread(int(waits.releasing[row]))
        ended[name] = ended.get(name, 0) + told.time([row])
    by = sum(ended.get(name, 0) for name in finding["released by"] or [""])
    assert by > 0.9 * sum(ended.values())


def test_the_slow_call_is_an_outlier_of_its_function_and_waits(told: Told) -> None:
    """One call is many times as long as the others, and nearly all of it is a wait for the inspector."""
    case = told.expected["findings"]["the slow call among fast ones of its function"]
    calls, wait = told.trace.calls, dur_of(told.trace, "wait")
    rows = sorted(told.calls(case["call"]), key=lambda row: calls.start[row] - calls.end[row])
    long = [int(calls.end[row] - calls.start[row]) for row in rows]
    assert len(rows) > 10
    assert long[0] > case["longer than usual"] * median(long)
    assert within(wait[rows[0]] / long[0], case["share of call"])


def test_the_period_of_the_polling_thread_grows(told: Told) -> None:
    case = told.expected["findings"]["polling whose period changes"]
    begins = sorted(int(told.trace.calls.start[row]) for row in told.calls(case["polls"]))
    gaps = [after - before for before, after in pairwise(begins)]
    assert len(gaps) > 25
    assert median(gaps[26:]) > case["period grows"] * median(gaps[:20])


def test_no_other_thread_waits_for_what_an_oven_waits_for(told: Told) -> None:
    """So all of their curves are grey when coloured by object; those at the gate are not."""
    waits = told.waits
    who: dict[int, set[str]] = {}
    for thing, thread in zip(waits.object.tolist(), waits.thread.tolist(), strict=True):
        who.setdefault(thing, set()).add(told.thread(thread))
    alone = told.expected["findings"]["no shared objects"]
    things = {int(waits.object[row]) for row in told.of(alone)}
    assert {frozenset(who[thing]) for thing in things} == {frozenset([name]) for name in alone["threads"]}
    gate = told.expected["findings"]["the convoy at the gate"]
    [thing] = {int(waits.object[row]) for row in told.of(gate)}
    assert who[thing] == set(gate["threads"])


def test_the_main_thread_writes_slowly(told: Told) -> None:
    case = told.expected["slow write"]
    rows, calls = told.calls(case["function"]), told.trace.calls
    io, life = dur_of(told.trace, "io"), told.life([case["thread"]])
    assert {told.thread(row) for row in told.trace.thread_of(np.array(rows)).tolist()} == {case["thread"]}
    assert within(io[rows].sum() / (calls.end[rows] - calls.start[rows]).sum(), case["share of call"])
    assert io[rows].sum() > 0.1 * life
    table = told.trace.table("io")
    assert table["write"][[row in rows for row in table["call"].tolist()]].all()


def test_the_end_depends_on_the_farmer_the_inspector_and_a_miller(told: Told) -> None:
    """The critical path, and how much of all waiting is explained."""
    found = correspondences(told.trace)
    main_thread = told.trace.threads.name.index(told.expected["slow write"]["thread"])
    path = critical_path(told.trace, found, main_thread, int(told.trace.threads.last[main_thread]))
    names = [told.thread(step.thread).rstrip(" 123") for step in path]
    assert path[-1].thread == main_thread
    assert len(set(names)) > 1
    if not set(expected()["path to the end"]) <= set(names):  # on a busy machine another part of the mill is the last
        ends = {told.thread(row).rstrip(" 123"): last for row, last in enumerate(told.trace.threads.last.tolist())}
        assert any(last > ends["inspector"] for name, last in ends.items() if name in set(names) - {names[-1]})
    part, whole = explained(told.trace, found)
    assert part > expected()["explained"] * whole


def test_the_command_line_tells_them(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`cbvtool trace waits`: the first rows are the answers."""
    assert main(["trace", "waits", str(run), "--format", "json", "--limit", "400"]) == DONE
    tables = json.loads(capsys.readouterr().out)
    most = {row["waiting"]: row["releasing"] for row in reversed(tables["threads"])}
    assert [most[name] for name in ("monitor", "vane", "miller 2", "oven 1")] == ["", "", "farmer", "baker"]
    assert [row["thread"] for row in tables["waits"] if row["open"]] == ["monitor"]
    [gate] = [row for row in tables["objects"] if row["object"].startswith("lock gate.py")]
    assert gate["threads"] == 3
    assert gate["holder"].startswith("cart")
    trays = [row["object"] for row in tables["objects"] if row["object"].startswith("queue bakery.py")]
    assert len(set(trays)) == 3  # made by one line: a number tells them apart
    assert any(note.startswith("Threads slept") for note in tables["notes"])
