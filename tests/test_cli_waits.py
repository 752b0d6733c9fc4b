"""`cbvtool trace waits`: its tables, the critical path, estimates, and how it fails (ST-8, NEW-18)."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cbvtool.cli import DONE, FAILED, main
from cbvtool.trace.store.folder import write_folder
from tests.trace.waits.test_by_name import HEAD, run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Threads 2 and 3 wait for a mutex that thread 1 holds, and 3 for a gate that only a row of a user knows."""
    trace = run(
        [
            (1, "work", 0, 100, {}),
            (1, "pthread_mutex_unlock", 50, 51, {"arg1": "0xa"}),
            (2, "pthread_mutex_lock", 10, 52, {"arg1": "0xa"}),
            (2, "pthread_mutex_unlock", 60, 61, {"arg1": "0xa"}),
            (3, "pthread_mutex_lock", 20, 62, {"arg1": "0xa"}),
            (3, "enter", 70, 99, {"gate": "north"}),
            (2, "leave", 90, 91, {"gate": "north"}),
        ]
    )
    write_folder(tmp_path / "run", trace)
    return tmp_path / "run"


def output(capsys: Capture, *arguments: object) -> str:
    assert main(["trace", "waits", *map(str, arguments)]) == DONE
    return capsys.readouterr().out


def test_tables(recorded: Path, capsys: Capture, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(output(capsys, recorded, "--format", "csv"))))
    assert [(row["waiting"], row["releasing"], row["total_ns"]) for row in rows] == [
        ("2", "1", "42000000"),
        ("3", "2", "42000000"),
    ]
    assert [(row["object"], row["over_ns"]) for row in rows] == 2 * [("mutex 0xa", "42000000")]
    told = json.loads(output(capsys, recorded, "--format", "json"))
    assert told["objects"][0]["object"] == "mutex 0xa"
    assert told["objects"][0]["threads"] == 2
    assert told["waits"][0]["released_ns"] == 50_000_000
    text = output(capsys, recorded)
    assert text.startswith("Releases in the recording ended 100.0% of the waiting time, 84 ms in all.")
    roles = tmp_path / "roles.csv"
    roles.write_text(HEAD + "shop,enter,gate,gate,waits,\nshop,leave,gate,gate,releases,\n")
    objects = output(capsys, recorded, "--roles", roles, "--table", "objects", "--format", "csv")
    assert [row["object"] for row in csv.DictReader(io.StringIO(objects))] == ["mutex 0xa", "gate north"]
    for out in (tmp_path / "a.txt", tmp_path / "a.csv", tmp_path / "a.json"):
        for _ in range(2):
            assert not output(capsys, recorded, "-o", out)


def test_the_critical_path_and_estimates(recorded: Path, capsys: Capture) -> None:
    told = json.loads(output(capsys, recorded, "--critical-path", "3@65ms", "--format", "json"))
    path = [(row["thread"], row["start_ns"] // 10**6, row["end_ns"] // 10**6) for row in told["path"]]
    assert path == [("1", 0, 50), ("2", 52, 60), ("3", 62, 65)]
    told = json.loads(output(capsys, recorded, "--what-if", "without=0xa", "--format", "json"))
    assert told["estimate"][0] == {"thread": "2", "end_ns": 49_000_000, "saved_ns": 42_000_000}
    assert [(row["thread"], row["duration_ns"], row["saved_ns"]) for row in told["shorter"]] == [
        ("2", 42_000_000, 42_000_000),
        ("3", 42_000_000, 42_000_000),
    ]
    assert "An estimate" in output(capsys, recorded, "--what-if", "io")


def test_one_wait_less(recorded: Path, capsys: Capture) -> None:
    """NEW-18: a single wait removed; the waits behind it become shorter as far as they hung on it."""
    told = json.loads(output(capsys, recorded, "--what-if", "wait=3@30ms", "--format", "json"))
    assert [row["saved_ns"] for row in told["estimate"] if row["thread"] != "3"] == [0, 0]
    assert [(row["thread"], row["object"], row["saved_ns"]) for row in told["shorter"]] == [
        ("3", "mutex 0xa", 42_000_000)
    ]
    told = json.loads(output(capsys, recorded, "--what-if", "wait=2@30ms", "--format", "json"))
    assert [(row["thread"], row["saved_ns"]) for row in told["shorter"]] == [("2", 42_000_000), ("3", 42_000_000)]
    assert "one wait takes no time" in told["notes"][1]
    text = output(capsys, recorded, "--what-if", "wait=2@30ms")
    assert "Estimate: waits that would be shorter" in text
    assert "pthread_mutex_lock" in text
    rows = list(csv.DictReader(io.StringIO(output(capsys, recorded, "--what-if", "io", "--format", "csv"))))
    assert {row["thread"] for row in rows} == {"1", "2", "3"}


@pytest.mark.parametrize(
    "options",
    [
        ("--critical-path", "nobody"),
        ("--critical-path", "3@noon"),
        ("--what-if", "split=0xb"),
        ("--what-if", "faster"),
        ("--what-if", "wait=3"),
        ("--what-if", "wait=3@1ms"),
        ("--what-if", "wait=nobody@1ms"),
        ("--what-if", "io", "--table", "waits"),
        ("--roles", "missing.csv"),
    ],
)
def test_failures_are_one_sentence(recorded: Path, options: tuple[str, ...], capsys: Capture) -> None:
    assert main(["trace", "waits", str(recorded), *options]) == FAILED
    said = capsys.readouterr()
    assert not said.out
    assert len(said.err.splitlines()) == 1
