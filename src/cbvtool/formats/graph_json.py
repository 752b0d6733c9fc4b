"""Graphs from and to JSON, the format that `docs/formats.md` and `docs/graph.schema.json` describe.

Nothing that the graph says is lost: nodes, places, measured values, relations with their sites, the report,
and the history columns that came with it. Removed nodes, and relations that end at one, are not written. Node
order is canonical (preorder), so that the same graph is always the same text.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import msgspec
import numpy as np
from msgspec import Meta, Struct

from cbvtool.errors import InputError
from cbvtool.formats.content import Damaged, read_content
from cbvtool.graph import Graph, LanguageShare, Report, Skipped, When
from cbvtool.graph.records import WHEN, EdgeRecord, NodeRecord, edge_records, graph_of, node_records

FORMAT = "cbvtool-graph"
VERSION = 1

# The history of the subject as plain columns; `mining.changes.Changes` is made from it and gives it.
History = Mapping[str, Any]

_ALWAYS = WHEN[When.ALWAYS]
_LINES_PER_CHUNK = 2000
_MOST_CELLS = 500_000_000  # values, gaps included: a small file could ask for a column for each of its nodes

_WEIGHT_LIMIT = float(2**128 - 2**103)  # what is smaller rounds to a float32
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


class _Report(Struct):
    files: _Index = 0
    skipped: list[_Skipped] = []
    parse_errors: list[str] = []
    notes: list[str] = []
    languages: list[_Language] = []
    entry_points: list[str] = []
    lost_lines: list[_Index] = []


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
    """The JSON text of `graph` in UTF-8, in pieces; one node and one relation a line."""
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


def read_graph(path: Path) -> tuple[Graph, dict[str, Any] | None]:
    """The graph in the JSON file `path` (compressed or not), and its history columns if there are any.

    Raises InputError, naming the file and the reason, for everything that is not a complete graph of a version
    that this program knows.
    """
    try:
        parsed = _parse(read_content(path))
        graph = _graph(parsed)
        return graph, None if parsed.history is None else _checked_history(parsed.history)
    except Damaged as damage:
        raise InputError(f"{path} cannot be read as a graph: {damage}.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


# -- writing ---------------------------------------------------------------------------------------------------


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        # A file name that is not UTF-8 carries lone surrogates (PEP 383); JSON can only escape them.
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
    """Whole numbers without a decimal point; others as they are."""
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
    return row


# -- reading ---------------------------------------------------------------------------------------------------


def _parse(data: bytes) -> _File:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return _typed(lambda kind: msgspec.json.decode(data, type=kind))
    except msgspec.DecodeError as error:
        if "surrogate" not in str(error):
            raise Damaged(_not_json(data, error)) from None
    except UnicodeDecodeError:
        raise Damaged("it is not UTF-8 text") from None
    except RecursionError:
        raise Damaged("it is nested too deeply") from None
    # Names of files that are not UTF-8 stand there as lone surrogates, which only the slower reader takes.
    try:
        loaded = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"it is not JSON ({_reason(error)})") from None
    return _typed(lambda kind: msgspec.convert(loaded, type=kind))


def _typed(convert: Callable[[Any], Any]) -> _File:
    """What `convert` makes of the text; format and version are judged before the types of anything else."""
    try:
        parsed: _File = convert(_File)
        _check_head(_Head(parsed.format, parsed.version))
    except msgspec.ValidationError as error:
        with suppress(msgspec.ValidationError):
            _check_head(convert(_Head))
        raise Damaged(_reason(error)) from None
    return parsed


def _check_head(head: _Head) -> None:
    if head.format != FORMAT:
        raise Damaged(f'it is no graph of cbvtool (it does not say "format": "{FORMAT}")')
    if type(head.version) is not int or head.version < 1:
        raise Damaged(f"its version is {str(head.version)[:20]!r}, not a number from 1 up")
    if head.version > VERSION:
        raise Damaged(f"its version is {head.version}, and this cbvtool reads up to {VERSION}: update cbvtool")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _not_json(data: bytes, error: Exception) -> str:
    if not data.strip():
        return "it is empty"
    if "truncated" in str(error):
        return "it is cut off"
    return f"it is not JSON ({_reason(error)})"


def _reason(error: Exception) -> str:
    text = str(error).removeprefix("JSON is malformed: ").replace("`", "")
    return text[:1].lower() + text[1:]


def _graph(parsed: _File) -> Graph:
    report = Report(
        files=parsed.report.files,
        skipped=tuple(Skipped(skipped.path, skipped.reason) for skipped in parsed.report.skipped),
        parse_errors=tuple(parsed.report.parse_errors),
        notes=tuple(parsed.report.notes),
        languages=tuple(LanguageShare(**msgspec.structs.asdict(share)) for share in parsed.report.languages),
        entry_points=tuple(parsed.report.entry_points),
        lost_lines=tuple(parsed.report.lost_lines),
    )
    metrics = {name for node in parsed.nodes for name in node.metrics}
    if len(metrics) * len(parsed.nodes) > _MOST_CELLS:
        raise Damaged(f"it has {len(metrics):,} metrics of {len(parsed.nodes):,} nodes, which is too much to hold")
    try:
        return graph_of(parsed.root, map(_node_record, parsed.nodes), map(_edge_record, parsed.edges), report)
    except ValueError as error:
        raise Damaged(str(error)) from None


def _node_record(node: _Node) -> NodeRecord:
    return {
        "id": node.id, "parent": node.parent, "name": node.name, "kind": node.kind, "file": node.file,
        "line": node.line or 0, "end_line": node.end_line or 0, "metrics": node.metrics,
    }  # fmt: skip


def _edge_record(edge: _Edge) -> EdgeRecord:
    return {
        "source": edge.source, "target": edge.target, "kind": edge.kind, "weight": edge.weight,
        "confidence": edge.confidence, "when": edge.when or _ALWAYS, "sites": edge.sites,
    }  # fmt: skip


def _checked_history(history: _History) -> dict[str, Any]:
    commits, touches = len(history.shas), len(history.touch_commit)
    for name, rows in {"times": commits, "author_of": commits, "touch_path": touches}.items():
        if len(getattr(history, name)) != rows:
            raise Damaged(f"the history column {name} has {len(getattr(history, name))} rows, not {rows}")
    for name, table in {"author_of": "authors", "touch_commit": "shas", "touch_path": "paths"}.items():
        if max(getattr(history, name), default=-1) >= len(getattr(history, table)):
            raise Damaged(f"the history column {name} points past the end of {table}")
    for name in ("times", "touch_commit"):
        column = getattr(history, name)
        if any(before > after for before, after in pairwise(column)):
            raise Damaged(f"the history column {name} is not ascending")
    return msgspec.structs.asdict(history)
