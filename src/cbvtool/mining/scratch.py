"""New commits on top of a repository, which does not change until one of them becomes a branch.

Commits are made in the private repository of a view (see `view_repository`), without a work tree or an index. Contents
are stored as they are, so that hooks, filters and configuration of the repository have no effect.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cbvtool.errors import InputError
from cbvtool.mining.locate import NotReadable, resolve_reference
from cbvtool.mining.processes import Processes
from cbvtool.mining.references import is_name_of_branch
from cbvtool.mining.versions import LINK, StoredFile, Versions, opened_as

_WORK = "refs/heads/cbvtool"
_WHO = "cbvtool <cbvtool@localhost>"
_FAN_OUT = re.compile(r"[0-9a-f]{2}")
_REGULAR = b"100644"
_SUBMODULE = b"160000"


@dataclass(frozen=True)
class NewFile:
    """The new file at a path: mode and content of another path in the parent commit, or content of its own.

    like     old path that supplies the mode, and the content if `content` is None; empty = a regular file
    content  None = that of `like`
    """

    like: str = ""
    content: bytes | None = None


class Scratch(Versions):
    """The versions of a repository, and new private ones. Paths are those below `root`."""

    def links_around(self, commit: str) -> dict[str, str]:
        """Symbolic links of a commit outside of `root`: path in the repository -> what it says. Raises InputError."""
        if not self.inside:
            return {}
        inside = os.fsencode(self.inside)
        with self.told(commit):
            rows = self.view.output("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]
        links = {}
        for row in rows:
            said, _, path = row.partition(b"\t")
            mode, _, blob = said.split(b" ")
            if mode == LINK and not path.startswith(inside):
                links[os.fsdecode(path)] = StoredFile(mode, blob)
        return {path: os.fsdecode(content) for path, content in self.read(links).items()}

    def commit(self, parent: str, message: str, changes: Mapping[str, NewFile | None]) -> str:
        """Make a commit on `parent`; returns its full id.

        changes  path -> its new file, None = delete it

        Raises InputError.
        """
        files = self.files(parent)
        rows = [f"commit {_WORK}\ncommitter {_WHO} {int(time.time())} +0000\n".encode(), _data(message.encode())]
        rows.append(f"from {parent}\n".encode())
        rows += [b"D " + self._quoted(path) + b"\n" for path, new in changes.items() if new is None]
        for path, new in changes.items():
            if new is None:
                continue
            like = files.get(new.like)
            mode = like.mode if like else _REGULAR
            if new.content is None:
                assert like is not None
                rows.append(b"M " + mode + b" " + like.blob + b" " + self._quoted(path) + b"\n")
            else:
                rows += [b"M " + mode + b" inline " + self._quoted(path) + b"\n", _data(new.content)]
        with (
            self.told(parent),
            tempfile.TemporaryDirectory(dir=Path(self.view.environment["GIT_DIR"]).parent) as folder,
        ):
            stream = Path(folder, "stream")
            stream.write_bytes(b"".join(rows))
            self.view.output("fast-import", "--quiet", "--force", reads=stream)
            return self.view.output("rev-parse", "--verify", _WORK).decode("ascii").strip()

    def patch(self, before: str, after: str) -> bytes:
        """The difference of two commits in the format of `git apply`. Raises InputError."""
        options = ("-p", "-M", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv")
        with self.told(after):
            return self.view.output("diff-tree", "-r", *options, before, after, "--")

    def check_branch(self, name: str) -> None:
        """Raise InputError if no branch with this name can be created."""
        if not is_name_of_branch(name):
            raise InputError(f"{name!r} is no name for a branch.")
        try:
            known = resolve_reference(self.repository, f"refs/heads/{name}")
        except NotReadable as reason:
            raise InputError(str(reason)) from reason
        if known:
            raise InputError(f"There is a branch {name!r} already: choose another name, or delete it.")
        common = self.repository.common_dir
        if os.path.isdir(common / "reftable"):
            raise InputError("The repository keeps its branches in a reftable: write a patch instead, FILE.patch.")
        for folder in (common / "objects", common / "refs" / "heads"):
            if not os.access(folder, os.W_OK):
                raise InputError(f"{folder} cannot be written to: write a patch instead, FILE.patch.")

    def is_checked_out(self, commit: str) -> bool:
        """Whether this commit (full id) is checked out in the repository now. Raises InputError."""
        try:
            return resolve_reference(self.repository, "HEAD") == commit
        except NotReadable as reason:
            raise InputError(str(reason)) from reason

    def publish(self, commit: str, name: str) -> None:
        """Create the branch `name` for a commit: first its new objects, then the reference. Raises InputError."""
        self.check_branch(name)
        try:
            for file in self._new_objects():
                _copy(file, self.repository.objects / file.parent.name / file.name)
            _write_new(self.repository.common_dir / "refs" / "heads" / name, f"{commit}\n".encode())
        except OSError as error:
            what = error.filename or self.repository.common_dir
            raise InputError(f"The branch {name!r} cannot be made: {what}: {error.strerror}.") from error

    def _new_objects(self) -> Iterator[Path]:
        """The loose objects that were created here."""
        for folder in sorted(Path(self.view.environment["GIT_OBJECT_DIRECTORY"]).iterdir()):
            if _FAN_OUT.fullmatch(folder.name):
                yield from sorted(folder.iterdir())

    def _quoted(self, path: str) -> bytes:
        special = {b'"': b'\\"', b"\\": b"\\\\", b"\n": b"\\n"}
        letters = (bytes([code]) for code in os.fsencode(self.inside + path))
        return b'"' + b"".join(special.get(letter, letter) for letter in letters) + b'"'


@contextlib.contextmanager
def open_scratch(root: Path, processes: Processes | None = None) -> Iterator[Scratch]:
    """A scratch clone of the repository around the folder `root`; leaving the block removes it. Raises InputError."""
    with opened_as(Scratch, root, processes) as scratch:
        yield scratch


def submodules(files: Mapping[str, StoredFile]) -> Sequence[str]:
    """Paths of the submodules among the files of a commit."""
    return sorted(path for path, entry in files.items() if entry.mode == _SUBMODULE)


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"


def _copy(file: Path, to: Path) -> None:
    """Copy an object file of git, whose name is the digest of its content."""
    if to.exists():
        return
    to.parent.mkdir(exist_ok=True)
    beside = to.with_name(f"tmp_obj_{to.name}")
    beside.write_bytes(file.read_bytes())
    beside.chmod(0o444)
    beside.replace(to)


def _write_new(file: Path, content: bytes) -> None:
    """Write a new reference in git's way: create a lock file, link it to the name, then remove the lock."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = file.with_name(f"{file.name}.lock")
    with os.fdopen(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as stream:
        stream.write(content)
    try:
        os.link(lock, file)  # fails if the name was taken meanwhile
    finally:
        lock.unlink()
