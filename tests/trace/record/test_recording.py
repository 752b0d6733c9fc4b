"""Programs recorded in Pythons without cbvtool: what happens is in the trace, and they notice nothing (TR-1)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cbvtool.errors import InputError
from cbvtool.trace.making import recorded as tags
from cbvtool.trace.making.flat import flat_figures
from cbvtool.trace.mapping.own_graph import graph_of
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.overlay.windows import classes_of, run_time
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.record import recorder
from cbvtool.trace.record.launch import environment, option_lines, prepare, record
from cbvtool.trace.record.options import RecordOptions
from tests.trace.record.subjects import VERSIONS, counts, named, profiled, python, recorded, stop_with

READY = "print('ready', flush=True)\nwhile True: time.sleep(0.05)\n"

CALLS = """
class Shape:
    sides = [side for side in range(3)]
    class Inner:
        pass
    def area(self, n):
        return n if n <= 0 else self.area(n - 1)
def numbers(n):
    try:
        for i in range(n):
            yield i
    except KeyError:
        yield -1
def chained(n):
    yield from numbers(n)
def failing(n):
    if n:
        failing(n - 1)
    raise ValueError(n)
def main():
    for _ in range(50):
        Shape().area(3)
    first = numbers(5)
    next(first), next(first)
    first.throw(KeyError("thrown in"))
    first.close()
    unstarted = numbers(2)
    unstarted.close()
    sum(chained(7))
    (lambda: 1)()
    sorted([3, 1, 2], key=lambda x: -x)
    {k: v for k, v in zip("ab", "cd")}
    for _ in range(3):
        try:
            failing(4)
        except ValueError:
            pass
main()
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_call_counts_are_those_of_cprofile(version: str, tmp_path: Path) -> None:
    trace, done = recorded(tmp_path, CALLS, version)
    assert done.status == 0
    assert counts(trace) == profiled(tmp_path, CALLS, version)
    assert not trace.repairs
    assert not trace.omissions
    assert not len(trace.open_rows)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_resumption_is_linked_to_the_one_before(version: str, tmp_path: Path) -> None:
    text = "def numbers():\n    for i in range(4):\n        yield i\nsum(numbers())\nsum(numbers())\n"
    trace, _ = recorded(tmp_path, text, version)
    links = trace.table("links")
    function = trace.functions.name.index("numbers")
    rows = np.flatnonzero(trace.calls.function == function)
    assert len(rows) == 10
    chosen = np.isin(links["source"], rows)
    assert {trace.strings[kind] for kind in links["kind"][chosen].tolist()} == {"resumption"}
    pairs = sorted(zip(links["source"][chosen].tolist(), links["target"][chosen].tolist(), strict=True))
    row = rows.tolist()
    assert pairs == [*pairwise(row[:5]), *pairwise(row[5:])]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_recursion_of_900_and_200_threads(version: str, tmp_path: Path) -> None:
    text = """
import threading
def deep(n):
    return n and deep(n - 1)
def work():
    for _ in range(20):
        deep(2)
deep(900)
threads = [threading.Thread(target=work, name="worker %d" % i) for i in range(200)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    trace, _ = recorded(tmp_path, text, version)
    assert named(trace, "deep") == 901 + 200 * 20 * 3
    assert named(trace, "work") == 200
    assert int(trace.calls.depth.max()) >= 900
    assert not trace.repairs
    workers = [row for row, name in enumerate(trace.threads.name) if name.startswith("worker")]
    assert len(workers) == 200
    creators = trace.threads.creator[workers]
    assert {trace.functions.name[row].rpartition(".")[2] for row in trace.calls.function[creators]} == {"start"}


@pytest.mark.parametrize("version", VERSIONS)
def test_children_by_fork_spawn_and_subprocess_are_recorded(version: str, tmp_path: Path) -> None:
    text = """
import multiprocessing, os, subprocess, sys
def child():
    pass
if __name__ == "__main__":
    if os.fork() == 0:
        child()
        os._exit(0)
    os.wait()
    for method in ("fork", "spawn", "forkserver"):
        process = multiprocessing.get_context(method).Process(target=child)
        process.start()
        process.join()
    subprocess.run([sys.executable, "-c", "def child(): pass\\nchild()"], check=True)
    subprocess.run(["/bin/sh", "-c", '"$0" -c "def child(): pass\\nchild()"; true', sys.executable], check=True)
"""
    trace, done = recorded(tmp_path, text, version)
    assert done.status == 0
    assert named(trace, "child") == 4
    assert named(trace, "child", "<string>") == 2
    processes = set(trace.threads.process.tolist())
    assert len(processes) >= 7
    main = np.flatnonzero(np.array(trace.threads.name) == "MainThread")
    assert np.count_nonzero(trace.threads.creator[main] >= 0) >= 4
    assert not trace.repairs


@pytest.mark.parametrize("version", VERSIONS)
def test_tasks_of_asyncio_are_named_tracks(version: str, tmp_path: Path) -> None:
    text = """
import asyncio
async def step(n):
    for _ in range(n):
        await asyncio.sleep(0)
async def at_once():
    pass
async def main():
    tasks = [asyncio.ensure_future(step(3)), asyncio.ensure_future(at_once())]
    if hasattr(tasks[0], "set_name"):
        tasks[0].set_name("three steps")
    await asyncio.gather(*tasks)
asyncio.run(main())
"""
    trace, _ = recorded(tmp_path, text, version)
    tracks = [row for row, kind in enumerate(trace.threads.kind) if kind == "task"]
    ptr = trace.threads.ptr
    steps = {trace.threads.name[row]: int(ptr[row + 1] - ptr[row]) for row in tracks}
    assert steps["three steps"] == 4
    assert "at_once" in {trace.functions.name[int(trace.calls.function[ptr[row]])] for row in tracks}
    links = trace.table("links")
    kinds = [trace.strings[kind] for kind in links["kind"].tolist()]
    assert kinds.count("task") == sum(steps.values())


@pytest.mark.parametrize("version", VERSIONS)
def test_waits_and_releases_name_their_objects(version: str, tmp_path: Path) -> None:
    text = """
import queue, threading
lock, jobs = threading.Lock(), queue.Queue()
def work():
    while jobs.get() is not None:
        with lock:
            pass
thread = threading.Thread(target=work)
thread.start()
for job in (1, 2, 3, None):
    jobs.put(job)
thread.join()
"""
    trace, _ = recorded(tmp_path, text, version)
    objects, waits, releases = (trace.table(name) for name in ("objects", "waits", "releases"))
    kinds = np.array([trace.strings[kind] for kind in objects["kind"].tolist()])
    assert np.count_nonzero(kinds[waits["object"]] == "queue") == 4
    assert np.count_nonzero(kinds[releases["object"]] == "queue") == 4
    locks = np.array(["program.py" in trace.strings[name] for name in objects["name"].tolist()]) & (kinds == "lock")
    assert np.count_nonzero(locks[waits["object"]]) == 3
    assert np.count_nonzero(locks[releases["object"]]) == 3
    assert (waits["end"] >= waits["start"]).all()
    getters = trace.calls.function[waits["call"][kinds[waits["object"]] == "queue"]]
    assert {trace.functions.name[row] for row in getters}.issubset({"Queue.get", "get"})


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("import os; os._exit(7)", 7),
        ("raise SystemExit(5)", 5),
        ("1 / 0", 1),
        ("pass", 0),
        ("import sys; sys.exit(3)", 3),
    ],
)
def test_the_end_is_the_programs_own(version: str, ending: str, status: int, tmp_path: Path) -> None:
    trace, done = recorded(tmp_path, f"def f(): pass\nfor _ in range(10): f()\n{ending}\n", version)
    assert done.status == status
    assert named(trace, "f") == 10


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_and_the_calls_are_there(version: str, number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    options = RecordOptions(tmp_path / "out")
    prepare(options.folder, option_lines(options, ()), {})
    text = "import time\ndef f(): pass\nfor _ in range(100): f()\n" + READY
    process = subprocess.Popen(
        [python(version), "-c", text], env=environment(options.folder, os.environ), stdout=-1, stderr=-1, text=True
    )
    assert stop_with(process, number) == -number
    trace = read_traces(options.folder)[0]
    assert isinstance(trace, Trace)
    assert named(trace, "f", "<string>") == 100


@pytest.mark.parametrize("version", VERSIONS)
def test_a_kill_loses_the_last_chunk_at_most(version: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    options = RecordOptions(tmp_path / "out")
    prepare(options.folder, option_lines(options, ()), {})
    text = "import time\ndef f(): pass\nfor _ in range(30000): f()\n" + READY
    process = subprocess.Popen(
        [python(version), "-c", text], env=environment(options.folder, os.environ), stdout=-1, stderr=-1, text=True
    )
    assert stop_with(process, signal.SIGKILL) == -signal.SIGKILL
    trace = read_traces(options.folder)[0]
    assert isinstance(trace, Trace)
    assert 30_000 - recorder.CHUNK <= named(trace, "f", "<string>") <= 30_000


def test_any_cut_of_a_recording_can_be_read(tmp_path: Path) -> None:
    recorded(tmp_path, CALLS, "own")
    events = next((tmp_path / "out").glob("*.events"))
    whole = events.read_bytes()
    before = 10**9
    for size in [*range(len(whole), 0, -997), 13, 12, 11, 4, 3, 0]:
        events.write_bytes(whole[:size])
        trace = read_traces(tmp_path / "out")[0]
        assert isinstance(trace, Trace)
        assert len(trace.calls) <= before
        before = len(trace.calls)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_existing_sitecustomize_still_runs(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import builtins\nbuiltins.was_there = 'yes'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    text = "import sitecustomize, sys\nassert was_there == 'yes'\nassert 'site' in sitecustomize.__file__\n"
    text += "assert not any('hook' in place for place in sys.path)\ndef f(): pass\nf()\n"
    trace, done = recorded(tmp_path, text, version)
    assert done.status == 0
    assert named(trace, "f") == 1


@pytest.mark.parametrize("option", ["-I", "-E", "-S"])
def test_a_python_that_hears_nothing_is_told_in_one_sentence(option: str, tmp_path: Path) -> None:
    done = record(RecordOptions(tmp_path / "out"), [python("own"), option, "-c", "pass"])
    assert done.status == 0
    assert len(done.warnings) == 1
    assert "-I, -E and -S" in done.warnings[0]
    with pytest.raises(InputError, match="no process was recorded"):
        read_traces(tmp_path / "out")


def test_modules_and_shell_scripts_are_recorded(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text("def f(): pass\nf()\n")
    script = tmp_path / "run.sh"
    script.write_text(f'#!/bin/sh\ncd {tmp_path}\n"{python("own")}" -m mod\nexit 9\n')
    script.chmod(0o755)
    done = record(RecordOptions(tmp_path / "out"), [str(script)])
    assert done.status == 9
    trace = read_traces(tmp_path / "out")[0]
    assert isinstance(trace, Trace)
    assert named(trace, "f", "mod.py") == 1


def test_what_cannot_be_recorded_is_told(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    for folder, command, reason in (
        (tmp_path / "full", ["true"], "not empty"),
        (tmp_path / "a", ["no-such-program-anywhere"], "cannot be started"),
        (tmp_path / "b", [], "no program"),
    ):
        with pytest.raises(InputError, match=reason):
            record(RecordOptions(folder), command)
    with pytest.raises(InputError, match="no signal"):
        record(RecordOptions(tmp_path / "c", signal="NOSUCH"), ["true"])
    with pytest.raises(InputError, match="must not be negative"):
        record(RecordOptions(tmp_path / "c", limit=-1), ["true"])


def test_the_reader_knows_the_tags_of_the_recorder() -> None:
    written = {
        name: value for name, value in vars(recorder).items() if name.isupper() and type(value) is int and value <= 32
    }
    assert {name: getattr(tags, name) for name in written} == written


def test_the_recorder_imports_the_standard_library_alone() -> None:
    text = Path(recorder.__file__).read_text(encoding="utf-8")
    assert "cbvtool." not in text
    subprocess.run([python("3.8"), "-c", f"compile({text!r}, 'recorder', 'exec')"], check=True)


def test_a_task_counts_once(tmp_path: Path) -> None:
    """Its track repeats calls of the thread that ran it: they count where the track alone is chosen, and only there."""
    text = """
import asyncio
async def step(): return 1
async def work(): return await step()
async def main(): return await asyncio.gather(*(work() for _ in range(7)))
asyncio.run(main())
"""
    trace, _ = recorded(tmp_path, text, "own")
    tasks = [row for row, kind in enumerate(trace.threads.kind) if kind == "task"]
    row = next(row for row, name in enumerate(trace.functions.name) if name == "work")
    assert len(tasks) >= 8  # asyncio has some of its own
    assert int((trace.calls.function == row).sum()) == 14
    assert flat_figures(trace).count[row] == 7
    assert trace.threads.counted(tasks) == tasks
    assert not set(trace.threads.counted([0, *tasks])) & set(tasks)
    graph, nodes = graph_of(trace)
    key = int(nodes.node[row])
    classes = classes_of(trace, nodes, graph)
    assert run_time(trace, classes).calls[key] == 7
    assert run_time(trace, classes, None, tasks).calls[key] == 7


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_program_outlives_cbvtool_and_its_recording_is_complete(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("def f(): pass\nprint('ready', flush=True)\ninput()\nf()\nprint('done')\n")
    command = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(tmp_path / "out"), "--"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, python("own"), str(tmp_path / "program.py")], stdin=pipe, stdout=pipe, text=True
    ) as ran:
        assert ran.stdout is not None
        assert ran.stdout.readline() == "ready\n"
        ran.kill()
        ran.wait()
        said, _ = ran.communicate("go on\n")  # which the program reads, and ends
    assert said == "done\n"
    trace = read_traces(tmp_path / "out")[0]
    assert isinstance(trace, Trace)
    assert named(trace, "f") == 1
    assert not trace.repairs
    assert not len(trace.open_rows)
