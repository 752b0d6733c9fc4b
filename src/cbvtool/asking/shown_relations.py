"""Relations that are shown alone, as an answer: those behind a finding, for example."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph

SMALL = 1 / 30  # of all nodes: a part of the ring in which nothing can be told apart


@dataclass(frozen=True, eq=False)
class ShownRelations:
    """Relations that stand out, with what they are about.

    heading  what they are, in a word: `Cycle`
    lines    what is said of them below that
    ends     keys of the nodes that they are about
    rows     int64[r]  rows of `graph.edges`
    cut      int64[c]  those of them that are drawn apart: to be cut
    moves    (node, target) keys: moves that are proposed, drawn as ghosts
    passing  it is shown until something else is selected
    """

    heading: str
    lines: tuple[str, ...]
    ends: tuple[int, ...]
    rows: npt.NDArray[np.int64]
    cut: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    moves: tuple[tuple[int, int], ...] = ()
    passing: bool = False


def place_to_show(graph: Graph, keys: tuple[int, ...]) -> int:
    """Key of what holds all of `keys`, where that is so small that it is shown alone; else the root."""
    inside = [set(graph.ancestors(key)) | {key} for key in keys]
    shared = set.intersection(*inside) if inside else set()
    holder = max(shared, key=lambda key: len(graph.ancestors(key)), default=graph.root)
    small = len(graph.subtree(holder)) <= SMALL * len(graph) and len(graph.children(holder)) > 0
    return holder if small else graph.root
