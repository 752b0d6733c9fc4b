"""What reading or resolving something of a repository may cost, and what is said where it would cost more."""

from __future__ import annotations

from typing import NamedTuple

MEMORY = 1_500_000_000  # bytes that one process may take that reads or resolves
FILE_SECONDS = 10.0  # of processor time to read one file; 5 MB of usual source take less than half of it
# To resolve the names of one language, or of one group of files: at least five times what the slowest resolver takes
# on a usual machine (Python's with 36 us a use, sympy): what is found depends neither on its speed nor on its load.
_RESOLVE_SECONDS = 8.0
_USE_SECONDS = 2e-4


def resolve_seconds(uses: int) -> float:
    """Seconds of processor time for resolving names, where all files of the language have so many uses."""
    return _RESOLVE_SECONDS + _USE_SECONDS * uses


def too_long(seconds: float) -> str:
    """Why there is no result of what took longer."""
    return f"takes more than {seconds:.0f} seconds"


def too_much_memory() -> str:
    """Why there is no result of what would have taken more than one process may."""
    return f"takes more than {MEMORY / 1e9:g} GB of memory"


class NoProcess(Exception):
    """No process can be started. Its text is the reason, in brackets, or empty."""


class NoResult(NamedTuple):
    """In place of a result: why there is none. `certain`: it would come out the same again."""

    reason: str
    certain: bool
