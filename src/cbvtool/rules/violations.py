"""Violations: the dependencies between files that break a rule, with the places in the source behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.graph.kinds import RUN_TIME_CALL, of_kinds
from cbvtool.rules.cycles import cycles
from cbvtool.rules.dependencies import dependencies, files
from cbvtool.rules.rules_file import Rules


@dataclass(frozen=True)
class Violation:
    """File `source` uses file `target` (keys), against a rule.

    kind     which rule
    rule     the rule in words
    sites    (path, line) of the places in the source; none for a relation that is planned, or seen at run time, alone
    """

    kind: Literal["layers", "deny", "cycles"]
    rule: str
    source: int
    target: int
    sites: tuple[tuple[str, int], ...]


def violations(graph: Graph, rules: Rules) -> list[Violation]:
    """Every dependency between two files that breaks a rule, once per rule, in the order of rules.

    Layers and `deny` count every dependency, with `run_time_calls` also calls at run time (TR-3); cycles leave out
    both these and imports for a type checker alone.
    A node below two layers belongs to the inner one.
    """
    if not (rules.layers or rules.deny or rules.forbid_cycles):
        return []
    item = files(graph)
    return [
        violation
        for kind, rule_of, broken in _broken(graph, rules, item)
        for violation in _by_pair(graph, item, np.flatnonzero(broken), kind, rule_of)
    ]


def breaking(graph: Graph, rules: Rules) -> npt.NDArray[np.bool_]:
    """bool[m]: the relations of `graph` that break a rule."""
    result = np.zeros(len(graph.edges), np.bool_)
    for _, _, broken in _broken(graph, rules, files(graph)):
        result |= broken
    return result


def run_time_violations(graph: Graph, rules: Rules) -> tuple[npt.NDArray[np.int64], list[str]]:
    """(rows of the run-time calls of `graph` that break a rule, the first rule of each in words) (TR-3).

    Cycles are no rule for them: who is called back at run time calls back.
    """
    rows = np.flatnonzero(of_kinds(graph.edges, (RUN_TIME_CALL,)))
    calls = replace(graph.edges.take(rows), kind=np.zeros(len(rows), np.int16), kind_names=("call",))
    only = graph.with_(edges=calls)
    words: dict[int, str] = {}
    for _, rule_of, broken in _broken(only, replace(rules, forbid_cycles=False), files(only)):
        for row in np.flatnonzero(broken).tolist():
            words.setdefault(row, rule_of(row))
    found = sorted(words)
    return rows[found], [words[row] for row in found]


def _broken(
    graph: Graph, rules: Rules, item: npt.NDArray[np.int32]
) -> Iterator[tuple[Literal["layers", "deny", "cycles"], Callable[[int], str], npt.NDArray[np.bool_]]]:
    """(kind of rule, row -> the rule in words, bool[m] relations that break it), in the order of rules.

    item   int32[n]: `files(graph)`
    """
    source, target = item[graph.edges.source], item[graph.edges.target]
    counts = dependencies(graph, type_checking=True)
    if rules.run_time_calls:
        counts |= of_kinds(graph.edges, (RUN_TIME_CALL,))
    between = counts & (source != target)
    layer = layers_of(graph, rules.layers)

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
        found = cycles(graph)
        number = np.full(len(graph), -1, np.int64)  # of the cycle that each file lies in
        for count, members in enumerate(found):
            number[list(members)] = count
        of = np.where(number[source] == number[target], number[source], -1)
        for count, members in enumerate(found):
            inside = of == count
            rule = f"no cycles: {len(members):,} files depend on one another"
            yield "cycles", partial(_always, rule), at_run_time & inside


def _always(rule: str, row: int) -> str:
    return rule


def skipped_layers(graph: Graph, rules: Rules) -> tuple[npt.NDArray[np.int64], list[str]]:
    """(rows of the run-time calls that pass over a layer between caller and called, what they pass over) (TR-3)."""
    rows, item = np.flatnonzero(of_kinds(graph.edges, (RUN_TIME_CALL,))), files(graph)
    layer = layers_of(graph, rules.layers)
    source, target = (layer[item[end[rows]]] for end in (graph.edges.source, graph.edges.target))
    over = (source >= 0) & (target > source + 1)
    words = [
        f"passes over {', '.join(rules.layers[low + 1 : high])}"
        for low, high in zip(source[over].tolist(), target[over].tolist(), strict=True)
    ]
    return rows[over], words


def unknown_nodes(graph: Graph, rules: Rules) -> list[str]:
    """One sentence for each node that a rule names and the graph does not have: that rule guards nothing."""
    named = [*rules.layers, *(node for deny in rules.deny for node in (deny.user, deny.used))]
    return [f"The rules name {node}, which is not there." for node in dict.fromkeys(named) if node not in graph.key_of]


def layers_of(graph: Graph, layers: tuple[str, ...]) -> npt.NDArray[np.int32]:
    """int32[n]: the number of the layer that each node is in, the innermost one; -1 = none."""
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


def _by_pair(
    graph: Graph,
    item: npt.NDArray[np.int32],
    rows: npt.NDArray[np.int64],
    kind: Literal["layers", "deny", "cycles"],
    rule_of: Callable[[int], str],
) -> Iterator[Violation]:
    """One violation for all the `rows` between the same two files, in the order of their first rows."""
    edges = graph.edges
    ends = item[edges.source[rows]].astype(np.int64) << 32 | item[edges.target[rows]]
    _, first, group = np.unique(ends, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.argsort(order)[group]  # of the violation that each row belongs to
    counts = edges.site_ptr[rows + 1] - edges.site_ptr[rows]
    picked = np.repeat(edges.site_ptr[rows] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    file, line, of = edges.site_file[picked], edges.site_line[picked], np.repeat(number, counts)
    named = sorted(np.unique(file).tolist(), key=graph.files.__getitem__)
    rank = np.zeros(len(graph.files), np.int64)
    rank[named] = np.arange(len(named))
    place = np.lexsort((line, rank[file], of))
    file, line, of = file[place], line[place], of[place]
    new = np.ones(len(of), np.bool_)
    new[1:] = (of[1:] != of[:-1]) | (file[1:] != file[:-1]) | (line[1:] != line[:-1])
    sites = list(zip([graph.files[f] for f in file[new].tolist()], line[new].tolist(), strict=True))
    borders = np.searchsorted(of[new], np.arange(len(order) + 1)).tolist()
    firsts = rows[first[order]]
    users, used = item[edges.source[firsts]].tolist(), item[edges.target[firsts]].tolist()
    for at, row in enumerate(firsts.tolist()):
        yield Violation(kind, rule_of(row), users[at], used[at], tuple(sites[borders[at] : borders[at + 1]]))
