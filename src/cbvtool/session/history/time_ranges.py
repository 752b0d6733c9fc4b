"""The part of a session that chooses which time of the history counts (CBV-9)."""

from __future__ import annotations

from dataclasses import replace

from cbvtool.geometry.state.view_state import ViewState
from cbvtool.history.time_range import Mark, moment
from cbvtool.metrics.history.baseline import Range, Span
from cbvtool.mining.changes import Changes
from cbvtool.mining.churn import Churn
from cbvtool.session.change import Change
from cbvtool.session.places import whereabouts
from cbvtool.session.state import State
from cbvtool.session.trail import Trail

MOST_PINNED = 4


class TimeRanges:
    """Sets the range of the view: at once, or bit by bit while it is dragged or played.

    On the trail of places, a whole drag is one step.
    """

    def __init__(self, state: State, trail: Trail) -> None:
        self._state = state
        self._trail = trail
        self._before: ViewState | None = None  # the view when sliding began

    @property
    def changes(self) -> Changes | None:
        """The history of what is open; None = there is none, or it has no commits."""
        project = self._state.project
        return project.changes if project is not None and project.changes is not None and project.changes.sha else None

    @property
    def churn(self) -> Churn | None:
        """Lines of the touches of `changes`; None = not counted yet."""
        return None if self.changes is None else self.changes.churn

    def take_churn(self, changes: Changes, churn: Churn) -> None:
        """The lines of these changes have been counted: heights, colours, tables and the timeline may show them."""
        project, known = self._state.project, self.changes
        if project is not None and known is not None and known.sha is changes.sha:  # names may be hidden since
            self._state.project = replace(project, changes=replace(known, churn=churn))
            self._state.tell(Change.DEPTH, Change.VIEW)

    @property
    def why_none(self) -> str:
        """Why there is no history, in a sentence."""
        project = self._state.project
        if project is None:
            return "Nothing is open."
        if project.partial:
            return "The history is being read."
        notes = project.changes.notes if project.changes is not None else ()
        return " ".join(notes) or "There is no git history here: open a folder of a git repository that has commits."

    @property
    def releases(self) -> tuple[Mark, ...]:
        """The tags whose commits are part of the history, the first one first."""
        project = self._state.project
        return () if project is None else project.releases

    @property
    def plan_mark(self) -> Mark | None:
        """The commit that the plan is about; None while nothing is planned, or its history is not there."""
        history, changes, project = self._state.history, self.changes, self._state.project
        if history is None or not history.done or changes is None or project is None or not project.commit:
            return None
        return Mark("plan", moment(project.commit, changes, (), end=True) or 0)

    @property
    def now(self) -> Range:
        """The range that is shown."""
        return self._state.view.since, self._state.view.until

    @property
    def is_sliding(self) -> bool:
        """Whether the range is dragged or played: heights and colours follow at once, all else when it rests."""
        return self._before is not None

    def choose(self, range_: Range) -> None:
        """Show this range; the one before is a place to go back to."""
        self.slide(range_)
        self.settle()

    def slide(self, range_: Range) -> None:
        """Show this range on the way to another one."""
        state = self._state
        if self._before is None:
            self._before = state.view
        if range_ != self.now:
            state.view = replace(state.view, since=range_[0], until=range_[1])
            state.tell(Change.VIEW)

    def settle(self) -> None:
        """The range has arrived."""
        before, self._before = self._before, None
        if before is not None and whereabouts(before) != whereabouts(self._state.view):
            self._trail.leave(before)
            self._state.tell(Change.VIEW)

    def put_back(self) -> None:
        """Show the range with which sliding began."""
        if self._before is not None:
            before = self._before.since, self._before.until
            self.slide(before)
            self._before = None
            self._state.tell(Change.VIEW)

    def moment(self, text: str, *, end: bool) -> int | None:
        """The second that a date, tag or commit stands for; see `history.time_range.moment`. Raises InputError."""
        changes = self.changes
        return None if changes is None else moment(text, changes, self.releases, end=end)

    # -- pinned ranges -----------------------------------------------------------------------------------------

    @property
    def pinned(self) -> tuple[Span, ...]:
        """The ranges that are kept, the one that was pinned last at the end."""
        return self._state.view.pinned

    def pin(self, span: Span) -> None:
        """Keep a range, to compare others with it; of more than `MOST_PINNED` the oldest goes."""
        self._keep((*(other for other in self.pinned if other != span), span)[-MOST_PINNED:])

    def unpin(self, span: Span) -> None:
        """Keep it no longer."""
        self._keep(tuple(other for other in self.pinned if other != span))

    def _keep(self, pinned: tuple[Span, ...]) -> None:
        if pinned != self.pinned:
            self._state.view = replace(self._state.view, pinned=pinned)
            self._state.tell(Change.VIEW)
