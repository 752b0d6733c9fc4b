"""An order in which nodes can be removed."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter

import numpy as np

from cbvtool.graph import NO_DEPENDENCY, Graph
from cbvtool.metrics.structure.reach import condensed


def users_first(graph: Graph, keys: Sequence[int]) -> list[int]:
    """The indices of `keys`, each before those that it uses, so that nothing uses what is gone.

    keys   of nodes of which none lies in another. Those that use each other stay together, in the order of `keys`.
    """
    if len(keys) < 2:
        return list(range(len(keys)))
    owner = np.full(len(graph), -1, np.int32)
    for index, key in enumerate(keys):
        owner[graph.subtree(key)] = index
    edges = graph.edges
    depends = ~np.isin(edges.kind, [row for row, name in enumerate(edges.kind_names) if name in NO_DEPENDENCY])
    user, used = owner[edges.source], owner[edges.target]
    counts = depends & (user >= 0) & (used >= 0) & (user != used)
    component, before, after = condensed(len(keys), user[counts], used[counts])
    members: dict[int, list[int]] = {}
    for index, group in enumerate(component.tolist()):
        members.setdefault(group, []).append(index)
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(members, ()))
    for one, other in zip(before.tolist(), after.tolist(), strict=True):
        sorter.add(other, one)
    sorter.prepare()
    order: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=lambda group: members[group][0])
        for group in ready:
            order += members[group]
        sorter.done(*ready)
    return order
