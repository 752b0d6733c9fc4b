"""Operations done the obvious way, on dictionaries: what the real ones are judged by."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from cbvtool.graph import REMOVED, Graph
from cbvtool.plan import Operation
from cbvtool.plan.interfaces import Form, interface_name

PLACES = {"project", "folder", "package"}
HOLDS = {
    "project": {"folder", "package", "file"},
    "folder": {"folder", "package", "file"},
    "package": {"folder", "package", "file"},
    "file": {"class", "function", "interface"},
    "class": {"class", "function", "interface"},
    "interface": {"class", "function", "interface"},
    "function": set(),
}


class Naive:
    """Nodes by id: [name, kind, parent id]. Relations by (source, target, kind): [weight, confidence, when, sites]."""

    def __init__(self, graph: Graph) -> None:
        there = graph.parent != REMOVED
        self.node: dict[str, list[Any]] = {
            graph.ids[k]: [graph.names[k], graph.kind(k), graph.ids[graph.parent[k]] if graph.parent[k] >= 0 else None]
            for k in np.flatnonzero(there).tolist()
        }
        self.edge: dict[tuple[str, str, str], list[Any]] = {}
        e = graph.edges
        for row in range(len(e)):
            sites = [(graph.files[file], line) for file, line in e.sites(row)]
            self.edge[graph.ids[e.source[row]], graph.ids[e.target[row]], e.kind_names[e.kind[row]]] = [
                float(e.weight[row]),
                int(e.confidence[row]),
                int(e.when[row]),
                sites,
            ]
        self.used = set(graph.ids)
        self.first = copy.deepcopy(self.edge)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Naive) and (self.node, self.edge) == (other.node, other.edge)

    def up(self, node: str) -> list[str]:
        chain = [node]
        while (above := self.node[chain[-1]][2]) is not None:
            chain.append(above)
        return chain

    def below(self, node: str) -> set[str]:
        return {other for other in self.node if node in self.up(other)}

    def fits(self, node: str, target: str) -> bool:
        return target not in self.below(node) and self.node[node][1] in HOLDS[self.node[target][1]]

    def after(self, operation: Operation) -> Naive | None:
        """The next state, or None if the operation is refused."""
        result = copy.deepcopy(self)
        do: Callable[..., bool] = getattr(result, type(operation).__name__.lower())
        return result if do(**operation.__dict__) else None

    def put(self, source: str, target: str, kind: str, values: list[Any]) -> None:
        if source == target:
            return
        known = self.edge.get((source, target, kind))
        if known:
            values = [
                known[0] + values[0],
                min(known[1], values[1]),
                min(known[2], values[2]),
                sorted({*known[3], *values[3]}),
            ]
        self.edge[source, target, kind] = values

    def move(self, nodes: tuple[str, ...], target: str) -> bool:
        if not nodes or "" in nodes or any(node not in self.node for node in (*nodes, target)):
            return False
        top = [node for node in nodes if not set(self.up(node)[1:]) & set(nodes)]
        if not all(self.fits(node, target) for node in top) or all(self.node[n][2] == target for n in top):
            return False
        away = [node for node in top if self.node[node][2] != target]
        follow = [change for file in self.node for change in self.imports_of(file, away, target)]
        for node in top:
            self.node[node][2] = target
        for edge, values in follow:
            if values is None:
                del self.edge[edge]
            else:
                self.edge.setdefault(edge, self.first.get(edge, values))
        return True

    def imports_of(self, file: str, going: list[str], target: str) -> list[tuple[tuple[str, str, str], Any]]:
        """What changes of the imports of a file that `going` leave for the target; None = it is cut."""
        there = self.file(target)
        leaving = {node for top in going if top != file and file in self.up(top) for node in self.below(top)}
        if self.node[file][1] != "file" or there in (None, file) or not leaving:
            return []
        found: list[tuple[tuple[str, str, str], Any]] = []
        for edge, values in self.edge.items():
            user, used, kind = edge
            if user != file or kind != "import" or used in self.up(file) or file in self.up(used):
                continue
            others = {
                (a, b, row[1] == 2)
                for (a, b, what), row in self.edge.items()
                if file in self.up(a) and used in self.up(b) and b not in self.below(file)
                if what != "calls back" and (a, what) != (file, "import")
            }
            needing = [b for a, b, guessed in others if a in leaving and not guessed]
            if not needing:
                continue
            if all(a in leaving for a, _, _ in others):
                found.append((edge, None))
            if all(set(self.up(b)) & set(going) for b in needing):
                continue
            if there not in self.up(used) and used not in self.up(there) and not set(self.up(used)) & set(going):
                found.append(((there, used, kind), values))
        return found

    def create(self, node: str, parent: str, name: str, kind: str) -> bool:
        if node in self.used or parent not in self.node or not name or kind not in HOLDS[self.node[parent][1]]:
            return False
        self.used.add(node)
        self.node[node] = [name, kind, parent]
        return True

    def remove(self, nodes: tuple[str, ...]) -> bool:
        if not nodes or "" in nodes or any(node not in self.node for node in nodes):
            return False
        gone = set().union(*(self.below(node) for node in nodes))
        self.node = {node: row for node, row in self.node.items() if node not in gone}
        self.edge = {key: row for key, row in self.edge.items() if not gone & set(key[:2])}
        return True

    def rename(self, node: str, name: str) -> bool:
        if node not in self.node or node == "" or not name or self.node[node][0] == name:
            return False
        self.node[node][0] = name
        return True

    def merge(self, source: str, target: str) -> bool:
        if not {source, target} <= self.node.keys() or source == "" or target in self.below(source):
            return False
        kinds = self.node[source][1], self.node[target][1]
        if not (set(kinds) <= PLACES or (kinds[0] == kinds[1] != "function")):
            return False
        for child in [node for node, row in self.node.items() if row[2] == source]:
            self.node[child][2] = target
        for (user, used, kind), values in list(self.edge.items()):
            if user == source:
                self.put(target, target if used == source else used, kind, values)
        for (user, used, kind), values in list(self.edge.items()):
            if used == source and user != source:
                self.put(user, target, kind, values)
        return self.remove((source,))

    def file(self, node: str) -> str | None:
        """The file that a node is or lies in; the node itself outside files; None for a container."""
        files = [above for above in self.up(node) if self.node[above][1] == "file"]
        return files[0] if files else None if self.node[node][1] in PLACES else node

    def split(self, source: str, target: str, via: str, form: Form, name: str) -> bool:
        if any(node not in self.node for node in (source, target, via)) or self.node[via][1] == "function":
            return False
        users, ends = self.below(source), self.below(target)
        found = [key for key in self.edge if key[0] in users and key[1] in ends]
        if users & ends or not found:
            return False
        between: set[str] = set()
        to_make = None
        if self.node[via][1] in PLACES:
            units = [self.file(key[1]) for key in found]
            if not name and None in units:
                return False
            name = name or interface_name(self.node[target][0], [self.node[unit or ""][0] for unit in units], form)
            there = [node for node, row in self.node.items() if row == [name, "file", via]]
            middle = there[0] if there else f"plan:{via}/{name}"
            while not there and middle in self.used:
                number = int(middle.partition("#")[2] or 1) + 1
                middle = f"{middle.partition('#')[0]}#{number}"
            if there:
                between = self.below(middle)
            else:
                to_make = [name, "file", via]
        else:
            middle = via
            between = self.below(self.file(via) or "")
        cut = [key for key in found if key[1] not in between and (form == "invert" or key[0] not in between)]
        if not cut or any(self.file(key[1]) is None for key in cut):
            return False
        if any(self.file(key[0]) is None for key in cut if key[0] not in between):
            return False
        if to_make:
            self.used.add(middle)
            self.node[middle] = to_make
        led = [(key, self.edge.pop(key)) for key in cut]
        for user in dict.fromkeys(self.file(key[0]) for key, _ in led if key[0] not in between):
            # No name in these graphs has a suffix, so what is no import becomes one all the same.
            for key, values in led:
                if self.file(key[0]) == user:
                    self.put(str(user), middle, "import", values)
        for end in dict.fromkeys(self.file(key[1]) for key, _ in led):
            added = (str(end), middle, "inherit") if form == "invert" else (middle, str(end), "import")
            self.edge.setdefault(added, [1.0, 0, 0, []])
        return True

    def extract(self, container: str, partner: str, target: str) -> bool:
        if any(node not in self.node for node in (container, partner, target)):
            return False
        inside, outside = self.below(container), self.below(partner)
        if inside & outside:
            return False
        parts = {a for a, b, _ in self.edge if b in outside} | {b for a, b, _ in self.edge if a in outside}
        children = [node for node, row in self.node.items() if row[2] == container]
        taken = [c for c in children if self.below(c) & parts]
        if not children and container in parts:
            taken = [container]
        return self.move(tuple(taken), target)


def same(graph: Graph, other: Graph) -> bool:
    """Ids, names, kinds, parents, relations with all their values and sites; independent of keys and order."""
    return sorted_sites(Naive(graph)) == sorted_sites(Naive(other))


def sorted_sites(state: Naive) -> Naive:
    for row in state.edge.values():
        row[3] = sorted(row[3])
    return state
