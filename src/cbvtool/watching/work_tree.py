"""Waits for changes of a folder: each save, deletion, checkout or commit is told once it has come to rest."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from watchfiles import watch

from cbvtool.analysis.walk import LEFT_OUT_ENDINGS, LEFT_OUT_FOLDERS
from cbvtool.errors import InputError
from cbvtool.mining.locate import NotReadable, find_repository

_REST = 100  # ms without a further change after which it is told
_LONGEST = 2_000  # ms of changes without a rest after which it is told all the same
_LOOK = 200  # ms between two calls of `check`
_POLL = 2_000  # ms between two looks at all files where the system tells nothing
_CHECKOUT = 60.0  # seconds that a checkout of git may take
# File systems on other machines: what is written there, no event tells.
_REMOTE = ("nfs", "cifs", "smb", "9p", "afs", "fuse.", "ncp", "davfs", "vboxsf", "prl_fs", "drvfs")
_PASSING = ("~", ".swp", ".swx", ".swo", ".pyc", ".lock", ".tmp")  # what editors and git write beside a file
_OF_GIT = ("HEAD", "packed-refs", "refs", "index")  # what a commit, a checkout or `git add` changes


def changes(
    root: Path, tell: Callable[[str], object], check: Callable[[], object], poll: bool | None = None
) -> Iterator[None]:
    """Yields after each change below `root`, or in its repository, that an analysis may notice. Never ends by itself.

    tell   is given a sentence where the system does not tell of changes, so that all files are looked at now and then
    check  is called several times a second; what it raises ends the watch
    poll   whether to look at all files now and then; None = where the system does not tell

    The first time it yields once it is watching: what happened before is not told. A checkout is told once it is over.
    Raises InputError for a folder that cannot be watched at all.
    """
    git = _git_folder(root)
    if poll is None and (poll := _is_remote(root)):
        tell(f"{root.name} lies on another machine: its files are looked at every {_POLL / 1000:g} seconds")
    try:
        yield from (_polled if poll else _told)(root, git, check)
    except (OSError, RuntimeError) as error:  # of watchfiles itself: it says so for a limit, too
        if poll or not root.is_dir():
            raise InputError(f"{root} cannot be followed: {error}.") from error
        tell(
            f"The system watches no more folders, so the files of {root.name} are looked at every {_POLL / 1000:g} "
            "seconds (on Linux, raise fs.inotify.max_user_watches)"
        )
        yield from _polled(root, git, check)


def _told(root: Path, git: Path | None, check: Callable[[], object]) -> Iterator[None]:
    """By events of the system."""
    events = watch(
        root,
        *([git] if git and not git.is_relative_to(root) else []),
        watch_filter=None,
        debounce=_LONGEST,
        step=_REST,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
        raise_interrupt=False,
        force_polling=False,
        ignore_permission_denied=True,
    )
    next(events)  # it watches now
    yield
    for found in events:
        check()
        if not root.is_dir():
            raise OSError("it is not there any more")
        if any(matters(path, root, git) for _, path in found):
            _await_checkout(git, check)
            yield


def _polled(root: Path, git: Path | None, check: Callable[[], object]) -> Iterator[None]:
    """By a look at all files now and then: exact to what the file system says of their times."""
    seen = _stamps(root, git)
    yield
    while True:
        until = time.monotonic() + _POLL / 1000
        while (rest := until - time.monotonic()) > 0:
            check()
            time.sleep(min(rest, _LOOK / 1000))
        if not root.is_dir():
            raise OSError("it is not there any more")
        now = _stamps(root, git)
        if now != seen:
            _await_checkout(git, check)
            seen = now
            yield


def _stamps(root: Path, git: Path | None) -> dict[str, tuple[int, int]]:
    """What is below `root`, and the branch that is checked out, with size and time of each file."""
    found: dict[str, tuple[int, int]] = {}
    for folder, below, files in os.walk(root):
        below[:] = [name for name in below if name not in LEFT_OUT_FOLDERS]
        for place in (folder, *(os.path.join(folder, name) for name in files)):
            found[place] = _stamp(place)
    if git is not None:
        for name in ("HEAD", "index", "logs/HEAD"):
            found[str(git / name)] = _stamp(git / name)
    return found


def _stamp(place: str | Path) -> tuple[int, int]:
    try:
        status = os.stat(place)
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def matters(path: str, root: Path, git: Path | None) -> bool:
    """Whether a file or folder that changed may be seen by an analysis, or is what git checks out by."""
    if git is not None:
        with suppress(ValueError):
            inside = Path(path).relative_to(git)
            return bool(inside.parts) and inside.parts[0] in _OF_GIT and not path.endswith(".lock")
    if path.endswith(_PASSING):
        return False
    with suppress(ValueError):
        parts = Path(path).relative_to(root).parts
        return not any(part in LEFT_OUT_FOLDERS or part.endswith(LEFT_OUT_ENDINGS) for part in parts)
    return False


def _await_checkout(git: Path | None, check: Callable[[], object]) -> None:
    """Wait while git writes the work tree."""
    until = time.monotonic() + _CHECKOUT
    while git is not None and (git / "index.lock").exists() and time.monotonic() < until:
        check()
        time.sleep(_LOOK / 1000)


def _git_folder(root: Path) -> Path | None:
    try:
        repository = find_repository(root)
    except NotReadable:
        return None
    return None if repository is None else Path(os.path.realpath(repository.git_dir))


def _is_remote(root: Path) -> bool:
    """Whether a folder lies on another machine."""
    import psutil  # only where somebody watches

    with suppress(OSError, psutil.Error):
        return is_remote_mount(root, ((part.mountpoint, part.fstype) for part in psutil.disk_partitions(all=True)))
    return False


def is_remote_mount(root: Path, mounts: Iterable[tuple[str, str]]) -> bool:
    """Whether the innermost of `mounts` (where, file system) around `root` is on another machine."""
    around = [(len(Path(place).parts), kind) for place, kind in mounts if root.is_relative_to(place)]
    return bool(around) and max(around)[1].casefold().startswith(_REMOTE)
