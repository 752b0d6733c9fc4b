"""Progress reports and cancellation of slow work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_T = TypeVar("_T")

# (what is being done, how many are done, of how many; 0 = unknown). It may raise `Cancelled`.
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """A `Progress` that reports nothing."""


_current = threading.local()  # `.check`: of the job that runs in this thread


@contextmanager
def stoppable(check: Callable[[], None]) -> Iterator[None]:
    """Within this, `checkpoint` calls `check`, which raises `Cancelled` once the job of this thread was cancelled."""
    _current.check = check
    try:
        yield
    finally:
        _current.check = None


def checkpoint() -> None:
    """Let the job that runs in this thread stop here. For code that does not know its job; elsewhere nothing happens.

    Call it only where nothing is half done.
    """
    check = getattr(_current, "check", None)
    if check is not None:
        check()


def stopping(rows: Iterable[_T], every: int = 256) -> Iterator[_T]:
    """Yield the rows, with a `checkpoint` before the first one and after each `every` of them."""
    for number, row in enumerate(rows):
        if number % every == 0:
            checkpoint()
        yield row
