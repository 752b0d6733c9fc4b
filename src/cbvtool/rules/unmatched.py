"""Finds names in rules that mean nothing in a graph: such a rule guards nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cbvtool.graph import Graph
from cbvtool.rules.node_patterns import NodeNames
from cbvtool.rules.rule_kinds import key_of, named_in
from cbvtool.rules.rules_file import Rules

_OUTSIDE = "external:"
_MEASURED = "sloc"  # what every file that was read as source has a value of


class UnmatchedName(NamedTuple):
    """A name in a rule that no node has.

    rule      the rule, as baselines know it
    name      an id, a glob or a regular expression
    is_fault  whether the code is known well enough to say that the rule guards nothing: not for a package outside,
              which is there only if it is used, nor for what would lie in a file whose language is not read
    """

    rule: str
    name: str
    is_fault: bool

    @property
    def words(self) -> str:
        """As a sentence."""
        return f"The rule “{self.rule}” names {self.name}, which is not there."


def unmatched_names(graph: Graph, rules: Rules, names: NodeNames) -> list[UnmatchedName]:
    """Each name in `rules` that means nothing in `graph`, in the order of the rules; `names` of this graph.

    Entries of `ignore` are no such names. Raises InputError where it takes too long.
    """
    found = dict.fromkeys(pair for pair in _named(rules) if not _is_there(graph, *pair, names))
    return [UnmatchedName(rule, name, _is_known(graph, name, names)) for rule, name, _ in found]


def _named(rules: Rules) -> Iterator[tuple[str, str, bool]]:
    """(rule in words, name in it, whether it is a pattern) of all rules."""
    layers = f"layers, highest first: {' > '.join(rules.layers)}"
    yield from ((layers, name, False) for name in rules.layers)
    for deny in rules.deny:
        yield from ((f"{deny.user} must not use {deny.used}", name, False) for name in (deny.user, deny.used))
    for rule in rules.stated:
        yield from ((key_of(rule), name, True) for name in named_in(rule))


def _is_there(graph: Graph, _rule: str, name: str, is_pattern: bool, names: NodeNames) -> bool:
    return bool(len(names.keys(name))) if is_pattern else name in graph.key_of


def _is_known(graph: Graph, name: str, names: NodeNames) -> bool:
    """Whether a name that means nothing could not mean what the analysis does not see."""
    if _OUTSIDE in name:
        return False
    file, inside, _ = name.partition("::")
    if not inside:
        return True
    around = names.mask(file) & (graph.kinds == graph.kind_names.index("file") if "file" in graph.kind_names else False)
    if not around.any() or _MEASURED not in graph.values:
        return not around.any()
    return bool((~np.isnan(graph.values[_MEASURED][around])).any())
