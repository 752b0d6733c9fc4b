"""Source text of a node, read only from inside the subject's folder. Reports whether it changed since the analysis."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cbvtool.analysis.read import SOURCE_LIMIT, to_utf8
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.regular_file import Unreadable, read_bytes

LONGEST_LINE = 2_000  # characters; longer lines are not written by hand, and are cut

_CLOCK = 2.0  # resolution of the clocks of file systems, in seconds


class SourcePlace(NamedTuple):
    """Position of a node: index into `Graph.files`, first and last line, 1-based; 0 = the line is unknown."""

    file: int
    line: int
    end_line: int


@dataclass(frozen=True)
class Source:
    """The text of a file, with Unix line ends and long lines cut; and whether it changed since the analysis."""

    text: str
    changed: bool


def place_of(graph: Graph, key: int) -> SourcePlace | None:
    """Position of node `key` in the source; None if it is not in a file."""
    if key >= 0 and graph.file[key] >= 0:
        return SourcePlace(int(graph.file[key]), int(graph.line[key]), int(graph.end_line[key]))
    if key >= 0 and graph.ids[key] in graph.files:  # a file that was not read
        return SourcePlace(graph.files.index(graph.ids[key]), 0, 0)
    return None


def path_inside(root: Path, file: str) -> Path:
    """The path of `file`, which is relative to the folder `root`.

    Raises InputError if the path, or a symbolic link in it, leads out of that folder.
    """
    try:
        base = Path(os.path.realpath(root))
        path = Path(os.path.normpath(base / file))
        inside = path.is_relative_to(base) and Path(os.path.realpath(path)).is_relative_to(base)
    except ValueError:  # a NUL in the name
        inside = False
    if not inside:
        raise InputError(f"{file!r} leads out of the folder {root.name}, so it is not read.")
    return path


def read_source(root: Path, file: str, size: float = np.nan, since: float = 0.0) -> Source:
    """The text of `file`, which is relative to the folder `root`, in the encoding that the analysis assumes for it.

    size    size of the file in bytes at the analysis, NaN = not known
    since   time at which the analysis began, seconds since the epoch, 0 = not known

    Raises InputError, one sentence, if the file cannot be read.
    """
    path = path_inside(root, file)
    try:
        changed_at = path.stat().st_mtime
        data = read_bytes(os.fspath(path), SOURCE_LIMIT)
        text = _decoded(data, file)
    except FileNotFoundError:
        raise InputError(f"{file} is not there any more: analyse the folder again.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from None
    except Unreadable as reason:
        raise InputError(f"{file} {reason}.") from None
    changed = len(data) != size if size == size else False
    return Source(_with_cut_lines(text), changed or (since > 0 and changed_at > since + _CLOCK))


def _decoded(data: bytes, file: str) -> str:
    declared = None
    if file.endswith((".py", ".pyi", ".pyw")):
        from cbvtool.analysis.languages.python.reader import declared_encoding  # imported late: it loads the grammar

        declared = declared_encoding(data)
    try:
        return to_utf8(data, declared).decode()
    except Unreadable:
        if b"\0" in data:
            raise
        return to_utf8(data, "latin-1").decode()  # for display only: Latin-1 has a character for every byte


def _with_cut_lines(text: str) -> str:
    """The text with lines cut that a text field could not wrap: those of many thousand characters."""
    lines = text.split("\n")
    if max(map(len, lines)) <= LONGEST_LINE:
        return text
    return "\n".join(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..." for line in lines)


def sites_in(graph: Graph, file: int, relations: npt.NDArray[np.bool_] | None = None) -> Mapping[int, tuple[int, ...]]:
    """Line -> rows of the relations in `graph.edges` with a site on it, for one file (index into `graph.files`).

    relations   bool[m]: those to include, None = all; relations of nodes that a plan has removed are left out
    """
    edges = graph.edges
    rows = np.flatnonzero(edges.site_file == file)
    edge = np.searchsorted(edges.site_ptr, rows, side="right") - 1
    there = (graph.tree.pos[edges.source[edge]] >= 0) & (graph.tree.pos[edges.target[edge]] >= 0)
    if relations is not None:
        there &= relations[edge]
    found: dict[int, dict[int, None]] = {}
    for line, row in zip(edges.site_line[rows[there]].tolist(), edge[there].tolist(), strict=True):
        found.setdefault(line, {})[row] = None
    return {line: tuple(rows) for line, rows in found.items()}


def words_of(graph: Graph, key: int) -> frozenset[str]:
    """The words for node `key` in source text: its name, without suffix or parameters, or that of its folder."""
    name = graph.names[key]
    words = {name, name.partition("(")[0], name.rpartition(".")[0] or name}
    if name.partition(".")[0] in ("__init__", "index", "mod") and graph.parent[key] >= 0:
        words.add(graph.names[int(graph.parent[key])])
    return frozenset(word for word in words if word)


# Suffixes of languages whose packages are folders; in other languages, a name does not imply a file.
_PACKAGED = (".py", ".pyi", ".java", ".kt", ".scala", ".groovy")
_ROOTS = ("src", "lib", "main", "test", "java", "kotlin", "scala", "python")


def qualified_name(graph: Graph, key: int) -> str:
    """The full name of `key` in source text: `shop.core.Cart.total`, `Cart.total`; for a folder or file, its path.

    Top-level folders of sources that are not packages (`src/main/java`) are left out.
    """
    path, _, inside = graph.ids[key].partition("::")
    stem, dot, ending = path.rpartition(".")
    if f".{ending}" not in _PACKAGED or not dot:
        return inside or path or graph.name
    parts = stem.split("/")
    while len(parts) > 1 and parts[0] in _ROOTS:
        parts.pop(0)
    if parts[-1] == "__init__" or (ending not in ("py", "pyi") and inside.partition(".")[0] == parts[-1]):
        parts.pop()  # the file adds no name: it is the package itself, or has the name of its class
    return ".".join((*parts, inside)) if inside else ".".join(parts)
