"""The files of traces: what a document remembers of them, and what is in them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cbvtool.errors import InputError
from cbvtool.plan.document import TraceFile
from cbvtool.progress import Progress
from cbvtool.regular_file import opened
from cbvtool.trace.coverage.line_coverage import Coverage
from cbvtool.trace.coverage.read_coverage import READERS as COVERAGE_READERS
from cbvtool.trace.coverage.read_coverage import read_coverage
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.recordings import recordings_in
from cbvtool.trace.readers.registry import read_traces, reader_of
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace
from cbvtool.trace.waits.by_name import with_waits
from cbvtool.trace.waits.own_roles import configured_roles
from cbvtool.words import one_line

_BLOCK = 1 << 22
MOST_FILES = 10_000  # of a folder


@dataclass(frozen=True, eq=False)
class Imported:
    """What was read from a file.

    traces    those in it
    profiles  those in it, which no window of time belongs to
    coverage  if it is a report of that
    notes     sentences about it, for users
    """

    file: TraceFile
    traces: tuple[Trace, ...]
    profiles: tuple[Profile, ...] = ()
    coverage: Coverage | None = None
    notes: tuple[str, ...] = ()


def knowing_own_roles(found: Imported, root: Path | None) -> Imported:
    """What was read, with the waits of functions that `cbvtool.toml` in the repository at `root` names, on any thread.

    What is wrong with the configuration is a note.
    """
    if root is None or not found.traces:
        return found
    try:
        own, notes = configured_roles(root)
    except InputError as error:
        return replace(found, notes=(*found.notes, str(error)))
    traces = tuple(with_waits(trace, own) for trace in found.traces) if own else found.traces
    return replace(found, traces=traces, notes=(*found.notes, *notes))


def imported(path: Path, progress: Progress) -> Imported:
    """Read a file or folder with traces, on any thread. Raises InputError in one sentence, and Cancelled."""
    if is_coverage(path):
        coverage = read_coverage(path, progress)
        return Imported(described(path, coverage.format, progress), (), (), coverage)
    parts = read_traces(path, progress)
    traces = tuple(part for part in parts if isinstance(part, Trace))
    profiles = tuple(part for part in parts if isinstance(part, Profile))
    if not parts:
        raise InputError(f"{path.name} holds no trace.")
    name = parts[0].header.format
    return Imported(described(path, name, progress), traces, profiles)


def recordings_of(path: Path) -> list[Path]:
    """A path itself, or the recordings in a folder that is none. Raises InputError where there is none."""
    if not path.is_dir() or is_recording(path):
        return [path]
    return recordings_in(path)[0]


def all_imported(paths: Sequence[Path], root: Path | None, progress: Progress) -> tuple[list[Imported], list[str]]:
    """(what was read, why the others could not be), on any thread; see `imported` and `knowing_own_roles`.

    Raises InputError where none can be read, and Cancelled.
    """
    found, faults = list[Imported](), list[str]()
    for number, path in enumerate(paths):
        said = f"Reading {one_line(path.name)}"
        try:
            read = imported(path, lambda *_, said=said, number=number: progress(said, number, len(paths)))
            found.append(knowing_own_roles(read, root))
        except InputError as error:
            faults.append(str(error))
    if not found:
        raise InputError(faults[0])
    return found, faults


def is_recording(path: Path) -> bool:
    """Whether something that may not be there is in a format of traces or of coverage; reads its beginning alone."""
    try:
        return reader_of(TraceSource(path)) is not None or is_coverage(path)
    except (OSError, ValueError, UnreadableTrace):
        return False


def recording_around(path: Path) -> Path:
    """The folder of a recording where one of its files was chosen; else the file itself."""
    if not is_recording(path) and path.parent.is_dir() and is_recording(path.parent):
        return path.parent
    return path


def is_coverage(path: Path) -> bool:
    """Whether a file is a coverage report, by its beginning."""
    source = TraceSource(path)
    try:
        if source.is_folder:
            return False
        return any(sniff(source.head) for sniff, _ in COVERAGE_READERS)
    except (OSError, UnreadableTrace):
        return False  # reading it says why


def described(path: Path, format: str, progress: Progress) -> TraceFile:
    """What a document remembers of a file or folder. Raises InputError where it cannot be read, and Cancelled."""
    digest, done = hashlib.sha256(), 0
    try:
        size, modified = measured(path)
        for file in files_of(path):
            digest.update(os.fsencode(file.name))
            with opened(file) as content:
                while block := content.read(_BLOCK):
                    digest.update(block)
                    done += len(block)
                    progress(f"Remembering {path.name}", done, size)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    return TraceFile(Path(os.path.abspath(path)), format, digest.hexdigest(), size, modified)


def measured(path: Path) -> tuple[int, int]:
    """(bytes, when it was written last in ns since 1970) of a file, or of all files in a folder. Raises OSError."""
    stats = [file.stat() for file in files_of(path)]
    return sum(stat.st_size for stat in stats), max((stat.st_mtime_ns for stat in stats), default=0)


def files_of(path: Path) -> Iterator[Path]:
    """The file itself, or the files in a folder by name, `MOST_FILES` at most."""
    if not path.is_dir():
        yield path
        return
    for number, entry in enumerate(sorted(path.iterdir())):
        if number == MOST_FILES:
            return
        if entry.is_file():
            yield entry


def changed(file: TraceFile) -> bool:
    """Whether a file is another one than was imported, by size and date. False where it is not there."""
    try:
        return measured(file.path) != (file.size, file.modified)
    except OSError:
        return False
