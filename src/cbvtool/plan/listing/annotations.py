"""What people note about tasks: a note, who does it, in which order, whether it is done.

It is kept by the key of the task, so it survives further planning and a new analysis as long as the task does the
same. A key that no task has (any more) is kept and listed as overtaken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from cbvtool.plan.task import Task


@dataclass(frozen=True)
class Annotation:
    """What people noted about one task.

    note       free text; may have several lines
    assignee   who does it
    order      its place in the list, ascending; None = where the plan puts it
    done       whether it is done
    title      what the task was called then, for a key that is overtaken
    """

    note: str = ""
    assignee: str = ""
    order: int | None = None
    done: bool = False
    title: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return self == Annotation(title=self.title)


Annotations = Mapping[str, Annotation]  # by the key of the task
NONE: Annotations = MappingProxyType({})


@dataclass(frozen=True)
class Overtaken:
    """An annotation whose task is not in the plan any more."""

    key: str
    annotation: Annotation


def annotated(
    annotations: Annotations,
    task: Task,
    *,
    note: str | None = None,
    assignee: str | None = None,
    done: bool | None = None,
) -> Annotations:
    """The annotations with what is given changed for one task; what then says nothing is left out."""
    known = annotations.get(task.key, Annotation())
    changed = Annotation(
        known.note if note is None else note,
        known.assignee if assignee is None else assignee.strip(),
        known.order,
        known.done if done is None else done,
        task.title,
    )
    return _with(annotations, {task.key: changed})


def reordered(annotations: Annotations, tasks: Sequence[Task], key: str, position: int) -> Annotations:
    """The annotations with the task `key` at `position` (from 0) of the list `tasks`, as it is shown.

    All others keep their order. Where a task needs what another one does first, that one still comes first.
    """
    moved = next((task for task in tasks if task.key == key), None)
    if moved is None:
        return annotations
    others = [task for task in tasks if task.key != key]
    place = max(0, min(position, len(others)))
    listed = [*others[:place], moved, *others[place:]]
    return _with(
        annotations,
        {
            task.key: replace(annotations.get(task.key, Annotation()), order=number, title=task.title)
            for number, task in enumerate(listed, start=1)
        },
    )


def without(annotations: Annotations, keys: Iterable[str]) -> Annotations:
    """The annotations without those of some keys: what is overtaken and not needed any more."""
    gone = set(keys)
    return {key: entry for key, entry in annotations.items() if key not in gone}


def wished_order(keys: Sequence[str], annotations: Annotations) -> list[int]:
    """Indices of `keys`, which stand as the plan puts them, in the order that people wish.

    A task without a wish stays behind the one that it follows in the plan.
    """
    ranks: list[tuple[float, int]] = []
    last = 0.0
    for index, key in enumerate(keys):
        order = annotations.get(key, Annotation()).order
        last = last if order is None else float(order)
        ranks.append((last, index))
    return [index for _, index in sorted(ranks)]


def overtaken(annotations: Annotations, tasks: Iterable[Task]) -> tuple[Overtaken, ...]:
    """What was noted about tasks that the plan does not have any more, by title; a mere order is nothing noted."""
    there = {task.key for task in tasks}
    left = [
        Overtaken(key, entry)
        for key, entry in annotations.items()
        if key not in there and (entry.note or entry.assignee or entry.done)
    ]
    return tuple(sorted(left, key=lambda entry: (entry.annotation.title, entry.key)))


def _with(annotations: Annotations, changed: Annotations) -> Annotations:
    together = {**annotations, **changed}
    return {key: together[key] for key in sorted(together) if not together[key].is_empty}
