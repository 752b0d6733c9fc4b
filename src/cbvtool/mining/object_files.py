"""Checks the files where git looks for objects, because some could make git wait for ever.

git opens any file with the right name. If that is a named pipe, it waits for a writer; a device may return bytes
without end. So the object database, and all databases from which it borrows, are checked before git runs.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.locate import NotReadable, opened

_FAN_OUT = re.compile(r"[0-9a-fA-F]{2}")  # folders of loose objects, named by the first byte of the ids
_OTHERS = ("info", "info/commit-graphs", "pack", "pack/multi-pack-index.d")
_DEEPEST = 6  # longest chain of databases that borrow from each other; git follows five
_ALTERNATES_LIMIT = 1_000_000  # bytes of a list of databases
_MOST_FILES, _LONGEST = 5_000_000, 10.0  # seconds
_LOOSE = 4096  # assumed size of a loose object, in bytes
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def check_objects(objects: Path) -> int:
    """Approximate size on disk, in bytes, of the object database in `objects` and of those from which it borrows.

    Raises NotReadable if they contain anything but regular files and folders, or if the check exceeds its limits.
    """
    work = f"The look at {objects}"
    budget = Budget(work, count=_MOST_FILES, seconds=_LONGEST, things="files")
    size, seen, level = 0, set[str](), [objects]
    try:
        for _ in range(_DEEPEST):
            level = [folder for folder in level if os.path.realpath(folder) not in seen]
            seen.update(os.path.realpath(folder) for folder in level)
            size += sum(_check(folder, budget) for folder in level)
            level = [other for folder in level for other in _alternates(folder)]
    except OverBudget as reason:
        raise NotReadable(f"{str(reason).rstrip('.')}, so no history was read.") from reason
    return size


def _check(objects: Path, budget: Budget) -> int:
    """Bytes of one database."""
    size = 0
    for name in _OTHERS:
        for entry in _entries(objects / name):
            budget.spend(1)
            if _is_file(entry):
                size += _allocated(entry)
    for folder in _entries(objects):
        if _FAN_OUT.fullmatch(folder.name):
            for entry in _entries(Path(folder.path)):
                budget.spend(1)
                size += _LOOSE * _is_file(entry)
    return size


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:  # missing, or not a folder: git cannot open anything in it either
        return


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it is a regular file, perhaps through links; False for a folder or a broken link.

    Raises NotReadable for anything else.
    """
    try:
        if entry.is_file(follow_symlinks=False):
            return True
        mode = os.stat(entry.path).st_mode
    except OSError:  # a broken or circular link: git cannot open it either
        return False
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotReadable(f"{entry.path} is not a regular file, which git would wait for, so no history was read.")
    return stat.S_ISREG(mode)


def _allocated(entry: os.DirEntry[str]) -> int:
    """Bytes on disk, because a sparse file can claim any size."""
    try:
        status = os.stat(entry.path)
    except OSError:
        return 0
    return min(status.st_size, getattr(status, "st_blocks", status.st_size) * 512)


def _alternates(objects: Path) -> list[Path]:
    """The databases from which this one borrows, by its list (gitrepository-layout(5))."""
    file = objects / "info" / "alternates"
    if not os.path.isfile(file):
        return []
    with opened(file) as stream:
        content = stream.read(_ALTERNATES_LIMIT + 1)
    if len(content) > _ALTERNATES_LIMIT:
        raise NotReadable(f"The file {file} is larger than {_ALTERNATES_LIMIT / 1e6:g} MB, so no history was read.")
    lines = [line for line in content.split(b"\n") if line and not line.startswith(b"#") and b"\0" not in line]
    return [objects / os.fsdecode(_unquoted(line)) for line in dict.fromkeys(lines)]


def _unquoted(line: bytes) -> bytes:
    """A path that may be quoted as in C."""
    if not (quoted := re.fullmatch(rb'"((?:[^"\\]|\\.)*)"', line, re.DOTALL)):
        return line
    return re.sub(rb"\\([0-3][0-7]{2}|.)", _unescaped, quoted[1], flags=re.DOTALL)


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8)]) if len(code) == 3 else _ESCAPES.get(code, code)
