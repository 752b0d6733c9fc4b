"""The dependencies between folders that a plan ends for good: what must hold once it is done."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.plan.place import place
from cbvtool.rules import dependencies, files
from cbvtool.rules.rule_kinds import ForbiddenRule, RuleTerms
from cbvtool.rules.rules_file import Rules

Ends = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]


@dataclass(frozen=True)
class EndedDependency:
    """Files in folder `user` used files in folder `used` (keys), and nothing below the one uses anything below the
    other once the plan is done. `suffixes`: endings of the files that did."""

    user: int
    used: int
    suffixes: frozenset[str]


def ended_dependencies(base: Graph, target: Graph) -> list[EndedDependency]:
    """All of them, by where their ends lie in the target."""
    before = _ends(base)
    pairs: dict[tuple[int, int], set[str]] = {}
    for user, used in zip(*(end.tolist() for end in before), strict=True):
        pair = int(base.parent[user]), int(base.parent[used])
        if pair[0] != pair[1]:
            pairs.setdefault(pair, set()).update(_suffix(base.names[key]) for key in (user, used))
    after, tree = _ends(target), target.tree
    at = tuple(tree.pos[end] for end in after)
    found = []
    for (user, used), suffixes in pairs.items():
        if REMOVED in (int(target.parent[user]), int(target.parent[used])) or _nested(target, user, used):
            continue
        if (_below(target, user, at[0]) & _below(target, used, at[1])).any():
            continue
        found.append(EndedDependency(user, used, frozenset(suffixes)))
    return sorted(found, key=lambda one: (place(target, one.user), place(target, one.used)))


def with_places(target: Graph) -> Graph:
    """The planned graph as an analysis would find it once the plan is done: every id says where its node lies."""
    alive = target.tree.depth >= 0
    ids = tuple(
        id_ if not id_ or not lives else place(target, key)
        for key, (id_, lives) in enumerate(zip(target.ids, alive.tolist(), strict=True))
    )
    return target.with_(ids=ids)


def rules_of(target: Graph, ended: list[EndedDependency]) -> Rules:
    """The same as rules of the project, on imports alone, by where things lie in the target."""
    return Rules(
        stated=tuple(
            ForbiddenRule(
                (place(target, one.user),),
                (place(target, one.used),),
                RuleTerms(
                    name=f"{place(target, one.user)} no longer uses {place(target, one.used)}", imports_only=True
                ),
            )
            for one in ended
        )
    )


def _ends(graph: Graph) -> Ends:
    """Keys of the files at both ends of each dependency between two files."""
    item, rows = files(graph), np.flatnonzero(dependencies(graph, type_checking=True))
    is_file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds]
    user, used = (item[end[rows]] for end in (graph.edges.source, graph.edges.target))
    kept = (user != used) & (user >= 0) & (used >= 0)
    kept &= is_file[user] & is_file[used]
    return user[kept], used[kept]


def _below(graph: Graph, key: int, pos: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    tree = graph.tree
    inside: npt.NDArray[np.bool_] = (pos >= tree.pos[key]) & (pos < tree.end[key])
    return inside


def _nested(graph: Graph, one: int, other: int) -> bool:
    tree = graph.tree
    return any(tree.pos[a] <= tree.pos[b] < tree.end[a] for a, b in ((one, other), (other, one)))


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""
