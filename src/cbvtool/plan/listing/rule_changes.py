"""Which rules a part of a plan mends or breaks: the violations before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from cbvtool.graph import Graph
from cbvtool.plan.lower import replay
from cbvtool.plan.place import place
from cbvtool.plan.primitives import Primitive
from cbvtool.rules import Rules, breaking, files, violations


class RuleChange(NamedTuple):
    """Violations that end and that begin, one sentence each: `ui/cart.py uses db/store.py: ui must not use db`."""

    mended: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


def rule_changes(base: Graph, turns: Iterable[Sequence[Primitive]], rules: Rules) -> list[RuleChange]:
    """The change of each turn, in order, from `base` on. A violation is known by its two files, not by its rule."""
    found = []
    before, pairs = base, _pairs(base, rules)
    done: list[Primitive] = []
    for turn in turns:
        done += turn
        after = replay(base, done)
        then = _pairs(after, rules)
        found.append(RuleChange(_told(before, rules, pairs - then), _told(after, rules, then - pairs)))
        before, pairs = after, then
    return found


def _pairs(graph: Graph, rules: Rules) -> set[tuple[int, int]]:
    item, edges = files(graph), graph.edges
    rows = np.flatnonzero(breaking(graph, rules))
    return set(zip(item[edges.source[rows]].tolist(), item[edges.target[rows]].tolist(), strict=True))


def _told(graph: Graph, rules: Rules, pairs: set[tuple[int, int]]) -> tuple[str, ...]:
    if not pairs:
        return ()
    sentences = [
        f"{place(graph, found.source)} uses {place(graph, found.target)}: {found.rule}"
        for found in violations(graph, rules)
        if (found.source, found.target) in pairs
    ]
    return tuple(dict.fromkeys(sentences))
