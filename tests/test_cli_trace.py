"""`cbvtool trace`: what it prints and writes, and how it fails."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import cbvtool
from cbvtool.cli import DONE, FAILED, main
from cbvtool.cli.of_traces.trace_reading import window
from cbvtool.formats import write_graph
from cbvtool.graph import GraphBuilder
from cbvtool.mining import head_commit, is_dirty
from cbvtool.trace.making.flat import flat_figures
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.store.folder import write_folder
from tests.test_project import git
from tests.trace.seeded import made_profile, made_trace, same

Capture = pytest.CaptureFixture[str]


def full_trace() -> Trace:
    """Some threads with calls, open ones too."""
    made = (made_trace(seed) for seed in range(1_000))
    return next(trace for trace in made if len(trace.threads) > 2 and len(trace.open_rows) and len(trace.calls) > 20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_folder(tmp_path / "run", full_trace())
    return tmp_path / "run"


def output(capsys: Capture, *arguments: str | Path) -> str:
    assert main([str(argument) for argument in arguments]) == DONE
    return capsys.readouterr().out


def failure(capsys: Capture, *arguments: str | Path) -> str:
    assert main([str(argument) for argument in arguments]) == FAILED
    said = capsys.readouterr()
    assert not said.out
    lines = said.err.splitlines()
    assert len(lines) == 1, said.err
    return lines[0]


def test_info_of_a_trace(folder: Path, capsys: Capture) -> None:
    trace = full_trace()
    found = json.loads(output(capsys, "trace", "info", folder, "--format", "json"))
    assert found == {
        "format": "cbvtool",
        "kind": "trace",
        "calls": len(trace.calls),
        "threads": len(trace.threads),
        "functions": len(trace.functions),
        "span_ns": trace.span[1] - trace.span[0],
        "depth": int(trace.calls.depth.max()) + 1,
        "open": len(trace.open_rows),
        "sampled": False,
        "repairs": dict(trace.repairs),
        "omissions": dict(trace.omissions),
    }
    text = output(capsys, "trace", "info", folder)
    for said in (f"{len(trace.calls):,} calls", f"{len(trace.open_rows)} still open", "metadata of no use"):
        assert said in text


def test_info_of_a_profile(tmp_path: Path, capsys: Capture) -> None:
    write_folder(tmp_path / "p", made_profile(3))
    found = json.loads(output(capsys, "trace", "info", tmp_path / "p", "--format", "json"))
    assert (found["kind"], found["calls"], found["sampled"]) == ("profile", None, True)
    assert found["depth"] >= 1


def test_info_tells_which_functions_have_a_node(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    builder = GraphBuilder("shop")
    builder.add_node("src", "", "src", "folder")
    builder.add_node("src/1.py", "src", "1.py", "file", file="src/1.py", line=1, end_line=100)
    builder.add_node("src/1.py::größe", "src/1.py", "größe", "function", file="src/1.py", line=3, end_line=5)
    write_graph(builder.freeze(), tmp_path / "graph.json")
    arguments = ("trace", "info", folder, "--graph", tmp_path / "graph.json", "--format", "json")
    mapping = json.loads(output(capsys, *arguments))["mapping"]
    trace = full_trace()
    assert sum(mapping["functions"].values()) == len(trace.functions)
    assert sum(mapping["calls"].values()) == len(trace.calls)
    assert mapping["functions"]["mapped"] > 0
    assert sum(mapping["missed"].values()) == mapping["functions"]["unmapped"] > 0


def table(text: str) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_calls_by_function(folder: Path, capsys: Capture) -> None:
    trace = full_trace()
    text = output(capsys, "trace", "calls", folder, "--format", "csv")
    assert text.splitlines()[0] == "name,file,line,count,total_ns,self_ns,longest_ns"
    flat = flat_figures(trace)
    names = trace.functions.name
    found = {row["name"]: [int(row[c]) for c in ("count", "total_ns", "self_ns", "longest_ns")] for row in table(text)}
    assert found == {
        names[row]: [int(column[row]) for column in (flat.count, flat.total, flat.own, flat.longest)]
        for row in range(len(names))
        if flat.count[row]
    }


def test_calls_by_thread(folder: Path, capsys: Capture) -> None:
    trace = full_trace()
    text = output(capsys, "trace", "calls", folder, "--by", "thread")
    assert text.splitlines()[0] == "process,thread,name,calls,functions,start_ns,end_ns,cpu_ns"
    rows = table(text)
    assert [int(row["thread"]) for row in rows] == trace.threads.id.tolist()
    assert sum(int(row["calls"]) for row in rows) == len(trace.calls)
    assert min(int(row["start_ns"]) for row in rows) == 0
    assert max(int(row["end_ns"]) for row in rows) == trace.span[1] - trace.span[0]
    assert {row["cpu_ns"] for row in rows} == {""}


def test_a_window_and_threads(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    trace = full_trace()
    out = tmp_path / "out"
    assert output(capsys, "trace", "convert", folder, out, "--window", "10..100ns", "--threads", "T0,1") == ""
    [part] = cbvtool.read_traces(out)
    assert isinstance(part, Trace)
    assert part.threads.name == tuple(
        name
        for name, first, last in zip(
            trace.threads.name, trace.threads.first.tolist(), trace.threads.last.tolist(), strict=True
        )
        if name in ("T0", "T1") and first <= trace.span[0] + 100 and last >= trace.span[0] + 10
    )
    low, high = trace.span[0] + 10, trace.span[0] + 100
    assert len(part.calls)
    assert ((part.calls.start >= low) & (part.calls.end <= high)).all()
    assert "nobody" in failure(capsys, "trace", "convert", folder, tmp_path / "x", "--threads", "nobody")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0..1000", (0, 1000)),
        ("1.5s..2s", (1_500_000_000, 2_000_000_000)),
        ("200ms..", (200_000_000, None)),
        ("..0.000001001s", (None, 1001)),
        ("10us..10µs", (10_000, 10_000)),
        ("9007199.254740993s..", (9_007_199_254_740_993, None)),  # no double holds it
    ],
)
def test_windows(text: str, expected: tuple[int | None, int | None]) -> None:
    assert window(text) == expected


@pytest.mark.parametrize("text", ["", "..", "5", "2s..1s", "-1..5", "a..b", "1e3..", "1..2..3"])
def test_what_is_no_window(text: str, folder: Path, capsys: Capture) -> None:
    assert "--window" in failure(capsys, "trace", "convert", folder, "out", f"--window={text}")


def test_conversion_to_a_folder_loses_nothing(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    output(capsys, "trace", "convert", folder, tmp_path / "copy.cbvtrace")
    [copy] = cbvtool.read_traces(tmp_path / "copy.cbvtrace")
    assert not same(full_trace(), copy)


def test_what_a_format_cannot_say_is_told(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["trace", "convert", str(folder), str(tmp_path / "a.json")]) == DONE
    told = capsys.readouterr().err
    assert "rows of waits" in told
    assert "rows of states" in told
    json.loads((tmp_path / "a.json").read_text())


@pytest.mark.parametrize("content", [None, b"", b"\x00" * 100, b"{", b"<html>"])
@pytest.mark.parametrize("command", ["info", "calls", "convert"])
def test_a_file_that_cannot_be_read(command: str, content: bytes | None, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "odd.bin"
    if content is not None:
        file.write_bytes(content)
    more = [tmp_path / "out"] if command == "convert" else []
    assert "odd.bin" in failure(capsys, "trace", command, file, *more)
    assert not (tmp_path / "out").exists()


def test_a_half_written_folder(folder: Path, capsys: Capture) -> None:
    (folder / "calls.end.npy").unlink()
    assert "calls.end.npy" in failure(capsys, "trace", "info", folder)


def test_nothing_else_is_replaced(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "mine.json").write_text('{"a": 1}')
    assert "mine.json" in failure(capsys, "trace", "convert", folder, tmp_path / "mine.json")
    assert "what is read" in failure(capsys, "trace", "convert", folder, folder)
    assert ".xyz" in failure(capsys, "trace", "convert", folder, tmp_path / "a.xyz")
    for _ in range(2):  # one of ours is replaced
        output(capsys, "trace", "convert", folder, tmp_path / "a.json")
        output(capsys, "trace", "calls", folder, "-o", tmp_path / "a.csv")
        output(capsys, "trace", "info", folder, "-o", tmp_path / "a.txt")
        output(capsys, "trace", "info", folder, "-o", tmp_path / "b.json")


def test_several_traces(tmp_path: Path, capsys: Capture) -> None:
    for run in (1, 2):
        write_folder(tmp_path / str(run), full_trace())
    found = json.loads(output(capsys, "trace", "info", tmp_path, "--format", "json"))
    assert len(found) == 2
    one = table(output(capsys, "trace", "calls", tmp_path / "1"))
    both = table(output(capsys, "trace", "calls", tmp_path))
    assert {row["name"]: 2 * int(row["total_ns"]) for row in one} == {row["name"]: int(row["total_ns"]) for row in both}
    output(capsys, "trace", "convert", tmp_path, tmp_path / "both")
    assert len(cbvtool.read_traces(tmp_path / "both")) == 2
    assert "one trace" in failure(capsys, "trace", "convert", tmp_path, tmp_path / "a.json")


@pytest.mark.skipif(sys.platform == "win32", reason="signals that Windows does not have")
def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C while a file is written."""
    program = """
import sys
from cbvtool.trace.store import chrome_json
from cbvtool.cli import main
def slow(trace, lost, progress):
    while True:
        print("writing", file=sys.stderr, flush=True)
        yield "{}" + " " * 10_000
chrome_json._events = slow
sys.exit(main(["trace", "convert", sys.argv[1], sys.argv[2]]))
"""
    write_folder(tmp_path / "run", made_trace(3))
    source = str(Path(cbvtool.__file__).parents[1])
    command = [sys.executable, "-c", program, str(tmp_path / "run"), str(tmp_path / "out.json")]
    environment = {**os.environ, "PYTHONPATH": source}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "writing" not in process.stderr.readline():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.stderr.close()
    assert process.wait(60) == 130
    assert os.listdir(tmp_path) == ["run"]


def test_whether_a_working_tree_differs(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1\n")
    assert is_dirty(tmp_path) is None
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    assert head_commit(tmp_path)
    assert is_dirty(tmp_path) is False
    (tmp_path / "untracked").write_text("")
    (tmp_path / "a.py").write_bytes(b"1\r\n")
    assert is_dirty(tmp_path) is False
    (tmp_path / "a.py").write_text("2\n")
    assert is_dirty(tmp_path) is True
    (tmp_path / "a.py").unlink()
    assert is_dirty(tmp_path) is True
