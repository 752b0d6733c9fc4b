"""Changes of files from one commit to another: renames, files added and removed, commit by commit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.view_repository import GitFailed, ViewRepository

_LIST, _COMMITS = 300_000_000, 200_000
_SECONDS = 120.0  # processor time for finding renames; after that, only renames without edits are found
# Empty files are all alike, so that a removed and an added one do not make a rename.
_RAW = ("--raw", "-z", "--no-abbrev", "--no-rename-empty", "--no-ext-diff", "--no-textconv")
_RENAMES = (("-M", "-l1000"), ("-M100%",))
_FORMAT = ("--first-parent", "-m", "--reverse", "--format=%x01%H %ct %P", "--no-show-signature", "--no-color")
_HEADER = b"\x01"


@dataclass(frozen=True)
class FilesOfCommit:
    """The changes of a commit against its first parent. Paths are relative to the folder of the versions.

    sha      full id; empty for the difference between `before` and the start of the chain, see `first_parents`
    time     commit date, seconds since the epoch; 0 without an id
    parent   id of its first parent
    renamed  (from, to)
    """

    sha: str
    time: int
    parent: str
    renamed: tuple[tuple[str, str], ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def first_parents(view: ViewRepository, inside: str, before: str, after: str) -> list[FilesOfCommit]:
    """The commits on the chain of first parents from `before` (excluded) to `after` (ids), oldest first.

    If the chain does not start at `before`, the difference between `before` and its start comes first, without an id.
    If it starts with a commit without a parent, the changes of that commit are its difference from `before`.

    inside   path of the folder in the repository, ending in `/`; empty = the whole repository

    Raises GitFailed.
    """
    line = _with_fewer_renames(view, inside, "log", *_FORMAT, f"{before}..{after}")
    start = line[0].parent if line else after
    if start == before:
        return line
    (gap,) = _with_fewer_renames(view, inside, "diff-tree", "-r", "--no-commit-id", before, start or line[0].sha)
    if start:
        return [replace(gap, parent=before), *line]
    return [replace(gap, sha=line[0].sha, time=line[0].time, parent=before), *line[1:]]


def _with_fewer_renames(view: ViewRepository, inside: str, command: str, *arguments: str) -> list[FilesOfCommit]:
    options = [*_RAW, *([f"--relative={inside}"] if inside else [])]
    likely, sure = _RENAMES
    try:
        return list(_commits(view, command, *options, *likely, *arguments, "--", seconds=_SECONDS))
    except GitFailed:  # too slow, or contents are missing: renames without edits need neither time nor contents
        return list(_commits(view, command, *options, *sure, *arguments, "--", seconds=_SECONDS))


def _commits(view: ViewRepository, command: str, *arguments: str, seconds: float) -> Iterator[FilesOfCommit]:
    """The changes of each commit; for a difference, one without an id."""
    present = None if command == "log" else FilesOfCommit("", 0, "")
    done = _Entries()
    for entry in _entries(view, command, *arguments, seconds=seconds):
        if not entry[0].startswith(_HEADER):
            done.take(entry)
            continue
        if present is not None:
            yield done.of(present)
        sha, time, *parents = entry[0][1:].decode("ascii", "replace").split(" ")
        present = FilesOfCommit(sha, int(time) if time.lstrip("-").isdigit() else 0, parents[0] if parents else "")
        done = _Entries()
    if present is not None:
        yield done.of(present)


class _Entries:
    """The entries of the current commit so far; there may be a hundred thousand files."""

    def __init__(self) -> None:
        self._renamed, self._added, self._removed = list[tuple[str, str]](), list[str](), list[str]()

    def take(self, entry: Sequence[bytes]) -> None:
        """Add a raw entry with its paths."""
        paths = [_text(path) for path in entry[1:]]
        match entry[0].rsplit(b" ", 1)[-1][:1]:
            case b"R":
                self._renamed.append((paths[0], paths[1]))
            case b"A" | b"C":
                self._added.append(paths[-1])
            case b"D":
                self._removed.append(paths[0])

    def of(self, commit: FilesOfCommit) -> FilesOfCommit:
        """The commit with the entries so far."""
        return replace(commit, renamed=tuple(self._renamed), added=tuple(self._added), removed=tuple(self._removed))


def _entries(view: ViewRepository, command: str, *arguments: str, seconds: float) -> Iterator[list[bytes]]:
    """Each header on its own, and each raw entry with its paths."""
    budget = Budget("The list of moved files", count=_COMMITS, size=_LIST, things="commits")
    waiting, rest = list[bytes](), b""
    with contextlib.closing(view.stream(command, *arguments, seconds=seconds)) as chunks:
        for chunk in chunks:
            *pieces, rest = (rest + chunk).split(b"\0")
            try:
                budget.spend(sum(piece.startswith(_HEADER) for piece in pieces), len(chunk))
            except OverBudget as reason:
                raise GitFailed(str(reason).rstrip("."), killed=True) from reason
            for piece in pieces:
                if not waiting:
                    piece = piece.lstrip(b"\n")
                if not waiting and piece.startswith(_HEADER):
                    yield [piece]
                elif waiting or piece:
                    waiting.append(piece)
                    if len(waiting) == (3 if waiting[0].rsplit(b" ", 1)[-1][:1] in (b"R", b"C") else 2):
                        yield waiting
                        waiting = []
    if rest.startswith(_HEADER):  # the last commit changed no files
        yield [rest.rstrip(b"\n")]


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")
