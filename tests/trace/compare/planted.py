"""Edits planted in a call tree, of six kinds, with the truth about each call; and how much of it an alignment finds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.alignment.align import Alignment
from cbvtool.trace.compare.alignment.columns import CLASS, PARENT
from cbvtool.trace.compare.alignment.forest import two_forests
from cbvtool.trace.compare.alignment.identical import find_classes
from cbvtool.trace.compare.alignment.kinds import CallChange

KINDS = ("insert", "remove", "wrap", "unwrap", "move", "rename")
_LARGEST = 2000  # calls in a subtree that is removed or moved
_LARGE_MOVE = 10  # calls from which on a move is expected to be found
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Planted:
    """A tree after the edits, and the truth.

    function, end_row  int64[b], preorder
    row_of     row of each call of the original, -1 = it is gone
    removed    rows of the original that were removed, with all below them
    unwrapped  rows of the original that were taken out from around their calls
    wrappers   rows of the new tree
    moved      rows of the original: the outermost call, of at least `_LARGE_MOVE` calls
    """

    function: Ints
    end_row: Ints
    row_of: Ints
    removed: list[int] = field(default_factory=list)
    unwrapped: list[int] = field(default_factory=list)
    wrappers: list[int] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)


class _Tree:
    """A call tree that can be edited: nodes are rows of the original, -1 is around them; new ones follow."""

    def __init__(self, function: Ints, end_row: Ints) -> None:
        self.function: list[int] = function.tolist()
        self.size: list[int] = (end_row - np.arange(len(end_row))).tolist()
        self.parent = [-1] * len(function)
        self.children: list[list[int]] = [[] for _ in range(len(function) + 1)]  # the last one: of -1
        around: list[int] = []
        ends = end_row.tolist()
        for row in range(len(function)):
            while around and ends[around[-1]] <= row:
                around.pop()
            if around:
                self.parent[row] = around[-1]
            self.below(self.parent[row]).append(row)
            around.append(row)
        self.roots = self.children.pop()
        self.original = len(function)

    def below(self, node: int) -> list[int]:
        """The children of a node."""
        return self.children[node] if node >= 0 or len(self.children) > len(self.function) else self.roots

    def add(self, function: int, parent: int, place: int, children: list[int] | None = None) -> int:
        """A new node at a place below another."""
        node = len(self.function)
        self.function.append(function)
        self.parent.append(parent)
        self.size.append(1)
        self.children.append(children or [])
        for child in children or ():
            self.parent[child] = node
            self.size[node] += self.size[child]
        self.below(parent).insert(place, node)
        return node

    def take(self, node: int) -> int:
        """Take a subtree out; the place where it stood."""
        siblings = self.below(self.parent[node])
        place = siblings.index(node)
        del siblings[place]
        return place

    def is_around(self, node: int, other: int) -> bool:
        """Whether `other` stands in the subtree of `node`."""
        while other >= 0 and other != node:
            other = self.parent[other]
        return other == node

    def columns(self) -> tuple[list[int], Ints, Ints]:
        """Nodes in preorder, functions and ends of subtrees."""
        order: list[int] = []
        ends: list[int] = []
        rows: dict[int, int] = {}
        stack = [(node, False) for node in reversed(self.roots)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                ends[rows[node]] = len(order)
                continue
            rows[node] = len(order)
            order.append(node)
            ends.append(len(order))
            if self.children[node]:
                stack.append((node, True))
                stack += [(child, False) for child in reversed(self.children[node])]
        return order, np.array([self.function[node] for node in order], np.int64), np.array(ends, np.int64)


class _Editor:
    """Edits of a tree, chosen at random."""

    def __init__(self, tree: _Tree, chance: random.Random) -> None:
        self.tree, self.chance = tree, chance
        self.functions = max(tree.function) + 1
        self.gone: set[int] = set()
        self.removed: list[int] = []
        self.unwrapped: list[int] = []
        self.wrappers: list[int] = []
        self.moved: list[int] = []
        self.touched: set[int] = set()

    def node(self, largest: int = _LARGEST) -> int:
        """A call that stands in the tree, of the original: at random, then a few levels up."""
        while True:
            found = self.chance.randrange(self.tree.original)
            for _ in range(self.chance.choice((0, 0, 0, 1, 2, 3, 4))):
                above = self.tree.parent[found]
                if 0 <= above < self.tree.original and self.tree.size[above] <= largest:
                    found = above
            if not any(node in self.gone for node in self.path(found)):
                return found

    def path(self, node: int) -> list[int]:
        """The node and those around it."""
        found = []
        while node >= 0:
            found.append(node)
            node = self.tree.parent[node]
        return found

    def some_function(self) -> int:
        """A function that the tree knows, or a new one."""
        if self.chance.random() < 0.5:
            return self.tree.function[self.chance.randrange(self.tree.original)]
        return self.new_function()

    def new_function(self) -> int:
        """A function that nobody calls yet."""
        self.functions += 1
        return self.functions - 1

    def place_below(self, node: int) -> int:
        """A place among the children of a node."""
        return self.chance.randint(0, len(self.tree.below(node)))

    def insert(self) -> None:
        """A copy of a small subtree, or a new chain of calls."""
        parent = self.node()
        place = self.place_below(parent)
        if self.chance.random() < 0.5:
            self.copy(self.node(50), parent, place)
            return
        for _ in range(self.chance.randint(1, 5)):
            parent, place = self.tree.add(self.some_function(), parent, place), 0

    def copy(self, source: int, parent: int, place: int) -> None:
        """A copy of a subtree, at most some calls of it."""
        left, waiting = 200, [(source, parent, place)]
        while waiting and left:
            source, parent, place = waiting.pop()
            children = list(self.tree.children[source])
            new = self.tree.add(self.tree.function[source], parent, place)
            waiting += [(child, new, 0) for child in children]
            left -= 1

    def remove(self) -> None:
        """A call with all that it calls."""
        node = self.node()
        self.tree.take(node)
        self.gone.add(node)
        self.removed.append(node)

    def wrap(self) -> None:
        """One to three calls in a row get a call around them."""
        first = self.node()
        parent = self.tree.parent[first]
        siblings = self.tree.below(parent)
        place = siblings.index(first)
        inside = siblings[place : place + self.chance.choice((1, 1, 1, 2, 3))]
        del siblings[place : place + len(inside)]
        self.wrappers.append(self.tree.add(self.some_function(), parent, place, inside))

    def unwrap(self) -> None:
        """A call is taken out; those that it made take its place."""
        node = self.node()
        while not self.tree.children[node]:
            node = self.node()
        place = self.tree.take(node)
        parent = self.tree.parent[node]
        self.tree.below(parent)[place:place] = self.tree.children[node]
        for child in self.tree.children[node]:
            self.tree.parent[child] = parent
        self.tree.children[node] = []
        self.gone.add(node)
        self.unwrapped.append(node)

    def move(self) -> None:
        """A subtree goes to another call."""
        node = self.node()
        target = self.node()
        while self.tree.is_around(node, target) or target == self.tree.parent[node]:
            node, target = self.node(), self.node()
        self.tree.take(node)
        self.tree.parent[node] = target
        self.tree.children[target].insert(self.place_below(target), node)
        if self.tree.size[node] >= _LARGE_MOVE:
            self.moved.append(node)

    def rename(self) -> None:
        """One call gets a function that nobody called before."""
        self.tree.function[self.node()] = self.new_function()


def plant(function: Ints, end_row: Ints, edits: int, seed: int, kinds: tuple[str, ...] = KINDS) -> Planted:
    """Plant so many edits in a forest in preorder, the kinds in turn; the same for the same seed."""
    tree = _Tree(np.asarray(function, np.int64), np.asarray(end_row, np.int64))
    editor = _Editor(tree, random.Random(seed))
    for number in range(edits):
        getattr(editor, kinds[number % len(kinds)])()
    order, new_function, new_end = tree.columns()
    row_of = np.full(tree.original, -1, np.int64)
    rows = {node: row for row, node in enumerate(order)}
    for node, row in rows.items():
        if node < tree.original:
            row_of[node] = row
    return Planted(
        new_function,
        new_end,
        row_of,
        editor.removed,
        editor.unwrapped,
        [rows[node] for node in editor.wrappers if node in rows],
        [node for node in editor.moved if row_of[node] >= 0],
    )


@dataclass(frozen=True)
class Found:
    """Shares of what was found, each of 0 to 1 (NaN = nothing of the kind was planted).

    right    of the surviving calls: paired with themselves, or with the same call of an identical subtree
    strict   the same, but an identical subtree must stand below the same call
    removed  of the removed subtrees: alone, below the right call
    wrapped  of the calls put around others: alone, told as wrapped, and the others right
    moved    of the moves of ten calls or more: right, and told as moved
    """

    right: float
    strict: float
    removed: float
    wrapped: float
    moved: float


def judged(function: Ints, end_row: Ints, planted: Planted, found: Alignment) -> Found:
    """How much of the truth an alignment tells."""
    pairs, first_b = two_forests(function, end_row, planted.function, planted.end_row)
    find_classes(pairs, first_b)
    parent_a = pairs[PARENT, 1:first_b] - 1
    parent_b = pairs[PARENT, first_b + 1 :] - first_b - 1
    class_a, class_b = pairs[CLASS, 1:first_b], pairs[CLASS, first_b + 1 :]
    truth, partner = planted.row_of, found.partner_a
    lives = truth >= 0
    # Right is a call whose partner is identical to the true one, or whose true partner has an identical one.
    stand_in = np.where(lives, found.partner_b[truth], -1)
    paired, replaced = lives & (partner >= 0), stand_in >= 0
    right = np.zeros(len(lives), np.bool_)
    right[paired] = class_b[partner[paired]] == class_b[truth[paired]]
    swapped = np.zeros(len(lives), np.bool_)
    swapped[replaced] = class_a[stand_in[replaced]] == class_a[replaced]
    strict = lives & (partner == truth)
    for row in np.flatnonzero((right | swapped) & ~strict).tolist():
        above = int(parent_a[row])
        same = bool(right[row]) and parent_b[partner[row]] == parent_b[truth[row]]
        same |= bool(swapped[row]) and parent_a[stand_in[row]] == above
        if above >= 0 and strict[above]:
            same |= bool(right[row]) and parent_b[partner[row]] == partner[above]
            same |= bool(swapped[row]) and parent_a[stand_in[row]] == stand_in[above]
        strict[row] = same
    right |= swapped
    unpaired_twins = {(int(parent_a[row]), int(class_a[row])) for row in np.flatnonzero(partner < 0).tolist()}
    removed = []
    for row in planted.removed:
        above = int(parent_a[row])
        in_place = above < 0 or truth[above] < 0 or bool(right[above])
        removed.append(in_place and (above, int(class_a[row])) in unpaired_twins)
    around: dict[int, list[int]] = {row: [] for row in planted.wrappers}
    for row in np.flatnonzero(lives).tolist():
        if (wrapper := int(parent_b[truth[row]])) in around:
            around[wrapper].append(row)
    wrapped = [
        found.partner_b[row] < 0 and found.kind_b[row] == CallChange.WRAPPED and bool(right[inside].all())
        for row, inside in around.items()
    ]
    moved = [bool(right[row]) and found.kind_b[truth[row]] == CallChange.MOVED for row in planted.moved]
    return Found(_share(right[lives]), _share(strict[lives]), _share(removed), _share(wrapped), _share(moved))


def _share(values: list[bool] | npt.NDArray[np.bool_]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
