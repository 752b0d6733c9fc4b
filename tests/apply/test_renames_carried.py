"""Renames of functions and classes as tasks of a plan that is carried out, beside moves of modules (NEW-4)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from cbvtool.apply.carry import Result, carry_out
from cbvtool.cli import DONE, FINDINGS, main
from cbvtool.plan import Create, Move, Operation, Rename
from tests.apply.test_applying import plan, said
from tests.test_project import committed, git

FILES = {
    "pkg/__init__.py": "from .a import make\n",
    "pkg/a.py": "def make():\n    return Thing()\n\n\nclass Thing:\n    def told(self):\n        return 1\n",
    "pkg/b.py": "from . import a\n\n# a remark about make\nx = a.make().told()\n",
    "docs.md": "Call `pkg.a.make` for a thing.\n",
    "docs.rst": "make it\n\n.. autofunction:: make\n\nsee :func:`~pkg.make`, makes\n",
    "test_it.py": "import pkg\n\nassert pkg.make().told() == 1\n",
}
OPERATIONS = (
    Create("plan:1", "pkg", "core", "package"),
    Move(("pkg/a.py",), "plan:1"),
    Rename("pkg/a.py::make", "build"),
    Rename("pkg/a.py::Thing", "Part"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "subject"
    committed(folder, FILES)
    return folder


@pytest.fixture
def subject(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "subject")
    return tmp_path / "subject"


def applied(
    subject: Path, capsys: pytest.CaptureFixture[str], *operations: Operation, more: tuple[str, ...] = ()
) -> tuple[int, dict]:
    arguments = ["plan", "apply", plan(subject, *operations), "--to", "new", "--jobs", "1", "--format", "json", *more]
    status = main(arguments)
    return status, json.loads(capsys.readouterr().out)


def test_renames_beside_moves(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: one commit for each rename; uses in files that moved follow; texts with the old name are listed."""
    status, report = applied(subject, capsys, *OPERATIONS, more=("--tests", "python3 test_it.py"))
    assert (status, report["stopped"], report["proof"]["holds"]) == (DONE, "", True)
    assert report["tests"]["status"] == 0
    titles = said(subject, "log", "--reverse", "--format=%s", "main..new").splitlines()
    assert [title for title in titles if "ename" in title] == [
        "Rename pkg/a.py::Thing to Part",
        "Rename pkg/a.py::make to build",
    ]
    said(subject, "checkout", "-q", "new")
    assert (subject / "pkg/core/a.py").read_text() == FILES["pkg/a.py"].replace("make", "build").replace(
        "Thing", "Part"
    )
    assert (subject / "pkg/__init__.py").read_text() == "from .core.a import build\n"
    assert (subject / "pkg/b.py").read_text() == "from .core import a\n\n# a remark about make\nx = a.build().told()\n"
    assert (subject / "test_it.py").read_text() == FILES["test_it.py"].replace("make", "build")
    listed = [(line["file"], line["line"]) for line in report["by_hand"]]
    assert ("pkg/b.py", 3) in listed
    assert [place for place in listed if place[0].startswith("docs")] == [
        ("docs.md", 1),
        ("docs.rst", 3),
        ("docs.rst", 5),
    ]


def test_a_module_with_the_name_of_the_function_moves_too(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: where a move takes the word away from a file, nobody counts on; the task is left out."""
    (subject / "pkg/make.py").write_text("def make():\n    return 1\n")
    (subject / "pkg/d.py").write_text("from .make import make\n\nx = make()  # make\n")
    git(subject, "add", ".")
    git(subject, "commit", "-q", "-m", "second")
    assert applied(subject, capsys, Rename("pkg/make.py::make", "construct"))[0] == DONE
    said(subject, "checkout", "-q", "new")
    assert (subject / "pkg/d.py").read_text() == "from .make import construct\n\nx = construct()  # make\n"
    said(subject, "checkout", "-q", "main")
    said(subject, "branch", "-q", "-D", "new")
    operations = (Rename("pkg/make.py", "build.py"), Rename("pkg/make.py::make", "construct"))
    status, report = applied(subject, capsys, *operations)
    assert status == FINDINGS
    assert "pkg/d.py was changed by what moves, and holds make" in report["stopped"]


def test_each_commit_of_a_rename_works(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: a commit holds the whole rename."""
    applied(subject, capsys, *OPERATIONS)
    for commit in said(subject, "rev-list", "--reverse", "main..new").split():
        said(subject, "checkout", "-q", commit)
        subprocess.run(["python3", "-B", "test_it.py"], cwd=subject, check=True)


def test_a_method_and_what_is_not_sure(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: a rename that is not sure stops the plan, or is left out with its reason."""
    operations = (Rename("pkg/a.py::Thing.told", "__len__"), Rename("pkg/a.py::make", "build"))
    status, report = applied(subject, capsys, *operations)
    assert (status, report["commit"]) == (FINDINGS, "")
    assert "two underscores" in report["stopped"]
    status, report = applied(subject, capsys, *operations, more=("--keep-going",))
    assert status == FINDINGS
    assert [left["title"] for left in report["left_out"]] == ["Rename pkg/a.py::Thing.told to __len__"]
    assert [done["title"] for done in report["done"]] == ["Rename pkg/a.py::make to build"]


def test_a_definition_that_moves_is_done_by_hand(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, report = applied(subject, capsys, Move(("pkg/a.py::make",), "pkg/b.py"))
    assert status == FINDINGS
    assert "pkg/a.py::make is a function: move it by hand." in report["stopped"]


def test_a_use_that_is_lost_is_not_written(
    subject: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NEW-4: the proof counts which files use a renamed definition; one that does not any more stops the plan."""

    def lost(*arguments: object, **named: object) -> Result:
        result = carry_out(*arguments, **named)  # type: ignore[arg-type]  # as it is called
        contents = result.carried[-1].moved.tree.contents
        assert isinstance(contents, dict)
        contents["pkg/b.py"] = b"from . import a\n\nx = 1\n"
        return result

    monkeypatch.setattr("cbvtool.apply.applying.carry_out", lost)
    status, report = applied(subject, capsys, Rename("pkg/a.py::make", "build"))
    assert status == FINDINGS
    assert "pkg/b.py" in report["stopped"]
    assert "pkg/a.py::build" in report["stopped"]
