"""Objects and threads that uftrace does not name are called by functions (ST-8)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cbvtool.trace.model.trace import NO_CALL, Calls, Threads, Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.readers.uftrace.places import object_names, thread_names, waiting_places

NAMES = ("app::run", "app::Guard", "app::Mutex::Lock", "pthread_mutex_lock", "app::put", "app::count", "nothing")
RUN, GUARD, LOCK, PTHREAD, PUT, COUNT, NOTHING = range(7)


def calls(*rows: tuple[int, int]) -> Calls:
    """Calls with (function, depth), a nanosecond apart."""
    function, depth = (np.array(column) for column in zip(*rows, strict=True))
    start = np.arange(len(rows), dtype=np.int64)
    return Calls(function.astype(np.uint32), start, start + 1, depth.astype(np.uint16), (start + 1).astype(np.uint32))


def test_a_wait_stands_in_the_nearest_function_that_is_no_wrapper() -> None:
    made = calls(
        (RUN, 0),
        (PUT, 1),
        (GUARD, 2),
        (LOCK, 3),
        (PTHREAD, 4),
        (COUNT, 2),
        (LOCK, 1),
        (PTHREAD, 2),
        (PTHREAD, 0),
        (LOCK, 0),
        (PTHREAD, 1),
    )
    waits = np.array([4, 10, 7, 8, 4])
    assert waiting_places(made, len(NAMES), waits, {PTHREAD}).tolist() == [PUT, LOCK, RUN, -1, PUT]
    assert len(waiting_places(made, len(NAMES), np.empty(0, np.int64), {PTHREAD})) == 0


def test_an_object_is_called_by_the_function_that_waited_longest() -> None:
    objects = [(1, 16, "mutex"), (1, 32, "mutex"), (1, 32, "condition"), (1, 64, "mutex"), (1, 3, "file")]
    waits, place = np.array([0, 0, 0, 1, 2, 3]), np.array([PUT, PUT, RUN, PUT, PUT, -1])
    time = np.array([5, 6, 10, 1, 1, 9])
    assert object_names(objects, waits, time, place, NAMES) == ["app::put 0x10", "app::put 0x20", "app::put", "", ""]


def test_a_thread_without_a_name_is_called_by_what_it_runs() -> None:
    some = np.zeros(3, np.int64)
    threads = Threads(
        some,
        some,
        ("", "main", ""),
        ("",) * 3,
        ("thread",) * 3,
        np.zeros(3, np.bool_),
        np.full(3, NO_CALL),
        some,
        some,
        np.array([0, 2, 3, 3]),
    )
    assert thread_names(calls((LOCK, 0), (PTHREAD, 1), (RUN, 0)), threads, NAMES) == ("Lock", "main", "")


def test_names_of_a_recording() -> None:
    (trace,) = read_traces(Path(__file__).parents[1] / "recordings/locks.uftrace")
    assert isinstance(trace, Trace)
    objects = trace.table("objects")
    named = {trace.strings[objects["kind"][row]]: trace.strings[objects["name"][row]] for row in range(len(objects))}
    assert named == {"mutex": "main", "condition": "consumer", "file": "", "timer": "sleep"}
