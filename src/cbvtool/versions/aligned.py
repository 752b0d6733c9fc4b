"""A graph in the keys of an earlier one, as the target of a plan is: what both have bears one key in both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.graph import NO_PARENT, REMOVED, Graph
from cbvtool.versions.difference import same_nodes

IntColumn = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Compared:
    """Two graphs to be seen in one picture; the first keys of `after` are those of `before`.

    name   what `before` is called: a tag, a branch, a commit, a plan
    """

    before: Graph
    after: Graph
    name: str


def compared(before: Graph, after: Graph, name: str, renames: Mapping[str, str] | None = None) -> Compared:
    """The two in one set of keys; `renames` as in `same_nodes`."""
    found = Compared(before, aligned(before, after, same_nodes(before, after, renames or {})), name)
    _ = found.after.tree, found.after.key_of  # take seconds for a million nodes: here, not on the window's thread
    return found


def aligned(before: Graph, after: Graph, there: IntColumn) -> Graph:
    """`after` with the keys of `before` first: what is gone has the parent REMOVED, what is new comes behind.

    there   int32[b]  the key in `after` of each key of `before`, -1 = it is gone: see `same_nodes`
    """
    known, kept = len(before), np.flatnonzero(there >= 0)
    key = np.full(len(after), -1, np.int32)  # of each node of `after`, in the result
    key[there[kept]] = kept
    new = np.flatnonzero((key < 0) & (after.parent != REMOVED))
    key[new] = known + np.arange(len(new), dtype=np.int32)
    source = np.concatenate((there, new)).astype(np.int64)  # the node of `after` of each key of the result
    lives = source >= 0
    safe = np.where(lives, source, 0)
    old = np.flatnonzero(~lives)
    kinds = list(dict.fromkeys((*after.kind_names, *before.kind_names)))
    kind = after.kinds[safe].astype(np.int16)
    kind[old] = np.array([kinds.index(name) for name in before.kind_names], np.int16)[before.kinds[old]]
    above = after.parent[safe]
    parent = np.where(above == NO_PARENT, NO_PARENT, key[np.maximum(above, 0)])
    parent[old] = REMOVED
    edges = after.edges
    rows = np.flatnonzero((key[edges.source] >= 0) & (key[edges.target] >= 0))
    edges = edges.take(rows)
    columns = {name: getattr(edges, name) for name in edges.__dataclass_fields__}
    columns |= {"source": key[edges.source], "target": key[edges.target]}
    return Graph(
        after.name,
        tuple(after.ids[row] if row >= 0 else before.ids[at] for at, row in enumerate(source.tolist())),
        tuple(after.names[row] if row >= 0 else before.names[at] for at, row in enumerate(source.tolist())),
        kind,
        tuple(kinds),
        parent.astype(np.int32),
        np.where(lives, after.file[safe], -1).astype(np.int32),
        np.where(lives, after.line[safe], 0).astype(np.int32),
        np.where(lives, after.end_line[safe], 0).astype(np.int32),
        after.files,
        {name: np.where(lives, column[safe], np.nan) for name, column in after.values.items()},
        type(edges)(**columns),
        after.report,
    )
