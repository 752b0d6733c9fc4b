"""How slow work says how far it is, and is asked to stop."""

from __future__ import annotations

from collections.abc import Callable

# (what is being done, how many are done, of how many; 0 = unknown). It may raise `Cancelled`.
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """Report to nobody."""
