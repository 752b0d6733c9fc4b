"""Budgets: limits of time, count and bytes for one unit of work on outside input."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cbvtool.errors import InputError


class OverBudget(InputError):
    """A unit of work was stopped because it exceeded a limit: one sentence that says which work and which limit."""


class Budget:
    """What one unit of work may spend. Call `spend` at each boundary where the work can stop.

    work     what the message calls the work: "The .gitignore of src"
    seconds  from the making of the budget on, by the monotonic clock
    count    number of things, which the message calls `things`
    size     bytes, as the caller counts them
    cancel   called by each `spend`; raises `Cancelled` when the user wants to stop
    """

    def __init__(
        self,
        work: str,
        *,
        seconds: float = math.inf,
        count: float = math.inf,
        size: float = math.inf,
        things: str = "entries",
        cancel: Callable[[], object] | None = None,
    ) -> None:
        self.work, self.seconds, self.count, self.size, self.things = work, seconds, count, size, things
        self.spent_count = self.spent_size = 0
        self._cancel = cancel
        self._begin = time.monotonic()

    def spend(self, count: int = 0, size: int = 0) -> None:
        """Note that `count` things of `size` bytes were handled. Raises OverBudget, or what `cancel` raises."""
        if self._cancel is not None:
            self._cancel()
        self.spent_count += count
        self.spent_size += size
        if self.spent_count > self.count:
            raise OverBudget(f"{self.work} was stopped: more than {self.count:,} {self.things}.")
        if self.spent_size > self.size:
            raise OverBudget(f"{self.work} was stopped: more than {_bytes(self.size)}.")
        if time.monotonic() - self._begin > self.seconds:
            raise OverBudget(f"{self.work} was stopped: it took longer than {self.seconds:,g} seconds.")

    @property
    def left(self) -> float:
        """Seconds that are left, 0 at least: for a call that takes a time limit of its own."""
        return max(0.0, self.seconds - (time.monotonic() - self._begin))


def _bytes(size: float) -> str:
    return f"{size / 1e6:,g} MB" if size >= 1e6 else f"{size:,g} bytes"
