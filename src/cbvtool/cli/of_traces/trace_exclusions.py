"""`cbvtool trace exclusions`: which functions to leave out of the next recording (TR-2)."""

from __future__ import annotations

import argparse

from cbvtool.cli.arguments import add_output, whole
from cbvtool.cli.of_traces.trace_reading import TraceCommand, add_trace, read_parts
from cbvtool.cli.output import DONE, check_result, write_result
from cbvtool.errors import InputError


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "exclusions",
        _run,
        "propose functions not to record: those called often for a short time; edit the file, then record again",
        "cbvtool trace exclusions run -o exclusions.txt",
        "cbvtool trace record -o run --exclude-file exclusions.txt -- python app.py",
    )
    add_trace(added)
    added.add_argument(
        "--calls",
        type=whole(1, 10**9 - 1),
        default=10_000,
        metavar="N",
        help="called at least so often (default: 10000)",
    )
    added.add_argument(
        "--mean",
        type=whole(0, 10**9 - 1),
        default=2_000,
        metavar="NS",
        help="taking at most so long (default: 2000 ns)",
    )
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.record.selection import exclusion_text, proposed, ranked

    check_result(chosen, "list of exclusions")
    traces = [part for part in read_parts(chosen) if isinstance(part, Trace)]
    if not traces:
        raise InputError(f"{chosen.path} is a profile: only a trace tells how long each call took.")
    rows = {row.pattern: row for one in traces for row in proposed(ranked(one), chosen.calls, chosen.mean)}
    write_result(chosen, exclusion_text(rows.values()))
    return DONE
