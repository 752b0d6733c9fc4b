"""Writes a file completely or not at all: the only place of the program that saves (`docs/decisions/saving.md`)."""

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

# Temporary files have short names of their own, because the name of the target may have the maximum length.
_PART = re.compile(r"\.cbvtool-[0-9a-f]{16}\.part")
_FOLDER = re.compile(r"\.cbvtool-[0-9a-f]{16}\.folder")
_SORTS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_TRIES = 10  # attempts to create a temporary file that no other process removes as left behind


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A binary file that replaces `path` once the block ends, but not if the block raises.

    Until then, an existing file is untouched. A symbolic link is kept: its target is replaced. Permissions are kept,
    and the owner if the system allows it; other hard links keep the old content. Temporary files that a killed process
    left in the folder are removed. The output given to this process (`/dev/stdout`) and the null device are written to
    directly.

    Raises InputError if the file cannot be written; also for any other pipe or device, which is not even opened.
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
    """A folder that replaces `path` once the block ends, but not if the block raises.

    The yielded function opens a new file of the given name in the folder for writing; the block closes it. Until the
    end, an existing folder is untouched; it is then lost, so the caller must check before. Temporary folders that a
    killed process left beside it are removed. A symbolic link is kept. A kill between the two renames that replace an
    older folder leaves that one beside it, complete, as `.cbvtool-... .old`.

    Raises InputError if the folder cannot be written.
    """
    with replacing_tree(path) as temporary:
        yield lambda name: (temporary / name).open("xb")


@contextmanager
def replacing_tree(path: Path) -> Iterator[Path]:
    """As `replacing_folder`, for a folder of folders: yields the folder to fill, which has a temporary name."""
    try:
        with _opened_folder(path) as temporary:
            yield temporary
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and "\0" not in str(path):
            raise
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}.") from error


def why_not_file(path: Path) -> str:
    """Why `path` is not a file, as the end of a sentence; empty if it is a file, or does not exist.

    Raises OSError if that cannot be determined.
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
    # In the target's folder, because renaming is atomic only within one file system.
    temporary, file = _temporary(path.parent)
    try:
        with file:
            if before is not None:
                _keep_rights(temporary, before)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if sys.platform != "win32":  # Windows does not rename open files
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
            gone = old.rename(temporary)  # if a kill leaves it behind from here on, the next save removes it
            shutil.rmtree(gone, ignore_errors=True)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        if lock is not None:
            os.close(lock)
    _sync_folder(path.parent)


def _is_given(path: Path) -> bool:
    """Whether `path` is this process's output or the null device, which do not make it wait for a reader."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        return False
    if os.path.realpath(path).startswith(f"/proc/{os.getpid()}/fd/"):
        return True
    with suppress(OSError):
        if os.path.samestat(found, os.stat(os.devnull)):
            return True
    for number in (1, 2):
        with suppress(OSError):  # the stream is closed
            if os.path.samestat(found, os.fstat(number)):
                return True
    return False


def _keep_rights(file: Path, before: os.stat_result) -> None:
    """Give `file` the owner, group and permissions in `before`, as far as the system allows it."""
    if sys.platform != "win32":
        now = file.stat()
        for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
            if owner not in (-1, now.st_uid) or group not in (-1, now.st_gid):
                with suppress(PermissionError):  # only an administrator may give files to others
                    os.chown(file, owner, group)
    file.chmod(stat.S_IMODE(before.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the new name of a file survive a power failure, if the system supports that."""
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
    """A new file in `folder`, open, and locked as long as this process has it open."""
    for _ in range(_TRIES):
        path = folder / f".cbvtool-{secrets.token_hex(8)}.part"
        file = path.open("xb")
        # Another process may have removed the file before it was locked.
        if _lock(file.fileno()) is not False and path.exists():
            return path, file
        file.close()
        with suppress(OSError):
            path.unlink(missing_ok=True)
    raise OSError(None, "its temporary file disappears again and again")


def _temporary_folder(folder: Path) -> tuple[Path, int | None]:
    """A new folder in `folder`, and a descriptor whose closing unlocks it, if folders can be locked."""
    for _ in range(_TRIES):
        path = folder / f".cbvtool-{secrets.token_hex(8)}.folder"
        path.mkdir()
        if sys.platform == "win32":
            return path, None
        number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        # Another process may have removed the folder before it was locked.
        if _lock(number) is not False and path.exists():
            return path, number
        os.close(number)
    raise OSError(None, "its temporary folder disappears again and again")


def remove_left_behind(folder: Path) -> None:
    """Remove the temporary files and folders that killed processes left in `folder`.

    One is removed only if its name comes from this module, it belongs to this user, its type matches its name (file or
    folder), and no process is writing it: the lock taken by `_temporary` ends with its process.
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
    if sys.platform == "win32":  # Windows refuses to remove open files
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
    """Lock an open file; False = another process holds the lock, None = this system or file system has no locks."""
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
