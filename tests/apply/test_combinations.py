"""Steps of every kind that meet in one plan, files and names that are rare: carried out, or refused in a sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.plan import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from tests.apply.tried import Tried, repository, tried

FILES: dict[str, str | bytes] = {
    "pkg/__init__.py": "",
    "pkg/a.py": "from pkg.b import f\n\n\ndef g():\n    return f()\n",
    "pkg/b.py": "def f():\n    return 1\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/c.py": "from pkg import a\n",
    "data/two words.txt": "x\r\n",
    "data/empty.py": "",
    "data/windows.py": "import numpy\r\nx = 1\r\n",
    "data/latin.py": b"# -*- coding: latin-1 -*-\nfrom pkg.b import f  # \xe9\n",
    "data/no_text.py": b"x = '\xe9'\n",
    "data/no_text.js": b"import './used.js';\nvar x = '\xe9';\n",
    "data/used.js": "",
    "no-name/x.txt": "",
}


def done(tmp_path: Path, *operations: Operation, keep_going: bool = False, forward: bool = False) -> Tried:
    return tried(repository(tmp_path / "subject", FILES), *operations, keep_going=keep_going, forward=forward)


def test_what_is_made_goes_with_its_folder(tmp_path: Path) -> None:
    """A file, and the `__init__.py` of a package, that the plan makes are not left where the folder was before."""
    steps = (
        Create("plan:1", "pkg", "core", "package"),
        Create("plan:2", "pkg", "new.py", "file"),
        Move(("pkg/b.py",), "plan:1"),
        Rename("pkg", "lib"),
    )
    found = done(tmp_path, *steps)
    assert found.stopped == ""
    assert sorted(path for path in found.files if not path.startswith(("data/", "no-name/"))) == [
        "lib/__init__.py",
        "lib/a.py",
        "lib/core/__init__.py",
        "lib/core/b.py",
        "lib/new.py",
        "lib/sub/__init__.py",
        "lib/sub/c.py",
    ]


@pytest.mark.parametrize(("parent", "made"), [("pkg", "pkg/core/__init__.py"), ("", "core/__init__.py"), ("data", "")])
def test_an_empty_package(tmp_path: Path, parent: str, made: str) -> None:
    """Its task says that it is made with an `__init__.py`; git keeps nothing of an empty folder."""
    found = done(tmp_path, Create("plan:1", parent, "core", "package"), Create("plan:2", "plan:1", "in", "package"))
    new = {path for path in found.files if path not in FILES}
    assert new == ({made, made.replace("core/", "core/in/")} if made else set())


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ((Rename("pkg/b.py", "c.py"), Rename("pkg/b.py", "d.py")), {"pkg/b.py": "pkg/d.py"}),
        ((Rename("pkg/b.py", "B.py"),), {"pkg/b.py": "pkg/B.py"}),
        ((Rename("no-name/x.txt", "X.TXT"),), {"no-name/x.txt": "no-name/X.TXT"}),
        ((Rename("pkg/sub", "SUB"),), {"pkg/sub/__init__.py": "pkg/SUB/__init__.py", "pkg/sub/c.py": "pkg/SUB/c.py"}),
        ((Move(("pkg/b.py",), "pkg/sub"), Move(("pkg/sub/c.py",), "pkg")), None),
        ((Create("plan:1", "pkg", "x.py", "file"), Remove(("plan:1",)), Rename("data/empty.py", "e.py")), None),
        ((Create("plan:1", "", "top", "folder"), Move(("data",), "plan:1"), Rename("plan:1", "up")), None),
        ((Rename("data/two words.txt", "three more words.txt"),), None),
        ((Rename("data/windows.py", "mac.py"), Move(("data/no_text.py",), "pkg")), None),
        ((Move(("data",), "pkg/sub"), Move(("data/used.js", "data/no_text.js"), "pkg")), None),
        ((Rename("pkg/a.py::g", "h"), Rename("pkg/a.py", "x.py"), Remove(("pkg/sub/c.py",))), None),
    ],
)
def test_steps_that_meet(tmp_path: Path, operations: tuple[Operation, ...], expected: dict[str, str] | None) -> None:
    """One node in several steps, names that differ in capitals alone, files that are rare."""
    found = done(tmp_path, *operations)
    assert found.stopped == ""
    if expected is not None:
        assert set(found.files) == {expected.get(path, path) for path in FILES}


def test_a_plan_that_comes_to_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'Plan 1' has no tasks: there is nothing to carry out"):
        done(tmp_path, Rename("pkg/b.py", "c.py"), Rename("pkg/b.py", "b.py"))


def test_places_are_swapped_in_a_merge(tmp_path: Path) -> None:
    """Names are taken in turn, one of them by what comes out of a merged folder."""
    steps = (Rename("pkg/b.py", "c.py"), Rename("pkg/sub/c.py", "b.py"), Merge("pkg/sub", "pkg"))
    found = done(tmp_path, *steps)
    assert found.stopped == ""
    assert found.files["pkg/c.py"] == FILES["pkg/b.py"]
    assert found.files["pkg/b.py"] == FILES["pkg/sub/c.py"]
    assert found.files["pkg/a.py"] == "from pkg.c import f\n\n\ndef g():\n    return f()\n"


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (Rename("data", ".git"), "Nothing can be called .git, for that name is git's own."),
        (Create("plan:1", "data", ".GIT", "folder"), "Nothing can be called .GIT, for that name is git's own."),
        (Rename("data/used.js", "used.JS"), "data/used.js would be a file of another kind as used.JS."),
        (Rename("data/used.js", "x" * 300 + ".js"), "is too long for a file."),
        (Create("plan:1", "data", "used.js", "file"), "data/used.js cannot be made: that name is taken by"),
        (Create("plan:1", "data", "x", "class"), ""),
        (Create("plan:1", "pkg/a.py", "X", "class"), "It makes a class, X, which is done by hand."),
        (Remove(("pkg/a.py::g",)), "pkg/a.py::g is a function: remove it by hand."),
        (Move(("pkg/a.py::g",), "pkg/b.py"), "pkg/a.py::g is a function: move it by hand."),
        (Extract("pkg/a.py", "pkg/b.py", "pkg/sub/c.py"), "pkg/a.py::g is a function: move it by hand."),
        (Split("pkg/a.py", "pkg/b.py", "pkg"), "It changes relations between files, which is done by hand."),
        (Remove(("external:numpy",)), "numpy lies outside the project, so it cannot be removed."),
        (Rename("pkg/sub", "not-said"), "pkg/sub/__init__.py cannot be called not-said: no import could name it."),
        (
            Move(("pkg/b.py",), "no-name"),
            "data/latin.py:2: no-name/b is imported there, and no import can say no-name.",
        ),
        (Rename("data/used.js", "zo\u00eb.js"), "data/no_text.js would have to be changed, and is not UTF-8"),
        (Rename("pkg/b.py", "\u0436.py"), "data/latin.py is written in iso-8859-1, which lacks a letter of a new name"),
        (Move(("pkg/__init__.py",), "data"), "found by its name and place, so it cannot be moved alone."),
    ],
)
def test_what_is_refused(tmp_path: Path, operation: Operation, reason: str) -> None:
    """One sentence, before anything is written."""
    try:
        found = done(tmp_path, operation).stopped
    except InputError as error:
        found = str(error)
    assert reason in found
    assert found.endswith(".")


def test_what_builds_on_a_task_that_is_left_out(tmp_path: Path) -> None:
    """A folder that cannot be made: nothing is moved into it."""
    steps = (Create("plan:1", "data", ".git", "folder"), Move(("pkg/b.py",), "plan:1"), Rename("pkg/a.py", "x.py"))
    found = done(tmp_path, *steps, keep_going=True)
    assert found.left == (
        "Nothing can be called .git, for that name is git's own.",
        "It builds on a task that is left out.",
    )
    assert "pkg/x.py" in found.files


def test_no_module_is_left_under_a_name_that_no_import_says(tmp_path: Path) -> None:
    found = done(tmp_path, Rename("data", "more data"), forward=True)
    assert sorted(path for path in found.files if path.startswith("data/")) == []


def test_paths_that_are_not_utf_8(tmp_path: Path) -> None:
    """They go with their folder; alone they are moved by hand."""
    files = {"a/x.txt": "", os.fsdecode(b"a/caf\xe9.txt"): "", os.fsdecode(b"b\xe9/y.txt"): ""}
    folder = repository(tmp_path / "subject", files)
    found = tried(folder, Rename("a", "c"))
    assert sorted(map(os.fsencode, found.files)) == [b"b\xe9/y.txt", b"c/caf\xe9.txt", b"c/x.txt"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_path_that_is_not_utf_8_alone(tmp_path: Path, kind: str) -> None:
    folder = repository(tmp_path / "subject", {os.fsdecode(b"b\xe9/y\xe9.txt"): "", "c/x.txt": ""})
    node = "b\ufffd/y\ufffd.txt" if kind == "file" else "b\ufffd"
    try:
        found = tried(folder, Move((node,), "c")).stopped
    except InputError as error:
        found = str(error)
    assert "is not UTF-8: rename it by hand first." in found
