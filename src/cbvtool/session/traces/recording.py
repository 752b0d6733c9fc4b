"""Recording a program on request: what was typed becomes a command, without a shell (TR-1)."""

from __future__ import annotations

import os
import shlex
import threading
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from cbvtool.errors import InputError
from cbvtool.mining import head_commit, is_dirty
from cbvtool.progress import Progress
from cbvtool.trace.record.attended import Surroundings, discard, has_program
from cbvtool.trace.record.launch import HEADER, record
from cbvtool.trace.record.options import Recorded, RecordOptions

OUTPUT = "output.txt"  # in the folder of the recording: what the program wrote
PLACE = "cbvtool recordings"  # folder in that of the user


@dataclass(frozen=True)
class ProgramRun:
    """What is to be recorded.

    command   program and arguments
    folder    it runs in
    options   how, and where the recording goes
    """

    command: tuple[str, ...]
    folder: Path
    options: RecordOptions

    @property
    def output(self) -> Path:
        """What the program writes."""
        return self.options.folder / OUTPUT


def split_command(text: str) -> tuple[str, ...]:
    """Program and arguments of a command line, quoted as for a shell; none is asked. Raises InputError."""
    try:
        words = shlex.split(text, posix=os.name == "posix")
    except ValueError:
        raise InputError("A quotation mark is not closed.") from None
    if not words or not words[0]:
        raise InputError("Type the command that starts your program, such as: python -m shop")
    if any("\0" in word for word in words):
        raise InputError("The command holds a character that no program can be given.")
    return tuple(words)


def usual_place(subject: str, now: datetime) -> Path:
    """Where a recording goes if the user says nothing else: a new folder outside the subject."""
    kept = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "-" for letter in subject)
    name = kept.strip(".-") or "program"
    return Path.home() / PLACE / f"{name[:60]} {now:%Y-%m-%d %H.%M.%S}"


def why_not(run: ProgramRun) -> str:
    """Why a program cannot be recorded, as far as that can be seen before; empty = nothing is in the way."""
    place = run.options.folder
    if not run.folder.is_dir():
        return f"There is no folder {run.folder} to run it in."
    if not has_program(run.command[0], run.folder):
        return f"There is no program {run.command[0]} that can be run."
    if place.exists() and not place.is_dir():
        return f"{place} is a file; name a new folder for the recording."
    try:
        if place.is_dir() and any(place.iterdir()):
            return f"{place} is not empty; name a new folder for the recording."
    except OSError as error:
        return f"{place} cannot be used: {error.strerror or error}."
    return ""


def record_program(run: ProgramRun, stop: threading.Event, progress: Progress) -> Recorded:
    """Run it and record it. What is recorded stays, also when `progress` raises Cancelled.

    Raises InputError where nothing can be recorded or started; then nothing is left.
    """
    if reason := why_not(run):
        raise InputError(reason)
    options = replace(run.options, commit=head_commit(run.folder), dirty=is_dirty(run.folder))
    try:
        return record(options, run.command, progress, Surroundings(run.folder, run.output, stop))
    except InputError:
        forget(run)
        raise


def forget(run: ProgramRun) -> None:
    """Remove a recording that nobody wants."""
    discard(run.options.folder, HEADER)
