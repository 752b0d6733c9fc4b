"""One task of the list: a net operation as work for somebody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from cbvtool.plan.primitives import Site

Kind = Literal["create", "move", "rename", "remove", "pull out", "merge", "split", "relations"]


@dataclass(frozen=True)
class Task:
    """One net operation as work for somebody.

    number    from 1, in an order in which the tasks can be done
    title     `Move billing.py from shop/ui to shop/core`
    nodes     ids of what is moved, made, renamed or removed
    origin    index of the operation, in the plan, that the task comes from
    before    path today; empty for what is new
    after     path in the target; empty for what goes
    steps     one for each refactoring that an IDE does at a time
    sites     (file, line) of the import sites that must change; paths and lines as they are today
    checks    reason -> (file, line) of the import sites that must change only if written in a certain way
    people    last author of each file that the task touches, whoever has most files first
    minutes   estimated effort, see `effort.EXPLANATION`
    notes     one sentence each about what to mind
    """

    number: int
    kind: Kind
    title: str
    nodes: tuple[str, ...]
    origin: int
    before: str
    after: str
    steps: tuple[str, ...]
    sites: tuple[Site, ...] = ()
    checks: tuple[tuple[str, tuple[Site, ...]], ...] = ()
    people: tuple[str, ...] = ()
    minutes: int = 0
    notes: tuple[str, ...] = ()

    @property
    def files(self) -> int:
        """How many files hold the sites that must change."""
        return len({file for file, _ in self.sites})

    @property
    def to_check(self) -> int:
        """How many sites are to be checked."""
        return len({site for _, sites in self.checks for site in sites})

    @property
    def impact(self) -> str:
        """`5 import sites in 3 files, 2 to check`."""
        return sites_in_files(self.sites) + (f", {self.to_check:,} to check" if self.checks else "")


def sites_in_files(sites: Iterable[Site]) -> str:
    """`5 import sites in 3 files`; `no import sites` if there are none."""
    distinct = set(sites)
    if not distinct:
        return "no import sites"
    files = len({file for file, _ in distinct})
    return f"{counted(len(distinct), 'import site')} in {counted(files, 'file')}"


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
