"""Which files of a working tree differ from its commit."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.locate import NotReadable, find_repository, resolve_head
from cbvtool.mining.processes import Slow
from cbvtool.mining.view_repository import GitFailed, open_view
from cbvtool.regular_file import Unreadable, read_bytes

_MOST_SECONDS = 10.0
_LARGEST = 1 << 26  # bytes of a file
_LINK = b"120000"


def is_dirty(root: Path) -> bool | None:
    """Whether a tracked file of the repository around `root` differs from its commit, or is missing; None = unknown.

    Contents are compared here, so that git does not run in the working tree, where it could start filters of the
    repository's settings. A CRLF in place of a LF is no difference. Untracked files and submodules are ignored.
    """
    try:
        return any(differs for _, differs in _tracked(root))
    except (GitFailed, Slow, OverBudget, Unreadable, NotReadable, OSError, ValueError):
        return None


def changed_files(root: Path, there: Iterable[str]) -> tuple[str, ...] | None:
    """Files below `root` that differ from the commit, are missing, or are not in it; None = unknown.

    there  existing files, some of which may not be in the commit; these and the result are paths relative to `root`
    """
    base = os.fsencode(os.path.realpath(root))
    try:
        found, known = set[str](), set[str]()
        for path, differs in _tracked(root):
            if path.startswith(base + b"/"):
                name = path[len(base) + 1 :].decode("utf-8", "replace")
                known.add(name)
                if differs:
                    found.add(name)
    except (GitFailed, Slow, OverBudget, Unreadable, NotReadable, OSError, ValueError):
        return None
    return tuple(sorted(found | (set(there) - known)))


def _tracked(root: Path) -> Iterator[tuple[bytes, bool]]:
    """(absolute path, whether it differs) of each file of the commit. Passes on errors; ValueError without a commit."""
    repository = find_repository(root)
    head = "" if repository is None else resolve_head(repository)
    if repository is None or not head or repository.work_tree is None:
        raise ValueError("there is no commit")
    with open_view(repository) as view:
        listed = view.output("ls-tree", "-r", "-z", head)
    budget = Budget("The comparison with the commit", seconds=_MOST_SECONDS)
    work_tree = os.path.realpath(repository.work_tree)
    for row in filter(None, listed.split(b"\0")):
        said, _, name = row.partition(b"\t")
        mode, kind, wanted = said.split(b" ")[:3]
        path = os.path.join(os.fsencode(work_tree), name)
        if kind == b"blob":
            budget.spend(1)
            yield path, _differs(path, mode, wanted)


def _differs(path: bytes, mode: bytes, wanted: bytes) -> bool:
    """Whether a file differs from the blob with the id `wanted`."""
    if not os.path.lexists(path):
        return True
    if mode == _LINK:
        content = os.readlink(path) if os.path.islink(path) else b""
        return _id(content, wanted) != wanted
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return True  # a link or a folder stands in its place
    content = read_bytes(os.fsdecode(path), _LARGEST)
    return _id(content, wanted) != wanted and _id(content.replace(b"\r\n", b"\n"), wanted) != wanted


def _id(content: bytes, like: bytes) -> bytes:
    """The id of a blob with this content, by the same algorithm as the id `like`."""
    data = b"blob %d\0" % len(content) + content
    made = hashlib.sha256(data) if len(like) == 64 else hashlib.sha1(data, usedforsecurity=False)
    return made.hexdigest().encode()
