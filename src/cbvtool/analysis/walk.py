"""Lists the files of a folder, reports left-out ones, and gives every file an id that is valid in all formats."""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from cbvtool.analysis.patterns import Patterns
from cbvtool.analysis.settings import AnalysisSettings
from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import InputError
from cbvtool.links import real_path
from cbvtool.mining.git_index import Tracked, repository_around
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import opened

# Folders that hold no source of the project's own: version control, environments, packages, caches.
LEFT_OUT_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".bzr",
        ".jj",
        "CVS",
        ".venv",
        "node_modules",
        "bower_components",
        "__pypackages__",
        ".eggs",
        ".tox",
        ".nox",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".import_linter_cache",
        ".ipynb_checkpoints",
        ".cache",
        ".gradle",
        ".idea",
        ".vs",
    }
)
LEFT_OUT_ENDINGS = (".egg-info", ".dist-info")
_ENVIRONMENT_MARK = "pyvenv.cfg"  # a folder that holds it is a virtual environment, whatever its name
# Folders filled by a package manager, recognised by its files. Copies made by hand are read.
_DOWNLOADED = {
    "vendor": ("modules.txt", "autoload.php", "bundle"),
    "Godeps": ("Godeps.json",),
    "Pods": ("Manifest.lock",),
    "Carthage": ("Build", "Checkouts"),
}
_LISTED = 20  # names of folders in a note
_MOST_LINKED = 100_000  # most files listed behind links to folders, which may form cycles
_IGNORE_FILE_LIMIT = 1 << 20  # bytes; a longer .gitignore is ignored
_MOST_PATTERNS = 500_000  # characters of all patterns of all .gitignore files
_IGNORING_SECONDS = 10  # for all .gitignore files; a large project needs one
_AT_ONCE = 1_000  # entries of a folder between two progress reports


class FoundFile(NamedTuple):
    """A regular file.

    path   relative to the root as the system spells it, with `/`; may hold surrogates (PEP 383)
    id     the path as valid Unicode, unique; equals `path` except for undecodable names
    size   bytes
    stamp  times of the last change of content and of state in ns, and the inode: together with the size, this changes
           whenever the file does
    """

    path: str
    id: str
    size: int
    stamp: tuple[int, int, int] = (0, 0, 0)


class LeftOut(NamedTuple):
    """A file or folder that was left out or not read, and why (half a sentence)."""

    path: str
    reason: str


@dataclass
class Listing:
    """The result of the walk: files in ascending order of their ids, and what was left out.

    folders   name of left-out folders -> how many
    ignored   number of files and folders that a .gitignore excludes
    excluded  number of files and folders that the settings exclude
    links     symbolic link -> its target; both below the root, as paths in the form of FoundFile
    """

    files: list[FoundFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    folders: dict[str, int] = field(default_factory=dict)
    ignored: int = 0
    excluded: int = 0
    links: dict[str, str] = field(default_factory=dict)

    def behind_links(self) -> dict[str, int]:
        """Path through one symbolic link -> row in `files` of the file that it reaches."""
        found: dict[str, int] = {}
        if self.links:
            rows = {file.path: row for row, file in enumerate(self.files)}
            paths = sorted(rows)
            for link, target in sorted(self.links.items()):
                if target in rows:
                    found[link] = rows[target]
                    continue
                folder = f"{target}/" if target else ""
                for path in paths[bisect_left(paths, folder) :]:
                    if not path.startswith(folder) or len(found) > _MOST_LINKED:
                        break
                    found[f"{link}/{path[len(folder) :]}"] = rows[path]
        return found

    def notes(self) -> list[str]:
        """One sentence for each kind of files that were left out without being listed."""
        found = []
        if self.folders:
            found.append(f"Left out as not the project's own source: {_named(self.folders)}.")
        if self.ignored:
            found.append(f"Left out because a .gitignore names them: {self.ignored:,} files and folders.")
        if self.excluded:
            found.append(f"Left out because the configuration excludes them: {self.excluded:,} files and folders.")
        return found


def _named(counts: dict[str, int]) -> str:
    names = [f"{name} ({count:,})" if count > 1 else name for name, count in sorted(counts.items())]
    return ", ".join(names[:_LISTED] + ["..."] * (len(names) > _LISTED))


class _Ignore(NamedTuple):
    """The patterns of one .gitignore; they hold below `folder`."""

    folder: str
    patterns: Patterns


class _Folder(NamedTuple):
    """A folder that is still to be listed.

    path        as the system spells it
    shown       in the form of ids
    ignores     patterns that apply in it
    repository  files in it that git tracks; None = it is not in a repository
    is_ignored  whether all of it is ignored, except tracked files
    """

    path: str
    shown: str
    ignores: tuple[_Ignore, ...] = ()
    repository: Tracked | None = None
    is_ignored: bool = False


def walk(root: Path, progress: Progress = silent, settings: AnalysisSettings | None = None) -> Listing:
    """List the files below `root`. No symbolic link is followed, so there are no loops and no way out.

    Raises InputError when `root` itself cannot be listed.
    """
    settings = settings or AnalysisSettings()
    walking = _Walk(os.fspath(root), Patterns(settings.exclude), progress)
    around = repository_around(walking.base)
    todo = [_Folder("", "", repository=around)]
    while todo:
        folder = todo.pop()
        walking.report()
        todo += walking.list(folder)
    for repository in (around, *walking.repositories):
        if repository is not None and repository.fault:
            place = os.path.relpath(repository.index, walking.base)
            walking.listing.left_out.append(LeftOut(readable(place), repository.fault))
    walking.listing.files.sort(key=lambda file: file.id)
    walking.listing.left_out.sort()
    return walking.listing


class _Walk:
    """The listing so far, and the exclusions that apply everywhere."""

    def __init__(self, base: str, exclude: Patterns, progress: Progress = silent) -> None:
        self.base, self.exclude = base, exclude
        self.listing = Listing()
        self.repositories: list[Tracked] = []
        self._progress = progress
        self._real_base = os.path.realpath(base)
        self._ignoring = Budget(
            "Honouring the .gitignore files", seconds=_IGNORING_SECONDS, size=_MOST_PATTERNS, cancel=self.report
        )
        self._stopped = False

    def report(self) -> None:
        """Report the number of files so far. Raises Cancelled."""
        self._progress("Looking for files", len(self.listing.files), 0)

    def list(self, folder: _Folder) -> list[_Folder]:
        """Add the entries of `folder` to the listing; returns its subfolders to be listed."""
        path, shown = folder.path, folder.shown
        try:
            entries: list[os.DirEntry[str]] = []
            with os.scandir(os.path.join(self.base, path)) as scan:
                while some := list(islice(scan, _AT_ONCE)):
                    self.report()
                    entries += some
            entries.sort(key=lambda entry: entry.name)
        except OSError as error:
            if not path:
                raise InputError(f"The folder {readable(self.base)!r} cannot be listed: {reason_of(error)}.") from error
            self.listing.left_out.append(LeftOut(shown, f"cannot be listed: {reason_of(error)}"))
            return []
        own = path.rpartition("/")[2]
        if path and any(entry.name in (_ENVIRONMENT_MARK, *_DOWNLOADED.get(own, ())) for entry in entries):
            _count(self.listing.folders, own)
            return []
        if path and any(entry.name == ".git" for entry in entries):
            self.repositories.append(Tracked(os.path.join(self.base, path), self.base))
            folder = folder._replace(repository=self.repositories[-1])
        folder = folder._replace(ignores=self._with_own_patterns(folder.ignores, path, entries, shown))
        taken: dict[str, int] = {}
        folders = []
        for number, entry in enumerate(entries):
            if number % _AT_ONCE == 0:
                self.report()
            inside = f"{path}/{entry.name}" if path else entry.name
            name = _unique(readable(entry.name), taken)
            below = folder._replace(path=inside, shown=f"{shown}/{name}" if shown else name)
            if (ignored := self._sort(entry, below)) is not None:
                folders.append(below._replace(is_ignored=ignored))
        return folders

    def _sort(self, entry: os.DirEntry[str], place: _Folder) -> bool | None:
        """Add one entry to the listing. For a folder to be listed, returns whether all in it is ignored; else None."""
        path, shown = place.path, place.shown
        listing = self.listing
        ending = next((ending for ending in LEFT_OUT_ENDINGS if entry.name.endswith(ending)), None)
        if ending or entry.name in LEFT_OUT_FOLDERS:
            _count(listing.folders, f"*{ending}" if ending else entry.name)
            return None
        try:
            folder = entry.is_dir(follow_symlinks=False)
            named = f"{path}/" if folder else path
            if named in self.exclude:
                listing.excluded += 1
            elif (ignored := self._is_ignored(place, named)) and not _is_tracked(place, named):
                listing.ignored += 1
            elif folder:
                return ignored
            elif entry.is_symlink():
                self._add_link(path, shown)
            else:
                self._add_file(entry.stat(follow_symlinks=False), path, shown)
        except OSError as error:
            listing.left_out.append(LeftOut(shown, f"cannot be read: {reason_of(error)}"))
        return None

    def _with_own_patterns(
        self, ignores: tuple[_Ignore, ...], folder: str, entries: Sequence[os.DirEntry[str]], shown: str
    ) -> tuple[_Ignore, ...]:
        """`ignores` preceded by the folder's own .gitignore, which is the innermost."""
        for entry in entries:
            if entry.name == ".gitignore" and not self._stopped and entry.is_file(follow_symlinks=False):
                place = f"{shown}/.gitignore" if shown else ".gitignore"
                try:
                    patterns = Patterns(_lines(entry.path), self._ignoring)
                    patterns.check()
                except OverBudget as error:
                    self._stop_ignoring(place, error)
                except (OSError, ValueError) as error:
                    reason = f"its patterns are not honoured: {reason_of(error)}"
                    self.listing.left_out.append(LeftOut(place, reason))
                else:
                    return (_Ignore(folder, patterns), *ignores)
        return ignores

    def _stop_ignoring(self, place: str, why: OverBudget) -> None:
        self._stopped = True
        reason = f"from here on no .gitignore is honoured: {reason_of(why).rstrip('.')}"
        self.listing.left_out.append(LeftOut(place, reason))

    def _is_ignored(self, place: _Folder, path: str) -> bool:
        """Whether git would ignore `path`: the innermost .gitignore with a matching pattern decides."""
        if place.is_ignored:
            return True
        try:
            for ignore in () if self._stopped else place.ignores:
                inside = path[len(ignore.folder) + 1 :] if ignore.folder else path
                verdict = ignore.patterns.verdict_inside(inside)
                if verdict is not None:
                    return verdict
        except OverBudget as error:
            self._stop_ignoring(place.shown, error)
        return False

    def _add_link(self, path: str, shown: str) -> None:
        """Record a symbolic link, and its target if that is below the root; the target is not read."""
        self.listing.left_out.append(LeftOut(shown, "is a symbolic link, which is not followed"))
        root, link = self._real_base, os.path.join(self.base, path)
        try:
            target = real_path(link)
        except OSError:
            return  # its target does not exist
        if target == root or target.startswith(os.path.join(root, "")):
            self.listing.links[path] = target[len(root) + 1 :].replace(os.sep, "/")

    def _add_file(self, status: os.stat_result, path: str, shown: str) -> None:
        if stat.S_ISREG(status.st_mode):
            stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            self.listing.files.append(FoundFile(path, shown, status.st_size, stamp))
        else:
            self.listing.left_out.append(LeftOut(shown, "is not a regular file"))


def _count(counts: dict[str, int], name: str) -> None:
    name = readable(name)
    counts[name] = counts.get(name, 0) + 1


def _lines(path: str) -> list[str]:
    with opened(path, follow=False) as file:
        data = file.read(_IGNORE_FILE_LIMIT + 1)
    if len(data) > _IGNORE_FILE_LIMIT:
        raise ValueError("it is longer than 1 MB")
    text = data.decode("utf-8-sig", "surrogateescape")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _is_tracked(place: _Folder, path: str) -> bool:
    """Whether git tracks `path`, or something in it; then no .gitignore applies (gitignore(5))."""
    return place.repository is not None and path in place.repository


def readable(name: str) -> str:
    """`name` as valid Unicode: invalid bytes become U+FFFD (JSON and Qt take no surrogates)."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unique(name: str, taken: dict[str, int]) -> str:
    """`name`, numbered if a sibling already has the same.

    taken   name of a sibling -> last number tried for it; linear in the number of siblings
    """
    found, number = name, taken.get(name, 0)
    if number:
        while (found := f"{name}#{(number := number + 1)}") in taken:
            pass
        taken[name] = number
    taken.setdefault(found, 1)
    return found


def reason_of(error: Exception) -> str:
    """The reason for a failure, without the path and the number that Python adds."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
