"""`cbvtool trace duplicates`: unlike functions that call nearly the same, which may do the same (TD-10)."""

from __future__ import annotations

import argparse
import csv
import io
import json
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import add_format, add_output, node, place, share, whole
from cbvtool.cli.of_traces.trace_reading import TraceCommand, add_trace, node_ids, read_runs, written_place
from cbvtool.cli.output import DONE, check_result, counted, write_result
from cbvtool.errors import InputError
from cbvtool.words import harmless, one_line

if TYPE_CHECKING:
    from cbvtool.trace.compare.duplicates import Overlap
    from cbvtool.trace.model.profile import Profile

COLUMNS = ("similarity", "shared", "a", "a_file", "a_line", "only_a", "b", "b_file", "b_line", "only_b")


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "duplicates",
        _run,
        "list pairs of functions that call nearly the same functions, which may do the same",
        "cbvtool trace duplicates run --graph .",
        "cbvtool trace duplicates run --least 80% --fewest 5 --format csv",
    )
    add_trace(added)
    added.add_argument(
        "--least", type=share, default=0.5, metavar="SHARE", help="how much of what either calls both must call (50%%)"
    )
    added.add_argument(
        "--fewest", type=whole(1, 1_000_000), default=3, metavar="N", help="functions that both must call (3)"
    )
    added.add_argument(
        "--ignore", type=node, action="append", default=[], metavar="PATTERN", help="functions or files to leave out"
    )
    added.add_argument("--graph", type=place, metavar="PATH", help="folder or graph file: only functions that it holds")
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="the first N only")
    add_format(added, "text", "json", "csv")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.compare.duplicates import overlapping
    from cbvtool.trace.compare.runs.causes import MODULE
    from cbvtool.trace.compare.runs.deviations import fits_any
    from cbvtool.trace.compare.runs.paths import function_rows

    check_result(chosen, "list of duplicates")
    if chosen.least > 1.0:
        raise InputError("--least is a share of all that either calls: it is 100% at most.")
    (run, *more) = read_runs(chosen.path)
    if more:
        raise InputError(f"{chosen.path} is a folder of runs: name one of them.")
    rows = function_rows(run.functions)
    left_out = fits_any(rows, tuple(chosen.ignore))
    nodes = node_ids(rows, chosen.graph, own=True)
    among = {
        place
        for place, row in enumerate(rows)
        if not left_out[place] and row[0] != MODULE and (nodes is None or nodes[row])
    }
    found = overlapping(run, chosen.least, chosen.fewest, among)[: chosen.limit]
    write_result(chosen, {"json": _json, "csv": _csv, "text": _text}[chosen.format](found, run))
    return DONE


def _cells(pair: Overlap, run: Profile) -> tuple[Any, ...]:
    cells: list[Any] = [round(pair.similarity, 4), pair.shared]
    for row, alone in ((pair.one, pair.only_one), (pair.other, pair.only_other)):
        functions = run.functions
        cells += [functions.name[row], functions.file[row], int(functions.line[row]) or None, alone]
    return tuple(cells)


def _csv(found: list[Overlap], run: Profile) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for pair in found:
        cells = ("" if cell is None else cell for cell in _cells(pair, run))
        writer.writerow(harmless(cell) if isinstance(cell, str) else cell for cell in cells)
    return text.getvalue()


def _json(found: list[Overlap], run: Profile) -> str:
    pairs = [dict(zip(COLUMNS, _cells(pair, run), strict=True)) for pair in found]
    return json.dumps({"format": "cbvtool-duplicates", "pairs": pairs}, indent=1) + "\n"


def _text(found: list[Overlap], run: Profile) -> str:
    from cbvtool.trace.compare.runs.paths import function_rows

    rows = function_rows(run.functions)
    lines = [f"{counted(len(found), 'pair')} of functions with overlapping call trees"]
    for pair in found:
        one, other = (f"{rows[row][0]} ({written_place(rows[row])})" for row in (pair.one, pair.other))
        both = f"{pair.similarity:.0%}, {counted(pair.shared, 'function')} below both"
        lines.append(one_line(f"  {both}: {one} (+{pair.only_one:,}), {other} (+{pair.only_other:,})"))
    return "\n".join(lines) + "\n"
