"""`cbvtool trace aggregate`: what is measured along time, and what a file without it is answered (OC-1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cbvtool.cli import DONE, FAILED, main

Capture = pytest.CaptureFixture[str]


def write_trace(file: Path, *, calls: bool) -> Path:
    """A counter that is high from 40 to 60 µs; with `calls` also two threads, each in a function of its own."""
    events: list[dict[str, Any]] = [
        {"ph": "C", "name": "load", "pid": 1, "tid": 1, "ts": at, "args": {"load": 9 if 40 <= at < 60 else 1}}
        for at in range(0, 101, 5)
    ]
    if calls:
        events += [
            {"ph": "X", "name": "f", "pid": 1, "tid": 1, "ts": 0, "dur": 50},
            {"ph": "X", "name": "g", "pid": 1, "tid": 2, "ts": 10, "dur": 90},
        ]
    file.write_text(json.dumps({"traceEvents": events}))
    return file


def areas(capsys: Capture, file: Path, *options: str) -> list[tuple[str, int, int, str]]:
    assert main(["trace", "aggregate", str(file), "--table", "areas", "--format", "json", *options]) == DONE
    found = json.loads(capsys.readouterr().out)["areas"]
    return [(row["resource"], row["start_ns"], row["end_ns"], row["state"]) for row in found if row["state"]]


LOAD = [("process 1", 0, 40_000, "load"), ("process 1", 40_000, 60_000, "load"), ("process 1", 60_000, 100_000, "load")]


def test_a_trace_of_counters_alone_is_told_by_them(tmp_path: Path, capsys: Capture) -> None:
    """OC-1: nobody has to ask for what is the only thing there."""
    file = write_trace(tmp_path / "counters.json", calls=False)
    assert areas(capsys, file) == areas(capsys, file, "--amount", "counters") == LOAD


def test_what_is_measured_can_be_chosen(tmp_path: Path, capsys: Capture) -> None:
    """OC-1: time by default; calls count where they begin, in slices of 1 µs; counters have their own resource."""
    file = write_trace(tmp_path / "both.json", calls=True)
    time = [("thread 1", 0, 50_000, "f"), ("thread 2", 10_000, 100_000, "g")]
    assert areas(capsys, file) == areas(capsys, file, "--amount", "time") == time
    begun = [("thread 1", 0, 1_000, "f"), ("thread 2", 10_000, 11_000, "g")]
    assert areas(capsys, file, "--amount", "calls") == begun
    assert areas(capsys, file, "--amount", "counters") == LOAD


def test_what_a_trace_does_not_hold_is_said(tmp_path: Path, capsys: Capture) -> None:
    """OC-1: never another amount than the one asked for."""
    file = write_trace(tmp_path / "counters.json", calls=False)
    assert main(["trace", "aggregate", str(file), "--amount", "calls"]) == FAILED
    assert capsys.readouterr().err == f"cbvtool: {file} holds no calls; it has counters.\n"
