"""Calls that count alike: what of a trace and a map does not depend on the window, worked out once.

Whatever the window, a call adds one, and the part of its time that lies in the window, to some sums: those of its pair
of nodes, of its node, of what is around it. To which, its nesting alone decides. So each call gets the number of a
class, and a window costs one addition for each of its calls (`windows.run_time`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.progress import checkpoint
from cbvtool.trace.kernels import kernel
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap

NOTHING = 0  # the class of calls that add to no sum
FIRST_OF_PAIR, FIRST_OF_NODE, DIRECT = 1, 2, 4  # bits of `CallClasses.flags`
_ROWS = 1 << 22  # between two looks at whether somebody wants to stop
_HEIGHT, _PAIRS, _CLASSES = 0, 1, 2  # places in the state of `_classify`


@dataclass(frozen=True, eq=False)
class CallClasses:
    """The class of each of m rows (calls of a trace, nodes of a profile), and what the c classes are.

    row_class  int32[m]  the class of each row, `NOTHING`
    caller     int32[c]  key of the nearest mapped call around it, `NO_NODE`
    callee     int32[c]  key of the function called, `NO_NODE` for functions without a node
    around     int32[c]  the innermost container of `callee` that is running already, `NO_NODE`
    flags      uint8[c]  FIRST_OF_PAIR: no call of the same pair is around it; FIRST_OF_NODE: none of the same node;
                         DIRECT: the call around it is one of `caller`, none without a node stands between
    graph      whose keys these are
    """

    row_class: npt.NDArray[np.int32]
    caller: npt.NDArray[np.int32]
    callee: npt.NDArray[np.int32]
    around: npt.NDArray[np.int32]
    flags: npt.NDArray[np.uint8]
    graph: Graph

    def __len__(self) -> int:
        return len(self.caller)

    @cached_property
    def pairs(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """(int64[p] caller and callee of each pair as one number, ascending; int64[c] pair of each class, -1)."""
        related = (self.caller >= 0) & (self.callee >= 0)
        codes, place = np.unique(
            self.caller[related].astype(np.int64) << 32 | self.callee[related].astype(np.int64), return_inverse=True
        )
        pair = np.full(len(self), -1, np.int64)
        pair[related] = place
        return codes, pair


def call_classes(
    function: npt.NDArray[np.uint32], depth: npt.NDArray[Any], nodes: NodeMap, graph: Graph
) -> CallClasses:
    """The classes of m rows in preorder, roots of which have the depth 0. May raise Cancelled.

    O(m) and the lengths of the paths from nodes to the nearest container that is running.
    """
    count = len(function)
    row_class = np.zeros(count, np.int32)
    deepest = int(depth.max(initial=0)) + 1
    # of the calls that are running, by depth: pair, node, nearest mapped node, container around it
    stack = np.full((4, deepest), NO_NODE, np.int32)
    open_calls = np.zeros(len(graph), np.int32)
    is_open = np.zeros(len(graph), np.bool_)
    state = np.zeros(3, np.int64)
    state[_CLASSES] = 1
    tables = _Tables.empty(1 << 12)
    row = 0
    while row < count:
        checkpoint()
        row = _classify(
            function,
            depth,
            nodes.node,
            graph.parent,
            row,
            min(row + _ROWS, count),
            row_class,
            stack,
            open_calls,
            is_open,
            state,
            tables.pair,
            tables.open_pair,
            tables.latest,
            tables.pair_slot,
            tables.class_,
            tables.class_slot,
        )
        if max(state[_PAIRS], state[_CLASSES]) >= tables.room:
            tables = tables.doubled(int(state[_PAIRS]), int(state[_CLASSES]))
    classes = int(state[_CLASSES])
    pair, around, flags = tables.class_[:, :classes]
    caller, callee = tables.pair[:, pair]
    caller[0] = callee[0] = NO_NODE
    return CallClasses(row_class, caller, callee, around.copy(), flags.astype(np.uint8), graph)


@dataclass(frozen=True, eq=False)
class _Tables:
    """Pairs and classes by number, and hash tables that find them: open addressing, at most half full.

    pair       int32[2, room]  caller, callee
    open_pair  int32[room]     how many calls of the pair are running
    latest     int32[room]     class of the latest call of the pair
    class_     int32[3, room]  pair, container around it, flags; class 0 is `NOTHING`
    """

    pair: npt.NDArray[np.int32]
    open_pair: npt.NDArray[np.int32]
    latest: npt.NDArray[np.int32]
    pair_slot: npt.NDArray[np.int32]
    class_: npt.NDArray[np.int32]
    class_slot: npt.NDArray[np.int32]

    @property
    def room(self) -> int:
        """How many pairs, and how many classes, have a place."""
        return len(self.open_pair)

    @staticmethod
    def empty(room: int) -> _Tables:
        """Tables without rows."""
        return _Tables(
            np.zeros((2, room), np.int32),
            np.zeros(room, np.int32),
            np.zeros(room, np.int32),
            np.full(2 * room, -1, np.int32),
            np.zeros((3, room), np.int32),
            np.full(2 * room, -1, np.int32),
        )

    def doubled(self, pairs: int, classes: int) -> _Tables:
        """The same with twice the room."""
        more = _Tables.empty(2 * self.room)
        more.pair[:, :pairs] = self.pair[:, :pairs]
        more.open_pair[:pairs], more.latest[:pairs] = self.open_pair[:pairs], self.latest[:pairs]
        more.class_[:, :classes] = self.class_[:, :classes]
        _place(more.pair, 0, pairs, more.pair_slot)
        _place(more.class_, 1, classes, more.class_slot)
        return more


@kernel
def _hash(a: int, b: int, c: int) -> int:
    """A number of 31 bits that differs for most triples (Fibonacci hashing)."""
    mixed = (a + 1) * 0x9E3779B1 + (b + 1) * 0x85EBCA77 + (c + 1) * 0xC2B2AE3D
    mixed ^= mixed >> 15
    return (mixed * 0x27D4EB2F >> 13) & 0x7FFFFFFF


@kernel
def _place(rows: npt.NDArray[np.int32], first: int, count: int, slots: npt.NDArray[np.int32]) -> None:
    """Enter rows into a hash table that has none of them."""
    mask = len(slots) - 1
    for row in range(first, count):
        third = rows[2, row] if len(rows) > 2 else 0
        slot = _hash(rows[0, row], rows[1, row], third) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = row


@kernel
def _find(
    rows: npt.NDArray[np.int32], count: int, slots: npt.NDArray[np.int32], first: int, second: int, third: int
) -> int:
    """The row with these values; a new one, `count`, if there is none."""
    mask = len(slots) - 1
    slot = _hash(first, second, third) & mask
    while slots[slot] >= 0:
        row = slots[slot]
        if rows[0, row] == first and rows[1, row] == second and (len(rows) == 2 or rows[2, row] == third):
            return int(row)
        slot = (slot + 1) & mask
    slots[slot] = count
    rows[0, count], rows[1, count] = first, second
    if len(rows) > 2:
        rows[2, count] = third
    return count


@kernel
def _classify(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    function: npt.NDArray[np.uint32],
    depth: npt.NDArray[Any],
    node: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    first: int,
    last: int,
    row_class: npt.NDArray[np.int32],
    stack: npt.NDArray[np.int32],
    open_calls: npt.NDArray[np.int32],
    is_open: npt.NDArray[np.bool_],
    state: npt.NDArray[np.int64],
    pair: npt.NDArray[np.int32],
    open_pair: npt.NDArray[np.int32],
    latest: npt.NDArray[np.int32],
    pair_slot: npt.NDArray[np.int32],
    class_: npt.NDArray[np.int32],
    class_slot: npt.NDArray[np.int32],
) -> int:
    """Write the classes of rows from `first` on, and return the row before which it stopped: at `last`, or because a
    table is full. See `call_classes` and `_Tables`; `state` is height of the stack, number of pairs, of classes.
    """
    height, pairs, classes = state[0], state[1], state[2]
    room = len(open_pair)
    row = first
    while row < last and pairs < room and classes < room:
        level = depth[row]
        while height > level:  # what is over
            height -= 1
            if stack[0, height] >= 0:
                gone = stack[1, height]
                open_pair[stack[0, height]] -= 1
                open_calls[gone] -= 1
                while gone != stack[3, height]:
                    is_open[gone] = False
                    gone = parent[gone] if parent[gone] >= 0 else -1
        called = node[function[row]]
        caller, direct = -1, 0
        if level > 0:
            caller = stack[2, level - 1]
            if stack[0, level - 1] >= 0:
                direct = 4
        height = level + 1
        if called < 0:
            stack[0, level], stack[2, level] = -1, caller
            if not direct:
                row_class[row] = 0
                row += 1
                continue
        found = _find(pair, pairs, pair_slot, caller, called, 0)
        if found == pairs:
            pairs += 1
            open_pair[found], latest[found] = 0, 0
        around, flags = -1, direct
        if called >= 0:
            if open_pair[found] == 0:
                flags |= 1
            if open_calls[called] == 0:
                flags |= 2
            around = called
            while around >= 0 and not is_open[around]:
                is_open[around] = True
                around = parent[around] if parent[around] >= 0 else -1
            open_pair[found] += 1
            open_calls[called] += 1
            stack[0, level], stack[1, level], stack[2, level], stack[3, level] = found, called, called, around
        number = latest[found]
        if number == 0 or class_[1, number] != around or class_[2, number] != flags:
            number = _find(class_, classes, class_slot, found, around, flags)
            if number == classes:
                classes += 1
            latest[found] = number
        row_class[row] = number
        row += 1
    state[0], state[1], state[2] = height, pairs, classes
    return row
