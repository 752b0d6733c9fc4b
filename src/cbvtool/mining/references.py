"""Branches and tags, read from files, because git itself would read the repository's configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.locate import NotReadable, Repository, is_commit_id, opened, resolve_reference
from cbvtool.progress import checkpoint

_KINDS = {"refs/tags/": "tag", "refs/heads/": "branch", "refs/remotes/": "remote branch"}
# Places in which git looks up a name, in its order (gitrevisions(7)).
_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_NO_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/]|/$|\.lock$|(^|/)\.")  # git-check-ref-format(1)
_MOST, _SECONDS, _LINE = 100_000, 5.0, 4096
_SIZE = 50_000_000  # most bytes of packed references that are searched
_NUMBER = re.compile(r"([0-9]+)")


@dataclass(frozen=True)
class Reference:
    """A name for a commit.

    kind  `tag`, `branch` or `remote branch`
    """

    kind: str
    name: str


class PackedReference(NamedTuple):
    """A full name, the id of its object, and the id of its commit; empty = only git can tell."""

    name: str
    target: str
    commit: str


def references(repository: Repository) -> list[Reference]:
    """Tags, highest version first, then branches, then remote branches, by name.

    Raises NotReadable if there are too many, or if only git can read them.
    """
    if os.path.isdir(repository.common_dir / "reftable"):
        raise NotReadable("The repository keeps its references in a reftable, which cannot be read here.")
    budget = Budget(
        "The list of branches and tags", count=_MOST, seconds=_SECONDS, things="references", cancel=checkpoint
    )
    try:
        names = set[str]()
        for name in chain(
            (one.name for one in packed_references(repository)),
            *(loose_names(repository, start.rstrip("/")) for start in _KINDS),
        ):
            budget.spend(1)
            names.add(name)
    except OverBudget as reason:
        raise NotReadable(str(reason)) from reason
    known = [(start, name.removeprefix(start)) for name in names for start in _KINDS if name.startswith(start)]
    tags = sorted((name for start, name in known if start == "refs/tags/"), key=_by_number, reverse=True)
    rest = sorted((list(_KINDS).index(start), name) for start, name in known if start != "refs/tags/")
    kinds = list(_KINDS.values())
    others = [Reference(kinds[row], name) for row, name in rest if not name.endswith("/HEAD")]
    return [Reference("tag", name) for name in tags] + others


def is_name_of_branch(name: str) -> bool:
    """Whether this is a valid name for a new branch."""
    return bool(name) and name not in ("HEAD", "@") and not _NO_NAME.search(name) and not name.endswith(".")


def commit_named(repository: Repository, name: str) -> str:
    """The id of the object of the branch or tag `name`; empty = there is none.

    Raises NotReadable if the name is ambiguous: several references have it, for different objects.
    """
    if not name or _NO_NAME.search(name):
        return ""
    found = dict[str, str]()
    for place in _PLACES:
        full = place.format(name)
        if full.startswith("refs/") and (commit := resolve_reference(repository, full)) and is_commit_id(commit):
            found[full] = commit
    if len(set(found.values())) > 1:
        raise NotReadable(f"{name!r} is ambiguous: write {' or '.join(found)}.")
    return next(iter(found.values()), "")


def loose_names(repository: Repository, folder: str) -> Iterator[str]:
    """Full names of the references below a folder such as `refs/tags`, each a file; links are not followed."""
    todo = [folder]
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(Path(repository.common_dir, folder)) as entries:
                for entry in entries:
                    name = f"{folder}/{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(name)
                    elif not _NO_NAME.search(name):
                        yield name
        except OSError:  # there are none
            continue


def packed_references(repository: Repository) -> Iterator[PackedReference]:
    """The references in the file `packed-refs`; a loose reference of the same name takes precedence."""
    packed = repository.common_dir / "packed-refs"
    if not os.path.isfile(packed):
        return
    size, peeled, held = 0, False, None
    with opened(packed) as lines:
        while (line := lines.readline(_LINE)) and size < _SIZE:
            size += len(line)
            text = line.decode("utf-8", "surrogateescape").rstrip("\n")
            if text.startswith("#"):
                peeled = " peeled" in text or " fully-peeled" in text
            elif text.startswith("^"):
                if held is not None and is_commit_id(text[1:]):
                    held = held._replace(commit=text[1:])
            else:
                if held is not None:
                    yield held
                target, _, name = text.partition(" ")
                known = is_commit_id(target) and not _NO_NAME.search(name)
                held = PackedReference(name, target, target if peeled else "") if known else None
    if held is not None:
        yield held


def _by_number(name: str) -> list[tuple[int, int, str]]:
    """Sort key that puts `2.10` after `2.9`."""
    parts = (part for part in _NUMBER.split(name) if part)
    return [(1, int(part[:18]), "") if part.isdecimal() and part.isascii() else (0, 0, part) for part in parts]
