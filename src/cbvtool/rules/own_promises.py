"""Converts violations of the rules of `cbvtool.toml` into the form that violations of contracts have, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cbvtool.graph import Graph
from cbvtool.rules.promise import BrokenPromise, ChainLink
from cbvtool.rules.violations import Violation, ViolationLink


def broken_promises(graph: Graph, found: Iterable[Violation]) -> Iterator[BrokenPromise]:
    """The converted violations, in order; ends are ids of files, or of folders for a cycle between these."""
    for one in found:
        source, target = graph.ids[one.source], graph.ids[one.target]
        links = one.links or (ViolationLink(one.source, one.target, one.sites),)
        chain = tuple(
            ChainLink(graph.ids[link.source], graph.ids[link.target], file, line)
            for link in links
            for file, line in link.sites or (("", 0),)  # a relation without sites is planned, or seen at run time only
        )
        rule = one.rule.partition(":")[0] if one.kind == "cycles" else one.rule  # the size of a cycle may change
        keys = (one.source, *(link.target for link in links))
        yield BrokenPromise(rule, one.kind, source, target, chain, keys, one.detail, one.reason)
