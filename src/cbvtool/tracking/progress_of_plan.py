"""The marks of a plan over commits: what is left at each of them, and the commit since which a mark holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cbvtool.plan.task import Task
from cbvtool.tracking.marks import STATES, MarkState, TaskMark
from cbvtool.versions.difference import BrokenRule


@dataclass(frozen=True)
class CommitMarks:
    """The marks at one commit. time: when it was made, seconds since the epoch."""

    sha: str
    time: int
    marks: tuple[TaskMark, ...]

    @property
    def counts(self) -> Mapping[MarkState, int]:
        """How many tasks have each mark."""
        return {state: sum(mark.state == state for mark in self.marks) for state in STATES}


@dataclass(frozen=True, eq=False)
class PlanProgress:
    """A plan followed.

    commit    that it was made on, full id
    tasks     as they were then
    rows      of the commits that were looked at, the oldest first; the last one is what is asked about. At least one
    broken    violations of rules that are new since then
    left_out  commits that cannot be read, and steps that do not fit the commit, one sentence each
    """

    commit: str
    tasks: tuple[Task, ...]
    rows: tuple[CommitMarks, ...]
    broken: tuple[BrokenRule, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def now(self) -> CommitMarks:
        """The marks that are asked about."""
        return self.rows[-1]

    @property
    def is_done(self) -> bool:
        """Whether every task is."""
        return all(mark.state == "done" for mark in self.now.marks)

    @property
    def changes(self) -> list[CommitMarks]:
        """The first and the last commit, and those between at which a mark changed."""
        kept = [self.rows[0]]
        for row in self.rows[1:]:
            if [mark.state for mark in row.marks] != [mark.state for mark in kept[-1].marks] or row is self.now:
                kept.append(row)
        return kept


def since(rows: Sequence[CommitMarks], task: int) -> int:
    """Row since which task number `task` (from 0) has its mark of the last row, without a break."""
    state, row = rows[-1].marks[task].state, len(rows) - 1
    while row > 0 and rows[row - 1].marks[task].state == state:
        row -= 1
    return row
