"""Standard streams that are closed or full: what is written to them must not cost the result.

A program that is started with a closed stream (`2>&-`) has None in place of `sys.stderr`, and the next file that it
opens gets the number of that stream: what is printed would end up in it.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from cbvtool.errors import InputError

_lost = False  # whether standard output was closed when the program began


def open_streams() -> None:
    """Give every standard stream that is closed the empty device. Called before any file is opened."""
    global _lost
    for number in range(3):  # in this order each gets the lowest free number, its own
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
    _lost = _lost or sys.stdout is None
    # They stay open to the end, as the real ones do.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # see above
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()


def need_stdout() -> None:
    """Raise InputError when a result is to go to a standard output that is closed."""
    if _lost:
        raise InputError("Standard output is closed: name a file with -o.")


@contextmanager
def told() -> Iterator[None]:
    """For writing to standard output, or flushing it: turns an OSError into one sentence.

    Raises InputError, and BrokenPipeError when whoever reads has seen enough.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        silence(sys.stdout)
        raise InputError(f"Standard output cannot be written: {error.strerror or error}.") from error


def silence(stream: TextIO) -> None:
    """Send to the empty device what the stream still holds, which would fail again when Python ends."""
    with suppress(OSError, ValueError):  # `stream` has no file descriptor
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
