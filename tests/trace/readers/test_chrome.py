"""Traces in the Chrome Trace Event format (TR-1): every form and kind of event, bad input, and cuts."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import InputError
from cbvtool.trace.making.event_store import EventStore
from cbvtool.trace.model.table import NO_ROW
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers import chrome
from cbvtool.trace.readers.chrome.content import Content
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.readers.source import TraceSource

Read = Callable[..., Trace]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write what is given, JSON or bytes, and read it: the one trace in it."""

    def read_one(content: Any) -> Trace:
        parts = parts_of(tmp_path / "trace.json", content)
        assert len(parts) == 1
        return parts[0]

    return read_one


def parts_of(path: Path, content: Any) -> list[Trace]:
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    parts = read_traces(path)
    assert all(isinstance(part, Trace) for part in parts)
    return [part for part in parts if isinstance(part, Trace)]


def event(ph: str, name: str = "", ts: Any = 0, **more: Any) -> dict[str, Any]:
    return {"ph": ph, "name": name, "ts": ts, "pid": 1, "tid": 1} | more


def rows(trace: Trace) -> list[tuple[str, int, int, int]]:
    """Name, start, end in ns and depth of each call."""
    calls = trace.calls
    columns = (calls.function.tolist(), calls.start.tolist(), calls.end.tolist(), calls.depth.tolist())
    return [(trace.functions.name[function], *rest) for function, *rest in zip(*columns, strict=True)]


PAIRS = [event("B", "a", 1), event("B", "b", 2), event("E", "b", 3), event("E", "a", 5)]
READ = [("a", 1000, 5000, 0), ("b", 2000, 3000, 1)]


def test_array_and_object_form(read: Read) -> None:
    assert rows(read(PAIRS)) == READ
    assert rows(read({"displayTimeUnit": "ms", "traceEvents": PAIRS, "other": [1, {"x": "]"}]})) == READ
    assert rows(read(json.dumps(PAIRS, indent=1).encode())) == READ
    assert rows(read(b"\xef\xbb\xbf" + json.dumps(PAIRS).encode())) == READ


@pytest.mark.parametrize("end", [b"", b",", b"\n,\n", b'{"ph":"X","na'])
def test_an_array_may_lack_its_end(read: Read, end: bytes) -> None:
    trace = read(json.dumps(PAIRS).encode()[:-1] + b"," + end)
    assert rows(trace) == READ
    assert trace.omissions == ({"events that the end of the file cuts off": 1} if b"ph" in end else {})


def test_packed_files(read: Read) -> None:
    packed = gzip.compress(json.dumps(PAIRS).encode())
    assert rows(read(packed)) == READ
    many = gzip.compress(json.dumps([event("X", f"f{n}", n, dur=0.5) for n in range(5000)]).encode())
    cut = read(many[: len(many) // 2])
    assert 100 < len(cut.calls) < 5000


def test_spans_are_nested_by_time_whatever_their_order(read: Read) -> None:
    spans = [event("X", "inner", 2, dur=1), event("X", "outer", 1, dur=5), event("X", "next", 7, dur=0)]
    wanted = [("outer", 1000, 6000, 0), ("inner", 2000, 3000, 1), ("next", 7000, 7000, 0)]
    for seed in range(6):
        random.Random(seed).shuffle(spans)
        trace = read(spans)
        assert rows(trace) == wanted
        assert not trace.repairs


def test_equal_spans_written_at_their_end_have_the_later_one_outside(read: Read) -> None:
    names = [
        row[0]
        for row in rows(read([event("X", "len", 5, dur=1), event("X", "fib", 5, dur=1), event("X", "main", 0, dur=9)]))
    ]
    assert names == ["main", "fib", "len"]


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0", 0),
        ("1700000000123456.789", 1_700_000_000_123_456_789),
        ('"11552125241"', 11_552_125_241_000),
        ("-3.5", -3500),
        ("0.0004", 0),
        ("0.0005", 1),
        ("1.9996", 2000),
        ("5e-05", 0),
        ("1.5E+3", 1_500_000),
        ("2.5e-1", 250),
        ("9007199254740993.001", 9_007_199_254_740_993_001),
        ("1e400", 2**63 - 1),
        ("123456789012345678901234567890", 2**63 - 1),
        ("-1e99", -(2**63) + 1),
        ("1e-400", 0),
    ],
)
def test_times_are_exact(read: Read, text: str, ns: int) -> None:
    trace = read(b'[{"ph":"X","name":"f","pid":1,"tid":1,"dur":0,"ts":' + text.encode() + b"}]")
    assert trace.calls.start.tolist() == [ns]
    assert trace.repairs == (
        {"times that 64 bits do not hold": 1} if abs(ns) > 2**62 * 1.99 and "9007" not in text else {}
    )


@given(st.integers(-(10**18), 10**18), st.integers(0, 999), st.integers(0, 10**6), st.integers(0, 999))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_time_is_exact(tmp_path: Path, whole: int, part: int, long: int, rest: int) -> None:
    whole //= 1000
    text = b'[{"ph":"X","name":"f","pid":1,"tid":1,"ts":%d.%03d,"dur":%d.%03d}]' % (whole, part, long, rest)
    [trace] = parts_of(tmp_path / "t.json", text)
    start = whole * 1000 + (part if not text.split(b'"ts":')[1].startswith(b"-") else -part)
    assert (trace.calls.start.tolist(), trace.calls.end.tolist()) == ([start], [start + long * 1000 + rest])


def test_events_without_a_time_are_left_out_and_counted(read: Read) -> None:
    texts = [b'"NaN"', b"NaN", b"null", b'""', b"[]", b"-", b"1e", b"Infinity", b"0x10", b"true"]
    bad = b",".join(b'{"ph":"B","name":"x","pid":1,"tid":1,"ts":%s}' % text for text in texts)
    trace = read(b"[" + bad + b"," + json.dumps(PAIRS).encode()[1:])
    assert rows(trace) == READ
    assert trace.omissions == {"events without a time": len(texts)}


def test_backward_and_missing_durations(read: Read) -> None:
    trace = read([event("X", "a", 5, dur=-2), event("X", "b", 7), event("X", "c", 9, tdur=4)])
    assert rows(trace) == [("a", 5000, 5000, 0), ("b", 7000, 7000, 0), ("c", 9000, 13000, 0)]
    assert trace.repairs == {"spans that end before they begin": 1, "spans without a duration": 1}
    assert trace.calls.cpu is not None
    assert trace.calls.cpu.tolist() == [-1, -1, 4000]


def test_cpu_time_of_spans_and_of_begins_and_ends(read: Read) -> None:
    trace = read(
        [
            event("X", "a", 0, dur=9, tdur=2.5),
            event("B", "b", 10, tts=4),
            event("E", "b", 20, tts=6.25),
            event("B", "c", 30, tts=7),
        ]
    )
    assert trace.calls.cpu is not None
    assert trace.calls.cpu.tolist() == [2500, 2250, -1]
    assert read(PAIRS).calls.cpu is None


def test_threads_and_processes_have_names(read: Read) -> None:
    trace = read(
        [
            event("M", "process_name", args={"name": "shop"}),
            event("M", "process_labels", args={"labels": "tab 1"}),
            event("M", "thread_name", args={"name": "main"}),
            event("M", "thread_name", tid=9, args={"name": "idle"}),
            event("M", "thread_sort_index", args={"sort_index": 1}),
            event("M", "num_cpus", args={"number": 4}),
            event("X", "a", 1, dur=1),
            event("X", "b", 1, dur=1, tid=2),
            event("X", "c", 1, dur=1, pid=2, tid=1),
        ]
    )
    threads = trace.threads
    assert list(
        zip(threads.process.tolist(), threads.id.tolist(), threads.name, threads.process_name, strict=True)
    ) == [(1, 1, "main", "shop [tab 1]"), (1, 2, "", "shop [tab 1]"), (2, 1, "", "")]
    assert trace.omissions == {"metadata of other kinds": 1, "threads without events": 1}
    assert [(name, kind) for name, kind in zip(trace.resources.name, trace.resources.kind, strict=True)][:2] == [
        ("shop [tab 1]", "process"),
        ("main", "thread"),
    ]


def test_ids_may_be_texts_or_missing(read: Read) -> None:
    trace = read(
        [
            event("X", "a", 1, dur=1, pid="web", tid="7695"),
            event("X", "b", 1, dur=1, pid="web", tid="worker"),
            {"ph": "X", "name": "c", "ts": 1, "dur": 1, "pid": 5},
            {"ph": "X", "name": "d", "ts": 1, "dur": 1},
        ]
    )
    threads = trace.threads
    assert threads.process_name == ("web", "web", "", "")
    assert threads.name == ("", "worker", "", "")
    assert threads.id[0] == 7695
    assert threads.process[0] == threads.process[1]
    assert threads.process[2] == 5
    assert len({*threads.id.tolist()}) == 3
    assert len({*threads.process.tolist()}) == 3
    assert trace.repairs == {"events without a process or thread": 2}


def test_names_of_viztracer_give_file_and_line(read: Read) -> None:
    known = {"weird (a (b)/c.py:9)": ["a (b)/c.py", 9]}
    names = [
        "Shop.order (/src/shop.py:12)",
        "builtins.len",
        "scrabble.py(1).fib",
        "weird (a (b)/c.py:9)",
        "say (hello)",
    ]
    spans = [event("X", name, n, dur=0.5) for n, name in enumerate(names)]
    trace = read({"traceEvents": spans, "viztracer_metadata": {"version": "1.1.1"}, "file_info": {"functions": known}})
    functions = trace.functions
    assert list(zip(functions.name, functions.file, functions.line.tolist(), strict=True)) == [
        ("Shop.order", "/src/shop.py", 12),
        ("builtins.len", "", 0),
        ("fib", "scrabble.py", 1),
        ("weird", "a (b)/c.py", 9),
        ("say (hello)", "", 0),
    ]
    assert trace.header.recorder == "viztracer 1.1.1"
    assert trace.header.format == "chrome"


def test_escaped_names_are_those_that_they_spell(read: Read) -> None:
    text = b'[{"ph":"B","ts":1,"name":"caf\\u00e9 \\"x\\" \\\\"},{"ph":"E","ts":2,"name":"caf\xc3\xa9 \\"x\\" \\\\"}]'
    trace = read(text)
    assert rows(trace) == [('café "x" \\', 1000, 2000, 0)]
    assert not len(trace.open_rows)
    assert rows(read(b'[{"ph":"X","ts":1,"dur":1,"name":"\\ud800 \xff"}]'))[0][0] == "? \ufffd"


def test_arguments_and_return_values(read: Read) -> None:
    trace = read(
        [
            event("X", "fib", 1, dur=5, args={"func_args": {"n": "1"}, "return_value": "8"}),
            event("B", "open", 10, args={"arguments": "path"}),
            event("E", "open", 11, args={"retval": 3}),
            event("X", "plain", 20, dur=1),
            event("X", "deep", 30, dur=1, args={"list": [1, {"a": None}]}),
        ]
    )
    text = trace.strings
    arguments, returns = trace.table("arguments"), trace.table("returns")
    assert [
        (call, text[name], text[value])
        for call, name, value in zip(*(arguments[key].tolist() for key in ("call", "name", "value")), strict=True)
    ] == [(0, "n", "1"), (1, "arguments", "path"), (3, "list", '[1,{"a":null}]')]
    assert [
        (call, text[value]) for call, value in zip(returns["call"].tolist(), returns["value"].tolist(), strict=True)
    ] == [(0, "8"), (1, "3")]


def test_what_happens_at_once_lies_on_tracks_of_its_own(read: Read) -> None:
    def work(ph: str, name: str, ts: int, id: str, **more: Any) -> dict[str, Any]:
        return event(ph, name, ts, id=id, cat="net", **more)

    trace = read(
        [
            work("b", "get", 1, "0x1"),
            work("b", "get", 2, "0x2", tid=2),
            work("b", "dns", 2, "0x1"),
            work("n", "found", 3, "0x1"),
            work("e", "dns", 3, "0x1"),
            work("e", "get", 5, "0x1"),
            work("e", "get", 6, "0x2"),
            work("b", "get", 7, "0x3"),
            event("S", "old", 1, id=1, cat="x"),
            event("F", "old", 4, id=1, cat="x"),
            event("b", "lost", 1),
        ]
    )
    threads = trace.threads
    assert threads.kind == ("async",) * 3
    assert threads.name == ("x", "net", "net")
    assert rows(trace) == [
        ("old", 1000, 4000, 0),
        ("get", 1000, 5000, 0),
        ("dns", 2000, 3000, 1),
        ("get", 7000, 7000, 0),
        ("get", 2000, 6000, 0),
    ]
    assert trace.open_rows.tolist() == [3]
    instants = trace.table("instants")
    assert instants["call"].tolist() == [2]
    assert trace.omissions == {"asynchronous events without an id": 1}


def test_flows_link_calls(read: Read) -> None:
    trace = read(
        [
            event("X", "send", 1, dur=4),
            event("X", "wait", 2, dur=8, tid=2),
            event("X", "receive", 6, dur=1, tid=2),
            event("s", "flow", 2, id=7, cat="c"),
            event("f", "flow", 5, id=7, cat="c", tid=2),
            event("s", "flow", 2, id=8, cat="c"),
            event("t", "flow", 4, id=8, cat="c", tid=2),
            event("f", "flow", 5, id=8, cat="c", tid=2, bp="e"),
            event("s", "flow", 50, id=9, cat="c"),
            event("f", "flow", 51, id=9, cat="c", tid=2, bp="e"),
            event("s", "alone", 3, id=1),
            event("f", "late", 3, id=1),
            event("X", "v2", 60, dur=1, bind_id="0x1", flow_out=True),
        ]
    )
    links, names = trace.table("links"), [row[0] for row in rows(trace)]
    assert sorted(
        (names[source], names[target])
        for source, target in zip(links["source"].tolist(), links["target"].tolist(), strict=True)
    ) == [("send", "receive"), ("send", "wait"), ("wait", "wait")]
    assert {trace.strings[kind] for kind in links["kind"].tolist()} == {"flow"}
    assert trace.omissions == {
        "flow events outside of calls": 1,
        "flows that lead nowhere": 1,
        "flow events without a start": 1,
        "flows that are bound by bind_id": 1,
    }


def test_counters_and_marks(read: Read) -> None:
    trace = read(
        [
            event("X", "f", 0, dur=10),
            event("C", "heap", 1, args={"heap": 5}),
            event("C", "heap", 2, args={"used": 1, "free": "2.5"}, id=3, pid=2),
            event("C", "bad", 2, args={"x": "many"}),
            event("i", "here", 5, s="t", args={"k": 1}),
            event("I", "all", 6, s="g"),
            event("R", "mark", 20),
            event("O", "object", 1),
            event("?", "odd", 1),
            {"name": "no kind", "ts": 1},
        ]
    )
    text, counters, instants = trace.strings, trace.table("counters"), trace.table("instants")
    assert [
        (trace.resources.name[resource], text[name], time, value)
        for resource, name, time, value in zip(
            *(counters[key].tolist() for key in ("resource", "name", "time", "value")), strict=True
        )
    ] == [("1", "heap", 1000, 5.0), ("2", "heap[3].used", 2000, 1.0), ("2", "heap[3].free", 2000, 2.5)]
    assert [
        (thread, call, time, text[name], text[said])
        for thread, call, time, name, said in zip(
            *(instants[key].tolist() for key in ("thread", "call", "time", "name", "text")), strict=True
        )
    ] == [(0, 0, 5000, "here", '{"k":1}'), (-1, NO_ROW, 6000, "all", ""), (0, NO_ROW, 20000, "mark", "")]
    assert trace.omissions == {
        "counters without a value": 1,
        "snapshots of objects": 1,
        'events of the unknown kind "?"': 1,
        "events without a kind": 1,
    }
    assert trace.threads.last.tolist() == [20000]


def test_samples_with_stack_frames_and_times_as_text(read: Read) -> None:
    frames = {
        "1": {"name": "[root]", "category": "root"},
        "2": {"name": "f(http://host/a.js:3:7)", "category": "JavaScript", "parent": 1},
        "3": {"name": "g", "category": "JavaScript", "parent": 2},
        "4": {"name": "lost", "parent": 99},
    }
    samples = [
        {"pid": 1, "tid": "7", "ts": str(ts), "sf": frame, "weight": "1"}
        for ts, frame in ((10, 2), (20, 3), (30, 2), (40, 4))
    ]
    names = [event("M", "thread_name", "5", tid="7", args={"name": "js"})]
    trace = read({"traceEvents": names, "samples": [*samples, {"sf": 1}], "stackFrames": frames})
    assert rows(trace) == [
        ("[root]", 10000, 40000, 0),
        ("f", 10000, 40000, 1),
        ("g", 20000, 30000, 2),
        ("lost", 40000, 40000, 0),
    ]
    assert trace.functions.file[trace.functions.name.index("f")] == "http://host/a.js"
    assert trace.sampled
    assert trace.threads.name == ("js",)
    assert trace.repairs == {"stacks of samples that lead nowhere": 1}
    assert trace.omissions == {"samples without a time": 1}


def test_cpu_profiles_of_chromium(read: Read) -> None:
    def node(id: int, name: str, parent: int | None) -> dict[str, Any]:
        return {"id": id, "callFrame": {"functionName": name, "url": "a.js", "lineNumber": 4}} | (
            {"parent": parent} if parent else {}
        )

    first = {
        "cpuProfile": {"nodes": [node(1, "(root)", None), node(2, "f", 1)], "samples": [2, 2]},
        "timeDeltas": [5, 10],
    }
    second = {
        "cpuProfile": {"nodes": [node(3, "g", 2), node(4, "(idle)", 1)], "samples": [3, 4]},
        "timeDeltas": [10, 10],
    }
    trace = read(
        [
            event("X", "RunTask", 90, dur=100),
            event("P", "Profile", 100, id="0x1", args={"data": {"startTime": 100}}),
            event("P", "ProfileChunk", 120, id="0x1", tid=2, args={"data": first}),
            event("P", "ProfileChunk", 140, id="0x1", tid=2, args={"data": second}),
            event("P", "sample", 140),
        ]
    )
    assert rows(trace) == [("RunTask", 90000, 190000, 0), ("f", 105000, 135000, 0), ("g", 125000, 135000, 1)]
    assert trace.threads.sampled.tolist() == [False, True]
    assert trace.functions.line[trace.functions.name.index("f")] == 5
    assert trace.omissions == {"samples without a stack": 1}


def test_functions_of_hermes_have_file_and_line(read: Read) -> None:
    more = {
        "category": "JavaScript",
        "column": 7,
        "params": None,
        "allocatedCategory": "JavaScript",
        "allocatedName": "f",
    }
    trace = read(
        [
            event("B", "f", 1, args={"name": "f", "url": "a.js", "line": 3, **more}),
            event("B", "f", 2, args={"name": "f", "url": "b.js", "line": 4, **more}),
            event("E", "f", 3, args={"name": "f", "url": "b.js", "line": 4, **more}),
            event("E", "f", 4, args={"name": "f", "url": "a.js", "line": 3, **more}),
        ]
    )
    files = [
        (trace.functions.file[function], int(trace.functions.line[function]))
        for function in trace.calls.function.tolist()
    ]
    assert files == [("a.js", 3), ("b.js", 4)]
    assert not trace.repairs


def test_mis_nested_events_are_repaired_and_counted(read: Read) -> None:
    trace = read(
        [
            event("B", "a", 1),
            event("B", "b", 2),
            event("E", "a", 4),
            event("E", "b", 5),
            event("E", "c", 6),
            event("B", "d", 7),
        ]
    )
    assert rows(trace) == [("a", 1000, 4000, 0), ("b", 2000, 4000, 1), ("d", 7000, 7000, 0)]
    assert trace.repairs == {"calls without an end of their own": 1, "ends without a begin": 2}
    assert trace.open_rows.tolist() == [2]


def test_an_end_without_a_name_ends_the_innermost_call(read: Read) -> None:
    assert rows(
        read([event("B", "a", 1), event("B", "b", 2), {"ph": "E", "ts": 3, "pid": 1, "tid": 1}, event("E", "a", 4)])
    ) == [("a", 1000, 4000, 0), ("b", 2000, 3000, 1)]


def test_shuffled_and_duplicated_events_still_give_calls(read: Read) -> None:
    events = [one for n in range(300) for one in (event("B", f"f{n}", 2 * n), event("E", f"f{n}", 2 * n + 1))]
    random.Random(1).shuffle(events)
    trace = read(events)
    assert rows(trace) == [(f"f{n}", 2000 * n, 2000 * n + 1000, 0) for n in range(300)]
    assert trace.repairs.keys() == {"events that were not in the order of time"}
    assert len(read(events + events).calls) == 600


def test_100_000_frames_deep(read: Read) -> None:
    text = b",".join(b'{"ph":"B","name":"f","pid":1,"tid":1,"ts":%d}' % n for n in range(100_000))
    trace = read(b"[" + text)
    assert trace.calls.depth[-1] == 99_999
    assert len(trace.open_rows) == 100_000


def test_json_nested_100_000_deep_is_no_recursion(read: Read) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    trace = read(b'[{"ph":"X","name":"f","ts":1,"dur":1,"args":{"a":' + deep + b"}}," + deep + b"]")
    assert len(trace.calls) == 1
    assert trace.omissions == {"arguments that are no JSON": 1, "elements that are no events": 1}


def test_what_is_no_event_is_left_out_and_counted(read: Read) -> None:
    trace = read(b'[1, null, "x", ["y"], {"ph" 3}, {"ph":"B","ts":1,"name"}, :' + json.dumps(PAIRS).encode()[1:])
    assert rows(trace) == READ
    assert trace.omissions == {"elements that are no events": 5, "events that are no JSON": 2}


def test_two_traces_in_one_file_are_both_read(tmp_path: Path) -> None:
    text = json.dumps(PAIRS).encode()
    wrapped = b'{"traceEvents":' + text + b"}"
    for both in (
        text + b"\n" + text,
        wrapped + wrapped,
        text[:-1] + b"," + text,
        text[:-1] + wrapped,
        wrapped[:-2] + b"," + wrapped,
    ):
        assert [rows(trace) for trace in parts_of(tmp_path / "two.json", both)] == [READ, READ]


def test_events_that_are_larger_than_a_block(read: Read) -> None:
    long = "x" * 9_000_000
    trace = read([event("X", "a", 1, dur=1, args={"long": long}), event("X", long, 3, dur=1), *PAIRS])
    assert len(trace.calls) == 4
    assert len(trace.functions.name[1]) == 9_000_000
    value = trace.strings[int(trace.table("arguments")["value"][0])]
    assert len(value) == 1000


def test_many_distinct_names_and_threads(read: Read) -> None:
    trace = read([event("X", f"f{n}", n, dur=1, tid=n, pid=n % 7) for n in range(40_000)])
    assert len(trace.threads) == 40_000
    assert rows(trace)[:3] == [("f0", 0, 1000, 0), ("f1", 1000, 2000, 0), ("f2", 2000, 3000, 0)]
    assert trace.functions.name[-1] == "f39999"


@pytest.mark.parametrize("content", [b"{}", b'{"traceEvents":[]}', b'{"traceEvents":5}', b'[{"ph":"', b'{"ph":1}'])
def test_files_without_events_are_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.json"
    path.write_bytes(content)
    with pytest.raises(
        InputError, match=r"^[^.]*empty\.json (cannot be read: there are no trace events in it|is in no format)"
    ):
        read_traces(path)


def test_reading_can_be_cancelled_and_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([event("X", "a", n, dur=1) for n in range(1000)]))

    class Stop(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        assert 0 < done <= total
        raise Stop

    with pytest.raises(Stop):
        read_traces(path, stop)
    with pytest.raises(OverBudget, match="more than 500 events"):
        read_traces(path, budget=Budget("Reading", count=500, things="events"))


COMPLETE = [
    event("M", "thread_name", args={"name": "main"}),
    event("X", "a (x.py:1)", 1, dur=9.5, args={"func_args": {"n": "}]"}}),
    event("B", 'q"\\', 2),
    event("E", 'q"\\', 3),
    event("C", "heap", 3, args={"heap": 1}),
    event("b", "io", 3, id=1, cat="c"),
    event("e", "io", 4, id=1, cat="c"),
    event("i", "mark", 5, s="t"),
    event("X", "tail", 20, dur=1),
]


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_reads_what_stands_before_it(tmp_path: Path, at: int, wrapped: bool, indented: bool) -> None:
    text = json.dumps({"traceEvents": COMPLETE} if wrapped else COMPLETE, indent=1 if indented else None)
    at %= len(text)
    path = tmp_path / "cut.json"
    path.write_text(text[:at])
    begun, ended = 0, 0
    decoder, place = json.JSONDecoder(), text.index("[") + 1
    for one in COMPLETE:
        place = text.index("{", place)
        end = decoder.raw_decode(text, place)[1]
        ended += end <= at and one["ph"] in "BXb"
        begun += place < at < end
        place = end
    if not ended:
        return
    [trace] = read_traces(path)
    assert isinstance(trace, Trace)
    assert len(trace.calls) == ended
    assert trace.omissions == ({"events that the end of the file cuts off": 1} if begun else {})


@given(
    st.lists(
        st.sampled_from(
            [
                b"{",
                b"}",
                b"[",
                b"]",
                b",",
                b":",
                b'"',
                b"\\",
                b'"ph":"X"',
                b'"ts":1',
                b"\0",
                b'{"ph":"B","ts":1}',
                b'"traceEvents":[',
            ]
        )
    )
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_end_in_traces_or_a_sentence(tmp_path: Path, pieces: list[bytes]) -> None:
    path = tmp_path / "any.json"
    path.write_bytes(b'[{"ph":"B","name":"f","ts":0},' + b"".join(pieces))
    traces = read_traces(path)
    assert sum(len(trace.calls) for trace in traces if isinstance(trace, Trace)) >= 1


def test_events_beyond_memory_lie_in_a_temporary_file() -> None:
    made = np.random.default_rng(1)
    with EventStore() as plain, EventStore(in_memory=3000) as spilled:
        for _ in range(20):
            count, threads = 50, 7
            thread = made.integers(0, threads, count).astype(np.uint32)
            kind = made.integers(0, 3, count).astype(np.uint8)
            columns = (
                made.integers(0, 9, count).astype(np.uint32),
                made.integers(0, 99, count),
                made.integers(0, 99, count),
                None if made.integers(2) else made.integers(0, 9, count).astype(np.uint32),
                None,
            )
            for store in (plain, spilled):
                store.add(threads, thread, kind, columns)
        assert plain.calls.tolist() == spilled.calls.tolist()
        for thread_row in range(7):
            wanted, wanted_arguments, _ = plain.events(thread_row)
            found, arguments, cpu = spilled.events(thread_row)
            for name in ("kind", "function", "time", "finish"):
                assert getattr(found, name).tolist() == getattr(wanted, name).tolist()
            assert arguments is not None
            assert wanted_arguments is not None
            assert arguments.tolist() == wanted_arguments.tolist()
            assert cpu is None


def test_content_hands_on_what_was_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b" " * 5_000_000 + b'"' + b"y" * 5_000_000 + b'" ,z')
    content = Content(TraceSource(path), Budget("Reading"), lambda what, done, total: None)
    assert content.peek() == ord('"')
    value = content.value()
    assert value is not None
    assert len(value) == 5_000_002
    assert content.peek() == ord("z")
    assert content.value() is None


def test_a_file_that_is_no_trace_is_not_claimed(tmp_path: Path) -> None:
    for text in ("", "[]", "hello", '{"nodes": []}', "<a>"):
        path = tmp_path / "x"
        path.write_text(text)
        assert not chrome.sniff(TraceSource(path))
