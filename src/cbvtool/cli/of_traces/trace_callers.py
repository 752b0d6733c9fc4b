"""`cbvtool trace callers`."""

from __future__ import annotations

import argparse
import csv
import io
import json
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import add_format, add_output, node
from cbvtool.cli.of_traces.trace_reading import SAMPLED, TraceCommand, add_restrictions, add_trace, read_restricted
from cbvtool.cli.output import DONE, check_result, counted, say, write_result
from cbvtool.errors import InputError
from cbvtool.words import harmless, one_line

if TYPE_CHECKING:
    from cbvtool.trace.making.callers import CallFigures, Neighbours, RecordedFunction

COLUMNS = ("relation", "name", "file", "line", "count", "total_ns", "self_ns")
_MOST_NAMES = 10  # of a name that means several functions


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "callers",
        _run,
        "list who calls a function, and whom it calls, with calls and times",
        "cbvtool trace callers run Cart.total",
        "cbvtool trace callers run.pstats shop/cart.py:12 --format csv",
    )
    add_trace(added)
    added.add_argument(
        "function", type=node, metavar="FUNCTION", help="its name, the end of it (Cart.total), or FILE:LINE"
    )
    add_restrictions(added)
    add_format(added, "text", "json", "csv")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.making.callers import functions_named, neighbours

    check_result(chosen, "table of callers")
    parts = read_restricted(chosen)
    found = functions_named(parts, chosen.function)
    if not found:
        raise InputError(
            f"No function of {chosen.path} is called {chosen.function}; `cbvtool trace calls` lists those there are."
        )
    if len(found) > 1:
        named = ", ".join(_place(each) for each in found[:_MOST_NAMES])
        rest = f" and {len(found) - _MOST_NAMES:,} more" if len(found) > _MOST_NAMES else ""
        raise InputError(
            f"{chosen.function} means {counted(len(found), 'function')}: {named}{rest}. Name one of them, or FILE:LINE."
        )
    if any(part.sampled for part in parts):
        say(SAMPLED)
    told = neighbours(parts, found[0])
    write_result(chosen, {"json": _json, "csv": _csv, "text": _text}[chosen.format](told))
    return DONE


def _rows(told: Neighbours) -> list[tuple[str, RecordedFunction, CallFigures]]:
    rows = [("itself", told.function, told.figures)]
    rows += [("caller", name, figures) for name, figures in told.callers]
    return rows + [("callee", name, figures) for name, figures in told.callees]


def _csv(told: Neighbours) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for relation, name, figures in _rows(told):
        cells = ("" if value < 0 else value for value in figures)
        writer.writerow((relation, harmless(name.name), harmless(name.file), name.line or "", *cells))
    return text.getvalue()


def _json(told: Neighbours) -> str:
    def row(name: RecordedFunction, figures: CallFigures) -> dict[str, Any]:
        known = {key: None if value < 0 else value for key, value in zip(COLUMNS[4:], figures, strict=True)}
        return {"name": name.name, "file": name.file, "line": name.line or None, **known}

    whole = {
        "format": "cbvtool-callers",
        "function": row(told.function, told.figures),
        "callers": [row(*each) for each in told.callers],
        "callees": [row(*each) for each in told.callees],
    }
    return json.dumps(whole, indent=1) + "\n"


def _text(told: Neighbours) -> str:
    from cbvtool.trace.model.durations import duration

    def cells(name: RecordedFunction, figures: CallFigures) -> tuple[str, str, str, str]:
        count = "?" if figures.calls < 0 else f"{figures.calls:,}"
        total, own = ("?" if value < 0 else duration(value) for value in figures[1:])
        return count, total, own, _place(name)

    parts = (("Called by", told.callers), ("Calls", told.callees))
    titles = ("Calls", "Total", "Self", "Function")
    head = cells(told.function, told.figures)
    rows = [head, titles, *(cells(*each) for _, listed in parts for each in listed)]
    wide = [max(len(row[column]) for row in rows) for column in range(3)]

    def line(row: tuple[str, str, str, str]) -> str:
        return "  ".join([*(cell.rjust(size) for cell, size in zip(row, wide, strict=False)), row[3]])

    lines = [f"Callers and callees of {head[3]}", "", line(titles), line(head)]
    for title, listed in parts:
        lines += ["", title if listed else f"{title}: nothing that was recorded"]
        lines += [line(cells(*each)) for each in listed]
    return "\n".join(lines) + "\n"


def _place(name: RecordedFunction) -> str:
    where = f" ({name.file}:{name.line})" if name.file and name.line else f" ({name.file})" if name.file else ""
    return one_line(f"{name.name}{where}")
