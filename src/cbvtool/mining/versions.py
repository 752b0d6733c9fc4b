"""Any commit as a folder of files, written into the temporary folder of a view repository.

git does not check anything out, because it would run filters that the repository names. Files have the contents that
git stores. To go to another commit, only differing files are rewritten. Submodules are left out, and files of `git lfs`
are the pointer texts.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import InputError
from cbvtool.mining.first_parents import FilesOfCommit, first_parents
from cbvtool.mining.locate import NotReadable, Repository, find_repository
from cbvtool.mining.processes import Processes
from cbvtool.mining.references import Reference, commit_named, references
from cbvtool.mining.view_repository import GitFailed, ViewRepository, open_view
from cbvtool.progress import Progress, silent

LINK, _SUBMODULE = b"120000", b"160000"  # modes in a tree of git
_MOST_FILES, _MOST_BYTES, _LIST = 500_000, 2_000_000_000, 300_000_000
_MOST_TEXT = 2**18  # longest configuration file, in bytes
_MOST_LINK = 4096  # longest target of a symbolic link, in bytes
_REVISION = re.compile(r"([^~^]*)((?:[~^][0-9]{0,6}){0,20})")
_ABBREVIATED = re.compile(r"[0-9a-fA-F]{4,64}")
_RENAMES = ("-M", "-l1000")  # as `git diff -M` does
_SECONDS = 60.0  # processor time for finding renames; after that, only renames without edits are found
_REGULAR = 0o100644
_Kind = TypeVar("_Kind", bound="Versions")
_AT_ONCE = 1 << 16  # bytes of a chunk that are searched for a header


@dataclass(frozen=True)
class StoredFile:
    """A file of a commit: mode and id of its content, as git writes them."""

    mode: bytes
    blob: bytes


@dataclass(frozen=True)
class MainLineCommit:
    """A commit on the chain of first parents: full id, and when it was made, seconds since the epoch."""

    sha: str
    time: int


class Versions:
    """The commits of a repository; one of them at a time exists as files in `folder`.

    root      the requested folder, in the work tree, or the bare repository
    inside    its path in the repository, ending in `/`; empty = the whole repository
    view      view repository through which git reads
    """

    def __init__(self, view: ViewRepository, repository: Repository, root: Path, inside: str) -> None:
        self.view, self.repository, self.root, self.inside = view, repository, root, inside
        top = repository.work_tree or repository.git_dir
        name = top.name.removesuffix(".git") or top.parent.name
        self._top = Path(view.environment["GIT_DIR"]).parent / "files" / (name or "repository")
        self._laid: dict[bytes, StoredFile] = {}

    @property
    def head(self) -> str:
        """Full id of the commit that is checked out."""
        return self.view.head

    @property
    def identity(self) -> str:
        """Identifies the folder in this repository, independent of the commit: its git folder and its path in it."""
        return f"{self.repository.common_dir}:{self.inside}"

    def commit_of(self, name: str) -> str:
        """Full id of the commit of `name`: a tag, a branch, or an id, optionally followed by `~2` or `^`.

        Raises InputError if there is none, or more than one.
        """
        shown = repr(name)
        base, behind = found.groups() if (found := _REVISION.fullmatch(name)) else ("", "")
        try:
            start = self.head if base in ("HEAD", "@") else commit_named(self.repository, base)
            start = start or (base if _ABBREVIATED.fullmatch(base) else "")
            if not start:
                raise InputError(f"There is no commit, branch or tag {shown} in {self.root}.")
            said = self.view.output("rev-parse", "--verify", "--end-of-options", f"{start}{behind}^{{commit}}")
            return said.decode("ascii", "replace").strip()
        except NotReadable as reason:
            raise InputError(str(reason)) from reason
        except GitFailed as failure:
            if "ambiguous" in str(failure):
                raise InputError(f"{shown} is the beginning of several ids: write more of it.") from failure
            raise InputError(f"There is no commit {shown} in {self.root}.") from failure

    def references(self) -> list[Reference]:
        """Tags and branches; empty if they cannot be listed."""
        try:
            return references(self.repository)
        except NotReadable:
            return []

    def main_line(self) -> list[MainLineCommit]:
        """The chain of first parents up to the commit that is checked out, oldest first.

        Raises InputError.
        """
        with self.told(self.head):
            said = self.view.output("log", "--first-parent", "--format=%H %ct", self.head, "--")
        rows = (line.split(" ") for line in said.decode("ascii", "replace").splitlines())
        line = [MainLineCommit(row[0], int(row[1])) for row in rows if len(row) == 2 and row[1].lstrip("-").isdigit()]
        return line[::-1]

    def time_of(self, commit: str) -> int:
        """Commit date, seconds since the epoch. Raises InputError."""
        with self.told(commit):
            said = self.view.output("log", "-1", "--format=%ct", commit, "--")
        return int(said) if said.strip().lstrip(b"-").isdigit() else 0

    def text_of(self, commit: str, name: str) -> str | None:
        """The text of a small file in the folder; None = there is none. Raises InputError."""
        blob = os.fsencode(f"{commit}:{self.inside}{name}")
        with self.told(commit):
            if b"\n" in blob or not 0 < self.view.size(blob) <= _MOST_TEXT:
                return None
            said = self.view.output("cat-file", "blob", os.fsdecode(blob))
        try:
            return said.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"The file {name} of commit {commit[:7]} is not UTF-8 text.") from None

    def moved(self, before: str, after: str) -> dict[str, str]:
        """Files moved or renamed between two commits (ids), found as by `git diff -M`: from -> to.

        Paths are relative to the folder. Raises InputError.
        """
        if before == after:
            return {}
        options = ["-r", "-z", "--no-commit-id", "--diff-filter=R", "--raw", "--no-ext-diff", "--no-textconv"]
        if self.inside:
            options.append("--relative=" + self.inside)
        with self.told(after):
            try:
                said = self._diff(*options, *_RENAMES, before, after)
            except GitFailed:  # too slow, or contents are missing: renames without edits need neither time nor contents
                said = self._diff(*options, "-M100%", before, after)
        parts = [_text(part) for part in said.split(b"\0")[:-1]]
        return dict(zip(parts[1::3], parts[2::3], strict=True))

    def first_parents(self, before: str, after: str) -> list[FilesOfCommit]:
        """The changes of files from one commit to another (ids); see `first_parents`. Raises InputError."""
        with self.told(after):
            return first_parents(self.view, self.inside, before, after)

    def _diff(self, *arguments: str) -> bytes:
        with contextlib.closing(self.view.stream("diff-tree", *arguments, "--", seconds=_SECONDS)) as chunks:
            return b"".join(_counted(chunks, Budget("The list of moved files", size=_LIST)))

    def lay_out(
        self, commit: str, *, largest: int, beside: Sequence[str] = (), progress: Progress = silent
    ) -> tuple[Path, list[str]]:
        """(folder with the files of a commit (id), one sentence each about missing files).

        The next call changes the folder, and closing the view removes it.

        largest  limit for the content of a file in bytes; a larger file is written with its size, but without content
        beside   names of files that are wanted from the folders above, too

        Raises InputError for a commit that lacks the folder, is too large, or is damaged.
        """
        with self.told(commit):
            entries = self.entries(commit, beside)
            _check(commit, entries)
            files = {path: entry for path, entry in entries.items() if entry.mode != _SUBMODULE}
            notes = _submodules(len(entries) - len(files))
            new = {path: entry for path, entry in files.items() if self._laid.get(path) != entry}
            for path in sorted(self._laid.keys() - (files.keys() - new.keys()), reverse=True):
                self._remove(path)
            sizes = self._sizes(new)
            lost = [path for path in new if new[path].blob not in sizes]
            for path in lost:
                del new[path]
            if lost:
                which = _text(min(lost)) + (f" and {len(lost) - 1:,} more" if len(lost) > 1 else "")
                notes.append(f"Of commit {commit[:7]} contents are not here (a partial clone?): {which}.")
            os.makedirs(self._top / self.inside, exist_ok=True)
            notes += self._write_all(new, sizes, largest, progress)
            _write_index(self._top, files)
        return self._top / self.inside, notes

    def entries(self, commit: str, beside: Sequence[str] = ()) -> dict[bytes, StoredFile]:
        """The wanted files of a commit, by path in the repository. Raises InputError and GitFailed."""
        inside = os.fsencode(self.inside)
        above = inside.split(b"/")[:-1]
        folders = [b"".join(part + b"/" for part in above[:depth]) for depth in range(len(above))]
        wanted = {folder + os.fsencode(name) for folder in folders for name in beside}
        budget = Budget(f"Commit {commit[:7]}", count=_MOST_FILES, size=_LIST, things="files")
        found, rest = dict[bytes, StoredFile](), b""
        with contextlib.closing(self.view.stream("ls-tree", "-r", "-z", "--full-tree", commit)) as chunks:
            for chunk in chunks:
                *rows, rest = (rest + chunk).split(b"\0")
                budget.spend(len(rows), len(chunk))
                for row in rows:
                    said, _, path = row.partition(b"\t")
                    mode, _, blob = said.split(b" ")
                    if path.startswith(inside) or path in wanted:
                        found[path] = StoredFile(mode, blob)
        if inside and not any(path.startswith(inside) for path in found):
            raise InputError(f"Commit {commit[:7]} has no folder {self.inside.rstrip('/')!r}.")
        if not found:
            raise InputError(f"Commit {commit[:7]} of {self.root} holds no files.")
        return found

    def files(self, commit: str) -> dict[str, StoredFile]:
        """The files of a commit below `root`, by path. Raises InputError."""
        with self.told(commit):
            start = len(os.fsencode(self.inside))
            return {os.fsdecode(path[start:]): entry for path, entry in self.entries(commit).items()}

    def read(self, files: Mapping[str, StoredFile]) -> dict[str, bytes]:
        """The contents of files, by path. Raises InputError if one is missing."""
        with self.told(self.head):
            known = dict(self.contents(list(dict.fromkeys(entry.blob for entry in files.values()))))
        lost = [path for path, entry in files.items() if entry.blob not in known]
        if lost:
            raise InputError(f"The content of {min(lost)} is not here (a partial clone?): fetch it first.")
        return {path: known[entry.blob] for path, entry in files.items()}

    def _sizes(self, files: Mapping[bytes, StoredFile]) -> dict[bytes, int]:
        """Sizes in bytes of the contents that exist, by id."""
        blobs = list(dict.fromkeys(entry.blob for entry in files.values()))
        said = self.view.ask(blobs, "%(objecttype) %(objectsize)")
        rows = [(blob, answer.split(b" ")) for blob, answer in zip(blobs, said, strict=True)]
        return {blob: int(parts[1]) for blob, parts in rows if parts[0] == b"blob" and parts[-1].isdigit()}

    def _write_all(
        self, files: Mapping[bytes, StoredFile], sizes: Mapping[bytes, int], largest: int, progress: Progress
    ) -> list[str]:
        """Write the contents of `files`; symbolic links come last, so that no file is written through one."""
        places = dict[bytes, list[bytes]]()
        for path, entry in files.items():
            limit = _MOST_LINK if entry.mode == LINK else largest
            if sizes[entry.blob] <= limit:
                places.setdefault(entry.blob, []).append(path)
            elif entry.mode != LINK:
                self._write(path, b"", sizes[entry.blob])
        budget = Budget("The files of the commit", size=_MOST_BYTES)
        links, failed = dict[bytes, bytes](), list[str]()
        for done, (blob, content) in enumerate(self.contents(list(places))):
            progress("Reading the commit", done, len(places))
            for path in places[blob]:
                budget.spend(1, len(content))
                if files[path].mode == LINK:
                    links[path] = content
                    continue
                try:
                    self._write(path, content, len(content))
                except OSError as error:
                    failed.append(f"{_text(path)} cannot be laid out: {error.strerror}.")
        for path, content in links.items():
            with contextlib.suppress(OSError, ValueError):  # a missing link does no harm: nothing is read through one
                os.makedirs(os.path.dirname(self._place(path)), exist_ok=True)
                os.symlink(content, self._place(path))
        self._laid.update(files)
        return failed

    def contents(self, blobs: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """(id, content) of each blob."""
        if not blobs:
            return
        with tempfile.TemporaryDirectory(dir=Path(self.view.environment["GIT_DIR"]).parent) as folder:
            questions = Path(folder, "questions")
            questions.write_bytes(b"\n".join([*blobs, b""]))
            with contextlib.closing(self.view.stream("cat-file", "--batch", "--buffer", reads=questions)) as chunks:
                yield from batch(chunks)

    def _place(self, path: bytes) -> bytes:
        return os.path.join(os.fsencode(self._top), path)

    def _write(self, path: bytes, content: bytes, size: int) -> None:
        place = self._place(path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(place, flags, 0o600), "wb") as file:
            file.write(content)
            if size != len(content):
                file.truncate(size)

    def _remove(self, path: bytes) -> None:
        del self._laid[path]
        place = self._place(path)
        with contextlib.suppress(OSError):  # it was not written, or its folder is not empty
            os.unlink(place)
        top = os.fsencode(self._top)
        with contextlib.suppress(OSError):
            while (place := os.path.dirname(place)) != top:
                os.rmdir(place)

    @contextlib.contextmanager
    def told(self, commit: str) -> Iterator[None]:
        """Turn failures of git and of files into an InputError with one sentence."""
        try:
            yield
        except GitFailed as failure:
            raise InputError(f"Commit {commit[:7]} of {self.root} cannot be read: {failure}.") from failure
        except OSError as error:
            raise InputError(f"The files of commit {commit[:7]} cannot be laid out: {error.strerror}.") from error


@contextlib.contextmanager
def open_versions(root: Path, processes: Processes | None = None) -> Iterator[Versions]:
    """The versions of the folder `root`, which is in a work tree or is a bare repository.

    processes  allows the caller to stop the work from any thread

    Raises InputError if there are none.
    """
    with opened_as(Versions, root, processes) as versions:
        yield versions


@contextlib.contextmanager
def opened_as(kind: type[_Kind], root: Path, processes: Processes | None) -> Iterator[_Kind]:
    """As `open_versions`, for a subclass `kind` of `Versions`."""
    try:
        repository = find_repository(root)
        if repository is None:
            raise InputError(f"The folder {root} is not in a git repository, so it has no versions.")
        inside = ""
        if repository.work_tree is not None:
            inside = Path(os.path.realpath(root)).relative_to(os.path.realpath(repository.work_tree)).as_posix()
        with open_view(repository, processes) as view:
            yield kind(view, repository, root, "" if inside in ("", ".") else f"{inside}/")
    except NotReadable as reason:
        raise InputError(str(reason)) from reason
    except GitFailed as failure:
        raise InputError(f"The repository at {root} cannot be read: {failure}.") from failure


def _check(commit: str, entries: Mapping[bytes, StoredFile]) -> None:
    """Raise InputError for invalid paths, which would lead out of the folder, or through a link."""
    for path in entries:
        parts = path.split(b"/")
        if any(part in (b"", b".", b"..") or part.lower() == b".git" for part in parts):
            raise InputError(f"Commit {commit[:7]} names a file {_text(path)!r}, which is no path: it is not read.")
        for depth in range(1, len(parts)):
            if b"/".join(parts[:depth]) in entries:
                raise InputError(f"Commit {commit[:7]} has {_text(path)!r} inside of a file: it is not read.")


def _submodules(count: int) -> list[str]:
    if not count:
        return []
    return [f"{count:,} submodule{' is' if count == 1 else 's are'} left out: another repository holds the files."]


def batch(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """(id, content) of each object in the output of `git cat-file --batch`."""
    data, at = bytearray(), 0
    for chunk in chunks:
        del data[:at]
        at = 0
        data += chunk
        while (end := data.find(b"\n", at, at + _AT_ONCE)) >= 0:
            said = bytes(data[at:end]).split(b" ")
            if len(said) != 3 or not said[2].isdigit():  # it is missing, or was damaged meanwhile
                at = end + 1
                continue
            size = int(said[2])
            if len(data) < end + 1 + size + 1:
                break
            yield said[0], bytes(data[end + 1 : end + 1 + size])
            at = end + 1 + size + 1


def _counted(chunks: Iterator[bytes], budget: Budget) -> Iterator[bytes]:
    for chunk in chunks:
        try:
            budget.spend(size=len(chunk))
        except OverBudget as reason:
            raise GitFailed(str(reason).rstrip("."), killed=True) from reason
        yield chunk


def _write_index(top: Path, files: Mapping[bytes, StoredFile]) -> None:
    """Write an index of the tracked files (gitformat-index(5)), so that no .gitignore excludes one."""
    rows = [b"DIRC" + struct.pack(">LL", 2, len(files))]
    for path in sorted(files):
        head = bytes(24) + struct.pack(">L", _REGULAR) + bytes(12) + bytes(20)
        row = head + struct.pack(">H", min(len(path), 0xFFF)) + path
        rows.append(row + bytes(8 - len(row) % 8))
    folder = top / ".git"
    folder.mkdir(exist_ok=True)
    (folder / "index").write_bytes(b"".join((*rows, bytes(20))))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")
