"""What commands do with the plans of the document: new ones, branches, names, and going from one to another (NEW-6)."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QObject

from cbvtool.errors import InputError
from cbvtool.plan.document import Plan
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.chooser import ChooserRow, choose
from cbvtool.view.toolkit.plain import ask_line
from cbvtool.words import one_line


class PlanCommands(QObject):
    """Belongs to a window. What cannot be raises InputError, which the window shows as a sentence."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session = desk, desk.session
        self._deleted: list[tuple[str, Callable[[], None]]] = []  # name, and what takes the deletion back
        self._about: tuple[object, ...] = ()  # what was open when they were deleted
        self._unsubscribe = self._session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()

    def _follow(self, what: Change) -> None:
        project = self._session.project
        about = (None if project is None else project.path, self._session.file)
        if what == Change.PROJECT and about != self._about:
            self._deleted, self._about = [], about
        elif what == Change.FILE:  # saved under another name, it is the same document
            self._about = about

    @property
    def is_several(self) -> bool:
        """Whether the document holds more than one plan."""
        return self._session.is_open and len(self._session.plan_choice.plans.plans) > 1

    @property
    def can_restore(self) -> bool:
        """Whether a plan was deleted since the document was opened."""
        return bool(self._deleted)

    def new(self) -> None:
        """Ask for a name, and begin an empty plan."""
        usual = self._session.plan_choice.plans.free_name("Plan")
        if name := self._ask("New plan", "Name of a plan that begins without any step", usual):
            self._session.plan_choice.new(name)

    def branch(self) -> None:
        """Ask for a name, and make a plan of the steps so far."""
        plans = self._session.plan_choice.plans
        label = f"Name of a plan that begins with {steps_of(plans.current)} of {one_line(plans.current.name)}"
        if name := self._ask("Branch from here", label, plans.free_name(plans.current.name)):
            self._session.plan_choice.branch(name)

    def rename(self) -> None:
        """Ask for another name of the current plan."""
        now = self._session.plan_choice.plans.current.name
        if name := self._ask("Rename the plan", f"New name of {one_line(now)}", now):
            self._session.plan_choice.rename(now, name)

    def note(self) -> None:
        """Ask what the current plan is for; nothing takes the note away. A button in the message takes that back."""
        plan = self._session.plan_choice.plans.current
        label = f"What {one_line(plan.name)} is for; nothing removes the note"
        note = ask_line(self._desk.widget, "Note on the plan", label, plan.note, may_be_empty=True)
        if note is None or note == plan.note:
            return
        self._session.noting.note_plan(plan.name, note)
        said = "Noted what it is for" if note else "Removed the note"
        self._desk.say(
            f"{said}: {one_line(plan.name)}", error=False, offer="Undo", run=lambda: self._noted(plan.name, plan.note)
        )

    def _noted(self, name: str, note: str) -> None:
        try:
            self._session.noting.note_plan(name, note)
        except InputError as error:
            self._desk.say(str(error))

    def delete(self) -> None:
        """Delete the current plan; a button in the message takes that back, and so does `restore`."""
        plan = self._session.plan_choice.plans.current
        self._deleted.append((plan.name, self._session.plan_choice.delete(plan.name)))
        self._desk.refresh()
        said = f"Deleted the plan {one_line(plan.name)} with {steps_of(plan)}"
        self._desk.say(said, error=False, offer="Undo", run=self._restore)

    def restore(self) -> None:
        """Bring back the plan that was deleted last."""
        name, again = self._deleted[-1]
        again()
        self._deleted.pop()
        self._desk.refresh()
        self._desk.note(f"The plan {one_line(name)} is there again")

    def _restore(self) -> None:
        try:
            self.restore()
        except InputError as error:
            self._desk.say(str(error))

    def choose(self) -> None:
        """Choose another plan in a list that is narrowed by typing."""
        plans = self._session.plan_choice.plans
        rows = [
            ChooserRow(one_line(plan.name), steps_of(plan), plan.name, words=one_line(plan.note))
            for plan in plans.plans
            if plan.name != plans.current.name
        ]
        name = choose("Switch to a plan...", "Show which plan? Type a part of its name", rows, self._desk.widget)
        if name is not None:
            self._session.plan_choice.switch(name)

    def _ask(self, title: str, label: str, text: str) -> str | None:
        return ask_line(self._desk.widget, title, label, text)


def steps_of(plan: Plan) -> str:
    """`3 steps`."""
    return f"{len(plan.done):,} step{'' if len(plan.done) == 1 else 's'}"
