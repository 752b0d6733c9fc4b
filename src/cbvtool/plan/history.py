"""What was planned, as a value: a base graph, the steps done, the steps undone.

The current graph is the replay of what is done. Undo and redo only move the boundary, so there is no code that
undoes anything, and none that could do it wrong.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from cbvtool.graph import Graph
from cbvtool.plan.describe import label
from cbvtool.plan.lower import Refusal, Replayed, replay, run
from cbvtool.plan.operations import Operation, creation, creations


@dataclass(frozen=True)
class Group:
    """The operations of one gesture, done and undone together.

    label  stands after "Undo" and "Redo": `move of billing.py to core`
    note   what somebody noted about it
    """

    label: str
    operations: tuple[Operation, ...]
    note: str = ""

    @property
    def bare(self) -> Group:
        """The same without the note, for who asks whether two do the same."""
        return replace(self, note="") if self.note else self


@dataclass(frozen=True, eq=False)
class History:
    """The steps `done` on `base`, oldest first, and those `undone`, the next to redo last."""

    base: Graph
    done: tuple[Group, ...] = ()
    undone: tuple[Group, ...] = ()

    def do(self, group: Group) -> History:
        """The history with one more step; what was undone is forgotten."""
        return History(self.base, (*self.done, group), ())

    def undo(self) -> History:
        """The history before the last step; itself if there is none."""
        if not self.done:
            return self
        return History(self.base, self.done[:-1], (*self.undone, self.done[-1]))

    def redo(self) -> History:
        """The history with the step undone last done again; itself if there is none."""
        if not self.undone:
            return self
        return History(self.base, (*self.done, self.undone[-1]), self.undone[:-1])

    @property
    def steps(self) -> tuple[Group, ...]:
        """Those done, oldest first, then those undone, the next to redo first."""
        return (*self.done, *reversed(self.undone))

    def noted(self, number: int, note: str) -> History:
        """The same with another note on one of `steps`; what was worked out stays."""
        steps, done = list(self.steps), len(self.done)
        steps[number] = replace(steps[number], note=note)
        found = History(self.base, tuple(steps[:done]), tuple(reversed(steps[done:])))
        vars(found).update({name: vars(self)[name] for name in ("operations", "replayed") if name in vars(self)})
        return found

    def on(self, base: Graph) -> History:
        """The same steps on another graph, after a new analysis; see `refusals` for what no longer fits."""
        return replace(self, base=base)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Everything that is done, in order, without the grouping."""
        return tuple(operation for group in self.done for operation in group.operations)

    @cached_property
    def replayed(self) -> Replayed:
        """The graph, the primitives and the refusals of what is done; computed once."""
        return run(self.base, self.operations)

    @property
    def graph(self) -> Graph:
        """The target design: the base after everything that is done."""
        return self.replayed.graph

    @property
    def pair(self) -> tuple[Graph, Graph]:
        """(base, target)."""
        return self.base, self.graph

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Operations that are kept but not possible on this base, each with the reason."""
        return self.replayed.refusals

    @property
    def label_undo(self) -> str:
        """`Undo move of billing.py to core`; empty if there is nothing to undo."""
        return f"Undo {self.done[-1].label}" if self.done else ""

    @property
    def label_redo(self) -> str:
        """`Redo move of billing.py to core`; empty if there is nothing to redo."""
        return f"Redo {self.undone[-1].label}" if self.undone else ""


def group(graph: Graph, *operations: Operation, name: str = "") -> Group:
    """One gesture on `graph`; `name` is its label, by default that of the last operation that is no creation.

    So a container made in passing ("new folder ... and move there") does not hide what was meant.
    """
    if name or not operations:
        return Group(name, tuple(operations))
    number = max((i for i, o in enumerate(operations) if creation(o) is None), default=len(operations) - 1)
    return Group(label(operations[number], replay(graph, operations[:number])), tuple(operations))


def new_id(history: History) -> str:
    """An id `plan:<word>` for a node to create, used neither in the graph nor by any step, done or undone.

    The word is drawn by lot, so that two plans for the same code, in two branches of a repository, say, give their new
    nodes different ids.
    """
    return next(new_ids(history))


def new_ids(history: History) -> Iterator[str]:
    """Such ids, one after the other, for a gesture that creates several nodes."""
    taken = _all_created((*history.done, *history.undone))
    for word in _words():
        node = f"plan:{word}"
        if node not in taken and node not in history.base.key_of:
            taken.add(node)
            yield node


def _words() -> Iterator[str]:
    """Ten hexadecimal digits at a time: among a thousand nodes two are alike once in two million plans."""
    while True:
        yield secrets.token_hex(5)


def _all_created(groups: Iterable[Group]) -> set[str]:
    return set(creations(operation for group in groups for operation in group.operations))
