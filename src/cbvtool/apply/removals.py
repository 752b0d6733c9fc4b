"""Which removals of a plan go together: what is removed with what it uses, so that nothing is left in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import takewhile

from cbvtool.graph import Graph
from cbvtool.plan.place import file_of
from cbvtool.plan.primitives import RemoveNode
from cbvtool.plan.task import Task
from cbvtool.rules import dependencies


def removed_with(base: Graph, tasks: Sequence[Task]) -> Mapping[int, tuple[RemoveNode, ...]]:
    """Number of a task that removes -> the removals of later tasks that have to be done with it.

    They take away what uses what the task takes away, directly or not: without them their code would use what is gone.
    Tasks that need none are left out, and those after which something else is still to be done.
    """
    last = takewhile(lambda entry: entry[1], ((task.number, _removals(task)) for task in reversed(tasks)))
    removing = dict(sorted(last))
    if len(removing) < 2:
        return {}
    number_of: dict[int, int] = {}  # file -> the task that removes it
    for number, removals in removing.items():
        for one in removals:
            number_of |= dict.fromkeys(base.subtree(base.key_of[one.node]).tolist(), number)
    users: dict[int, set[int]] = defaultdict(set)
    rows = dependencies(base, type_checking=True)
    for source, target in zip(base.edges.source[rows].tolist(), base.edges.target[rows].tolist(), strict=True):
        user, used = number_of.get(file_of(base, source)), number_of.get(file_of(base, target))
        if user is not None and used is not None and user != used:
            users[used].add(user)
    found = {}
    for number in removing:
        later = {other for other in _reached(number, users) if other > number}
        if later:
            found[number] = tuple(one for other in sorted(later) for one in removing[other])
    return found


def _removals(task: Task) -> tuple[RemoveNode, ...]:
    """What a task removes that does nothing else."""
    found = tuple(one for one in task.primitives if isinstance(one, RemoveNode))
    return found if task.kind == "remove" and len(found) == len(task.primitives) else ()


def _reached(start: int, users: Mapping[int, set[int]]) -> set[int]:
    found, todo = {start}, [start]
    while todo:
        new = users.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found
