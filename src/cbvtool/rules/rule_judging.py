"""Violations of a stated rule: relations, or chains of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget, OverBudget
from cbvtool.graph import EXTERNAL, NO_PARENT, Graph
from cbvtool.graph.kinds import RUN_TIME_CALL, of_kinds
from cbvtool.metrics.structure.users import of_kinds as nodes_of_kinds
from cbvtool.rules.bans import ban_of
from cbvtool.rules.chains import MOST, FileLinks
from cbvtool.rules.cycles import components
from cbvtool.rules.dependencies import dependencies
from cbvtool.rules.node_patterns import NodeNames
from cbvtool.rules.rule_kinds import AcyclicRule, Rule

Keys = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

IMPORTS = ("import", "include", "copy")
_PACKAGE = "__init__.py"  # it stands for its folder, not for a sibling of the other files in it


@dataclass(frozen=True, eq=False)
class BrokenRelations:
    """Relations that violate a rule.

    rows   bool[m]
    words  row -> text of the prohibition
    ends   (int32[m], int32[m]) nodes by which both ends of every relation are reported: files, or, for `acyclic`,
           siblings in a folder
    """

    rows: Mask
    words: Callable[[int], str]
    ends: tuple[Keys, Keys]


def counting(graph: Graph, rule: Rule, names: NodeNames, *, run_time: bool) -> Mask:
    """bool[m]: the relations to which the rule applies.

    run_time   include calls at run time, unless the rule is about imports, cycles or chains
    """
    terms = rule.terms
    counts = dependencies(graph, type_checking=terms.type_checking)
    if terms.imports_only:
        counts &= of_kinds(graph.edges, IMPORTS)
    elif run_time and rule.KIND != AcyclicRule.KIND and not terms.chains:
        counts |= of_kinds(graph.edges, (RUN_TIME_CALL,))
    for each in terms.ignore:
        counts &= ~_between(graph, names, each.user, each.used)
    return counts


def _between(graph: Graph, names: NodeNames, user: str, used: str) -> Mask:
    found: Mask = names.mask(user)[graph.edges.source] & names.mask(used)[graph.edges.target]
    return found


def ignoring_nothing(graph: Graph, rule: Rule, names: NodeNames) -> Iterator[str]:
    """One sentence for each entry of `ignore` that matches no relation."""
    for each in rule.terms.ignore:
        if not _between(graph, names, each.user, each.used).any():
            yield f"A rule ignores what {each.user} uses of {each.used}, which is nothing: take the entry out."


def broken_relations(graph: Graph, rule: Rule, names: NodeNames, file: Keys, *, run_time: bool) -> BrokenRelations:
    """The direct relations that violate the rule.

    file       int32[n]: `dependencies.files(graph)`
    run_time   as in `counting`

    Raises InputError if the rule cannot be checked, or OverBudget.
    """
    edges = graph.edges
    source, target = file[edges.source], file[edges.target]
    counts = counting(graph, rule, names, run_time=run_time) & (source != target)
    if isinstance(rule, AcyclicRule):
        return _cyclic(graph, rule, names, (source, target), counts)
    ban = ban_of(rule, graph, names)
    a, b = ban.user[edges.source], ban.used[edges.target]
    broken = counts & (a >= 0) & (b >= 0)
    rows = np.flatnonzero(broken)
    broken[rows] = ban.forbidden[a[rows], b[rows]]
    return BrokenRelations(broken, lambda row: ban.words(int(a[row]), int(b[row])), (source, target))


def _cyclic(
    graph: Graph, rule: AcyclicRule, names: NodeNames, ends: tuple[Keys, Keys], counts: Mask
) -> BrokenRelations:
    a, b = siblings(graph, *ends)
    parent = graph.parent
    outside = graph.tree.below(np.flatnonzero(nodes_of_kinds(graph, (EXTERNAL,))))
    package = np.fromiter((name == _PACKAGE for name in graph.names), np.bool_, len(graph))
    free = outside | package
    counts = counts & (a != b) & ~free[a] & ~free[b]
    if rule.within:
        inside = np.zeros(len(graph), np.bool_)
        for name in rule.within:
            inside[names.keys(name)] = True
        counts &= inside[parent[a]]
    broken = counts.copy()
    nodes, component = components(a[counts], b[counts])
    if len(nodes):
        rows = np.flatnonzero(counts)
        number = (component[np.searchsorted(nodes, end[rows])] for end in (a, b))
        broken[rows] = np.equal(*number)

    def words(row: int) -> str:
        above = int(parent[a[row]])
        return f"no cycles side by side in {graph.ids[above] if parent[above] != NO_PARENT else 'the project'}"

    return BrokenRelations(broken, words, (a, b))


def siblings(graph: Graph, source: Keys, target: Keys) -> tuple[Keys, Keys]:
    """The ancestors (or ends themselves) of each relation's ends that are siblings.

    Both are equal if one end contains the other. int32[m] each.
    """
    parent, depth = graph.parent, graph.tree.depth
    a, b = source.copy(), target.copy()
    while True:
        apart = (parent[a] != parent[b]) & (a != b)
        if not apart.any():
            return a, b
        below, above = apart & (depth[a] >= depth[b]), apart & (depth[b] >= depth[a])
        a, b = np.where(below, parent[a], a), np.where(above, parent[b], b)


def broken_chains(
    graph: Graph, rule: Rule, names: NodeNames, file: Keys, budget: Budget
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(text of the prohibition, keys of the files) for each chain that violates the rule, direct ones included.

    A class of a node inside a file applies to the whole file. Raises OverBudget, also for too many chains.
    """
    edges = graph.edges
    source, target = file[edges.source], file[edges.target]
    counts = counting(graph, rule, names, run_time=False) & (source != target)
    links = FileLinks(len(graph), source[counts].astype(np.int64), target[counts].astype(np.int64))
    ban = ban_of(rule, graph, names)
    user, used = (_of_files(classes, file) for classes in (ban.user, ban.used))
    found = 0
    for a in range(len(ban.forbidden)):
        start = user == a
        bans = np.flatnonzero(ban.forbidden[a])
        if not start.any() or not len(bans):
            continue
        end = np.isin(used, bans)
        over = np.ones(len(graph), np.bool_) if ban.through else (user < 0) & (used < 0)
        for way in links.shortest(start, end, over, budget):
            if (found := found + 1) > MOST:
                raise OverBudget(f"More than {MOST:,} chains break it.")
            yield ban.words(a, int(used[way[-1]])), way


def _of_files(classes: Keys, file: Keys) -> Keys:
    """Class of each file: its own, else that of a node inside."""
    result = classes.copy()
    inside = np.flatnonzero((classes >= 0) & (file >= 0) & (file != np.arange(len(file))))
    lacking = inside[classes[file[inside]] < 0]
    result[file[lacking]] = classes[lacking]
    return result
