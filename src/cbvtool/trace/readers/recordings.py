"""The recordings in a folder that is none itself, such as a profile for each run of a program."""

from __future__ import annotations

import re
from pathlib import Path

from cbvtool.errors import InputError
from cbvtool.trace.readers.registry import reader_of
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

MOST_FILES = 20_000  # of a folder


def is_trace(path: Path) -> bool:
    """Whether a reader knows a file or folder; reads its beginning alone."""
    try:
        return reader_of(TraceSource(path)) is not None
    except (InputError, UnreadableTrace, OSError, ValueError):
        return False


def recordings_in(folder: Path) -> tuple[list[Path], int]:
    """(recordings directly within a folder, numbers in their names by value; how many others are left out).

    Raises InputError where none is there.
    """
    try:
        entries = sorted((each for each in folder.iterdir() if not each.name.startswith(".")), key=_by_numbers)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}.") from None
    if len(entries) > MOST_FILES:
        raise InputError(f"{folder} holds more than {MOST_FILES:,} files.")
    found = [each for each in entries if is_trace(each)]
    if not found:
        raise InputError(f"{folder} holds no profile or trace that cbvtool reads.")
    return found, len(entries) - len(found)


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    """A key to sort by: 27 before 125."""
    parts = re.split(r"([0-9]+)", path.name)
    return [(int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts)]
