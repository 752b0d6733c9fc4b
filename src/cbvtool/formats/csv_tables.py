"""CSV: a list of relations with a table of nodes in a second file, or only one of the two.

Columns are recognised by name (`source`, `target`, `kind`, `weight`, ...; `id`, `label`, `parent`, `kind`, ...). A list
of relations may have no names; then the first two columns count. Any other column of numbers is a metric. The
delimiter (comma, semicolon, tab, vertical bar) and the encoding are detected.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cbvtool.budget import Budget
from cbvtool.formats import attributes
from cbvtool.formats.attributes import metric_column, plain_number
from cbvtool.formats.content import Damaged, read_content, text_of
from cbvtool.formats.csv_rows import csv_rows
from cbvtool.formats.foreign import Foreign
from cbvtool.graph import Graph, When
from cbvtool.graph.records import WHEN, edge_records, node_records
from cbvtool.words import harmless

EDGE_HEADER = ("source", "target", "kind", "weight", "confidence", "when")
NODE_HEADER = ("id", "label", "parent", "kind", "file", "line", "end_line")

# Lower-case names; if several occur, the earlier one counts.
_SOURCE = ("source", "from", "src", "caller", "importer", "quelle", "von")
_TARGET = ("target", "to", "dst", "destination", "callee", "imported", "ziel", "nach")
_ID = ("id", "node", "key", "path", "name", "file", "module", "component", "class", "entity", "label")
_TAKEN = {*_SOURCE, *_TARGET, *_ID}
_OURS = tuple(",".join(header) for header in (EDGE_HEADER, NODE_HEADER))
_DELIMITERS = ",;\t|"
_SAMPLE = 20_000  # characters from which the delimiter is detected
_COMMA_NUMBER = re.compile(r"-?\d+,\d+")
_TELLING = {name for names in attributes.EDGE.values() for name in names}
_NODES, _EDGES = ("nodes", "metrics"), ("edges", "relations", "links", "dependencies")
_SORT = re.compile(rf"(.*?)([._-]?)({'|'.join(_NODES + _EDGES)})", re.IGNORECASE | re.DOTALL)
# Control characters, which a terminal or spreadsheet may execute, are escaped as in Office Open XML: _x001B_.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|_(?=x[0-9A-F]{4}_)")
_ESCAPED = re.compile(r"_x([0-9A-F]{4})_")
_TO_QUOTE = re.compile(r'[,;|"\t\r\n]|\A\s|\s\Z')


class _Table(NamedTuple):
    """Names of columns as written and in lower case, non-empty rows, and whether cbvtool has written the table."""

    header: list[str]
    lower: list[str]
    rows: Iterator[list[str]]
    ours: bool

    def column(self, names: Sequence[str], but: Collection[int] = ()) -> int:
        """Index of the first of `names` that exists; -1 = none, or only a column in `but`."""
        places = (self.lower.index(name) for name in names if name in self.lower)
        return next((place for place in places if place not in but), -1)

    @property
    def is_edge_list(self) -> bool:
        """Whether the rows are relations, not nodes."""
        return self.column(_SOURCE) >= 0 and self.column(_TARGET) >= 0


def read(data: bytes, path: Path, budget: Budget) -> Graph:
    """The graph in the CSV file `path` with the content `data`, and in its companion file, if there is one.

    Raises Damaged, OverBudget, or OSError if the companion cannot be read.
    """
    tables = [_table(text_of(data, budget))]
    beside = next((file for file in _companions(path) if file.is_file()), None)
    if beside is not None:
        tables.append(_table(text_of(read_content(beside, budget), budget)))
    foreign = Foreign(_parts(path)[0], budget)
    for table in sorted(tables, key=lambda table: table.is_edge_list):
        (_read_edges if table.is_edge_list else _read_nodes)(foreign, table)
    return foreign.graph()


def begins(start: bytes) -> bool:
    """Whether a file that starts like this, of unknown suffix, is a list of relations."""
    first = re.split(rb"[\r\n]", start.removeprefix(codecs.BOM_UTF8), maxsplit=1)[0].lower()
    names = [name.strip(b' "') for name in re.split(rb"[,;\t|]", first)]
    return b"source" in names and b"target" in names


# -- the table -----------------------------------------------------------------------------------------------------


def _table(text: str) -> _Table:
    ours = text.startswith(_OURS)
    delimiter = _delimiter(text)

    def rows() -> Iterator[list[str]]:
        found = (row for _, row in csv_rows(text, delimiter) if any(row))
        return map(_unguarded, found) if ours else ([cell.strip() for cell in row] for row in found)

    coming = rows()
    header = next(coming, None)
    if header is None:
        raise Damaged("it is empty")
    named = _Table(header, [name.lower() for name in header], coming, ours)
    if named.is_edge_list or named.column(_ID) >= 0:
        return named
    header, without_first = _guessed_header(rows())
    coming = rows()
    if without_first:
        next(coming)
    return _Table(header, header, coming, False)


def _guessed_header(rows: Iterator[list[str]]) -> tuple[list[str], bool]:
    """Names for columns that have none, or only unknown ones; and whether the first row is a header."""
    widest, first_is_number = 0, None
    any_number, others_are, others = False, True, 0
    for row in rows:
        widest = max(widest, len(row))
        if len(row) > 2:
            is_number = _number(row[2]) is not None
            any_number |= is_number
            if first_is_number is None:
                first_is_number = is_number
            else:
                others += 1
                others_are &= is_number
    if widest < 2:
        raise Damaged("it has one column, and no names of columns that tell what it holds (id; source and target)")
    has_header = others > 0 and first_is_number is False and others_are
    return ["source", "target", *(["weight"] if any_number else [])], has_header


def _delimiter(text: str) -> str:
    """The character that splits the first lines into the same number of columns, as many as possible."""
    if text.startswith(_OURS):
        return ","

    def evenness(delimiter: str) -> tuple[float, int]:
        columns = Counter(len(row) for _, row in csv_rows(text[:_SAMPLE], delimiter) if row)
        width, lines = max(columns.items(), key=lambda item: item[1], default=(1, 0))
        return (lines / max(columns.total(), 1) if width > 1 else 0.0, width)

    return max(_DELIMITERS, key=evenness)


# -- reading -----------------------------------------------------------------------------------------------------


def _read_edges(foreign: Foreign, table: _Table) -> None:
    ends = source, target = table.column(_SOURCE), table.column(_TARGET)
    names = [name if at not in ends else "" for at, name in enumerate(table.lower)]
    telling = [(name, at) for at, name in enumerate(names) if name in _TELLING]
    left_out = 0
    for row in table.rows:
        # In our tables, an empty id is the root.
        if len(row) <= max(ends) or not (table.ours or (row[source] and row[target])):
            left_out += 1
            continue
        ends_ = foreign.key(row[source]), foreign.key(row[target])
        if telling:
            foreign.relate_by(*ends_, {name: _point(row[at]) for name, at in telling if at < len(row)})
        else:
            foreign.relate(*ends_)
    foreign.note(left_out, "row is", "rows are", "left out: they do not name two nodes")


def _read_nodes(foreign: Foreign, table: _Table) -> None:
    at = max(table.column(_ID), 0)
    foreign.structured |= table.column(attributes.NODE["parent"], (at,)) >= 0
    columns = [name if number != at else "" for number, name in enumerate(table.header)]
    left_out = 0
    for row in table.rows:
        node = row[at] if at < len(row) else ""
        if not (node or table.ours):
            left_out += 1
            continue
        key = foreign.add(node, once=True)
        given = {name: text for name, text in zip(columns, row, strict=False) if name and text}
        if not table.ours:
            given = {name: _point(text) for name, text in given.items()}
        foreign.describe(key, given)
    foreign.note(left_out, "row is", "rows are", "left out: they do not name a node")


def _point(text: str) -> str:
    """A number with a decimal comma, rewritten with a point; any other text unchanged."""
    return text.replace(",", ".") if "," in text and _COMMA_NUMBER.fullmatch(text) else text


def _number(text: str) -> float | None:
    return attributes.number(_point(text)) if text else None


# -- the file beside -----------------------------------------------------------------------------------------------


def nodes_file(path: Path) -> Path:
    """Path of the table of nodes that belongs to the list of relations `path`."""
    stem, suffix = _parts(path)
    found = _SORT.fullmatch(stem)
    stem = found[1] + found[2] if found and found[3].lower() in _EDGES else f"{stem}."
    return path.with_name(f"{stem}{_NODES[0]}{suffix}")


def _companions(path: Path) -> Iterator[Path]:
    """Files that may belong to `path`, the likeliest first."""
    stem, suffix = _parts(path)
    found = _SORT.fullmatch(stem)
    if found is None:
        stems = [stem + joint + word for word in _NODES for joint in ".-_"]
    elif found[3].lower() in _EDGES:
        stems = [found[1] + found[2] + word for word in _NODES]
    else:
        stems = [*([found[1]] if found[1] else []), *(found[1] + found[2] + word for word in _EDGES)]
    yield from (path.with_name(stem + suffix) for stem in stems)


def _parts(path: Path) -> tuple[str, str]:
    """Name without the suffix, and the suffix (`.csv`, `.tsv.gz`)."""
    name = path.name
    end = name[-3:] if name.lower().endswith(".gz") else ""
    inner = Path(name.removesuffix(end))
    return inner.stem, inner.suffix + end


# -- writing -----------------------------------------------------------------------------------------------------


def edges_text(graph: Graph) -> Iterator[str]:
    """The list of relations of `graph`, in pieces."""
    yield _line(EDGE_HEADER)
    for edge in edge_records(graph):
        when = "" if edge["when"] == WHEN[When.ALWAYS] else edge["when"]
        weight = plain_number(edge["weight"])
        ends = _guarded(edge["source"]), _guarded(edge["target"])
        yield _line((*ends, _guarded(edge["kind"]), weight, edge["confidence"], when))


def nodes_text(graph: Graph) -> Iterator[str]:
    """The table of nodes of `graph`, the root first, in pieces: one column for each metric."""
    metrics = sorted(graph.values)
    yield _line((*NODE_HEADER, *(_guarded(metric_column(metric, _TAKEN)) for metric in metrics)))
    for node in node_records(graph):
        places = (str(node[place] or "") for place in ("line", "end_line"))
        values = (plain_number(node["metrics"][metric]) if metric in node["metrics"] else "" for metric in metrics)
        texts = node["id"], node["name"], node["parent"] or "", node["kind"], node["file"] or ""
        yield _line((*map(_guarded, texts), *places, *values))


def _line(cells: Sequence[str]) -> str:
    return ",".join(map(_quoted, cells)) + "\n"


def _guarded(cell: str) -> str:
    """`cell`, escaped so that a spreadsheet does not take it for a formula, nor a terminal for a command.

    See `_unguarded`.
    """
    bare = cell.lstrip("'")
    if harmless(bare) != bare:
        cell = f"'{cell}"
    return _CONTROL.sub(lambda found: f"_x{ord(found[0]):04X}_", cell)


def _unguarded(row: list[str]) -> list[str]:
    """A row written by cbvtool, with the escapes of `_guarded` removed."""
    return [_plain(cell) if cell[:1] == "'" or "_x" in cell else cell for cell in row]


def _plain(cell: str) -> str:
    cell = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), cell)
    bare = cell.lstrip("'")
    return cell[1:] if cell != bare and harmless(bare) != bare else cell


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _TO_QUOTE.search(cell) else cell
