"""The user's own editor: a command from the user's settings, started without a shell, with a file and a line."""

from __future__ import annotations

import os
import re
import shlex
import stat
import sys
from pathlib import Path

from qtpy.QtCore import QProcess, QStandardPaths, QUrl
from qtpy.QtGui import QDesktopServices

from cbvtool.errors import InputError

PRESETS: tuple[tuple[str, str], ...] = (
    ("The system's program for the file", ""),
    ("Visual Studio Code", "code --goto {file}:{line}"),
    ("PyCharm", "pycharm --line {line} {file}"),
    ("Vim in a terminal", "x-terminal-emulator -e vim +{line} {file}"),
    ("Emacs", "emacs +{line} {file}"),
)
"""What to call it, and the command; empty: whatever the system opens such a file with."""

_PLACE = re.compile(r"\{(file|line)\}")
# What a desktop runs instead of showing it; on Windows that includes scripts. The subject is untrusted.
_RUN = frozenset({".desktop", ".appimage", ".run", ".command", ".app", ".jar", ".jnlp", ".terminal", ".workflow"})
_RUN_ON_WINDOWS = frozenset(
    f".{ending}"
    for ending in (
        "bat",
        "cmd",
        "com",
        "cpl",
        "exe",
        "hta",
        "inf",
        "js",
        "jse",
        "lnk",
        "msc",
        "msi",
        "pif",
        "ps1",
        "py",
        "pyc",
        "pyw",
        "pyz",
        "rb",
        "pl",
        "php",
        "reg",
        "scf",
        "scr",
        "url",
        "vb",
        "vbe",
        "vbs",
        "ws",
        "wsf",
        "wsh",
    )
)
_FOR_CMD = frozenset('&|<>^%!"\n')  # what the interpreter of .bat and .cmd would take for more than a name


def arguments(command: str, file: Path, line: int, root: Path) -> list[str]:
    """Program and arguments for an editor's `command`, with `{file}` and `{line}` filled in.

    file   absolute, so that no program takes it for an option
    root   the subject's folder, out of which nothing is run

    Raises InputError for a command that cannot be run.
    """
    try:
        parts = [part.strip("\"'") for part in shlex.split(command, posix=False)]  # keeps \ of Windows paths
    except ValueError as error:
        raise InputError(f"The editor command {command!r} cannot be understood: {error}.") from None
    if not parts or _PLACE.search(parts[0]) or not any("{file}" in part for part in parts[1:]):
        raise InputError(f"The editor command {command!r} must name a program, and {{file}} where the file goes.")
    found = parts[0] if os.path.isabs(parts[0]) else QStandardPaths.findExecutable(parts[0])
    if not found or not os.path.isfile(found):
        raise InputError(f"The editor {parts[0]!r} was not found: choose another one in File > Settings.")
    if Path(os.path.realpath(found)).is_relative_to(os.path.realpath(root)):
        raise InputError(f"The editor {found} lies inside the folder that is looked at, so it is not run.")
    if found.lower().endswith((".bat", ".cmd")) and _FOR_CMD & set(str(file)):
        raise InputError(f"{file.name} cannot be given to {Path(found).name}: its name has special characters.")
    values = {"file": os.path.abspath(file), "line": str(max(line, 1))}
    return [found, *(_PLACE.sub(lambda place: values[place[1]], part) for part in parts[1:])]


def problem(command: str) -> str:
    """Why a file could not be opened with `command`, one sentence; empty = it could, as far as can be told."""
    if not command.strip():
        return ""
    nowhere = Path(os.path.abspath(os.sep), "file")
    try:
        arguments(command, nowhere, 1, nowhere)
    except InputError as error:
        return str(error)
    return ""


def is_run_by_system(file: Path, *, windows: bool = sys.platform == "win32") -> bool:
    """Whether the system might run `file` when it is asked to open it."""
    ending = file.suffix.lower()
    if ending in _RUN or (windows and ending in _RUN_ON_WINDOWS):
        return True
    return not windows and bool(file.stat().st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH))


def open_in_editor(command: str, file: Path, line: int, root: Path) -> None:
    """Open an existing file at a line. Raises InputError when that is not possible."""
    if not file.is_file():
        raise InputError(f"{file.name} is not there any more: analyse the folder again.")
    if command.strip():
        program, *rest = arguments(command, file, line, root)
        started = QProcess.startDetached(program, rest, str(Path.home()))
        if not (started[0] if isinstance(started, tuple) else started):
            raise InputError(f"The editor {program} could not be started.")
        return
    if is_run_by_system(file):
        raise InputError(f"The system might run {file.name} instead of showing it: choose an editor in the settings.")
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(file))):
        raise InputError(f"The system has no program for {file.name}: choose an editor in File > Settings.")
