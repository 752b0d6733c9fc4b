"""`cbvtool trace tests`: which tests reach which files (NEW-14)."""

from __future__ import annotations

import argparse
import csv
import io
import json

from cbvtool.cli.arguments import add_format, add_output, add_path, add_reading, place
from cbvtool.cli.of_traces.trace_reading import TraceCommand
from cbvtool.cli.output import DONE, check_result, counted, progress, write_result
from cbvtool.cli.reading import open_into
from cbvtool.errors import InputError
from cbvtool.words import harmless, one_line

COLUMNS = ("path", "test", "calls")


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "tests",
        _run,
        "list which test functions reached which files in a recorded run of tests",
        "cbvtool trace record -o run -- -m pytest && cbvtool trace tests run .",
        "cbvtool trace tests run . --format csv",
    )
    added.add_argument("recording", type=place, metavar="FILE", help="trace of a run of tests")
    add_path(added)
    add_format(added, "text", "json", "csv")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.rules import files
    from cbvtool.session import Session
    from cbvtool.session.traces.files import imported
    from cbvtool.trace.coverage.reached_by import modules_reached, test_functions

    check_result(chosen, "list of tests")
    with progress() as shown:
        recording = imported(chosen.recording, shown)
    session = Session()
    open_into(session, chosen)
    session.traces.add(recording)
    session.traces.settle()
    graph = session.planned
    tests = test_functions(graph)
    opened = [(one.trace, one.laid.map) for one in session.traces.opened if one.laid is not None]
    if not opened:
        raise InputError(f"{chosen.recording} is no trace: only a trace tells which calls a test made.")
    found = modules_reached(opened, graph, tests, files(graph))
    rows = [(graph.ids[file], graph.ids[test], calls) for file, test, calls in found]
    write_result(chosen, {"json": _json, "csv": _csv, "text": _text}[chosen.format](rows))
    return DONE


def _csv(rows: list[tuple[str, str, int]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((harmless(file), harmless(test), calls) for file, test, calls in rows)
    return text.getvalue()


def _json(rows: list[tuple[str, str, int]]) -> str:
    found = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return json.dumps({"format": "cbvtool-tests", "reached": found}, indent=1) + "\n"


def _text(rows: list[tuple[str, str, int]]) -> str:
    lines = []
    for file in dict.fromkeys(row[0] for row in rows):
        of_file = [row for row in rows if row[0] == file]
        lines.append(f"{one_line(file)}: reached by {counted(len(of_file), 'test')}")
        lines += [f"  {one_line(test)} ({counted(calls, 'call')})" for _, test, calls in of_file]
    return "\n".join(lines or ["No test reached a file of this project."]) + "\n"
