"""Relations in the colours of their kinds (CBV-13)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.colors import KIND_COLORS, RELATION_ALPHA, THEMES, gradient
from cbvtool.geometry.picture import Color
from cbvtool.graph import Edges, LiftedEdges
from cbvtool.graph.kinds import OVERLAY

IntColumn = npt.NDArray[np.int64]
Colors = npt.NDArray[np.uint8]

PALE = 0.55  # of the way to the ground that a relation is at its user's end: the direction is told beside the kind
OTHERS = "others"


@dataclass(frozen=True)
class KindEntry:
    """A kind of relation in the legend: its name, its colour, and how many relations of it are shown."""

    name: str
    color: Color
    count: int


def kind_ranks(edges: Edges) -> IntColumn:
    """int64[kinds]: 0 for the most frequent kind of all relations of a graph, whatever is shown; and so on.

    Kinds of an overlay come first, in their own order: what they say is read by their colours, which stay the same.
    """
    count = np.bincount(edges.kind, minlength=len(edges.kind_names))
    laid = np.array([name.startswith(OVERLAY) for name in edges.kind_names], np.bool_)
    order = np.lexsort((np.where(laid, np.arange(len(count)), -count), ~laid))
    ranks = np.empty(len(count), np.int64)
    ranks[order] = np.arange(len(count))
    return ranks


def kinds_of(edges: Edges, lifted: LiftedEdges) -> IntColumn:
    """int64[lifted]: the most frequent kind of those that each relation stands for; of equals the more frequent one."""
    rows = np.flatnonzero(lifted.of_edge >= 0)
    ranks = kind_ranks(edges)
    size = max(len(ranks), 1)
    pair, count = np.unique(lifted.of_edge[rows].astype(np.int64) * size + ranks[edges.kind[rows]], return_counts=True)
    order = np.lexsort((pair, -count, pair // size))
    first = order[np.append(True, np.diff(pair[order] // size) > 0)] if len(order) else order
    result = np.zeros(len(lifted.source), np.int64)
    result[pair[first] // size] = np.argsort(ranks)[pair[first] % size]
    return result


def kind_color(theme: str, rank: int) -> Color:
    """The colour of a kind; those after the most frequent ones share one."""
    colors = KIND_COLORS[theme]
    return colors[rank] if rank < len(colors) else THEMES[theme].other


def curves_by_kind(
    edges: Edges, lifted: LiftedEdges, curve_lifted: npt.NDArray[np.int32], theme: str, samples: int
) -> Colors:
    """uint8[e, samples, 4]: each curve in the colour of its kind, paler at the user's end."""
    ranks, plane = kind_ranks(edges), np.array(THEMES[theme].plane[:3], np.float64)
    table = np.empty((len(ranks), samples, 4), np.uint8)
    table[:, :, 3] = round(255 * RELATION_ALPHA)
    for kind, rank in enumerate(ranks.tolist()):
        red, green, blue, _ = kind_color(theme, rank)
        pale = np.rint(np.array((red, green, blue)) * (1 - PALE) + plane * PALE).astype(int).tolist()
        table[kind, :, :3] = np.rint(gradient((*pale, 255), (red, green, blue, 255), samples))
    return table[kinds_of(edges, lifted)[curve_lifted]]


def kind_entries(edges: Edges, lifted: LiftedEdges, theme: str) -> tuple[KindEntry, ...]:
    """The kinds that are shown, the most frequent of the graph first; the last may stand for all others."""
    ranks = kind_ranks(edges)
    shown = np.bincount(edges.kind[lifted.of_edge >= 0], minlength=len(ranks))
    most, entries, rest = len(KIND_COLORS[theme]), list[KindEntry](), 0
    for kind in np.argsort(ranks).tolist():
        if ranks[kind] >= most:
            rest += int(shown[kind])
        elif shown[kind]:
            name = edges.kind_names[kind].removeprefix(OVERLAY)
            entries.append(KindEntry(name, kind_color(theme, int(ranks[kind])), int(shown[kind])))
    return (*entries, *([KindEntry(OTHERS, THEMES[theme].other, rest)] if rest else []))
