"""Graphs from and to JSON, in the format described in `docs/formats.md` and `docs/graph.schema.json`.

Nothing in the graph is lost: nodes, places, measured values, relations with their sites, the report, and the history
columns. Removed nodes, and relations from or to one, are not written. Nodes are in canonical order (preorder), so that
equal graphs give equal texts.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct

from cbvtool.budget import Budget
from cbvtool.formats.content import Damaged, pieces, read_content
from cbvtool.graph import Configuration, Graph, LanguageShare, Report, Skipped, When
from cbvtool.graph.records import WHEN, EdgeRecord, NodeRecord, edge_records, graph_of, node_records

FORMAT = "cbvtool-graph"
VERSION = 1

# The history of the subject as plain columns; converted from and to `mining.changes.Changes`.
History = Mapping[str, Any]

_ALWAYS = WHEN[When.ALWAYS]
_LINES_PER_CHUNK = 2000
# The layout of files by `graph_text`.
_HEAD = re.compile(
    rb'\s*\{"format":"%b","version":%d,"root":("(?:[^"\\\n]|\\.)*"),\n"nodes":\[\n' % (FORMAT.encode(), VERSION)
)
_END_OF_NODES, _END_OF_EDGES = b'\n],\n"edges":[\n', b'\n],\n"report":'
_LONGEST_LINE = 2**24  # bytes of one node or relation
_NODE_SIZE, _EDGE_SIZE = 200, 70  # bytes of memory of a node and a relation in columns, without texts

_WEIGHT_LIMIT = float(2**128 - 2**103)  # smaller values can be rounded to float32
_Line = Annotated[int, Meta(ge=1, le=2**31 - 1)]
_Index = Annotated[int, Meta(ge=0, le=2**31 - 1)]
_Finite = Annotated[float, Meta(ge=-1.7976931348623157e308, le=1.7976931348623157e308)]
_Weight = Annotated[float, Meta(gt=-_WEIGHT_LIMIT, lt=_WEIGHT_LIMIT)]


class _Node(Struct):
    id: str
    parent: str | None
    name: str
    kind: str
    file: str | None = None
    line: _Line | None = None
    end_line: _Line | None = None
    metrics: dict[str, _Finite] = {}


class _Edge(Struct):
    source: str
    target: str
    kind: str
    weight: _Weight = 1.0
    confidence: Literal["exact", "resolved", "guess"] = "exact"
    when: Literal["deferred", "type-checking"] | None = None
    sites: list[tuple[str, _Line]] = []


class _Skipped(Struct):
    path: str
    reason: str


class _Language(Struct):
    name: str
    files: _Index
    with_errors: _Index = 0
    lines: _Index = 0
    lost_lines: _Index = 0
    lost_to_macros: _Index = 0


class _Configuration(Struct):
    name: str
    entry_points: list[str] = []


class _Report(Struct):
    files: _Index = 0
    skipped: list[_Skipped] = []
    parse_errors: list[str] = []
    notes: list[str] = []
    languages: list[_Language] = []
    entry_points: list[str] = []
    lost_lines: list[_Index] = []
    configurations: list[_Configuration] = []


class _History(Struct):
    shas: list[str]
    times: list[Annotated[int, Meta(ge=-(2**62), le=2**62)]]
    author_of: list[_Index]
    authors: list[str]
    touch_commit: list[_Index]
    touch_path: list[_Index]
    paths: list[str]
    shallow: bool = False
    head: str = ""
    notes: list[str] = []
    author_names: list[str] = []


class _File(Struct):
    format: str
    version: int
    root: str
    nodes: list[_Node]
    edges: list[_Edge]
    report: _Report = msgspec.field(default_factory=_Report)
    history: _History | None = None


class _Head(Struct):
    format: Any = None
    version: Any = None


def graph_text(graph: Graph, history: History | None = None) -> Iterator[bytes]:
    """The JSON text of `graph` in UTF-8, in pieces; one line for each node and each relation."""
    head = b'{"format":%s,"version":%d,"root":%s,\n"nodes":[\n'
    yield head % (_encode(FORMAT), VERSION, _encode(graph.name))
    yield from _lines(_node_rows(graph))
    yield b'\n],\n"edges":[\n'
    yield from _lines(_edge_rows(graph))
    yield b'\n],\n"report":' + _encode(_report_row(graph.report))
    if history is not None:
        yield b',\n"history":{'
        for number, (name, column) in enumerate(history.items()):
            yield (b",\n" if number else b"\n") + _encode(name) + b":"
            yield from _column(column)
        yield b"\n}"
    yield b"}\n"


def read_graph(path: Path, budget: Budget) -> tuple[Graph, dict[str, Any] | None]:
    """The graph in the JSON file `path` (compressed or not), and its history columns if there are any.

    A file in the layout of `graph_text`, with one node or relation on a line, is read in pieces: a million nodes and
    five million relations take a gigabyte. Any other layout is read as a whole and takes five times as much.

    Raises Damaged if it is not a complete graph of a version that this program supports, OverBudget if it is too large,
    and OSError as usual.
    """
    try:
        return _read_in_pieces(path, budget)
    except _OtherLayout:
        budget.spent_size = budget.spent_count = 0
    parsed = _parse(read_content(path, budget), budget)
    nodes, edges = map(_node_record, _counted(parsed.nodes, budget)), map(_edge_record, _counted(parsed.edges, budget))
    return _graph(parsed.root, nodes, edges, parsed.report), _checked_history(parsed.history)


# -- writing ---------------------------------------------------------------------------------------------------


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # A file name that is not UTF-8 contains lone surrogates (PEP 383), which JSON must escape.
        return json.dumps(value, separators=(",", ":")).encode("ascii")


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    chunk: list[bytes] = []
    first = True
    for row in rows:
        chunk.append(_encode(row))
        if len(chunk) == _LINES_PER_CHUNK:
            yield (b"" if first else b",\n") + b",\n".join(chunk)
            chunk, first = [], False
    if chunk:
        yield (b"" if first else b",\n") + b",\n".join(chunk)


def _column(column: Any) -> Iterator[bytes]:
    if isinstance(column, str | bool):
        yield _encode(column)
        return
    yield b"["
    for start in range(0, len(column), _LINES_PER_CHUNK):
        part = _encode(list(column[start : start + _LINES_PER_CHUNK]))
        yield (b",\n" if start else b"") + part[1:-1]
    yield b"]"


def _number(value: float) -> float | int:
    """Integers without a decimal point; other numbers unchanged."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _node_rows(graph: Graph) -> Iterator[dict[str, Any]]:
    for name, column in graph.values.items():
        if np.isinf(column).any():
            raise ValueError(f"metric {name!r} has infinite values, for which JSON has no word")
    for node in node_records(graph):
        yield {
            **node,
            "line": node["line"] or None,
            "end_line": node["end_line"] or None,
            "metrics": {name: _number(value) for name, value in node["metrics"].items()},
        }


def _edge_rows(graph: Graph) -> Iterator[dict[str, Any]]:
    for edge in edge_records(graph):
        row: dict[str, Any] = {**edge, "weight": _number(edge["weight"])}
        if edge["when"] == _ALWAYS:
            del row["when"]
        yield row


def _report_row(report: Report) -> dict[str, Any]:
    row: dict[str, Any] = {
        "files": report.files,
        "skipped": [{"path": skipped.path, "reason": skipped.reason} for skipped in report.skipped],
        "parse_errors": list(report.parse_errors),
    }
    for name in ("notes", "entry_points", "lost_lines"):
        if found := getattr(report, name):
            row[name] = list(found)
    if report.languages:
        row["languages"] = [asdict(share) for share in report.languages]
    if report.configurations:
        row["configurations"] = [
            {"name": one.name, "entry_points": list(one.entry_points)} for one in report.configurations
        ]
    return row


# -- reading ---------------------------------------------------------------------------------------------------


class _OtherLayout(Exception):
    """The file has another layout than that of `graph_text`, or an error: it must be read as a whole."""


class _Tail(Struct):
    report: _Report = msgspec.field(default_factory=_Report)
    history: _History | None = None
    # Read before. Of repeated members JSON's last one counts, so a file that repeats one of these is read as a whole.
    format: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    version: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    root: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    nodes: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    edges: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_Row = TypeVar("_Row", _Node, _Edge)


def _read_in_pieces(path: Path, budget: Budget) -> tuple[Graph, dict[str, Any] | None]:
    lines = _Lines(pieces(path, budget))
    try:
        root = msgspec.json.decode(lines.head(_HEAD), type=str)
    except (msgspec.DecodeError, UnicodeError):
        raise _OtherLayout from None
    tail: list[_Tail] = []

    def edges() -> Iterator[EdgeRecord]:
        for edge in _rows(lines, _END_OF_EDGES, _Edge, budget):
            yield _edge_record(edge)
        tail.append(_tail(lines.rest(), budget))

    # The report follows after all relations.
    nodes = map(_node_record, _rows(lines, _END_OF_NODES, _Node, budget))
    graph = _graph(root, nodes, edges(), _Report())
    return graph.with_(report=_report(tail[0].report)), _checked_history(tail[0].history)


class _Lines:
    """Splits text, which arrives in pieces, at marks that hold a line end: none can lie inside a string of JSON."""

    def __init__(self, coming: Iterator[bytes]) -> None:
        self._coming = coming
        self._text = b""

    def _more(self) -> bool:
        piece = next(self._coming, b"")
        self._text += piece
        return bool(piece)

    def head(self, pattern: re.Pattern[bytes]) -> bytes:
        """The group of `pattern`, which must match at the beginning. Raises _OtherLayout if it does not."""
        self._more()
        self._text = self._text.removeprefix(codecs.BOM_UTF8)
        found = pattern.match(self._text)
        if found is None:
            raise _OtherLayout
        self._text = self._text[found.end() :]
        return found[1]

    def until(self, end: bytes) -> Iterator[bytes]:
        """Objects separated by commas, up to `end`. Raises _OtherLayout if one is too long, or `end` is missing."""
        while (place := self._text.find(end)) < 0:
            cut = self._text.rfind(b"},\n{")
            if cut >= 0:
                yield self._text[: cut + 1]
                self._text = self._text[cut + 3 :]
            elif len(self._text) > _LONGEST_LINE:
                raise _OtherLayout
            if not self._more():
                raise _OtherLayout
        yield self._text[:place]
        self._text = self._text[place + len(end) :]

    def rest(self) -> bytes:
        """The remaining text."""
        whole = BytesIO()
        whole.write(self._text)
        whole.writelines(self._coming)
        return whole.getvalue()


def _rows(lines: _Lines, end: bytes, kind: type[_Row], budget: Budget) -> Iterator[_Row]:
    decoder = msgspec.json.Decoder(list[kind])  # type: ignore[valid-type]  # the class of the rows
    for text in lines.until(end):
        objects = text.count(b"{")
        budget.spend(size=len(text) + _NODE_SIZE * objects if kind is _Node else len(text) // 6 + _EDGE_SIZE * objects)
        yield from _counted(_decoded(b"[" + text + b"]", decoder), budget)


def _decoded(text: bytes, decoder: msgspec.json.Decoder[list[_Row]]) -> list[_Row]:
    try:
        return decoder.decode(text)
    except msgspec.DecodeError as error:
        if "surrogate" not in str(error):
            raise _OtherLayout from None
    except (UnicodeError, RecursionError):
        raise _OtherLayout from None
    try:
        rows: list[_Row] = msgspec.convert(json.loads(text, parse_constant=_refuse_constant), type=decoder.type)
    except (ValueError, RecursionError):
        raise _OtherLayout from None
    return rows


def _tail(text: bytes, budget: Budget) -> _Tail:
    budget.spend(size=_cost_of(text))
    try:
        tail = msgspec.json.decode(b'{"report":' + text, type=_Tail)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise _OtherLayout from None
    if any(getattr(tail, name) is not msgspec.UNSET for name in ("format", "version", "root", "nodes", "edges")):
        raise _OtherLayout
    return tail


def _cost_of(text: bytes) -> int:
    """Approximate memory in bytes for the values in a JSON text; never much too low."""
    return 2 * len(text) + 60 * text.count(b",") + 300 * text.count(b"{")


def _counted(rows: Iterable[_Row], budget: Budget) -> Iterator[_Row]:
    """The rows, each counted against the budget."""
    for number, row in enumerate(rows, 1):
        if not number % _LINES_PER_CHUNK:
            budget.spend(count=_LINES_PER_CHUNK)
        yield row


def _parse(data: bytes, budget: Budget) -> _File:
    data = data.removeprefix(codecs.BOM_UTF8)
    budget.spend(size=_cost_of(data))
    try:
        return _typed(lambda kind: msgspec.json.decode(data, type=kind))
    except msgspec.DecodeError as error:
        # At the end of a text, a lone surrogate looks like truncation.
        cut = "truncated" in str(error) and rb"\u" in data[-16:]
        if "surrogate" not in str(error) and not cut:
            raise Damaged(_not_json(data, error)) from None
    except UnicodeDecodeError:
        raise Damaged("it is not UTF-8 text") from None
    except RecursionError:
        raise Damaged("it is nested too deeply") from None
    # File names that are not UTF-8 contain lone surrogates, which only the slower parser accepts.
    budget.spend(size=_cost_of(data))
    try:
        loaded = json.loads(data, parse_constant=_refuse_constant)
    except RecursionError:
        raise Damaged("it is nested too deeply") from None
    except ValueError as error:
        raise Damaged(_not_json(data, error)) from None
    return _typed(lambda kind: msgspec.convert(loaded, type=kind))


def _typed(convert: Callable[[Any], Any]) -> _File:
    """The result of `convert`; errors in format or version take precedence over types of other members."""
    try:
        parsed: _File = convert(_File)
        _check_head(_Head(parsed.format, parsed.version))
    except msgspec.ValidationError as error:
        with suppress(msgspec.ValidationError, UnicodeEncodeError):
            _check_head(convert(_Head))
        raise Damaged(_reason(error)) from None
    except UnicodeEncodeError:
        raise Damaged("the name of a member is not text: half of a pair of surrogates") from None
    return parsed


def _check_head(head: _Head) -> None:
    if head.format != FORMAT:
        raise Damaged(f'it is not a cbvtool graph (it does not say "format": "{FORMAT}")')
    if type(head.version) is not int or head.version < 1:
        raise Damaged(f"its version is {str(head.version)[:20]!r}, not a number from 1 up")
    if head.version > VERSION:
        raise Damaged(f"its version is {head.version}, and this cbvtool reads up to {VERSION}: update cbvtool")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _not_json(data: bytes, error: Exception) -> str:
    if not data.strip():
        return "it is empty"
    if "truncated" in str(error) or (isinstance(error, json.JSONDecodeError) and error.pos >= len(data.rstrip())):
        return "it is cut off"
    return f"it is not JSON ({_reason(error)})"


def _reason(error: Exception) -> str:
    text = str(error).removeprefix("JSON is malformed: ").replace("`", "")
    return text[:1].lower() + text[1:]


def _graph(name: str, nodes: Iterable[NodeRecord], edges: Iterable[EdgeRecord], report: _Report) -> Graph:
    try:
        return graph_of(name, nodes, edges, _report(report))
    except ValueError as error:
        raise Damaged(str(error)) from None


def _report(said: _Report) -> Report:
    return Report(
        files=said.files,
        skipped=tuple(Skipped(skipped.path, skipped.reason) for skipped in said.skipped),
        parse_errors=tuple(said.parse_errors),
        notes=tuple(said.notes),
        languages=tuple(LanguageShare(**msgspec.structs.asdict(share)) for share in said.languages),
        entry_points=tuple(said.entry_points),
        lost_lines=tuple(said.lost_lines),
        configurations=tuple(Configuration(one.name, tuple(one.entry_points)) for one in said.configurations),
    )


def _node_record(node: _Node) -> NodeRecord:
    return {
        "id": node.id,
        "parent": node.parent,
        "name": node.name,
        "kind": node.kind,
        "file": node.file,
        "line": node.line or 0,
        "end_line": node.end_line or 0,
        "metrics": node.metrics,
    }


def _edge_record(edge: _Edge) -> EdgeRecord:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": edge.kind,
        "weight": edge.weight,
        "confidence": edge.confidence,
        "when": edge.when or _ALWAYS,
        "sites": edge.sites,
    }


def _checked_history(history: _History | None) -> dict[str, Any] | None:
    if history is None:
        return None
    commits, touches = len(history.shas), len(history.touch_commit)
    for name, rows in {"times": commits, "author_of": commits, "touch_path": touches}.items():
        if len(getattr(history, name)) != rows:
            raise Damaged(f"the history column {name} has {len(getattr(history, name))} rows, not {rows}")
    for name, table in {"author_of": "authors", "touch_commit": "shas", "touch_path": "paths"}.items():
        if max(getattr(history, name), default=-1) >= len(getattr(history, table)):
            raise Damaged(f"the history column {name} points past the end of {table}")
    if len(history.author_names) not in (0, len(history.authors)):
        raise Damaged("the history column author_names does not fit authors")
    for name in ("times", "touch_commit"):
        column = getattr(history, name)
        if any(before > after for before, after in pairwise(column)):
            raise Damaged(f"the history column {name} is not ascending")
    columns = msgspec.structs.asdict(history)
    if not history.author_names:
        del columns["author_names"]
    return columns
