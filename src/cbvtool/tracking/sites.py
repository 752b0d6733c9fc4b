"""The sites of a task, each done, open or lost: what moves or is made, who uses it, relations that go and come.

The rules are told to users in `docs/tracking.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, RemoveNode, RenameNode
from cbvtool.plan.task import Task
from cbvtool.rules import dependencies, files
from cbvtool.tracking.following import FollowedNodes, uses_now

SiteState = Literal["done", "open", "lost"]
_WITH_USERS = frozenset({"move", "rename", "pull out", "merge"})


@dataclass(frozen=True)
class TrackedSite:
    """One site. reason: why it is lost, or what is to be known of one that is open; a sentence, or empty."""

    state: SiteState
    reason: str = ""


class SitesOfTasks:
    """Looks at the sites of tasks, of a plan that leads from `follow.base` to `follow.target`."""

    def __init__(self, follow: FollowedNodes) -> None:
        self._follow = follow
        self._base, self._target, self._now = follow.base, follow.target, follow.now
        self._base_file = files(follow.base)
        self._rows = np.flatnonzero(dependencies(follow.base, type_checking=True))

    def of(self, task: Task) -> list[TrackedSite]:
        """The sites of a task."""
        nodes = self._nodes(task)
        units = {unit: state for node in nodes for unit, state in self._units(node).items()}
        found = [*units.values(), *(site for node in nodes if not self._units(node) for site in [self._empty(node)])]
        relations = []
        for primitive in task.primitives:
            match primitive:
                case MoveTo() | RenameNode():
                    pass
                case CreateNode(node):
                    found.append(self._made(node))
                case RemoveNode(node):
                    if task.kind == "merge":
                        found += self._merged(node, found)
                    else:
                        found += self._removed(node)
                case AddEdge() | CutEdge():
                    if not primitive.along and task.kind != "merge":
                        relations.append(primitive)
                case _:
                    assert_never(primitive)
        if task.kind in _WITH_USERS:
            found += self._users(nodes, units)
        return [*found, *self._relations(relations)]

    # -- what moves

    def _nodes(self, task: Task) -> list[int]:
        """Keys of what moves or is renamed."""
        ids = dict.fromkeys(p.node for p in task.primitives if isinstance(p, MoveTo | RenameNode))
        return [self._base.key_of[node] for node in ids if node in self._base.key_of]

    def _units(self, node: int) -> dict[int, TrackedSite]:
        """The sites of one thing that moves: itself, or the files in it, by key."""
        if self._base.kind(node) not in CONTAINERS:
            return {node: self._leaf(node)}
        inside = [file for file in self._follow.files_in(node) if self._target.is_below(file, node)]
        new = self._below(self._follow.planned(node))
        old = self._below(self._old_places(node))
        return {file: self._in_folder(file, new, old) for file in inside}

    def _leaf(self, node: int) -> TrackedSite:
        base, target, now, follow = self._base, self._target, self._now, self._follow
        there = follow.of(node)
        if there < 0:
            return TrackedSite("lost", f"{place(base, node)} is gone.")
        new, old = (follow.whereabouts(int(graph.parent[node])) for graph in (target, base))
        above, name = int(now.parent[there]), now.names[there]
        at_new, at_old = above in new.keys, above in old.keys
        if at_new and at_old and target.parent[node] != base.parent[node] and old.is_sure and not new.is_sure:
            at_new = False  # where it is to go has gone to where it is
        if at_new and name == target.names[node]:
            return TrackedSite("done")
        if not (at_new or at_old) or name not in (target.names[node], base.names[node]):
            return TrackedSite("lost", f"{place(base, node)} lies at {place(now, there)} now.")
        if not at_new and (sentence := self._nowhere_to_go(int(target.parent[node]))):
            return TrackedSite("lost", sentence)
        return TrackedSite("open")

    def _nowhere_to_go(self, parent: int) -> str:
        """Why something cannot go to `parent` (key in the target) any more; empty = it can."""
        above = parent
        while above >= len(self._base):  # what the plan makes can be made as long as there is where
            above = int(self._target.parent[above])
        where = self._follow.whereabouts(above)
        return "" if where and where.is_sure else self._gone(above) if not where else ""

    def _gone(self, container: int) -> str:
        return f"{place(self._base, container)}, where it is to go, is gone."

    def _old_places(self, folder: int) -> frozenset[int]:
        """Where a folder is as long as nobody carries out the plan: at its path, or moved along with its parent."""
        base, now, follow = self._base, self._now, self._follow
        same = now.key_of.get(base.ids[folder], -1)
        if same >= 0:
            return frozenset({same})
        where, above = follow.whereabouts(folder), follow.whereabouts(int(base.parent[folder]))
        return frozenset(key for key in where.keys - follow.planned(folder) if int(now.parent[key]) in above.keys)

    def _below(self, keys: Iterable[int]) -> npt.NDArray[np.bool_]:
        inside = np.zeros(len(self._now), np.bool_)
        for key in keys:
            inside[self._now.subtree(key)] = True
        return inside

    def _in_folder(self, file: int, new: npt.NDArray[np.bool_], old: npt.NDArray[np.bool_]) -> TrackedSite:
        there = self._follow.of(file)
        if there < 0:
            return TrackedSite("lost", f"{place(self._base, file)} is gone.")
        if new[there]:
            return TrackedSite("done")
        if old[there]:
            return TrackedSite("open")
        return TrackedSite("lost", f"{place(self._base, file)} lies at {place(self._now, there)} now.")

    def _empty(self, node: int) -> TrackedSite:
        """The site of a folder without files."""
        if self._follow.planned(node):
            return TrackedSite("done")
        if self._old_places(node):
            return TrackedSite("open")
        return TrackedSite("lost", f"{place(self._base, node)} is gone.")

    # -- what is made and removed

    def _made(self, node: str) -> TrackedSite:
        key = self._target.key_of[node]
        if self._follow.planned(key):
            return TrackedSite("done")
        sentence = self._nowhere_to_go(int(self._target.parent[key]))
        return TrackedSite("lost", sentence) if sentence else TrackedSite("open")

    def _removed(self, node: str) -> list[TrackedSite]:
        key = self._base.key_of[node]
        if self._base.kind(key) not in CONTAINERS:
            return [self._taken_out(key)]
        inside = self._follow.files_in(key)
        if not inside:
            return [TrackedSite("open" if self._follow.whereabouts(key) else "done")]
        return [self._taken_out(file) for file in inside]

    def _taken_out(self, node: int) -> TrackedSite:
        there = self._follow.of(node)
        if there < 0:
            return TrackedSite("done")
        before, after = place(self._base, node), place(self._now, there)
        return TrackedSite("open", "" if before == after else f"{before} lies at {after} now.")

    def _merged(self, node: str, content: Sequence[TrackedSite]) -> list[TrackedSite]:
        """The site of what is merged; none where all that it held is lost."""
        if content and all(site.state == "lost" for site in content):
            return []
        key = self._base.key_of[node]
        there = node in self._now.key_of if self._base.kind(key) in CONTAINERS else self._follow.of(key) >= 0
        return [TrackedSite("open" if there else "done")]

    # -- relations

    def _users(self, nodes: Sequence[int], units: dict[int, TrackedSite]) -> list[TrackedSite]:
        """The sites of the files that use what moves."""
        base, follow = self._base, self._follow
        unit_of = np.full(len(base), -1, np.int64)
        for node in nodes:
            unit_of[base.subtree(node)] = node
        for unit in units:
            unit_of[base.subtree(unit)] = unit
        source, used = base.edges.source[self._rows], unit_of[base.edges.target[self._rows]]
        rows = (used >= 0) & (unit_of[source] < 0)
        uses = dict[int, set[int]]()
        for user, unit in zip(self._base_file[source[rows]].tolist(), used[rows].tolist(), strict=True):
            if user >= 0 and unit in units:
                uses.setdefault(user, set()).add(unit)
        undone = [there for unit, site in units.items() if site.state == "open" and (there := follow.of(unit)) >= 0]
        undone += [follow.left[unit] for unit in units if unit in follow.left]
        there_now = {user: there for user in uses if (there := follow.of(user)) >= 0 and base.kind(user) == "file"}
        still = uses_now(self._now, there_now.values(), undone)
        found = []
        for user, there in sorted(there_now.items()):
            states = {units[unit].state for unit in uses[user]}
            if "done" in states:
                found.append(TrackedSite("open" if there in still else "done"))
            elif "open" in states:
                found.append(TrackedSite("open"))
        return found

    def _relations(self, changes: Iterable[AddEdge | CutEdge]) -> list[TrackedSite]:
        """One site for each pair of files between which relations are cut, and are put in."""
        cut = dict[tuple[int, int], list[CutEdge]]()
        put = dict[tuple[int, int], None]()
        for change in changes:
            pair = self._file(change.source), self._file(change.target)
            if isinstance(change, CutEdge):
                cut.setdefault(pair, []).append(change)
            else:
                put[pair] = None
        return [
            *(self._cut(user, used, edges) for (user, used), edges in cut.items()),
            *(self._put(user, used) for user, used in put),
        ]

    def _file(self, node: str) -> int:
        """Key in the target of the file that a node is or lies in; its own outside files."""
        graph: Graph = self._base if node in self._base.key_of else self._target
        key = graph.key_of[node]
        return file if (file := file_of(graph, key)) >= 0 else key

    def _cut(self, user: int, used: int, edges: Sequence[CutEdge]) -> TrackedSite:
        for end in (user, used):
            if self._follow.of(end) < 0:
                return TrackedSite("lost", f"{place(self._base, end)} is gone.")
        ends = {
            (self._follow.of(self._base.key_of[edge.source]), self._follow.of(self._base.key_of[edge.target]))
            for edge in edges
        }
        stands = any(self._stands(source, target) for source, target in ends if source >= 0 and target >= 0)
        return TrackedSite("open" if stands else "done")

    def _stands(self, source: int, target: int) -> bool:
        edges = self._now.edges
        there = (edges.source == source) & (edges.target == target)
        return bool((there & dependencies(self._now, type_checking=True)).any())

    def _put(self, user: int, used: int) -> TrackedSite:
        ends = []
        for end in (user, used):
            if end >= len(self._base):
                there = self._follow.planned(end)
                if not there:
                    return TrackedSite("open")
                ends.append(min(there))
            elif (key := self._follow.of(end)) >= 0:
                ends.append(key)
            else:
                return TrackedSite("lost", f"{place(self._base, end)} is gone.")
        return TrackedSite("done" if uses_now(self._now, ends[:1], ends[1:]) else "open")
