"""From a folder to the changes of its files: the entry point of this package."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import numpy as np

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import Cancelled
from cbvtool.mining.changes import Changes, TouchPlaces
from cbvtool.mining.keeper import Keeper
from cbvtool.mining.kept_log import read_log_again
from cbvtool.mining.locate import NotReadable, find_repository, is_commit_id, resolve_head
from cbvtool.mining.log import Log
from cbvtool.mining.mainline import steady_since
from cbvtool.mining.processes import Processes
from cbvtool.mining.renames import fold_renames
from cbvtool.mining.view_repository import GitFailed, ViewRepository, open_view
from cbvtool.progress import Progress, silent

_FILE_MODES = (b"100", b"120")  # regular files and symbolic links; not submodules
_MOST_FILES, _FILES_SIZE = 2_000_000, 300_000_000  # most files in a commit, and bytes of their list


def head_commit(root: Path) -> str:
    """Full id of the commit checked out in the repository around `root`; empty without a repository or a commit."""
    try:
        repository = find_repository(root)
        return resolve_head(repository) if repository else ""
    except NotReadable:
        return ""


def work_tree_of(root: Path) -> Path | None:
    """The top folder of the work tree of git in which `root` lies; None = in none."""
    try:
        repository = find_repository(root)
    except NotReadable:
        return None
    return repository.work_tree if repository else None


def has_commit(root: Path, commit: str) -> bool:
    """Whether the repository around `root` contains the commit with this full id."""
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


def read_changes(
    root: Path, *, progress: Progress = silent, processes: Processes | None = None, keeper: Keeper | None = None
) -> Changes:
    """The history of the files below `root`, up to the commit that is checked out.

    `root` may be any folder in a work tree; paths are relative to it. All commits of the repository are listed, also
    those that change nothing below `root`. Nothing that the repository configures is run, and nothing is fetched. If
    the history cannot be read, for whatever reason, the result is empty, with one sentence that says why.

    processes  allows the caller to stop the reading from any thread
    keeper     stores the log, so that the next call reads only new commits

    Raises exceptions of `progress`, and Cancelled once the processes are stopped.
    """
    stop: list[BaseException] = []

    def watched(what: str, done: int, total: int) -> None:
        try:
            progress(what, done, total)
        except BaseException as error:
            stop.append(error)
            raise

    try:
        return _read_changes(root, silent if progress is silent else watched, processes, keeper)
    except NotReadable as reason:
        return Changes.none(str(reason))
    except Cancelled:
        raise
    except Exception as error:
        if error in stop:
            raise
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Changes.none(f"The history of {root} could not be read ({said}).")


def _read_changes(root: Path, progress: Progress, processes: Processes | None, keeper: Keeper | None) -> Changes:
    repository = find_repository(root)
    if repository is None:
        return Changes.none(f"The folder {root} is not in a git repository, so there is no history.")
    if repository.work_tree is None:
        return Changes.none(f"{root} is a bare repository: it has a history but no files.")
    inside = Path(os.path.realpath(root)).relative_to(repository.work_tree).as_posix()
    prefix = b"" if inside == "." else inside.encode("utf-8", "surrogateescape") + b"/"
    with open_view(repository, processes) as view:
        return _changes(view, prefix, root, progress, keeper)


def _changes(view: ViewRepository, prefix: bytes, root: Path, progress: Progress, keeper: Keeper | None) -> Changes:
    notes: list[str] = []
    try:
        files = _todays_files(view, prefix)
    except GitFailed as failure:
        if failure.slow:
            return Changes.none(f"The files of commit {view.head} cannot be listed ({failure}): no history was read.")
        notes.append(f"The files of commit {view.head} cannot be listed ({failure}), so changes belong to none.")
        files = []
    except OverBudget as reason:
        return Changes.none(f"{str(reason).rstrip('.')}, so no history was read.")
    if prefix and not files and not notes:
        return Changes.none(f"The folder {root} holds no file of the repository it lies in, so there is no history.")
    log = read_log_again(view, keeper, progress)
    notes += _notes(view, log)
    folded = fold_renames(log, files, steady_since(view, log, files), progress)
    by_date = np.argsort(log.time, kind="stable")
    row = np.empty(len(by_date), np.int32)
    row[by_date] = np.arange(len(by_date), dtype=np.int32)
    commit = row[folded.commit]
    by_commit = np.argsort(commit, kind="stable")
    touch = np.empty(len(by_commit), np.int32)
    touch[by_commit] = np.arange(len(by_commit), dtype=np.int32)
    by_touch = np.argsort(touch[folded.touch], kind="stable")
    places = TouchPlaces(touch[folded.touch][by_touch], log.event_new[folded.event[by_touch]], log.paths)
    return Changes(
        sha=tuple(log.sha[i] for i in by_date.tolist()),
        time=log.time[by_date],
        author=log.author[by_date],
        authors=log.authors,
        names=log.names,
        touch_commit=commit[by_commit],
        touch_path=folded.file[by_commit],
        paths=tuple(path.removeprefix(prefix).decode("utf-8", "replace") for path in files),
        shallow=bool(view.boundary.intersection(log.sha) or log.broken),
        notes=tuple(notes),
        head=view.head,
        subjects=tuple(log.subjects[i] for i in by_date.tolist()),
        files=np.bincount(log.event_commit, minlength=len(log.sha)).astype(np.int32)[by_date],
        places=places,
    )


def _todays_files(view: ViewRepository, prefix: bytes) -> list[bytes]:
    """Paths below `prefix` of the files in the commit, as git stores them.

    Raises GitFailed; OverBudget if there are too many.
    """
    budget = Budget(f"The list of files in commit {view.head[:7]}", size=_FILES_SIZE, count=_MOST_FILES, things="files")
    found, rest = list[bytes](), b""
    with contextlib.closing(view.stream("ls-tree", "-r", "-z", "--full-tree", view.head)) as chunks:
        for chunk in chunks:
            *entries, rest = (rest + chunk).split(b"\0")
            budget.spend(len(entries), len(chunk))
            for mode, _, path in (entry.partition(b"\t") for entry in entries):
                if mode.startswith(_FILE_MODES) and path.startswith(prefix):
                    found.append(path)
    return found


def _notes(view: ViewRepository, log: Log) -> list[str]:
    notes = []
    if cut := len(view.boundary.intersection(log.sha)):
        which = "1 commit" if cut == 1 else f"{cut:,} commits"
        notes.append(
            f"The history is shallow: the parents of {which} are not here, so what they changed is not counted."
        )
    if log.exact_only and log.slow:
        notes.append(
            f"Comparing file contents took too long: in the oldest {log.exact_only:,} commits only renames without "
            "any edit were followed."
        )
    elif log.exact_only:
        notes.append(
            f"Older file contents are not here (a partial clone?): in the oldest {log.exact_only:,} commits "
            "only renames without any edit were followed."
        )
    if log.broken:
        notes.append(f"The history breaks off after {len(log.sha):,} commits ({log.broken}).")
    return notes
