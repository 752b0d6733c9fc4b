"""A trace as a folder: everything comes back, nothing is read before it is used, whatever lies there."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import Cancelled, InputError
from cbvtool.trace.making.checking import faults
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.store.columns import MAPPED
from cbvtool.trace.store.folder import HEADER, open_folder, write_folder
from tests.trace.made import assert_same, profiles, traces
from tests.trace.seeded import made_profile, made_trace, same

_MEMORY = Path("/dev/shm")
FAST = _MEMORY if _MEMORY.is_dir() else None  # where saving need not wait for a disk


@given(st.integers(0, 2**32))
def test_a_trace_and_a_profile_come_back(seed: int) -> None:
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        for name, part in (("trace", made_trace(seed)), ("profile", made_profile(seed))):
            path = Path(folder, name)
            write_folder(path, part)
            assert not same(part, open_folder(path))
            [read] = read_traces(path)
            assert not same(part, read)
        assert sorted(entry.name for entry in Path(folder).iterdir()) == ["profile", "trace"]


@given(profiles(), traces())
def test_profiles_with_pairs_come_back_too(profile: Profile, trace: Trace) -> None:
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        for name, part in (("profile", profile), ("trace", trace)):
            write_folder(Path(folder, name), part)
            assert_same(replace_path(open_folder(Path(folder, name))), replace_path(part))


def replace_path(part: Trace | Profile) -> Trace | Profile:
    return replace(part, path=None) if isinstance(part, Trace) else part


def test_large_columns_are_mapped_and_small_ones_hold_no_file_open(tmp_path: Path) -> None:
    n = MAPPED
    long = made_trace(5)
    table = Table({"call": np.zeros(n, np.uint32), "value": np.zeros(n, np.uint32)})
    write_folder(tmp_path / "t", replace(long, tables={"returns": table}))
    found = open_folder(tmp_path / "t")
    assert isinstance(found, Trace)
    assert isinstance(found.tables["returns"]["call"].base, np.memmap)
    assert not isinstance(found.calls.start.base, np.memmap)
    assert not found.calls.start.flags.writeable
    write_folder(tmp_path / "t", made_trace(6))  # who has it open still reads the old one
    assert not found.tables["returns"]["value"].any()


def test_what_a_newer_program_wrote_is_kept(tmp_path: Path) -> None:
    """Members of the header, tables and columns."""
    path = tmp_path / "t"
    tables = {"taxa": Table({"call": np.zeros(2, np.uint32), "odd": np.ones(2, np.int8)})}
    links = {**made_trace(3).table("links").columns}
    links["weight"] = np.zeros(len(links["kind"]), np.float32)
    write_folder(path, replace(made_trace(3), tables={**tables, "links": Table(links)}))
    said = json.loads((path / HEADER).read_text())
    (path / HEADER).write_text(json.dumps(said | {"view": {"a": [1, None]}}))
    found = open_folder(path)
    write_folder(tmp_path / "again", found)
    again = open_folder(tmp_path / "again")
    assert again.header.unknown == {"view": {"a": [1, None]}}
    assert not same(found, again)
    assert "weight" in again.tables["links"].columns


def test_a_newer_version_gets_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_folder(path, made_trace(1))
    said = json.loads((path / HEADER).read_text())
    (path / HEADER).write_text(json.dumps(said | {"version": 2}))
    with pytest.raises(InputError, match=r"version 2 of its format, this cbvtool knows 1; install a newer one\.$"):
        open_folder(path)


def _npy(descr: str, shape: str, data: bytes) -> bytes:
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (117 - len(head)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


LIES: dict[str, tuple[str, bytes | None, str]] = {
    "a missing column": ("calls.end.npy", None, "calls.end.npy: No such file"),
    "a pickle": ("calls.end.npy", _npy("'|O'", "(3,)", b"cos\nsystem\n."), "no column of numbers"),
    "a structure": ("calls.end.npy", _npy("[('a', '<i8')]", "(3,)", bytes(24)), "no column of numbers"),
    "code": ("calls.end.npy", _npy("__import__('os')", "(3,)", bytes(24)), "no column of numbers"),
    "another type": ("calls.end.npy", _npy("'<f8'", "(3,)", bytes(24)), "holds float64"),
    "another length": ("calls.end.npy", _npy("'<i8'", "(3,)", bytes(24)), "has 3 rows"),
    "numbers beyond 64 bits": ("calls.end.npy", _npy("'<i8'", f"({10**30},)", b""), "no column of numbers"),
    "more than there is": ("calls.function.npy", _npy("'<u4'", f"({10**17},)", b""), "was cut off"),
    "less than there is": ("calls.function.npy", _npy("'<u4'", "(0,)", bytes(4)), "longer than it says"),
    "nothing": ("calls.depth.npy", b"", "no column of numbers"),
    "offsets that fall": ("threads.ptr.npy", _npy("'<i8'", "(3,)", np.array([0, 9, 1]).tobytes()), "threads.ptr"),
    "resources in a circle": ("resources.parent.npy", _npy("'<i4'", "(3,)", b"\1\0\0\0" * 3), "resources.parent"),
    "texts beyond the end": ("strings.ptr.npy", _npy("'<i8'", "(3,)", np.array([0, 0, 99]).tobytes()), "strings"),
    "no header": (HEADER, b"", "not that of a trace|damaged"),
    "a header of lists": (HEADER, b"[" * 100_000, "damaged"),
    "a header that is a list": (HEADER, b'["cbvtool-trace"]', "not that of a trace"),
    "a header of wrong types": (HEADER, b'{"format":"cbvtool-trace","version":1,"kind":"trace","run":"x"}', "damaged"),
    "a table that climbs out": (
        HEADER,
        b'{"format":"cbvtool-trace","version":1,"kind":"trace","tables":{"../x":["call"]}}',
        "damaged",
    ),
}


def two_threads() -> Trace:
    return next(trace for trace in map(made_trace, range(100)) if len(trace.threads) == 2 and len(trace.calls) > 9)


@pytest.mark.parametrize("lie", LIES)
def test_a_folder_that_lies_gets_one_sentence(lie: str, tmp_path: Path) -> None:
    name, data, said = LIES[lie]
    path = tmp_path / "t"
    write_folder(path, two_threads())
    assert (path / name).exists()
    (path / name).unlink()
    if data is not None:
        (path / name).write_bytes(data)
    with pytest.raises(InputError, match=said) as caught:
        open_folder(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path} cannot be read: ")
    assert sentence.endswith(".")
    assert "\n" not in sentence


@given(st.integers(0, 2**32))
def test_rows_that_no_trace_has_are_refused_before_compiled_code_uses_them(seed: int) -> None:
    """One number of one column of calls replaced: it is a fault, or still a trace by the model's own words."""
    chance = random.Random(seed)
    trace = made_trace(seed)
    assert not faults(trace)
    if not len(trace.calls):
        return
    name = chance.choice(("function", "start", "end", "depth", "end_row"))
    column = getattr(trace.calls, name).copy()
    row = chance.randrange(len(column))
    column[row] = chance.choice((0, 1, int(column[row]) + 1, 30_000))
    changed = replace(trace, calls=replace(trace.calls, **{name: column}))
    assert bool(faults(changed)) == (not _sound(changed))


def _sound(trace: Trace) -> bool:
    """What the model says of calls, row by row."""
    calls = trace.calls
    for thread in range(len(trace.threads)):
        low, high = trace.threads.ptr[thread : thread + 2].tolist()
        for row in range(low, high):
            around = [above for above in range(low, row) if calls.end_row[above] > row]
            if calls.function[row] >= len(trace.functions) or calls.depth[row] != len(around):
                return False
            if not row < calls.end_row[row] <= min([high, *(int(calls.end_row[above]) for above in around)]):
                return False
            if calls.end[row] < calls.start[row] or (row > low and calls.start[row] < calls.start[row - 1]):
                return False
            if any(calls.start[row] < calls.start[above] or calls.end[row] > calls.end[above] for above in around):
                return False
    return True


def test_rows_of_tables_are_checked_too() -> None:
    trace = two_threads()
    table = Table({"call": np.array([len(trace.calls)], np.uint32), "value": np.zeros(1, np.uint32)})
    assert "returns" in faults(replace(trace, tables={"returns": table}))
    table = Table({"call": np.array([0], np.uint32), "value": np.array([len(trace.strings)], np.uint32)})
    assert "returns" in faults(replace(trace, tables={"returns": table}))


def test_only_a_trace_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.mkdir()
    write_folder(path, made_trace(1))
    (path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"notes\.txt"):
        write_folder(path, made_trace(2))
    with pytest.raises(InputError, match="it is a file"):
        write_folder(path / "notes.txt", made_trace(2))
    with pytest.raises(InputError, match="no folder"):
        write_folder(tmp_path / "a" / "b", made_trace(2))
    assert not same(made_trace(1), open_folder(path))


def test_cancel_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_folder(path, made_trace(1))

    def stop(what: str, done: int, total: int) -> None:
        if done > 200:
            raise Cancelled

    with pytest.raises(Cancelled):
        write_folder(path, made_trace(2), stop)
    assert not same(made_trace(1), open_folder(path))
    assert os.listdir(tmp_path) == ["t"]


@pytest.mark.skipif(sys.platform == "win32", reason="where folders have no locks, nothing is removed")
def test_what_a_killed_save_left_is_removed_by_the_next(tmp_path: Path) -> None:
    program = """
import sys, os, signal
from pathlib import Path
from tests.trace.made import assert_same, profiles, traces
from tests.trace.seeded import made_trace
from cbvtool.trace.store.folder import write_folder
def stop(what, done, total):
    if done > 200:
        os.kill(os.getpid(), signal.SIGKILL)
write_folder(Path(sys.argv[1]), made_trace(2), stop)
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "t")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(os.listdir(tmp_path)) == 1
    write_folder(tmp_path / "u", made_trace(1))
    assert os.listdir(tmp_path) == ["u"]


def test_a_folder_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    """Two saves beside each other at once."""
    seen: list[Any] = []

    def other(what: str, done: int, total: int) -> None:
        if not seen:
            seen.append(True)
            write_folder(tmp_path / "u", made_trace(1))

    write_folder(tmp_path / "t", made_trace(2), other)
    assert sorted(os.listdir(tmp_path)) == ["t", "u"]
    assert not same(made_trace(2), open_folder(tmp_path / "t"))


def test_runs_of_a_series_are_read_in_their_order(tmp_path: Path) -> None:
    for run in (1, 2, 10):
        write_folder(tmp_path / str(run), made_trace(run))
    found = read_traces(tmp_path)
    assert [same(made_trace(run), part) for run, part in zip((1, 2, 10), found, strict=True)] == ["", "", ""]
