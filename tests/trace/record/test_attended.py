"""Programs recorded without a terminal: ended on request with all they started, what they wrote kept (TR-1)."""

from __future__ import annotations

import os
import sys
import threading
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import Cancelled, InputError
from cbvtool.progress import silent
from cbvtool.session.traces.recording import ProgramRun, forget, record_program, split_command, usual_place, why_not
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.record import attended
from cbvtool.trace.record.options import RecordOptions

LOOP = """
import os, subprocess, sys, time
def step(): time.sleep(0.01)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("child", child.pid, flush=True)
while True: step()
"""


def run_of(folder: Path, text: str, *arguments: str, **options: object) -> ProgramRun:
    (folder / "app.py").write_text(text, encoding="utf-8")
    chosen = RecordOptions(folder / "out", **options)  # type: ignore[arg-type]
    return ProgramRun((sys.executable, "app.py", *arguments), folder, chosen)


def names(folder: Path) -> set[str]:
    return {name for part in read_traces(folder) if isinstance(part, Trace) for name in part.functions.name}


def lives(pid: int) -> bool:
    """Whether a process is there; one that ended and that nobody waited for is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def child_of(run: ProgramRun) -> int:
    return int(attended.tail(run.output).split()[1])


def test_a_program_runs_in_its_folder_without_a_shell(tmp_path: Path) -> None:
    """What looks like a shell's is an argument; output and errors are kept, input is empty, the status is told."""
    text = "import sys\ndef told(): print(sys.argv[1:], sys.stdin.read() == '')\ntold()\nsys.exit('over')\n"
    run = run_of(tmp_path, text, "$HOME", ";", "touch", "bad", "a b")
    done = record_program(run, threading.Event(), silent)
    assert done.status == 1
    assert attended.tail(run.output) == "['$HOME', ';', 'touch', 'bad', 'a b'] True\nover\n"
    assert not (tmp_path / "bad").exists()
    assert "told" in names(run.options.folder)


def test_stop_ends_the_program_and_keeps_what_was_recorded(tmp_path: Path) -> None:
    run, stop = run_of(tmp_path, LOOP), threading.Event()

    def told(what: str, _done: int, _total: int) -> None:
        if attended.tail(run.output):
            stop.set()

    record_program(run, stop, told)
    assert "step" in names(run.options.folder)
    assert not lives(child_of(run))


def test_cancel_ends_the_program_and_what_it_started(tmp_path: Path) -> None:
    run = run_of(tmp_path, LOOP)

    def told(what: str, _done: int, _total: int) -> None:
        if attended.tail(run.output):
            raise Cancelled

    with pytest.raises(Cancelled):
        record_program(run, threading.Event(), told)
    assert not lives(child_of(run))
    forget(run)
    assert not run.options.folder.exists()


def test_a_program_that_will_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attended, "PATIENCE", 0.2)
    text = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('child', flush=True)\n"
    run, stop = run_of(tmp_path, text + "while True: time.sleep(0.01)\n"), threading.Event()
    done = record_program(run, stop, lambda *_told: stop.set() if attended.tail(run.output) else None)
    assert done.status == -9


def test_runs_are_repeated_until_stopped(tmp_path: Path) -> None:
    run = run_of(tmp_path, "def once(): pass\nonce()\n", repeat=3)
    assert len(record_program(run, threading.Event(), silent).folders) == 3
    assert len(read_traces(run.options.folder)) == 3


def test_output_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attended, "MOST_OUTPUT", 10_000)
    monkeypatch.setattr(attended, "COUNT", 0.0)
    text = "import time\nfor i in range(60):\n    print('x' * 1000, flush=True)\n    time.sleep(0.02)\nprint('last')\n"
    run = run_of(tmp_path, text)
    record_program(run, threading.Event(), silent)
    assert run.output.stat().st_size < 60_000
    assert attended.tail(run.output).endswith("last\n")
    assert "left out" in attended.tail(run.output, 1_000_000)


def test_a_full_disk_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attended, "LEAST_FREE", 2**62)
    done = record_program(run_of(tmp_path, LOOP), threading.Event(), silent)
    assert done.warnings[0] == attended.DISK_FULL


def test_what_cannot_be_recorded_is_one_sentence(tmp_path: Path) -> None:
    """Nothing is made, and what was there is left alone."""
    run = run_of(tmp_path, "")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("kept")
    wrong = {
        "is not empty": ProgramRun(run.command, tmp_path, RecordOptions(tmp_path / "full")),
        "is a file": ProgramRun(run.command, tmp_path, RecordOptions(tmp_path / "app.py")),
        "no folder": ProgramRun(run.command, tmp_path / "none", run.options),
        "no program nowhere": ProgramRun(("nowhere",), tmp_path, run.options),
        "no program ./nowhere": ProgramRun(("./nowhere",), tmp_path, run.options),
    }
    for words, each in wrong.items():
        assert words in why_not(each)
        with pytest.raises(InputError):
            record_program(each, threading.Event(), silent)
    assert (tmp_path / "full" / "mine").read_text() == "kept"
    assert not run.options.folder.exists()


def test_nothing_is_forgotten_that_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("kept")
    forget(run_of(tmp_path, ""))
    assert (tmp_path / "out" / "mine").exists()


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_what_is_quoted_is_split_as_it_was(words: list[str]) -> None:
    import shlex

    if not words[0]:
        words[0] = "python"
    assert split_command(shlex.join(words)) == tuple(words)


@pytest.mark.parametrize("text", ["", "  ", "'a", '"', "''"])
def test_no_command_is_one_sentence(text: str) -> None:
    with pytest.raises(InputError):
        split_command(text)


@pytest.mark.parametrize("name", ["flask", "../..", "a/b\n", "\u202e", "x" * 500, ""])
def test_the_usual_place_is_one_new_folder(name: str) -> None:
    place = usual_place(name, datetime(2026, 1, 2, 3, 4, 5))
    assert place.parent.parent == Path.home()
    assert len(os.fsencode(place.name)) < 255
