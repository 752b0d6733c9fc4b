"""Read a file from an untrusted folder: never beyond a limit, never a pipe or a device."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path


class Unreadable(Exception):
    """A file that cannot be read, decoded or parsed. Its text is the reason."""


class NotRegular(OSError):
    """A pipe, a device or a folder stands in place of a file."""


def opened(path: str | Path, *, follow: bool = True) -> BufferedReader:
    """The regular file at `path`, open for reading. Never waits for the writer of a pipe.

    follow   whether `path` may be a link

    Raises NotRegular for anything but a file, OSError as usual.
    """
    wanted = ("O_BINARY", "O_NONBLOCK", "O_CLOEXEC") + (() if follow else ("O_NOFOLLOW",))
    number = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in wanted))
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise NotRegular(None, "it is not a file")
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_bytes(path: str, limit: int) -> bytes:
    """The content of the regular file at `path`; raises Unreadable.

    Never reads more than `limit` bytes, and never waits for a writer of a pipe that has been put there.
    """
    data = read_beginning(path, limit + 1)
    if len(data) > limit:
        raise Unreadable(too_large(limit))
    return data


def read_beginning(path: str, count: int) -> bytes:
    """The first `count` bytes of the regular file at `path`, or all; raises Unreadable. Never waits, as above."""
    try:
        with opened(path, follow=False) as file:
            return file.read(count)
    except NotRegular:
        raise Unreadable("is not a regular file") from None
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from error


def too_large(limit: int) -> str:
    """The reason why a file over `limit` bytes is not read."""
    return f"is larger than {limit / 1e6:g} MB"
