"""What is measured of each version, as columns: one value a node, of all that lies in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from cbvtool.assessment.found import outside
from cbvtool.findings.cycles import CYCLES_OF, all_cycles, item_of, tangled
from cbvtool.findings.finding import Examined
from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics import METRICS, Subject, evaluate
from cbvtool.metrics.combine import Column, IntColumn
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.mining.changes import Changes
from cbvtool.rules import Rules, violations

# Name -> what people call it, in the order of tables.
FIGURES: Mapping[str, str] = MappingProxyType(
    {
        "files": "Files",
        "sloc": "Source lines",
        "complexity": "Complexity",
        "cycles": "Cycles",
        "cyclic_files": "Files in cycles",
        "violations": "Broken rules",
        "hot_spots": "Hot spots",
        "fan_in": "Fan-in",
        "fan_out": "Fan-out",
    }
)
SUMS = frozenset(FIGURES) - {"fan_in", "fan_out"}
_METRICS = tuple(name for name in FIGURES if name in METRICS and name != "hot_spots")
ITEMS = CYCLES_OF


@dataclass(frozen=True, eq=False)
class MeasuredVersion:
    """One version.

    values     name of a figure -> float64[n] by key; NaN = not measured
    component  "modules" and "files" -> int32[n]: which cycle each of them is in, -1 = none
    broken     (rule in words, id of the source, id of the target) of each broken rule
    """

    graph: Graph
    values: Mapping[str, Column]
    component: Mapping[str, IntColumn]
    broken: tuple[tuple[str, str, str], ...]


def measured(graph: Graph, rules: Rules, changes: Changes | None, time: int) -> MeasuredVersion:
    """All figures of a version.

    changes   the history, in the paths of this version; None = there are no hot spots
    time      when the version was made: hot spots are those of the six months before
    """
    examined, tree = Examined(graph, None, rules), graph.tree
    subject = Subject(graph, None)
    values = {name: evaluate(name, subject) for name in _METRICS}
    is_file = of_kinds(graph, ("file",)) & (graph.parent != REMOVED) & ~outside(graph)
    values["files"] = tree.subtree_sum(is_file.astype(np.float64))
    component = components(graph)
    held, inside = np.zeros(len(graph)), (component["files"] >= 0).astype(np.float64)
    for cycle in all_cycles(examined):
        held[graph.tree.common_ancestor(cycle.members)] += 1
    values["cycles"], values["cyclic_files"] = tree.subtree_sum(held), tree.subtree_sum(inside)
    broken = violations(graph, rules)
    against = np.bincount(np.array([one.source for one in broken], np.int64), minlength=len(graph))
    values["violations"] = tree.subtree_sum(against.astype(np.float64))
    history = Subject(graph, changes, None, time)
    values["hot_spots"] = evaluate("hot_spots", history) if changes is not None else np.full(len(graph), np.nan)
    ids = graph.ids
    return MeasuredVersion(
        graph,
        {name: values[name] for name in FIGURES},
        component,
        tuple((one.rule, ids[one.source], ids[one.target]) for one in broken),
    )


def components(graph: Graph) -> dict[str, IntColumn]:
    """Of "modules" and "files": int32[n], which cycle each node is in, -1 = none. Tests are left out."""
    examined = Examined(graph)
    found = dict[str, IntColumn]()
    for name in ITEMS:
        found[name] = np.full(len(graph), -1, np.int32)
        for number, (members, _) in enumerate(tangled(examined.lifted(item_of(examined, name)))):
            found[name][members] = number
    return found


def then_changes(changes: Changes, graph: Graph, key_of_path: Sequence[int]) -> Changes:
    """The history with the paths that its files have in a version.

    key_of_path   key in `graph` of each path of the changes, -1 = it was not there
    """
    paths = tuple(
        (graph.files[graph.file[key]] if graph.file[key] >= 0 else graph.ids[key]) if key >= 0 else "\0"
        for key in key_of_path
    )
    return replace(changes, paths=paths, places=None)
