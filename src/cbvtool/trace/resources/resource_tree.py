"""The tree of resources whose leaves are measured: machines, processes, threads, as recorded or as users group them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
ITSELF = "(itself)"


class ResourceGroup(NamedTuple):
    """One group on the way from the root to a leaf. `key` tells it from its siblings."""

    key: Hashable
    name: str
    kind: str = ""


@dataclass(frozen=True, eq=False)
class ResourceTree:
    """n resources in preorder, row 0 the root. Every inner one has at least two children.

    name    str[n]    of an only child, behind that of its parent, which has no row of its own
    kind    str[n]    "machine", "process", "thread", ...; "" = unknown
    parent  int32[n]  -1 for the root
    end     int32[n]  the row after the last one below
    source  int32[n]  number of the leaf as it was given, -1 for groups
    """

    name: tuple[str, ...]
    kind: tuple[str, ...]
    parent: Ints
    end: Ints
    source: Ints

    def __len__(self) -> int:
        return len(self.name)

    @cached_property
    def leaves(self) -> Ints:
        """int32[l]: the rows that are leaves, in order."""
        return np.flatnonzero(self.source >= 0).astype(np.int32)

    @cached_property
    def first_leaf(self) -> Ints:
        """int32[n + 1]: how many leaves lie before each row; below row r are `first_leaf[r]:first_leaf[end[r]]`."""
        return np.concatenate(([0], np.cumsum(self.source >= 0))).astype(np.int32)

    @cached_property
    def size(self) -> Ints:
        """int32[n]: number of leaves of each row."""
        found: Ints = self.first_leaf[self.end] - self.first_leaf[:-1]
        return found

    @cached_property
    def depth(self) -> Ints:
        """int32[n]: 0 for the root."""
        found = np.zeros(len(self), np.int32)
        for row, above in enumerate(self.parent.tolist()):
            if above >= 0:
                found[row] = found[above] + 1
        return found

    def children(self, row: int) -> list[int]:
        """The rows right below."""
        found, at = [], row + 1
        while at < self.end[row]:
            found.append(at)
            at = int(self.end[at])
        return found

    def path(self, row: int) -> str:
        """The names from below the root down to a row."""
        names: list[str] = []
        while row > 0:
            names.append(self.name[row])
            row = int(self.parent[row])
        return " / ".join(reversed(names)) or self.name[0]

    def subtree(self, row: int) -> ResourceTree:
        """What lies at and below a row, as a tree of its own with the same sources."""
        below = slice(row, int(self.end[row]))
        parent = self.parent[below] - row
        parent[0] = -1
        end: Ints = self.end[below] - row
        return ResourceTree(self.name[below], self.kind[below], parent, end, self.source[below])


def tree_of(paths: Sequence[Sequence[ResourceGroup]], root: str = "all") -> ResourceTree:
    """The tree of the leaves at the ends of these paths, siblings in the order in which they come first.

    A leaf that also has something below it is a leaf `ITSELF` below its own name; equal paths are leaves side by side.
    Raises ValueError without paths.
    """
    if not paths:
        raise ValueError("a tree of resources needs a leaf")
    steps: list[ResourceGroup] = [ResourceGroup("", root)]
    below: list[dict[Hashable, int]] = [{}]
    sources: list[list[int]] = [[]]
    for source, path in enumerate(paths):
        at = 0
        for step in path:
            found = below[at].get(step.key)
            if found is None:
                found = below[at][step.key] = len(steps)
                steps.append(step)
                below.append({})
                sources.append([])
            at = found
        sources[at].append(source)
    for node in range(len(steps)):
        alone = len(sources[node]) == 1 and not below[node]
        if node and alone:
            continue
        for source in sources[node]:
            below[node][(ITSELF, source)] = len(steps)
            steps.append(
                ResourceGroup(source, ITSELF if below[node] or not node else steps[node].name, steps[node].kind)
            )
            below.append({})
            sources.append([source])
        sources[node] = []
    return _in_preorder(steps, [list(each.values()) for each in below], [each[0] if each else -1 for each in sources])


def _in_preorder(steps: list[ResourceGroup], below: list[list[int]], sources: list[int]) -> ResourceTree:
    """Lay the nodes out; a node with one child alone becomes one row with it."""
    name: list[str] = []
    kind: list[str] = []
    parent: list[int] = []
    source: list[int] = []
    waiting = [(0, -1)]
    while waiting:
        node, above = waiting.pop()
        names = [steps[node].name]
        while len(below[node]) == 1:
            node = below[node][0]
            names.append(steps[node].name)
        if len(names) > 1 and len(name) == 0:
            names = names[1:]  # the root is a word of ours
        row = len(name)
        name.append(" / ".join(dict.fromkeys(each for each in names if each and each != ITSELF)) or ITSELF)
        kind.append(steps[node].kind)
        parent.append(above)
        source.append(sources[node] if not below[node] else -1)
        waiting.extend((child, row) for child in reversed(below[node]))
    end = np.arange(1, len(name) + 1, dtype=np.int32)
    for row in range(len(name) - 1, 0, -1):
        end[parent[row]] = max(end[parent[row]], end[row])
    return ResourceTree(tuple(name), tuple(kind), np.array(parent, np.int32), end, np.array(source, np.int32))
