"""Opening, saving and exporting: asks where, and never loses a plan without asking."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from qtpy.QtCore import QObject, Signal

from cbvtool.errors import InputError
from cbvtool.formats.registry import SUFFIXES
from cbvtool.plan.document import ChangedOnDisk, read_document
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.file_dialogs import ask_folder, ask_plan_or_graph, ask_where_to_export, ask_where_to_save
from cbvtool.view.toolkit.plain import Buttons, Roles, message_box
from cbvtool.words import one_line

OVERWRITE, SAVE_AS = "overwrite", "save as"


class Opener(Protocol):
    """Reads subjects in the background and shows them."""

    def open(self, path: Path, subject: Path | None = None) -> None:
        """Read a subject or a plan, then show it."""

    def open_sample(self) -> None:
        """Make the sample project, unless that was done before, and show it."""

    def again(self) -> None:
        """Read the open subject once more."""

    def export(self, file: Path) -> None:
        """Write the task list. Raises InputError when that is not possible."""


class Documents(QObject):
    """Belongs to a window.

    opener   reads what is to be opened
    """

    settled = Signal()  # the plan was saved, or is not wanted: no copy of it is needed

    opener: Opener

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session = desk, desk.session
        self._given_up: tuple[object, ...] | None = None  # what nobody wants once something else is open

    def open(self, path: Path) -> None:
        """Open a folder, a saved graph or a plan, after asking about unsaved changes."""
        if self.may_leave():
            self.opener.open(Path(path))

    def open_sample(self) -> None:
        """Open the sample project that comes with cbvtool."""
        if self.may_leave():
            self.opener.open_sample()

    def again(self) -> None:
        """Read the subject again; the plan stays."""
        self.opener.again()

    def ask_folder(self) -> None:
        """Let the user choose a folder."""
        recent = self._desk.settings.recent
        if (chosen := ask_folder(recent[0].parent if recent else Path.home(), self._desk.widget)) is not None:
            self.open(chosen)

    def ask_file(self) -> None:
        """Let the user choose a plan or a graph."""
        if (chosen := ask_plan_or_graph(self.folder(), SUFFIXES, self._desk.widget)) is not None:
            self.open(chosen)

    def save(self) -> bool:
        """Save to the file the plan came from, or ask for one. False when nothing was saved."""
        return self.save_as() if self._session.file is None else self._save(self._session.file)

    def save_as(self) -> bool:
        """Ask where to save the plan."""
        assert self._session.project is not None
        chosen = ask_where_to_save(self.folder() / f"{self._session.project.name}.cbv", self._desk.widget)
        return chosen is not None and self._save(chosen, overwrite=True)  # the dialog has asked

    def _save(self, file: Path, *, overwrite: bool = False) -> bool:
        try:
            self._session.save(file, overwrite=overwrite)
        except ChangedOnDisk as change:
            answer = self.ask_changed(change)
            if answer == OVERWRITE:
                return self._save(file, overwrite=True)
            return answer == SAVE_AS and self.save_as()
        except InputError as error:
            self._desk.say(str(error))
            return False
        self._desk.settings.folder = file.parent
        self.settled.emit()
        self._desk.note(f"Saved {file.name}")
        return True

    def export_tasks(self) -> None:
        """Write the task list; the suffix decides the format."""
        assert self._session.project is not None
        chosen = ask_where_to_export(self.folder() / f"{self._session.project.name}-tasks.md", self._desk.widget)
        if chosen is not None:
            self.export_to(chosen)

    def export_to(self, file: Path) -> None:
        """Write the task list to `file`; InputError becomes a sentence in the window."""
        try:
            self.opener.export(file)
        except InputError as error:
            self._desk.say(str(error))
            return
        self._desk.settings.folder = file.parent
        self._desk.note(f"Exported {file.name}")

    def folder(self) -> Path:
        """Where file dialogs begin: never inside the subject, unless it came from there."""
        return self._session.file.parent if self._session.file else self._desk.settings.folder

    def may_leave(self) -> bool:
        """Whether what is open may be closed; asks when it would lose something."""
        self._given_up = None
        if not self._session.unsaved:
            return True
        answer = self.ask_unsaved()
        if answer == Buttons.Save:
            return self.save()
        if answer == Buttons.Discard:
            self._given_up = self._session.content
            return True
        return False

    @property
    def must_ask(self) -> bool:
        """Whether something is unsaved that `may_leave` was not answered about."""
        return self._session.unsaved and self._session.content != self._given_up

    def leave(self) -> bool:
        """Leave what is open for what was opened meanwhile; asks when something was planned since `may_leave`."""
        if self.must_ask and not self.may_leave():
            return False
        self._given_up = None
        self.settled.emit()
        return True

    def stay(self) -> None:
        """Nothing else was opened: what nobody wanted is asked about again."""
        self._given_up = None

    def ask_changed(self, change: ChangedOnDisk) -> str:
        """What to do about a document that somebody else has changed: OVERWRITE, SAVE_AS or nothing (empty)."""
        name = one_line(change.file.name)
        if change.gone:
            said = f"{name} is not there any more."
            more = "It was deleted, moved or renamed since you opened or saved it here."
        else:
            said = f"Another window or program has changed {name}."
            more = self._at_stake(change.file)
        box = message_box(self._desk.widget, "cbvtool", said, more)
        overwrite = box.addButton("Save it again" if change.gone else "Overwrite", Roles.DestructiveRole)
        save_as = box.addButton("Save as...", Roles.AcceptRole)
        cancel = box.addButton(Buttons.Cancel)
        box.setDefaultButton(save_as)
        box.setEscapeButton(cancel)
        box.exec_()
        box.deleteLater()
        return {overwrite: OVERWRITE, save_as: SAVE_AS}.get(box.clickedButton(), "")

    def _at_stake(self, file: Path) -> str:
        """What overwriting a document would lose."""
        choice = "If you overwrite it, what was written there is lost. Save your plan under another name to keep both."
        try:
            theirs = sum(len(plan.done) for plan in read_document(file).plans)
        except InputError:
            return choice
        ours = sum(len(plan.done) for plan in self._session.plan_choice.plans.plans) if self._session.is_open else 0
        return f"It holds {_steps(theirs)} now, your plan {_steps(ours)}. {choice}"

    def ask_unsaved(self) -> int:
        """Save, Discard or Cancel."""
        assert self._session.project is not None
        name = one_line(self._session.project.name)
        question, more = f"Save the plan for {name}?", "What you planned since the last save is lost otherwise."
        if self._session.document_file.lacks_traces_alone:
            question = f"Save which recordings are open with {name}?"
            more = "Otherwise you open them again the next time. The recordings themselves stay as they are."
        box = message_box(self._desk.widget, "cbvtool", question, more, (Buttons.Save, Buttons.Discard, Buttons.Cancel))
        return int(box.exec_())


def _steps(count: int) -> str:
    return f"{count:,} step{'' if count == 1 else 's'}"
