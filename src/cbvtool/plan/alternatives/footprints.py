"""What steps touch, by ids alone: whether two steps of different plans can stand in one plan, without looking at code.

Ids of the code are paths (`shop/ui/cart.py::Cart`), so they tell what lies in what; steps tell what they put elsewhere.
In a graph whose ids are no paths nothing tells what lies in what: there steps clash only over nodes that both name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from cbvtool.plan.history import Group
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split, creation, nodes_of

_PLAN = "plan:"


class Containment:
    """What may lie in what, and be called what, before, between or after some steps: more than ever does at once."""

    def __init__(self, steps: Iterable[Group]) -> None:
        self._put: dict[str, set[str]] = {}  # a node -> what steps have put it in
        self._made: dict[str, str] = {}  # what steps have made -> its name
        self._renamed: dict[str, set[str]] = {}
        self._above: dict[str, frozenset[str]] = {}
        for operation in (operation for step in steps for operation in step.operations):
            for node, into in _puts(operation):
                self._put.setdefault(node, set()).add(into)
            if (made := creation(operation)) is not None:
                self._made[made.node] = made.name
            if (renaming := _renaming(operation)) is not None:
                self._renamed.setdefault(renaming.node, set()).add(renaming.name)

    def above(self, node: str) -> frozenset[str]:
        """The node itself, and all that it may lie in."""
        if node not in self._above:
            seen, waiting = {node}, [node]
            while waiting:
                fresh = self.containers(waiting.pop()) - seen
                seen |= fresh
                waiting += fresh
            self._above[node] = frozenset(seen)
        return self._above[node]

    def containers(self, node: str) -> frozenset[str]:
        """What a node may lie in directly."""
        outer = _outer(node)
        return frozenset(self._put.get(node, ())) | (frozenset() if outer is None else {outer})

    def name(self, node: str) -> str:
        """What a node is called in the code, or was called when it was made."""
        return self._made.get(node) or _last(node) or "the project"

    def names(self, node: str) -> frozenset[str]:
        """All that a node may be called."""
        return frozenset({self.name(node), *self._renamed.get(node, ())})


def _outer(node: str) -> str | None:
    """What a node of the code lies in, by its id; None for the root and for what a plan has made."""
    if node.startswith(_PLAN):
        container, slash, _ = node.removeprefix(_PLAN).rpartition("/")
        return container if slash else None  # a file that a split has made lies in its container
    if not node:
        return None
    file, colons, within = node.partition("::")
    if colons:
        outer, dot, _ = within.rpartition(".")
        return f"{file}::{outer}" if dot else file
    return node.rpartition("/")[0]


def _last(node: str) -> str:
    path, colons, within = node.partition("::")
    return within.rpartition(".")[2] if colons else path.rpartition("/")[2]


def _puts(operation: Operation) -> Iterator[tuple[str, str]]:
    """(a node, what it is put in), where that differs from what ids tell; what a container held is put with it."""
    match operation:
        case Move(nodes, target):
            yield from ((node, target) for node in nodes)
        case Create(node, parent):
            yield node, parent
        case Merge(source, target):
            yield source, target
        case Extract(container, _, target):
            yield container, target
        case Remove() | Rename() | Split():
            return
        case _:
            assert_never(operation)


def _renaming(operation: Operation) -> Rename | None:
    match operation:
        case Rename():
            return operation
        case Create() | Move() | Remove() | Extract() | Merge() | Split():
            return None
        case _:
            assert_never(operation)


@dataclass(frozen=True)
class Footprint:
    """What one operation touches.

    named    ids of all nodes that it names
    changed  those that it makes, moves, renames, removes, empties or cuts something off
    whole    those of which all that lies in them counts, wherever that is
    targets  those that something is put into
    """

    operation: Operation

    @cached_property
    def named(self) -> frozenset[str]:
        """See the class."""
        return frozenset(nodes_of(self.operation))

    @cached_property
    def changed(self) -> frozenset[str]:
        """See the class."""
        match self.operation:
            case Move(nodes) | Remove(nodes):
                return frozenset(nodes)
            case Create(node) | Rename(node):
                return frozenset({node})
            case Merge(source, target) | Split(source, target):
                return frozenset({source, target})
            case Extract(container):
                return frozenset({container})
            case _:
                assert_never(self.operation)

    @cached_property
    def whole(self) -> frozenset[str]:
        """See the class."""
        match self.operation:
            case Remove(nodes):
                return frozenset(nodes)
            case Merge(source):
                return frozenset({source})
            case Split(source, target):
                return frozenset({source, target})
            case Extract(container, partner):
                return frozenset({container, partner})
            case Move() | Create() | Rename():
                return frozenset()
            case _:
                assert_never(self.operation)

    @cached_property
    def targets(self) -> frozenset[str]:
        """See the class."""
        match self.operation:
            case Move(_, target) | Merge(_, target) | Extract(_, _, target):
                return frozenset({target})
            case Create(_, parent):
                return frozenset({parent})
            case Split(_, _, via):
                return frozenset({via})
            case Remove() | Rename():
                return frozenset()
            case _:
                assert_never(self.operation)

    def arrivals(self, within: Containment) -> frozenset[tuple[str, str]]:
        """(a container, a name) that it puts there, as far as ids tell."""
        match self.operation:
            case Move(nodes, target):
                return frozenset((target, name) for node in nodes for name in within.names(node))
            case Create(_, parent, name):
                return frozenset({(parent, name)})
            case Rename(node, name):
                return frozenset((container, name) for container in within.containers(node))
            case Split(_, _, via, _, name):
                return frozenset({(via, name)})
            case Remove() | Merge() | Extract():
                return frozenset()
            case _:
                assert_never(self.operation)

    @property
    def puts_unnamed(self) -> bool:
        """Whether it puts something into its target that no id names."""
        match self.operation:
            case Merge() | Extract():
                return True
            case Split(_, _, _, _, name):
                return not name
            case Move() | Create() | Remove() | Rename():
                return False
            case _:
                assert_never(self.operation)

    @property
    def keeps_ids(self) -> bool:
        """Whether what it changes is still there afterwards, with the same ids in it."""
        match self.operation:
            case Move() | Rename():
                return True
            case Create() | Remove() | Extract() | Merge() | Split():
                return False
            case _:
                assert_never(self.operation)

    def first_made_of(self, nodes: Iterable[str]) -> str | None:
        """The first of `nodes` that it makes without naming it, as a split does."""
        match self.operation:
            case Split(_, _, via):
                return next((node for node in nodes if node.startswith(f"{_PLAN}{via}/")), None)
            case Create() | Move() | Rename() | Remove() | Extract() | Merge():
                return None
            case _:
                assert_never(self.operation)


def clash_reason(first: Footprint, second: Footprint, within: Containment) -> str | None:
    """Why two operations of different plans cannot both be done, one behind the other; None if they can.

    Where ids do not suffice to tell, they clash.
    """
    both = (first.changed & second.named) | (second.changed & first.named)
    if both and not (_only_fills(first, second, both) or _only_fills(second, first, both)):
        return f"both are about {_told(both, within)}"
    for here, there in ((first, second), (second, first)):
        if here.whole:
            for node in there.named:
                if around := here.whole & within.above(node):
                    return f"{within.name(node)} may lie in {_told(around, within)}"
        if made := here.first_made_of(there.named):
            return f"one uses {within.name(made)}, which the other makes"
    if (shared := first.targets & second.targets) and (first.puts_unnamed or second.puts_unnamed):
        return f"both put something into {_told(shared, within)}"
    if met := first.arrivals(within) & second.arrivals(within):
        container, name = min(met)
        return f"both put something called {name} into {within.name(container)}"
    if _in_circle(first, second, within):
        return "each moves what the other moves something into"
    return None


def _only_fills(filling: Footprint, other: Footprint, both: frozenset[str]) -> bool:
    """Whether `other` moves or renames `both`, and `filling` merely puts something in there: ids stay."""
    return other.keeps_ids and both <= other.changed - filling.changed - filling.whole


def _in_circle(first: Footprint, second: Footprint, within: Containment) -> bool:
    """Whether what each of them moves may hold the target of the other, so that no tree would be left."""
    over = [{above for target in one.targets for above in within.above(target)} for one in (first, second)]
    return bool(first.changed & over[1]) and bool(second.changed & over[0])


def _told(nodes: Iterable[str], within: Containment) -> str:
    return " and ".join(within.name(node) for node in sorted(nodes)[:3])
