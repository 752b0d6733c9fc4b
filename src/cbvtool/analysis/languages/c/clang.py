"""Includes as libclang's preprocessor carries them out, for the units of a compilation database.

libclang only reads, but it is a compiler in our address space, with files and flags from an untrusted source. So it
runs in a process of its own, with limits of memory and of time for each unit, and gets only flags about include paths,
macros and the language (see c/commands.py). Only results about files below the root are used. A unit that kills the
process, or takes too long, costs a new process and is left to the search in c/builds.py.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from cbvtool.analysis.cost import cost_of
from cbvtool.analysis.languages.c.commands import Unit

if TYPE_CHECKING:  # it takes a while to load
    from cbvtool.analysis.workers import WorkerProcess

# Further units are left to the search. The limit is a number of units, not a time, so that a graph does not depend on
# the speed of the machine.
MOST_UNITS = 300
_SECONDS = 5.0  # limit of processor time for one unit: the preprocessor takes a tenth of that
_STILL = 2.0  # seconds without processor time: it waits for something that is not a file, such as a pipe
_TICK = 0.1  # seconds between two checks; cancelling takes as long
_MEMORY = 1_500_000_000  # bytes of address space
_FAILURES = 3  # lost processes after which the rest of the units is skipped
# CXTranslationUnit_KeepGoing after a missing file, SkipFunctionBodies, DetailedPreprocessingRecord
_OPTIONS = 0x200 | 0x40 | 0x01

Inclusion = tuple[str, int, str]  # source, line, target; relative to the root


def available() -> bool:
    """Whether libclang is installed."""
    return find_spec("clang") is not None


def inclusions(root: str, units: Sequence[Unit]) -> Iterator[list[Inclusion] | None]:
    """The includes of each unit below `root`, in the order of `units`; None for a unit at which libclang failed."""
    done, failures = 0, 0
    while done < len(units):
        if failures >= _FAILURES:
            yield None
            done += 1
            continue
        for found in _in_process(root, units[done:]):
            yield found
            done += 1
        failures += 1  # the process was lost, or all units are done


def _in_process(root: str, units: Sequence[Unit]) -> Iterator[list[Inclusion] | None]:
    """The includes of the units until the process is lost; then the last item is None."""
    from cbvtool.analysis.workers import lone_process

    process, connection = lone_process(_serve, root, list(units))
    try:
        for _ in units:
            if not _answers(process, connection):
                yield None
                return
            try:
                yield connection.recv()
            except (EOFError, OSError):
                yield None
                return
    finally:
        process.kill()
        process.join()
        connection.close()


def _answers(process: WorkerProcess, connection: Connection) -> bool:
    """Whether an answer arrives before the unit exceeds its limits."""
    began, moved = 0.0, time.monotonic()
    spent = seen = 0.0
    while not connection.poll(_TICK):
        cost = cost_of(process.pid) if process.pid is not None else None
        if cost is None:
            return True  # it has ended: reading from the connection will say so
        spent = cost.seconds
        began = began or max(spent - _TICK, _TICK / 10)
        if spent > seen:
            seen, moved = spent, time.monotonic()
        if spent - began > _SECONDS or time.monotonic() - moved > _STILL:
            return False
    return True


def _serve(connection: Connection, root: str, units: Sequence[Unit]) -> None:
    """Send the includes of each unit. Runs in a process of its own."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    # Clang's messages about a crash are of no use to the user.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import clang.cindex

    index = clang.cindex.Index.create()
    for unit in units:
        try:
            connection.send(_inclusions_of(clang.cindex, index, root, unit))
        except clang.cindex.LibclangError:
            connection.send(None)


def flags_of(unit: Unit, root: str) -> list[str]:
    """Command line for libclang: only the options that `Unit` keeps, and only folders inside `root`."""
    folders = [("-iquote", folder) for folder in unit.quote] + [("-I", folder) for folder in unit.angle]
    flags = ["-w", "-fsyntax-only", *unit.flags]
    for option, folder in folders:
        flags += [option, os.path.join(root, folder)]
    for path in unit.forced:
        flags += ["-include", os.path.join(root, path)]
    return flags


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _inclusions_of(cindex: Any, index: Any, root: str, unit: Unit) -> list[Inclusion] | None:
    if not _is_file(os.path.join(root, unit.source)):
        return None
    try:
        parsed = index.parse(os.path.join(root, unit.source), args=flags_of(unit, root), options=_OPTIONS)
    except cindex.TranslationUnitLoadError:
        return None
    names: dict[str, str | None] = {}

    def below(name: str) -> str | None:
        if name not in names:
            path = os.path.realpath(name)
            names[name] = os.path.relpath(path, root).replace(os.sep, "/") if path.startswith(root + os.sep) else None
        return names[name]

    found: dict[Inclusion, None] = {}
    for cursor in parsed.cursor.get_children():
        if not cursor.kind.is_preprocessing():
            break  # the preprocessing record comes first
        if cursor.kind != cindex.CursorKind.INCLUSION_DIRECTIVE:
            continue
        location = cursor.location
        source = below(location.file.name) if location.file is not None else None
        if source is None:
            continue
        with suppress(AssertionError):  # the file is missing
            target = below(cursor.get_included_file().name)
            if target is not None:
                found[source, location.line, target] = None
    return list(found)
