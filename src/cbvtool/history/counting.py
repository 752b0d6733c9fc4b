"""Settings in section `[history]` of `cbvtool.toml`: which commits count. They are applied once, for all views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cbvtool.config import FILE_NAME, own_text, section_of, shown, unknown_keys
from cbvtool.errors import InputError
from cbvtool.history.choosing import Choice, chosen, counted_commits
from cbvtool.matching import PatternError, compiled
from cbvtool.mining.changes import FIXES, Changes
from cbvtool.mining.commit_kinds import BOTS

_SECTION = "history"
_MOST, _LONGEST = 10**9 - 1, 2_000
_WAYS = ("mail", "name")
_KEYS = ("without_bots", "bots", "fixes", "most_files", "ticket", "authors")


@dataclass(frozen=True)
class HistorySettings:
    """The settings of a project about its history.

    without_bots  whether commits of authors matching `bots` are excluded
    bots, fixes   as in `Choice`
    most_files    a commit couples its files only if there are at most this many; 0 = the default
    ticket        pattern of tickets: commits of one ticket form one change set
    by_name       whether authors with the same name are one person
    notes         one sentence for each unknown key
    """

    without_bots: bool = False
    bots: str = BOTS
    fixes: str = FIXES
    most_files: int = 0
    ticket: str = ""
    by_name: bool = False
    notes: tuple[str, ...] = ()

    @property
    def choice(self) -> Choice:
        """The commits that count in the whole history."""
        return Choice(with_bots=not self.without_bots, bots=self.bots, by_name=self.by_name, fixes=self.fixes)


def read_history_settings(root: Path) -> HistorySettings:
    """The settings in section `[history]` of `cbvtool.toml` in the repository at `root`; defaults if there is none.

    Raises InputError, naming the file and the key, for a file that cannot be read or has an invalid value.
    """
    text = own_text(root)
    return HistorySettings() if text is None else parse_history(text, str(root / FILE_NAME))


def parse_history(text: str, name: str = FILE_NAME) -> HistorySettings:
    """The settings in the text of a settings file; `name` is the file's name in messages. Raises InputError."""
    section = section_of(text, _SECTION, name)
    without, most, authors = section.get("without_bots", False), section.get("most_files", 0), section.get("authors")
    if not isinstance(without, bool):
        raise InputError(f"{name}: {_SECTION}.without_bots must be true or false, not {shown(without)}.")
    if isinstance(most, bool) or not isinstance(most, int) or not ("most_files" not in section or 1 <= most <= _MOST):
        raise InputError(f"{name}: {_SECTION}.most_files must be a number from 1 to {_MOST}, not {shown(most)}.")
    if authors not in (None, *_WAYS):
        raise InputError(f"{name}: {_SECTION}.authors must be mail or name, not {shown(authors)}.")
    return HistorySettings(
        without,
        _pattern(section, "bots", BOTS, name),
        _pattern(section, "fixes", FIXES, name),
        most,
        _pattern(section, "ticket", "", name),
        authors == "name",
        tuple(unknown_keys(section, _KEYS, _SECTION, name)),
    )


def _pattern(section: Mapping[str, Any], key: str, usual: str, name: str) -> str:
    text = section.get(key, usual)
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise InputError(f"{name}: {_SECTION}.{key} must be a regular expression, not {shown(text)}.")
    try:
        compiled(text)
    except PatternError as error:
        raise InputError(f"{name}: {_SECTION}.{key} is not a regular expression: {error}.") from None
    return text


def counted_changes(changes: Changes, settings: HistorySettings) -> Changes:
    """The history with the settings applied: no touches by bots, authors by name, the pattern of fixes."""
    choice = settings.choice
    less = chosen(changes, choice)
    marked = replace(
        less, fixes=settings.fixes, bots=settings.bots, most_files=settings.most_files, ticket=settings.ticket
    )
    if choice.with_bots or not len(changes.files):
        return marked
    counts = counted_commits(changes, choice)
    return replace(marked, files=np.where(counts, changes.files, 0).astype(np.int32))


def changes_of_project(root: Path, changes: Changes) -> Changes:
    """The history of the folder `root` with its settings applied. Invalid settings are ignored, with a note."""
    try:
        settings = read_history_settings(root)
        changes = counted_changes(changes, settings) if changes.sha else changes
        notes = settings.notes
    except (InputError, PatternError) as error:
        notes = (str(error),)
    return replace(changes, notes=(*changes.notes, *notes)) if notes else changes
