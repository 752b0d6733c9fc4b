"""What a recording of uftrace says of each way to wait, to release, to read and to write in C (TR-1, ST-1, ST-2)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import MUTEX, correspondences
from cbvtool.trace.waits.totals import longest_waits
from tests.trace.uftrace_run import recorded_c

PROGRAM = Path(__file__).parent.parent / "programs" / "primitives.c"

# Thread: kind of the object that it waits for longest, the function that waits and the one that releases.
NOBODY = "nobody"
WAITS = {
    "mutex": ("mutex", "pthread_mutex_lock", "pthread_mutex_unlock"),
    "time-out": ("condition", "pthread_cond_timedwait", NOBODY),
    "condition": ("condition", "pthread_cond_wait", "pthread_cond_signal"),
    "semaphore": ("semaphore", "sem_wait", "sem_post"),
    "barrier": ("barrier", "pthread_barrier_wait", "pthread_barrier_wait"),
    "join": ("thread", "pthread_join", "sleeping"),
    "reader": ("read-write lock", "pthread_rwlock_rdlock", "pthread_rwlock_unlock"),
    "writer": ("read-write lock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock"),
    "spin": ("spin lock", "pthread_spin_lock", "pthread_spin_unlock"),
    "sleep": ("timer", "usleep", NOBODY),
}
# Thread: kind of the object, the function that reads or writes it, whether it writes, and how many bytes.
TRANSFERS = {"pipe": ("file", "write", True, 200_000), "socket": ("socket", "recv", False, 3)}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The recording of the program."""
    return recorded_c(tmp_path_factory.mktemp("primitives"), PROGRAM)


def test_each_wait_has_its_object_and_its_release(trace: Trace) -> None:
    waits = longest_waits(trace, correspondences(trace), None)
    found: dict[str, tuple[str, str, str]] = {}
    for at, thread in enumerate(waits.thread.tolist()):  # the longest first
        ended = function(trace, int(waits.release[at])) if waits.release[at] >= 0 else NOBODY
        row = kind(trace, int(waits.object[at])), function(trace, int(waits.call[at])), ended
        found.setdefault(trace.threads.name[thread], row)
    assert {name: found.get(name) for name in WAITS} == WAITS


def test_reads_and_writes_have_their_file_and_size(trace: Trace) -> None:
    io = trace.table("io")
    found: dict[str, tuple[str, str, bool, int]] = {}
    for at in range(len(io)):
        call = int(io["call"][at])
        thread = trace.threads.name[int(trace.thread_of(np.array([call]))[0])]
        row = kind(trace, int(io["object"][at])), function(trace, call), bool(io["write"][at]), int(io["bytes"][at])
        found.setdefault(thread, row)
    assert {name: found.get(name) for name in TRANSFERS} == TRANSFERS


def test_a_condition_gives_its_mutex_back_while_it_waits(trace: Trace) -> None:
    """ST-2: its second curve is the release by which it could take the mutex again."""
    found = correspondences(trace)
    again = {trace.threads.name[row] for row in found.waiting_thread[found.kind == MUTEX].tolist()}
    assert "condition" in again


def test_threads_are_linked_to_what_created_them(trace: Trace) -> None:
    names = {name: row for row, name in enumerate(trace.threads.name)}
    creators = {name: int(trace.threads.creator[row]) for name, row in names.items() if name in WAITS}
    assert {function(trace, row) if row >= 0 else "" for row in creators.values()} == {"pthread_create"}
    assert len(set(creators.values())) == len(WAITS)


def function(trace: Trace, call: int) -> str:
    """The name of a call's function."""
    return str(trace.functions.name[trace.calls.function[call]])


def kind(trace: Trace, thing: int) -> str:
    """The kind of an object."""
    objects = trace.table("objects")
    return trace.strings[int(objects["kind"][thing])] if 0 <= thing < len(objects) else ""
