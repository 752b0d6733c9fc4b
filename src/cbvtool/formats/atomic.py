"""Writing a file completely or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from cbvtool.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` once the block ends, and never if the block raises.

    What stood there before is untouched until then. A symbolic link keeps pointing where it does: its target
    is replaced. Something that is no regular file (a pipe, a device) is written to directly.

    Raises InputError when the file cannot be written.
    """
    try:
        with _opened(path) as file:
            yield file
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = 0
    if mode and not stat.S_ISREG(mode):
        with path.open("wb") as file:
            yield file
        return
    path = Path(os.path.realpath(path))
    if mode and not os.access(path, os.W_OK):
        raise PermissionError(None, "it is read-only")
    # Beside the target: renaming is atomic within one file system only.
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with temporary.open("xb") as file:
            if mode:
                temporary.chmod(stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
