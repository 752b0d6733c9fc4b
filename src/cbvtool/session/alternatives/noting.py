"""What people note: about tasks, steps, plans and nodes. Undo takes notes back in their turn among the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from cbvtool.errors import InputError
from cbvtool.plan.listing.annotations import Annotations
from cbvtool.plan.operations import Operation
from cbvtool.session.alternatives.choosing import PlanChoice
from cbvtool.session.change import Change
from cbvtool.session.jobs import PendingJobs
from cbvtool.session.planning import Planning
from cbvtool.session.planning.pinned_notes import PinnedNotes, clean
from cbvtool.session.state import State

_MOST = 200  # changes of notes that can be taken back
T = TypeVar("T")
_Steps = tuple[tuple[Operation, ...], ...]  # what each of them does
_Place = tuple[str, _Steps]  # name of the plan, and its steps that are done


@dataclass(frozen=True)
class _NoteChange:
    """One change of a note.

    at           where the plan stood
    what         what it is called
    back, again  take it back, and make it again
    ahead        what the steps did that were undone when it was taken back; None = it was not
    """

    at: _Place
    what: str
    back: Callable[[], object]
    again: Callable[[], object]
    ahead: _Steps | None = None


class Noting:
    """Changes notes, and is what undo and redo ask.

    A change of a note has its place between two steps of the plan: it is taken back when the plan stands there.
    """

    def __init__(
        self, state: State, planning: Planning, notes: PinnedNotes, choice: PlanChoice, jobs: PendingJobs
    ) -> None:
        self._state, self._planning, self._notes, self._choice, self._jobs = state, planning, notes, choice, jobs
        self._done: list[_NoteChange] = []
        self._undone: list[_NoteChange] = []
        state.subscribe(self._follow)

    def _follow(self, what: Change) -> None:
        if what == Change.PROJECT:
            self._done, self._undone = [], []

    # -- notes ---------------------------------------------------------------------------------------------

    def annotate(self, annotations: Annotations) -> None:
        """Keep what people noted about tasks; see `listing.annotations`, `annotated` and `reordered` above all."""
        self._change("change of the tasks", self._state.annotations, annotations, self._planning.annotate)

    def pin(self, node: str, text: str) -> None:
        """Have another note at a node, by its id; an empty one takes it away."""
        self._change("note", self._notes.all.get(node, ""), clean(text), partial(self._notes.pin, node))

    def note_plan(self, name: str, note: str) -> None:
        """Say what a plan is for. Raises InputError where that is not possible."""
        plan = self._choice.plans.named(name)
        self._change("note on the plan", plan.note, note, partial(self._choice.note, plan.name))

    def note_step(self, number: int, note: str) -> None:
        """Note something about a step: of those done, from 0, then of those undone, the next to redo first."""
        history = self._state.history
        if history is not None:
            known = history.steps[number].note
            self._change("note on the step", known, clean(note), partial(self._planning.note_step, number))

    def _change(self, what: str, known: T, wanted: T, put: Callable[[T], object]) -> None:
        at, before = self._place, (self._done, self._undone)
        if wanted == known or at is None:
            return
        self._done = [*self._done, _NoteChange(at, what, partial(put, known), partial(put, wanted))][-_MOST:]
        self._undone = []
        try:
            put(wanted)  # whoever is told of it asks what can be undone
        except InputError:
            self._done, self._undone = before
            raise

    # -- undo and redo -------------------------------------------------------------------------------------

    @property
    def label_undo(self) -> str:
        """`Undo note on the step`, or that of the last step; empty if there is nothing to undo."""
        if self._is_next(self._done):
            return f"Undo {self._done[-1].what}"
        return "" if self._state.history is None else self._state.history.label_undo

    @property
    def label_redo(self) -> str:
        """The same of what redo would do."""
        if self._is_next(self._undone):
            return f"Redo {self._undone[-1].what}"
        return "" if self._state.history is None else self._state.history.label_redo

    def undo(self) -> None:
        """Take back the last change of a note, or the last step. Raises InputError if its plan is gone."""
        if not self._is_next(self._done):
            self._planning.undo()
            return
        change = self._done.pop()
        self._undone.append(replace(change, ahead=self._ahead))
        change.back()

    def redo(self) -> None:
        """Make again what was taken back last."""
        if not self._is_next(self._undone):
            self._planning.redo()
            return
        change = self._undone.pop()
        self._done.append(replace(change, ahead=None))
        change.again()

    def _is_next(self, changes: list[_NoteChange]) -> bool:
        if not changes or self._jobs.edits or changes[-1].at != self._place:
            return False
        return changes[-1].ahead in (None, self._ahead)  # else steps were done since, and undone

    @property
    def _place(self) -> _Place | None:
        """Where the plan stands; None while nothing is open."""
        history = self._state.history
        if history is None:
            return None
        return self._choice.plans.current.name, tuple(step.operations for step in history.done)

    @property
    def _ahead(self) -> _Steps:
        history = self._state.history
        return () if history is None else tuple(step.operations for step in history.undone)
