"""An order in which pieces of a compressed plan can be done: every step on the way is a graph that makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import PurePosixPath
from typing import assert_never

import numpy as np

from cbvtool.graph import Graph
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode


@dataclass(frozen=True)
class Turn:
    """What is done in one turn.

    unit         index of the unit that it belongs to
    primitives   what is done; those of the unit, but for temporary names
    temporary    the temporary name that something gets; empty if nothing does
    is_late      this gives something its name that had a temporary one
    """

    unit: int
    primitives: tuple[Primitive, ...]
    temporary: str = ""
    is_late: bool = False


class Stuck(Exception):
    """No order exists; `units` are the indices of those that wait for one another."""

    def __init__(self, units: Sequence[int]) -> None:
        super().__init__(f"{len(units)} units wait for one another")
        self.units = tuple(units)


def in_order(base: Graph, units: Sequence[Sequence[Primitive]], *, temporary_names: bool) -> list[Turn]:
    """The turns in which `units`, the parts of a compressed plan, lead from `base` to its target.

    Whatever is ready comes in the order of `units`. A creation or move waits for its container, and for the place to be
    vacated, a removal for all that is to leave what is removed. Where places are swapped, one gets a temporary name
    until its place is free if `temporary_names`; otherwise the first one comes first.

    Raises Stuck, which units of one kind (creations, moves, renames, relations, removals) never are.
    """
    work = _Work(base, units)
    turns: list[Turn] = []
    pending = list(range(len(units)))
    late: list[tuple[int, RenameNode]] = []

    def is_done(unit: int) -> bool:
        if work.state_of(units[unit]) is not _State.READY:
            return False
        work.do(units[unit])
        turns.append(Turn(unit, tuple(units[unit])))
        return True

    while pending or late:
        waiting: list[int] = []
        for unit in pending:
            if not is_done(unit):
                waiting.append(unit)
            elif any(isinstance(primitive, CreateNode) for primitive in units[unit]):
                waiting = [other for other in waiting if not is_done(other)]  # what was to come before, and could not
        named = [entry for entry in late if work.is_free(entry[1])]
        for unit, rename in named:
            work.do([rename])
            turns.append(Turn(unit, (rename,), is_late=True))
        late = [entry for entry in late if entry not in named]
        if len(waiting) == len(pending) and not named:
            first = next((unit for unit in waiting if work.state_of(units[unit]) is _State.TAKEN), None)
            if first is None:
                raise Stuck(waiting)
            waiting.remove(first)
            primitives, renames = work.around(units[first]) if temporary_names else (tuple(units[first]), ())
            work.do(primitives)
            turns.append(Turn(first, primitives, ", ".join(name for name, _ in renames)))
            late += [(first, rename) for _, rename in renames]
        pending = waiting
    return turns


class _State(Enum):
    READY = auto()
    TAKEN = auto()  # the place is taken by what is yet to leave it
    WAITING = auto()


class _Work:
    """The tree on the way, and what is yet to be done."""

    def __init__(self, base: Graph, units: Sequence[Sequence[Primitive]]) -> None:
        self._base = base
        self._parent: dict[str, str | None] = {}  # of what was created, moved or removed (None)
        self._name: dict[str, str] = {}
        self._arrived: dict[str, list[str]] = {}
        self._children: dict[str, list[str]] = {}
        self._to_move: dict[str, None] = {}
        self._to_change: set[str] = set()
        self._to_create: set[str] = set()
        for primitive in (primitive for unit in units for primitive in unit):
            if isinstance(primitive, CreateNode):
                self._to_create.add(primitive.node)
            elif isinstance(primitive, MoveTo | RenameNode | RemoveNode):
                self._to_change.add(primitive.node)
                if isinstance(primitive, MoveTo):
                    self._to_move[primitive.node] = None

    def state_of(self, unit: Sequence[Primitive]) -> _State:
        """Whether a unit can be done as things stand."""
        made = {p.node for p in unit if isinstance(p, CreateNode)}
        moved = {p.node for p in unit if isinstance(p, MoveTo)}
        for primitive in unit:
            match primitive:
                case CreateNode(parent=parent):
                    fits = self._is_there(parent)
                case MoveTo(node, parent):
                    fits = self._is_there(parent) and not self._is_below(parent, node)
                case AddEdge(source, target) | CutEdge(source, target):
                    fits = all(end in made or self._is_there(end) for end in (source, target))
                case RemoveNode(node):
                    fits = not any(self._is_below(other, node) for other in self._to_move if other not in moved)
                case RenameNode():
                    fits = True
                case _:
                    assert_never(primitive)
            if not fits:
                return _State.WAITING
        return _State.TAKEN if any(not self._is_place_free(place) for place in self._places(unit)) else _State.READY

    def is_free(self, rename: RenameNode) -> bool:
        """Whether the place that something is to be called in is free."""
        above = self._parent_of(rename.node)
        return above is not None and self._is_place_free((rename.node, above, rename.name))

    def around(self, unit: Sequence[Primitive]) -> tuple[tuple[Primitive, ...], tuple[tuple[str, RenameNode], ...]]:
        """The unit with temporary names where a place is taken, and (temporary name, rename to the real one)."""
        taken = {
            node: (above, name)
            for node, above, name in self._places(unit)
            if not self._is_place_free((node, above, name))
        }
        changed: list[Primitive] = []
        later: list[tuple[str, RenameNode]] = []
        for primitive in unit:
            node = primitive.node if isinstance(primitive, CreateNode | MoveTo | RenameNode) else ""
            if node not in taken:
                changed.append(primitive)
                continue
            above, name = taken[node]
            meanwhile = self._temporary(above, name)
            if isinstance(primitive, CreateNode):
                changed.append(CreateNode(node, above, meanwhile, primitive.kind, primitive.origin))
            elif isinstance(primitive, MoveTo):
                changed += [primitive, RenameNode(node, meanwhile, primitive.origin)]
            elif not any(isinstance(other, MoveTo) and other.node == node for other in unit):
                changed.append(RenameNode(node, meanwhile, primitive.origin))
            if not any(rename.node == node for _, rename in later):
                later.append((meanwhile, RenameNode(node, name, primitive.origin)))
        return tuple(changed), tuple(later)

    def do(self, unit: Sequence[Primitive]) -> None:
        """Do all of a unit."""
        for primitive in unit:
            match primitive:
                case CreateNode(node, parent, name):
                    self._parent[node], self._name[node] = parent, name
                    self._arrived.setdefault(parent, []).append(node)
                    self._to_create.discard(node)
                case MoveTo(node, parent):
                    self._parent[node] = parent
                    self._arrived.setdefault(parent, []).append(node)
                    self._to_move.pop(node, None)
                    self._to_change.discard(node)
                case RenameNode(node, name):
                    self._name[node] = name
                    self._to_change.discard(node)
                case RemoveNode(node):
                    self._parent[node] = None
                    self._to_change.discard(node)
                case AddEdge() | CutEdge():
                    pass
                case _:
                    assert_never(primitive)

    # -- inside

    def _places(self, unit: Sequence[Primitive]) -> list[tuple[str, str, str]]:
        """(node, container, name) of all that a unit puts somewhere."""
        renamed = {p.node: p.name for p in unit if isinstance(p, RenameNode)}
        found = []
        for primitive in unit:
            match primitive:
                case CreateNode(node, parent, name):
                    found.append((node, parent, name))
                case MoveTo(node, parent):
                    found.append((node, parent, renamed.get(node, self._name_of(node))))
                case RenameNode(node, name):
                    if not any(isinstance(p, MoveTo) and p.node == node for p in unit):
                        found.append((node, self._parent_of(node) or "", name))
                case RemoveNode() | AddEdge() | CutEdge():
                    pass
                case _:
                    assert_never(primitive)
        return found

    def _is_place_free(self, place: tuple[str, str, str]) -> bool:
        """Whether nothing that is yet to leave bears this name there; a clash that stays does not count."""
        node, above, name = place
        return not any(other != node and other in self._to_change for other in self._bearing(above, name))

    def _bearing(self, above: str, name: str) -> list[str]:
        """What is called `name` in `above` now."""
        if above not in self._children:
            key = self._base.key_of.get(above)
            rows = [] if key is None else np.flatnonzero(self._base.parent == key).tolist()
            self._children[above] = [self._base.ids[row] for row in rows]
        there = dict.fromkeys((*self._children[above], *self._arrived.get(above, ())))
        return [node for node in there if self._parent_of(node) == above and self._name_of(node) == name]

    def _temporary(self, above: str, name: str) -> str:
        path = PurePosixPath(name)
        number, found = 1, f"{path.stem}_tmp{path.suffix}"
        while self._bearing(above, found):
            number += 1
            found = f"{path.stem}_tmp{number}{path.suffix}"
        return found

    def _parent_of(self, node: str) -> str | None:
        if node in self._parent:
            return self._parent[node]
        key = self._base.key_of.get(node)
        above = -1 if key is None else int(self._base.parent[key])
        return self._base.ids[above] if above >= 0 else None

    def _name_of(self, node: str) -> str:
        if node in self._name:
            return self._name[node]
        key = self._base.key_of.get(node)
        return "" if key is None else self._base.names[key]

    def _is_there(self, node: str) -> bool:
        return node not in self._to_create and (node in self._base.key_of or node in self._parent)

    def _is_below(self, node: str, ancestor: str) -> bool:
        above: str | None = node
        while above is not None:
            if above == ancestor:
                return True
            above = self._parent_of(above)
        return False
