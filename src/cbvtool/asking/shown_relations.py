"""Relations that are shown alone, as an answer: for example those behind a finding."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph

SMALL = 1 / 30  # share of all nodes: in such a small part of the ring, nothing can be recognised


@dataclass(frozen=True, eq=False)
class ShownRelations:
    """Relations that are highlighted, and the nodes that they are about.

    heading  a word for them: `Cycle`
    lines    lines of text below the heading
    ends     keys of the nodes that they are about
    rows     int64[r]  rows of `graph.edges`
    cut      int64[c]  those of them to be cut, which are drawn separately
    moves    (node, target) keys: proposed moves, drawn as ghosts
    passing  shown only until something else is selected
    """

    heading: str
    lines: tuple[str, ...]
    ends: tuple[int, ...]
    rows: npt.NDArray[np.int64]
    cut: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    moves: tuple[tuple[int, int], ...] = ()
    passing: bool = False


def place_to_show(graph: Graph, keys: tuple[int, ...]) -> int:
    """Key of the node that contains all of `keys`, if it is so small that it should be shown alone; else the root."""
    inside = [set(graph.ancestors(key)) | {key} for key in keys]
    shared = set.intersection(*inside) if inside else set()
    holder = max(shared, key=lambda key: len(graph.ancestors(key)), default=graph.root)
    small = len(graph.subtree(holder)) <= SMALL * len(graph) and len(graph.children(holder)) > 0
    return holder if small else graph.root
