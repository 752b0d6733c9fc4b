"""The roster: teams, and people who have left, from section [people] of `cbvtool.toml` or from a table of the user.

A row of a table is `author,team,left`: a mail address, a name or a pattern such as `*@example.org`; a team, possibly
empty; and yes for a person who has left. Both files are untrusted: they are data, and reading them has limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from cbvtool.budget import Budget, OverBudget
from cbvtool.config import FILE_NAME, list_of, own_text, section_of, shown, unknown_keys
from cbvtool.errors import InputError
from cbvtool.formats.content import Damaged, read_content, reading_budget, text_of, why_stopped
from cbvtool.formats.csv_rows import csv_rows
from cbvtool.history.change_sets import IntColumn, Mask
from cbvtool.history.identity import same_people
from cbvtool.history.knowledge import QUIET_DAYS
from cbvtool.matching import Lines, PatternError, glob
from cbvtool.mining.changes import Changes

_SECTION = "people"
_KEYS = ("hide_names", "quiet_days", "leavers", "teams")
_HEADER = ("author", "mail", "email", "name", "who")
_DELIMITERS = ",;\t"
_YES, _NO = ("yes", "y", "true", "1", "left", "x"), ("no", "n", "false", "0", "")
_MOST_ROWS, _MOST_PATTERNS, _LONGEST = 100_000, 200, 400
_MOST_DAYS = 100_000
_ROW_SIZE = 600  # bytes of memory of a row
_SECONDS = 10.0  # time limit for identifying all authors


@dataclass(frozen=True)
class Member:
    """One line of a roster.

    who   mail address, name, or a pattern with * for either
    team  empty = not stated
    left  whether the person has left
    """

    who: str
    team: str = ""
    left: bool = False


@dataclass(frozen=True)
class PeopleSettings:
    """The settings about people.

    hide_names  whether to show no names at all
    quiet_days  days without a commit after which an author counts as inactive
    members     entries; later ones take precedence
    notes       one sentence for each unknown key
    """

    hide_names: bool = False
    quiet_days: int = QUIET_DAYS
    members: tuple[Member, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Roster:
    """Facts about the a authors of a history.

    teams  names, in the order in which they are first named
    team   int32[a]  index into `teams`; -1 = none
    left   bool[a]   whether the author has left
    quiet_days  as in the settings
    """

    teams: tuple[str, ...] = ()
    team: IntColumn = field(default_factory=lambda: np.empty(0, np.int32))
    left: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    quiet_days: int = QUIET_DAYS

    @property
    def is_known(self) -> bool:
        """Whether it contains any facts."""
        return bool(self.teams) or bool(self.left.any())


def read_people(root: Path) -> PeopleSettings:
    """The settings in section `[people]` of `cbvtool.toml` in the repository at `root`; defaults if there is none.

    Raises InputError, naming the file and the key, for a file that cannot be read or has an invalid value.
    """
    text = own_text(root)
    return PeopleSettings() if text is None else parse_people(text, str(root / FILE_NAME))


def parse_people(text: str, name: str = FILE_NAME) -> PeopleSettings:
    """The settings in the text of a settings file; `name` is the file's name in messages. Raises InputError."""
    section = section_of(text, _SECTION, name)
    hide, days = section.get("hide_names", False), section.get("quiet_days", QUIET_DAYS)
    if not isinstance(hide, bool):
        raise InputError(f"{name}: {_SECTION}.hide_names must be true or false, not {shown(hide)}.")
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= _MOST_DAYS:
        raise InputError(
            f"{name}: {_SECTION}.quiet_days must be a number of days from 1 to {_MOST_DAYS}, not {shown(days)}."
        )
    teams = section.get("teams", {})
    if not isinstance(teams, dict):
        raise InputError(f"{name}: {_SECTION}.teams must be a section, [{_SECTION}.teams].")
    members = [
        Member(who, team.strip())
        for team, people in teams.items()
        for who in _people(people, f"{_SECTION}.teams.{shown(team)}", name)
    ]
    members += [Member(who, left=True) for who in _people(section.get("leavers", []), f"{_SECTION}.leavers", name)]
    _limit(members, name)
    notes = unknown_keys(section, _KEYS, _SECTION, name)
    return PeopleSettings(hide, days, tuple(members), tuple(notes))


def _people(value: Any, where: str, name: str) -> list[str]:
    people = list_of(value, where, name)
    for who in people:
        if not isinstance(who, str) or not who.strip() or len(who) > _LONGEST:
            raise InputError(f"{name}: {where} must list mail addresses or names, not {shown(who)}.")
    return [who.strip() for who in people]


def with_table(settings: PeopleSettings, file: Path) -> PeopleSettings:
    """The settings, with the rows of the table `file` after their members, so that the rows take precedence.

    Raises InputError, naming file and line, for an invalid table.
    """
    budget = reading_budget(file)
    try:
        members = _rows(text_of(read_content(file, budget), budget), file, budget)
    except Damaged as error:
        raise InputError(f"{file.name} is not a table of people: {error}.") from None
    except OverBudget:
        raise InputError(f"{file.name} is not a table of people: {why_stopped(budget)}.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from None
    _limit(members, file.name)
    return replace(settings, members=(*settings.members, *members))


def _rows(text: str, file: Path, budget: Budget) -> list[Member]:
    first = next((line for line in text[:4096].splitlines() if line.strip()), "")
    delimiter = next((mark for mark in _DELIMITERS if mark in first), ",")
    members: list[Member] = []
    is_first = True
    for line, cells in csv_rows(text, delimiter, strict=True):
        cells = [cell.strip() for cell in cells]
        if not any(cells):
            continue
        if is_first and cells[0].lower() in _HEADER:
            is_first = False
            continue
        is_first = False
        who, team, left = (*cells, "", "")[:3]
        if not who or len(cells) > 3 or max(len(who), len(team)) > _LONGEST or left.lower() not in (*_YES, *_NO):
            raise InputError(f"{file.name}, line {line}: a row is an author, a team, and yes for who has left.")
        if len(members) == _MOST_ROWS:
            raise InputError(f"{file.name} has more than {_MOST_ROWS:,} rows of people.")
        budget.spend(1, _ROW_SIZE)
        members.append(Member(who, team, left.lower() in _YES))
    if not members:
        raise InputError(f"{file.name} holds no row such as ada@example.org,Core,no.")
    return members


def _limit(members: Iterable[Member], name: str) -> None:
    if sum("*" in member.who for member in members) > _MOST_PATTERNS:
        raise InputError(f"{name} has more than {_MOST_PATTERNS} people with a *: name them by their addresses.")


def roster(changes: Changes, settings: PeopleSettings) -> Roster:
    """The roster of the authors of a history, by mail address or name, ignoring case.

    If several entries match an author, the last one with a team decides, but an entry that names the author takes
    precedence over a pattern. Raises InputError for an invalid pattern, and if the search takes too long.
    """
    teams = {team: row for row, team in enumerate(dict.fromkeys(m.team for m in settings.members if m.team))}
    team = np.full(len(changes.authors), -1, np.int32)
    left = np.zeros(len(changes.authors), np.bool_)
    called: dict[str, list[int]] = {}
    for row, address in enumerate(changes.authors):
        for text in {address.casefold(), changes.names[row].strip().casefold() if changes.names else ""} - {""}:
            called.setdefault(text, []).append(row)
    lines = Lines(list(called))
    budget = Budget("Finding out who the authors are", seconds=_SECONDS)
    by_pattern = sorted(settings.members, key=lambda member: "*" not in member.who)
    for member in by_pattern:
        budget.spend()
        rows = _authors(member.who.casefold(), called, lines, budget)
        if member.team:
            team[rows] = teams[member.team]
        left[rows] |= member.left
    person = same_people(changes)  # an entry for one address applies to all addresses with the same name
    one_left, one_team = np.zeros_like(left), np.full_like(team, -1)
    np.logical_or.at(one_left, person, left)
    np.maximum.at(one_team, person, team)
    return Roster(tuple(teams), np.where(team < 0, one_team[person], team), one_left[person], settings.quiet_days)


def _authors(who: str, called: Mapping[str, list[int]], lines: Lines, budget: Budget) -> list[int]:
    """The authors that match a mail address, a name or a pattern for either."""
    if "*" not in who:
        return called.get(who, [])
    try:
        pattern = glob(who)
    except PatternError as error:
        raise InputError(f"{who[:200]!r} is not a pattern of people: {error}.") from None
    people = list(called.values())
    return [row for line in pattern.rows(lines, budget.spend) for row in people[line]]
