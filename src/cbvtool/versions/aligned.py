"""Two graphs in one set of keys, like base and target of a plan: a node in both has the same key in both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.graph import REMOVED, Graph
from cbvtool.graph.graph import frozen
from cbvtool.versions.contents import Contents
from cbvtool.versions.difference import node_changes, same_nodes
from cbvtool.versions.tally import Tallies

Mask = npt.NDArray[np.bool_]
IntColumn = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ToldChanges:
    """What differs between two versions, as `difference` tells it.

    tallies  how many nodes
    changed  bool[n]  nodes that changed, by key of both graphs
    """

    tallies: Tallies
    changed: Mask


@dataclass(frozen=True, eq=False)
class Compared:
    """Two graphs for one picture. They have the same keys; those of the later graph come first.

    before  nodes that are new have the parent REMOVED in it
    after   nodes that are gone come last, and have the parent REMOVED
    name    name of `before`: a tag, a branch, a commit, a plan
    told    what differs between two versions; None = they are plans
    """

    before: Graph
    after: Graph
    name: str
    told: ToldChanges | None = None


def compared(
    before: Graph, after: Graph, name: str, renames: Mapping[str, str] | None = None, contents: Contents | None = None
) -> Compared:
    """Two versions in one set of keys; `renames` and `contents` as in `difference`, by which changes are told."""
    there = same_nodes(before, after, renames or {})
    found, differs = aligned(before, after, there, name), node_changes(before, after, there, contents)
    changed = np.zeros(len(found.after), np.bool_)
    changed[[after.key_of[node.id] for node in differs.changed]] = True
    return replace(found, told=ToldChanges(differs.tallies, frozen(changed, np.bool_)))


def plans_compared(base: Graph, before: Graph, after: Graph, name: str) -> Compared:
    """The targets of two plans for `base`, whose keys come first in both.

    Nodes created by both plans are the same if name, kind and parent are, because both plans number new nodes from 1.
    """
    known = len(base)
    there = np.full(len(before), -1, np.int32)
    stays = (before.parent[:known] != REMOVED) & (after.parent[:known] != REMOVED)
    there[:known][stays] = np.flatnonzero(stays)
    made = {
        (int(after.parent[key]), after.names[key], after.kind(key)): key
        for key in reversed(range(known, len(after)))
        if after.parent[key] != REMOVED
    }
    for key in before.tree.order.tolist():  # containers come before their content
        if key >= known:
            there[key] = made.pop((int(there[before.parent[key]]), before.names[key], before.kind(key)), -1)
    return aligned(before, after, there, name)


def aligned(before: Graph, after: Graph, there: IntColumn, name: str) -> Compared:
    """Both graphs in the keys of `after`, followed by nodes that are gone.

    there   int32[b]  the key in `after` of each key of `before`, -1 = it is gone
    """
    gone = np.flatnonzero((there < 0) & (before.parent != REMOVED))
    size = len(after) + len(gone)
    back = np.full(size, -1, np.int32)  # the key in `before` of each key of the result
    kept = np.flatnonzero(there >= 0)
    back[there[kept]] = kept
    back[len(after) :] = gone
    forth = np.append(np.arange(len(after), dtype=np.int32), np.full(len(gone), -1, np.int32))
    kinds = tuple(dict.fromkeys((*after.kind_names, *before.kind_names)))
    found = Compared(_placed(before, back, after, forth, kinds), _placed(after, forth, before, back, kinds), name)
    for graph in (found.before, found.after):
        # Computed here, because this takes seconds for a million nodes and must not run in the window's thread.
        _ = graph.tree, graph.key_of
    return found


def _placed(graph: Graph, row: IntColumn, other: Graph, other_row: IntColumn, kinds: tuple[str, ...]) -> Graph:
    """`graph` in other keys; missing nodes get name and kind from `other`, and the parent REMOVED.

    row, other_row  int32[n]  the key in `graph`, and in `other`, of each new key; -1 = missing
    kinds           names of the kinds in both
    """
    lives = row >= 0
    safe, instead = np.where(lives, row, 0), np.where(other_row >= 0, other_row, 0)
    key = np.full(len(graph) + 1, -1, np.int32)  # the new key of each one; one more for -1
    key[row[lives]] = np.flatnonzero(lives)
    above = graph.parent[safe]
    parent = np.where(above >= 0, key[above], above)
    parent[~lives] = REMOVED
    number = {kind: place for place, kind in enumerate(kinds)}
    kind, other_kind = (np.array([number[kind] for kind in one.kind_names], np.int16) for one in (graph, other))
    edges = graph.edges
    edges = edges.take(np.flatnonzero((key[edges.source] >= 0) & (key[edges.target] >= 0)))
    columns = {column: getattr(edges, column) for column in edges.__dataclass_fields__}
    columns |= {"source": key[edges.source], "target": key[edges.target]}
    rows, others = row.tolist(), instead.tolist()
    return Graph(
        graph.name,
        tuple(graph.ids[at] if at >= 0 else other.ids[place] for at, place in zip(rows, others, strict=True)),
        tuple(graph.names[at] if at >= 0 else other.names[place] for at, place in zip(rows, others, strict=True)),
        np.where(lives, kind[graph.kinds[safe]], other_kind[other.kinds[instead]]).astype(np.int16),
        kinds,
        parent.astype(np.int32),
        np.where(lives, graph.file[safe], -1).astype(np.int32),
        np.where(lives, graph.line[safe], 0).astype(np.int32),
        np.where(lives, graph.end_line[safe], 0).astype(np.int32),
        graph.files,
        {name: np.where(lives, column[safe], np.nan) for name, column in graph.values.items()},
        type(edges)(**columns),
        graph.report,
    )
