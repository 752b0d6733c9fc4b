"""The tags of a repository and their commits, from its references as text."""

from __future__ import annotations

import os
from pathlib import Path

from cbvtool.mining.locate import NotReadable, Repository, find_repository, is_commit_id, opened
from cbvtool.mining.processes import Processes
from cbvtool.mining.view_repository import GitFailed, open_view

_PREFIX = b"refs/tags/"
_LONGEST = 4096  # bytes of a line of references; a longer one is not read
_MOST = 100_000  # tags; Linux has 900
_SIZE = 50_000_000  # bytes of packed references that are looked through


def read_tags(root: Path, processes: Processes | None = None) -> dict[str, str]:
    """Tag -> full id of its commit, of the repository that `root` lies in. No tags where they cannot be read.

    Bytes of a name that are not UTF-8 are U+FFFD. Tags of anything but commits, as some of blobs, are left out.
    Raises Cancelled once the processes are stopped.
    """
    try:
        repository = find_repository(root)
        if repository is None:
            return {}
        peeled, unknown = _packed(repository)
        for name, commit in _loose(repository).items():
            peeled.pop(name, None)
            unknown[name] = commit
        if unknown:
            with open_view(repository, processes) as view:
                names = list(unknown)
                found = view.commits_of([unknown[name].encode() for name in names])
            peeled |= {name: commit for name, commit in zip(names, found, strict=True) if commit}
    except (NotReadable, GitFailed, OSError):
        return {}
    return {name.decode("utf-8", "replace"): commit for name, commit in peeled.items()}


def _packed(repository: Repository) -> tuple[dict[bytes, str], dict[bytes, str]]:
    """(tag -> commit, tag -> object that git has to be asked about) of the file `packed-refs`."""
    peeled, unknown = dict[bytes, str](), dict[bytes, str]()
    file = repository.common_dir / "packed-refs"
    if not os.path.isfile(file):
        return peeled, unknown
    last, size, is_peeled = b"", 0, False
    with opened(file) as lines:
        while (line := lines.readline(_LONGEST)) and size < _SIZE and len(peeled) + len(unknown) < _MOST:
            size += len(line)
            if line.startswith(b"#"):
                is_peeled = b" peeled" in line or b" fully-peeled" in line
                continue
            commit, _, name = line.rstrip(b"\n").partition(b" ")
            if line.startswith(b"^"):
                if last and is_commit_id(text := commit[1:].decode("ascii", "replace")):
                    peeled[last] = text
                    unknown.pop(last, None)
                continue
            last = name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else b""
            if last and is_commit_id(text := commit.decode("ascii", "replace")):
                (peeled if is_peeled else unknown)[last] = text
    return peeled, unknown


def _loose(repository: Repository) -> dict[bytes, str]:
    """Tag -> object, of the files below `refs/tags`."""
    found = dict[bytes, str]()
    top = os.fsencode(repository.common_dir / "refs" / "tags")
    for folder, _, files in os.walk(top):
        for file in files:
            if len(found) >= _MOST:
                return found
            path = os.path.join(folder, file)
            if not os.path.isfile(path):
                continue
            with opened(Path(os.fsdecode(path))) as stream:
                text = stream.read(_LONGEST).strip().decode("ascii", "replace")
            if is_commit_id(text):
                found[os.path.relpath(path, top).replace(os.sep.encode(), b"/")] = text
    return found
