"""The table of formats, one row each; reads and writes files by it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import InputError
from cbvtool.formats import csv_tables, dot, graph_json, graphml, gxl, rsf
from cbvtool.formats.atomic import replacing
from cbvtool.formats.content import Damaged, first_bytes, read_content, reading_budget, why_stopped
from cbvtool.formats.graph_json import History
from cbvtool.graph import Graph
from cbvtool.progress import Progress, silent

_Read = Callable[[Path, Budget], tuple[Graph, dict[str, Any] | None]]
_Write = Callable[[Graph, History | None, Path], Mapping[Path, Iterable[bytes]]]


@dataclass(frozen=True)
class Format:
    """One format.

    name      its name for people
    suffixes  suffixes of files, in lower case, the usual one first; `.gz` may follow
    begins    whether a file with an unknown suffix that starts with these bytes has this format
    read      (path, budget) -> graph, and history if there is one; raises Damaged, OverBudget or OSError
    write     (graph, history, path) -> the files to write, in pieces; None: this format can only be read
    mark      pattern of the beginning of files made by `write`
    """

    name: str
    suffixes: tuple[str, ...]
    begins: Callable[[bytes], bool]
    read: _Read
    write: _Write | None = None
    mark: str = ""


def format_of(path: Path) -> Format | None:
    """The format of the file `path`, by its suffix, or by its content if the suffix is unknown; None if it is no graph.

    Raises InputError if the file must be opened but cannot be.
    """
    if (known := _by_suffix(path)) is not None:
        return known
    try:
        start = first_bytes(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    return next((known for known in FORMATS if known.begins(start)), None)


def read_graph(path: Path, progress: Progress = silent) -> tuple[Graph, dict[str, Any] | None]:
    """The graph in `path`, a file of any format, and its history columns if it has some.

    progress   gets the number of items read; if it raises (`Cancelled`), the reading stops

    Raises InputError, naming the file and the reason, for everything that is not a graph, and for a graph that would
    take too much memory or has absurdly many items (docs/formats.md, Limits).
    """
    known = format_of(path)
    if known is None:
        raise InputError(f"{path} is not a graph in a format that cbvtool knows.")
    budget = reading_budget(path, progress)
    sort = "a graph" if known.name == "JSON" else known.name
    try:
        return known.read(path, budget)
    except Damaged as damage:
        raise InputError(f"{path} cannot be read as {sort}: {damage}.") from None
    except OverBudget:
        raise InputError(f"{path} cannot be read as {sort}: {why_stopped(budget)}.") from None
    except OSError as error:
        raise InputError(f"{error.filename or path} cannot be read: {error.strerror or error}.") from error


def write_graph(graph: Graph, path: Path, history: History | None = None) -> None:
    """Write `graph` in the format for the suffix of `path`, JSON if it is unknown. All or nothing.

    `.gz` compresses. Only JSON stores the history columns. Raises InputError if a file cannot be written.
    """
    for file, pieces in _writer(path)(graph, history, path).items():
        with replacing(file) as opened:
            if file.name.lower().endswith(".gz"):
                # Without name and time inside, so that equal graphs give equal bytes.
                with gzip.GzipFile(filename="", fileobj=opened, mode="wb", compresslevel=6, mtime=0) as packed:
                    packed.writelines(pieces)
            else:
                opened.writelines(pieces)


def outputs(path: Path) -> list[Path]:
    """The files that `write_graph` writes for `path`.

    Raises InputError for a format that can only be read, and for a suffix of no format of graphs.
    """
    _writer(path)
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending and _by_suffix(path) is None:
        writable = ", ".join(known.suffixes[0] for known in FORMATS if known.write)
        raise InputError(f"{path} ends as no format of graphs does: there are {writable}, and .gz behind them.")
    return [csv_tables.nodes_file(path), path] if _by_suffix(path) is _CSV else [path]


def _writer(path: Path) -> _Write:
    known = _by_suffix(path) or FORMATS[0]
    if known.write is None:
        writable = ", ".join(known.suffixes[0] for known in FORMATS if known.write)
        raise InputError(f"{path} cannot be written: {known.name} is only read; there are {writable}.")
    return known.write


def _by_suffix(path: Path) -> Format | None:
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    return next((known for known in FORMATS if suffix in known.suffixes), None)


# -- the rows ----------------------------------------------------------------------------------------------------


def _named(read: Callable[[bytes, str, Budget], Graph]) -> _Read:
    """A reader of content that uses the file's name for the root, unless the content has another."""
    return lambda path, budget: (
        read(read_content(path, budget), Path(path.name.removesuffix(".gz")).stem, budget),
        None,
    )


def _scip(data: bytes, name: str, budget: Budget) -> Graph:
    from cbvtool.formats import scip  # protobuf is slow to load, and used only here

    return scip.read(data, name, budget)


def _text(text: Callable[[Graph], Iterator[str]]) -> _Write:
    return lambda graph, history, path: {path: map(_encoded, text(graph))}


def _encoded(piece: str) -> bytes:
    """`piece` as UTF-8. File names that are not UTF-8 keep their bytes; other invalid characters are replaced."""
    try:
        return piece.replace("\0", "\ufffd").encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return piece.encode("utf-8", "replace")


def _write_csv(graph: Graph, history: History | None, path: Path) -> Mapping[Path, Iterable[bytes]]:
    return {
        csv_tables.nodes_file(path): map(_encoded, csv_tables.nodes_text(graph)),
        path: map(_encoded, csv_tables.edges_text(graph)),
    }


def _matches(pattern: re.Pattern[bytes]) -> Callable[[bytes], bool]:
    return lambda start: pattern.match(start) is not None


_XML = rb"\s*(?>(?:<[?!][^<>]*>\s*)*)<(?:\w+:)?"
_DOT = rb"(?>(?:\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)*)(?i:(?:strict\s+)?(?:di)?graph\b)[^{;=]*+\{"
_RSF = rb"(?>(?:\#[^\n]*\n|\s)*)(?:type|level|contain)[ \t]+\S+[ \t]+\S+[ \t]*\r?\n"
_SCIP = rb"\n.{1,3}(?:\x08.)?\x12.{0,200}\x1a.{1,2}file:"  # metadata, with the tool and the root, come first
_CSV = Format(
    "CSV",
    (".csv", ".tsv", ".tab"),
    csv_tables.begins,
    lambda path, budget: (csv_tables.read(read_content(path, budget), path, budget), None),
    _write_csv,
    ",".join(csv_tables.EDGE_HEADER) + "|" + ",".join(csv_tables.NODE_HEADER),
)

# In the order of menus, and in which beginnings are tried.
FORMATS = (
    Format(
        "JSON",
        (".json",),
        _matches(re.compile(rb'\s*\{\s*"format"')),
        graph_json.read_graph,
        lambda graph, history, path: {path: graph_json.graph_text(graph, history)},
        r'\s*\{\s*"format"\s*:\s*"cbvtool-graph"',
    ),
    Format(
        "GraphML",
        (".graphml",),
        _matches(re.compile(_XML + rb"graphml\b")),
        _named(graphml.read),
        _text(graphml.text),
        r"<\?xml[^>]*>\s*" + graphml.MARK,
    ),
    Format("DOT", (".dot", ".gv"), _matches(re.compile(_DOT, re.DOTALL)), _named(dot.read), _text(dot.text), dot.MARK),
    Format("GXL", (".gxl",), _matches(re.compile(_XML + rb"gxl\b")), _named(gxl.read)),
    _CSV,
    Format("RSF", (".rsf",), _matches(re.compile(_RSF, re.DOTALL)), _named(rsf.read), _text(rsf.text), rsf.MARK),
    Format("SCIP", (".scip",), _matches(re.compile(_SCIP, re.DOTALL)), _named(_scip)),
)
MARK = re.compile("|".join(f"(?:{known.mark})" for known in FORMATS if known.mark).encode())
SUFFIXES = tuple(suffix for known in FORMATS for suffix in known.suffixes)
