"""What code of the project can do to the user's files and network while it is tried out (NEW-4)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from cbvtool.apply import trial
from cbvtool.apply.python.modules import ModuleTree
from cbvtool.apply.sandbox import Sandbox, sandbox
from cbvtool.apply.trial import importable, run_tests

KINDS = [Sandbox(network=True, files=True, bubblewrap=True), Sandbox(network=True, files=True)]


@pytest.fixture(params=KINDS, ids=["bubblewrap", "Landlock"])
def confined(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where the system has it."""
    if not request.param.works():
        pytest.skip("not on this system")
    monkeypatch.setattr(trial, "sandbox", lambda: request.param)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which code is tried out; beside it the home folder of the user, with a file."""
    (tmp_path / "copy").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "kept").write_text("kept\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "copy"


def _status(copy: Path, command: str) -> int | None:
    return run_tests(copy, command, ModuleTree(frozenset()), 60.0).status


ATTEMPTS = {
    "write": "echo x > {home}/x",
    "append": "echo x >> {home}/kept",
    "empty": "python3 -c 'import os; os.truncate(\"{home}/kept\", 0)'",
    "remove": "rm -f {home}/kept",
    "take": "mv {home}/kept .",
    "make a folder": "mkdir {home}/folder",
    "link": "ln -s / {home}/link",
    "write through a link": "ln -s {home}/kept here && echo x > here",
}


@pytest.mark.usefixtures("confined")
@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_the_home_folder_cannot_be_written_to(copy: Path, attempt: str) -> None:
    """NEW-4: tests of the project that try to change the user's files fail, and these stay."""
    home = copy.parent / "home"
    assert _status(copy, attempt.format(home=home)) not in (0, None)
    assert [file.name for file in home.iterdir()] == ["kept"]
    assert (home / "kept").read_text() == "kept\n"


@pytest.mark.usefixtures("confined")
def test_tests_have_what_they_need(copy: Path) -> None:
    """NEW-4: the copy, a home with room for temporary files, locks, and a loopback device of its own."""
    lines = (
        "import multiprocessing, os, socket, tempfile",
        "open('made', 'w').write('x'); os.mkdir('folder'); os.rename('made', 'folder/made')",
        "open(os.path.expanduser('~/x'), 'w'); tempfile.mkstemp(); multiprocessing.Lock(); open(os.devnull, 'w')",
        "server = socket.create_server(('127.0.0.1', 0)); socket.create_connection(server.getsockname())",
    )
    (copy / "needs.py").write_text("\n".join(lines))
    said = run_tests(copy, "python3 needs.py", ModuleTree(frozenset()), 60.0)
    assert said.status == 0, said.said
    assert (copy / "folder" / "made").read_text() == "x"
    assert not (copy.parent / "home" / "x").exists()


@pytest.fixture
def port() -> Iterator[int]:
    """Where somebody listens on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.usefixtures("confined")
def test_nobody_outside_can_be_reached(copy: Path, port: int) -> None:
    """NEW-4: neither the network nor what listens on this machine."""
    connect = f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)'"
    assert _status(copy, connect) not in (0, None)


@pytest.mark.usefixtures("confined")
def test_importing_a_module_is_confined_too(copy: Path) -> None:
    """NEW-4: a module that writes elsewhere when it is imported cannot be imported."""
    (copy / "pkg").mkdir()
    (copy / "pkg" / "__init__.py").write_text("")
    (copy / "pkg" / "good.py").write_text("open('here', 'w').close()\n")
    (copy / "pkg" / "bad.py").write_text(f"open({str(copy.parent / 'home' / 'x')!r}, 'w').close()\n")
    known = ModuleTree(frozenset(("pkg/__init__.py", "pkg/good.py", "pkg/bad.py")))
    assert importable(copy, known.file, known) == {("pkg",), ("pkg", "good")}


def test_a_system_offers_the_best_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-4: bubblewrap first; without programs nothing is promised."""
    monkeypatch.setattr(Sandbox, "works", lambda kind: kind.bubblewrap)
    assert sandbox.__wrapped__().bubblewrap
    monkeypatch.setattr(Sandbox, "works", lambda kind: kind.files and not kind.bubblewrap)
    assert sandbox.__wrapped__() == Sandbox(network=False, files=True)
    monkeypatch.undo()
    monkeypatch.setenv("PATH", "")
    assert sandbox.__wrapped__() == Sandbox(network=False, files=False)
