"""Read a coverage report; its first bytes tell the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.progress import Progress, silent
from cbvtool.trace.coverage import cobertura, coverage_json, lcov
from cbvtool.trace.coverage.line_coverage import Coverage
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

READERS: tuple[tuple[Callable[[bytes], bool], Callable[[bytes, Budget], Coverage]], ...] = (
    (coverage_json.sniff, coverage_json.read),
    (cobertura.sniff, cobertura.read),
    (lcov.sniff, lcov.read),
)
MOST_BYTES = 100_000_000  # the numbers of a larger one would take gigabytes
MOST_LINES = 20_000_000
MOST_SECONDS = 300.0
_DATABASE = b"SQLite format 3\x00"


def read_coverage(path: Path, progress: Progress = silent, budget: Budget | None = None) -> Coverage:
    """The coverage report at `path`, also packed by gzip. Raises InputError in one sentence, and Cancelled."""
    budget = budget or Budget(
        f"Reading {path.name}",
        seconds=MOST_SECONDS,
        count=MOST_LINES,
        size=MOST_BYTES,
        things="lines",
        cancel=None if progress is silent else lambda: progress("reading", 0, 0),
    )
    source = TraceSource(path)
    try:
        if source.is_folder:
            raise UnreadableTrace("it is a folder")
        head = source.head
        if head.startswith(_DATABASE):
            raise UnreadableTrace(
                "it is a database; if it is one of coverage.py, run `coverage json` and open coverage.json"
            )
        read = next((read for sniff, read in READERS if sniff(head)), None)
        if read is None:
            raise UnreadableTrace(
                "it is neither a JSON report of coverage.py, nor Cobertura XML, nor an lcov tracefile"
            )
        parts = []
        for part in source.blocks():
            budget.spend(size=len(part))
            parts.append(part)
        return read(b"".join(parts), budget)
    except UnreadableTrace as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
