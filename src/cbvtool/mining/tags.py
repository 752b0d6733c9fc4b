"""The tags of a repository and their commits, from its references as text."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from cbvtool.mining.locate import NotReadable, Repository, find_repository, resolve_reference
from cbvtool.mining.processes import Processes
from cbvtool.mining.references import loose_names, packed_references
from cbvtool.mining.view_repository import GitFailed, open_view

_PREFIX = "refs/tags/"
_MOST = 100_000  # tags; Linux has 900


def read_tags(root: Path, processes: Processes | None = None) -> dict[str, str]:
    """Tag -> full id of its commit, for the repository around `root`. Empty if tags cannot be read.

    Bytes of a name that are not UTF-8 are U+FFFD. Tags of objects other than commits, such as blobs, are left out.
    Raises Cancelled once the processes are stopped.
    """
    try:
        repository = find_repository(root)
        if repository is None:
            return {}
        packed = islice((one for one in packed_references(repository) if one.name.startswith(_PREFIX)), _MOST)
        known, unknown = dict[str, str](), dict[str, str]()
        for one in packed:
            (known if one.commit else unknown)[one.name] = one.commit or one.target
        for name in islice(loose_names(repository, _PREFIX.rstrip("/")), _MOST):
            if target := _target(repository, name):
                known.pop(name, None)
                unknown[name] = target
        if unknown:
            with open_view(repository, processes) as view:
                found = view.commits_of([target.encode() for target in unknown.values()])
            known |= dict(zip(unknown, found, strict=True))
    except (NotReadable, GitFailed, OSError):
        return {}
    names = ((os.fsencode(name.removeprefix(_PREFIX)).decode("utf-8", "replace"), at) for name, at in known.items())
    return {name: at for name, at in names if at}


def _target(repository: Repository, name: str) -> str:
    """The id of the object of a tag; empty if it cannot be read."""
    try:
        return resolve_reference(repository, name)
    except (NotReadable, OSError):
        return ""
