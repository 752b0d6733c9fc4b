"""Cycles: modules, and files, that depend on one another, with the cheapest cut of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.findings.finding import Examined, Finding, IntColumn
from cbvtool.graph import Graph, LiftedEdges
from cbvtool.graph.regroup import node_words
from cbvtool.rules.cycle_cuts import Cut, smallest_cut
from cbvtool.rules.cycles import components

MOST = 10  # of each: of modules, of files
CYCLES_OF = ("modules", "files")
_SECONDS = 1.0  # for the cut of one cycle to be exact


class Cycle(NamedTuple):
    """A cycle of modules or files.

    what      one of `CYCLES_OF`
    members   int32[k]  keys
    lifted    the relations of all modules, or files
    rows      those between members
    """

    what: str
    members: IntColumn
    lifted: LiftedEdges
    rows: npt.NDArray[np.int64]


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
    found, shown = [], dict.fromkeys(CYCLES_OF, 0)
    for cycle in all_cycles(examined):
        shown[cycle.what] += 1
        if shown[cycle.what] > most:
            continue
        tangle = cut_tangle(examined, cycle.lifted, cycle.members, cycle.rows)
        inside = examined.files[np.isin(item_of(examined, cycle.what)[examined.files], cycle.members)]
        is_measured = bool(np.nansum(lines[examined.files]) > 0)  # not where imports alone are known as yet
        share = examined.share_of(lines, inside) if is_measured else len(inside) / len(examined.files)
        found.append(_finding(examined, cycle.what, tangle, share))
    return found


def all_cycles(examined: Examined) -> Iterator[Cycle]:
    """What counts as a cycle in lists and figures: those of modules, then those of files of one module.

    The largest comes first in each. Files of several modules that depend on one another are a cycle of the modules;
    what is beside the product is in none.
    """
    for what in CYCLES_OF:
        lifted = examined.lifted(item_of(examined, what))
        for members, rows in tangled(lifted):
            if what == "modules" or _inside_one(examined.module_of[members]):
                yield Cycle(what, members, lifted, rows)


def _inside_one(modules: IntColumn) -> bool:
    return bool(modules[0] >= 0) and len(np.unique(modules)) == 1


def item_of(examined: Examined, what: str) -> IntColumn:
    """int32[n]: the module or file, one of `CYCLES_OF`, that each node is in; -1 = none."""
    return examined.module_of if what == "modules" else examined.file_of


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
    noun = what if what == "files" else examined.module_noun
    who = f"{names[0]} and {names[1]}" if len(names) == 2 else f"{len(names):,} {noun}{where}"
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
    innermost = graph.tree.common_ancestor(keys)
    return "" if innermost == graph.root else node_words(graph, innermost)
