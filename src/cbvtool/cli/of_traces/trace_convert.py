"""`cbvtool trace convert`."""

from __future__ import annotations

import argparse
from pathlib import Path

from cbvtool.cli.arguments import place
from cbvtool.cli.of_traces.trace_reading import TraceCommand, add_restrictions, add_trace, read_restricted
from cbvtool.cli.output import DONE, progress, say
from cbvtool.errors import InputError

# As `trace.store.writing` has them; the parser does not wait for NumPy.
_FORMATS = ("folder", "parquet", "chrome", "speedscope")


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "convert",
        _run,
        "write a trace or profile in another format, or a part of it",
        "cbvtool trace convert run.json run.cbvtrace",
        "cbvtool trace convert run.cbvtrace slow.json --window 1.5s..2s --threads MainThread",
        "cbvtool trace convert run.cbvtrace tables.parquet",
        "cbvtool trace convert callgrind.out.1 run.speedscope.json",
    )
    add_trace(added)
    added.add_argument(
        "output",
        type=place,
        metavar="OUT",
        help="a folder, or by its ending .parquet (a folder), .json, .speedscope.json; .gz behind .json compresses",
    )
    added.add_argument("--to", choices=_FORMATS, help="the format (default: by the ending of OUT)")
    add_restrictions(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.trace.store.writing import trace_format, write_traces

    to = chosen.to or trace_format(chosen.output)
    _check(chosen.path, chosen.output, to)
    parts = read_restricted(chosen)
    with progress() as shown:
        lost = write_traces(chosen.output, parts, to, shown)
    for what, count in lost.items():
        say(f"The format cannot say, and the file leaves out: {count:,} {what}.")
    return DONE


def _check(source: Path, output: Path, to: str) -> None:
    """Before any slow work: the output can be written, and nothing else is lost by it. Raises InputError."""
    from cbvtool.formats.replaceable import check_output

    if to in ("chrome", "speedscope"):
        check_output(output, source, "trace file")
        return
    if source.exists() and output.exists() and output.samefile(source):
        raise InputError(f"{output} is what is read: choose another name for the result.")
    if not output.parent.is_dir():
        raise InputError(f"{output} cannot be written: there is no folder {output.parent}.")
