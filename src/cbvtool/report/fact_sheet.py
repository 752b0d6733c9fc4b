"""What a fact sheet tells of a module: figures then and now, its worst files, what it is entangled with (NEW-15)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cbvtool.evolution.evolution import with_ids
from cbvtool.evolution.figures import FIGURES, measured
from cbvtool.evolution.table import modules
from cbvtool.graph import LiftedEdges
from cbvtool.report.gathered import Gathered
from cbvtool.report.trend import FigureTrend

LEVEL = 2  # of the modules
FILES, NEIGHBOURS, TITLES = 6, 5, 4  # that are named


@dataclass(frozen=True)
class FactSheet:
    """One page.

    name      path of the module; that of the project for all of it
    figures   then and now; only now where there is nothing to compare with
    series    complexity at each commit; empty where there is nothing to compare with
    files     its hot spots: (path, complexity, commits in the last six months, points)
    uses, users   (path of a folder outside, places in the source), most first
    cycles    titles of those that lie in it or lead through it
    broken    (rule, pairs of files) that files in it break, most first
    """

    name: str
    figures: tuple[FigureTrend, ...]
    series: tuple[float, ...]
    files: tuple[tuple[str, int, int, int], ...]
    uses: tuple[tuple[str, int], ...]
    users: tuple[tuple[str, int], ...]
    cycles: tuple[str, ...]
    broken: tuple[tuple[str, int], ...]


def fact_sheets(one: Gathered, most: int) -> list[FactSheet]:
    """One for the project, then one for each of its `most` largest folders and packages that hold code.

    Of folders with the same files, one in the other, the inner one has a sheet. Folders of tests have none.
    """
    graph = one.graph
    chosen = _chosen(one)[:most]
    place = None if one.trend is None else with_ids(one.trend.found, graph)
    lifted = one.examined.lifted(one.examined.module_of)
    now = measured(graph, one.rules, one.project.changes, _end(one)).values if one.trend is None else {}
    sheets = []
    for key in (graph.root, *chosen):
        there = -1 if place is None else int(place[key])
        figures: Sequence[FigureTrend]
        series: Sequence[float] = ()
        if one.trend is not None and there >= 0:
            figures, series = one.trend.figures(there), one.trend.found.series("complexity", there).tolist()
        else:
            figures = [
                FigureTrend(name, label, math.nan, float(now[name][key]))
                for name, label in FIGURES.items()
                if name in now
            ]
        sheets.append(
            FactSheet(
                graph.ids[key] or one.project.name,
                tuple(each for each in figures if not math.isnan(each.after) and _is_told(each, key == graph.root)),
                tuple(series),
                _files(one, key),
                _near(one, key, lifted, outward=True),
                _near(one, key, lifted, outward=False),
                _cycles(one, key),
                _broken(one, key),
            )
        )
    return sheets


def _chosen(one: Gathered) -> list[int]:
    """Folders and packages, the largest first."""
    graph, lines = one.graph, np.nan_to_num(one.examined.measured("sloc"))
    is_file = np.zeros(len(graph))
    is_file[one.examined.files] = 1
    count = graph.tree.subtree_sum(is_file)
    keys = [key for key in modules(graph, LEVEL) if key != graph.root and count[key] and lines[key] > 0]
    inner = {int(graph.parent[key]) for key in keys if count[key] == count[graph.parent[key]]}
    return sorted((key for key in keys if key not in inner), key=lambda key: (-lines[key], key))


def _is_told(figure: FigureTrend, is_project: bool) -> bool:
    """Nothing outside uses a project, nor is used by it."""
    return not is_project or figure.name not in ("fan_in", "fan_out")


def _end(one: Gathered) -> int:
    changes = one.project.changes
    return int(changes.time[-1]) if changes is not None and len(changes.time) else 0


def _inside(one: Gathered, key: int, other: int) -> bool:
    tree = one.graph.tree
    return bool(tree.pos[key] <= tree.pos[other] < tree.end[key])


def _files(one: Gathered, key: int) -> tuple[tuple[str, int, int, int], ...]:
    points, complexity, commits = map(one.examined.measured, ("hot_spots", "complexity", "change_frequency"))
    files = [file for file in one.examined.files.tolist() if points[file] > 0 and _inside(one, key, file)]
    worst = sorted(files, key=lambda file: (-points[file], file))[:FILES]
    return tuple(
        (one.graph.ids[file], int(complexity[file]), int(commits[file]), round(points[file])) for file in worst
    )


def _near(one: Gathered, key: int, lifted: LiftedEdges, *, outward: bool) -> tuple[tuple[str, int], ...]:
    tree = one.graph.tree
    near, far = (lifted.source, lifted.target) if outward else (lifted.target, lifted.source)
    inside = [(tree.pos[key] <= tree.pos[end]) & (tree.pos[end] < tree.end[key]) for end in (near, far)]
    known = np.flatnonzero(lifted.of_edge >= 0)
    sites = np.bincount(lifted.of_edge[known], one.examined.sites[known], len(lifted.source))
    rows = np.flatnonzero(inside[0] & ~inside[1])
    counts = np.bincount(far[rows], sites[rows], len(one.graph)).astype(np.int64)
    most = [other for other in np.argsort(-counts, kind="stable")[:NEIGHBOURS].tolist() if counts[other]]
    return tuple((one.graph.ids[other] or one.project.name, int(counts[other])) for other in most)


def _cycles(one: Gathered, key: int) -> tuple[str, ...]:
    found = [each for each in one.of_kind("cycle") if any(_inside(one, key, node) for node in each.nodes)]
    return tuple(each.title for each in found[:TITLES])


def _broken(one: Gathered, key: int) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for each in one.broken:
        if _inside(one, key, each.source):
            counts[each.rule] = counts.get(each.rule, 0) + 1
    return tuple(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:TITLES])
