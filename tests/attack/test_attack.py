"""The harness notices what it is there for: each fault is planted once."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack import attack
from tests.attack.lab import Case, Lab

pytestmark = [pytest.mark.long, pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks at /proc")]
ROOT = Path(__file__).parents[2]
WRITE = "import sys, json; open(sys.argv[sys.argv.index('-o') + 1], 'w').write('{}');"


def plain(lab: Lab) -> None:
    """A sound repository."""
    lab.plain()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("sys.exit(3)", "exit status 3"),
        ("sys.exit(2)", "not one sentence"),
        ("sys.stderr.write('Something went wrong inside cbvtool: x')", "said: Something"),
        ("1 / 0", "Traceback"),
        ("import time; time.sleep(60)", "takes longer than 3 s"),
        ("b = bytearray(300_000_000); import time; time.sleep(60)", r"takes \d+ MB"),
        ("import tempfile; tempfile.mkdtemp()", "left in TMPDIR"),
        ("import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)", "still runs"),
        ("open(sys.argv[sys.argv.index('-o') + 1], 'w').write('[]')", "the graph is none"),
        ("print('history none')", ""),
    ],
)
def test_a_fault_is_noticed(monkeypatch: pytest.MonkeyPatch, fault: str, words: str) -> None:
    if "longer" in words:  # the others end by themselves, however busy the machine is
        monkeypatch.setattr(attack, "SECONDS", 3.0)
    monkeypatch.setattr(attack, "ENDING", 0.5)
    monkeypatch.setattr(attack, "MEMORY", 200_000_000)
    command = attack._analyze
    monkeypatch.setattr(attack, "_analyze", lambda folder, case: ["-c", f"{WRITE} {fault}", *command(folder, case)[2:]])
    _, trouble = attack.attack(Case("plain", plain, says="" if words else "history", status=(0, 2)), "analyze", 1, "")
    assert (trouble == "") == (words == "")
    assert re.search(words, trouble), trouble


def test_an_interrupted_program_that_goes_on_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (2, 15)]"
    script += "; open('began', 'w').close(); time.sleep(60)"
    monkeypatch.setattr(attack, "ENDING", 0.5)
    monkeypatch.setattr(attack, "_analyze", lambda folder, case: ["-c", script])
    troubles = {attack.attack(Case("plain", plain), "interrupt", seed, "")[1] for seed in range(4)}
    assert any("does not end it within 0.5 s" in trouble for trouble in troubles)


def test_the_program_stands_an_attack(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says and leaves what it should; how long that takes is for `make attack`, on a machine without other work."""
    monkeypatch.setattr(attack, "SECONDS", 200.0)
    monkeypatch.setattr(attack, "ENDING", 60.0)
    case = Case("plain", plain, says="2 commits by 1 author")
    assert attack.attack(case, "analyze", 1, "")[1] == ""


def test_cases_are_many() -> None:
    """At least 40 hostile repositories."""
    for module in sorted(Path(attack.__file__).parent.glob("cases_*.py")):
        importlib.import_module(f"tests.attack.{module.stem}")
    repositories = [case for case in attack.CASES if case.build.__module__ == "tests.attack.cases_repositories"]
    assert len(repositories) >= 40


def test_hostile_filters_run_to_their_end() -> None:
    """With few files and one pattern: what it finds depends on the machine, that it ends and counts does not."""
    command = [sys.executable, "-m", "tests.attack.filters", "--patterns", "1", "--files", "60"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert re.search(r"^1 patterns, \d+ bad; longest rest \d+ ms, Cancel", done.stdout, re.MULTILINE), done.stderr
    assert "Traceback" not in done.stderr
