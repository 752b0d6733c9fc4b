"""Copies of unsaved work in the user's data folder, found again after a crash."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from cbvtool.errors import InputError
from cbvtool.plan.document import Document, read_document, write_document


@dataclass(frozen=True)
class Recovery:
    """An unsaved copy: where it lies, and when it was written (seconds since the epoch)."""

    path: Path
    time: float


def recovery_path(opened: Path, folder: Path | None = None) -> Path:
    """Where the unsaved copy of `opened` belongs.

    opened   the `.cbv` file; for a plan that was never saved, the folder or graph file that it is about
    folder   default: `recovery` in the user's data folder
    """
    folder = folder or platformdirs.user_data_path("cbvtool", appauthor=False) / "recovery"
    full = os.path.realpath(opened)
    digest = hashlib.sha256(os.fsencode(full)).hexdigest()[:16]
    return folder / f"{Path(full).stem[:60] or 'root'}-{digest}.cbv"


def write_recovery(document: Document, opened: Path, folder: Path | None = None) -> Path:
    """Write the unsaved copy, and return where it lies. Raises InputError if that is not possible."""
    path = recovery_path(opened, folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"{path.parent} cannot be made: {error.strerror or error}.") from error
    write_document(document, path)
    return path


def find_recovery(opened: Path, folder: Path | None = None) -> Recovery | None:
    """The unsaved copy of `opened` if there is one that is newer than the document itself."""
    path = recovery_path(opened, folder)
    try:
        written = path.stat().st_mtime
        saved = opened.stat().st_mtime if opened.is_file() else float("-inf")
    except OSError:
        return None
    # A document saved just before the copy may bear the same coarse time stamp: offer rather than lose.
    return Recovery(path, written) if written >= saved else None


def read_recovery(recovery: Recovery) -> Document:
    """The document in the unsaved copy. Raises InputError as `read_document` does."""
    return read_document(recovery.path)


def discard_recovery(opened: Path, folder: Path | None = None) -> None:
    """Delete the unsaved copy of `opened`, if there is one: after saving, or when it is not wanted."""
    with suppress(OSError):
        recovery_path(opened, folder).unlink(missing_ok=True)
