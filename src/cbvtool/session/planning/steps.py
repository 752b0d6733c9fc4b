"""Steps of the plan, and what follows from one: the tasks, and what breaks the rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from cbvtool.geometry.scene.scene import NO_RULES, Scene
from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.plan import History
from cbvtool.plan.effort import USUAL
from cbvtool.plan.listing.annotations import NONE, Annotations
from cbvtool.plan.operations import creations
from cbvtool.plan.sites.code import NO_CODE
from cbvtool.plan.tasks import TaskList, task_list
from cbvtool.project import Project
from cbvtool.rules import Rules, Violation, violations
from cbvtool.session.picture import changes_of

PlanStep = Callable[[History], History | str]  # the history after it, or why it cannot be done
Broken = tuple[list[Violation], list[Violation]]  # as planned, as it is


@dataclass(frozen=True, eq=False)
class FoundBroken:
    """What breaks rules in a plan, and in what was before it."""

    rules: Rules
    base: Graph
    planned: Graph
    broken: Broken


class StepRunner(Protocol):
    """Carries out a step of the plan."""

    def __call__(self, change: PlanStep, what: str, then: Callable[[], None] = ...) -> str | None:
        """Have what `change` makes of what is planned, and `then` do something else.

        what   is being done, for people

        The result is the reason why it cannot be done, if that is known.
        """


class Consequences:
    """What follows from the plan, found out when it is asked for, and once."""

    def __init__(self) -> None:
        self._tasks: tuple[History, Changes | None, Annotations, TaskList] | None = None
        self._broken: tuple[Graph, Rules | None, Broken] | None = None

    def tasks(self, history: History, project: Project | None, annotations: Annotations = NONE) -> TaskList:
        """The compressed plan as tasks, with what people noted about them; without rules, which take longer."""
        changes, known = changes_of(project), self._tasks
        if known is None or known[0] is not history or known[1] is not changes or known[2] != annotations:
            found = list_of_tasks(history, project, annotations)
            known = self._tasks = history, changes, annotations, found
        return known[3]

    def broken(self, base: Graph, planned: Graph, rules: Rules | None) -> Broken:
        """What breaks the rules: (as planned, as it is)."""
        known = self._broken
        if known is None or known[0] is not planned or known[1] is not rules:
            go_by = rules or NO_RULES
            known = self._broken = planned, rules, (violations(planned, go_by), violations(base, go_by))
        return known[2]

    def keep_broken(self, found: FoundBroken) -> None:
        """Know what was found on another thread."""
        self._broken = found.planned, found.rules, found.broken


def list_of_tasks(
    history: History,
    project: Project | None,
    annotations: Annotations,
    rules: Rules | None = None,
    *,
    circles: bool = False,
) -> TaskList:
    """The task list of a plan for a project, with the weights that the project states."""
    code, weights = (NO_CODE, USUAL) if project is None else (project.code, project.weights)
    return task_list(
        history, changes_of(project), code, rules=rules, weights=weights, annotations=annotations, circles=circles
    )


@dataclass(frozen=True, eq=False)
class Stepped:
    """What a step of the plan leads to: the history, and, of a huge graph, its first scene and what follows from it."""

    before: History
    after: History
    scene: Scene | None = None
    consequences: Consequences | None = None

    def others(self) -> dict[int, int]:
        """Keys that mean another node afterwards -> the key that their node has then, -1 = none.

        Two plans number what they make from the same key on.
        """
        before, after = self.before, self.after
        if before.base is not after.base:
            return {}
        was, now = creations(before.operations), creations(after.operations)
        found = dict[int, int]()
        for key in range(len(before.base), min(len(before.graph), len(after.graph))):
            node = before.graph.ids[key]
            is_same = was.get(node) == now.get(node)
            there = after.graph.key_of.get(node, -1) if is_same else -1
            if there != key:
                found[key] = there
        return found


def stepped(change: PlanStep, before: History) -> Stepped | str:
    """A step, or why it cannot be done."""
    after = change(before)
    return after if isinstance(after, str) else Stepped(before, after)
