"""A plan whose subject was moved or renamed: it is found again, or asked for. The plan itself is never changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qtpy.QtWidgets import QFileDialog

from cbvtool.plan.document import Document, read_document
from cbvtool.plan.moved import located
from cbvtool.view.desk import Desk


@dataclass(frozen=True)
class LostSubject:
    """A plan file, and what its subject is called that is nowhere to be found."""

    file: Path
    name: str


def read_located(file: Path, recent: Sequence[Path], subject: Path | None = None) -> tuple[Document | None, str]:
    """(document with its subject where that is now, a sentence if that is another place); (None, name) = lost.

    subject   where the user says that it is

    Raises InputError for a document that cannot be read.
    """
    document = read_document(file)
    if subject is not None:
        return replace(document, subject=subject), ""
    found, note = located(document, file, recent)
    return found, note if found else document.name


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
