"""Runs of several versions of a program, recorded alternately: what the machine does meets all alike (TD-13)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from cbvtool.errors import InputError
from cbvtool.progress import Progress, silent
from cbvtool.trace.record.launch import (
    ENDED_EARLY,
    NOTHING_RECORDED,
    SEEDED,
    exclusions,
    has_processes,
    make_folder,
    option_lines,
    prepared,
    run_waiting,
)
from cbvtool.trace.record.options import Recorded, RecordOptions


@dataclass(frozen=True)
class RecordedVersion:
    """A version of the program.

    name           the folder of its runs, in that of the recording
    source         its source: where that of the current version has the current folder, the program runs in this one
    commit, dirty  of its source
    """

    name: str
    source: Path
    commit: str = ""
    dirty: bool | None = None


def record_interleaved(
    options: RecordOptions,
    command: Sequence[str],
    versions: Sequence[RecordedVersion],
    source: Path,
    progress: Progress = silent,
) -> Recorded:
    """Run `command` in the folder of each version as often as `options.repeat` says: A B, B A, A B, ...

    The runs of a version go into `options.folder/NAME/1` and so on. Each version has compiled modules of its own, which
    none has before its first run: else the version that was tried before would skip what the other one does.

    source  the source of the current version, around the current folder: what `PYTHONPATH` and the command name below
            it by absolute paths, the program itself left out, is taken from that of each version

    Raises InputError where nothing can be recorded or started, and what `progress` raises.
    """
    if not command:
        raise InputError("There is no program to record; write it behind `--`.")
    lines = option_lines(options, exclusions(options))
    make_folder(options.folder)
    rounds, status = max(1, options.repeat), 0
    folders: list[Path] = []
    failed = dict.fromkeys((version.name for version in versions), 0)
    warnings: list[str] = []
    with ExitStack() as stack:
        caches = [stack.enter_context(tempfile.TemporaryDirectory(prefix="cbvtool-")) for _ in versions]
        order = [place for number in range(rounds) for place in _round(number, len(versions))]
        for done, place in enumerate(order):
            version, run = versions[place], done // len(versions) + 1
            progress("Recording", done + 1, len(order))
            folder = options.folder / version.name / str(run)
            own = replace(options, commit=version.commit, dirty=version.dirty)
            given = _given(caches[place], source, version.source)
            surroundings = prepared(folder, own, lines, command, run, given)
            here = _moved(Path.cwd(), source, version.source)
            ended = run_waiting(_for(command, source, version.source), surroundings, here)
            status = status or ended
            failed[version.name] += ended != 0
            folders.append(folder)
            if not has_processes(folder):
                warnings.append(NOTHING_RECORDED.format(command=command[0]))
                break
            if ended < 0 and done + 1 < len(order):
                warnings.append(ENDED_EARLY.format(run=run, signal=-ended))
                break
    warnings += [f"{count:,} of {rounds:,} runs in {name} failed." for name, count in failed.items() if count]
    return Recorded(tuple(folders), status, tuple(warnings))


def _round(number: int, versions: int) -> Sequence[int]:
    """In which order the versions have their turn: forwards, then backwards."""
    return range(versions) if number % 2 == 0 else range(versions - 1, -1, -1)


def _for(command: Sequence[str], source: Path, other: Path) -> list[str]:
    """The command for another source: a program that was named by its path, such as `.venv/bin/python`, stays that."""
    program = command[0]
    named = os.path.dirname(program) and os.path.isfile(program)
    arguments = [str(_moved(Path(word), source, other)) if os.path.isabs(word) else word for word in command[1:]]
    return [os.path.abspath(program) if named else program, *arguments]


def _given(cache: str, source: Path, other: Path) -> dict[str, str]:
    """The environment of a version's runs, whose source is `other`."""
    given = {**SEEDED, **os.environ, "PYTHONPYCACHEPREFIX": cache}
    given.pop("PYTHONDONTWRITEBYTECODE", None)  # nothing is written beside the source
    if path := given.get("PYTHONPATH"):
        given["PYTHONPATH"] = os.pathsep.join(
            str(_moved(Path(entry), source, other)) for entry in path.split(os.pathsep)
        )
    return given


def _moved(path: Path, source: Path, other: Path) -> Path:
    """An absolute path below one source as the same path below another; any other path stays."""
    here, real = os.path.realpath(source), os.path.realpath(path)
    if not path.is_absolute() or os.path.commonpath((here, real)) != here:
        return path
    return other.absolute() / os.path.relpath(real, here)


def file_of_another(files: Iterable[str], version: RecordedVersion, other: RecordedVersion) -> str:
    """The first file that a version ran from the source of another one though it has that file, too; empty = none."""
    own, foreign = (os.path.realpath(each.source) for each in (version, other))
    for file in dict.fromkeys(files):
        real = os.path.realpath(file) if os.path.isabs(file) else ""
        is_foreign = real.startswith(foreign + os.sep) and not real.startswith(own + os.sep)
        if is_foreign and os.path.isfile(os.path.join(own, os.path.relpath(real, foreign))):
            return file
    return ""
