"""A list of relations: sorting, filtering, and export as text or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Confidence, Graph, When
from cbvtool.graph.records import WHEN as WHEN_NAMES
from cbvtool.words import harmless

Rows = npt.NDArray[np.int64]

COLUMNS = ("From", "To", "Kind", "Sure", "When", "Count", "Places")
COUNT, PLACES = 5, 6
WHEN = {When.ALWAYS: "always", When.DEFERRED: "inside a function", When.TYPE_CHECKING: "type checking only"}
SURE = {Confidence.EXACT: "exact", Confidence.RESOLVED: "resolved", Confidence.GUESS: "guess"}


def cell(graph: Graph, edge: int, column: int) -> str | float:
    """The content of a column of `COLUMNS` for one relation (row of `graph.edges`)."""
    edges = graph.edges
    if column in (0, 1):
        return graph.path(int((edges.source if column == 0 else edges.target)[edge]))
    if column == 2:
        return edges.kind_names[int(edges.kind[edge])]
    if column == 3:
        return SURE[Confidence(int(edges.confidence[edge]))]
    if column == 4:
        return WHEN[When(int(edges.when[edge]))]
    if column == COUNT:
        return float(edges.weight[edge])
    places = places_of(graph, edge)
    return "" if not places else places[0] + (f"  +{len(places) - 1:,}" if len(places) > 1 else "")


def kind_words(graph: Graph, edge: int) -> str:
    """The kind of a relation, with the time when it takes effect, unless that is always: `deferred import`."""
    edges = graph.edges
    kind, when = edges.kind_names[int(edges.kind[edge])], When(int(edges.when[edge]))
    return kind if when == When.ALWAYS else f"{WHEN_NAMES[when]} {kind}"


def places_of(graph: Graph, edge: int) -> list[str]:
    """`file:line` of every site of a relation."""
    return [f"{graph.files[file]}:{line}" for file, line in graph.edges.sites(edge)]


class NodePaths:
    """Names from below the root down to a node, as `Graph.path`, for many nodes of one graph, each computed once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[int, str] = {}
        self._folded: dict[int, str] = {}

    def __getitem__(self, key: int) -> str:
        graph, known = self._graph, self._known
        if key == graph.root:
            return graph.names[key]
        chain = [key]
        while chain[-1] not in known and graph.parent[chain[-1]] != graph.root:
            chain.append(int(graph.parent[chain[-1]]))
        for below in reversed(chain):
            if below not in known:
                above = known.get(int(graph.parent[below]))
                known[below] = graph.names[below] if above is None else f"{above} > {graph.names[below]}"
        return known[key]

    def folded(self, keys: npt.NDArray[np.int32]) -> list[str]:
        """The paths of `keys` in a form for comparing without regard to case."""
        known = self._folded
        return [known[key] if key in known else known.setdefault(key, self[key].casefold()) for key in keys.tolist()]


def ordered(graph: Graph, rows: Rows, column: int, paths: NodePaths, *, descending: bool = False) -> Rows:
    """int64[r]: `rows` sorted by a column of `COLUMNS`; equal ones stay as they are."""
    edges = graph.edges
    if column in (0, 1):
        rank: npt.NDArray[np.generic] = _by_path(paths, (edges.source if column == 0 else edges.target)[rows])
    elif column == 2:
        rank = np.argsort(np.argsort(np.array(edges.kind_names, np.str_)))[edges.kind[rows]]
    elif column in (3, 4):
        rank = (edges.confidence, edges.when)[column - 3][rows]
    elif column == COUNT:
        rank = edges.weight[rows]
    else:
        first = np.minimum(edges.site_ptr[rows], max(len(edges.site_file) - 1, 0))
        some = edges.site_ptr[rows + 1] > edges.site_ptr[rows]
        file = np.argsort(np.argsort(np.array(graph.files, np.str_))) if graph.files else np.zeros(1, np.int64)
        at = np.zeros((2, len(rows)), np.int64)
        at[:, some] = file[edges.site_file[first[some]]], edges.site_line[first[some]]
        rank = at[0] * (int(at[1].max(initial=0)) + 1) + at[1]
    order = np.argsort(rank, kind="stable")
    if descending:  # reverse the order, but keep the order of equal ones
        order = len(rows) - 1 - np.argsort(rank[::-1], kind="stable")[::-1]
    return rows[order]


def _by_path(paths: NodePaths, keys: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """int64[r]: rank of each key's path, in alphabetical order."""
    distinct, place = np.unique(keys, return_inverse=True)
    words = paths.folded(distinct)
    number = {word: row for row, word in enumerate(sorted(set(words)))}
    return np.array([number[word] for word in words], np.int64)[place]


def matching(graph: Graph, rows: Rows, text: str, paths: NodePaths) -> Rows:
    """int64[r']: those of `rows` whose names, kind, confidence or time contain all words of `text`."""
    edges = graph.edges
    for word in text.casefold().split():
        hit = np.zeros(len(rows), np.bool_)
        for keys in (edges.source[rows], edges.target[rows]):
            distinct, place = np.unique(keys, return_inverse=True)
            hit |= np.array([word in path for path in paths.folded(distinct)], np.bool_)[place]
        hit |= np.array([word in name.casefold() for name in edges.kind_names], np.bool_)[edges.kind[rows]]
        hit |= np.isin(edges.confidence[rows], [value for value, name in SURE.items() if word in name])
        hit |= np.isin(edges.when[rows], [value for value, name in WHEN.items() if word in name])
        rows = rows[hit]
    return rows


def as_text(graph: Graph, rows: Rows) -> str:
    """One line for each relation, with tabs between columns, after a line of column names."""
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(_line(graph, edge)) for edge in rows.tolist()]
    return "\n".join(lines)


def as_csv(graph: Graph, rows: Rows) -> str:
    """The list as CSV; a cell that a spreadsheet would take for a formula gets an apostrophe in front."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for edge in rows.tolist():
        writer.writerow(harmless(value) for value in _line(graph, edge))
    return text.getvalue()


def _line(graph: Graph, edge: int) -> Iterator[str]:
    for column in range(PLACES):
        value = cell(graph, edge, column)
        yield f"{value:g}" if isinstance(value, float) else value
    yield "; ".join(places_of(graph, edge))
