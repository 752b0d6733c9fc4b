"""What the nodes of one graph are in a later one: files by git and by content, definitions in them, folders.

The rules are told to users in `docs/tracking.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cbvtool.graph import EXTERNAL, REMOVED, Graph
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.place import file_of, place
from cbvtool.rules import dependencies
from cbvtool.tracking.file_moves import FileMoves

_SAME = 0.5  # share of the definitions of a file that another one must hold to be that file
_FEWEST = 2  # definitions that speak for a file whose name has changed, too


@dataclass(frozen=True)
class Whereabouts:
    """The nodes of the later graph that a container is; several while it is half moved.

    is_sure   its path, or the plan, says so; else most of what was in it has gone there
    """

    keys: frozenset[int]
    is_sure: bool = True

    def __bool__(self) -> bool:
        return bool(self.keys)


class FollowedNodes:
    """Nodes of `base` and of `target`, a plan for it, found in `now`.

    moves   where the files of `base` are in `now`, as git says
    """

    def __init__(self, base: Graph, target: Graph, now: Graph, moves: FileMoves) -> None:
        self.base, self.target, self.now = base, target, now
        self._places = dict[int, Whereabouts]()
        self._children = dict[int, list[int]]()
        self._nodes = dict[int, int]()
        self.left = dict[int, int]()  # file that was moved -> key in `now` of what forwards to it at the old place
        self._file = self._files(moves)
        self._owner = {there: file for file, there in self._file.items()}

    # -- asking

    def of(self, key: int) -> int:
        """Key in `now` of a file or definition of `base`; -1 = it is gone."""
        if key not in self._nodes:
            self._nodes[key] = self._file.get(key, -1) if self.base.kind(key) == "file" else self._definition(key)
        return self._nodes[key]

    def ids_of(self, nodes: Iterable[str]) -> tuple[str, ...]:
        """Ids in `now` of nodes with these ids in `base` or `target`, without those that are gone."""
        found = list[int]()
        for node in nodes:
            key = self.base.key_of.get(node, self.target.key_of.get(node, -1))
            if 0 <= key < len(self.base) and self.base.kind(key) not in CONTAINERS:
                found.append(self.of(key))
            elif key >= 0:
                found += sorted(self.whereabouts(key).keys)
        return tuple(dict.fromkeys(self.now.ids[key] for key in found if key >= 0))

    def whereabouts(self, key: int) -> Whereabouts:
        """What the container with this key in `target` is in `now`: a folder, or a file or class with definitions."""
        if key not in self._places:
            self._places[key] = Whereabouts(frozenset())  # whoever asks while it is found out
            self._places[key] = self._whereabouts(key)
        return self._places[key]

    def planned(self, key: int) -> frozenset[int]:
        """What in `now` lies where the plan puts a node, under the name and with a kind that it may have there."""
        target = self.target
        parent = int(target.parent[key])
        if parent < 0:
            return frozenset()
        is_folder, is_file = target.kind(key) in CONTAINERS, target.kind(key) == "file"
        return frozenset(
            child
            for above in self.whereabouts(parent).keys
            for child in self.children(above)
            if self.now.names[child] == target.names[key]
            and (self.now.kind(child) in CONTAINERS) == is_folder
            and (self.now.kind(child) == "file") == is_file
        )

    def children(self, key: int) -> list[int]:
        """Keys in `now` of what lies directly in a node."""
        if key not in self._children:
            self._children[key] = self.now.children(key).tolist()
        return self._children[key]

    def files_in(self, key: int) -> list[int]:
        """Keys in `base` of the files in a folder."""
        return [k for k in self.base.subtree(key).tolist() if self.base.kind(k) == "file"]

    def is_new(self, key: int) -> bool:
        """Whether a definition of `now` is none of `base` that stayed in its file."""
        owner = self._owner.get(file_of(self.now, key))
        return owner is None or _path_in_file(self.now, key) not in self._paths_in(owner)

    # -- files

    def _files(self, moves: FileMoves) -> dict[int, int]:
        """Files of `base` -> files of `now`, each at most once."""
        base, now = self.base, self.now
        here, there = _definitions(base), _definitions(now)
        found, gone = dict[int, int](), list[int]()
        for file in _file_keys(base):
            path = moves.path.get(base.ids[file], base.ids[file])
            key = -1 if path is None else now.key_of.get(path, -1)
            is_same = key >= 0 and now.kind(key) == "file" and moves.at_first(path or "") == base.ids[file]
            if is_same and base.ids[file] in moves.put_back:
                is_same = not here[file] or _share(here[file], there[key]) >= _SAME
            if is_same:
                found[file] = key
            else:
                gone.append(file)
        holders = dict[str, list[int]]()
        for key, names in there.items():
            for name in names:
                holders.setdefault(name, []).append(key)
        suspects = {file for file, key in found.items() if here[file] and _share(here[file], there[key]) < _SAME}
        self._swapped_and_forwarded(found, suspects, here, there, holders)
        taken = set(found.values())
        for file in gone:
            best = self._alike(file, here[file], holders, taken)
            if best < 0:
                best = self._put_by_plan(file, taken)
            if best >= 0:
                found[file] = best
                taken.add(best)
        return found

    def _swapped_and_forwarded(
        self,
        found: dict[int, int],
        suspects: set[int],
        here: dict[int, frozenset[str]],
        there: dict[int, frozenset[str]],
        holders: dict[str, list[int]],
    ) -> None:
        """Files that are there, but hold something else now: their content went to another file."""
        owner = {key: file for file, key in found.items()}
        swapped = dict[int, int]()
        for file in sorted(suspects):
            candidates = Counter(key for name in here[file] for key in holders.get(name, ()))
            candidates.pop(found[file], None)
            best = max(sorted(candidates), key=candidates.__getitem__, default=-1)
            if best < 0 or candidates[best] < _SAME * len(here[file]):
                continue
            other = owner.get(best)
            if other is not None and other in suspects and other != file:
                swapped[file] = best
            elif other is None and self._uses(found[file], best):
                self.left[file] = found[file]
                swapped[file] = best
        targets = Counter(swapped.values())
        for file, key in swapped.items():
            if targets[key] == 1 and (key not in owner or owner[key] in swapped):
                found[file] = key
            else:
                self.left.pop(file, None)

    def _uses(self, user: int, used: int) -> bool:
        edges = self.now.edges
        return bool(((edges.source == user) & np.isin(edges.target, self.now.subtree(used))).any())

    def _alike(self, file: int, names: frozenset[str], holders: dict[str, list[int]], taken: set[int]) -> int:
        """A file that is new and holds most of the definitions of one that is gone; -1 = there is none."""
        base, now = self.base, self.now
        counts = Counter(key for name in names for key in holders.get(name, ()) if key not in taken)
        best = max(sorted(counts), key=lambda key: (counts[key], now.names[key] == base.names[file]), default=-1)
        if best < 0 or counts[best] < _SAME * len(names):
            return -1
        is_sure = counts[best] >= _FEWEST or now.names[best] == base.names[file] or self._is_as_long(file, best)
        return best if is_sure else -1

    def _is_as_long(self, file: int, there: int) -> bool:
        """Whether a file of `base` and one of `now` have equally many bytes."""
        before, after = self.base.values.get("bytes"), self.now.values.get("bytes")
        return before is not None and after is not None and bool(before[file] == after[there])

    def _put_by_plan(self, file: int, taken: set[int]) -> int:
        """What is new where the plan puts a file, by path; -1 = nothing."""
        if self.target.parent[file] == REMOVED:
            return -1
        planned = place(self.target, file)
        key = self.now.key_of.get(planned, -1)
        is_it = planned != self.base.ids[file] and key >= 0 and key not in taken and self.now.kind(key) == "file"
        return key if is_it else -1

    # -- definitions

    def _definition(self, key: int) -> int:
        base, now = self.base, self.now
        if base.kind(key) in CONTAINERS or base.kind(key) == EXTERNAL:
            return -1
        parent = int(base.parent[key])
        above = self.of(parent)
        if above >= 0:
            same = [
                c for c in self.children(above) if now.names[c] == base.names[key] and now.kind(c) == base.kind(key)
            ]
            if same:
                return min(same, key=lambda c: (_number(now.ids[c]) != _number(base.ids[key]), c))
        if self.target.parent[key] >= 0:
            planned = [c for c in sorted(self.planned(key)) if now.kind(c) == base.kind(key) and self.is_new(c)]
            if planned:
                return planned[0]
        if base.kind(parent) != "file":
            return -1
        new = [c for c in self._by_name.get((base.names[key], base.kind(key)), ()) if self.is_new(c)]
        return new[0] if len(new) == 1 else -1

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[int]]:
        """Keys in `now` of the definitions that lie in a file, by name and kind."""
        found = dict[tuple[str, str], list[int]]()
        for key in _definition_keys(self.now):
            found.setdefault((self.now.names[key], self.now.kind(key)), []).append(key)
        return found

    def _paths_in(self, file: int) -> frozenset[str]:
        return frozenset(_path_in_file(self.base, key) for key in self.base.subtree(file).tolist())

    # -- folders

    def _whereabouts(self, key: int) -> Whereabouts:
        base, target, now = self.base, self.target, self.now
        if key == target.root:
            return Whereabouts(frozenset({now.root}))
        is_of_base = key < len(base)
        if is_of_base and target.kind(key) not in CONTAINERS:
            there = self.of(key)
            return Whereabouts(frozenset({there} if there >= 0 else ()))
        found = set(self.planned(key))
        if not is_of_base:
            return Whereabouts(frozenset(found))
        if (same := now.key_of.get(base.ids[key], -1)) >= 0:
            found.add(same)
        if found:
            return Whereabouts(frozenset(found))
        gone_to = self._moved_folders.get(base.ids[key])
        moved = -1 if gone_to is None else now.key_of.get(gone_to, -1)
        return Whereabouts(frozenset({moved} if moved >= 0 else ()), is_sure=False)

    @cached_property
    def _moved_folders(self) -> dict[str, str]:
        """Folders by where most of their files are, those that were in them and those that the plan puts there."""
        base, now, target = self.base, self.now, self.target
        votes = dict[str, Counter[str]]()
        for file, there in self._file.items():
            before, after = _folder(base.ids[file]), _folder(now.ids[there])
            planned = _folder(place(target, file)) if target.parent[file] >= 0 else before
            for folder in {before, planned} - {after}:
                for old, new in _moved_with(folder, after):
                    votes.setdefault(old, Counter())[new] += 1
        return {old: max(sorted(found), key=found.__getitem__) for old, found in votes.items()}


def _file_keys(graph: Graph) -> Iterator[int]:
    is_file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds]
    yield from np.flatnonzero(is_file & (graph.parent >= 0)).tolist()


def _definition_keys(graph: Graph) -> Iterable[int]:
    """Keys of what lies directly in a file."""
    is_file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds]
    inner = np.flatnonzero(graph.parent >= 0)
    keys: list[int] = inner[is_file[graph.parent[inner]]].tolist()
    return keys


def _definitions(graph: Graph) -> dict[int, frozenset[str]]:
    """Key of each file -> names of what is defined in it."""
    names: dict[int, list[str]] = {file: [] for file in _file_keys(graph)}
    for key in _definition_keys(graph):
        if (file := int(graph.parent[key])) in names:
            names[file].append(graph.names[key])
    return {file: frozenset(inside) for file, inside in names.items()}


def _share(names: frozenset[str], there: frozenset[str]) -> float:
    return len(names & there) / len(names)


def _path_in_file(graph: Graph, key: int) -> str:
    return graph.ids[key].partition("::")[2]


def _number(node: str) -> str:
    return node.rpartition("#")[2] if "#" in node else ""


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _moved_with(old: str, new: str) -> Iterator[tuple[str, str]]:
    """A folder that was moved, and those above it whose content moved with it: their names stayed."""
    before, after = old.split("/"), new.split("/")
    yield old, new
    while len(before) > 1 and len(after) > 1 and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
        if before != after:
            yield "/".join(before), "/".join(after)


def uses_now(graph: Graph, users: Iterable[int], used: Iterable[int]) -> frozenset[int]:
    """Those of the files `users` that use one of the nodes `used`, or something in them."""
    bad, whose = np.zeros(len(graph), np.bool_), np.full(len(graph), -1, np.int64)
    for key in used:
        bad[graph.subtree(key)] = True
    for user in users:
        whose[graph.subtree(user)] = user
    edges = graph.edges
    rows = dependencies(graph, type_checking=True) & bad[edges.target]
    found = whose[edges.source[rows]]
    return frozenset(found[found >= 0].tolist())
