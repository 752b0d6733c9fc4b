"""`cbvtool trace`: its commands, each in a module of its own."""

from __future__ import annotations

from cbvtool.cli.arguments import Command, commands_below
from cbvtool.cli.of_traces import (
    trace_aggregate,
    trace_callers,
    trace_convert,
    trace_duplicates,
    trace_exclusions,
    trace_info,
    trace_record,
    trace_render,
    trace_subtract,
    trace_tests,
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
    below = commands_below(added)
    compared = (trace_subtract, trace_duplicates)
    reading = (trace_info, trace_callers, *compared, trace_waits, trace_aggregate, trace_untested, trace_tests)
    for module in (trace_record, trace_exclusions, *reading, trace_convert, trace_render):
        module.add(below)
