"""Changes of a folder are told once they have come to rest (NEW-24)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from cbvtool.errors import Cancelled, InputError
from cbvtool.watching import work_tree
from cbvtool.watching.work_tree import changes, is_remote_mount, matters
from tests.test_project import git

PATIENCE = 30.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "subject"
    folder.mkdir()
    for number in range(30):
        (folder / f"m{number}.py").write_text(f"x = {number}\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


@contextmanager
def watched(root: Path, poll: bool | None = None) -> Iterator[Queue[str | None]]:
    """What is told, in order; None is a change. The first one says that it is watching, and is taken out."""
    told: Queue[str | None] = Queue()
    over = threading.Event()

    def check() -> None:
        if over.is_set():
            raise Cancelled

    def run() -> None:
        try:
            for _ in changes(root, told.put, check, poll):
                told.put(None)
        except (Cancelled, InputError) as error:
            told.put(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield told
    finally:
        over.set()
        thread.join()


def waits_for(told: Queue[str | None], act: Callable[[], object]) -> None:
    act()
    assert told.get(timeout=PATIENCE) is None


def test_each_kind_of_change_is_told(root: Path) -> None:
    """NEW-24: save, addition, deletion, renaming, commit."""
    with watched(root) as told:
        assert told.get(timeout=PATIENCE) is None
        waits_for(told, lambda: (root / "m1.py").write_text("y = 1\n"))
        waits_for(told, lambda: (root / "new").mkdir())
        waits_for(told, lambda: (root / "new" / "a.py").write_text("z = 1\n"))
        waits_for(told, (root / "m2.py").unlink)
        waits_for(told, lambda: (root / "m3.py").rename(root / "m33.py"))
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", "second")
        assert told.get(timeout=PATIENCE) is None


def test_a_checkout_is_told_once_it_is_over(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NEW-24: as long as git holds its lock nothing is told."""
    lock = root / ".git" / "index.lock"
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            lock.unlink()

    monkeypatch.setattr("cbvtool.watching.work_tree.time.sleep", sleep)
    with watched(root) as told:
        assert told.get(timeout=PATIENCE) is None
        lock.touch()
        waits_for(told, lambda: (root / "m0.py").write_text("checked out\n"))
        assert len(waited) == 3


def test_polling_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad input of 22: on a network drive, and where the limit of watches is reached, it is said, then polled."""
    monkeypatch.setattr(work_tree, "_POLL", 50)
    monkeypatch.setattr(work_tree, "_is_remote", lambda _root: True)
    with watched(root) as told:
        assert "another machine" in str(told.get(timeout=PATIENCE))
        assert told.get(timeout=PATIENCE) is None
        waits_for(told, lambda: (root / "m1.py").write_text("longer than before\n"))
    monkeypatch.setattr(work_tree, "_is_remote", lambda _root: False)

    def limited(*paths: str, **how: object) -> Iterator[object]:
        raise OSError("OS file watch limit reached. about [...]")

    monkeypatch.setattr(work_tree, "watch", limited)
    with watched(root) as told:
        assert "max_user_watches" in str(told.get(timeout=PATIENCE))
        assert told.get(timeout=PATIENCE) is None
        waits_for(told, lambda: (root / "m1.py").write_text("even longer than that\n"))


def test_a_folder_that_goes_is_told(root: Path) -> None:
    with watched(root) as told:
        assert told.get(timeout=PATIENCE) is None
        os.rename(root, root.parent / "elsewhere")
        while (said := told.get(timeout=PATIENCE)) is None:
            pass
        assert "cannot be followed" in said


def test_what_matters() -> None:
    """Neither what editors write beside a file nor what no analysis reads."""
    root = Path("/r/p")
    git_folder = root / ".git"
    for path in ("a.py", "deep/b.py", "new", ".gitignore", ".git/HEAD", ".git/refs/heads/main", ".git/index"):
        assert matters(str(root / path), root, git_folder), path
    for path in (
        "a.py~",
        ".a.py.swp",
        "__pycache__/a.pyc",
        "node_modules/x/a.js",
        ".git/objects/ab/cd",
        ".git/index.lock",
    ):
        assert not matters(str(root / path), root, git_folder), path
    assert not matters("/elsewhere/a.py", root, None)


def test_file_systems_of_other_machines() -> None:
    mounts = [("/", "ext4"), ("/home", "nfs4"), ("/home/me/local", "xfs"), ("/mnt/c", "9p")]
    assert is_remote_mount(Path("/home/me/x"), mounts)
    assert is_remote_mount(Path("/mnt/c"), mounts)
    assert not is_remote_mount(Path("/home/me/local/x"), mounts)
    assert not is_remote_mount(Path("/srv"), mounts)
    assert not is_remote_mount(Path("/srv"), [])
