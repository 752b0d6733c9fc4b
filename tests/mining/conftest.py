"""Building repositories for the tests of this room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
START = 1_600_000_000
DAY = 86_400


class Repository:
    """A repository in the making; every commit is a day after the one before unless told otherwise."""

    def __init__(self, root: Path, *init: str) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.now = START
        self.git("init", "-q", "-b", "main", *init)
        self.git("config", "core.autocrlf", "false")

    def git(self, *arguments: str, check: bool = True, **environment: str) -> str:
        """What `git <arguments>` prints, run in the work tree."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=CLEAN | environment, capture_output=True, check=False
        )
        if check and done.returncode:
            raise AssertionError(done.stderr.decode("utf-8", "replace"))
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        """Write files; None deletes one."""
        for path, content in files.items():
            file = self.root / path
            if content is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode())

    def commit(
        self,
        files: Mapping[str, str | None] | None = None,
        *,
        at: int | None = None,
        author: str = "ann@example.org",
        merge: str = "",
    ) -> str:
        """Commit everything, after writing `files`; with `merge`, as a merge with that commit. Returns its id."""
        self.write(files or {})
        self.now = self.now + DAY if at is None else at
        self.git("add", "-A")
        tree = self.git("write-tree")
        parents = [p for p in (self.git("rev-parse", "-q", "--verify", "HEAD", check=False), merge) if p]
        sha = self.git(
            "commit-tree",
            tree,
            "-m",
            "m",
            *(word for parent in parents for word in ("-p", parent)),
            GIT_AUTHOR_NAME="A",
            GIT_AUTHOR_EMAIL=author,
            GIT_AUTHOR_DATE=f"@{self.now} +0000",
            GIT_COMMITTER_NAME="C",
            GIT_COMMITTER_EMAIL="c@example.org",
            GIT_COMMITTER_DATE=f"@{self.now} +0000",
        )
        self.git("update-ref", "HEAD", sha)
        return sha

    def rename(self, old: str, new: str) -> None:
        """Move a file in the work tree."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def checkout(self, branch: str, *options: str) -> None:
        """Switch to a branch."""
        self.git("checkout", "-q", *options, branch)


@pytest.fixture
def new_repository(tmp_path: Path) -> Callable[..., Repository]:
    """Makes empty repositories: new_repository("name", *options of git init)."""

    def make(name: str = "subject", *init: str) -> Repository:
        return Repository(tmp_path / name, *init)

    return make


@pytest.fixture
def repository(new_repository: Callable[..., Repository]) -> Repository:
    """An empty repository."""
    return new_repository()


@pytest.fixture
def text() -> Callable[[str], str]:
    """A file content of twenty lines that is like no other of another name, so that renames are recognised."""
    return lambda name: "".join(f"{name} says {i} times {i * i}\n" for i in range(20))
