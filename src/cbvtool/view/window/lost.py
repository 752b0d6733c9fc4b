"""A plan whose subject was moved or renamed: it is found again, or asked for. The plan itself is never changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qtpy.QtWidgets import QFileDialog

from cbvtool.plan.document import Document, read_document
from cbvtool.plan.moved import find_subject
from cbvtool.view.desk import Desk


@dataclass(frozen=True)
class LostSubject:
    """A plan file, and what its subject is called that is nowhere to be found."""

    file: Path
    name: str


def located(file: Path, recent: Sequence[Path], subject: Path | None = None) -> tuple[Document | None, str]:
    """(document with its subject where that is now, a sentence if that is another place); (None, name) = lost.

    subject   where the user says that it is

    Raises InputError for a document that cannot be read.
    """
    document = read_document(file)
    if subject is None and document.subject.exists():
        return document, ""
    found = subject or find_subject(document, file, recent)
    if found is None:
        return None, document.name
    note = "" if subject else f"{document.name} is now at {found}: save the plan to remember that."
    return replace(document, subject=found), note


def ask_where(desk: Desk, lost: LostSubject, find: Callable[[Path, Path], None]) -> None:
    """Ask where the subject is now, and `find` it there; whoever does not say it is offered to do so later."""
    title = f"Where is {lost.name} now?"
    chosen = QFileDialog.getExistingDirectory(desk.widget, title, str(lost.file.parent))
    if chosen:
        find(lost.file, Path(chosen))
        return
    desk.say(
        f"{lost.file.name} is about {lost.name}, which is not where it was; the plan is kept as it is",
        offer="Find it...",
        run=lambda: ask_where(desk, lost, find),
    )
