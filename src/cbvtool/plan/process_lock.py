"""A lock file that says whether the process that made it still lives.

The operating system lets go of the lock when the process ends, however it ends, so a number that another process has
got meanwhile (a process id) or a clock that was set cannot deceive anybody.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    _LOOKS = 4  # there are no shared locks: somebody else may be looking

    def _take(file: BinaryIO, *, shared: bool) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    _LOOKS = 1

    def _take(file: BinaryIO, *, shared: bool) -> None:
        fcntl.flock(file.fileno(), (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


class ProcessLock:
    """A lock that this process holds until `release` or its own end."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self._file = path, file

    def release(self, *, remove: bool = True) -> None:
        """Let go of the lock, and remove its file."""
        self._file.close()
        if remove:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


def lock(path: Path) -> ProcessLock | None:
    """Make the lock file `path` and hold it. None if that is not possible, as on a file system without locks."""
    try:
        file = path.open("xb")
    except OSError:
        return None
    try:
        _take(file, shared=False)
    except OSError:
        ProcessLock(path, file).release()
        return None
    return ProcessLock(path, file)


def is_locked(path: Path) -> bool:
    """Whether a living process holds this lock. False where nobody can tell."""
    try:
        file = path.open("r+b")
    except OSError:
        return False
    with file:
        for look in range(_LOOKS):
            time.sleep(0.02 * look)
            try:
                _take(file, shared=True)  # two that look at the same time do not take each other for the owner
            except (BlockingIOError, PermissionError):
                continue
            except OSError:
                return False
            return False
    return True
