"""Writing a file completely or not at all: the one place of the program that saves (`docs/decisions/saving.md`)."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from cbvtool.errors import InputError

# Temporary files have a short name of their own: the one of the target may be as long as a name can be.
_PART = re.compile(r"\.cbvtool-[0-9a-f]{16}\.part")
_FOLDER = re.compile(r"\.cbvtool-[0-9a-f]{16}\.folder")
_SORTS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_TRIES = 10  # to make a temporary file that nobody takes for one left behind


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` once the block ends, and never if the block raises.

    What stood there before is untouched until then. A symbolic link keeps pointing where it does: its target is
    replaced. Permissions stay, and the owner where the system allows it; other hard links to the file keep what they
    had. What a killed process left behind in the folder is removed. What this process was given as its output
    (`/dev/stdout`) and the null device are written to directly.

    Raises InputError when the file cannot be written: also for any other pipe or device, which is not even opened.
    """
    try:
        with _opened(path) as file:
            yield file
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        if isinstance(error, ValueError) and "\0" not in str(path):
            raise
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}.") from error


@contextmanager
def replacing_folder(path: Path) -> Iterator[Callable[[str], BinaryIO]]:
    """A folder that takes the place of `path` once the block ends, and never if the block raises.

    What is yielded opens a new file of that name in it for writing; the block closes it. What stood at `path` is
    untouched until then: a caller that must not lose it looks before. What a killed process left behind beside it is
    removed. A symbolic link keeps pointing where it does. A kill between the two renames that replace an older folder
    leaves that one beside it, complete, as `.cbvtool-... .old`.

    Raises InputError when the folder cannot be written.
    """
    with replacing_tree(path) as temporary:
        yield lambda name: (temporary / name).open("xb")


@contextmanager
def replacing_tree(path: Path) -> Iterator[Path]:
    """As `replacing_folder`, for what is a folder of folders: yields the folder to fill, whose name will be another."""
    try:
        with _opened_folder(path) as temporary:
            yield temporary
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and "\0" not in str(path):
            raise
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}.") from error


def why_not_file(path: Path) -> str:
    """What else than a file stands at `path`, as the end of a sentence; empty for a file and for nothing.

    Raises OSError when that cannot be found out.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return ""
    return "" if stat.S_ISREG(mode) else f"it is {_SORTS.get(stat.S_IFMT(mode), 'no file')}, not a file"


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if reason := why_not_file(path):
        if not _is_given(path):
            raise OSError(None, reason)
        with path.open("wb") as given:
            yield given
        return
    path = Path(os.path.realpath(path))
    try:
        before = path.stat()
    except FileNotFoundError:
        before = None
    if before is not None and not os.access(path, os.W_OK):
        raise PermissionError(None, "it is read-only")
    remove_left_behind(path.parent)
    # Beside the target: renaming is atomic within one file system only.
    temporary, file = _temporary(path.parent)
    try:
        with file:
            if before is not None:
                _keep_rights(temporary, before)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if sys.platform != "win32":  # which renames no file that is open
                temporary.replace(path)
        if sys.platform == "win32":
            temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


@contextmanager
def _opened_folder(path: Path) -> Iterator[Path]:
    if path.exists() and not path.is_dir():
        raise OSError(None, "it is a file, not a folder")
    path = Path(os.path.realpath(path))
    remove_left_behind(path.parent)
    temporary, lock = _temporary_folder(path.parent)
    try:
        yield temporary
        for entry in (entry for entry in temporary.iterdir() if entry.is_file()):
            with entry.open("rb+") as file:
                os.fsync(file.fileno())
        _sync_folder(temporary)
        old = temporary.with_suffix(".old")
        replaced = path.exists()
        if replaced:
            path.rename(old)
        try:
            temporary.rename(path)
        except BaseException:
            if replaced:
                old.rename(path)
            raise
        if replaced:
            gone = old.rename(temporary)  # what a kill leaves of it from now on, the next save removes
            shutil.rmtree(gone, ignore_errors=True)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        if lock is not None:
            os.close(lock)
    _sync_folder(path.parent)


def _is_given(path: Path) -> bool:
    """Whether `path` is what this process was given to write to, or the null device: nobody has to be waited for."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        return False
    if os.path.realpath(path).startswith(f"/proc/{os.getpid()}/fd/"):
        return True
    with suppress(OSError):
        if os.path.samestat(found, os.stat(os.devnull)):
            return True
    for number in (1, 2):
        with suppress(OSError):  # closed
            if os.path.samestat(found, os.fstat(number)):
                return True
    return False


def _keep_rights(file: Path, before: os.stat_result) -> None:
    """Give `file` the owner, group and permissions that `before` tells, as far as the system allows it."""
    if sys.platform != "win32":
        now = file.stat()
        for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
            if owner not in (-1, now.st_uid) or group not in (-1, now.st_gid):
                with suppress(PermissionError):  # only the administrator gives files away
                    os.chown(file, owner, group)
    file.chmod(stat.S_IMODE(before.st_mode))


def _sync_folder(folder: Path) -> None:
    """Have the new name of a file survive a power cut, where the system can be asked for that."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


# -- temporary files -----------------------------------------------------------------------------------------------


def _temporary(folder: Path) -> tuple[Path, BinaryIO]:
    """A new file in `folder`, open and locked for as long as this process has it open."""
    for _ in range(_TRIES):
        path = folder / f".cbvtool-{secrets.token_hex(8)}.part"
        file = path.open("xb")
        # Another process may have looked through the folder before the lock was there.
        if _lock(file.fileno()) is not False and path.exists():
            return path, file
        file.close()
        with suppress(OSError):
            path.unlink(missing_ok=True)
    raise OSError(None, "its temporary file disappears again and again")


def _temporary_folder(folder: Path) -> tuple[Path, int | None]:
    """A new folder in `folder`, and what to close to unlock it, where folders can be locked."""
    for _ in range(_TRIES):
        path = folder / f".cbvtool-{secrets.token_hex(8)}.folder"
        path.mkdir()
        if sys.platform == "win32":
            return path, None
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        # Another process may have looked through the folder before the lock was there.
        if _lock(number) is not False and path.exists():
            return path, number
        os.close(number)
    raise OSError(None, "its temporary folder disappears again and again")


def remove_left_behind(folder: Path) -> None:
    """Remove the temporary files and folders that processes which were killed left in `folder`.

    One is removed only if it bears a name that this module gives, belongs to this user, is what its name says (file or
    folder), and no process writes it: the lock that `_temporary` takes ends with its process.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _PART.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_unlocked(Path(entry.path))
            elif _FOLDER.fullmatch(entry.name) and sys.platform != "win32":
                with suppress(OSError):
                    _remove_unlocked_folder(Path(entry.path))


def _remove_unlocked(path: Path) -> None:
    if sys.platform == "win32":  # refuses to remove a file that is open
        if stat.S_ISREG(path.lstat().st_mode):
            path.unlink()
        return
    number = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(number)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and _lock(number):
            path.unlink()
    finally:
        os.close(number)


def _remove_unlocked_folder(path: Path) -> None:
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(number).st_uid == os.geteuid() and _lock(number):
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(number)


def _lock(number: int) -> bool | None:
    """Lock an open file; False = another process holds it, None = this system or file system has no locks."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
