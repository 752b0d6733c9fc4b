"""`cbvtool trace record`."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from cbvtool.cli.arguments import place, whole
from cbvtool.cli.of_traces.trace_reading import TraceCommand
from cbvtool.cli.output import progress, say

_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(us|ms|s|m|h)?")
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "record",
        _run,
        "run a Python program, and record its calls",
        "cbvtool trace record -o run -- python app.py --fast",
        "cbvtool trace record -o runs --repeat 10 -- pytest tests",
        "cbvtool trace record -o end --last 30s -- python -m server",
        "cbvtool trace record -o look --sample 5ms -- python app.py",
    )
    added.add_argument("-o", "--output", type=place, metavar="FOLDER", required=True, help="receives the recording")
    added.add_argument("--repeat", type=whole(1, 10_000), metavar="N", help="run N times, into FOLDER/1 to FOLDER/N")
    cpu = added.add_mutually_exclusive_group()
    cpu.add_argument("--cpu-time", action="store_true", default=None, help="also CPU times (with --repeat: on)")
    cpu.add_argument("--no-cpu-time", dest="cpu_time", action="store_false", help="without it")
    added.add_argument("--cpu-depth", type=whole(1, 65_535), metavar="N", help="CPU times above this depth only")
    begin = added.add_argument_group("when")
    begin.add_argument("--delay", type=seconds, metavar="TIME", help="begin so long after the start, such as 2s")
    begin.add_argument("--duration", type=seconds, metavar="TIME", help="record for so long")
    begin.add_argument("--paused", action="store_true", help="begin when told, by --signal or by the program")
    begin.add_argument("--signal", metavar="NAME", help="a signal that starts and stops, such as USR2")
    begin.add_argument("--last", type=seconds, metavar="TIME", help="keep only so long before the end, such as 30s")
    what = added.add_argument_group("what")
    what.add_argument("--sample", type=seconds, metavar="TIME", help="stacks of all threads every so often, no calls")
    what.add_argument("--limit", type=whole(1, 10**9 - 1), metavar="N", help="N calls of a function, no more")
    what.add_argument("--exclude", action="append", metavar="PATTERN", help="not these functions; may be given again")
    what.add_argument("--exclude-file", type=place, metavar="FILE", help="a file of such patterns, one a line")
    what.add_argument("--c-functions", action="store_true", help="also functions that are not Python, and I/O")
    what.add_argument("--no-objects", action="store_true", help="no waits for locks, conditions, queues and events")
    what.add_argument(
        "--arguments", type=whole(1, 100_000), metavar="N", help="arguments and results, N characters of each at most"
    )
    added.add_argument("program", nargs="+", metavar="-- PROGRAM", help="what is run, with its arguments")


def seconds(text: str) -> float:
    """A type of arguments: a length of time, in seconds without a unit."""
    found = _TIME.fullmatch(text)
    value = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a length of time such as 30s, 5ms or 2m")
    return value


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.mining import head_commit, is_dirty
    from cbvtool.trace.record.launch import record
    from cbvtool.trace.record.options import CAVEAT, RecordOptions

    here = Path.cwd()
    options = RecordOptions(
        chosen.output,
        repeat=chosen.repeat or 0,
        cpu_time=chosen.cpu_time,
        cpu_depth=chosen.cpu_depth or 0,
        delay=chosen.delay or 0.0,
        duration=chosen.duration or 0.0,
        paused=chosen.paused,
        signal=chosen.signal or "",
        last=chosen.last or 0.0,
        sample=chosen.sample or 0.0,
        limit=chosen.limit or 0,
        exclude=tuple(chosen.exclude or ()),
        exclude_file=chosen.exclude_file,
        c_functions=chosen.c_functions,
        objects=not chosen.no_objects,
        arguments=chosen.arguments or 0,
        commit=head_commit(here),
        dirty=is_dirty(here),
    )
    with progress() as shown:
        recorded = record(options, chosen.program, shown)
    for warning in recorded.warnings:
        say(warning)
    if not recorded.warnings:
        say(f"Recorded into {chosen.output}; `cbvtool trace calls` ranks its functions. {CAVEAT}")
    return recorded.status if recorded.status >= 0 else 128 - recorded.status
