"""Includes as libclang's preprocessor carries them out, for the units of a compilation database.

libclang reads and never runs; but it is a compiler in our address space, given files and flags of somebody else.
So it works in a process of its own, with a limit on memory and on the time of each unit, and gets only flags about
include paths, macros and the language (see c_commands.py). Of what it finds only files below the root are heard of. A
unit that kills it, or takes too long, costs a new process and is left to the search in c_builds.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any

from cbvtool.analysis.languages.c_commands import Unit

# Units beyond this many are left to the search: the work is bounded by a number, so that a graph never depends on how
# fast the machine is.
MOST_UNITS = 300
_PATIENCE = 30.0  # seconds for one unit
_MEMORY = 3 << 30  # bytes of address space
_FAILURES = 5  # processes that may be lost before the rest of the units is left out
# CXTranslationUnit_KeepGoing after a missing file, SkipFunctionBodies, DetailedPreprocessingRecord
_OPTIONS = 0x200 | 0x40 | 0x01

Inclusion = tuple[str, int, str]  # source, line, target; relative to the root


def available() -> bool:
    """Whether libclang is installed."""
    return find_spec("clang") is not None


def inclusions(root: str, units: Sequence[Unit]) -> Iterator[list[Inclusion] | None]:
    """What each unit includes below `root`, in the order of `units`; None when libclang could not tell."""
    done, failures = 0, 0
    while done < len(units):
        if failures >= _FAILURES:
            yield None
            done += 1
            continue
        for found in _in_process(root, units[done:]):
            yield found
            done += 1
            if found is None:
                failures += 1


def _in_process(root: str, units: Sequence[Unit]) -> Iterator[list[Inclusion] | None]:
    """The same, until the process is lost, which a last None tells."""
    from cbvtool.analysis.workers import lone_process

    process, connection = lone_process(_serve, root, list(units))
    try:
        for _ in units:
            if not connection.poll(_PATIENCE):
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


def _serve(connection: Connection, root: str, units: Sequence[Unit]) -> None:
    """Send what each of the units includes. Runs in a process of its own."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Clang's own words about a crash are for nobody.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import clang.cindex  # type: ignore[import-untyped]

    index = clang.cindex.Index.create()
    for unit in units:
        try:
            connection.send(_inclusions_of(clang.cindex, index, root, unit))
        except clang.cindex.LibclangError:
            connection.send(None)


def flags_of(unit: Unit, root: str) -> list[str]:
    """What libclang is told about a unit: nothing but what `Unit` keeps, and no folder outside of `root`."""
    folders = [("-iquote", folder) for folder in unit.quote] + [("-I", folder) for folder in unit.angle]
    flags = ["-w", "-fsyntax-only", *unit.flags]
    for option, folder in folders:
        flags += [option, os.path.join(root, folder)]
    for path in unit.forced:
        flags += ["-include", os.path.join(root, path)]
    return flags


def _inclusions_of(cindex: Any, index: Any, root: str, unit: Unit) -> list[Inclusion] | None:
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
            break  # the record of the preprocessor comes first
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
