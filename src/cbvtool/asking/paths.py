"""Why does A depend on B? The shortest chains of relations from one subtree to another (NEW-19)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cbvtool.asking.steps import IntColumn, Mask, Rows, Steps
from cbvtool.graph import Graph
from cbvtool.progress import Progress, silent
from cbvtool.rules import files

MOST_CHAINS = 100


@dataclass(frozen=True)
class PathStep:
    """Node `user` uses node `used` (keys), by the relations in `rows` of `graph.edges`."""

    user: int
    used: int
    rows: tuple[int, ...]


Chain = tuple[PathStep, ...]


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """The shortest chains from the subtree of `source` to that of `target` (keys).

    chains   of equal length, the first ones in the order of the tree; empty = no chain leads there
    total    number of shortest chains
    rows     int64[r]  rows of `graph.edges`: the relations of all shortest chains
    """

    source: int
    target: int
    chains: tuple[Chain, ...]
    total: int
    rows: Rows

    @property
    def ends(self) -> tuple[int, ...]:
        """Keys of the nodes at both ends."""
        return self.source, self.target

    @property
    def length(self) -> int:
        """Number of relations in each chain; 0 = there is none."""
        return len(self.chains[0]) if self.chains else 0

    def only(self, *chains: Chain) -> ShortestPaths:
        """The same with only these chains."""
        rows = np.unique([row for chain in chains for step in chain for row in step.rows])
        return replace(self, chains=chains, rows=rows)


def by_modules(graph: Graph, chains: Sequence[Chain]) -> dict[tuple[int, ...], list[Chain]]:
    """Chains grouped by modules: keys of the folders and packages of the files that they pass -> chains.

    The group with the most chains comes first.
    """
    file, found = files(graph), dict[tuple[int, ...], list[Chain]]()
    for chain in chains:
        holders = [_holder(graph, int(file[key])) for key in chain_nodes(chain)]
        way = tuple(key for at, key in enumerate(holders) if not at or key != holders[at - 1])
        found.setdefault(way, []).append(chain)
    return dict(sorted(found.items(), key=lambda entry: -len(entry[1])))


def _holder(graph: Graph, file: int) -> int:
    above = int(graph.parent[file])
    return above if graph.kind(file) == "file" and above >= 0 else file


def shortest_paths(
    graph: Graph, ways: Steps, source: int, target: int, *, most: int = MOST_CHAINS, progress: Progress = silent
) -> ShortestPaths:
    """All shortest chains, of which up to `most` are listed.

    Each step begins where the previous one ended, or at a part of that node (see `steps`). If one of the two nodes
    contains the other, the outer one stands for its content outside of the inner one.

    A breadth-first search runs from the source to the level of the target, then back along the relations that led
    there: O(n + k) for k relations, plus the listed chains.
    """
    starts, goals = graph.tree.below((source,)), graph.tree.below((target,))
    starts, goals = starts & ~goals if target != source else starts, goals & ~starts
    progress("looking for a path", 0, 0)
    distance, length = _distances(ways, starts, goals)
    if not length:
        return ShortestPaths(source, target, (), 0, np.empty(0, np.int64))
    progress("looking for a path", 0, 0)
    levels = _backward(ways, distance, goals, length)
    return _listed(graph, ways, source, target, levels, most)


def chain_nodes(chain: Chain) -> tuple[int, ...]:
    """Keys of the nodes in the chain, each once."""
    return tuple(dict.fromkeys(key for step in chain for key in (step.user, step.used)))


def _distances(ways: Steps, starts: Mask, goals: Mask) -> tuple[IntColumn, int]:
    """(int32[n] distance of each node from `starts`, distance of the nearest of `goals`), in relations.

    Nodes farther away than the nearest goal have -1. The second is 0 if no goal is reached.
    """
    distance = np.full(len(starts), -1, np.int32)
    distance[starts] = 0
    front, seen, length = np.flatnonzero(starts).astype(np.int32), starts.copy(), 0
    while len(front):
        length += 1
        front = ways.closed(ways.used[ways.by_user.of(front)], seen, downward=True)
        distance[front] = length
        if goals[front].any():
            return distance, length
    return distance, 0


@dataclass(frozen=True, eq=False)
class _Level:
    """Positions in `Steps` of the relations of one step, and the possible starts of the next one.

    rows    int64[r]  positions, all on a shortest chain
    onward  dependency -> nodes from which a chain continues; empty for the last step
    """

    rows: Rows
    onward: dict[int, list[int]]


def _backward(ways: Steps, distance: IntColumn, goals: Mask, length: int) -> list[_Level]:
    """The steps of the shortest chains, first to last."""
    levels: list[_Level] = []
    needed: IntColumn = np.flatnonzero(goals & (distance == length)).astype(np.int32)
    for level in range(length, 0, -1):
        far = distance != level  # a whole counts only if it has the same distance as its part
        ends = ways.closed(needed, far, downward=False)
        rows = ways.by_used.of(ends)
        rows = rows[distance[ways.user[rows]] == level - 1]
        reached = set(ways.used[rows].tolist())
        onward: dict[int, list[int]] = {}
        if level < length:
            for key in needed.tolist():
                for whole in _wholes(ways, key, distance, level):
                    if whole in reached:
                        onward.setdefault(whole, []).append(key)
        levels.append(_Level(rows, onward))
        needed = np.unique(ways.user[rows])
    return levels[::-1]


def _wholes(ways: Steps, key: int, distance: IntColumn, level: int) -> set[int]:
    """`key` and all wholes of which it is a part, if they are reached in `level` steps."""
    found, waiting = {key}, [key]
    while waiting:
        for whole in ways.whole[ways.by_part.of(np.array([waiting.pop()]))].tolist():
            if whole not in found and distance[whole] == level:
                found.add(whole)
                waiting.append(whole)
    return found


def _listed(graph: Graph, ways: Steps, source: int, target: int, levels: list[_Level], most: int) -> ShortestPaths:
    steps: list[dict[int, list[PathStep]]] = []  # by dependant
    for level in levels:
        relations: dict[tuple[int, int], list[int]] = {}
        for user, used, row in zip(
            ways.user[level.rows].tolist(), ways.used[level.rows].tolist(), ways.row[level.rows].tolist(), strict=True
        ):
            relations.setdefault((user, used), []).append(row)
        by_user: dict[int, list[PathStep]] = {}
        place = graph.tree.pos
        for (user, used), rows in sorted(relations.items(), key=lambda entry: tuple(place[list(entry[0])].tolist())):
            by_user.setdefault(user, []).append(PathStep(user, used, tuple(rows)))
        steps.append(by_user)

    def chains(number: int, users: list[int]) -> Iterator[Chain]:
        for user in users:
            for step in steps[number].get(user, ()):
                if number == len(levels) - 1:
                    yield (step,)
                else:
                    for rest in chains(number + 1, levels[number].onward[step.used]):
                        yield step, *rest

    ways_on: dict[int, int] = {}  # node -> number of chains from there to the target
    for number in range(len(levels) - 1, -1, -1):
        last = number == len(levels) - 1
        onward = levels[number].onward
        ways_on = {
            user: sum(1 if last else sum(ways_on[key] for key in onward[step.used]) for step in own)
            for user, own in steps[number].items()
        }
    found = chains(0, list(steps[0]))
    all_rows = np.unique(ways.row[np.concatenate([level.rows for level in levels])])
    listed = tuple(chain for _, chain in zip(range(most), found, strict=False))
    return ShortestPaths(source, target, listed, sum(ways_on.values()), all_rows)
