"""Symbolic links, which whoever made a repository chose."""

from __future__ import annotations

import errno
import os


def real_path(path: str | os.PathLike[str]) -> str:
    """`path` without symbolic links; it need not be there. Raises OSError for more links than the system follows.

    `os.path.realpath` calls itself for each link of a chain, and has no limit of its own.
    """
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise
    return os.path.realpath(path)
