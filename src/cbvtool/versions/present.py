"""The work tree as it is, as a private commit, so that what is not committed can be compared as commits are."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from cbvtool.mining.dirty import changed_files
from cbvtool.mining.scratch import NewFile, Scratch
from cbvtool.regular_file import Unreadable, read_bytes

_LARGEST = 1 << 26  # bytes of a file
_REGULAR, _EXECUTABLE = b"100644", b"100755"


def present_commit(scratch: Scratch, there: Iterable[str]) -> str | None:
    """Full id of a commit whose files below `scratch.root` have the contents of the work tree; None = unknown.

    It is the commit that is checked out if nothing differs. The repository does not change: the new one is private.

    there   existing files, some of which may not be in the commit, as paths below the root: others that git does not
            track are left out

    Ends of lines are those of git: CRLF counts as LF in a file whose content in the commit has no CRLF. A file that
    became a link, or is missing, is removed. Raises InputError.
    """
    if scratch.repository.work_tree is None:
        return scratch.head
    changed = changed_files(scratch.root, there)
    if not changed:
        return None if changed is None else scratch.head
    files = scratch.files(scratch.head)
    regular = {path: files[path] for path in changed if path in files and files[path].mode in (_REGULAR, _EXECUTABLE)}
    with scratch.told(scratch.head):
        known = dict(scratch.contents(list(dict.fromkeys(entry.blob for entry in regular.values()))))
    has_lf = {path for path, entry in regular.items() if b"\r\n" not in known.get(entry.blob, b"\r\n")}
    changes = dict[str, NewFile | None]()
    for path in changed:
        content = _content(os.path.join(scratch.root, path))
        if content is not None and path in has_lf:
            content = content.replace(b"\r\n", b"\n")
        if content is not None:
            changes[path] = NewFile(path if path in regular else "", content)
        elif path in files:
            changes[path] = None
    return scratch.commit(scratch.head, "the work tree", changes) if changes else scratch.head


def _content(path: str) -> bytes | None:
    """The content of a file; None = there is none, or another thing in its place."""
    try:
        return read_bytes(path, _LARGEST) if stat.S_ISREG(os.lstat(path).st_mode) else None
    except (OSError, Unreadable):
        return None
