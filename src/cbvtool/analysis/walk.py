"""Which files a folder holds: what is left out, and names that any file format can carry."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cbvtool.errors import InputError
from cbvtool.progress import Progress, silent

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# Folders that hold no source of the project's own: version control, environments, packages, caches.
LEFT_OUT_FOLDERS = frozenset({
    ".git", ".hg", ".svn", ".bzr", ".jj", "CVS",
    ".venv", "node_modules", "bower_components", "__pypackages__", ".eggs", ".tox", ".nox",
    "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache",
    ".ipynb_checkpoints", ".cache", ".gradle", ".idea", ".vs",
})  # fmt: skip
LEFT_OUT_ENDINGS = (".egg-info", ".dist-info")
_ENVIRONMENT_MARK = "pyvenv.cfg"  # a folder that holds it is a virtual environment, whatever its name
_LISTED = 20  # names of folders in a note
_WILDCARDS = 3  # in one part of a pattern: the time is that power of the length of a name
_IGNORE_FILE_LIMIT = 1 << 20  # bytes; a longer .gitignore is not one


class FoundFile(NamedTuple):
    """A regular file.

    path  relative to the root as the system spells it, with `/`; may hold surrogates (PEP 383)
    id    the same as valid Unicode, unique; equals `path` for all but undecodable names
    size  bytes
    """

    path: str
    id: str
    size: int


class LeftOut(NamedTuple):
    """Something that is not in the picture or was not read, and why (half a sentence)."""

    path: str
    reason: str


@dataclass
class Listing:
    """What the walk found: files in ascending order of their ids, and what it left out.

    folders   names of left-out folders -> how often
    ignored   number of files and folders that a .gitignore names
    """

    files: list[FoundFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    folders: dict[str, int] = field(default_factory=dict)
    ignored: int = 0

    def notes(self) -> list[str]:
        """One sentence for each kind of thing that was left out without listing it."""
        found = []
        if self.folders:
            names = [f"{name} ({count:,})" if count > 1 else name for name, count in sorted(self.folders.items())]
            listed = names[:_LISTED] + ["..."] * (len(names) > _LISTED)
            found.append(f"Left out as not the project's own source: {', '.join(listed)}.")
        if self.ignored:
            found.append(f"Left out because a .gitignore names them: {self.ignored:,} files and folders.")
        return found


class _Ignore(NamedTuple):
    """The patterns of one .gitignore; they hold below `folder`."""

    folder: str
    spec: GitIgnoreSpec


def walk(root: Path, progress: Progress = silent) -> Listing:
    """List the files below `root`. No symbolic link is followed, so there are no loops and no way out.

    Raises InputError when `root` itself cannot be listed.
    """
    listing = Listing()
    base = os.fspath(root)
    todo: list[tuple[str, str, tuple[_Ignore, ...]]] = [("", "", ())]
    while todo:
        path, shown, ignores = todo.pop()
        progress("Looking for files", len(listing.files), 0)
        try:
            with os.scandir(os.path.join(base, path)) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            if not path:
                raise InputError(f"The folder {readable(base)!r} cannot be listed: {reason_of(error)}.") from error
            listing.left_out.append(LeftOut(shown, f"cannot be listed: {reason_of(error)}"))
            continue
        if path and any(entry.name == _ENVIRONMENT_MARK for entry in entries):
            _count(listing, path.rsplit("/", 1)[-1])
            continue
        ignores = _with_own_patterns(ignores, path, entries, listing, shown)
        taken: set[str] = set()
        for entry in entries:
            inside = f"{path}/{entry.name}" if path else entry.name
            name = _unique(readable(entry.name), taken)
            _sort(listing, todo, entry, inside, f"{shown}/{name}" if shown else name, ignores)
    listing.files.sort(key=lambda file: file.id)
    listing.left_out.sort()
    return listing


def _sort(
    listing: Listing, todo: list[tuple[str, str, tuple[_Ignore, ...]]], entry: os.DirEntry[str],
    path: str, shown: str, ignores: tuple[_Ignore, ...],
) -> None:  # fmt: skip
    """Put one entry of a folder where it belongs."""
    ending = next((ending for ending in LEFT_OUT_ENDINGS if entry.name.endswith(ending)), None)
    if ending or entry.name in LEFT_OUT_FOLDERS:
        _count(listing, f"*{ending}" if ending else entry.name)
        return
    try:
        folder = entry.is_dir(follow_symlinks=False)
        if _is_ignored(ignores, f"{path}/" if folder else path):
            listing.ignored += 1
        elif folder:
            todo.append((path, shown, ignores))
        elif entry.is_symlink():
            listing.left_out.append(LeftOut(shown, "is a symbolic link, which is not followed"))
        else:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                listing.files.append(FoundFile(path, shown, status.st_size))
            else:
                listing.left_out.append(LeftOut(shown, "is not a regular file"))
    except OSError as error:
        listing.left_out.append(LeftOut(shown, f"cannot be read: {reason_of(error)}"))


def _count(listing: Listing, name: str) -> None:
    name = readable(name)
    listing.folders[name] = listing.folders.get(name, 0) + 1


def _with_own_patterns(
    ignores: tuple[_Ignore, ...], folder: str, entries: list[os.DirEntry[str]], listing: Listing, shown: str
) -> tuple[_Ignore, ...]:
    """`ignores` and, innermost and first, the folder's own .gitignore."""
    for entry in entries:
        if entry.name == ".gitignore" and entry.is_file(follow_symlinks=False):
            from pathspec import GitIgnoreSpec  # costs 20 ms, and most folders have no .gitignore

            place = f"{shown}/.gitignore" if shown else ".gitignore"
            try:
                patterns = _patterns(entry.path)
                costly = [pattern for pattern in patterns if _is_costly(pattern)]
                spec = GitIgnoreSpec.from_lines([pattern for pattern in patterns if pattern not in costly])
            except (OSError, ValueError) as error:
                listing.left_out.append(LeftOut(place, f"its patterns are not honoured: {reason_of(error)}"))
                return ignores
            listing.left_out += [
                LeftOut(place, f"the pattern {readable(pattern)!r} is not honoured: too many wildcards")
                for pattern in costly
            ]
            return (_Ignore(folder, spec), *ignores)
    return ignores


def _patterns(path: str) -> list[str]:
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
        text = file.read(_IGNORE_FILE_LIMIT + 1)
    if len(text) > _IGNORE_FILE_LIMIT:
        raise ValueError("it is longer than 1 MB")
    return text.split("\n")


def _is_costly(pattern: str) -> bool:
    """Whether matching may take time with a high power of a path's length, as a hostile repository would have it."""
    parts = pattern.split("/")
    return parts.count("**") > _WILDCARDS or any(part != "**" and part.count("*") > _WILDCARDS for part in parts)


def _is_ignored(ignores: tuple[_Ignore, ...], path: str) -> bool:
    """Whether git would ignore `path`: the innermost .gitignore that has a word on it decides."""
    for ignore in ignores:
        inside = path[len(ignore.folder) + 1 :] if ignore.folder else path
        verdict = ignore.spec.check_file(inside).include
        if verdict is not None:
            return verdict
    return False


def readable(name: str) -> str:
    """`name` as valid Unicode: bytes that are none become U+FFFD (JSON and Qt take no surrogates)."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unique(name: str, taken: set[str]) -> str:
    """`name`, numbered when a sibling already reads the same."""
    found = next(numbered for numbered in _numbered(name) if numbered not in taken)
    taken.add(found)
    return found


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}#{number}"
        number += 1


def reason_of(error: Exception) -> str:
    """Why something failed, without the path and the number that Python puts around it."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
