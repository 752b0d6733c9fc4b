"""Branches and tags, by reading files: git itself would read the repository's configuration for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cbvtool.budget import Budget, OverBudget
from cbvtool.mining.locate import NotReadable, Repository, is_commit_id, opened, resolve_reference

_KINDS = {"refs/tags/": "tag", "refs/heads/": "branch", "refs/remotes/": "remote branch"}
# Where git looks for a name, in its order (gitrevisions(7)).
_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_NO_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/]|/$|\.lock$|(^|/)\.")  # git-check-ref-format(1)
_MOST, _SECONDS, _LINE = 100_000, 5.0, 4096
_NUMBER = re.compile(r"([0-9]+)")


@dataclass(frozen=True)
class Reference:
    """A name for a commit.

    kind  `tag`, `branch` or `remote branch`
    """

    kind: str
    name: str


def references(repository: Repository) -> list[Reference]:
    """Tags, the newest number first, then branches, then those of remotes, by name.

    Raises NotReadable where there are too many, or they are kept where only git can read them.
    """
    if os.path.isdir(repository.common_dir / "reftable"):
        raise NotReadable("The repository keeps its references in a reftable, which cannot be read here.")
    budget = Budget("The list of branches and tags", count=_MOST, seconds=_SECONDS, things="references")
    try:
        names = {name for found in (_loose, _packed) for name in found(repository, budget)}
    except OverBudget as reason:
        raise NotReadable(str(reason)) from reason
    known = [(start, name.removeprefix(start)) for name in names for start in _KINDS if name.startswith(start)]
    tags = sorted((name for start, name in known if start == "refs/tags/"), key=_by_number, reverse=True)
    rest = sorted((list(_KINDS).index(start), name) for start, name in known if start != "refs/tags/")
    kinds = list(_KINDS.values())
    others = [Reference(kinds[row], name) for row, name in rest if not name.endswith("/HEAD")]
    return [Reference("tag", name) for name in tags] + others


def commit_named(repository: Repository, name: str) -> str:
    """The id of the object that the branch or tag `name` stands for; empty = there is none.

    Raises NotReadable for a name of two things that are not the same.
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


def _loose(repository: Repository, budget: Budget) -> Iterator[str]:
    todo = [start.rstrip("/") for start in _KINDS]
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(Path(repository.common_dir, folder)) as entries:
                for entry in entries:
                    budget.spend(1)
                    name = f"{folder}/{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(name)
                    elif not _NO_NAME.search(name):
                        yield name
        except OSError:  # there are none
            continue


def _packed(repository: Repository, budget: Budget) -> Iterator[str]:
    packed = repository.common_dir / "packed-refs"
    if not os.path.isfile(packed):
        return
    with opened(packed) as lines:
        while line := lines.readline(_LINE):
            budget.spend(1)
            commit, _, name = line.decode("utf-8", "surrogateescape").rstrip("\n").partition(" ")
            if is_commit_id(commit) and not _NO_NAME.search(name):
                yield name


def _by_number(name: str) -> list[tuple[int, int, str]]:
    """Sorts `2.10` behind `2.9`."""
    parts = (part for part in _NUMBER.split(name) if part)
    return [(1, int(part[:18]), "") if part.isdecimal() and part.isascii() else (0, 0, part) for part in parts]
