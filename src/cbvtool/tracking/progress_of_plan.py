"""How far the tasks of a plan are at each commit (their marks), and since which commit a task has its present mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cbvtool.graph import Graph
from cbvtool.plan.task import Task
from cbvtool.rules import Rules
from cbvtool.tracking.file_moves import FileMoves
from cbvtool.tracking.marks import STATES, MarkState, TaskMark, marks
from cbvtool.versions.difference import BrokenRule, difference


@dataclass(frozen=True)
class CommitMarks:
    """The marks at one commit.

    sha   empty = of the files as they are saved
    time  when it was made, seconds since the epoch
    """

    sha: str
    time: int
    marks: tuple[TaskMark, ...]

    @property
    def counts(self) -> Mapping[MarkState, int]:
        """How many tasks have each mark."""
        return {state: sum(mark.state == state for mark in self.marks) for state in STATES}


@dataclass(frozen=True, eq=False)
class TrackedEnds:
    """What is needed to find the marks in later code, such as files saved after the last commit.

    base, target  the code that the plan was made on, and what it makes of that
    moves         where the files of `base` are at the last commit
    renames       what the last commit calls files of `base`; see `Versions.moved`
    rules         of the last commit
    """

    base: Graph
    target: Graph
    moves: FileMoves
    renames: Mapping[str, str]
    rules: Rules


@dataclass(frozen=True, eq=False)
class PlanProgress:
    """A plan followed over commits.

    commit    that it was made on, full id
    tasks     as they were then
    rows      of the commits that were looked at, the oldest first; the last one is what is asked about. At least one
    broken    violations of rules that are new since then
    left_out  commits that cannot be read, and steps that do not fit the commit, one sentence each
    ends      for `as_saved`
    """

    commit: str
    tasks: tuple[Task, ...]
    rows: tuple[CommitMarks, ...]
    broken: tuple[BrokenRule, ...] = ()
    left_out: tuple[str, ...] = ()
    ends: TrackedEnds | None = None

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


def as_saved(found: PlanProgress, now: Graph) -> PlanProgress:
    """The same with the marks in the code `now`: the files as they are saved after the last commit.

    These marks get a row of their own if they differ from those at the last commit.
    """
    ends = found.ends
    if ends is None:
        return found
    rows = [row for row in found.rows if row.sha]
    last = rows[-1]
    there = marks(found.tasks, ends.base, ends.target, now, ends.moves)
    if there == last.marks:
        rows[-1] = replace(last, marks=there)
    else:
        rows.append(CommitMarks("", last.time, there))
    broken = difference(ends.base, now, ends.renames, ends.rules).broken if ends.rules else ()
    return replace(found, rows=tuple(rows), broken=broken)


def since(rows: Sequence[CommitMarks], task: int) -> int:
    """Row since which task number `task` (from 0) has its mark of the last row, without a break."""
    state, row = rows[-1].marks[task].state, len(rows) - 1
    while row > 0 and rows[row - 1].marks[task].state == state:
        row -= 1
    return row
