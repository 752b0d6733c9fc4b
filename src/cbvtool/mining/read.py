"""From a folder to the changes of its files: the door of this room."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from cbvtool.mining.changes import Changes
from cbvtool.mining.locate import NotReadable, find_repository, is_commit_id, resolve_head
from cbvtool.mining.log import Log, read_log
from cbvtool.mining.mainline import steady_since
from cbvtool.mining.renames import fold_renames
from cbvtool.mining.view_repository import GitFailed, View, open_view
from cbvtool.progress import Progress, silent

_FILE_MODES = (b"100", b"120")  # regular files and symbolic links; not the commits of submodules


def head_commit(root: Path) -> str:
    """Full id of the commit checked out where `root` lies; empty without a repository or a commit."""
    try:
        repository = find_repository(root)
        return resolve_head(repository) if repository else ""
    except NotReadable:
        return ""


def has_commit(root: Path, commit: str) -> bool:
    """Whether the repository that `root` lies in holds the commit with this full id."""
    try:
        repository = find_repository(root)
        if repository is None or not is_commit_id(commit):
            return False
        if resolve_head(repository) == commit:
            return True
        with open_view(repository) as view:
            return view.have([commit.encode()]) == [True]
    except (NotReadable, GitFailed):
        return False


def read_changes(root: Path, *, progress: Progress = silent) -> Changes:
    """The history of the files below `root`, up to the commit that is checked out.

    `root` may lie anywhere in a work tree; paths are relative to it. All commits of the repository are listed,
    also those that touch nothing below. Nothing that the repository configures is run, and nothing is
    fetched. Without a readable history, no changes come with one sentence that says why.
    """
    try:
        repository = find_repository(root)
        if repository is None:
            return Changes.none(f"The folder {root} is not in a git repository, so there is no history.")
        if repository.work_tree is None:
            return Changes.none(f"{root} is a bare repository: it has a history but no files.")
        inside = Path(os.path.realpath(root)).relative_to(repository.work_tree).as_posix()
        prefix = b"" if inside == "." else inside.encode("utf-8", "surrogateescape") + b"/"
        with open_view(repository) as view:
            return _changes(view, prefix, root, progress)
    except NotReadable as reason:
        return Changes.none(str(reason))


def _changes(view: View, prefix: bytes, root: Path, progress: Progress) -> Changes:
    notes: list[str] = []
    files = _todays_files(view, prefix, notes)
    if prefix and not files and not notes:
        return Changes.none(f"The folder {root} holds no file of the repository it lies in, so there is no history.")
    log = read_log(view, progress)
    notes += _notes(view, log)
    folded = fold_renames(log, files, steady_since(view, log, files))
    by_date = np.argsort(log.time, kind="stable")
    row = np.empty(len(by_date), np.int32)
    row[by_date] = np.arange(len(by_date), dtype=np.int32)
    commit = row[folded.commit]
    by_commit = np.argsort(commit, kind="stable")
    return Changes(
        sha=tuple(log.sha[i] for i in by_date.tolist()), time=log.time[by_date], author=log.author[by_date],
        authors=log.authors, touch_commit=commit[by_commit], touch_path=folded.file[by_commit],
        paths=tuple(path.removeprefix(prefix).decode("utf-8", "replace") for path in files),
        shallow=bool(view.boundary.intersection(log.sha) or log.broken), notes=tuple(notes), head=view.head,
    )  # fmt: skip


def _todays_files(view: View, prefix: bytes, notes: list[str]) -> list[bytes]:
    """Paths below `prefix` of the files in the commit, as git stores them."""
    try:
        listing = view.output("ls_tree", "-r", "-z", "--full-tree", view.head)
    except GitFailed as failure:
        notes.append(f"The files of commit {view.head} cannot be listed ({failure}), so changes belong to none.")
        return []
    entries = (entry.split(b"\t", 1) for entry in listing.split(b"\0") if entry)
    return [path for mode, path in entries if mode.startswith(_FILE_MODES) and path.startswith(prefix)]


def _notes(view: View, log: Log) -> list[str]:
    notes = []
    if cut := len(view.boundary.intersection(log.sha)):
        which = "1 commit" if cut == 1 else f"{cut:,} commits"
        notes.append(
            f"The history is shallow: the parents of {which} are not here, so what they changed is not counted."
        )
    if log.exact_only:
        notes.append(
            f"Older file contents are not here (a partial clone?): in the oldest {log.exact_only:,} commits "
            "only renames without any edit were followed."
        )
    if log.broken:
        notes.append(f"The history breaks off after {len(log.sha):,} commits: objects are missing ({log.broken}).")
    return notes
