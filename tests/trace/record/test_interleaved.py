"""Two versions of a program are recorded alternately, each from its own source (TD-13)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from cbvtool.cli import main
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.record.interleaved import RecordedVersion, record_interleaved
from cbvtool.trace.record.options import RecordOptions
from tests.trace.record.subjects import python

APP = "import part\npart.work()\n"
OLD, NEW = "def work(): pass\n", "def work():\n    more()\ndef more(): pass\n"
DROPPED = ("PYTHONHASHSEED", "PYTHONPYCACHEPREFIX")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The old version is committed, the new one lies in the work tree; git would run programs at a checkout."""
    root = tmp_path / "repository"
    root.mkdir()
    (root / "app.py").write_text(APP)
    (root / "part.py").write_text(OLD)
    (root / ".gitattributes").write_text("*.py filter=evil\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "old"]):
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *command]
        subprocess.run(git, cwd=root, check=True, capture_output=True)
    evil = f"touch {tmp_path / 'evil'}; cat"
    for name, value in (("filter.evil.smudge", evil), ("core.fsmonitor", evil), ("core.hooksPath", str(root))):
        subprocess.run(["git", "config", name, value], cwd=root, check=True)
    (root / "post-checkout").write_text(f"#!/bin/sh\n{evil}\n")
    (root / "post-checkout").chmod(0o755)
    (root / "part.py").write_text(NEW)
    monkeypatch.chdir(root)
    for name in DROPPED:
        monkeypatch.delenv(name, raising=False)
    return root


def names(folder: Path) -> set[str]:
    (trace,) = read_traces(folder)
    assert isinstance(trace, Trace)
    assert trace.calls.cpu is not None
    return {name for name, file in zip(trace.functions.name, trace.functions.file, strict=True) if "part.py" in file}


def test_a_commit_is_recorded_beside_the_work_tree(repository: Path, tmp_path: Path) -> None:
    """TD-13, TD-14: own folder, commit and dirty state of each side; nothing of the subject runs but the program."""
    out = tmp_path / "out"
    assert (
        main(["trace", "record", "-o", str(out), "--repeat", "2", "--against", "HEAD", "--", python("own"), "app.py"])
        == 0
    )
    assert names(out / "reference" / "1") == {"<module>", "work"}
    assert names(out / "test" / "2") == {"<module>", "work", "more"}
    about = {side: json.loads((out / side / "1" / "recording.json").read_text()) for side in ("reference", "test")}
    assert [about[side]["dirty"] for side in about] == [False, True]
    assert about["reference"]["commit"] == about["test"]["commit"] != ""
    assert {each["hash_seed"] for each in about.values()} == {"0"}
    assert not (tmp_path / "evil").exists()
    assert not (repository / "__pycache__").exists()


def test_the_versions_have_their_turn_forwards_and_backwards(repository: Path, tmp_path: Path) -> None:
    """TD-13: A B B A A B. Absolute paths below the source lead into that of each version, as PYTHONPATH does."""
    other = tmp_path / "other"
    other.mkdir()
    for folder, text in ((other, OLD), (repository, NEW)):
        (folder / "part.py").write_text(text)
        (folder / "app.py").write_text(
            f"import os\nopen({str(tmp_path / 'log')!r}, 'a').write(os.getcwd() + '\\n')\n{APP}"
        )
    versions = [RecordedVersion("a", other), RecordedVersion("b", repository)]
    command = [python("own"), str(repository / "app.py")]
    done = record_interleaved(RecordOptions(tmp_path / "out", repeat=3), command, versions, repository)
    assert [Path(line).name[0] for line in (tmp_path / "log").read_text().split()] == ["o", "r", "r", "o", "o", "r"]
    assert [folder.relative_to(tmp_path / "out").as_posix() for folder in done.folders] == [
        *("a/1", "b/1", "b/2", "a/2", "a/3", "b/3")
    ]
    assert done.warnings == ()
    assert names(tmp_path / "out" / "a" / "3") == {"<module>", "work"}


def test_pythonpath_leads_into_each_version(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TD-13: modules in a folder of the source are those of the version; a folder elsewhere stays."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(repository), str(tmp_path / "elsewhere"))))
    out = tmp_path / "out"
    record = ["trace", "record", "-o", str(out), "--repeat", "1", "--against", "HEAD", "--"]
    assert main([*record, python("own"), "-c", "import part; part.work()"]) == 0
    assert names(out / "reference" / "1") == {"<module>", "work"}


def test_code_of_the_wrong_version_is_said(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TD-13: a program that finds its source by itself would be compared with itself."""
    text = f"import sys; sys.path.insert(0, {str(repository)!r}); import part; part.work()"
    record = ["trace", "record", "-o", str(tmp_path / "out"), "--repeat", "1", "--against", "HEAD", "--"]
    assert main([*record, python("own"), "-c", text]) == 0
    assert "The reference ran" in (told := capsys.readouterr().err)
    assert "part.py, which is of the version here" in told


def test_a_run_that_a_signal_ends_is_the_last(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TD-13: who presses Ctrl-C does not mean one run of twenty."""
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    for number, more in enumerate((["--against", "HEAD"], [])):
        out = tmp_path / f"out{number}"
        record = ["trace", "record", "-o", str(out), "--repeat", "3", *more, "--", python("own"), "-c", kill]
        assert main(record) == 128 + 15
        assert "Run 1 was ended by signal 15" in capsys.readouterr().err
        assert len(list(out.rglob("recording.json"))) == 1


@pytest.mark.parametrize("against", ["nothing", "HEAD~7"])
def test_an_unknown_commit_is_one_sentence(
    repository: Path, tmp_path: Path, against: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", "record", "-o", str(tmp_path / "out"), "--against", against, "--", "python"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "There is no commit" in line
    assert not (tmp_path / "out").exists()
