"""Figures of a graph found the obvious way, on dictionaries and with networkx: what the real ones are judged by."""

from __future__ import annotations

from math import log2

import networkx as nx

from cbvtool.assessment.figures import Figures, Reach
from cbvtool.assessment.found import found_modules
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.graph import NO_DEPENDENCY, REMOVED, Confidence, Graph, When
from cbvtool.plan.sites.impact import NAMING_KINDS
from cbvtool.rules import Rules, violations

Together = dict[tuple[int, int], int]  # two files of the base, and how often they changed together


class Obvious:
    """Asks a graph one node at a time."""

    def __init__(self, base: Graph, graph: Graph, rules: Rules, modules: ModuleChoice, root: int) -> None:
        self.base, self.graph, self.rules, self.modules, self.root = base, graph, rules, modules, root
        self.there = [key for key in range(len(graph)) if graph.parent[key] != REMOVED]
        self.product = found_modules(base, root) if modules.by == "found" and root < len(base) else None
        self.by, self.below, self.level = modules.by, root, 1 if modules.by == "children" else modules.depth
        if self.product is not None:  # which modules are found is shown by lists written by hand: test_found.py
            self.by = self.product.by
            self.below, self.level = (self.product.fork, 1) if self.by == "children" else (root, self.level)
        self.fine = any(graph.kind(key) == "file" for key in self.way(self.below))

    def way(self, key: int) -> list[int]:
        """From a node up to the root of all."""
        return [key, *self.graph.ancestors(key)]

    def item(self, key: int) -> int:
        """The outermost file around a node, else the node itself."""
        return next((above for above in reversed(self.way(key)) if self.graph.kind(above) == "file"), key)

    def apart(self, key: int) -> bool:
        way = self.way(key)
        if any(self.graph.kind(above) == "external" for above in way):
            return True
        if self.product is not None:
            return any(self.product.aside[above] for above in way if above < len(self.base))
        tests = self.graph.values.get("test")
        return not self.modules.tests and tests is not None and any(tests[above] > 0 for above in way)

    def module(self, key: int) -> int | None:
        way = self.way(key)
        if self.below not in way or self.apart(key):
            return None
        inside = way[: way.index(self.below) + 1]  # from the node up to the root of the modules
        by = self.by
        if by == "members":
            assert self.product is not None
            return next((k for k in inside if k < len(self.base) and self.product.member[k]), None)
        if by == "packages":
            folders = ("project", "folder", "package")
            return next(k for k in inside if k == self.below or self.graph.kind(k) in folders)
        if by == "layers":
            return next((k for k in inside if self.graph.ids[k] in self.rules.layers), None)
        downward = inside[::-1][1:]  # below the root
        if not self.fine:
            files = [i for i, k in enumerate(downward) if self.graph.kind(k) == "file"]
            downward = downward[: files[0] + 1] if files else downward
        return downward[: self.level][-1] if downward else None

    def relations(self) -> list[tuple[int, int, float, bool]]:
        """The sure dependencies: source, target, weight, whether it is there when the program runs."""
        edges = self.graph.edges
        return [
            (int(s), int(t), float(w), bool(when != When.TYPE_CHECKING))
            for s, t, w, k, c, when in zip(
                edges.source, edges.target, edges.weight, edges.kind, edges.confidence, edges.when, strict=True
            )
            if edges.kind_names[k] not in NO_DEPENDENCY and c != Confidence.GUESS
        ]

    def figures(self, together: Together | None, *, reach: bool = False) -> Figures:
        """All figures."""
        graph, rules = self.graph, self.rules
        item = {key: key if self.fine else self.item(key) for key in self.there}
        module = {key: self.module(key) for key in self.there}
        counted = [
            (item[s], item[t], weight, runs)
            for s, t, weight, runs in self.relations()
            if item[s] != item[t] and module[item[s]] is not None and module[item[t]] is not None
        ]
        across = [(module[s], module[t], runs) for s, t, _, runs in counted if module[s] != module[t]]
        tangles = nx.DiGraph([(s, t) for s, t, runs in across if runs])
        sizes = [len(found) for found in nx.strongly_connected_components(tangles) if len(found) > 1]
        ruled = bool(rules.layers or rules.deny or rules.forbid_cycles)
        return Figures(
            len(violations(graph, rules)) if ruled else None,
            sum(sizes),
            max(sizes, default=0),
            self.modularity(counted, module),
            self.turbo_mq(counted, module),
            len(across),
            None if together is None else self.co_change(together, module),
            self.sites(),
            self.disruption(),
            self.reach() if reach else None,
        )

    def modularity(self, counted: list[tuple[int, int, float, bool]], module: dict[int, int | None]) -> float:
        """As networkx has it, on files and their relations."""
        files: nx.DiGraph[int] = nx.DiGraph()
        for s, t, weight, _ in counted:
            more = files.get_edge_data(s, t, {"weight": 0.0})["weight"]
            files.add_edge(s, t, weight=more + weight)
        sets: dict[int | None, set[int]] = {}
        for file in files:
            sets.setdefault(module[file], set()).add(file)
        return float(nx.community.modularity(files, sets.values(), weight="weight")) if counted else 0.0

    def turbo_mq(self, counted: list[tuple[int, int, float, bool]], module: dict[int, int | None]) -> float:
        total = 0.0
        for one in {module[key] for pair in counted for key in pair[:2]}:
            mu = sum(w for s, t, w, _ in counted if module[s] == one == module[t])
            epsilon = sum(w for s, t, w, _ in counted if (module[s] == one) != (module[t] == one))
            total += 2 * mu / (2 * mu + epsilon) if mu else 0.0
        return total

    def co_change(self, together: Together, module: dict[int, int | None]) -> int:
        pairs = {pair: times for pair, times in together.items() if all(module.get(key) is not None for key in pair)}
        return sum(times for (a, b), times in pairs.items() if module[a] != module[b])

    def moved(self, key: int, *, names: bool) -> int | None:
        """The nearest node at or above that has another parent (or name) than in the base."""
        for above in self.way(key):
            if above >= len(self.base) or self.graph.parent[above] != self.base.parent[above]:
                return above
            if names and self.graph.names[above] != self.base.names[above]:
                return above
        return None

    def sites(self) -> int:
        edges, there = self.base.edges, set(self.there)
        now = self.graph.edges
        kept = {(int(s), int(t), now.kind_names[k]) for s, t, k in zip(now.source, now.target, now.kind, strict=True)}
        found = set()
        for row in range(len(edges)):
            s, t, kind = int(edges.source[row]), int(edges.target[row]), edges.kind_names[edges.kind[row]]
            if kind not in NAMING_KINDS or edges.confidence[row] == Confidence.GUESS or s not in there:
                continue
            must = (s, t, kind) not in kept
            if not must:
                anchor = self.moved(t, names=True)
                must = anchor is not None and anchor != self.moved(s, names=True)
            found |= set(edges.sites(row)) if must else set()
        return len(found)

    def disruption(self) -> float:
        base = self.base
        outside = [any(base.kind(k) == "external" for k in (key, *base.ancestors(key))) for key in range(len(base))]
        leaves = [key for key in range(len(base)) if not len(base.children(key)) and not outside[key]]
        there = set(self.there)
        moved = [key for key in leaves if key not in there or self.moved(key, names=False) is not None]
        return len(moved) / max(1, len(leaves))

    def arcs(self) -> set[tuple[int, int]]:
        """Relations between files at run time."""
        return {(self.item(s), self.item(t)) for s, t, _, runs in self.relations() if runs}

    def reach(self) -> Reach:
        """By paths of networkx; the feedback arcs are not told here: -1."""
        files = [k for k in self.there if self.graph.kind(k) == "file" and self.item(k) == k and not self.apart(k)]
        net = nx.DiGraph([arc for arc in self.arcs() if set(arc) <= set(files) and arc[0] != arc[1]])
        net.add_nodes_from(files)
        ccd = sum(len(nx.descendants(net, file)) + 1 for file in files)
        n = len(files)
        if not n:
            return Reach(0.0, 0, 0.0, -1)
        return Reach(ccd / n**2, ccd, ccd / ((n + 1) * log2(n + 1) - n), -1)
