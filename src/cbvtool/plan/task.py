"""One task of the list, a net operation as work for somebody, and the steps that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from cbvtool.plan.people import Person
from cbvtool.plan.primitives import Primitive
from cbvtool.plan.site_words import count_of_sites, sites_in_files
from cbvtool.plan.sites.site import Site

Kind = Literal["create", "move", "rename", "remove", "pull out", "merge", "split", "relations"]


@dataclass(frozen=True)
class TaskWork:
    """What a task and a step have in common.

    key         stays the same while what is done stays the same, whatever else is planned; see `keys`
    title       `Move billing.py from shop/ui to shop/core`
    number      from 1, in an order in which they can be done
    primitives  the net changes of the graph
    nodes       ids of what is moved, made, renamed or removed; of a relation both ends
    places      paths of what is worked on: as analysed where it exists, as planned where it is made
    sites       what must change and what is to be checked, each place once, by file and line, as they are today
    dependants  paths of the files that use what is moved, renamed or removed
    people      last author of each file that is touched, whoever has most files first
    mended      violations of rules that end by it, one sentence each; empty also where nobody asked
    broken      those that begin by it
    minutes     estimated effort, see `effort.Weights`
    notes       one sentence each about what to mind
    """

    key: str
    title: str
    number: int = 0
    primitives: tuple[Primitive, ...] = ()
    nodes: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    sites: tuple[Site, ...] = ()
    dependants: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    mended: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
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


@dataclass(frozen=True)
class Step(TaskWork):
    """A part of a task, of the size of one refactoring in an IDE; after it the code builds.

    task       key of the task
    is_extra   it is not in the task's own list: it gives a name back that was another one meanwhile
    """

    task: str = ""
    is_extra: bool = False


@dataclass(frozen=True)
class Task(TaskWork):
    """One net operation as work for somebody.

    origin    index of the operation, in the plan, that the task comes from
    before    path today; empty for what is new
    after     path in the target; empty for what goes
    steps     one for each refactoring that an IDE does at a time
    note      what people noted
    assignee  who does it
    done      whether it is done
    """

    kind: Kind = "relations"
    origin: int = -1
    before: str = ""
    after: str = ""
    steps: tuple[Step, ...] = ()
    note: str = ""
    assignee: str = ""
    done: bool = False


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
