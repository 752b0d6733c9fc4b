"""Readers of profiles, of Kieker and of RSF (TR-1, CF-1, EX-5): by hand, written and read back, damaged and lying."""

from __future__ import annotations

import cProfile
import gzip
import json
import marshal
import pstats
import struct
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import InputError
from cbvtool.trace.making.call_tree import call_pairs, structure_faults
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers import caliper, gprof, kieker, rsf
from cbvtool.trace.readers import pstats as pstats_reader
from cbvtool.trace.readers.kieker import operation
from cbvtool.trace.readers.marshal_values import loads
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.readers.source import UnreadableTrace
from tests.trace.hpctoolkit_database import database_files
from tests.trace.made import TREES, Tree

NAN = float("nan")
Budgets = Budget("Reading")


def read(path: Path) -> Any:
    (part,) = read_traces(path)
    return part


def profile_of(path: Path) -> Profile:
    part = read(path)
    assert isinstance(part, Profile)
    assert not structure_faults(part)
    return part


def trace_of(path: Path) -> Trace:
    part = read(path)
    assert isinstance(part, Trace)
    return part


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def values(metric: ProfileMetric | None) -> list[float]:
    assert metric is not None
    return metric.mean.tolist()


def names(profile: Profile) -> list[str]:
    return [profile.functions.name[row] for row in profile.function]


def refusal(path: Path) -> str:
    """Why a file is not read: one sentence; empty = it is read."""
    try:
        read_traces(path, budget=Budget("Reading", count=1_000_000, size=300_000_000))
    except (InputError, OverBudget) as error:
        return str(error)
    return ""


# -- pstats --------------------------------------------------------------------------------------------------------


def fibonacci(number: int) -> int:
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


def sums() -> int:
    return fibonacci(8) + sum(sorted([3, 1, 2], key=lambda one: -one))


def test_cprofile_says_what_pstats_says(tmp_path: Path) -> None:
    profiler = cProfile.Profile()
    profiler.runcall(sums)
    profiler.dump_stats(tmp_path / "run.pstats")
    judge = pstats.Stats(str(tmp_path / "run.pstats")).stats  # type: ignore[attr-defined]
    profile = profile_of(tmp_path / "run.pstats")
    assert profile.is_call_graph
    assert len(profile) == len(judge)
    files = profile.functions
    calls, primitive = (values(profile.metric(name, inclusive=False)) for name in ("calls", "primitive calls"))
    own, total = (values(profile.metric("time", inclusive=inclusive)) for inclusive in (False, True))
    keys = [(files.file[row] or "~", int(files.line[row]), files.name[row]) for row in range(len(files))]
    for node, row in enumerate(profile.function.tolist()):
        expected = judge[keys[row]][:4]
        assert (primitive[node], calls[node]) == expected[:2]
        assert (own[node], total[node]) == pytest.approx([1e9 * time for time in expected[2:]])
    pairs = call_pairs(profile)
    found = {
        (keys[one], keys[other]): number
        for one, other, number in zip(pairs.caller, pairs.callee, values(pairs.metrics[0]), strict=True)
    }
    expected_pairs = {(caller, callee): counts[0] for callee, row in judge.items() for caller, counts in row[4].items()}
    assert found == expected_pairs
    assert any(one == other for one, other in found)  # fibonacci calls itself


KEYS = st.tuples(st.text(max_size=4), st.integers(0, 2**31 - 1), st.text(max_size=300))
NUMBERS = st.one_of(st.integers(0, 2**40), st.floats(0, 1e9))
ROWS = st.tuples(st.integers(0, 9), st.integers(0, 9), NUMBERS, NUMBERS)


@given(st.dictionaries(KEYS, ROWS, min_size=1, max_size=5), st.integers(0, 4), st.data())
def test_marshalled_statistics_are_read_as_marshal_reads_them(rows: dict, version: int, data: st.DataObject) -> None:
    callers = st.dictionaries(st.sampled_from(sorted(rows)), ROWS, max_size=3)
    stats = {key: (*row, data.draw(callers)) for key, row in rows.items()}
    assert loads(marshal.dumps(stats, version), Budgets) == stats


SIMPLE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary()),
    lambda inner: st.one_of(st.lists(inner), st.tuples(inner, inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)


@given(SIMPLE, st.integers(0, 4))
def test_values_that_marshal_writes(value: Any, version: int) -> None:
    try:
        found = loads(marshal.dumps(value, version), Budgets)
    except UnreadableTrace as error:
        found = str(error)
    assert found in (value, "its values lie in one another too deeply", "a number in it is absurdly long")


def test_references_and_python_2() -> None:
    key = b"(\x03\0\0\0t\x01\0\0\0fi\x01\0\0\0R\0\0\0\0"
    row = (
        b"(\x05\0\0\0i\x02\0\0\0i\x02\0\0\0f\x030.5f\x030.7{"
        + b"(\x03\0\0\0R\0\0\0\0i\x01\0\0\0R\0\0\0\0i\x03\0\0\0"
        + b"00"
    )
    assert loads(b"{" + key + row, Budgets) == {("f", 1, b"f"): (2, 2, 0.5, 0.7, {(b"f", 1, b"f"): 3})}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"(\xff\xff\xff\x7f", "cut off"),
        (b"{(\x02\0\0\0", "cut off"),
        (b"u\xff\xff\xff\xff", "cut off"),
        (b"c\0\0\0\0", "do not have"),  # code
        (b"r\x05\0\0\0", "refers"),
        (b"\xa8\x01\0\0\0r\0\0\0\0", "refers"),  # a tuple that holds itself
        (b"(\x01\0\0\0" * 50 + b"N", "deeply"),
        (b"{[\0\0\0\0N0", "key"),
        (b"{N", "key"),
        (b"{i\x01\0\0\0" + b"0", "missing"),
        (b"l\xff\xff\xff\x7f", "absurdly"),
        (b"f\x01x", "a number is expected"),
        (b"R\x01\0\0\0", "text that is not there"),
    ],
)
def test_marshal_that_lies(data: bytes, said: str) -> None:
    with pytest.raises(UnreadableTrace, match=said):
        loads(data, Budgets)


def test_tuples_of_tuples_of_tuples_are_no_keys() -> None:
    """Each holds the one before twice: hashing the last would take 2**60 steps."""
    chain = (
        b"[\x3d\0\0\0"
        + b"\xa9\0"
        + b"".join(b"\xa9\x02r" + struct.pack("<i", i) + b"r" + struct.pack("<i", i) for i in range(60))
    )
    with pytest.raises(UnreadableTrace, match="key"):
        loads(b"(\x02\0\0\0" + chain + b"{r\x3c\0\0\0N0", Budgets)


def test_rows_that_make_no_sense_are_counted(tmp_path: Path) -> None:
    good = (1, 1, 0.5, 0.5, {("a", 1, "f"): (1, 1, 0.1, 0.2), "x": 3, ("a", 2, "g"): "x"})
    stats = {("a", 1, "f"): good, "f": good, ("a", 2, "h"): (1, 2), ("a", 3, "h"): (1, 1, float("inf"), 1, {})}
    path = written(tmp_path, "a.pstats", marshal.dumps(stats))
    profile = profile_of(path)
    assert names(profile) == ["f"]
    assert profile.omissions == {pstats_reader.BAD_ROWS: 3, pstats_reader.BAD_CALLERS: 2}
    assert "not what cProfile writes" in refusal(written(tmp_path, "b", marshal.dumps({("a", 1, "f"): 1})))


# -- Kieker --------------------------------------------------------------------------------------------------------

TYPES = {
    "$0": "kieker.common.record.misc.KiekerMetadataRecord",
    "$1": "kieker.common.record.controlflow.OperationExecutionRecord",
    "$2": "kieker.common.record.flow.trace.TraceMetadata",
    "$3": "kieker.common.record.flow.trace.operation.BeforeOperationEvent",
    "$4": "kieker.common.record.flow.trace.operation.AfterOperationEvent",
    "$5": "kieker.common.record.system.CPUUtilizationRecord",
}


def kieker_log(folder: Path, *records: str) -> Path:
    folder.mkdir(exist_ok=True)
    written(folder, "kieker.map", "\n".join(f"{mark}={name}" for mark, name in TYPES.items()))
    written(folder, "kieker-1.dat", "\n".join(records) + "\n")
    return folder


def rows(trace: Trace) -> list[tuple[str, int, int, int]]:
    calls = trace.calls
    columns = (calls.function, calls.start, calls.end, calls.depth)
    return [(trace.functions.name[f], s, e, d) for f, s, e, d in zip(*(c.tolist() for c in columns), strict=True)]


def test_kieker_executions(tmp_path: Path) -> None:
    log = kieker_log(
        tmp_path / "log",
        "$0;1;1.9;CTRL;host;1;false;0;MICROSECONDS;3",
        "$1;9;public int shop.Catalog.get(int);s;77;2;4;db;1;1",
        "$1;9;public void shop.Shop.order();s;77;1;9;web;0;0",
        "$1;9;public void shop.Shop.order();s;78;1;3;web;-1;-1",
        "$5;1;2",
        "$9;1",
        "nonsense",
        "$1;9;x",
    )
    trace = trace_of(log)
    assert rows(trace) == [("Shop.order", 1000, 9000, 0), ("Catalog.get", 2000, 4000, 1), ("Shop.order", 1000, 3000, 0)]
    assert trace.threads.process_name == ("web", "web")
    assert trace.threads.id.tolist() == [77, 78]
    assert trace.resources.kind == ("process", "thread", "thread")
    assert trace.functions.module == ("shop", "shop")
    hosts = trace.tables["call_hosts"]
    assert [(int(call), trace.strings[host]) for call, host in zip(hosts["call"], hosts["host"], strict=True)] == [
        (1, "db")
    ]
    assert trace.header.recorder == "Kieker 1.9"
    assert trace.omissions == {"records of type CPUUtilizationRecord": 1, kieker.UNKNOWN_TYPE: 1, kieker.DAMAGED: 2}


def test_kieker_events_and_the_trace_that_a_call_began(tmp_path: Path) -> None:
    log = kieker_log(
        tmp_path / "log",
        "$2;1;5;1;<no>;host;-1;-1",
        "$3;10;10;5;0;void a.Main.main();a.Main",
        "$3;10;12;5;1;void a.Main.spawn();a.Main",
        "$2;1;6;2;<no>;host;5;1",
        "$3;10;13;6;0;void a.Task.run();a.Task",
        "$4;10;14;5;2;void a.Main.spawn();a.Main",
        "$4;10;20;6;1;void a.Task.run();a.Task",
        "$3;10;30;9;0;void a.Lost.run();a.Lost",
    )
    (log / "kieker-1.dat").write_text(
        (log / "kieker-1.dat").read_text().replace("$2;1;5;1;", "$2;1;5;1;").replace("$2;1;6;2;", "$2;1;6;2;")
    )
    trace = trace_of(log)
    assert rows(trace) == [
        ("Main.main", 10, 14, 0),
        ("Main.spawn", 12, 14, 1),
        ("Task.run", 13, 20, 0),
        ("Lost.run", 30, 30, 0),
    ]
    assert trace.open_rows.tolist() == [0, 3]
    links = trace.tables["links"]
    assert (int(links["source"][0]), int(links["target"][0])) == (1, 2)
    assert trace.strings[int(links["kind"][0])] == "spawn"
    assert trace.repairs == {kieker.NO_TRACE: 1}


@pytest.mark.parametrize(
    ("signature", "found"),
    [
        ("public static void a.b.Main.main(java.lang.String[])", ("a.b", "Main.main")),
        ("a.b.Outer$Inner.<init>()", ("a.b", "Outer$Inner.<init>")),
        ("a.b.lower.run(int, java.lang.Object)", ("a.b", "lower.run")),
        ("main()", ("", "main")),
        ("Main.main()", ("", "Main.main")),
        ("", ("", "")),
        ("a.b.Only", ("a", "b.Only")),
    ],
)
def test_signatures(signature: str, found: tuple[str, str]) -> None:
    assert operation(signature) == found


def test_kieker_without_its_map(tmp_path: Path) -> None:
    assert "kieker.map" in refusal(written(tmp_path, "kieker-1.dat", "$0;12;1.9\n$1;1;x\n"))
    folder = kieker_log(tmp_path / "log")
    (folder / "kieker-1.dat").rename(folder / "kieker-1.bin")
    assert "binary" in refusal(folder)


def written_calls(
    trees: list[Tree], time: int, order: list[int], depth: int = 0
) -> tuple[list[tuple[int, int, int, int, int]], int]:
    """(order, function, start, end, depth) of call trees, one after the other; and the time after them."""
    found: list[tuple[int, int, int, int, int]] = []
    for function, pause, own, below in trees:
        number, start = len(order), time + pause
        order.append(number)
        inner, time = written_calls(below, start + own + 1, order, depth + 1)
        time += 1
        found += [(number, function, start, time, depth), *inner]
    return found, time


@settings(max_examples=30)
@given(st.lists(TREES, min_size=1, max_size=3), st.booleans())
def test_call_trees_written_by_kieker(trees: list[Tree], whole: bool) -> None:
    calls, _ = written_calls(trees, 10, [])
    if whole:
        records = [
            f"$1;0;void p.C.f{f}();s;5;{start};{end};h;{number};{depth}" for number, f, start, end, depth in calls
        ]
    else:
        moments = [(start, number, f"$3;0;{start};5;0;void p.C.f{f}();p.C") for number, f, start, _, _ in calls]
        moments += [(end, -number, f"$4;0;{end};5;0;void p.C.f{f}();p.C") for number, f, _, end, _ in calls]
        records = ["$2;0;5;1;s;h;-1;-1", *(text for _, _, text in sorted(moments))]
    with tempfile.TemporaryDirectory() as folder:
        trace = trace_of(kieker_log(Path(folder) / "log", *sorted(records) if whole else records))
    assert rows(trace) == [(f"C.f{f}", start, end, depth) for _, f, start, end, depth in calls]


# -- RSF -----------------------------------------------------------------------------------------------------------


def test_rsf_with_and_without_ends(tmp_path: Path) -> None:
    text = """# a trace
level shop shop.web
level shop.web "Cart item"
type "Cart item" Class
call main "Cart item" 10
call "Cart item" Db 12
call "Cart item" Log 15
call main Mail 20
call Job Db 3 9 7
call Job Db x
include a b
level a
"""
    trace = trace_of(written(tmp_path, "shop.rsf", text))
    assert rows(trace) == [
        ("Job", 3, 9, 0),
        ("Db", 3, 9, 1),
        ("main", 10, 20, 0),
        ("Cart item", 10, 20, 1),
        ("Db", 12, 15, 2),
        ("Log", 15, 20, 2),
        ("Mail", 20, 20, 1),
    ]
    assert trace.functions.module[trace.functions.name.index("Cart item")] == "shop/shop.web"
    assert trace.repairs == {rsf.INFERRED: 4, rsf.IMPLIED: 2}
    assert trace.omissions == {"relations `include`": 1, "relations `call`": 1, rsf.DAMAGED: 1}
    hierarchy = trace.tables["hierarchy"]
    told = [
        tuple(trace.strings[int(hierarchy[c][row])] for c in ("node", "parent", "kind"))
        for row in range(len(hierarchy))
    ]
    assert ("Cart item", "shop.web", "Class") in told
    assert ("shop", "", "") in told


def test_callers_of_rsf_spans_are_kept(tmp_path: Path) -> None:
    """EX-5: a caller that nobody calls runs around all that it calls; others are where they run."""
    text = "call main a 0 10\ncall a b 2 5\ncall main b 10 14\ncall main a 20 30\ncall a a 20 25\ncall x a 40 41\n"
    trace = trace_of(written(tmp_path, "a.rsf", text))
    assert rows(trace) == [
        ("main", 0, 30, 0),
        ("a", 0, 10, 1),
        ("b", 2, 5, 2),
        ("b", 10, 14, 1),
        ("a", 20, 30, 1),
        ("a", 20, 25, 2),
        ("x", 40, 41, 0),
        ("a", 40, 41, 1),
    ]
    assert trace.repairs == {rsf.IMPLIED: 2}


def test_an_rsf_graph_without_times_is_no_trace(tmp_path: Path) -> None:
    assert "no format" in refusal(written(tmp_path, "a.rsf", "level a b\ncall b c\n"))
    loop = written(tmp_path, "loop.rsf", "level a b\nlevel b a\ncall a b 5\n")
    assert trace_of(loop).functions.module == ("b", "a")


# -- gprof ---------------------------------------------------------------------------------------------------------

GPROF = """Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 60.00      0.30     0.30        5    60.00    80.00  work(int, char const*)
 20.00      0.40     0.10                             idle
  0.00      0.40     0.00        1     0.00   400.00  main

 %         the percentage of the total running time of the
time       program used by this function.
\f
                     Call graph (explanation follows)

granularity: each sample hit covers 2 byte(s) for 2.50% of 0.40 seconds

index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.00    0.40                 main [1]
                0.30    0.10       4/5           work(int, char const*) [2]
-----------------------------------------------
                0.05    0.00       1/5           helper <cycle 1> [4]
                0.25    0.10       4/5           main [1]
[2]     75.0    0.30    0.10       5+2       work(int, char const*) <cycle 1> [2]
                0.10    0.00       1/1           helper <cycle 1> [4]
-----------------------------------------------
[3]     75.0    0.40    0.00       5+3      <cycle 1 as a whole> [3]
-----------------------------------------------
                0.10    0.00       1/1           work(int, char const*) <cycle 1> [2]
[4]     25.0    0.10    0.00       1         helper <cycle 1> [4]
-----------------------------------------------

 This table describes the call tree of the program.
"""


def test_gprof(tmp_path: Path) -> None:
    profile = profile_of(written(tmp_path, "gprof.txt", GPROF))
    assert profile.sampled
    assert names(profile) == ["main", "work(int, char const*)", "helper", "idle"]
    assert values(profile.metric("time", inclusive=False)) == pytest.approx([0, 3e8, 1e8, 1e8])
    np.testing.assert_allclose(values(profile.metric("time", inclusive=True)), [4e8, 4e8, 1e8, NAN])
    np.testing.assert_array_equal(values(profile.metric("calls", inclusive=False)), [NAN, 7, 1, NAN])
    pairs = call_pairs(profile)
    text = profile.functions.name
    found = [(text[a], text[b]) for a, b in zip(pairs.caller, pairs.callee, strict=True)]
    assert found == [
        ("helper", "work(int, char const*)"),
        ("main", "work(int, char const*)"),
        ("work(int, char const*)", "helper"),
    ]
    assert values(pairs.metrics[0]) == [1, 4, 1]
    assert values(pairs.metrics[2]) == pytest.approx([5e7, 3.5e8, 1e8])
    assert profile.omissions == {gprof.CYCLES: 1}


# -- Caliper -------------------------------------------------------------------------------------------------------

CALI = """__rec=node,id=12,attr=10,data=65,parent=5
__rec=node,id=20,attr=8,data=min#inclusive#sum#time.duration,parent=12
__rec=node,id=21,attr=8,data=avg#inclusive#sum#time.duration,parent=12
__rec=node,id=22,attr=8,data=max#inclusive#sum#time.duration,parent=12
__rec=node,id=23,attr=8,data=sum#time.duration,parent=12
__rec=node,id=24,attr=8,data=avg.count#inclusive#sum#time.duration,parent=12
__rec=node,id=28,attr=10,data=268,parent=3
__rec=node,id=29,attr=8,data=function,parent=28
__rec=node,id=30,attr=29,data=main
__rec=node,id=31,attr=29,data=solve,parent=30
__rec=ctx,ref=30,attr=20=21=22=23=24,data=1=2=3=0.5=4
__rec=ctx,ref=31,attr=20=22,data=4=6
__rec=ctx,ref=31,attr=23,data=x
"""


def test_caliper_tells_inclusive_from_exclusive_by_name(tmp_path: Path) -> None:
    profile = profile_of(written(tmp_path, "a.cali", CALI))
    assert names(profile) == ["main", "solve"]
    assert profile.parent.tolist() == [-1, 0]
    time = profile.metric("time.duration", inclusive=True)
    assert time.summarised
    np.testing.assert_array_equal([time.low, time.mean, time.high], [[1, 4], [2, NAN], [3, 6]])
    np.testing.assert_array_equal(values(profile.metric("time.duration", inclusive=False)), [0.5, NAN])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("sum#time.duration", caliper.Meaning("time.duration", False, "")),
        ("inclusive#sum#time.duration", caliper.Meaning("time.duration", True, "")),
        ("avg#inclusive#sum#time.duration", caliper.Meaning("time.duration", True, "avg")),
        ("max#sum#time.duration", caliper.Meaning("time.duration", False, "max")),
        ("min#time.duration", caliper.Meaning("time.duration (min)", False, "")),
        ("time.inclusive.duration", caliper.Meaning("time.duration", True, "")),
        ("avg.sum#inclusive#sum#time.duration", None),
        ("count", caliper.Meaning("count", False, "")),
    ],
)
def test_what_names_of_metrics_say(name: str, found: caliper.Meaning | None) -> None:
    assert caliper.meaning(name) == found


def split(**changed: Any) -> str:
    content = {
        "data": [[1.5, 0, 0], [2.5, 0, 1], [4.5, 1, 0], [9, 0, None]],
        "columns": ["time.duration", "mpi.rank", "path"],
        "column_metadata": [{"is_value": True, "attribute.unit": "sec"}, {"is_value": True}, {"is_value": False}],
        "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}],
        "problem": "large",
    }
    return json.dumps(content | changed)


def test_caliper_json_by_rank(tmp_path: Path) -> None:
    profile = profile_of(written(tmp_path, "a.json", split()))
    assert names(profile) == ["main", "solve", caliper.OUTSIDE]
    metric = profile.metric("time.duration", inclusive=False)
    assert metric.unit == "ns"
    assert profile.places == ((0, -1), (1, -1))
    np.testing.assert_array_equal(metric.by_place, [[1.5e9, 2.5e9, 9e9], [4.5e9, NAN, NAN]])
    assert profile.header.parameters == {"problem": "large"}


@pytest.mark.parametrize(
    "changed",
    [
        {"nodes": [{"label": "a", "parent": 0}]},
        {"nodes": [{"label": "a", "parent": 7}]},
        {"data": [[1.5, 0, 99]]},
        {"data": [[1.5, 0, 0.5]]},
        {"data": [[1.5]]},
        {"data": [[1e400, 0, 0]]},
        {"data": "x"},
        {"columns": []},
        {"nodes": []},
        {"data": []},
    ],
)
def test_caliper_json_that_lies(changed: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path, "a.json", split(**changed).replace("Infinity", "1e999"))
    said = refusal(path)
    if not said:
        assert sum(profile_of(path).omissions.values()) > 0


@pytest.mark.parametrize(
    "line",
    [
        "__rec=node,id=40,attr=8,data=x,parent=40",  # its own parent
        "__rec=node,id=40",
        "__rec=node,id=x,attr=8,data=a",
        "__rec=ctx,ref=999",
        "__rec=ctx,attr=20,data=1\\",
        "x",
        "=",
        "__rec",
        "__rec=node,id=41,attr=999,data=a,parent=30\n__rec=ctx,ref=41,attr=20,data=1",
    ],
)
def test_damaged_records_of_caliper_are_counted(line: str, tmp_path: Path) -> None:
    profile = profile_of(written(tmp_path, "a.cali", CALI + line + "\n"))
    assert profile.omissions[caliper.DAMAGED] == 1
    assert names(profile) == ["main", "solve"]


def test_a_cali_as_deep_as_it_is_long_is_stopped(tmp_path: Path) -> None:
    deep = "".join(f"__rec=node,id={n + 1},attr=29,data=f,parent={n}\n" for n in range(31, 6_000))
    profile = profile_of(written(tmp_path, "a.cali", CALI + deep))
    assert profile.omissions[caliper.DAMAGED] > 0


# -- HPCToolkit ----------------------------------------------------------------------------------------------------

EXPERIMENT = """<?xml version="1.0"?>
<HPCToolkitExperiment version="2.0"><Header n="app"/><SecCallPathProfile i="0" n="app"><SecHeader>
<MetricTable>
<Metric i="2" n="CPUTIME (usec):Sum (I)" t="inclusive"/><Metric i="3" n="CPUTIME (usec):Sum (E)" t="exclusive"/>
</MetricTable><MetricDBTable>
<MetricDB i="0" n="CPUTIME (usec) (I)" t="inclusive" db-id="0"/>
<MetricDB i="1" n="CPUTIME (usec) (E)" t="exclusive" db-id="1"/>
</MetricDBTable>
<LoadModuleTable><LoadModule i="2" n="app.so"/></LoadModuleTable><FileTable><File i="3" n="app.c"/></FileTable>
<ProcedureTable><Procedure i="7" n="main"/><Procedure i="8" n="solve"/></ProcedureTable></SecHeader>
<SecCallPathProfileData>
<PF i="2" l="10" lm="2" f="3" n="7"><M n="2" v="9"/>
<C i="3" l="12"><PF i="4" l="20" lm="2" f="3" n="8"><M n="2" v="6"/><M n="3" v="6"/>
<L i="5" l="21"><S i="6" l="22"><M n="2" v="4"/><M n="3" v="4"/></S></L><S i="7" l="25"><M n="3" v="2"/></S></PF></C>
<S i="8" l="13"><M n="3" v="3"/></S></PF>
</SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>
"""


def metric_db(*table: tuple[float, float]) -> bytes:
    head = b"HPCPROF-metricdb__00.10b" + struct.pack(">II", len(table), 2)
    return head + b"".join(struct.pack(">dd", *row) for row in table)


def hpctoolkit_folder(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    written(folder, "experiment.xml", EXPERIMENT)
    full = metric_db((9, 0), (9, 3), (6, 0), (6, 6), (4, 4), (4, 4), (2, 2), (3, 3))
    half = metric_db((3, 0), (3, 3), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (3, 3))
    written(folder, "1.app-000000-000-a8c0-12-0.metric-db", full)
    written(folder, "1.app-000001-002-a8c0-13-0.metric-db", half)
    return folder


def test_hpctoolkit_by_rank_and_thread(tmp_path: Path) -> None:
    profile = profile_of(hpctoolkit_folder(tmp_path / "db"))
    assert names(profile) == ["main", "solve"]
    assert profile.functions.module == ("app.so", "app.so")
    assert (profile.site_file[1], int(profile.site_line[1])) == ("app.c", 12)
    assert profile.places == ((0, 0), (1, 2))
    inclusive, exclusive = (profile.metric("CPUTIME", inclusive=one) for one in (True, False))
    np.testing.assert_array_equal(inclusive.by_place, [[9000, 6000], [3000, NAN]])
    np.testing.assert_array_equal(exclusive.by_place, [[3000, 6000], [3000, NAN]])


def test_hpctoolkit_xml_alone_and_values_that_do_not_fit(tmp_path: Path) -> None:
    alone = profile_of(written(tmp_path, "experiment.xml", EXPERIMENT))
    assert values(alone.metric("CPUTIME:Sum", inclusive=True)) == [9000, 6000]
    assert values(alone.metric("CPUTIME:Sum", inclusive=False)) == [3000, 6000]
    folder = hpctoolkit_folder(tmp_path / "db")
    for path in folder.glob("*.metric-db"):
        path.write_bytes(path.read_bytes()[:-3])
    profile = profile_of(folder)
    assert sum(profile.omissions.values()) == 2
    assert profile.metric("CPUTIME:Sum", inclusive=True) is not None
    written(folder, "experiment.xml", EXPERIMENT[: EXPERIMENT.index("<L i")])
    assert names(profile_of(folder)) == ["main", "solve"]
    evil = '<!DOCTYPE HPCToolkitExperiment [<!ENTITY a "aaa">]>' + EXPERIMENT.partition("?>")[2]
    assert "entities" in refusal(written(tmp_path, "experiment.xml", evil))


def database(folder: Path) -> Path:
    """A folder with a database of version 4."""
    folder.mkdir(exist_ok=True)
    for name, content in database_files().items():
        (folder / name).write_bytes(content)
    return folder


def test_hpctoolkit_version_4(tmp_path: Path) -> None:
    profile = profile_of(database(tmp_path / "db"))
    assert names(profile) == ["main thread", "main", "solve"]
    assert profile.functions.line.tolist() == [0, 10, 20]
    assert (profile.site_file[2], int(profile.site_line[2])) == ("app.c", 12)
    assert profile.places == ((1, 2),)
    np.testing.assert_array_equal(values(profile.metric("CPUTIME", inclusive=True)), [NAN, 9e9, 6e9])
    np.testing.assert_array_equal(values(profile.metric("CPUTIME", inclusive=False)), [NAN, 3e9, 6e9])
    assert sum(profile.omissions.values()) == 1
    meta = bytearray((tmp_path / "db" / "meta.db").read_bytes())
    meta[14] = 5
    (tmp_path / "db" / "meta.db").write_bytes(meta)
    assert "version 4" in refusal(tmp_path / "db")


# -- bad input to all of them --------------------------------------------------------------------------------------


def samples(folder: Path) -> dict[str, tuple[Path, Path]]:
    """What is read, and the file in it that is damaged."""
    stats = {
        ("a.py", 1, "f"): (1, 1, 0.5, 0.5, {("a.py", 2, "g"): (1, 1, 0.1, 0.2)}),
        ("a.py", 2, "g"): (1, 1, 0.1, 0.6, {}),
    }
    log = kieker_log(
        folder / "log", "$2;1;5;1;<no>;host;-1;-1", "$3;1;10;5;0;void a.M.m();M", "$4;1;14;5;2;void a.M.m();M"
    )
    db, old = database(folder / "db4"), hpctoolkit_folder(folder / "db2")
    found = {
        "pstats": written(folder, "a.pstats", marshal.dumps(stats)),
        "cali": written(folder, "a.cali", CALI),
        "json": written(folder, "a.json", split()),
        "gprof": written(folder, "gprof.txt", GPROF),
        "rsf": written(folder, "a.rsf", "level a b\ncall a b 5\ncall b c 7 9\n"),
        "gzip": written(folder, "b.rsf.gz", gzip.compress(b"level a b\ncall a b 5\n" * 40)),
    }
    return {name: (path, path) for name, path in found.items()} | {
        "kieker": (log, log / "kieker-1.dat"),
        "map": (log, log / "kieker.map"),
        "meta": (db, db / "meta.db"),
        "profile": (db, db / "profile.db"),
        "xml": (old, old / "experiment.xml"),
        "metric": (old, next(old.glob("*-000000-*"))),
    }


NAMES = ("pstats", "cali", "json", "gprof", "rsf", "gzip", "kieker", "map", "meta", "profile", "xml", "metric")
BYTES = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4)


@settings(max_examples=300)
@given(st.sampled_from(NAMES), st.one_of(st.integers(0, 10**6), BYTES, st.binary(max_size=40)))
def test_whatever_is_damaged_is_read_or_one_sentence(name: str, damage: int | bytes | list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as kept:
        given_path, file = samples(Path(kept))[name]
        data = bytearray(file.read_bytes())
        if isinstance(damage, int):
            data = data[: damage % len(data)]
        elif isinstance(damage, bytes):
            data[len(data) // 2 : len(data) // 2] = damage * 3
        else:
            for at, byte in damage:
                data[at % len(data)] = byte
        file.write_bytes(data)
        said = refusal(given_path)
        assert "\n" not in said
        if not said:
            for part in read_traces(given_path):
                assert not isinstance(part, Profile) or not structure_faults(part)


@pytest.mark.parametrize("name", NAMES)
def test_all_of_them_are_recognised(name: str, tmp_path: Path) -> None:
    path, _ = samples(tmp_path)[name]
    formats = Counter(part.header.format for part in read_traces(path))
    expected = {"cali": "caliper", "json": "caliper", "gzip": "rsf", "map": "kieker", "metric": "hpctoolkit"}
    expected |= dict.fromkeys(("meta", "profile", "xml"), "hpctoolkit")
    assert formats == {expected.get(name, name): 1}
    (tmp_path / "empty").write_bytes(b"")
    assert "no format" in refusal(tmp_path / "empty")
