"""What lies where git looks for objects: files, or something that would make git wait for ever.

git opens what bears the right name. A named pipe there is opened, and whoever opens one waits for its writer; a device
gives bytes without end. So we look before git does, in the object database and in all that it borrows from.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.locate import NotReadable, opened

_FAN_OUT = re.compile(r"[0-9a-fA-F]{2}")  # folders of loose objects, by the first byte of their names
_OTHERS = ("info", "info/commit-graphs", "pack", "pack/multi-pack-index.d")
_DEEPEST = 6  # databases that borrow from one another; git follows five
_ALTERNATES_LIMIT = 1_000_000  # bytes of a list of databases
_MOST_FILES, _LONGEST = 5_000_000, 10.0  # seconds
_LOOSE = 4096  # bytes that a loose object is taken for
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def check_objects(objects: Path) -> int:
    """Bytes on the disk, about, of the object database in the folder `objects` and those that it borrows from.

    Raises NotReadable if something in them is neither a regular file nor a folder, or there is too much to look at.
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
    except OSError:  # not there, or no folder: git cannot open anything in it either
        return


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it is a regular file, perhaps behind links; else it has to be a folder, or nothing."""
    try:
        if entry.is_file(follow_symlinks=False):
            return True
        mode = os.stat(entry.path).st_mode
    except OSError:  # a link that leads nowhere, or in circles: git cannot open it either
        return False
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotReadable(f"{entry.path} is not a regular file, which git would wait for, so no history was read.")
    return stat.S_ISREG(mode)


def _allocated(entry: os.DirEntry[str]) -> int:
    """Bytes on the disk: a file with holes in it can claim any size."""
    try:
        status = os.stat(entry.path)
    except OSError:
        return 0
    return min(status.st_size, getattr(status, "st_blocks", status.st_size) * 512)


def _alternates(objects: Path) -> list[Path]:
    """The databases that this one borrows from, by its list (gitrepository-layout(5))."""
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
