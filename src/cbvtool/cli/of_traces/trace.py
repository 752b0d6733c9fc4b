"""`cbvtool trace`: its commands, each in a module of its own."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from cbvtool.cli.arguments import Command, Parser, examples
from cbvtool.cli.of_traces import (
    trace_aggregate,
    trace_callers,
    trace_convert,
    trace_info,
    trace_record,
    trace_render,
    trace_untested,
    trace_waits,
)


def add(command: Command) -> None:
    """Add the command and those below it."""
    added = command(
        "trace",
        None,
        "record programs, and read, list and convert traces of runs",
        "cbvtool trace record -o run -- python app.py",
        "cbvtool trace info run --graph .",
        "cbvtool trace convert chrome.json run.cbvtrace",
        "cbvtool trace render busy run -o busy.png",
    )
    commands = added.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def below(name: str, run: Callable[[argparse.Namespace], int], text: str, *shown: str) -> Parser:
        made: Parser = commands.add_parser(
            name,
            help=text,
            description=f"{text[:1].upper()}{text[1:]}.",
            epilog=examples(*shown),
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.add_argument(
            "--verbose", action="store_true", default=argparse.SUPPRESS, help="show where an error comes from"
        )
        made.set_defaults(run=run)
        return made

    reading = (trace_info, trace_callers, trace_waits, trace_aggregate, trace_untested)
    for module in (trace_record, *reading, trace_convert, trace_render):
        module.add(below)
