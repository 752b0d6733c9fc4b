"""ST-2: waits and releases found by the names of functions, where a recording holds none."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.trace.making.roles import RoleNames, known_roles, roles_of
from cbvtool.trace.model.table import NO_ROW, Table
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.by_name import with_waits
from cbvtool.trace.waits.correspondences import correspondences
from tests.trace.handmade import MS, builder

HEAD = "language,function,argument,kind,does,all\n"


def run(spans: list[tuple[int, str, int, int, dict[str, str]]]) -> Trace:
    """A trace of calls: (thread, function, first and last ms, arguments) each."""
    made = builder()
    for thread, name, start, end, _ in spans:
        made.span(made.thread(1, thread), made.function(name), start * MS, end * MS)
    built = made.build()
    rows = []
    for _, _, start, end, arguments in spans:
        call = int(np.flatnonzero((built.calls.start == start * MS) & (built.calls.end == end * MS))[0])
        rows += [(call, made.pool.number(name), made.pool.number(value)) for name, value in arguments.items()]
    columns = np.array(rows, np.uint32).reshape(-1, 3).T
    table = Table(dict(zip(("call", "name", "value"), columns.copy(), strict=True)))
    return made.trace(built, {"arguments": table})


@pytest.mark.parametrize(
    ("name", "module", "file", "kind"),
    [
        ("std::mutex::lock()", "", "", "mutex"),
        ("libc.so.6!pthread_mutex_lock@@GLIBC_2.2.5", "", "", "mutex"),
        ("std::__1::future<std::vector<int> >::get()", "", "", "future"),
        ("void java.lang.Object.wait(long)", "", "", "monitor"),
        ("Condition.wait", "threading", "threading.py", "condition"),
        ("kernel32!SetEvent", "", "", "handle"),
        ("read", "", "", "file"),
        ("read", "", "shop.py", ""),
        ("Cart.read", "", "", ""),
        ("wait", "", "", ""),
        ("", "", "", ""),
    ],
)
def test_roles_by_name(name: str, module: str, file: str, kind: str) -> None:
    found = RoleNames(known_roles()).of(name, module, file)
    assert (found[0].kind if found else "") == kind


def test_waits_of_a_trace_without_tables() -> None:
    trace = run(
        [
            (1, "std::mutex::lock", 10, 40, {"this": "0x10"}),
            (1, "pthread_mutex_lock", 11, 39, {"arg1": "0x10"}),  # within the other one: the same wait
            (2, "std::mutex::unlock", 30, 31, {"this": "0x10"}),
            (2, "std::mutex::unlock", 32, 33, {"this": "0x20"}),  # another object
            (1, "WaitForMultipleObjects", 50, 90, {"arg2": "[7, 8]", "arg3": "1"}),
            (2, "SetEvent", 60, 61, {"arg1": "7"}),
            (2, "SetEvent", 70, 71, {"arg1": "8"}),
            (1, "sem_wait", 91, 95, {}),  # of what, nobody knows
        ]
    )
    trace = with_waits(trace)
    waits = trace.table("waits")
    assert sorted((waits["start"] // MS).tolist()) == [10, 50, 50, 91]
    assert waits["all"][waits["start"] == 50 * MS].all()
    assert (waits["object"][waits["start"] == 91 * MS] == NO_ROW).all()
    found = correspondences(trace)
    assert (found.moment // MS).tolist() == [30, 60, 70]
    assert len(found.unexplained) == 1
    assert with_waits(trace) is trace  # it has them now


def test_rows_of_a_user() -> None:
    """Own rows count also where the recording has waits; a call that is in a table already is left as it is."""
    own = roles_of(HEAD + "python,shop.Gate::enter,gate,gate,waits,\npython,shop.Gate.open,gate,gate,releases,\n")
    spans: list[tuple[int, str, int, int, dict[str, str]]] = [
        (1, "shop.Gate.enter", 10, 40, {"gate": "north"}),
        (2, "shop.Gate.open", 20, 21, {"gate": "north"}),
        (1, "pthread_mutex_lock", 50, 60, {"1": "5"}),
    ]
    trace = run(spans)
    assert len(with_waits(trace, own).table("waits")) == 2
    once = with_waits(trace)
    assert len(once.table("waits")) == 1
    again = with_waits(once, own)
    assert len(again.table("waits")) == 2
    assert correspondences(again).moment.tolist() == [20 * MS]
    assert len(with_waits(again, own).table("waits")) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("function\nf\n", "line 1"),
        (HEAD + "c,f,1,lock,sleeps,\n", "line 2"),
        (HEAD + "c,,1,lock,waits,\n", "line 2"),
        (HEAD + "c,f,1,lock,waits,all\n", "line 2"),
        (HEAD + "c,f,1,lock,waits,1,more\n", "line 2"),
    ],
)
def test_rows_that_say_nothing(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        roles_of(text)


def test_the_end_of_a_thread_ends_a_join() -> None:
    trace = run(
        [
            (1, "pthread_join", 10, 42, {"1": "0x7"}),
            (2, "first", 5, 20, {}),
            (3, "second", 6, 41, {}),
            (3, "below", 30, 40, {}),
            (1, "pthread_join", 50, 51, {"1": "0x8"}),  # it had ended before
            (4, "third", 7, 90, {}),
        ]
    )
    found = correspondences(with_waits(trace))
    assert found.moment.tolist() == [41 * MS]
    assert [trace.functions.name[trace.calls.function[call]] for call in found.releasing] == ["second"]
    assert found.releasing_thread.tolist() == [2]
    assert len(found.unexplained) == 1
