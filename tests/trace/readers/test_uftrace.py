"""uftrace's raw folders (TR-1): recordings of `tests/trace/programs`, folders made by hand, and broken ones."""

from __future__ import annotations

import random
import shutil
import struct
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.errors import Cancelled, InputError
from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces, reader_of
from cbvtool.trace.readers.source import TraceSource
from cbvtool.trace.readers.uftrace.arguments import Layouts, RecordedValue, specifications, value_of
from cbvtool.trace.readers.uftrace.cxx_names import qualified_name
from cbvtool.trace.readers.uftrace.records import TEXT
from cbvtool.trace.waits.correspondences import correspondences

RECORDINGS = Path(__file__).parent.parent / "recordings"
ENTRY, EXIT, LOST, EVENT = range(4)
BASE = 0x5000_0000_0000


def read(path: Path) -> Trace:
    (trace,) = read_traces(path)
    assert isinstance(trace, Trace)
    return trace


def counts(trace: Trace) -> Counter[str]:
    return Counter(trace.functions.name[function] for function in trace.calls.function.tolist())


def record(kind: int, address: int, time: int, data: bytes = b"", depth: int = 0) -> bytes:
    second = kind | (4 if data else 0) | 5 << 3 | min(depth, 1023) << 6 | address << 16
    return struct.pack("<QQ", time, second) + data + bytes(-len(data) % 8)


def folder(path: Path, records: dict[int, bytes], names: list[str], info: str = "") -> Path:
    """A recording of one program whose function i stands at BASE + 16 i."""
    path.mkdir(exist_ok=True)
    header = struct.pack("<8sIHBBQQHHI", b"Ftrace!\0", 4, 40, 1, 2, 0x1FF, 0, 1024, 0, 0)
    (path / "info").write_bytes(header + b"exename:/src/app\n" + info.encode())
    first = min(records, default=1)
    lines = [f'SESS timestamp=0.000000001 pid={first} sid=0123456789abcdef exename="/src/app"']
    lines += [f"TASK timestamp=0.000000002 tid={thread} pid={first}" for thread in records]
    (path / "task.txt").write_text("\n".join(lines) + "\n")
    size = 16 * len(names) + 16
    (path / "sid-0123456789abcdef.map").write_text(f"{BASE:x}-{BASE + size:x} r-xp 00000000 00:00 0   /src/app\n")
    symbols = [f"{16 * row:016x} T {name}" for row, name in enumerate(names)]
    (path / "app.sym").write_text("# path name: /src/app\n" + "\n".join([*symbols, f"{size:016x} ? __sym_end"]) + "\n")
    for thread, data in records.items():
        (path / f"{thread}.dat").write_bytes(data)
    return path


def test_locks_conditions_files_and_scheduling_of_a_recording() -> None:
    """TR-1: what `uftrace report` says of the same folder; addresses of locks become objects."""
    trace = read(RECORDINGS / "locks.uftrace")
    found = counts(trace)
    del found["__monstartup"], found["__cxa_atexit"]
    assert found == {
        "main": 1,
        "consumer": 1,
        "pthread_cond_wait": 1,
        "usleep": 3,
        "pthread_join": 1,
        "pthread_create": 1,
        "open": 1,
        "pthread_cond_signal": 3,
        "read": 3,
        "pthread_mutex_lock": 6,
        "pthread_mutex_unlock": 6,
        "work": 3,
    }
    assert not trace.repairs
    assert trace.omissions == {"waits, releases, reads and writes whose object was not recorded": 1}  # pthread_join
    objects = trace.table("objects")
    kinds = [trace.strings[kind] for kind in objects["kind"].tolist()]
    assert sorted(kinds) == ["condition", "file", "mutex", "timer"]
    waits, releases, io = trace.table("waits"), trace.table("releases"), trace.table("io")
    assert Counter(kinds[thing] for thing in waits["object"].tolist()) == {"mutex": 6, "condition": 1, "timer": 3}
    assert Counter(kinds[thing] for thing in releases["object"].tolist()) == {"mutex": 7, "condition": 3}
    assert io["bytes"].tolist() == [8, 8, 8]
    assert not io["write"].any()
    (condition,) = np.flatnonzero(waits["object"] == kinds.index("condition"))
    call = int(waits["call"][condition])
    assert trace.functions.name[trace.calls.function[call]] == "pthread_cond_wait"
    assert (waits["start"][condition], waits["end"][condition]) == (trace.calls.start[call], trace.calls.end[call])
    states = trace.table("states")
    threads = trace.resources.thread[states["resource"]]
    assert set(threads.tolist()) == {0, 1}
    inside = (states["start"] >= trace.calls.start[call]) & (states["end"] <= trace.calls.end[call])
    waited = trace.calls.end[call] - trace.calls.start[call]
    assert (states["end"] - states["start"])[inside & (threads == 1)].sum() > 0.9 * waited
    assert {trace.strings[name] for name in states["name"].tolist()} <= {"off the processor", "pre-empted"}
    assert trace.header.program == "/src/locks"
    assert trace.header.clock == "monotonic"


def test_a_call_that_never_returns_stays_open() -> None:
    trace = read(RECORDINGS / "hang.uftrace")
    assert [trace.functions.name[trace.calls.function[row]] for row in trace.open_rows.tolist()] == ["main"]
    assert trace.threads.last[0] - trace.calls.start[trace.open_rows[0]] > 900_000_000  # until the alarm rang
    waits, found = trace.table("waits"), correspondences(trace)  # the kernel says that it waits, nobody says for what
    assert (waits["call"].tolist(), waits["object"].tolist()) == (trace.open_rows.tolist(), [NO_ROW])
    assert found.open.tolist() == [0]


def test_fork_and_exec_are_processes_and_sessions() -> None:
    """The child returns from a fork that it never began, and runs another program whose addresses are others."""
    trace = read(RECORDINGS / "forks.uftrace")
    assert trace.threads.process.tolist() == [20306, 20308]
    assert trace.repairs == {"ends without a begin": 1}
    assert counts(trace)["main"] == 2
    assert [trace.functions.name[trace.calls.function[row]] for row in trace.open_rows.tolist()] == ["execl"]
    assert counts(trace)["child"] == 2


def test_records_by_hand(tmp_path: Path) -> None:
    info = "argspec:a@arg1/x,arg2/s;b@fparg1/32,arg2/c\nretspec:a@retval/i32\npattern_type:regex\n"
    text = b"\x05\0hello" + b"\0"  # 7 bytes and one to the next four
    data = (
        record(ENTRY, BASE, 100, struct.pack("<Q", 0xABC) + text)
        + record(ENTRY, BASE + 16, 110, struct.pack("<fB", 1.5, 65))
        + record(EXIT, BASE + 16, 120)
        + record(EXIT, BASE, 130, struct.pack("<i", -7))
        + record(LOST, 3, 0)
        + record(EVENT, 100_001, 140, struct.pack("<H", 24) + bytes(24))
        + record(ENTRY, 0x1234, 150)
    )
    trace = read(folder(tmp_path / "data", {7: data}, ["a", "b"], info))
    assert [trace.functions.name[function] for function in trace.calls.function.tolist()] == ["a", "b", "0x1234"]
    assert trace.calls.start.tolist() == [100, 110, 150]
    assert trace.calls.end.tolist() == [130, 120, 150]
    table = trace.table("arguments")
    shown = [
        (call, trace.strings[name], trace.strings[value])
        for call, name, value in zip(*(table[name].tolist() for name in ("call", "name", "value")), strict=True)
    ]
    assert shown == [(0, "arg1", "0xabc"), (0, "arg2", "hello"), (1, "fparg1", "1.5"), (1, "arg2", "'A'")]
    assert [trace.strings[value] for value in trace.table("returns")["value"].tolist()] == ["-7"]
    assert trace.omissions == {"records that uftrace lost": 3, "events other than scheduling": 1}


def test_data_of_unknown_length_is_passed(tmp_path: Path) -> None:
    """Calls behind arguments that no line of `info` describes are all found."""
    data = record(ENTRY, BASE, 10, b"\1" * 32) + record(ENTRY, BASE, 20) + record(EXIT, BASE, 30)
    trace = read(folder(tmp_path / "data", {1: data + record(EXIT, BASE, 40, b"\2" * 8) + record(EVENT, 7, 50)}, ["f"]))
    assert trace.calls.start.tolist() == [10, 20]
    assert trace.calls.end.tolist() == [40, 30]
    assert trace.omissions["arguments and return values of unknown length"] == 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), max_size=60), st.integers(0, 2**32))
def test_a_random_tree_of_calls_comes_back(
    tmp_path_factory: pytest.TempPathFactory, moves: list[bool], seed: int
) -> None:
    """What was written as records is read as calls, in every order of begins and ends."""
    chance = random.Random(seed)
    names = ["alpha", "beta", "_ZN4shop4CartIiE3addEi"]
    data, time = b"", 1_000
    stack: list[int] = []
    expected: list[list[int]] = []
    for down in moves:
        time += chance.randrange(0, 50)
        if down or not stack:
            function = chance.randrange(3)
            stack.append(len(expected))
            expected.append([function, time, -1, len(stack) - 1])
            data += record(ENTRY, BASE + 16 * function, time, depth=len(stack) - 1)
        else:
            row = stack.pop()
            expected[row][2] = time
            data += record(EXIT, BASE + 16 * expected[row][0], time, depth=len(stack))
    if not data:
        return
    for row in stack:
        expected[row][2] = time
    trace = read(folder(tmp_path_factory.mktemp("tree") / "data", {1: data}, names))
    calls = trace.calls
    found = [
        [["alpha", "beta", "shop::Cart::add"].index(trace.functions.name[function]), start, end, depth]
        for function, start, end, depth in zip(
            calls.function.tolist(), calls.start.tolist(), calls.end.tolist(), calls.depth.tolist(), strict=True
        )
    ]
    assert found == expected
    assert trace.open_rows.tolist() == stack


@pytest.mark.parametrize("name", ["locks", "forks", "hang"])
def test_cut_off_anywhere(tmp_path: Path, name: str) -> None:
    """A recording whose files end anywhere is read as far as it goes, or refused in a sentence."""
    whole = len(read(RECORDINGS / f"{name}.uftrace").calls)
    for file in sorted((RECORDINGS / f"{name}.uftrace").iterdir()):
        data = file.read_bytes()
        for size in {0, 1, 7, len(data) // 3, len(data) // 2, max(0, len(data) - 5)}:
            copied = tmp_path / "copy"
            shutil.rmtree(copied, ignore_errors=True)
            shutil.copytree(RECORDINGS / f"{name}.uftrace", copied)
            (copied / file.name).write_bytes(data[:size])
            with suppress(InputError):
                assert len(read(copied).calls) <= whole


def test_files_that_are_missing(tmp_path: Path) -> None:
    """Without symbols functions have their addresses for names; without task.txt a thread is its own process."""
    data = record(ENTRY, BASE, 1) + record(EXIT, BASE, 2)
    path = folder(tmp_path / "data", {5: data}, ["f"])
    (path / "app.sym").unlink()
    assert read(path).functions.name == (hex(BASE),)
    (path / "task.txt").unlink()
    assert read(path).threads.process.tolist() == [5]
    (path / "info").write_bytes(b"")
    assert read(path).omissions["files that are missing or cannot be read"] == 1


@pytest.mark.parametrize(
    ("order", "version", "reason"), [(2, 4, "another order of bytes"), (1, 3, "only version 4 is known")]
)
def test_recordings_of_other_machines_are_refused(tmp_path: Path, order: int, version: int, reason: str) -> None:
    path = folder(tmp_path / "data", {1: record(ENTRY, BASE, 1)}, ["f"])
    (path / "info").write_bytes(struct.pack("<8sIHBBQQHHI", b"Ftrace!\0", version, 40, order, 2, 0, 0, 0, 0, 0))
    with pytest.raises(InputError, match=reason):
        read(path)


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    path = folder(tmp_path / "data", {1: record(ENTRY, BASE, 1)}, ["f"])
    secret = tmp_path / "secret.sym"
    (path / "app.sym").rename(secret)
    (path / "app.sym").symlink_to(secret)
    assert read(path).functions.name == (hex(BASE),)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes, perf: bytes) -> None:
    path = folder(tmp_path_factory.mktemp("bytes") / "data", {1: data}, ["f"], "argspec:f@arg1/s\n")
    (path / "perf-cpu0.dat").write_bytes(perf)
    with suppress(InputError):
        read(path)


def test_100_000_deep(tmp_path: Path) -> None:
    data = b"".join(record(ENTRY, BASE, time) for time in range(100_000))
    trace = read(folder(tmp_path / "data", {1: data}, ["f"]))
    assert int(trace.calls.depth.max()) == 99_999
    assert len(trace.open_rows) == 100_000


def test_cancel_stops_the_reading(tmp_path: Path) -> None:
    def cancel(what: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_traces(RECORDINGS / "locks.uftrace", cancel)


def test_a_folder_of_other_files_is_none(tmp_path: Path) -> None:
    (tmp_path / "1.dat").write_bytes(b"")
    assert reader_of(TraceSource(tmp_path)) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("arg1/x", RecordedValue(1, 8, "x")),
        ("arg2/i32", RecordedValue(2, 4, "i")),
        ("arg3", RecordedValue(3, 8, "")),
        ("arg1/p%RDI", RecordedValue(1, 8, "p")),
        ("fparg1/64", RecordedValue(1, 8, "", floating=True)),
        ("fparg2/32", RecordedValue(2, 4, "", floating=True)),
        ("retval/s", RecordedValue(0, TEXT, "s")),
        ("retval/t16:mystruct", RecordedValue(0, 16, "t")),
        ("arg2/e:uft_open_flag", RecordedValue(2, 8, "e")),
        ("plt", None),
        ("arg", None),
    ],
)
def test_specifications_of_values(text: str, value: RecordedValue | None) -> None:
    assert value_of(text) == value


def test_what_the_user_said_goes_before_automatic_values() -> None:
    given_ = specifications("^re@arg2/x,arg1/d") + specifications("read@arg1/d32,arg2/p,arg3/u", automatic=True)
    entry, _ = Layouts(given_, "regex").of(["read"])
    assert [(value.number, value.size, value.format) for value in entry] == [(1, 8, "d"), (2, 8, "x")]


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("main", "main"),
        ("_ZN4shop4CartIiE3addEi", "shop::Cart::add"),
        ("_ZNK4shop6Square4areaEv", "shop::Square::area"),
        ("_ZN4shop5ShapeD0Ev", "shop::Shape::~Shape"),
        ("_ZN4shop6SquareC2Ed", "shop::Square::Square"),
        ("_ZN4shopL3sumERKSt6vectorISt10unique_ptrINS_5ShapeESt14default_deleteIS2_EESaIS5_EE", "shop::sum"),
        ("_ZZ4mainENKUliE_clEi", "main::{lambda}::operator()"),
        ("_ZdlPvm", "operator delete"),
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back"),
        ("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<"),
        ("_ZN12_GLOBAL__N_11fEv", "{anonymous}::f"),
        ("_ZN3fooIXadL_Z3barvEEE1gEv", "foo::g"),
        ("_ZL3fibi.part.0", "fib"),
        ("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place"),
        ("_ZNK1AcvbEv", "A::operator bool"),
        ("_ZTq16_N1A1fEv", "_ZTq16_N1A1fEv"),
        ("_ZThn16_N1A1fEv", "A::f"),
        ("_ZN", "_ZN"),
        ("_Z99999999999999999999999999f", "_Z99999999999999999999999999f"),
        ("_ZN" + "3abc" * 6000 + "E", "_ZN" + "3abc" * 6000 + "E"),
        ("_Z" + "Z1f" * 5000, "_Z" + "Z1f" * 5000),
    ],
)
def test_names_of_mangled_symbols(symbol: str, name: str) -> None:
    assert qualified_name(symbol) == name


@given(st.text(alphabet="_ZNEISTLXJKPRUltvidcDC0123456789abS_", max_size=40))
def test_no_symbol_breaks_the_reading(text: str) -> None:
    assert qualified_name("_Z" + text)
