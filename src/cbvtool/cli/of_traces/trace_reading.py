"""What the commands about traces share: reading what was named, and restricting it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Parser, listed, place
from cbvtool.cli.reading import read_file
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.readers.reader import Part

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
