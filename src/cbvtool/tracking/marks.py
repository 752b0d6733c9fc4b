"""The mark of each task: what is done of it in the code as it is now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from cbvtool.graph import Graph
from cbvtool.plan.task import Task
from cbvtool.tracking.file_moves import FileMoves
from cbvtool.tracking.following import FollowedNodes
from cbvtool.tracking.sites import SitesOfTasks, TrackedSite

MarkState = Literal["open", "partly", "done", "overtaken"]
STATES: tuple[MarkState, ...] = get_args(MarkState)
_MOST_REASONS = 3  # of one task


@dataclass(frozen=True)
class TaskMark:
    """What is done of a task.

    key      of the task
    done     how many of its sites are
    sites    how many it has; what is lost is none
    reason   what is to be known of it: what is gone or lies elsewhere; sentences, or empty
    there    ids, in the code that was looked at, of what the task names, as far as it is still somewhere
    """

    key: str
    state: MarkState
    done: int
    sites: int
    reason: str = ""
    there: tuple[str, ...] = field(default=(), compare=False)

    @property
    def words(self) -> str:
        """`done`, `partly, 2 of 5`."""
        return f"partly, {self.done} of {self.sites}" if self.state == "partly" else self.state


def marks(tasks: Iterable[Task], base: Graph, target: Graph, now: Graph, moves: FileMoves) -> tuple[TaskMark, ...]:
    """The mark of each of the tasks that lead from `base` to `target`, in the code `now`.

    moves   where the files of `base` are in `now`, as git says
    """
    followed = FollowedNodes(base, target, now, moves)
    sites = SitesOfTasks(followed)
    return tuple(_mark(task.key, sites.of(task), followed.ids_of(task.nodes)) for task in tasks)


def _mark(key: str, sites: list[TrackedSite], there: tuple[str, ...]) -> TaskMark:
    done, still_open = (sum(site.state == state for site in sites) for state in ("done", "open"))
    reasons = list(dict.fromkeys(site.reason for site in sites if site.reason))
    more = len(reasons) - _MOST_REASONS
    if more > 0:
        reasons = [*reasons[:_MOST_REASONS], f"And {more:,} more."]
    state: MarkState = "partly"
    if not done:
        state = "open" if still_open else "overtaken"
    elif not still_open:
        state = "done"
    return TaskMark(key, state, done, done + still_open, " ".join(reasons), there)
