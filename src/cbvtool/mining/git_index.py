"""The files that git tracks, read from the index (gitformat-index(5)); a .gitignore does not exclude tracked files.

git itself is not run: it would read the repository's configuration, which is untrusted and can name programs to run.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Set
from functools import cached_property

from cbvtool.budget import Budget, OverBudget
from cbvtool.regular_file import Unreadable, read_beginning, read_bytes

_LIMIT = 100_000_000  # bytes; the index of Linux has 9 MB
_MEMORY, _PATH = 150_000_000, 100  # bytes: limit for all paths and their folders, and overhead of one path
_SECONDS = 10.0  # for reading an index
_LINE = 4096  # longest `.git` file, in bytes
_HASHES = (20, 32)  # bytes of an object id: SHA-1, SHA-256
_STATUS = 40  # bytes of an entry before the object id
_MODE, _SUBMODULE = 24, 0o160000  # offset of the mode in an entry, and the mode of a submodule
_EXTENDED = 0x4000  # flag: two more bytes of flags


class Tracked:
    """The tracked files of the repository with the work tree `folder`. Its index is read on first use.

    root   the folder to which paths in queries are relative; it lies in `folder`, or around it
    fault  why the list may be incomplete, half a sentence; empty if it is complete
    """

    def __init__(self, folder: str, root: str) -> None:
        self._folder, self._root = folder, root
        self.fault = ""

    def __contains__(self, path: str) -> bool:
        """Whether `path` is a tracked file, or a folder (ends in `/`) that contains one."""
        return os.fsencode(path) in self._paths

    @cached_property
    def _paths(self) -> Set[bytes]:
        """Tracked files, and folders with a final `/`, relative to the root."""
        found: set[bytes] = set()
        try:
            index = read_bytes(self.index, _LIMIT)
        except Unreadable:
            return found
        here, root = (f"{os.path.abspath(folder).rstrip('/')}/" for folder in (self._folder, self._root))
        before = os.fsencode(here.removeprefix(root)) if here.startswith(root) else b""
        inside = os.fsencode(root.removeprefix(here)) if root.startswith(here) else b""
        budget = Budget("The list of what git tracks", size=_MEMORY, seconds=_SECONDS)
        try:
            for path in tracked_paths(index, budget):
                if path.startswith(inside):
                    path = before + path.removeprefix(inside)
                    while path and path not in found:
                        budget.spend(1, len(path) + _PATH)
                        found.add(path)
                        path = path.rstrip(b"/")
                        path = path[: path.rfind(b"/") + 1]
        except OverBudget:
            self.fault = "names too much: some of what git tracks and a .gitignore names may be missing"
        return found

    @property
    def index(self) -> str:
        """Path of the index."""
        return os.path.join(_git_folder(self._folder), "index")


def repository_around(root: str) -> Tracked | None:
    """The repository around the folder `root`; None = there is none."""
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return Tracked(folder, root)


def _git_folder(folder: str) -> str:
    """The git folder of the work tree `folder`: its `.git`, or the folder named in the file `.git`."""
    place = os.path.join(folder, ".git")
    try:
        said = read_beginning(place, _LINE).rstrip(b"\r\n")
    except Unreadable:
        return place
    return os.path.join(folder, os.fsdecode(said.removeprefix(b"gitdir:").strip().replace(b"\0", b"")))


def tracked_paths(index: bytes, budget: Budget | None = None) -> list[bytes]:
    """The paths in an index; empty if it is damaged or of an unknown version. Raises OverBudget."""
    budget = budget or Budget("The list of what git tracks", size=_MEMORY, seconds=_SECONDS)
    for size in _HASHES:  # only the repository's configuration would say which
        try:
            return list(_entries(index, size, budget))
        except (ValueError, IndexError, struct.error):
            continue
    return []


def _entries(index: bytes, size: int, budget: Budget) -> Iterator[bytes]:
    """The paths, in order; raises ValueError, IndexError or struct.error if the index cannot be parsed."""
    signature, version, count = struct.unpack_from(">4sII", index)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError
    at, path = 12, b""
    for _ in range(count):
        (flags,) = struct.unpack_from(">H", index, at + _STATUS + size)
        start = at + _STATUS + size + (4 if flags & _EXTENDED else 2)
        kept = b""
        if version == 4:  # number of bytes to remove from the end of the previous path, then the bytes to add
            byte = index[start]
            drop = byte & 127
            while byte & 128:
                start += 1
                byte = index[start]
                drop = (drop + 1) << 7 | byte & 127
            start += 1
            kept = path[: len(path) - drop]
        end = index.index(b"\0", start)
        path = kept + index[start:end]
        budget.spend(1, len(path) + _PATH)
        if not path or flags & 0xFFF != min(len(path), 0xFFF):
            raise ValueError
        (mode,) = struct.unpack_from(">I", index, at + _MODE)
        yield path + b"/" if mode == _SUBMODULE else path
        at = end + 1 if version == 4 else at + (end - at + 8) // 8 * 8
