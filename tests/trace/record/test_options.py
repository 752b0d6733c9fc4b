"""What a user asks of a recording is what it holds (TR-2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cbvtool.cli import DONE, main
from cbvtool.trace.making.recorded import FIRST_FUNCTION, STOPPED, decode
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.record.launch import record
from cbvtool.trace.record.options import RecordOptions
from cbvtool.trace.record.selection import exclusion_text, proposed, ranked
from tests.trace.record.subjects import VERSIONS, named, python, recorded

LIMITED = """
def short():
    pass
def deep(n):
    short()
    return n and deep(n - 1)
def numbers():
    for i in range(30):
        yield i
def thrown(n):
    if n == 0:
        raise ValueError
    thrown(n - 1)
def after():
    pass
for _ in range(1000):
    short()
deep(40)
sum(numbers())
try:
    thrown(25)
except ValueError:
    pass
after()
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_after_the_limit_a_function_is_recorded_no_more(version: str, tmp_path: Path) -> None:
    trace, _ = recorded(tmp_path, LIMITED, version, limit=10)
    for name in ("short", "deep", "numbers", "thrown"):
        assert named(trace, name) == 10, name
    assert named(trace, "after") == 1
    assert not trace.repairs
    assert not len(trace.open_rows)
    after = trace.functions.name.index("after")
    assert int(trace.calls.depth[trace.calls.function == after][0]) == 1  # below the module: nothing is left open
    assert trace.omissions["functions recorded no more after the limit"] >= 4
    cut = sum(count for kind, count in trace.omissions.items() if kind.startswith("calls cut"))
    exact = (1041 - 10) + (41 - 10) + (31 - 10) + (26 - 10)
    if version in ("3.8", "3.11"):
        assert cut >= exact
    else:
        assert cut > 0


@pytest.mark.parametrize("version", VERSIONS)
def test_an_exclusion_leaves_functions_out(version: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# by hand\n__main__:sho*  # the short one\n\n")
    trace, _ = recorded(tmp_path, LIMITED, version, exclude=("*:deep",), exclude_file=tmp_path / "list")
    assert named(trace, "short") == named(trace, "deep") == 0
    assert (named(trace, "numbers"), named(trace, "thrown"), named(trace, "after")) == (31, 26, 1)
    assert not trace.repairs


@pytest.mark.parametrize("version", VERSIONS)
def test_cpu_time_is_within_the_time_of_each_call_it_was_asked_for(version: str, tmp_path: Path) -> None:
    text = "import time\ndef work(n):\n    sum(range(n))\ndef idle():\n    time.sleep(0.05)\nwork(300000)\nidle()\n"
    trace, _ = recorded(tmp_path, text, version, cpu_time=True)
    assert trace.calls.cpu is not None
    row = {name: trace.calls.function.tolist().index(trace.functions.name.index(name)) for name in ("work", "idle")}
    spent = {name: int(trace.calls.cpu[at]) for name, at in row.items()}
    assert spent["work"] > 0
    assert 0 <= spent["idle"] < int((trace.calls.end - trace.calls.start)[row["idle"]]) / 2
    assert (trace.calls.cpu >= 0).all()


@pytest.mark.parametrize("version", ["3.11", "3.13"])
def test_cpu_time_above_a_depth_alone(version: str, tmp_path: Path) -> None:
    trace, _ = recorded(tmp_path, LIMITED, version, cpu_time=True, cpu_depth=8)
    assert trace.calls.cpu is not None
    deep = trace.calls.depth > 20
    assert deep.any()
    assert (trace.calls.cpu[deep] == -1).all()
    assert (trace.calls.cpu >= 0).any()


@pytest.mark.parametrize("version", VERSIONS)
def test_functions_of_c_and_io_of_files(version: str, tmp_path: Path) -> None:
    text = "import sys\nwith open(sys.argv[1], 'w') as file:\n    for _ in range(5):\n"
    text += "        file.write('line')\nlen([])\n"
    trace, _ = recorded(tmp_path, text, version, str(tmp_path / "written"), c_functions=True)
    assert "TextIOWrapper.write" in trace.functions.name
    assert "len" in trace.functions.name
    io, objects = trace.table("io"), trace.table("objects")
    mine = [row for row, name in enumerate(objects["name"].tolist()) if trace.strings[name].endswith("written")]
    assert np.count_nonzero(np.isin(io["object"], mine) & io["write"]) == 5
    assert not trace.repairs


@pytest.mark.parametrize("version", VERSIONS)
def test_arguments_and_return_values(version: str, tmp_path: Path) -> None:
    text = "class Loud:\n    def __repr__(self): raise SystemExit(9)\n"
    text += "def f(a, b='x'):\n    return a\nf(17, Loud())\n"
    trace, done = recorded(tmp_path, text, version, arguments=20)
    assert done.status == 0  # no code of the program runs for it
    row = trace.calls.function.tolist().index(trace.functions.name.index("f"))
    given = trace.table("arguments")
    mine = given["call"] == row
    names = [trace.strings[name] for name in given["name"][mine].tolist()]
    values = [trace.strings[value] for value in given["value"][mine].tolist()]
    assert dict(zip(names, values, strict=True)) == {"a": "17", "b": "Loud"}
    returns = trace.table("returns")
    assert [trace.strings[value] for value in returns["value"][returns["call"] == row].tolist()] == ["17"]


SWITCHED = """
import sys, time
import cbvtool_recorder
def f(): pass
def g(): pass
def outer():
    g()
    cbvtool_recorder.start()
    f()
    cbvtool_recorder.stop()
    g()
g()
outer()
cbvtool_recorder.start()
f()
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_the_program_starts_and_stops_its_recording(version: str, tmp_path: Path) -> None:
    trace, _ = recorded(tmp_path, SWITCHED, version, paused=True)
    assert (named(trace, "f"), named(trace, "g")) == (2, 0)
    assert named(trace, "outer") == 1  # it was running when recording began
    assert not trace.repairs


@pytest.mark.parametrize("version", VERSIONS)
def test_a_signal_starts_and_stops_recording(version: str, tmp_path: Path) -> None:
    text = """
import os, signal
def f(): pass
def g(): pass
g()
os.kill(os.getpid(), signal.SIGUSR2)
f()
os.kill(os.getpid(), signal.SIGUSR2)
g()
"""
    trace, _ = recorded(tmp_path, text, version, paused=True, signal="USR2")
    assert (named(trace, "f"), named(trace, "g")) == (1, 0)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_delay_and_a_duration(version: str, tmp_path: Path) -> None:
    text = """
import time
def early(): pass
def middle(): pass
def late(): pass
early()
begin = time.monotonic()
while time.monotonic() < begin + 2: middle()
late()
"""
    trace, _ = recorded(tmp_path, text, version, delay=0.6, duration=0.4)
    assert named(trace, "early") == named(trace, "late") == 0
    assert named(trace, "middle") > 0
    assert not trace.repairs


@pytest.mark.parametrize("times", [(50, 90, 80, 95), (50, 60, 70, 65), (50, 60, 70, 75)])
def test_a_stop_from_another_thread_is_no_damage(times: tuple[int, ...]) -> None:
    """The thread that stops looks at the clock, then the one that it stops notes a call, then the stop is written."""
    assert _backward([FIRST_FUNCTION, FIRST_FUNCTION, STOPPED, FIRST_FUNCTION], list(times)) == 0


def test_a_time_that_goes_back_between_two_calls_is_told() -> None:
    """Also right behind the first call after a stop."""
    assert _backward([FIRST_FUNCTION, FIRST_FUNCTION], [50, 40]) == 1
    assert _backward([FIRST_FUNCTION, STOPPED, FIRST_FUNCTION, FIRST_FUNCTION], [50, 60, 70, 65]) == 1


def _backward(tags: list[int], values: list[int]) -> int:
    """How many times of one thread go back, as the reader of recordings counts them; every tag but a stop is a call."""
    count = sum(tag == FIRST_FUNCTION for tag in tags)
    columns = [
        np.empty(count, kind) for kind in (np.uint32, np.int64, np.int64, np.uint32, np.uint32, np.bool_, np.int64)
    ]
    given = np.array(tags, np.uint32), np.array(values, np.int64), np.zeros(1, np.uint32), 0, max(values)
    plain: Any = decode.source  # its many columns come in a list
    return int(plain(*given, *columns, np.empty((len(tags) - count, 3), np.int64))[3])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("armed", ["begin", "end"])
def test_a_stop_from_another_thread_waits_for_the_event_in_the_middle(armed: str, version: str, tmp_path: Path) -> None:
    text = """
import _thread, sys, time
import cbvtool_recorder as recorder
clock, main, state = recorder._now, _thread.get_ident(), []
sleep = recorder._sleep  # which notes nothing of its own
def interrupted():  # another thread runs between the reading of the clock and its noting
    now = clock()
    if state == [sys.argv[1]] and _thread.get_ident() == main:
        state.append("read")
        while recorder._recorder.active: sleep(0.001)
        sleep(0.1)
    return now
recorder._now = interrupted
def stop():
    while len(state) < 2: time.sleep(0.001)
    recorder.stop()
    state.append("stopped")
def middle():
    if sys.argv[1] == "end": state.append("end")
def outer():
    if sys.argv[1] == "begin": state.append("begin")
    middle()
_thread.start_new_thread(stop, ())
recorder.start()
outer()
while len(state) < 3: time.sleep(0.001)
"""
    trace, _ = recorded(tmp_path, text, version, armed, paused=True)
    assert named(trace, "middle") == named(trace, "outer") == 1
    assert not trace.repairs
    assert not len(trace.open_rows)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_last_seconds_alone(version: str, tmp_path: Path) -> None:
    text = """
import time
def early(): pass
def late(): pass
def loop():
    for _ in range(20000): early()
    time.sleep(0.7)
    for _ in range(20000): early()
    time.sleep(0.7)
    for _ in range(20000): early()
    time.sleep(0.7)
    late()
loop()
"""
    trace, _ = recorded(tmp_path, text, version, last=0.5)
    assert (named(trace, "early"), named(trace, "late"), named(trace, "loop")) == (0, 1, 1)
    assert not trace.repairs
    assert sum(path.stat().st_size for path in (tmp_path / "out").glob("*.events")) < 60_000 * 24


@pytest.mark.parametrize("version", VERSIONS)
def test_samples_are_marked_as_samples(version: str, tmp_path: Path) -> None:
    text = """
import threading, time
def busy():
    end = time.monotonic() + 0.8
    while time.monotonic() < end: pass
thread = threading.Thread(target=busy, name="other")
thread.start()
busy()
thread.join()
"""
    trace, _ = recorded(tmp_path, text, version, sample=0.005)
    assert trace.sampled
    assert "other" in trace.threads.name
    function = trace.functions.name.index("busy")
    rows = trace.calls.function == function
    assert 0 < np.count_nonzero(rows) <= 4
    assert int((trace.calls.end - trace.calls.start)[rows].max()) > 300_000_000


def test_repeated_runs_are_traces_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    (tmp_path / "p.py").write_text("def f(): pass\nf()\n")
    options = RecordOptions(tmp_path / "out", repeat=3, commit="abc", dirty=True)
    seen: list[int] = []
    done = record(options, [python("own"), str(tmp_path / "p.py")], lambda what, run, of: seen.append(run))
    assert done.folders == tuple(tmp_path / "out" / str(run) for run in (1, 2, 3))
    assert seen == [1, 2, 3]
    found = read_traces(tmp_path / "out")
    assert [trace.header.run for trace in found] == [1, 2, 3]
    for trace in found:
        assert isinstance(trace, Trace)
        assert (trace.header.commit, trace.header.dirty) == ("abc", True)
        assert trace.header.hash_seed == "0"
        assert trace.calls.cpu is not None
        assert int(trace.header.parameters["overhead_ns_per_call"]) > 0


def test_functions_are_ranked_proposed_edited_and_left_out(tmp_path: Path) -> None:
    """TR-2: the command writes what the next recording leaves out."""
    trace, _ = recorded(tmp_path / "first", LIMITED, "own")
    rows = ranked(trace)
    assert [row.count for row in rows] == sorted((row.count for row in rows), reverse=True)
    assert next(row for row in rows if row.name == "short").count == 1041
    chosen = proposed(rows, calls=1000, mean_ns=10**9)
    assert [row.name for row in chosen] == ["short"]
    asked = ["trace", "exclusions", str(tmp_path / "first/out"), "--calls", "1000", "--mean", str(10**9 - 1)]
    assert main([*asked, "-o", str(tmp_path / "list")]) == DONE
    assert (tmp_path / "list").read_text() == exclusion_text(chosen)
    assert f"{chosen[0].pattern}  # 1,041 calls, " in (tmp_path / "list").read_text()
    again, _ = recorded(tmp_path / "second", LIMITED, "own", exclude_file=tmp_path / "list")
    assert (named(again, "short"), named(again, "deep")) == (0, 41)
