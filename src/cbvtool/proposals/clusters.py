"""Cluster a flat folder: groups of files that have more to do with each other than with the rest of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.assessment.prepared import coupled
from cbvtool.findings.finding import Examined
from cbvtool.graph import EXTERNAL
from cbvtool.graph.regroup import node_words
from cbvtool.plan import Create, History, Move, Operation, new_ids
from cbvtool.proposals.attempt import PACKAGE_FILES
from cbvtool.proposals.proposal import BY_PACKAGES, Judge, Proposal, judge, makes_nothing_worse
from cbvtool.proposals.relatedness import words_of

Keys = npt.NDArray[np.integer[Any]]
Weights = npt.NDArray[np.float64]
LEAST = 3  # files in a group
FLAT = 8  # files in a folder from which on it is worth grouping
_SEED = 1  # Louvain takes the nodes in a random order
_TOGETHER = 0.5  # of a commit with two files, beside a place at which one uses the other


def clusters(examined: Examined, folder: int, history: History | None = None) -> list[Proposal]:
    """A proposal for each group of files directly in `folder` (a key), the one that modularity gains most by first;
    before them, all of these groups at once where that betters it more.

    history  the plan so far: ids of new folders are none of its

    The groups are communities of the undirected graph of dependencies and common changes, found by networkx's Louvain
    method (V. D. Blondel et al., Fast unfolding of communities in large networks, 2008). Only those are proposed that
    make the modularity of packages better and put no package more into a cycle. Raises what the progress of
    `examined` raises.
    """
    graph = examined.graph
    inside = np.array([key for key in examined.files.tolist() if graph.parent[key] == folder], np.int64)
    inside = inside[[graph.names[key] not in PACKAGE_FILES for key in inside.tolist()]] if len(inside) else inside
    if len(inside) < FLAT or graph.kind(folder) == EXTERNAL:
        return []
    groups = communities(examined, inside)
    if len(groups) == 1 and len(groups[0]) == len(inside):
        return []
    judged = judge(examined, BY_PACKAGES)
    ids = list(islice(new_ids(history or History(graph)), len(groups)))
    names = _names(examined, groups, {graph.names[key] for key in graph.children(folder).tolist()})
    found = []
    for at, (group, name, node) in enumerate(zip(groups, names, ids, strict=True)):
        examined.progress("judging groups", at, len(groups))
        if (proposal := _proposal(examined, judged, folder, [group], [name], [node])) is not None:
            found.append((proposal, group, name, node))
    found.sort(key=lambda each: -each[0].judgement.after.modularity)
    result = [each[0] for each in found]
    if len(found) > 1:
        _, *columns = zip(*found, strict=True)
        together = _proposal(examined, judged, folder, *(list(column) for column in columns))
        if together is not None and together.judgement.after.modularity > result[0].judgement.after.modularity:
            result.insert(0, together)
    return result


def communities(examined: Examined, inside: Keys) -> list[list[int]]:
    """Keys of the files of each community of at least `LEAST` of the files `inside`, the largest first."""
    import networkx as nx

    lifted = examined.lifted(examined.file_of)
    known = lifted.of_edge >= 0
    sites = np.bincount(lifted.of_edge[known], examined.sites[known], len(lifted.source))
    ties: list[tuple[Keys, Keys, Weights]] = [(lifted.source, lifted.target, sites.astype(np.float64))]
    together = coupled(examined.graph, examined.changes)
    if together is not None:
        ties.append((together.first, together.second, (_TOGETHER * together.support).astype(np.float64)))
    weights: defaultdict[tuple[int, int], float] = defaultdict(float)
    for first, second, strength in ties:
        rows = np.isin(first, inside) & np.isin(second, inside)
        for one, other, weight in zip(first[rows].tolist(), second[rows].tolist(), strength[rows], strict=True):
            weights[min(one, other), max(one, other)] += float(weight)
    network: nx.Graph[int] = nx.Graph()
    network.add_nodes_from(inside.tolist())
    network.add_weighted_edges_from((one, other, weight) for (one, other), weight in sorted(weights.items()))
    found = nx.community.louvain_communities(network, weight="weight", seed=_SEED)
    return sorted((sorted(group) for group in found if len(group) >= LEAST), key=lambda group: (-len(group), group))


def _names(examined: Examined, groups: list[list[int]], taken: set[str]) -> list[str]:
    """A name for each group: the word that most of its files share and few others have."""
    every = Counter(word for group in groups for key in group for word in words_of(examined.graph.names[key]))
    names = []
    for number, group in enumerate(groups, 1):
        own = Counter(word for key in group for word in words_of(examined.graph.names[key]) if word.isalpha())
        ranked = sorted(own, key=lambda word: (-(own[word] ** 2) / every[word], word))
        name = next((word for word in ranked if word not in taken and own[word] > 1), "")
        while not name or name in taken:
            name, number = f"group{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def _proposal(
    examined: Examined, judged: Judge, folder: int, groups: list[list[int]], names: list[str], ids: list[str]
) -> Proposal | None:
    graph = examined.graph
    kind = graph.kind(folder) if graph.kind(folder) in ("folder", "package") else "folder"
    operations: list[Operation] = []
    for group, name, node in zip(groups, names, ids, strict=True):
        operations += [Create(node, graph.ids[folder], name, kind), Move(tuple(graph.ids[key] for key in group), node)]
    judgement = judged.recomputed(operations)
    if judgement is None or not makes_nothing_worse(judgement):
        return None
    if judgement.after.modularity <= judgement.before.modularity:
        return None
    where, count = node_words(graph, folder), sum(map(len, groups))
    title = f"Group {count:,} files of {where} as {names[0]}"
    if len(groups) > 1:
        title = f"Divide {where}: {len(groups):,} groups of {count:,} files"
    q = judgement.after.modularity - judgement.before.modularity
    reason = f"they use each other and change together more than the rest of the folder; modularity gains {q:.4f}"
    return Proposal(
        "cluster", title, reason, tuple(operations), judgement, tuple((key, folder) for g in groups for key in g)
    )
