"""The call-out of a relation: its direction, the number of relations of each kind behind it, and their sites."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import numpy.typing as npt

from cbvtool.asking.short_paths import short_path
from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.drawing.emphasis import kinds_line, relation_lines
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import Graph
from cbvtool.words import one_line

HEADING = "Relation"
SHOWN_FILES, SHOWN_LINES = 3, 6  # of its sites
MORE = "Double click lists all places"


def call_out(scene: Scene, relation: int) -> ShownRelations:
    """A lifted relation shown alone with a few lines about it, until something else is selected."""
    lifted, graph = scene.lifted, scene.graph
    rows = np.flatnonzero(lifted.of_edge == relation)
    ends = tuple(int(scene.tree.key[end[relation]]) for end in (lifted.source, lifted.target))
    names = [one_line(graph.names[key] or graph.name) for key in ends]
    count = len(places_of_rows(graph, rows))
    places = [f"{count:,} place{'' if count == 1 else 's'}: Details lists them"] if count else []
    lines = (f"{names[0]} uses {names[1]}", kinds_line(scene, rows), *places)
    return ShownRelations(HEADING, lines, ends, rows, passing=True)


def relation_tip(scene: Scene, relation: int) -> list[str]:
    """The tooltip of the lifted relation under the pointer."""
    rows = np.flatnonzero(scene.lifted.of_edge == relation)
    places = place_lines(scene.graph, rows)
    return [*relation_lines(scene, relation), *places, *([MORE] if places else [])]


def places_of_rows(graph: Graph, rows: npt.NDArray[np.int64]) -> list[tuple[str, int]]:
    """The distinct sites (path, line) of the relations in `rows` of `graph.edges`, sorted."""
    return sorted({(graph.files[file], line) for row in rows.tolist() for file, line in graph.edges.sites(row)})


def place_lines(graph: Graph, rows: npt.NDArray[np.int64]) -> list[str]:
    """`At app.py:12, 31`: a line for each of the first files, and how many more sites there are."""
    places = places_of_rows(graph, rows)
    lines, told = list[str](), 0
    for path, group in groupby(places, key=lambda place: place[0]):
        if len(lines) == SHOWN_FILES:
            break
        shown = [line for _, line in group][:SHOWN_LINES]
        told += len(shown)
        lines.append(f"At {short_path(one_line(path))}:{', '.join(map(str, shown))}")
    more = len(places) - told
    return [*lines, f"and {more:,} more place{'' if more == 1 else 's'}"] if more else lines
