"""A plan followed through the commits of its repository."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.mining.first_parents import FilesOfCommit
from cbvtool.mining.processes import Processes
from cbvtool.mining.versions import Versions, open_versions
from cbvtool.plan.document import Plan
from cbvtool.plan.tasks import task_list
from cbvtool.progress import Progress, silent
from cbvtool.rules import Rules
from cbvtool.tracking.file_moves import FileMoves
from cbvtool.tracking.marks import marks
from cbvtool.tracking.progress_of_plan import CommitMarks, PlanProgress, TrackedEnds
from cbvtool.versions.analysed import analysed, rules_of
from cbvtool.versions.difference import BrokenRule, difference

MOST = 50  # commits that are analysed


def read_progress(
    folder: Path,
    plan: Plan,
    commit: str,
    *,
    at: str = "HEAD",
    most: int = MOST,
    processes: Processes | None = None,
    progress: Progress = silent,
    **how: Any,
) -> PlanProgress:
    """Follow a plan that was made on `commit` of `folder` to the commit `at`.

    most  commits on the way that are analysed, evenly spread; between two of them, the commit that did something is
          looked for where a mark has changed
    how   see `versions.analysed`

    Raises InputError where there are no versions, or none of these.
    """
    if not commit:
        raise InputError("The plan does not say on which commit it was made, so nothing tells what has changed since.")
    with open_versions(folder, processes) as versions:
        first, last = versions.commit_of(commit), versions.commit_of(at)
        walk = _Walk(versions, plan, first, progress, how)
        steps = versions.first_parents(first, last)
        rows = walk.rows(steps, last, most)
        ends = walk.ends(rows[-1].sha, rules_of(versions, last))
        broken = walk.new_violations(rows[-1].sha, ends)
    return PlanProgress(first, walk.tasks, tuple(rows), broken, tuple(walk.left_out), ends)


class _Walk:
    """Analyses commits, each once, and marks the tasks of one plan at them."""

    def __init__(self, versions: Versions, plan: Plan, first: str, progress: Progress, how: dict[str, Any]) -> None:
        self._versions, self._progress, self._how = versions, progress, how
        self._base = self._graph(first, 0, 1)
        history = plan.history(self._base)
        self._target = history.graph
        self.tasks = task_list(history, annotations=plan.annotations).tasks
        self.left_out = [
            f"A step of the plan does not fit commit {first[:7]}, and is left out: {refusal.reason}"
            for refusal in history.refusals
        ]
        self._first = first
        self._moves: list[FileMoves] = [FileMoves()]
        self._known = dict[int, CommitMarks | None]()

    def rows(self, steps: Sequence[FilesOfCommit], last: str, most: int) -> list[CommitMarks]:
        """The marks at the first commit, at some on the way, and at the last one."""
        for step in steps:
            self._moves.append(self._moves[-1].then(step))
        shas = [self._first, *(step.sha or step.parent for step in steps)]
        times = [self._versions.time_of(self._first), *(step.time for step in steps)]
        if steps and not steps[0].sha:  # how the line of the last commit differs from that of the first one
            shas[1] = last if len(steps) == 1 else self._versions.commit_of(f"{steps[1].sha}^")
            times[1] = self._versions.time_of(shas[1])
        wanted = sorted({round(place * (len(shas) - 1) / max(most - 1, 1)) for place in range(most)})
        for number, row in enumerate(wanted):
            self._at(row, shas, times, number, len(wanted))
        if self._known[len(shas) - 1] is None:
            raise InputError(self.left_out[-1])
        for before, after in itertools.pairwise(wanted):
            self._narrow(before, after, shas, times)
        return [found for row in sorted(self._known) if (found := self._known[row]) is not None]

    def ends(self, sha: str, rules: Rules) -> TrackedEnds:
        """What the marks of further code after the last commit, `sha`, depend on."""
        renames = self._versions.moved(self._first, sha) if rules else {}
        return TrackedEnds(self._base, self._target, self._moves[-1], renames, rules)

    def new_violations(self, sha: str, ends: TrackedEnds) -> tuple[BrokenRule, ...]:
        """What breaks rules at a commit, and did not at the first one."""
        if not ends.rules:
            return ()
        return difference(self._base, self._graph(sha, 0, 0), ends.renames, ends.rules).broken

    def _narrow(self, before: int, after: int, shas: Sequence[str], times: Sequence[int]) -> None:
        """Look at the commits between two at which marks differ, halving, until those that did it are known."""
        waiting = [(before, after)]
        while waiting:
            low, high = waiting.pop()
            if high - low < 2 or not self._differ(low, high):
                continue
            middle = (low + high) // 2
            self._at(middle, shas, times, 0, 0)
            waiting += [(low, middle), (middle, high)]

    def _differ(self, low: int, high: int) -> bool:
        one, two = self._known[low], self._known[high]
        return (
            one is not None
            and two is not None
            and any(a.state != b.state for a, b in zip(one.marks, two.marks, strict=True))
        )

    def _at(self, row: int, shas: Sequence[str], times: Sequence[int], number: int, count: int) -> None:
        """Mark the tasks at a commit; None where it cannot be read."""
        if row in self._known:
            return
        try:
            now = self._graph(shas[row], number, count)
        except InputError as error:
            self.left_out.append(str(error))
            self._known[row] = None
            return
        found = marks(self.tasks, self._base, self._target, now, self._moves[row])
        self._known[row] = CommitMarks(shas[row], times[row], found)

    def _graph(self, sha: str, number: int, count: int) -> Graph:
        def say(_what: str, _done: int, _count: int) -> None:
            self._progress("Following the plan", number, count)  # it raises where the work was cancelled

        return analysed(self._versions, sha, progress=say, **self._how).graph
