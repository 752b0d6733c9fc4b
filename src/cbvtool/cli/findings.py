"""`cbvtool findings`."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import (
    WHEN,
    Command,
    add_format,
    add_modules,
    add_output,
    add_path,
    add_reading,
    date,
    moment,
    whole,
)
from cbvtool.cli.output import DONE, check_result, write_result
from cbvtool.cli.reading import open_into
from cbvtool.findings.kinds import KINDS


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "findings",
        _run,
        "say what is worth a look, the most important first: hot spots, cycles with their cheapest cuts, broken rules, "
        "unused code, and what has grown too large or entangled",
        "cbvtool findings ~/src/flask",
        "cbvtool findings . --kind cycle --format json -o cycles.json",
        "cbvtool findings . --since 1y --limit 10 --format markdown",
    )
    add_path(added)
    added.add_argument("--kind", nargs="+", action="extend", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    added.add_argument("--tests", action="store_true", help="also look at tests")
    added.add_argument("--since", type=date, metavar="WHEN", help=f"history from then on (default: 6m): {WHEN}")
    added.add_argument("--until", type=date, metavar="WHEN", help=f"history up to then: {WHEN}")
    added.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="the first N only")
    add_format(added, "text", "json", "markdown")
    add_output(added)
    add_modules(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.cli.output import progress
    from cbvtool.findings.finding import Examined
    from cbvtool.findings.hot_spots import headline
    from cbvtool.findings.ranked import findings
    from cbvtool.findings.written import to_json, to_markdown, to_text
    from cbvtool.rules import Rules, read_rules
    from cbvtool.session import Session

    check_result(chosen, "list of findings")
    session = Session()
    open_into(session, chosen)
    assert session.project is not None
    changes, path = session.project.changes, session.project.path
    end = int(changes.time[-1]) if changes is not None and len(changes.time) else None
    since, until = (moment(text, end) for text in (chosen.since, chosen.until))
    rules = read_rules(path) if path.is_dir() else Rules()
    with progress() as shown:
        examined = Examined(
            session.graph,
            changes,
            rules,
            chosen.tests,
            since,
            until,
            progress=shown,
            modules=session.view.modules,
            base=session.state.pair[0],
        )
        found = findings(examined)
        said = headline(examined)
    if chosen.kind:
        found = [one for one in found if one.kind in chosen.kind]
    found = found[: chosen.limit]
    write = {"text": to_text, "json": to_json, "markdown": to_markdown}[chosen.format]
    write_result(chosen, write(session.graph, found, said))
    return DONE
