"""What the commands about traces share: reading what was named, and restricting it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Parser, listed, place
from cbvtool.cli.output import progress, say
from cbvtool.cli.reading import read_file
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.trace.compare.runs.paths import Row
    from cbvtool.trace.model.profile import Profile
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.readers.reader import Part

MOST_RUNS = 1_000
NodeIds = Mapping["Row", str]  # function -> id of its node, empty = it has none
TraceCommand = Callable[..., Parser]  # (name, what runs it, what it does, examples) -> its parser
Window = tuple[int | None, int | None]  # ns since the begin of the trace; None = its begin, its end

SAMPLED = "The trace was put together from samples: its counts are no call counts."
_TIME = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)(ns|us|µs|ms|s)?")
_UNITS = {"ns": 0, "us": 3, "µs": 3, "ms": 6, "s": 9}


def add_trace(parser: argparse.ArgumentParser) -> None:
    """FILE: the trace that is read."""
    parser.add_argument("path", type=place, metavar="FILE", help="trace or profile: a file, or a folder")


def add_restrictions(parser: argparse.ArgumentParser) -> None:
    """--window and --threads, for `read_restricted`."""
    parser.add_argument(
        "--window",
        type=window,
        metavar="A..B",
        help="only from A to B, since the begin of the trace: 1.5s..2s, 200ms.., ..1000 (ns); calls are cut off there",
    )
    parser.add_argument(
        "--threads", type=listed, metavar="IDS", help="only these: ids, PROCESS:ID or names, with commas between them"
    )


def window(text: str) -> Window:
    """A type of arguments: a window of time; times without a unit are ns."""
    return _window(text, "ns")


def window_of(unit: str) -> Callable[[str], Window]:
    """The same with another unit for times without one."""
    return lambda text: _window(text, unit)


def _window(text: str, unit: str) -> Window:
    first, dots, last = text.partition("..")
    if not dots or not (first or last):
        raise argparse.ArgumentTypeError(f"{text!r} is not a window such as 1.5s..2s, 200ms.. or ..1000")
    low, high = (nanoseconds(one, unit) if one else None for one in (first, last))
    if low is not None and high is not None and high < low:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it begins")
    return low, high


def nanoseconds(text: str, unit: str) -> int:
    """A time such as 1.5s, in ns, exactly: no double holds them all. Raises ArgumentTypeError for other texts."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 1.5s, 200ms, 10us or 1000 ({unit})")
    whole, _, rest = found[1].partition(".")
    zeros = _UNITS[found[2] or unit]
    return int(whole + (rest + "0" * zeros)[:zeros])


def read_parts(chosen: argparse.Namespace) -> list[Part]:
    """The traces and profiles in the file that was named, with progress for a person who looks. Raises InputError."""
    return read_file(chosen.path)


def read_runs(path: Path) -> list[Profile]:
    """The runs that were named, each folded: FOLDER/1, FOLDER/2, ... or one recording. Raises InputError."""
    from cbvtool.trace.making.folding import folded
    from cbvtool.trace.model.trace import Trace

    numbered = (
        sorted((each for each in path.iterdir() if each.name.isdecimal()), key=lambda each: int(each.name))
        if path.is_dir()
        else []
    )
    if len(numbered) > MOST_RUNS:
        raise InputError(f"{path} holds more than {MOST_RUNS:,} runs.")
    found: list[Profile] = []
    for each in numbered or [path]:
        parts = read_file(each)
        traces = [part for part in parts if isinstance(part, Trace)]
        if not traces:
            raise InputError(f"{each} holds a profile: calls are compared where a whole trace was recorded.")
        if len(traces) > 1:
            say(f"{each} holds {len(traces):,} traces; this is the first one.")
        found.append(folded(traces[0]))
    return found


def node_ids(rows: Sequence[Row], path: Path | None, *, own: bool = False) -> NodeIds | None:
    """The node of each function in the folder or graph file that was named; None = none was. Raises InputError.

    own  only nodes that are functions themselves: not those around lambdas and comprehensions, files and classes
    """
    if path is None:
        return None
    from cbvtool.project import open_project
    from cbvtool.trace.compare.runs.paths import functions_of
    from cbvtool.trace.mapping.map_functions import BODY, INSIDE, map_functions

    with progress() as shown:
        project = open_project(path, history=False, progress=shown)
    unlike = list(dict.fromkeys(rows))
    found = map_functions(functions_of(unlike), project.graph, project.path if project.kind == "folder" else None)
    around = (BODY, INSIDE) if own else ()
    ids = (
        "" if key < 0 or found.reason(row) in around else project.graph.ids[key]
        for row, key in enumerate(found.node.tolist())
    )
    return dict(zip(unlike, ids, strict=True))


def written_place(row: Row) -> str:
    """FILE:LINE of a function, as much of it as is known."""
    _, module, file, line = row
    return f"{file}:{line}" if file and line else file or module


def read_restricted(chosen: argparse.Namespace) -> list[Part]:
    """The same, restricted by the options of `add_restrictions`."""
    from cbvtool.trace.model.trace import Trace

    parts = read_parts(chosen)
    if chosen.window is None and chosen.threads is None:
        return parts
    if not any(isinstance(part, Trace) for part in parts):
        raise InputError(f"{chosen.path} holds a profile, which has neither times nor threads to choose.")
    return [_restricted(part, chosen) if isinstance(part, Trace) else part for part in parts]


def _restricted(trace: Trace, chosen: argparse.Namespace) -> Trace:
    import numpy as np

    from cbvtool.trace.making.window import restricted

    begin, end = trace.span
    window, threads = None, None
    if chosen.window is not None:
        low, high = chosen.window
        window = (begin + (low or 0), end if high is None else begin + high)
    if chosen.threads is not None:
        threads = np.array([is_named(trace, row, chosen.threads) for row in range(len(trace.threads))], np.bool_)
        if not threads.any():
            raise InputError(f"No thread of {chosen.path} is called {' or '.join(chosen.threads)}.")
    return restricted(trace, window, threads)


def is_named(trace: Trace, row: int, names: list[str]) -> bool:
    """Whether a thread is one of those that were named: by its name, its id, or PROCESS:ID."""
    threads = trace.threads
    own = str(int(threads.id[row]))
    return any(name in (own, f"{int(threads.process[row])}:{own}", threads.name[row]) for name in names if name)
