"""Sampled stacks (TR-1): collapsed stacks, `perf script`, speedscope, and how samples become calls."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import Cancelled, InputError
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.samples import events_of_samples, intervals
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.closed_json import closed
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.registry import read_traces, reader_of
from cbvtool.trace.readers.sampled.frame_names import frame_name
from cbvtool.trace.readers.source import TraceSource

Stacks = list[list[int]]


def parts(path: Path, content: str | bytes) -> list[Part]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_traces(path)


def profile_of(path: Path, content: str | bytes) -> Profile:
    (profile,) = parts(path, content)
    assert isinstance(profile, Profile)
    return profile


def trace_of(path: Path, content: str | bytes) -> Trace:
    (trace,) = parts(path, content)
    assert isinstance(trace, Trace)
    return trace


def folded(profile: Profile) -> dict[str, float]:
    """What `profile` would be as collapsed stacks."""
    result: defaultdict[str, float] = defaultdict(float)
    paths: list[str] = []
    for row, (function, parent) in enumerate(zip(profile.function.tolist(), profile.parent.tolist(), strict=True)):
        name = profile.functions.name[function]
        paths.append(name if parent < 0 else f"{paths[parent]};{name}")
        value = profile.metrics[0].mean[row] if profile.metrics else np.nan
        if value == value:
            result[paths[row]] += value
    return dict(result)


def calls_of(trace: Trace) -> list[tuple[str, int, int, int]]:
    calls = trace.calls
    names = [trace.functions.name[function] for function in calls.function.tolist()]
    return list(zip(names, calls.start.tolist(), calls.end.tolist(), calls.depth.tolist(), strict=True))


def naive_calls(stacks: Stacks, start: list[int], end: list[int]) -> list[tuple[int, int, int, int]]:
    """(function, start, end, depth) in preorder: an open call at each depth, closed where its prefix ends."""
    found: list[list[int]] = []
    running: list[int] = []
    for row, stack in enumerate(stacks):
        same = 0
        if row and start[row] <= end[row - 1]:
            while same < min(len(stack), len(running)) and found[running[same]][0] == stack[same]:
                same += 1
        del running[same:]
        for depth in range(same, len(stack)):
            running.append(len(found))
            found.append([stack[depth], start[row], end[row], depth])
        for call in running:
            found[call][2] = end[row]
    return [(one[0], one[1], one[2], one[3]) for one in found]


@settings(deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(0, 2), max_size=5), st.integers(0, 2), st.integers(1, 3)), max_size=30))
def test_runs_of_equal_prefixes_become_calls(given_: list[tuple[list[int], int, int]]) -> None:
    """Against a naive reading; gaps between samples end all calls."""
    stacks, start, end, now = [], [], [], 0
    for stack, gap, length in given_:
        now += gap
        stacks.append(stack)
        start.append(now)
        now += length
        end.append(now)
    ptr = np.cumsum([0, *map(len, stacks)]).astype(np.int64)
    frames = np.array([frame for stack in stacks for frame in stack], np.uint32)
    events = events_of_samples(ptr, frames, np.array(start, np.int64), np.array(end, np.int64))
    builder = TraceBuilder("test", Budget("The test"))
    for name in "abc":
        builder.function(name)
    thread = builder.thread(1, 1)
    builder.bulk(thread, events)
    calls = builder.build().calls
    columns = (calls.function, calls.start, calls.end, calls.depth)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == naive_calls(stacks, start, end)
    assert not builder.repairs


def test_a_sample_stands_since_the_one_before_unless_the_thread_slept() -> None:
    time = np.array([100, 110, 125, 200, 210], np.int64)
    start, end = intervals(time, np.full(5, 10, np.int64))
    assert start.tolist() == [90, 100, 110, 190, 200]
    assert end.tolist() == time.tolist()
    assert intervals(np.array([5, 7, 9], np.int64))[0].tolist() == [3, 5, 7]
    assert intervals(np.array([5], np.int64))[0].tolist() == [5]


@pytest.mark.parametrize(
    ("text", "name", "module"),
    [
        ("main", "main", ""),
        ("vfs_read+0x1f", "vfs_read", ""),
        ("vfs_read_[k]", "vfs_read", "[kernel]"),
        ("Foo_[j]", "Foo", "[jit]"),
        ("java/util/ArrayList:.add", "ArrayList.add", "java.util"),
        ("Lsun/nio/Net$1;::poll", "Net$1.poll", "sun.nio"),
        ("io/netty/Channel.read", "Channel.read", "io.netty"),
        ("operator/", "operator/", ""),
        ("_[k]", "_[k]", ""),
    ],
)
def test_names_of_frames(text: str, name: str, module: str) -> None:
    assert frame_name(text) == (name, module)


def test_collapsed_stacks(tmp_path: Path) -> None:
    profile = profile_of(tmp_path / "a.folded", "a;b;c 3\r\na;b 2\r\n# no\r\nno count\r\na;b;c 1.5\na;d_[k] 1\n")
    assert folded(profile) == {"a;b;c": 4.5, "a;b": 2, "a;d": 1}
    assert profile.sampled
    assert not profile.metrics[0].inclusive
    assert profile.omissions == {"lines without a stack and a count": 1}
    assert profile.functions.module[profile.functions.name.index("d")] == "[kernel]"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_collapsed_stacks_of_other_encodings(tmp_path: Path, encoding: str) -> None:
    profile = profile_of(tmp_path / "a", "ä;b 3\nä;c 1\n".encode(encoding))
    assert folded(profile) == {"ä;b": 3, "ä;c": 1}


NAMES = st.text(alphabet="abcxyz:<>() é", min_size=1, max_size=8).map(str.strip).filter(bool)


@settings(deadline=None)
@given(st.dictionaries(st.lists(NAMES, min_size=2, max_size=6).map(";".join), st.integers(1, 10**9), min_size=1))
def test_collapsed_stacks_come_back(tmp_path_factory: pytest.TempPathFactory, given_: dict[str, int]) -> None:
    path = tmp_path_factory.mktemp("folded") / "a"
    assert folded(profile_of(path, "".join(f"{stack} {count}\n" for stack, count in given_.items()))) == given_


def test_collapsed_stacks_100_000_deep_and_large_counts(tmp_path: Path) -> None:
    deep = ";".join(["f"] * 100_000)
    profile = profile_of(tmp_path / "a", f"a;b {'9' * 400}\n{deep} 99999999999999999999999999\n")
    assert len(profile) == 100_000
    assert profile.metrics[0].mean[-1] == 1e26
    assert profile.omissions == {"lines without a stack and a count": 1}  # larger than any double


PERF = """# hostname : box
# cmdline : /usr/bin/perf record -g ./app
app  10/11  1.000000100:    1000 cpu-clock:ppp: 
\t         40 leaf+0x4 (/bin/app)
\t         30 main+0x9 (/bin/app)
\tffffffffff [unknown] ([vdso])

app  10/11  1.000001100:    1000 cpu-clock:ppp: 
\t         41 other (/bin/app)
\t         30 main+0x9 (/bin/app)
\tffffffffff [unknown] ([vdso])

my app 12  [003]  2.5:  5 page-faults:u: 
\t         50 touch(int) (/lib/libc (deleted))
\tno frame at all

app  10/11  1.5: cpu-clock:ppp: 
"""  # noqa: W291 -- as perf writes it


def test_perf_script(tmp_path: Path) -> None:
    """A trace for each event; ns are exact; a period of a clock says how long a sample stands."""
    clock, faults = parts(tmp_path / "a.txt", PERF)
    assert isinstance(clock, Trace)
    assert isinstance(faults, Trace)
    assert calls_of(clock) == [
        ("[unknown]", 999_999_100, 1_000_001_100, 0),
        ("main", 999_999_100, 1_000_001_100, 1),
        ("leaf", 999_999_100, 1_000_000_100, 2),
        ("other", 1_000_000_100, 1_000_001_100, 2),
    ]
    assert clock.sampled
    assert (clock.threads.process.tolist(), clock.threads.id.tolist(), clock.threads.name) == ([10], [11], ("app",))
    assert clock.functions.module[clock.functions.name.index("leaf")] == "/bin/app"
    assert clock.header.parameters == {"event": "cpu-clock:ppp"}
    assert clock.header.machine == "box"
    assert clock.omissions == {"lines of a call chain that are no frame": 1, "samples without a stack": 1}
    assert calls_of(faults) == [("touch(int)", 2_500_000_000, 2_500_000_000, 0)]
    assert faults.threads.name == ("my app",)


def test_perf_script_cut_off_and_broken(tmp_path: Path) -> None:
    for size in range(0, len(PERF), 7):
        with suppress(InputError):
            parts(tmp_path / "a.txt", PERF[:size])
    broken = PERF.replace("1.000001100", "9" * 30 + ".0")
    assert isinstance(parts(tmp_path / "a.txt", broken)[0], Trace)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=20))
def test_perf_script_comes_back(tmp_path_factory: pytest.TempPathFactory, stacks: list[list[str]]) -> None:
    text = ""
    for row, stack in enumerate(stacks, 1):
        text += f"app 1/1 {row}.0: 1000000000 cpu-clock: \n"
        text += "".join(f"\t  {depth:x} {name} (app)\n" for depth, name in enumerate(reversed(stack))) + "\n"
    trace = trace_of(tmp_path_factory.mktemp("perf") / "a", text)
    rows = [["abc".index(name) for name in stack] for stack in stacks]
    start = [row * 10**9 for row in range(len(stacks))]
    expected = naive_calls(rows, start, [time + 10**9 for time in start])
    assert calls_of(trace) == [("abc"[function], *rest) for function, *rest in expected]


def speedscope(*profiles: dict[str, object], frames: str = "abc") -> str:
    shared = {"frames": [{"name": name, "file": f"{name}.py", "line": 3} for name in frames]}
    schema = "https://www.speedscope.app/file-format-schema.json"
    return json.dumps({"$schema": schema, "shared": shared, "profiles": profiles, "exporter": "test"})


def evented(
    events: Sequence[tuple[str, int, float]], unit: str = "milliseconds", end: float = 100
) -> dict[str, object]:
    given_ = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]
    return {"type": "evented", "name": "main", "unit": unit, "startValue": 0, "endValue": end, "events": given_}


def sampled(samples: Stacks, weights: list[float], unit: str) -> dict[str, object]:
    return {
        "type": "sampled",
        "name": "s",
        "unit": unit,
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }


def test_speedscope_calls_and_samples_in_one_file(tmp_path: Path) -> None:
    """Each profile with time is a thread of one trace; the sampled one alone is marked."""
    text = speedscope(
        evented([("O", 0, 0), ("O", 1, 1.5), ("C", 1, 2), ("O", 2, 3)]),
        sampled([[0], [0, 1], [0, 1]], [1, 2, 3], "nanoseconds"),
    )
    trace = trace_of(tmp_path / "a", text)
    assert calls_of(trace) == [
        ("a", 0, 100_000_000, 0),
        ("b", 1_500_000, 2_000_000, 1),
        ("c", 3_000_000, 100_000_000, 1),
        ("a", 0, 6, 0),
        ("b", 1, 6, 1),
    ]
    assert trace.open_rows.tolist() == [0, 2]
    assert trace.threads.sampled.tolist() == [False, True]
    assert trace.functions.file == ("a.py", "b.py", "c.py")
    assert trace.header.recorder == "test"


def test_speedscope_without_time_is_a_profile(tmp_path: Path) -> None:
    events, samples = parts(
        tmp_path / "a",
        speedscope(
            evented([("O", 0, 0), ("O", 1, 2), ("C", 1, 5), ("C", 0, 6)], "none"),
            sampled([[0, 1], [0], [0, 1], []], [5, 1, 2, 4], "bytes"),
        ),
    )
    assert isinstance(events, Profile)
    assert isinstance(samples, Profile)
    assert folded(events) == {"a": 3, "a;b": 3}
    assert folded(samples) == {"a": 1, "a;b": 7}
    assert samples.metrics[0].unit == "bytes"
    assert samples.sampled
    assert not events.sampled
    assert samples.omissions == {"samples without a stack": 1}


def test_speedscope_times_since_1970_are_exact(tmp_path: Path) -> None:
    """Microseconds with three decimals since 1970 fit no double."""
    text = speedscope(evented([("O", 0, 1), ("C", 0, 2)], "microseconds", 3))
    text = text.replace('"at": 1', '"at": 1700000000000000.123').replace('"at": 2', '"at": 1700000000000001.457')
    text = text.replace('"endValue": 3', '"endValue": 1700000000000001.457')
    ((_, start, end, _),) = calls_of(trace_of(tmp_path / "a", text))
    assert (start, end) == (int(Decimal("1700000000000000.123") * 1000), 1_700_000_000_000_001_457)


def test_speedscope_bad_values_are_counted(tmp_path: Path) -> None:
    text = speedscope(
        evented([("O", 9, 0), ("O", 0, 1), ("X", 0, 1), ("C", 0, 1e30), ("C", 0, 2), ("C", 1, 3)]),
        sampled([[0], [7, 1]], [1, 1, 1], "seconds"),
        {"type": "other", "unit": "seconds"},
    )
    trace = trace_of(tmp_path / "a", text)
    assert trace.omissions == {
        "events and samples of frames that the file does not name": 3,
        "numbers beyond 64 bits": 1,
        "samples or weights without a partner": 1,
        "profiles of an unknown type": 1,
    }
    assert trace.repairs == {"ends without a begin": 1}


def test_speedscope_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    text = speedscope(evented([("O", 0, 0)] + [(kind, 1, at) for at in range(50) for kind in "OC"]))
    assert len(calls_of(trace_of(tmp_path / "a", text))) == 51
    cut = trace_of(tmp_path / "a", text[: len(text) // 2])
    assert cut.repairs["files that were cut off"] == 1
    assert 5 < len(cut.calls) < 50
    for size in range(0, len(text), 97):
        with suppress(InputError):
            parts(tmp_path / "a", text[:size])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
        max_leaves=20,
    ),
    st.integers(0, 300),
)
def test_json_that_was_cut_off_is_closed(value: object, size: int) -> None:
    """A beginning of a list or an object is JSON again; the whole stays what it is."""
    data = json.dumps([value]).encode()
    assert json.loads(closed(data, Budget("The test"))) == [value]
    if size:
        assert isinstance(json.loads(closed(data[:size], Budget("The test"))), list)


def test_json_that_is_nested_100_000_deep_does_no_harm(tmp_path: Path) -> None:
    """How deep JSON may be depends on the Python: it is refused, or what stands before it is read."""
    text = speedscope(evented([("O", 0, 0)]))[:-1] + ', "more": ' + "[" * 100_000
    read: list[object] = [None]
    said = "it is not JSON"
    try:
        read = [*parts(tmp_path / "a", text)]
    except InputError as error:
        said = str(error)
    assert len(read) == 1
    assert "it is not JSON" in said


def test_budget_and_cancel_stop_each_reader(tmp_path: Path) -> None:
    def cancel(what: str, done: int, total: int) -> None:
        raise Cancelled

    for content in ("a;b 1\n" * 50_000, PERF * 2_000, speedscope(sampled([[0]] * 50_000, [1] * 50_000, "seconds"))):
        path = tmp_path / "a"
        path.write_text(content)
        with pytest.raises(Cancelled):
            read_traces(path, cancel)
        with pytest.raises(OverBudget):
            read_traces(path, budget=Budget("Reading a", count=1_000))


@pytest.mark.parametrize("content", ["", "\n\n", "hello world\n", "a,b\n1,2\n", "{}", "[1, 2]", "\0\0\0", "<a/>"])
def test_other_files_are_none_of_these(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a"
    path.write_text(content)
    assert reader_of(TraceSource(path)) is None
