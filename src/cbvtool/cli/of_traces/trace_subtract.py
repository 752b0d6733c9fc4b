"""`cbvtool trace subtract`: calls of one run without those of others, as a selection (TD-10)."""

from __future__ import annotations

import argparse
import csv
import io
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from cbvtool.cli.arguments import add_format, add_output, place, whole
from cbvtool.cli.of_traces.trace_reading import NodeIds, TraceCommand, node_ids, read_runs, written_place
from cbvtool.cli.output import DONE, check_result, counted, write_result
from cbvtool.words import harmless, one_line

if TYPE_CHECKING:
    from cbvtool.trace.compare.subtraction import RemainingCalls

COLUMNS = ("name", "file", "line", "caller", "node", "calls", "own_ns")
_LONGEST_QUERY = 1_000  # characters that a query may have
_SPECIAL = frozenset(r"\.^$*+?{}[]|()/")


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "subtract",
        _run,
        "list the calls of a run that other runs do not make, such as those of one feature",
        "cbvtool trace subtract with-export without-export",
        "cbvtool trace subtract export import report --by pair --graph . --format json",
    )
    added.add_argument("path", type=place, metavar="A", help="a trace, or a folder of runs")
    added.add_argument("others", type=place, nargs="+", metavar="B", help="the same: calls that are taken away")
    added.add_argument(
        "--by",
        choices=("function", "pair", "path"),
        default="function",
        help="calls are the same by their function, by caller and function, or by the whole path (default: function)",
    )
    added.add_argument("--graph", type=place, metavar="PATH", help="folder or graph file: tell which nodes these are")
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="rows of text")
    add_format(added, "text", "json", "csv")
    add_output(added)


class _Told(NamedTuple):
    """The calls that remain, the node of each function (None = not asked for), and the nodes that are selected."""

    rows: list[RemainingCalls]
    nodes: NodeIds | None
    selected: list[str]


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.compare.runs.paths import call_paths
    from cbvtool.trace.compare.subtraction import functions_called, remaining_calls

    check_result(chosen, "list of remaining calls")
    runs = read_runs(chosen.path)
    paths = call_paths(runs, [run for path in chosen.others for run in read_runs(path)])
    rows = remaining_calls(paths, chosen.by)
    taken = list(functions_called(paths)) if chosen.by == "function" else []
    nodes = node_ids([*(one.function for one in rows), *taken], chosen.graph)
    selected = dict.fromkeys(nodes[one.function] for one in rows) if nodes else {}
    for id_ in ["", *(nodes[row] for row in taken if nodes)]:  # others may call the function around a lambda, too
        selected.pop(id_, None)
    write = {"json": _json, "csv": _csv, "text": _text}[chosen.format]
    write_result(chosen, write(_Told(rows, nodes, list(selected)), chosen))
    return DONE


def _cells(one: RemainingCalls, nodes: NodeIds | None) -> tuple[Any, ...]:
    name, _, file, line = one.function
    caller = one.path[-2][0] if len(one.path) > 1 else None
    return name, file, line or None, caller, nodes[one.function] if nodes else None, one.calls, round(one.own)


def _csv(told: _Told, chosen: argparse.Namespace) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in told.rows:
        cells = ("" if cell is None else cell for cell in _cells(one, told.nodes))
        writer.writerow(harmless(cell) if isinstance(cell, str) else cell for cell in cells)
    return text.getvalue()


def _json(told: _Told, chosen: argparse.Namespace) -> str:
    calls = [
        {**dict(zip(COLUMNS, _cells(one, told.nodes), strict=True)), "path": [row[0] for row in one.path]}
        for one in told.rows
    ]
    content = {
        "format": "cbvtool-remaining-calls",
        "by": chosen.by,
        "calls": calls,
        "nodes": told.selected if told.nodes is not None else None,
        "query": query_of(told.selected) if told.selected else None,
    }
    return json.dumps(content, indent=1) + "\n"


def query_of(ids: list[str]) -> str | None:
    """A query that finds the nodes of these ids alone; None = it would be longer than a query may be."""
    written = ("".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in id_) for id_ in ids)
    text = f"path:/^(?-i:{'|'.join(written)})$/"
    return text if len(text) <= _LONGEST_QUERY else None


def _text(told: _Told, chosen: argparse.Namespace) -> str:
    rows, nodes = told.rows, told.nodes
    shown = rows[: chosen.limit]
    noun = {"function": "function", "pair": "pair", "path": "call path"}[chosen.by]
    lines = [f"{counted(len(rows), noun)} of {one_line(str(chosen.path))} alone"]
    for one in shown:
        names = " > ".join(row[0] for row in one.path)
        where = (nodes[one.function] if nodes else "") or written_place(one.function)
        lines.append(one_line(f"  {counted(one.calls, 'call')}  {names}{f' ({where})' if where else ''}"))
    if len(rows) > len(shown):
        lines.append(f"  {len(rows) - len(shown):,} more")
    return "\n".join(lines) + "\n"
