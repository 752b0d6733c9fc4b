"""Violations of the rules of `cbvtool.toml`, in the form that contracts have, too."""

from __future__ import annotations

from collections.abc import Iterator

from cbvtool.graph import Graph
from cbvtool.rules.promise import BrokenPromise, ChainLink
from cbvtool.rules.rules_file import Rules
from cbvtool.rules.violations import violations


def broken_promises(graph: Graph, rules: Rules) -> Iterator[BrokenPromise]:
    """All of them, in the order of rules; ends are ids of files."""
    for one in violations(graph, rules):
        source, target = graph.ids[one.source], graph.ids[one.target]
        places = one.sites or (("", 0),)  # planned, or seen at run time alone
        chain = tuple(ChainLink(source, target, file, line) for file, line in places)
        rule = one.rule.partition(":")[0] if one.kind == "cycles" else one.rule  # how large one is may change
        yield BrokenPromise(rule, one.kind, source, target, chain, (one.source, one.target))
