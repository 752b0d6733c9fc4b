"""Whether the files of a working tree are still those of its commit."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.locate import find_repository, resolve_head
from cbvtool.mining.processes import Slow
from cbvtool.mining.view_repository import GitFailed, open_view
from cbvtool.regular_file import Unreadable, read_bytes

_MOST_SECONDS = 10.0
_LARGEST = 1 << 26  # bytes of a file
_FILE, _LINK = b"100", b"120000"


def is_dirty(root: Path) -> bool | None:
    """Whether a tracked file of the repository around `root` differs from its commit, or is gone; None = not known.

    Contents are compared, so that git need not run in the working tree and no filter of its settings is started. Ends
    of lines count for nothing. Files that git does not track are not looked at, nor are submodules.
    """
    repository = find_repository(root)
    head = "" if repository is None else resolve_head(repository)
    if repository is None or not head or repository.work_tree is None:
        return None
    try:
        with open_view(repository) as view:
            listed = view.output("ls-tree", "-r", "-z", head)
        budget = Budget("The comparison with the commit", seconds=_MOST_SECONDS)
        return any(_differs(repository.work_tree, row, budget) for row in listed.split(b"\0") if row)
    except (GitFailed, Slow, OverBudget, Unreadable, OSError, ValueError):
        return None


def _differs(work_tree: Path, row: bytes, budget: Budget) -> bool:
    """Whether the file of one row of `ls-tree` differs: `mode blob id TAB path`."""
    budget.spend(1)
    said, _, name = row.partition(b"\t")
    mode, kind, wanted = said.split(b" ")[:3]
    if kind != b"blob":
        return False
    path = os.path.join(os.fsencode(work_tree), name)
    if not os.path.lexists(path):
        return True
    if mode == _LINK:
        content = os.readlink(path) if os.path.islink(path) else b""
        return _id(content, wanted) != wanted
    content = read_bytes(os.fsdecode(path), _LARGEST)
    return _id(content, wanted) != wanted and _id(content.replace(b"\r\n", b"\n"), wanted) != wanted


def _id(content: bytes, like: bytes) -> bytes:
    """The id that git gives a blob, in the algorithm of the id `like`."""
    data = b"blob %d\0" % len(content) + content
    made = hashlib.sha256(data) if len(like) == 64 else hashlib.sha1(data, usedforsecurity=False)
    return made.hexdigest().encode()
