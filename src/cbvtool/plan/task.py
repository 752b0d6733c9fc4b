"""One task of the list: a net operation as work for somebody."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from cbvtool.plan.site_words import count_of_sites, sites_in_files
from cbvtool.plan.sites.site import Site

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
    sites     what must change and what is to be checked, each place once, by file and line, as they are today
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
    people: tuple[str, ...] = ()
    minutes: int = 0
    notes: tuple[str, ...] = ()

    @cached_property
    def must(self) -> tuple[Site, ...]:
        """The sites that must change."""
        return tuple(site for site in self.sites if site.certainty == "must")

    @cached_property
    def check(self) -> tuple[Site, ...]:
        """The sites to check: whether they must change depends on what `reason` says."""
        return tuple(site for site in self.sites if site.certainty == "check")

    @property
    def files(self) -> int:
        """How many files hold the sites that must change."""
        return len({site.file for site in self.must})

    @property
    def to_check(self) -> int:
        """How many sites are to be checked."""
        return count_of_sites(self.check)

    @property
    def impact(self) -> str:
        """`4 calls and 1 import in 3 files, 2 to check`."""
        return sites_in_files(self.must) + (f", {self.to_check:,} to check" if self.check else "")


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
