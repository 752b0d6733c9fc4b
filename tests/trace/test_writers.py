"""Chrome JSON and speedscope: what is written comes back through the readers; what cannot be said is counted."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import Cancelled, InputError
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.store.chrome_json import OPEN_BELOW
from cbvtool.trace.store.writing import TraceFormat, trace_format, write_traces
from tests.trace.seeded import made_profile, made_trace

Row = tuple[str, str, int, int, int, int]


def rows(trace: Trace, thread: int, begin: int = 0) -> list[Row]:
    """Name, file, start, end, depth and subtree of each call of a thread."""
    low, high = trace.threads.ptr[thread : thread + 2].tolist()
    calls, of = trace.calls, trace.functions
    return [
        (
            of.name[calls.function[row]],
            of.file[calls.function[row]],
            int(calls.start[row]) - begin,
            int(calls.end[row]) - begin,
            int(calls.depth[row]),
            int(calls.end_row[row]) - low,
        )
        for row in range(low, high)
    ]


def again(trace: Trace, name: str) -> Trace | None:
    """The trace, written and read; None for one that leaves nothing to read."""
    with tempfile.TemporaryDirectory() as folder:
        write_traces(Path(folder, name), [trace])
        try:
            [found] = read_traces(Path(folder, name))
        except InputError:
            return None
    assert isinstance(found, Trace)
    return found


@given(st.integers(0, 2**32))
def test_calls_come_back_from_chrome_json(seed: int) -> None:
    """Every call with its times in ns, its nesting, its function; open calls stay open."""
    trace = made_trace(seed, tables=False)
    found = again(trace, "a.json")
    if found is None:
        assert not len(trace.calls)
        return
    place = {
        (int(found.threads.process[at]), int(found.threads.id[at])): at
        for at in range(len(found.threads))
        if found.threads.kind[at] == "thread"
    }
    for thread in range(len(trace.threads)):
        low, high = trace.threads.ptr[thread : thread + 2].tolist()
        if low == high or trace.threads.kind[thread] != "thread":
            continue
        at = place[int(trace.threads.process[thread]), int(trace.threads.id[thread])]
        is_open = [row - low for row in trace.open_rows.tolist() if low <= row < high]
        ends = trace.calls.end_row.tolist()
        closed = [row for row in range(low, high) if row - low not in is_open]
        is_open = [row for row in is_open if not any(above < row + low < ends[above] for above in closed)]
        start = int(found.threads.ptr[at])
        assert [row - start for row in found.open_rows.tolist() if start <= row < found.threads.ptr[at + 1]] == is_open
        expected, got = rows(trace, thread), rows(found, at)
        for row in is_open:  # they end with the last event that the file has of their thread
            expected[row] = (*expected[row][:3], 0, *expected[row][4:])
            got[row] = (*got[row][:3], 0, *got[row][4:])
        assert got == expected
        assert not is_open or found.threads.name[at] == trace.threads.name[thread]


@given(st.integers(0, 2**32))
def test_calls_come_back_from_speedscope(seed: int) -> None:
    trace = made_trace(seed, tables=False)
    found = again(trace, "a.speedscope.json")
    if found is None:
        assert not len(trace.calls)
        return
    with_calls = [
        thread for thread in range(len(trace.threads)) if trace.threads.ptr[thread + 1] > trace.threads.ptr[thread]
    ]
    of_found = [at for at in range(len(found.threads)) if found.threads.ptr[at + 1] > found.threads.ptr[at]]
    assert [rows(found, at) for at in of_found] == [rows(trace, thread, trace.span[0]) for thread in with_calls]


def test_everything_is_written_or_counted(tmp_path: Path) -> None:
    """Each table has its events in Chrome JSON, or its rows are counted as lost."""
    made = (made_trace(seed) for seed in range(999))
    trace = next(trace for trace in made if len(trace.tables) > 10 and len(trace.threads) > 1)
    lost = write_traces(tmp_path / "a.json", [trace])
    events = json.loads((tmp_path / "a.json").read_text())["traceEvents"]
    count = Counter(event["ph"] for event in events)
    assert count["B"] + count["b"] == len(trace.calls)
    assert count["E"] + count["e"] == len(trace.calls) - len(trace.open_rows) + lost[OPEN_BELOW]
    assert count["C"] == len(trace.table("counters"))
    assert count["i"] == len(trace.table("instants"))
    assert count["s"] == count["f"] == len(trace.table("links"))
    said = sum("return_value" in event.get("args", {}) for event in events)
    assert said == len(set(trace.table("returns")["call"].tolist()))
    for name in ("objects", "waits", "releases", "io", "states", "receivers", "call_sites", "taxa"):
        assert lost[f"rows of {name}"] == len(trace.tables.get(name, ()))
    assert write_traces(tmp_path / "a.speedscope.json", [trace])["rows of waits"] == len(trace.tables["waits"])


def test_nanoseconds_since_1970_lose_no_digit(tmp_path: Path) -> None:
    trace = made_trace(5, tables=False)
    late = 1_700_000_000_123_456_789
    calls = trace.calls
    moved = type(calls)(calls.function, calls.start + late, calls.end + late, calls.depth, calls.end_row)
    write_traces(tmp_path / "a.json.gz", [Trace(**{**trace.__dict__, "calls": moved})])
    text = gzip.decompress((tmp_path / "a.json.gz").read_bytes()).decode()
    first = int(moved.start[0])
    assert f'"ts":{first // 1000}.{first % 1000:03d}' in text
    [found] = read_traces(tmp_path / "a.json.gz")
    assert isinstance(found, Trace)
    assert np.array_equal(np.sort(found.calls.start), np.sort(moved.start))


def test_a_profile_as_speedscope(tmp_path: Path) -> None:
    profile = made_profile(3)
    lost = write_traces(tmp_path / "p.speedscope.json", [profile])
    [found] = read_traces(tmp_path / "p.speedscope.json")
    written = json.loads((tmp_path / "p.speedscope.json").read_text())["profiles"]
    values = profile.metrics[0].mean
    assert sum(written[0]["weights"]) == np.nansum(values)
    assert lost["inclusive metrics"] == 1
    assert found is not None
    with pytest.raises(InputError, match="no times"):
        write_traces(tmp_path / "p.json", [profile])
    assert isinstance(profile, Profile)


def test_the_ending_chooses() -> None:
    chosen = {
        name: trace_format(Path(name)) for name in ("run", "a.cbvtrace", "a.JSON", "a.json.gz", "b.speedscope.json")
    }
    assert list(chosen.values()) == ["folder", "folder", "chrome", "chrome", "speedscope"]
    with pytest.raises(InputError, match=r"\.svg"):
        trace_format(Path("a.svg"))


@pytest.mark.parametrize("to", ["folder", "parquet"])
def test_several_are_written_all_or_none(tmp_path: Path, to: TraceFormat) -> None:
    """What a cancel interrupts leaves what was there; a shorter set leaves nothing of a longer one."""
    place = tmp_path / "runs"
    traces = [made_trace(seed) for seed in (1, 2, 3)]
    write_traces(place, traces, to)
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}

    def stop(text: str, done: int, total: int) -> None:
        if (place.parent / "seen").exists():
            raise Cancelled
        if done == total:
            (place.parent / "seen").touch()

    with pytest.raises(Cancelled):
        write_traces(place, traces, to, stop)
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs", "seen"]
    write_traces(place, traces[:2], to)
    assert sorted(path.name for path in place.iterdir()) == ["1", "2"]
    (place / "notes.txt").touch()
    with pytest.raises(InputError, match=r"holds notes\.txt"):
        write_traces(place, traces, to)
