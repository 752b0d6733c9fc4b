"""The metric `language`: which language most of each node is written in."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cbvtool.analysis.languages import HEADER, language_of
from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.classes import most_of
from cbvtool.metrics.combine import Column, IntColumn, own
from cbvtool.metrics.metric import Metric, Subject

NO_SUFFIX = "no suffix"


def compute(subject: Subject) -> Column:
    """float64[n]: row in `names` of the language with the most source lines in each subtree.

    In a subtree without source lines, the language with the most files. A node inside a file has the file's language.
    NaN where there is no file.
    """
    graph = subject.graph
    rows, _ = _languages(graph)
    keys = np.flatnonzero((graph.file >= 0) & (graph.parent != REMOVED)).astype(np.int32)
    lines = np.nan_to_num(own(graph, "sloc")[keys])
    # The small weight lets the number of files decide where there are no lines.
    return most_of(graph.tree, keys, rows[graph.file[keys]], lines + 1e-6)[0]


def names(subject: Subject) -> tuple[str, ...]:
    """The names of the languages, and the suffixes of files in no known language."""
    return _languages(subject.graph)[1]


@lru_cache(maxsize=2)  # graphs are values compared by identity
def _languages(graph: Graph) -> tuple[IntColumn, tuple[str, ...]]:
    """(int32[f] row of each file's language; the names, in alphabetical order)."""
    read = set(graph.file[~np.isnan(own(graph, "sloc"))].tolist())
    found = [_language(path, row in read) for row, path in enumerate(graph.files)]
    table = tuple(sorted(set(found), key=str.casefold))
    row = {name: number for number, name in enumerate(table)}
    return np.array([row[name] for name in found], np.int32), table


def _language(path: str, was_read: bool) -> str:
    language = language_of(path)
    if language is not None:
        return language.name
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    if dot and suffix:
        return f".{suffix.lower()}"
    return HEADER.name if was_read else NO_SUFFIX


LANGUAGE = Metric(
    "language",
    "Language",
    "",
    "neither",
    "most",
    compute,
    "The language that most of it is written in, by file suffix.",
    names=names,
)
