"""Violations: the dependencies between files that break a rule, with the places in the source behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.rules.cycles import cycles
from cbvtool.rules.dependencies import dependencies, files
from cbvtool.rules.rules_file import Rules


@dataclass(frozen=True)
class Violation:
    """File `source` uses file `target` (keys), against a rule.

    kind     which rule
    rule     the rule in words
    sites    (path, line) of the places in the source; none for a relation that is only planned
    """

    kind: Literal["layers", "deny", "cycles"]
    rule: str
    source: int
    target: int
    sites: tuple[tuple[str, int], ...]


def violations(graph: Graph, rules: Rules) -> list[Violation]:
    """Every dependency between two files that breaks a rule, once per rule, in the order of rules.

    Layers and `deny` count every dependency; cycles leave out imports for a type checker alone.
    A node below two layers belongs to the inner one.
    """
    if not (rules.layers or rules.deny or rules.forbid_cycles):
        return []
    item = files(graph)
    return [
        _violation(graph, item, rows, kind, rule_of(rows[0]))
        for kind, rule_of, broken in _broken(graph, rules, item)
        for rows in _by_pair(graph, item, broken)
    ]


def breaking(graph: Graph, rules: Rules) -> npt.NDArray[np.bool_]:
    """bool[m]: the relations of `graph` that break a rule."""
    result = np.zeros(len(graph.edges), np.bool_)
    for _, _, broken in _broken(graph, rules, files(graph)):
        result |= broken
    return result


def _broken(
    graph: Graph, rules: Rules, item: npt.NDArray[np.int32]
) -> Iterator[tuple[Literal["layers", "deny", "cycles"], Callable[[int], str], npt.NDArray[np.bool_]]]:
    """(kind of rule, row -> the rule in words, bool[m] relations that break it), in the order of rules.

    item   int32[n]: `files(graph)`
    """
    source, target = item[graph.edges.source], item[graph.edges.target]
    between = dependencies(graph, type_checking=True) & (source != target)
    layer = _layer_of(graph, rules.layers)

    def words(row: int) -> str:
        low, high = rules.layers[layer[source[row]]], rules.layers[layer[target[row]]]
        return f"{low} must not use {high}, which is a higher layer"

    higher = (layer[source] >= 0) & (layer[target] >= 0) & (layer[source] > layer[target])
    yield "layers", words, between & higher
    for deny in rules.deny:
        users, used = (_inside(graph, node) for node in (deny.user, deny.used))
        rule = f"{deny.user} must not use {deny.used}"
        yield "deny", partial(_always, rule), between & users[source] & used[target]
    if rules.forbid_cycles:
        at_run_time = dependencies(graph, type_checking=False) & (source != target)
        for members in cycles(graph):
            inside = np.isin(source, members) & np.isin(target, members)
            rule = f"no cycles: {len(members):,} files depend on one another"
            yield "cycles", partial(_always, rule), at_run_time & inside


def _always(rule: str, row: int) -> str:
    return rule


def unknown_nodes(graph: Graph, rules: Rules) -> list[str]:
    """One sentence for each node that a rule names and the graph does not have: that rule guards nothing."""
    named = [*rules.layers, *(node for deny in rules.deny for node in (deny.user, deny.used))]
    return [f"The rules name {node}, which is not there." for node in dict.fromkeys(named) if node not in graph.key_of]


def _layer_of(graph: Graph, layers: tuple[str, ...]) -> npt.NDArray[np.int32]:
    layer = np.full(len(graph), -1, np.int32)
    there = [(number, graph.key_of[node]) for number, node in enumerate(layers) if node in graph.key_of]
    for number, key in sorted(there, key=lambda entry: int(graph.tree.depth[entry[1]])):
        layer[graph.subtree(key)] = number
    return layer


def _inside(graph: Graph, node: str) -> npt.NDArray[np.bool_]:
    inside = np.zeros(len(graph), np.bool_)
    if node in graph.key_of:
        inside[graph.subtree(graph.key_of[node])] = True
    return inside


def _by_pair(graph: Graph, item: npt.NDArray[np.int32], rows: npt.NDArray[np.bool_]) -> list[list[int]]:
    """The rows of the mask, those between the same two files together."""
    pairs: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(rows).tolist():
        ends = int(item[graph.edges.source[row]]), int(item[graph.edges.target[row]])
        pairs.setdefault(ends, []).append(row)
    return list(pairs.values())


def _violation(
    graph: Graph, item: npt.NDArray[np.int32], rows: list[int], kind: Literal["layers", "deny", "cycles"], rule: str
) -> Violation:
    sites = sorted({(graph.files[file], line) for row in rows for file, line in graph.edges.sites(row)})
    ends = int(item[graph.edges.source[rows[0]]]), int(item[graph.edges.target[rows[0]]])
    return Violation(kind, rule, *ends, tuple(sites))
