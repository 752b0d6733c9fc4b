"""The order of siblings after some nodes came or got another name, without sorting all of them again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.graph.graph import KIND_ORDER


def carried_rank(base: Graph, graph: Graph, renamed: Iterable[int]) -> npt.NDArray[np.int32]:
    """`graph.sibling_rank` from that of `base`: only created and renamed nodes look for a new place."""
    fresh_keys = {*renamed, *range(len(base), len(graph))}
    if not fresh_keys:
        return base.sibling_rank
    fixed = {name: number for number, name in enumerate(KIND_ORDER)}

    def place(of: Graph, key: int) -> tuple[int, str, str, str]:
        kind = of.kind(key)
        return fixed.get(kind, len(fixed)), "" if kind in fixed else kind, of.names[key], of.ids[key]

    fresh = sorted(fresh_keys, key=lambda key: place(graph, key))
    stay = np.ones(len(base), np.bool_)
    stay[[key for key in fresh if key < len(base)]] = False
    by_rank = np.argsort(base.sibling_rank)
    old = by_rank[stay[by_rank]]
    slots = [bisect_left(old, place(graph, key), key=lambda k: place(base, int(k))) for key in fresh]
    order = np.insert(old, slots, fresh)
    rank = np.empty(len(graph), np.int32)
    rank[order] = np.arange(len(graph), dtype=np.int32)
    rank.flags.writeable = False
    return rank
