"""`cbvtool query`."""

from __future__ import annotations

import argparse
import sys

from cbvtool.cli.arguments import (
    WHEN,
    Command,
    add_format,
    add_output,
    add_path,
    add_reading,
    date,
    listed,
    moment,
    whole,
)
from cbvtool.cli.output import DONE, STDOUT, check_result, print_line, write_result
from cbvtool.cli.reading import counted_lines, open_into
from cbvtool.errors import InputError

_OF_LINES = {"churn", "added_lines", "deleted_lines"}  # metrics that need a second reading of the history


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "query",
        _run,
        "list what an expression finds, with the metrics that it asks about, the first one deciding",
        "cbvtool query . 'kind:file and commits > 10 and complexity > 50' --since 1y",
        "cbvtool query graph.json 'path:src/ and nl3 > 20%' --metrics sloc,authors --format csv -o nested.csv",
        "cbvtool query . 'not kind:file and fan_in >= 10' --limit 20",
        "cbvtool query . '/^test_.*slow/'",
    )
    add_path(added)
    added.add_argument(
        "expression",
        metavar="EXPRESSION",
        help="words, /regular expression/, kind:, path:, comparisons of metrics and of classes (language == Go); and, "
        "or, not, parentheses",
    )
    added.add_argument("--metrics", type=listed, default=[], metavar="NAMES", help="also tell these, as a,b,c")
    added.add_argument("--since", type=date, metavar="WHEN", help=f"history from then on: {WHEN}")
    added.add_argument("--until", type=date, metavar="WHEN", help=f"history up to then, that day included: {WHEN}")
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="the first N only")
    add_format(added, "text", "csv", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.asking import table
    from cbvtool.asking.expression import measures, metric_of, parse
    from cbvtool.asking.search import Matches, search
    from cbvtool.extensions import discover
    from cbvtool.metrics.metric import Subject
    from cbvtool.metrics.values import Values
    from cbvtool.session import Session

    check_result(chosen, "answer")
    session = Session(discover()[0].metrics)
    open_into(session, chosen)
    assert session.project is not None
    changes = session.project.changes
    end = int(changes.time[-1]) if changes is not None and len(changes.time) else None
    since, until = moment(chosen.since, end), moment(chosen.until, end, last=True)
    values = Values(Subject(session.graph, changes, since, until), session.metrics)
    query = parse(chosen.expression, values.metrics)
    if query is None:
        raise InputError("The query is empty: name what to look for, such as 'kind:file and commits > 10'.")
    names = [*measures(query), *(metric_of(word, values.metrics) for word in chosen.metrics)]
    if set(names) & _OF_LINES:
        changes = counted_lines(changes, session.project.path)
        values = Values(Subject(session.graph, changes, since, until), session.metrics)
    metrics = [values.metrics[name] for name in dict.fromkeys(names) if name != "kind"]  # the kind is always listed
    found = search(session.graph, query, values)
    count = len(found.keys)
    found = Matches(found.keys[: chosen.limit], found.metric)
    if chosen.format == "json":
        text = table.to_json(session.graph, found, metrics, values, chosen.expression)
    else:
        write = table.to_csv if chosen.format == "csv" else table.to_text
        text = write(session.graph, found, metrics, values)
    if count or chosen.format != "text" or chosen.output not in (None, STDOUT):
        write_result(chosen, text)
    if chosen.format == "text":
        shown = f", {chosen.limit:,} of them shown" if count > len(found.keys) else ""
        print_line(f"{count:,} {'match' if count == 1 else 'matches'}{shown}", sys.stderr)
    return DONE
