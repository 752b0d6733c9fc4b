"""Limits on the cost of reading and resolving, and messages for when they are exceeded."""

from __future__ import annotations

from typing import NamedTuple

MEMORY = 1_500_000_000  # bytes for a process that reads or resolves
FILE_SECONDS = 10.0  # processor time for reading one file; 5 MB of usual source take less than half
# For resolving the names of one language, or of one group of files: at least five times the need of the slowest
# resolver on a usual machine (Python's with 36 us a use, sympy). So the result depends neither on the machine nor on
# its load.
_RESOLVE_SECONDS = 8.0
_USE_SECONDS = 2e-4


def resolve_seconds(uses: int) -> float:
    """Limit of processor time, in seconds, for resolving a language whose files have `uses` uses in all."""
    return _RESOLVE_SECONDS + _USE_SECONDS * uses


def too_long(seconds: float) -> str:
    """Reason for a missing result that would have taken longer."""
    return f"takes more than {seconds:.0f} seconds"


def too_much_memory() -> str:
    """Reason for a missing result that would have taken more memory than one process may use."""
    return f"takes more than {MEMORY / 1e9:g} GB of memory"


class NoProcess(Exception):
    """No process can be started. Its text is the reason, in brackets, or empty."""


class NoResult(NamedTuple):
    """The reason for a missing result. `certain`: another attempt would fail in the same way."""

    reason: str
    certain: bool
