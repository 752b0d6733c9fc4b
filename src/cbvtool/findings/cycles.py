"""Cycles: modules, and files, that depend on one another, with the cheapest cut of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.findings.finding import Examined, Finding, IntColumn
from cbvtool.graph import Graph, LiftedEdges
from cbvtool.graph.regroup import node_words
from cbvtool.rules.cycle_cuts import Cut, smallest_cut
from cbvtool.rules.cycles import components

MOST = 10  # of each: of modules, of files
_SECONDS = 1.0  # for the cut of one cycle to be exact


@dataclass(frozen=True, eq=False)
class Tangle:
    """A strongly connected set of modules or files.

    members   int32[k]  keys
    lifted    int64[l]  rows of the relations between members, among the lifted ones
    edges     int64[e]  rows of the graph's relations behind these
    sites     how many places in the source they have
    cut       rows of `lifted` to remove
    cut_edges int64[c]  rows of the graph's relations behind the cut
    cut_sites how many places in the source these have
    """

    members: IntColumn
    lifted: npt.NDArray[np.int64]
    edges: npt.NDArray[np.int64]
    sites: int
    cut: Cut
    cut_edges: npt.NDArray[np.int64]
    cut_sites: int


def cycles(examined: Examined, most: int = MOST) -> list[Finding]:
    """The cycles of modules, then those of files that lie within one module, the largest first."""
    lines = examined.measured("sloc")
    found = []
    for what, item_of in ((examined.module_noun, examined.module_of), ("files", examined.file_of)):
        lifted = examined.lifted(item_of)
        for members, rows in tangled(lifted)[:most]:
            if what == "files" and len(np.unique(examined.module_of[members])) > 1:
                continue  # it is part of a cycle of modules
            tangle = cut_tangle(examined, lifted, members, rows)
            inside = examined.files[np.isin(item_of[examined.files], members)]
            is_measured = bool(np.nansum(lines[examined.files]) > 0)  # not where imports alone are known as yet
            share = examined.share_of(lines, inside) if is_measured else len(inside) / len(examined.files)
            found.append(_finding(examined, what, tangle, share))
    return found


def tangled(lifted: LiftedEdges) -> list[tuple[IntColumn, npt.NDArray[np.int64]]]:
    """(items, rows of the relations between them) of each strongly connected set, the largest first."""
    items, component = components(lifted.source, lifted.target)
    if not len(items):
        return []
    of, to = (component[np.searchsorted(items, end)] for end in (lifted.source, lifted.target))
    sizes = np.bincount(component)
    numbers = np.flatnonzero(sizes > 1)
    return [
        (items[component == number].astype(np.int32), np.flatnonzero((of == number) & (to == number)))
        for number in numbers[np.argsort(-sizes[numbers], kind="stable")].tolist()
    ]


def cut_tangle(
    examined: Examined, lifted: LiftedEdges, members: IntColumn, rows: npt.NDArray[np.int64], seconds: float = _SECONDS
) -> Tangle:
    """The cheapest cut of one set of `tangled`: a relation costs the places in the source that would have to change."""
    examined.progress("looking for the cheapest cuts", 0, 0)
    edges = np.flatnonzero(np.isin(lifted.of_edge, rows))
    weight = np.bincount(lifted.of_edge[edges], examined.sites[edges], len(lifted.source)).astype(np.float64)
    cut = smallest_cut(
        lifted.source[rows],
        lifted.target[rows],
        weight[rows],
        seconds=seconds,
        cancel=lambda: examined.progress("looking for the cheapest cuts", 0, 0),
    )
    cut_edges = np.flatnonzero(np.isin(lifted.of_edge, rows[cut.rows]))
    return Tangle(
        members, rows, edges, int(examined.sites[edges].sum()), cut, cut_edges, int(examined.sites[cut_edges].sum())
    )


def _finding(examined: Examined, what: str, tangle: Tangle, share: float) -> Finding:
    graph, cut = examined.graph, tangle.cut
    names = [node_words(graph, key) for key in tangle.members.tolist()]
    where = f" in {common}" if (common := _common(graph, tangle.members.tolist())) else ""
    who = f"{names[0]} and {names[1]}" if len(names) == 2 else f"{len(names):,} {what}{where}"
    relations = "1 dependency" if len(cut.rows) == 1 else f"{len(cut.rows):,} dependencies"
    lines = "1 line" if tangle.cut_sites == 1 else f"{tangle.cut_sites:,} lines"
    return Finding(
        "cycle",
        f"{who} depend on one another: {relations} ({lines}) to cut",
        tuple(tangle.members.tolist()),
        examined.places(tangle.cut_edges),
        {
            "files" if what == "files" else "modules": len(names),
            "dependencies": len(tangle.lifted),
            "sites": tangle.sites,
            "cut_dependencies": len(cut.rows),
            "cut_sites": tangle.cut_sites,
            "cut_is_smallest": cut.exact,
        },
        share,
        tuple(tangle.cut_edges.tolist()),
        tuple(tangle.edges.tolist()),
    )


def _common(graph: Graph, keys: list[int]) -> str:
    """The folder or group that holds all of these nodes; empty where that is the project."""
    paths = [[key, *graph.ancestors(key)] for key in keys]
    shared = set(paths[0]).intersection(*paths[1:])
    innermost = next(key for key in paths[0] if key in shared)
    return "" if innermost == graph.root else node_words(graph, innermost)
