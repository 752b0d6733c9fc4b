"""`cbvtool trace untested`: where a test is worth most (NEW-14)."""

from __future__ import annotations

import argparse
import csv
import io
import json
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import WHEN, add_format, add_output, add_path, add_reading, date, moment, place, whole
from cbvtool.cli.of_traces.trace_reading import TraceCommand
from cbvtool.cli.output import DONE, check_result, progress, write_result
from cbvtool.cli.reading import open_into
from cbvtool.words import harmless, one_line

if TYPE_CHECKING:
    from cbvtool.graph import Graph
    from cbvtool.trace.coverage.where_to_test import TestCandidate

COLUMNS = ("path", "worth", "complexity", "commits", "covered")


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "untested",
        _run,
        "rank files by complexity x commits x what no run reached: where a test is worth most",
        "cbvtool trace untested coverage.json .",
        "cbvtool trace untested run . --since 1y --limit 20 --format csv",
    )
    added.add_argument(
        "recording", type=place, metavar="FILE", help="trace, profile or coverage report (coverage.py, Cobertura, lcov)"
    )
    add_path(added)
    added.add_argument("--since", type=date, metavar="WHEN", help=f"commits from then on: {WHEN}")
    added.add_argument("--until", type=date, metavar="WHEN", help=f"commits up to then: {WHEN}")
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="the first N only")
    add_format(added, "text", "json", "csv")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    import numpy as np

    from cbvtool.extensions import discover
    from cbvtool.metrics.metric import Subject
    from cbvtool.metrics.run_time import COVERAGE
    from cbvtool.metrics.values import Values
    from cbvtool.session import Session
    from cbvtool.session.traces.files import imported
    from cbvtool.trace.coverage.where_to_test import where_to_test

    check_result(chosen, "list of untested files")
    with progress() as shown:
        recording = imported(chosen.recording, shown)
    session = Session(discover()[0].metrics)
    open_into(session, chosen)
    assert session.project is not None
    session.traces.add(recording)
    session.traces.settle()
    graph, changes = session.planned, session.project.changes
    end = int(changes.time[-1]) if changes is not None and len(changes.time) else None
    since, until = moment(chosen.since, end), moment(chosen.until, end, last=True)
    values = Values(Subject(graph, changes, since, until), session.metrics)
    known = np.isfinite(values["commits"]).any()
    often = values["commits"] if known else np.ones(len(graph))
    found = where_to_test(graph, values["complexity"], often, values[COVERAGE] / 100)[: chosen.limit]
    write = {"json": _json, "csv": _csv, "text": _text}[chosen.format]
    write_result(chosen, write(graph, found, bool(known)))
    return DONE


def _cells(graph: Graph, one: TestCandidate, known: bool) -> tuple[Any, ...]:
    commits = one.changes if known else None
    return graph.ids[one.key], round(one.score, 3), one.complexity, commits, round(one.covered, 4)


def _csv(graph: Graph, found: list[TestCandidate], known: bool) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in found:
        path, *rest = _cells(graph, one, known)
        writer.writerow((harmless(path), *rest))
    return text.getvalue()


def _json(graph: Graph, found: list[TestCandidate], known: bool) -> str:
    rows = [dict(zip(COLUMNS, _cells(graph, one, known), strict=True)) for one in found]
    return json.dumps({"format": "cbvtool-untested", "files": rows}, indent=1) + "\n"


def _text(graph: Graph, found: list[TestCandidate], known: bool) -> str:
    titles = ("Worth", "Complexity", "Commits", "Not run", "File")
    rows = [
        (
            f"{one.score:,.0f}",
            f"{one.complexity:,.0f}",
            f"{one.changes:,.0f}" if known else "?",
            f"{1 - one.covered:.0%}",
            one_line(graph.ids[one.key]),
        )
        for one in found
    ]
    wide = [max(len(row[column]) for row in (titles, *rows)) for column in range(4)]
    lines = [
        "  ".join([*(cell.rjust(size) for cell, size in zip(row, wide, strict=False)), row[4]])
        for row in (titles, *rows)
    ]
    return "\n".join(lines) + "\n"
