"""Reader of compilation databases (https://clang.llvm.org/docs/JSONCompilationDatabase.html). Nothing in one is run.

A database was written by a build, perhaps on another machine, perhaps with bad intent: of its flags, only include
paths and macro definitions are kept.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from posixpath import isabs, join, normpath
from typing import Any, NamedTuple

from cbvtool.regular_file import Unreadable, read_bytes

FILE_NAME = "compile_commands.json"
_LIMIT = 100_000_000  # bytes; that of LLVM has 20 MB
_BUILD_FOLDERS = ("build", "out", "cmake-build", "_build", "builddir")  # prefixes of names of build folders
_SEARCHED = ("-iquote", "-I", "-isystem", "-idirafter")
_PLAIN = ("-D", "-U")
_TAKING = (*_SEARCHED, *_PLAIN, "-include", "-imacros", "-x")


class Unit(NamedTuple):
    """One translation unit; all paths relative to the root.

    source   the file that is compiled
    quote    folders for `#include "..."` alone, in order
    angle    folders for all includes, in order
    forced   files that are included before the first line
    flags    other options that affect includes: macros, language, standard
    """

    source: str
    quote: tuple[str, ...]
    angle: tuple[str, ...]
    forced: tuple[str, ...]
    flags: tuple[str, ...]


def find_database(root: str) -> str | None:
    """The compilation database in `root`, else in the first build folder in it that has one; None = none.

    Build folders are listed here because git mostly ignores them.
    """
    found = []
    try:
        with os.scandir(root) as entries:
            folders = [
                entry.path
                for entry in entries
                if entry.name.startswith(_BUILD_FOLDERS) and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return None
    for folder in (root, *sorted(folders)):
        path = os.path.join(folder, FILE_NAME)
        if os.path.isfile(path) and not os.path.islink(path):
            found.append(path)
    return found[0] if found else None


def read_database(path: str, root: str, known: Callable[[str], bool]) -> tuple[Unit, ...]:
    """The units of the database at `path` whose sources are `known` files. Raises ValueError with one sentence.

    root  the analysed folder. A database that was written for a copy of the folder elsewhere works, too
    """
    try:
        entries = json.loads(read_bytes(path, _LIMIT))
    except (Unreadable, ValueError, RecursionError) as error:
        raise ValueError(f"{FILE_NAME} is not used: {error}.") from error
    if not isinstance(entries, list):
        raise ValueError(f"{FILE_NAME} is not used: it holds no list.")
    commands = [command for entry in entries if (command := _command(entry)) is not None]
    base = _base(commands, root, known)
    units = (_unit(command, base) for command in commands)
    return tuple(dict.fromkeys(unit for unit in units if unit is not None and known(unit.source)))


class _Command(NamedTuple):
    directory: str
    file: str
    arguments: tuple[str, ...]


def _command(entry: Any) -> _Command | None:
    if not isinstance(entry, dict):
        return None
    directory, file, arguments = entry.get("directory"), entry.get("file"), entry.get("arguments")
    if arguments is None and isinstance(command := entry.get("command"), str):
        try:
            arguments = shlex.split(command)
        except ValueError:
            return None
    if not (isinstance(directory, str) and isinstance(file, str) and isinstance(arguments, list)):
        return None
    if not all(isinstance(argument, str) for argument in arguments):
        return None
    return _Command(directory, normpath(join(directory, file)), tuple(arguments))


def _base(commands: Iterable[_Command], root: str, known: Callable[[str], bool]) -> str:
    """The folder that takes the place of `root` in the database's paths, found by the first source that is `known`."""
    for command in commands:
        if command.file.startswith(f"{root}/"):
            return root
        parts = command.file.split("/")
        for start in range(1, len(parts) - 1):  # a file name alone is not sufficient evidence
            if known("/".join(parts[start:])):
                return "/".join(parts[:start])
    return root


def _unit(command: _Command, base: str) -> Unit | None:
    source = _relative(command.file, base)
    if source is None:
        return None
    folders: dict[str, list[str]] = {flag: [] for flag in _SEARCHED}
    forced: list[str] = []
    flags: list[str] = []
    for flag, value in _options(command.arguments[1:]):
        if flag in _SEARCHED:
            folder = _relative(normpath(join(command.directory, value)), base)
            if folder is not None:
                folders[flag].append(folder)
        elif flag in ("-include", "-imacros"):
            path = _relative(normpath(join(command.directory, value)), base)
            forced += [path] if path else []
        elif flag in _PLAIN or flag == "-std":
            flags.append(f"{flag}{'=' if flag == '-std' else ''}{value}")
        elif flag == "-x" and value in ("c", "c++"):
            flags += [flag, value]
    angle = (*folders["-I"], *folders["-isystem"], *folders["-idirafter"])
    return Unit(source, tuple(folders["-iquote"]), tuple(dict.fromkeys(angle)), tuple(forced), tuple(flags))


def _options(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The options that are kept, each with its value; all others, such as plugins and response files, are left out."""
    waiting = ""
    for argument in arguments:
        if waiting:
            yield waiting, argument
            waiting = ""
        elif argument in _TAKING:
            waiting = argument
        elif argument.startswith("-std="):
            yield "-std", argument[5:]
        else:
            flag = next((flag for flag in (*_SEARCHED, *_PLAIN) if argument.startswith(flag)), None)
            if flag is not None:
                yield flag, argument[len(flag) :]


def _relative(path: str, base: str) -> str | None:
    """`path` relative to `base`; None when it is not below it."""
    path = normpath(path.replace("\\", "/"))
    if path == base:
        return ""
    if path.startswith(f"{base}/"):
        return path[len(base) + 1 :]
    return None if isabs(path) or path.startswith("..") else path
