"""Run a program that is recorded where nobody has a terminal: watched, stopped on request, its output in a file."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cbvtool.errors import InputError
from cbvtool.progress import Progress
from cbvtool.regular_file import opened

LOOK = 0.1  # seconds between two looks at the program
COUNT = 0.5  # seconds between two looks at what was recorded
PATIENCE = 5.0  # seconds that a program has to end after it was told to; what was recorded is written meanwhile
HASTE = 1.0  # the same when the recording is not wanted any more
BYTES_OF_CALL = 20  # a begin and an end in a recording: two values, one tag
MOST_OUTPUT = 20_000_000  # bytes of output that are kept; then it begins anew
LEAST_FREE = 256_000_000  # bytes on the disk, below which recording stops: the rest of the machine needs them
DISK_FULL = "The recording was stopped because the disk is nearly full; what was recorded until then is kept."
_CUT = b"[cbvtool left out the output before this line]\n"


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Where a program runs that has no terminal: its standard input is empty.

    folder  it runs in
    output  receives all it writes
    stop    another thread sets it: the program is ended, what was recorded is kept
    """

    folder: Path
    output: Path
    stop: threading.Event


def run_attended(
    command: Sequence[str], environment: Mapping[str, str], recording: Path, around: Surroundings, progress: Progress
) -> tuple[int, str]:
    """(exit status of the program, negative for a signal; a sentence for the user or nothing).

    progress  is told about every tenth of a second how long it runs, and how much was recorded. What it raises ends the
              program first

    The program and all that it started in its session end with it. Raises InputError where it cannot be started.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        output = os.open(around.output, flags, 0o600)
    except OSError as error:
        raise InputError(f"Nothing can be written to {around.output}: {error.strerror or error}.") from error
    try:
        process = subprocess.Popen(
            list(command),
            env=dict(environment),
            cwd=around.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        os.close(output)
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{command[0]} cannot be started: {reason}.") from error
    patience, warning = HASTE, ""
    try:
        warning = _watch(process, recording, around, output, progress)
        patience = PATIENCE
    finally:
        _end(process, patience)
        os.close(output)
    return process.returncode, warning


def _watch(
    process: subprocess.Popen[bytes], recording: Path, around: Surroundings, output: int, progress: Progress
) -> str:
    """Wait until the program ends or is to be stopped; why it is stopped, if nobody asked for that."""
    began, counted, written = time.monotonic(), -COUNT, 0
    while process.poll() is None and not around.stop.is_set():
        passed = time.monotonic() - began
        if passed - counted >= COUNT:
            counted, written = passed, recorded_bytes(recording)
            _bound(output)
            if _free(recording) < LEAST_FREE:
                return DISK_FULL
        progress(f"Recording: {int(passed):,} s, {written / 1e6:,.1f} MB", written, 0)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK)
    return ""


def recorded_bytes(recording: Path) -> int:
    """Bytes of events in the folder of a run; 0 where it cannot be read."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(recording) as entries:
        for entry in entries:
            if entry.name.endswith(".events"):
                with contextlib.suppress(OSError):
                    total += entry.stat().st_size
    return total


def has_program(name: str, folder: Path) -> bool:
    """Whether there is a program of this name, for a process that runs in the folder."""
    there = os.path.join(folder, name) if os.path.dirname(name) else name
    return shutil.which(there) is not None


def tail(path: Path, most: int = 20_000) -> str:
    """The end of what a program wrote; empty where there is nothing."""
    try:
        with opened(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


def discard(folder: Path, header: str) -> None:
    """Remove the folder of a recording that nobody wants; `header` is the file that shows that it is one."""
    if (folder / header).is_file() or (folder / "1" / header).is_file():
        shutil.rmtree(folder, ignore_errors=True)


def _bound(output: int) -> None:
    if os.fstat(output).st_size > MOST_OUTPUT:
        os.ftruncate(output, 0)
        os.write(output, _CUT)


def _free(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return LEAST_FREE


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """End the program and all of its session: told first, killed where that does not help."""
    with contextlib.suppress(OSError):
        _send(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    until = time.monotonic() + min(patience, HASTE)
    while time.monotonic() < until and _is_there(process.pid):  # what it started writes its recording, too
        time.sleep(LOOK / 4)
    with contextlib.suppress(OSError):
        _send(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(HASTE)


def _send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the session of the program; to the program alone where the system has no groups."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)


def _is_there(group: int) -> bool:
    """Whether a process of the group is left."""
    if not hasattr(os, "killpg"):
        return False
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True
