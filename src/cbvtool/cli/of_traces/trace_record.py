"""`cbvtool trace record`."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import node, place, whole
from cbvtool.cli.of_traces.trace_reading import TraceCommand
from cbvtool.cli.output import progress, say
from cbvtool.cli.reading import read_file
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.progress import Progress
    from cbvtool.trace.record.options import Recorded, RecordOptions

ROUNDS = 10  # runs of each of two versions
_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(us|ms|s|m|h)?")
REFERENCE, TEST = "reference", "test"  # the folders of their runs
_LARGEST = 1 << 40  # bytes of a file of the other version: all
_FOREIGN = (
    "The reference ran {file}, which is of the version here: both may be the same code. Is the program installed from "
    "here (`pip install -e`), or does it find its source by itself?"
)
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "record",
        _run,
        "run a Python program, and record its calls",
        "cbvtool trace record -o run -- python app.py --fast",
        "cbvtool trace record -o runs --repeat 10 -- pytest tests",
        "cbvtool trace record -o runs --against HEAD~1 -- python app.py",
        "cbvtool trace record -o end --last 30s -- python -m server",
        "cbvtool trace record -o look --sample 5ms -- python app.py",
    )
    added.add_argument("-o", "--output", type=place, metavar="FOLDER", required=True, help="receives the recording")
    added.add_argument("--repeat", type=whole(1, 10_000), metavar="N", help="run N times, into FOLDER/1 to FOLDER/N")
    added.add_argument(
        "--against",
        type=node,
        metavar="VERSION",
        help="record that version, too, alternately: a commit, or a folder that it lies in; into FOLDER/reference/1, "
        f"..., the version here into FOLDER/test/1, ... ({ROUNDS} runs each without --repeat)",
    )
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
        repeat=chosen.repeat or (ROUNDS if chosen.against else 0),
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
        if chosen.against:
            recorded = _two_versions(options, chosen.program, chosen.against, shown)
        else:
            recorded = record(options, chosen.program, shown)
    for warning in recorded.warnings:
        say(warning)
    if not recorded.warnings and chosen.against:
        folder = shlex.quote(str(chosen.output))
        say(f"Recorded; `cbvtool compare-traces {folder}/{REFERENCE} {folder}/{TEST}` compares them. {CAVEAT}")
    elif not recorded.warnings:
        say(f"Recorded into {chosen.output}; `cbvtool trace calls` ranks its functions. {CAVEAT}")
    return recorded.status if recorded.status >= 0 else 128 - recorded.status


def _two_versions(options: RecordOptions, program: Sequence[str], against: str, progress: Progress) -> Recorded:
    """Record the version in the current folder and another one, `against`: a folder, or a commit."""
    from cbvtool.mining import head_commit, is_dirty, open_versions, work_tree_of
    from cbvtool.trace.record.interleaved import RecordedVersion, file_of_another, record_interleaved

    here = Path.cwd()

    def both(source: Path, other: RecordedVersion) -> Recorded:
        test = RecordedVersion(TEST, source, options.commit, options.dirty)
        done = record_interleaved(options, program, (other, test), source, progress)
        if done.warnings:
            return done
        files = (file for part in read_file(done.folders[0]) for file in part.functions.file)
        foreign = file_of_another(files, other, test)
        return replace(done, warnings=(_FOREIGN.format(file=foreign),)) if foreign else done

    if Path(against).is_dir():
        folder = Path(against)
        return both(here, RecordedVersion(REFERENCE, folder, head_commit(folder), is_dirty(folder)))
    source = work_tree_of(here)
    if source is None:
        raise InputError(f"{against} is not a folder, and {here} is not in a work tree of git, which could know it.")
    with open_versions(source) as versions:
        commit = versions.commit_of(against)
        laid, notes = versions.lay_out(commit, largest=_LARGEST, progress=progress)
        for note in notes:
            say(note)
        return both(source, RecordedVersion(REFERENCE, laid, commit, False))
