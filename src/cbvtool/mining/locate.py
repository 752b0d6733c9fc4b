"""Finds a repository and its current commit by reading files, without running git.

git itself would read the repository's configuration, which is untrusted and can name programs to run. The few files
read here (`.git`, `HEAD`, `commondir`, references) are data only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cbvtool import regular_file

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LONGEST = 4096  # longest one-line file of git, in bytes
_MOST_LINKS = 5  # symbolic references followed, as git does
_SHALLOW_LIMIT = 5_000_000  # bytes of the list of a shallow clone: 120,000 commits, which take git a second
_REFERENCES_LIMIT = 250_000_000  # bytes of packed references: some three million


@dataclass(frozen=True)
class Repository:
    """The folders of a repository.

    git_dir     contains HEAD; every linked work tree has its own
    common_dir  contains objects and references; differs from `git_dir` only in linked work trees
    work_tree   the folder that contains `.git`; None = a bare repository
    """

    git_dir: Path
    common_dir: Path
    work_tree: Path | None

    @property
    def objects(self) -> Path:
        """The folder of the object database."""
        return self.common_dir / "objects"


class NotReadable(Exception):
    """The reason why the history of a folder cannot be read, as one sentence."""


def find_repository(root: Path) -> Repository | None:
    """The nearest repository whose work tree contains `root`, or the bare repository that `root` itself is.

    A `.git` file (linked work tree, submodule) is followed. None = no repository.

    Raises NotReadable for a `.git` file without a valid target.
    """
    root = Path(os.path.realpath(root))
    if is_bare_repository(root):
        return _repository_at(root, None)
    for folder in (root, *root.parents):
        entry = folder / ".git"
        if os.path.isdir(entry):
            if found := _repository_at(entry, folder):
                return found
        elif os.path.isfile(entry):
            target = _line(entry).removeprefix("gitdir:").strip()
            found = _repository_at(folder / target, folder) if target else None
            if found is None:
                raise NotReadable(f"The file {entry} does not lead to a git repository, so no history was read.")
            return found
    return None


def is_bare_repository(root: Path) -> bool:
    """Whether `root` itself is a git folder: a history without files."""
    return not os.path.exists(root / ".git") and _repository_at(root, None) is not None


def is_commit_id(text: str) -> bool:
    """Whether `text` is the full id of an object."""
    return _COMMIT.fullmatch(text) is not None


def resolve_head(repository: Repository) -> str:
    """Full id of the commit of HEAD; empty if there is no commit yet.

    Raises NotReadable for references in a reftable, which only git itself can read.
    """
    return resolve_reference(repository, "HEAD")


def resolve_reference(repository: Repository, name: str) -> str:
    """Full id of the object of a reference (`HEAD`, `refs/tags/v1`); empty = there is none.

    Raises NotReadable for references in a reftable, which only git itself can read.
    """
    for _ in range(_MOST_LINKS + 1):
        content = _reference(repository, name)
        if _COMMIT.fullmatch(content):
            return content
        if not content.startswith("ref:"):
            return ""
        name = content.removeprefix("ref:").strip()
        if name == "refs/heads/.invalid" or os.path.isdir(repository.common_dir / "reftable"):
            raise NotReadable(
                f"The repository at {repository.git_dir} keeps its references in a reftable, "
                "which cannot be read without trusting its configuration, so no history was read."
            )
        if not name.startswith("refs/") or ".." in name.split("/"):
            return ""
    return ""


def shallow_boundary(repository: Repository) -> frozenset[str]:
    """Ids of the commits whose parents a shallow clone omits; empty for a complete history."""
    file = repository.common_dir / "shallow"
    if not os.path.isfile(file):
        return frozenset()
    with opened(file) as stream:
        content = stream.read(_SHALLOW_LIMIT + 1)
    if len(content) > _SHALLOW_LIMIT:
        raise NotReadable(f"The file {file} is larger than {_SHALLOW_LIMIT / 1e6:g} MB, so no history was read.")
    return frozenset(_COMMIT.findall(content.decode("ascii", "replace")))


def _repository_at(git_dir: Path, work_tree: Path | None) -> Repository | None:
    """The repository in `git_dir`; None if HEAD, objects or refs are missing."""
    if not os.path.isfile(git_dir / "HEAD"):
        return None
    common = git_dir
    if os.path.isfile(git_dir / "commondir"):
        common = git_dir / _line(git_dir / "commondir")
    if not (os.path.isdir(common / "objects") and os.path.isdir(common / "refs")):
        return None
    return Repository(Path(os.path.realpath(git_dir)), Path(os.path.realpath(common)), work_tree)


def _reference(repository: Repository, name: str) -> str:
    """The content of the reference: a commit id, `ref: <another>`, or empty."""
    for folder in dict.fromkeys((repository.git_dir, repository.common_dir)):
        if os.path.isfile(folder / name):
            return _line(folder / name)
    packed = repository.common_dir / "packed-refs"
    if os.path.isfile(packed):
        wanted = f" {name}\n".encode("utf-8", "surrogateescape")
        read = 0
        with opened(packed) as lines:
            while line := lines.readline(_LONGEST):
                if line.endswith(wanted):
                    return line[: -len(wanted)].decode("ascii", "replace")
                read += len(line)
                if read > _REFERENCES_LIMIT:
                    limit = f"{_REFERENCES_LIMIT / 1e6:g} MB"
                    raise NotReadable(f"The file {packed} is larger than {limit}, so no history was read.")
    return ""


def _line(file: Path) -> str:
    """The content of a one-line file; a path in it may contain any byte except NUL."""
    with opened(file) as stream:
        content = stream.read(_LONGEST).rstrip(b"\r\n")
    return "" if b"\0" in content else content.decode("utf-8", "surrogateescape")


@contextmanager
def opened(file: Path) -> Iterator[BinaryIO]:
    """The regular file, open for reading. Raises NotReadable for anything else; never blocks on a pipe."""
    try:
        with regular_file.opened(file) as stream:
            yield stream
    except regular_file.NotRegular:
        raise NotReadable(f"{file} is not a regular file, so no history was read.") from None
    except OSError as problem:
        raise NotReadable(f"The file {file} cannot be read ({problem.strerror}), so no history was read.") from problem
