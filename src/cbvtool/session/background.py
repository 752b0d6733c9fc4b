"""Jobs are done at once, or wait for their turn on another thread where they take long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cbvtool.session.change import Change
from cbvtool.session.jobs import PendingJob, PendingJobs, Prepare
from cbvtool.session.picture import is_huge
from cbvtool.session.pictures import Pictures
from cbvtool.session.state import State
from cbvtool.session.viewing import Viewing


class Background:
    """Does jobs, those on a huge graph in their turn."""

    def __init__(self, state: State, viewing: Viewing, pictures: Pictures, jobs: PendingJobs) -> None:
        self._state = state
        self._viewing = viewing
        self._pictures = pictures
        self._jobs = jobs

    def do(self, job: PendingJob) -> str | None:
        """Do it at once, or in its turn where that takes long; the result is why not, if that is known."""
        picture = self._pictures.current
        is_quick = picture.scene is None or not (is_huge(self._state.graph) or picture.making)
        if self._jobs.defer is None or (is_quick and not self._jobs):
            return job.take(job.begin()())
        self._jobs.add(job)
        self._jobs.defer()
        return None

    @property
    def defer(self) -> Callable[[], None] | None:
        """Is called when a job waits for somebody who runs it on another thread; None = all is done at once."""
        return self._jobs.defer

    @defer.setter
    def defer(self, defer: Callable[[], None] | None) -> None:
        self._jobs.defer = defer

    @property
    def first_job(self) -> PendingJob | None:
        """What waits to be done next; the picture stays as it is from `begin_job` until `end_job`."""
        return self._jobs.first

    def begin_job(self) -> Prepare:
        """What finds out what the first job needs, on another thread."""
        return self._jobs.begin()

    def end_job(self, found: Any) -> str | None:
        """Do the first job with what was found out; the result is why it cannot be done, or None."""
        job = self._jobs.end()
        return None if job is None else job.take(found)

    def drop_job(self) -> None:
        """What the first job needs cannot be found out: all stays as it was."""
        if self._jobs.end() is not None:
            self._viewing.cancel_drag()
            self._state.tell(Change.VIEW)

    def give_up(self) -> None:
        """Nobody wants what is being made elsewhere, nor what waits: all stays as it is shown."""
        self._jobs.drop()
        self._pictures.made(None)
        self._viewing.cancel_drag()
        self._state.tell(Change.VIEW)
