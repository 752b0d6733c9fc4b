"""Changed lines: hunks, and contents before and after, of one file over its commits, or between two commits.

They come from `git diff-tree --unified=0` in the view repository, for the commits that touched the file and its paths
at the time. Merges show no difference, as everywhere in the history.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import InputError
from cbvtool.mining.changes import Changes
from cbvtool.mining.locate import NotReadable, find_repository
from cbvtool.mining.log import RENAME_LIMIT
from cbvtool.mining.processes import Processes
from cbvtool.mining.references import commit_named
from cbvtool.mining.versions import batch
from cbvtool.mining.view_repository import GitFailed, ViewRepository, open_view

MOST = 2_000  # most commits of a file; the newest ones are kept
_SECONDS = 120.0  # processor time
_MOST_OUTPUT, _MOST_CONTENT, _MOST_LINE = 500_000_000, 300_000_000, 10_000_000  # bytes
_OPTIONS = (
    "--stdin",
    "-r",
    "-M",
    f"-l{RENAME_LIMIT}",
    "--root",
    "--always",
    "--patch",
    "--unified=0",
    "--full-index",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
)
_BETWEEN = ("-r", "-M", f"-l{RENAME_LIMIT}", "--no-ext-diff", "--no-textconv", "--no-color")
_LINES = ("--patch", "--unified=0", "--full-index")
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_INDEX = re.compile(rb"index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})")


@dataclass(frozen=True)
class Hunk:
    """Lines of the file before (`old`, number) and after; if there are none, the line after which they would stand."""

    old: int
    old_count: int
    new: int
    new_count: int


@dataclass(frozen=True)
class FilePatch:
    """The changes of a file by one commit (row of `Changes`); `before`, `after`: ids of contents in `PatchedFile`."""

    commit: int
    before: bytes
    after: bytes
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, eq=False)
class PatchedFile:
    """The patches of a file, newest first, and the contents to which they refer. Some contents may be missing."""

    patches: tuple[FilePatch, ...]
    contents: dict[bytes, bytes]


@dataclass(frozen=True)
class FileDifference:
    """One file in two commits: path and content in each (empty if it does not exist), and the hunks between them."""

    old: str
    new: str
    before: bytes
    after: bytes
    hunks: tuple[Hunk, ...]


def read_differences(root: Path, old: str, new: str, processes: Processes | None = None) -> list[FileDifference]:
    """The files that differ between two commits (ids, tags, branches) of the repository around `root`, by path.

    Links and submodules are left out. Raises InputError.
    """
    try:
        repository = find_repository(root)
        if repository is None:
            raise NotReadable(f"{root} is in no git repository")
        with open_view(repository, processes) as view:
            commits = view.commits_of([os.fsencode(commit_named(repository, name) or name) for name in (old, new)])
            for name, commit in zip((old, new), commits, strict=True):
                if not commit:
                    raise NotReadable(f"the repository has no commit {name}")
            found = list(_between(view, *commits))
            contents = _blobs(view, [blob for one in found for blob in one[2:4]])
    except (NotReadable, GitFailed, OverBudget, OSError) as reason:
        raise InputError(f"What was changed cannot be read: {str(reason).rstrip('.')}.") from reason
    return [
        FileDifference(
            os.fsdecode(path), os.fsdecode(now), contents.get(before, b""), contents.get(after, b""), tuple(hunks)
        )
        for path, now, before, after, hunks in found
    ]


def _between(view: ViewRepository, old: str, new: str) -> Iterator[tuple[bytes, bytes, bytes, bytes, list[Hunk]]]:
    """(old path, new path, id of the content before, after, hunks) of each file that differs."""
    files = _files_between(view, old, new)
    hunks: dict[tuple[bytes, bytes], list[Hunk]] = {}
    pair: tuple[bytes, bytes] | None = None
    for line in _lines(view.stream("diff-tree", *_BETWEEN, *_LINES, old, new, seconds=_SECONDS)):
        if line.startswith(b"diff --git "):
            pair = None
        elif found := _INDEX.match(line):
            pair = found[1], found[2]
        elif pair is not None and (found := _HUNK.match(line)):
            numbers = (1 if part is None else int(part) for part in found.groups())
            hunks.setdefault(pair, []).append(Hunk(*numbers))
    for path, name, before, after in files:
        yield path, name, before, after, hunks.get((before, after), [])


def _files_between(view: ViewRepository, old: str, new: str) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """(old path, new path, id of the content before, after) of each file that differs."""
    raw = view.output("diff-tree", *_BETWEEN, "--raw", "--no-abbrev", "-z", old, new).split(b"\0")
    files: list[tuple[bytes, bytes, bytes, bytes]] = []
    place = 0
    while place + 1 < len(raw):
        mode, now, before, after, kind = raw[place][1:].split(b" ")
        moved = kind[:1] in (b"R", b"C")
        path, name = raw[place + 1], raw[place + 2] if moved else raw[place + 1]
        place += 3 if moved else 2
        if {mode[:3], now[:3]} <= {b"100", b"000"}:
            there, here = before.strip(b"0"), after.strip(b"0")
            files.append((path if there else b"", name if here else b"", before, after))
    return files


def read_patch(root: Path, old: str, new: str, path: str, processes: Processes | None = None) -> str:
    """The difference of one file between two commits, in the form of `git diff`; "" if there is none.

    path  in either commit, or the end of it. Raises InputError.
    """
    wanted = os.fsencode(path.replace("\\", "/"))
    try:
        repository = find_repository(root)
        if repository is None:
            raise NotReadable(f"{root} is in no git repository")
        with open_view(repository, processes) as view:
            commits = view.commits_of([os.fsencode(commit_named(repository, name) or name) for name in (old, new)])
            for name, commit in zip((old, new), commits, strict=True):
                if not commit:
                    raise NotReadable(f"the repository has no commit {name}")
            named = [
                (before, after)
                for before, after, *_ in _files_between(view, *commits)
                if any(each and (each == wanted or each.endswith(b"/" + wanted)) for each in (before, after))
            ]
            if not named:
                return ""
            before, after = min(named, key=lambda both: len(both[1] or both[0]))
            paths = [f":(literal,top){os.fsdecode(each)}" for each in dict.fromkeys((before, after)) if each]
            patch = view.output("diff-tree", *_BETWEEN, "--patch", "--unified=3", *commits, "--", *paths)
    except (NotReadable, GitFailed, OverBudget, OSError) as reason:
        raise InputError(f"What was changed in {path} cannot be read: {str(reason).rstrip('.')}.") from reason
    return patch.decode("utf-8", "replace")


def read_patches(root: Path, changes: Changes, path: int, processes: Processes | None = None) -> PatchedFile:
    """The patches of one file (index into `paths`) by the commits of `changes`, the result of `read_changes(root)`.

    Raises InputError.
    """
    places = changes.places
    if places is None:
        raise InputError("The history of a saved graph holds no contents of files.")
    rows = np.flatnonzero(changes.touch_path[places.touch] == path)
    commits = changes.touch_commit[places.touch[rows]]
    names = {int(commit): places.names[name] for commit, name in zip(commits, places.name[rows], strict=True)}
    wanted = sorted(names, reverse=True)[:MOST]
    try:
        repository = find_repository(root)
        if repository is None:
            raise NotReadable(f"{root} is in no git repository any more.")
        with open_view(repository, processes) as view:
            patches = list(_patches(view, changes.sha, wanted, names))
            return PatchedFile(tuple(patches), _contents(view, patches))
    except (NotReadable, GitFailed, OverBudget, OSError) as reason:
        raise InputError(f"The history of {changes.paths[path]} cannot be read: {str(reason).rstrip('.')}.") from reason


def _patches(
    view: ViewRepository, shas: Sequence[str], commits: Sequence[int], names: dict[int, bytes]
) -> Iterator[FilePatch]:
    paths = [f":(literal){os.fsdecode(name)}" for name in sorted(set(names.values()))]
    # Files of one commit: name, before, after, hunks.
    number, waiting = -1, list[tuple[bytes, bytes, bytes, list[Hunk]]]()
    with view.questions([shas[commit].encode() for commit in commits]) as asked:
        output = view.stream("diff-tree", *_OPTIONS, "--", *paths, reads=asked, seconds=_SECONDS)
        for line in _lines(output):
            if line[:1] in (b"+", b"-") and not line.startswith(b"+++ "):
                continue
            if number + 1 < len(commits) and line == shas[commits[number + 1]].encode():
                if number >= 0:
                    yield from _chosen(commits[number], waiting, names)
                number, waiting = number + 1, []
            elif line.startswith(b"diff --git "):
                waiting.append((b"", b"", b"", []))
            elif waiting and (found := _INDEX.match(line)):
                waiting[-1] = (waiting[-1][0], found[1], found[2], waiting[-1][3])
            elif waiting and line.startswith(b"+++ ") and not waiting[-1][3]:
                waiting[-1] = (line[6:].rstrip(b"\t"), *waiting[-1][1:])
            elif waiting and (found := _HUNK.match(line)):
                old, old_count, new, new_count = (1 if part is None else int(part) for part in found.groups())
                waiting[-1][3].append(Hunk(old, old_count, new, new_count))
        if number >= 0:
            yield from _chosen(commits[number], waiting, names)


def _chosen(
    commit: int, found: Sequence[tuple[bytes, bytes, bytes, list[Hunk]]], names: dict[int, bytes]
) -> Iterator[FilePatch]:
    """The file of a commit that has the name; if git quotes the name, the file if it is the only one."""
    named = [one for one in found if one[0] == names[commit]] or (list(found) if len(found) == 1 else [])
    for _, before, after, hunks in named:
        yield FilePatch(commit, before, after, tuple(hunks))


def _lines(chunks: Generator[bytes]) -> Iterator[bytes]:
    budget, rest = Budget("The history of the file", size=_MOST_OUTPUT), b""
    with contextlib.closing(chunks):
        for chunk in chunks:
            budget.spend(size=len(chunk))
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > _MOST_LINE:
                raise GitFailed(f"a line is longer than {_MOST_LINE / 1e6:g} MB", killed=True)
            yield from lines


def _contents(view: ViewRepository, patches: Sequence[FilePatch]) -> dict[bytes, bytes]:
    """Contents by id; if not all fit, those of the newest patches."""
    return _blobs(view, [blob for one in patches for blob in (one.after, one.before)])


def _blobs(view: ViewRepository, ids: Sequence[bytes]) -> dict[bytes, bytes]:
    """Contents by id; if not all fit, the first ones."""
    blobs = list(dict.fromkeys(blob for blob in ids if blob.strip(b"0")))
    if not blobs:
        return {}
    sizes = view.ask(blobs, "%(objecttype) %(objectsize)")
    room, wanted = _MOST_CONTENT, list[bytes]()
    for blob, said in zip(blobs, sizes, strict=True):
        kind, _, size = said.partition(b" ")
        if kind == b"blob" and size.isdigit() and (room := room - int(size)) >= 0:
            wanted.append(blob)
    if not wanted:
        return {}
    with (
        view.questions(wanted) as asked,
        contextlib.closing(view.stream("cat-file", "--batch", "--buffer", reads=asked)) as chunks,
    ):
        return dict(batch(chunks))
