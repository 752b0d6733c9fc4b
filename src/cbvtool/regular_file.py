"""Reading a file that anybody may have put there: never more than a limit, never a pipe or a device."""

from __future__ import annotations

import os
import stat


class Unreadable(Exception):
    """A file that cannot be read, decoded or parsed. Its text is the reason."""


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
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable("is not a regular file")
            return file.read(count)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from error


def too_large(limit: int) -> str:
    """The reason why a file over `limit` bytes is not read."""
    return f"is larger than {limit / 1e6:g} MB"


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
