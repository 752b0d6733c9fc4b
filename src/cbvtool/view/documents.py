"""Opening, saving and exporting: asks where, and never loses a plan without asking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cbvtool.errors import InputError
from cbvtool.view.file_dialogs import ask_folder, ask_plan_or_graph, ask_where_to_export, ask_where_to_save
from cbvtool.view.plain import Buttons, message_box
from cbvtool.words import one_line

if TYPE_CHECKING:
    from cbvtool.view.main_window import MainWindow


class Documents:
    """Belongs to a window."""

    def __init__(self, window: MainWindow) -> None:
        self._window, self._session = window, window.session

    def open(self, path: Path) -> None:
        """Open a folder, a saved graph or a plan, after asking about unsaved changes."""
        if self.may_leave():
            self._window.opening.open(Path(path))

    def open_sample(self) -> None:
        """Open the sample project that comes with cbvtool."""
        if self.may_leave():
            self._window.opening.open_sample()

    def again(self) -> None:
        """Read the subject again; the plan stays."""
        self._window.opening.again()

    def ask_folder(self) -> None:
        """Let the user choose a folder."""
        recent = self._window.settings.recent
        if (chosen := ask_folder(recent[0].parent if recent else Path.home(), self._window)) is not None:
            self.open(chosen)

    def ask_file(self) -> None:
        """Let the user choose a plan or a graph."""
        if (chosen := ask_plan_or_graph(self.folder(), self._window)) is not None:
            self.open(chosen)

    def save(self) -> bool:
        """Save to the file the plan came from, or ask for one. False when nothing was saved."""
        return self.save_as() if self._session.file is None else self._save(self._session.file)

    def save_as(self) -> bool:
        """Ask where to save the plan."""
        assert self._session.project is not None
        chosen = ask_where_to_save(self.folder() / f"{self._session.project.name}.cbv", self._window)
        return chosen is not None and self._save(chosen)

    def _save(self, file: Path) -> bool:
        try:
            self._session.save(file)
        except InputError as error:
            self._window.say(str(error))
            return False
        self._window.settings.folder = file.parent
        self._window.opening.forget_recovery()
        self._window.status.last.setText(f"Saved {file.name}")
        return True

    def export_tasks(self) -> None:
        """Write the task list; the suffix decides the format."""
        assert self._session.project is not None
        chosen = ask_where_to_export(self.folder() / f"{self._session.project.name}-tasks.md", self._window)
        if chosen is not None:
            self.export_to(chosen)

    def export_to(self, file: Path) -> None:
        """Write the task list to `file`; InputError becomes a sentence in the window."""
        try:
            self._window.opening.export(file)
        except InputError as error:
            self._window.say(str(error))
            return
        self._window.settings.folder = file.parent
        self._window.status.last.setText(f"Exported {file.name}")

    def folder(self) -> Path:
        """Where file dialogs begin: never inside the subject, unless it came from there."""
        return self._session.file.parent if self._session.file else self._window.settings.folder

    def may_leave(self) -> bool:
        """Whether what is open may be closed; asks when it would lose something."""
        if not self._session.unsaved:
            return True
        answer = self.ask_unsaved()
        if answer == Buttons.Save:
            return self.save()
        if answer == Buttons.Discard:
            self._window.opening.forget_recovery()
            return True
        return False

    def ask_unsaved(self) -> int:
        """Save, Discard or Cancel."""
        assert self._session.project is not None
        question = f"Save the plan for {one_line(self._session.project.name)}?"
        more = "What you planned since the last save is lost otherwise."
        box = message_box(self._window, "cbvtool", question, more, (Buttons.Save, Buttons.Discard, Buttons.Cancel))
        return int(box.exec_())
