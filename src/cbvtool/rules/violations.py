"""Violations: the dependencies between files that violate a rule, with their sites."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.graph.kinds import RUN_TIME_CALL, of_kinds
from cbvtool.progress import checkpoint
from cbvtool.rules.cycles import cycles
from cbvtool.rules.dependencies import dependencies, files
from cbvtool.rules.node_patterns import NodeNames
from cbvtool.rules.rule_judging import broken_chains, broken_relations, counting, ignoring_nothing
from cbvtool.rules.rule_kinds import Rule, key_of
from cbvtool.rules.rules_file import Rules
from cbvtool.rules.unmatched import UnmatchedName, unmatched_names

Places = tuple[tuple[str, int], ...]
Keys = npt.NDArray[np.int32]
SECONDS = 10.0  # time limit for all stated rules together


class ViolationLink(NamedTuple):
    """One dependency of a chain (keys of files), with its sites (path, line)."""

    source: int
    target: int
    sites: Places


@dataclass(frozen=True)
class Violation:
    """File `source` uses file `target` (keys), against a rule; for a cycle between siblings, they may be folders.

    kind     kind of the rule
    rule     the rule in words, or its name
    sites    (path, line); empty for a relation that is only planned, or only seen at run time
    detail   the prohibition in words, if `rule` does not state it
    reason   why the rule exists
    links    chain from source to target through other files; empty = a direct relation
    rows     the relations of the graph behind the violation
    """

    kind: str
    rule: str
    source: int
    target: int
    sites: Places
    detail: str = ""
    reason: str = ""
    links: tuple[ViolationLink, ...] = ()
    rows: tuple[int, ...] = field(default=(), compare=False)


class JudgedRules(NamedTuple):
    """Violations, in the order of rules; a sentence for each rule that could not be checked completely; empty names."""

    violations: list[Violation]
    notes: list[str]
    unmatched: list[UnmatchedName]


@dataclass(frozen=True, eq=False)
class _Broken:
    """Relations that violate one rule.

    words  row -> text of the prohibition
    ends   int32[m] each: keys of the nodes (files, mostly) that a violation names as the ends of each relation
    """

    kind: str
    words: Callable[[int], str]
    rows: npt.NDArray[np.bool_]
    ends: tuple[Keys, Keys]
    name: str = ""
    reason: str = ""


def violations(graph: Graph, rules: Rules) -> list[Violation]:
    """Every dependency between two files that violates a rule, once for each rule, in the order of rules.

    Layers and `deny` apply to every dependency, and with `run_time_calls` to calls at run time (TR-3). Cycles apply
    neither to these calls nor to imports only for a type checker. Stated rules define to which relations they apply. A
    node below two layers belongs to the inner one.
    """
    return judged_rules(graph, rules).violations


def judged_rules(graph: Graph, rules: Rules) -> JudgedRules:
    """As `violations`, with notes on rules that could not be checked. Cancelling its job stops it (`checkpoint`)."""
    if not rules:
        return JudgedRules([], [], [])
    found, notes, unmatched = _judged(graph, rules)
    return JudgedRules([*found], [*notes], [*unmatched])


@lru_cache(maxsize=4)  # picture, panels and findings use it, for the target and the base of a plan
def _judged(graph: Graph, rules: Rules) -> JudgedRules:
    file = files(graph)
    found = [violation for broken in _broken(graph, rules, file) for violation in _by_pair(graph, broken)]
    notes: list[str] = []
    budget = Budget("Judging the rules", seconds=SECONDS, cancel=checkpoint)
    names = NodeNames(graph, budget)
    for rule in rules.stated:
        try:
            if rule.terms.chains:
                found += _chains(graph, rule, names, file, budget, notes)
            else:
                found += _by_pair(graph, _stated(graph, rule, names, file, run_time=rules.run_time_calls))
        except InputError as error:
            notes.append(f"The rule “{key_of(rule)}” was not judged to the end: {error}")
    unmatched: list[UnmatchedName] = []
    try:
        unmatched = unmatched_names(graph, rules, names)
    except InputError as error:
        notes.append(f"Whether the rules name what is there was not found out: {error}")
    return JudgedRules(found, notes, unmatched)


def breaking(graph: Graph, rules: Rules) -> npt.NDArray[np.bool_]:
    """bool[m]: the relations of `graph` that violate a rule, including those in chains."""
    result = np.zeros(len(graph.edges), np.bool_)
    if rules.has_chains:  # the lists use `violations`, too, which is cached: chains are searched once
        for violation in violations(graph, rules):
            result[list(violation.rows)] = True
        return result
    for broken in _broken(graph, replace(rules, stated=()), files(graph)):
        result |= broken.rows
    if rules.stated:
        for violation in violations(graph, Rules(stated=rules.stated, run_time_calls=rules.run_time_calls)):
            result[list(violation.rows)] = True
    return result


def run_time_violations(graph: Graph, rules: Rules) -> tuple[npt.NDArray[np.int64], list[str]]:
    """(rows of the run-time calls of `graph` that violate a rule, the first violated rule of each in words) (TR-3).

    The rule against cycles does not apply to them: a callback always runs against the dependency. Nor do rules over
    chains, or for imports only.
    """
    rows = np.flatnonzero(of_kinds(graph.edges, (RUN_TIME_CALL,)))
    calls = replace(graph.edges.take(rows), kind=np.zeros(len(rows), np.int16), kind_names=("call",))
    only = graph.with_(edges=calls)
    words: dict[int, str] = {}
    file, names = files(only), NodeNames(only, Budget("Judging the rules", seconds=SECONDS))
    direct = [rule for rule in rules.stated if not rule.terms.chains and rule.KIND != "acyclic"]
    found = [*_broken(only, replace(rules, forbid_cycles=False), file)]
    for rule in direct:
        try:
            found.append(_stated(only, rule, names, file, run_time=False))
        except InputError:
            continue  # `judged_rules` reports it
    for broken in found:
        for row in np.flatnonzero(broken.rows).tolist():
            words.setdefault(row, broken.words(row))
    listed = sorted(words)
    return rows[listed], [words[row] for row in listed]


def _broken(graph: Graph, rules: Rules, file: Keys) -> Iterator[_Broken]:
    """Violations of `layers`, `deny` and `cycles`, in this order.

    file   int32[n]: `files(graph)`
    """
    source, target = ends = file[graph.edges.source], file[graph.edges.target]
    counts = dependencies(graph, type_checking=True)
    if rules.run_time_calls:
        counts |= of_kinds(graph.edges, (RUN_TIME_CALL,))
    between = counts & (source != target)
    layer = layers_of(graph, rules.layers)

    def words(row: int) -> str:
        low, high = rules.layers[layer[source[row]]], rules.layers[layer[target[row]]]
        return f"{low} must not use {high}, which is a higher layer"

    higher = (layer[source] >= 0) & (layer[target] >= 0) & (layer[source] > layer[target])
    yield _Broken("layers", words, between & higher, ends)
    for deny in rules.deny:
        users, used = (_inside(graph, node) for node in (deny.user, deny.used))
        rule = f"{deny.user} must not use {deny.used}"
        forbidden = users[graph.edges.source] & used[graph.edges.target]
        yield _Broken("deny", partial(_always, rule), between & forbidden, ends)
    if rules.forbid_cycles:
        at_run_time = dependencies(graph, type_checking=False) & (source != target)
        found = cycles(graph)
        number = np.full(len(graph), -1, np.int64)  # number of the cycle of each file
        for count, members in enumerate(found):
            number[list(members)] = count
        of = np.where(number[source] == number[target], number[source], -1)
        for count, members in enumerate(found):
            inside = of == count
            rule = f"no cycles: {len(members):,} files depend on one another"
            yield _Broken("cycles", partial(_always, rule), at_run_time & inside, ends)


def _stated(graph: Graph, rule: Rule, names: NodeNames, file: Keys, *, run_time: bool) -> _Broken:
    found = broken_relations(graph, rule, names, file, run_time=run_time)
    return _Broken(rule.KIND, found.words, found.rows, found.ends, rule.terms.name, rule.terms.reason)


def _chains(
    graph: Graph, rule: Rule, names: NodeNames, file: Keys, budget: Budget, notes: list[str]
) -> Iterator[Violation]:
    """A violation for each chain; a note if the search for chains was incomplete."""
    edges, n = graph.edges, len(graph)
    rows = np.flatnonzero(counting(graph, rule, names, run_time=False))
    code = file[edges.source[rows]].astype(np.int64) * n + file[edges.target[rows]]
    order = np.argsort(code, kind="stable")
    rows, code = rows[order], code[order]
    try:
        for words, way in broken_chains(graph, rule, names, file, budget):
            links, behind = [], list[int]()
            for a, b in pairwise(way):
                first, last = np.searchsorted(code, (a * n + b, a * n + b + 1))
                of_link = rows[first:last].tolist()
                behind += of_link
                places = sorted({(graph.files[at], line) for row in of_link for at, line in edges.sites(row)})
                links.append(ViolationLink(a, b, tuple(places)))
            sites = tuple(dict.fromkeys(site for link in links for site in link.sites))
            name, reason = rule.terms.name, rule.terms.reason
            whole = tuple(links) if len(links) > 1 else ()
            detail = words if name else ""
            yield Violation(rule.KIND, name or words, way[0], way[-1], sites, detail, reason, whole, tuple(behind))
    except InputError as error:
        notes.append(f"The rule “{key_of(rule)}” was not judged to the end: {error}")


def _always(rule: str, row: int) -> str:
    return rule


def skipped_layers(graph: Graph, rules: Rules) -> tuple[npt.NDArray[np.int64], list[str]]:
    """(rows of the run-time calls that skip a layer between caller and callee, skipped layers in words) (TR-3)."""
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
    """One sentence for each name in the rules that no node has, and each `ignore` that no relation matches."""
    names, said = NodeNames(graph, Budget("Looking for what the rules name", seconds=SECONDS)), list[str]()
    try:
        said += [one.words for one in unmatched_names(graph, rules, names)]
        said += [sentence for rule in rules.stated for sentence in ignoring_nothing(graph, rule, names)]
    except InputError as error:
        said.append(str(error))
    return list(dict.fromkeys(said))


def layers_of(graph: Graph, layers: tuple[str, ...]) -> npt.NDArray[np.int32]:
    """int32[n]: index of the innermost layer around each node; -1 = none."""
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


def _by_pair(graph: Graph, broken: _Broken) -> Iterator[Violation]:
    """One violation for all relations between the same two ends, in the order of their first rows."""
    edges, rows = graph.edges, np.flatnonzero(broken.rows)
    source, target = broken.ends
    ends = source[rows].astype(np.int64) << 32 | target[rows]
    _, first, group = np.unique(ends, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.argsort(order)[group]  # number of the violation of each row
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
    users, used = source[firsts].tolist(), target[firsts].tolist()
    members = (
        np.split(rows[np.argsort(number, kind="stable")], np.cumsum(np.bincount(number))[:-1]) if len(rows) else []
    )
    for at, row in enumerate(firsts.tolist()):
        words, name = broken.words(row), broken.name
        yield Violation(
            broken.kind,
            name or words,
            users[at],
            used[at],
            tuple(sites[borders[at] : borders[at + 1]]),
            words if name else "",
            broken.reason,
            rows=tuple(members[at].tolist()),
        )
