"""Output of commands: results go to standard output or `-o`, everything else to standard error."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cbvtool.cli.streams import need_stdout, silence, told
from cbvtool.progress import silent
from cbvtool.words import one_line

if TYPE_CHECKING:
    from cbvtool.formats.replaceable import Sort
    from cbvtool.progress import Progress

DONE, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130  # exit status
SHORT = 7  # digits of a commit id for people
STDOUT = Path("-")
_REDRAW = 0.1  # seconds between two looks of the progress line


def say(sentence: str) -> None:
    """One line on standard error."""
    print_line(f"cbvtool: {one_line(sentence)}", sys.stderr)


def print_line(text: str, to: TextIO | None = None, end: str = "\n") -> None:
    """Print names as they are where the stream can, else escaped (file names may be no text at all).

    Raises InputError when standard output takes nothing. A standard error that takes nothing costs what is said there.
    """
    stream = to or sys.stdout
    encoding = stream.encoding or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    if stream is sys.stdout:
        with told():
            print(text, end=end)
        return
    try:
        print(text, end=end, file=stream, flush=True)
    except OSError:
        silence(stream)


def counted(number: int, noun: str) -> str:
    """`1 set`, `1,234 sets`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def stdout_bytes(pieces: Iterable[bytes]) -> None:
    """Write to standard output, behind what was printed before. Raises InputError when it takes nothing."""
    need_stdout()
    with told():
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()


def check_result(chosen: argparse.Namespace, sort: Sort) -> None:
    """Raise InputError if `-o` names a file that is no older result of that `sort`, or one of those that are read."""
    from cbvtool.formats.replaceable import check_output

    if not _to_stdout(chosen):
        for path in getattr(chosen, "paths", None) or [chosen.path]:
            check_output(chosen.output, path, sort)


def write_result(chosen: argparse.Namespace, text: str) -> None:
    """Write the text to `-o`, or else to standard output."""
    from cbvtool.formats.atomic import replacing

    data = text.encode("utf-8", "backslashreplace")  # names of files may be no text at all
    if _to_stdout(chosen):
        stdout_bytes([data])
    else:
        with replacing(chosen.output) as file:
            file.write(data)


def _to_stdout(chosen: argparse.Namespace) -> bool:
    return chosen.output in (None, STDOUT)


@contextmanager
def progress() -> Iterator[Progress]:
    """A line on standard error for a person who looks at it; nothing for a file or a pipe."""
    if not sys.stderr.isatty():
        yield silent
        return
    shown = 0.0

    def show(what: str, done: int, total: int) -> None:
        nonlocal shown
        if (now := time.monotonic()) - shown < _REDRAW:
            return
        shown = now
        much = f" {done:,} of {total:,}" if total else f" {done:,}" if done else ""
        width = shutil.get_terminal_size().columns - 1
        print_line(f"\r{one_line(f'{what}{much}')[:width]:<{width}}", sys.stderr, end="\r")

    try:
        yield show
    finally:
        print_line(f"\r{'':<{shutil.get_terminal_size().columns - 1}}", sys.stderr, end="\r")
