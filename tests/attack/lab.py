"""Cases for `make attack`: each builds something hostile in a folder, and says what must hold.

    @case("a pipe in place of an object", says="is not a regular file")
    def pipe(lab: Lab) -> None:
        lab.commit({"a.py": b""})
        os.mkfifo(...)

What must hold for all of them is in attack.py.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@x",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@x",
}
EMPTY = 20 * b"\0"


@dataclass(frozen=True)
class Case:
    """One attack.

    build     fills the folder `lab.root`
    says      regular expression that the summary, or the error, has to match; empty = any
    status    exit status that `cbvtool analyze` may have
    arguments further ones for `cbvtool analyze`
    """

    name: str
    build: Callable[[Lab], None]
    says: str = ""
    status: tuple[int, ...] = (0,)
    arguments: tuple[str, ...] = ()


CASES: list[Case] = []


def case(
    name: str, *, says: str = "", status: Sequence[int] = (0,), arguments: Sequence[str] = (), when: bool = True
) -> Callable[[Callable[[Lab], None]], Callable[[Lab], None]]:
    """Register a function as a case; `when` says whether this machine can play it."""

    def add(build: Callable[[Lab], None]) -> Callable[[Lab], None]:
        assert all(known.name != name for known in CASES), name
        re.compile(says)
        if when:
            CASES.append(Case(name, build, says, tuple(status), tuple(arguments)))
        return build

    return add


class Lab:
    """Where a case is built: `root` will be analysed, what lies in `beside` is outside of it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.root, self.beside = folder / "root", folder / "beside"
        self.root.mkdir()
        self.beside.mkdir()
        self.random = random.Random(seed)

    @property
    def dot_git(self) -> Path:
        """The repository's own folder."""
        return self.root / ".git"

    @property
    def objects(self) -> Path:
        """Its object database."""
        return self.dot_git / "objects"

    def git(self, *arguments: str, stdin: bytes = b"", at: Path | None = None) -> str:
        """What git prints, run in the folder."""
        done = subprocess.run(
            ["git", *arguments], cwd=at or self.root, env=_CLEAN, input=stdin, capture_output=True, check=False
        )
        if done.returncode:
            raise AssertionError(done.stderr.decode("utf-8", "replace"))
        return done.stdout.decode("utf-8", "replace").strip()

    def init(self, at: Path | None = None) -> None:
        """An empty repository; no git program is needed."""
        place = (at or self.root) / ".git"
        for folder in ("objects/pack", "objects/info", "refs/heads"):
            (place / folder).mkdir(parents=True)
        (place / "HEAD").write_text("ref: refs/heads/main\n")
        (place / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files into the root."""
        for path, content in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(content)

    def put(self, kind: str, data: bytes, *, level: int = 1) -> bytes:
        """Write a loose object; the result is its 20-byte name."""
        content = f"{kind} {len(data)}\0".encode() + data
        return self.place(hashlib.sha1(content).digest(), zlib.compress(content, level))

    def place(self, name: bytes, packed: bytes) -> bytes:
        """Write bytes where git looks for the object of this name."""
        file = self.objects / name.hex()[:2] / name.hex()[2:]
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(packed)
        return name

    def tree(self, entries: Mapping[bytes, bytes], mode: bytes = b"100644") -> bytes:
        """A tree whose entries all have one mode."""
        return self.put("tree", b"".join(mode + b" " + name + b"\0" + of for name, of in entries.items()))

    def commit_of(self, tree: bytes, *parents: bytes, time: int = 1_600_000_000, author: bytes = b"a <a@x>") -> bytes:
        """A commit object."""
        lines = [b"tree " + tree.hex().encode(), *(b"parent " + one.hex().encode() for one in parents)]
        who = author + f" {time} +0000".encode()
        return self.put("commit", b"\n".join([*lines, b"author " + who, b"committer " + who, b"", b"m\n"]))

    def head(self, commit: bytes) -> bytes:
        """Make the commit the current one."""
        (self.dot_git / "refs" / "heads" / "main").write_text(commit.hex() + "\n")
        return commit

    def plain(self, commits: int = 2) -> bytes:
        """A small sound repository with some commits, and `a.py` in the work tree."""
        if not self.dot_git.exists():
            self.init()
        self.write({"a.py": b"import b\n", "b.py": b"def f():\n    return 1\n"})
        parents: tuple[bytes, ...] = ()
        for number in range(commits):
            tree = self.tree({b"a.py": self.put("blob", b"%d\n" % number), b"b.py": self.put("blob", b"1\n")})
            parents = (self.commit_of(tree, *parents, time=1_600_000_000 + number),)
        return self.head(parents[0])


def sparse(file: Path, size: int = 20_000_000_000, start: bytes = b"") -> None:
    """A file that claims to be huge and takes no room."""
    with file.open("wb") as stream:
        stream.write(start)
        stream.truncate(size)
