"""What may hold what: folders hold files, files hold classes, interfaces and functions, a function holds nothing."""

from __future__ import annotations

from pathlib import PurePosixPath

import numpy as np

from cbvtool.analysis.languages import language_of
from cbvtool.graph import Graph

CONTAINERS = frozenset({"project", "folder", "package"})  # what holds files
_PLACES = frozenset({"folder", "package", "file"})
PARTS = frozenset({"class", "interface", "function"})  # what a file holds
_HOLDS = {
    "project": _PLACES,
    "folder": _PLACES,
    "package": _PLACES,
    "file": PARTS,
    "class": PARTS,
    "interface": PARTS,
    "function": frozenset[str](),
}


def can_hold(holder: str, kind: str, graph: Graph) -> bool:
    """Whether a node of kind `holder` may hold one of kind `kind`.

    Kinds are an open set (sections and paragraphs of COBOL, say): where one of the two is not known here, the
    graph itself decides: what is found somewhere in it is allowed everywhere.
    """
    if holder in _HOLDS and kind in _HOLDS:
        return kind in _HOLDS[holder]
    numbers = {name: number for number, name in enumerate(graph.kind_names)}
    if holder not in numbers or kind not in numbers:
        return False
    inner = np.flatnonzero(graph.parent >= 0)
    inside = graph.kinds[inner] == numbers[kind]
    return bool((inside & (graph.kinds[graph.parent[inner]] == numbers[holder])).any())


def holds_code(graph: Graph, key: int) -> bool:
    """Whether a file can hold classes and functions: it is in a language that has them, or files like it do."""
    name = graph.names[key]
    if language_of(name) is not None or len(graph.children(key)):
        return True
    ending = PurePosixPath(name).suffix
    number = {kind: row for row, kind in enumerate(graph.kind_names)}.get("file", -1)
    with_parts = np.flatnonzero((graph.kinds == number) & (np.diff(graph.tree.child_ptr) > 0))
    return any(PurePosixPath(graph.names[other]).suffix == ending for other in with_parts.tolist())


def are_alike(graph: Graph, one: int, other: int) -> bool:
    """Whether two files are of one sort, so that the content of one can become that of the other."""
    first, second = graph.names[one], graph.names[other]
    return PurePosixPath(first).suffix == PurePosixPath(second).suffix or (
        (language := language_of(first)) is not None and language == language_of(second)
    )


def language_family(name: str) -> str:
    """Whose code a file of this name holds: C and C++ are one family, for example; of unknown languages the ending."""
    language = language_of(name)
    return PurePosixPath(name).suffix if language is None else language.resolver


def same_language(one: str, other: str) -> bool:
    """Whether code of a file `one` can stand in a file `other`, by their names; what is unknown may be alike."""
    return language_of(one) is None or language_family(one) == language_family(other)


def can_merge(kind: str, other: str) -> bool:
    """Whether the content of a node of kind `kind` may become that of one of kind `other`."""
    return (kind in CONTAINERS and other in CONTAINERS) or (kind == other and kind != "function")
