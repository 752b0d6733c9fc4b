"""Recovery copies: unsaved plans in the user's data folder, found again after a crash.

Every window has copies of its own: its name and the number of the plan are part of the file name, and as long as the
window lives it holds a lock file. A copy whose window is dead is offered. It goes away when somebody answers the offer,
or when the very plan that it holds has been saved; never because another window writes.

Nothing here knows Qt. What a window does with its own copies is `OwnCopies`; everything else is a function.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import platformdirs

from cbvtool import regular_file
from cbvtool.errors import InputError
from cbvtool.plan.document import Document, read_document, write_document
from cbvtool.plan.moved import is_it
from cbvtool.plan.process_lock import ProcessLock, is_locked, lock

_NAME = re.compile(r".*-(?P<key>[0-9a-f]{16})(?:\.(?P<window>[0-9a-f]{12})-(?P<number>\d{1,9}))?\.cbv", re.DOTALL)
_MEMBER = "recovery"  # what a copy says besides what every document says; readers of documents ignore it
_STEM = 60  # bytes of what is opened that are part of the name, for people who look into the folder
_TRIES = 3
_SETTLED = 60.0  # seconds: a lock file so old is no longer about to be locked


class Named(NamedTuple):
    """What the name of a copy says.

    key      digest of the path of what was open
    window   whose copy it is; empty for those of versions that had one copy for all windows
    """

    key: str
    window: str
    number: int


@dataclass(frozen=True)
class RecoveryCopy:
    """One unsaved plan in the recovery folder.

    time       when it was written, in seconds since the epoch
    named      what its file name says
    opened     the `.cbv` file, or the folder or graph file without one, that was open; None = not known
    digest     of the document that the plan began with, see `Document.digest`
    document   what it holds; None if it cannot be read, and then `fault` is a sentence that says why
    """

    path: Path
    time: float
    named: Named
    opened: Path | None = None
    digest: str = ""
    document: Document | None = None
    fault: str = ""

    @property
    def steps(self) -> int:
        """How many steps its plans have."""
        return 0 if self.document is None else sum(len(plan.done) for plan in self.document.plans)

    @property
    def last(self) -> str:
        """What the last step of the plan that was shown is called, or of another plan; empty without one."""
        plans = () if self.document is None else (self.document.plan, *self.document.plans)
        return next((plan.done[-1].label for plan in plans if plan.done), "")


# -- names ---------------------------------------------------------------------------------------------------------


def recovery_folder() -> Path:
    """Where the copies of this user lie."""
    return platformdirs.user_data_path("cbvtool", appauthor=False) / "recovery"


def key_of(opened: Path) -> str:
    """What the names of all copies of `opened` share: 16 hexadecimal digits."""
    return hashlib.sha256(os.fsencode(os.path.realpath(opened))).hexdigest()[:16]


def name_of_copy(opened: Path, window: str, number: int) -> str:
    """The file name of a copy. `window`: 12 hexadecimal digits."""
    stem = os.fsencode(Path(os.path.realpath(opened)).stem)[:_STEM].decode(errors="ignore") or "root"
    return f"{stem}-{key_of(opened)}.{window}-{number}.cbv"


def read_name(name: str) -> Named | None:
    """What the name of a copy says; None for any other file."""
    found = _NAME.fullmatch(name)
    return found and Named(found["key"], found["window"] or "", int(found["number"] or 0))


def lock_of(window: str, folder: Path) -> Path:
    """The file that a living window holds."""
    return folder / f"{window}.lock"


# -- what there is, and what is offered ----------------------------------------------------------------------------


def list_copies(folder: Path | None = None) -> list[RecoveryCopy]:
    """All copies, those that cannot be read included."""
    folder = folder or recovery_folder()
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    copies = [_read_copy(folder / name, named) for name in names if (named := read_name(name)) is not None]
    return [copy for copy in copies if copy is not None]


def living_windows(windows: Iterable[str], folder: Path | None = None) -> frozenset[str]:
    """Those of `windows` that a living process holds."""
    folder = folder or recovery_folder()
    return frozenset(window for window in windows if window and is_locked(lock_of(window, folder)))


def is_of(copy: RecoveryCopy, opened: Path, subject: Path, exists: Callable[[Path], bool] = Path.exists) -> bool:
    """Whether a copy is to be offered to those who open `opened`, which is about `subject`.

    That is: it is of `opened`; or what it is of is gone, and it was about this subject, wherever that lay then.
    """
    if copy.named.key == key_of(opened):
        return True
    if copy.document is None or copy.opened is None or exists(copy.opened):
        return False
    about = copy.document.subject
    return os.path.realpath(about) == os.path.realpath(subject) or (not exists(about) and is_it(copy.document, subject))


def is_saved(copy: RecoveryCopy, saved: Document | None) -> bool:
    """Whether the plan in a copy is what the document holds; without one (None) an empty plan is."""
    return copy.document is not None and _kept(copy.document) == (_kept(saved) if saved else _EMPTY)


def offered(
    copies: Iterable[RecoveryCopy],
    opened: Path,
    subject: Path,
    living: Collection[str],
    saved: Document | None = None,
    exists: Callable[[Path], bool] = Path.exists,
) -> list[RecoveryCopy]:
    """The copies to offer to those who open `opened`, the latest first.

    living   names of windows whose copies are theirs alone
    saved    what `opened` holds, if it is a document
    """
    found = [
        copy
        for copy in copies
        if copy.named.window not in living and is_of(copy, opened, subject, exists) and not is_saved(copy, saved)
    ]
    return sorted(found, key=lambda copy: (copy.time, copy.named), reverse=True)


def find_offered(
    opened: Path, subject: Path, saved: Document | None = None, folder: Path | None = None
) -> list[RecoveryCopy]:
    """The copies to offer to those who open `opened`, the latest first; those of plans that are saved are removed."""
    copies = list_copies(folder)
    living = living_windows({copy.named.window for copy in copies}, folder)
    for copy in copies:
        if copy.named.window not in living and is_of(copy, opened, subject) and is_saved(copy, saved):
            discard_copy(copy)
    return offered(copies, opened, subject, living, saved)


def discard_copy(copy: RecoveryCopy) -> None:
    """Delete a copy: somebody said that nobody needs it."""
    with suppress(OSError):
        copy.path.unlink(missing_ok=True)


_EMPTY: tuple[object, ...] = ((((), "Plan 1"),), [])


def _kept(document: Document) -> tuple[object, ...]:
    """What would be lost with a document: the steps of its plans, and the views that have a name."""
    return tuple((plan.done, plan.name) for plan in document.plans), document.view.get("named") or []


def _read_copy(path: Path, named: Named) -> RecoveryCopy | None:
    """One copy; None if it is gone."""
    try:
        written = path.stat().st_mtime
    except OSError:
        return None
    try:
        document = read_document(path)
        opened, digest = _origin(path)
    except InputError as error:
        return RecoveryCopy(path, written, named, fault=str(error)) if path.exists() else None
    return RecoveryCopy(path, written, named, opened, digest, document)


def _origin(path: Path) -> tuple[Path | None, str]:
    """What was open when a copy was written, and the digest of what it held then."""
    try:
        with regular_file.opened(path) as file:
            said = json.load(file)[_MEMBER]
        return Path(str(said["opened"])), str(said["digest"])
    except (OSError, ValueError, KeyError, TypeError):  # of an earlier version
        return None, ""


# -- the copies of one window --------------------------------------------------------------------------------------


class OwnCopies:
    """The recovery copies that one window writes: one for each unsaved plan, of which the last is the present one.

    Not for two threads at once.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._window = ""
        self._lock: ProcessLock | None = None
        self._number = 1
        self.present: Path | None = None  # where the copy of the present plan lies, if there is one

    def write(self, document: Document, opened: Path, digest: str) -> Path:
        """Write the copy of the present plan, and return where it lies.

        opened   what is open: the `.cbv` file, or the folder or graph file without one
        digest   of what was read from it

        Raises InputError if that is not possible; the copy before is untouched then.
        """
        path = self._path(opened)
        write_document(document, path, {_MEMBER: {"opened": os.path.abspath(opened), "digest": digest}})
        if self.present not in (None, path):  # the same plan, with another file that it belongs to
            self.discard()
        self.present = path
        return path

    def claim(self, copy: RecoveryCopy, opened: Path) -> None:
        """Make a copy of a dead window that of the present plan. Raises InputError if another window did so before."""
        self.begin()
        path = self._path(opened)
        try:
            copy.path.replace(path)
        except FileNotFoundError:
            raise InputError("That plan was restored or discarded in another window.") from None
        except OSError as error:
            raise InputError(f"{copy.path} cannot be renamed: {error.strerror or error}.") from error
        self.present = path

    def begin(self) -> None:
        """Another plan is the present one; the copy of the one before stays."""
        self._number += 1
        self.present = None

    def discard(self) -> None:
        """Delete the copy of the present plan: it was saved, or nobody wants it."""
        if self.present is not None:
            with suppress(OSError):
                self.present.unlink(missing_ok=True)
        self.present = None

    def close(self) -> None:
        """The window ends; copies that are still there are offered from now on."""
        if self._lock is not None:
            self._lock.release()
        self._lock, self._window = None, ""

    def _path(self, opened: Path) -> Path:
        folder = self._folder or recovery_folder()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(f"{folder} cannot be made: {error.strerror or error}.") from error
        if not self._window:
            self._begin_to_live(folder)
        return folder / name_of_copy(opened, self._window, self._number)

    def _begin_to_live(self, folder: Path) -> None:
        remove_dead_locks(folder)
        for _ in range(_TRIES):  # somebody may look at the new lock before it is held
            self._window = secrets.token_hex(6)
            self._lock = lock(lock_of(self._window, folder))
            if self._lock is not None:
                return
        # Where nothing can be locked, a second window offers the copies of the first: too much rather than too little.


def remove_dead_locks(folder: Path) -> None:
    """Remove the lock files of windows that are dead; without one they are known to be."""
    for path in folder.glob("*.lock"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _SETTLED and not is_locked(path):
                path.unlink()
