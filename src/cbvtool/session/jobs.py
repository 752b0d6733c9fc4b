"""Pending work whose preparation runs on a worker thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Prepare = Callable[[], Any]  # finds out what a job needs, on any thread; what `PendingJob.take` takes


@dataclass(frozen=True, eq=False)
class PendingJob:
    """Something that leads to another graph, which takes long where that is huge.

    what     is being done, for people
    edits    the plan, which would lose something without it
    begin    looks at the present state; what it returns finds out what is needed, on any thread
    take     does it with what was found out; the result is why it cannot be done, or None
    """

    what: str
    edits: bool
    begin: Callable[[], Prepare]
    take: Callable[[Any], str | None]


class PendingJobs:
    """Those that wait, the next one first.

    preparing   that one is being found out about
    defer       is called when a job waits for somebody who runs it on another thread; None = all is done at once
    """

    def __init__(self) -> None:
        self._waiting: deque[PendingJob] = deque()
        self.preparing = False
        self.defer: Callable[[], None] | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def first(self) -> PendingJob | None:
        """What waits to be done next."""
        return self._waiting[0] if self._waiting else None

    @property
    def edits(self) -> bool:
        """Whether one of them edits the plan."""
        return any(job.edits for job in self._waiting)

    def add(self, job: PendingJob) -> None:
        """Let it wait for its turn."""
        self._waiting.append(job)

    def begin(self) -> Prepare:
        """What finds out what the first one needs."""
        self.preparing = True
        return self._waiting[0].begin()

    def end(self) -> PendingJob | None:
        """The one that was found out about, which waits no more; None = it was dropped meanwhile."""
        if not self.preparing:
            return None
        self.preparing = False
        return self._waiting.popleft()

    def drop(self) -> None:
        """Nobody wants any of them."""
        self._waiting.clear()
        self.preparing = False
