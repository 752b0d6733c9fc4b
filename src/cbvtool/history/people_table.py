"""Tables of knowledge: one row for each module, author or team."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cbvtool.history.change_sets import ChangeSets, IntColumn, Mask
from cbvtool.history.identity import by_name, same_people
from cbvtool.history.knowledge import Knowledge, knowledge, last_commits, quiet_authors, touches_of, whom_to_ask
from cbvtool.history.roster import Roster
from cbvtool.metrics.history.last_change import day
from cbvtool.mining.changes import Changes
from cbvtool.words import harmless, one_line

FORMAT, VERSION = "cbvtool-people", 1
NO_TEAM = "(no team)"
Cell = str | int | float | bool
_GAP = "  "
_NAME_COLUMNS = frozenset({"module", "author", "team", "main_author", "main_team", "ask"})


@dataclass(frozen=True, eq=False)
class PeopleTable:
    """Rows of cells with names of columns; the same columns in all formats."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def to_csv(self) -> str:
        """Names of columns, then a line for each row."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([harmless(_plain(cell)) for cell in row] for row in self.rows)
        return text.getvalue()

    def to_json(self) -> str:
        """A list of rows, each by names of columns."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return json.dumps({"format": FORMAT, "version": VERSION, "rows": rows}, indent=1, allow_nan=False) + "\n"

    def to_text(self) -> str:
        """Columns for people; shares as percentages."""
        head = tuple(name.replace("_", " ").capitalize() for name in self.columns)
        shown = [head, *(tuple(map(_shown, row)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        left = [name in _NAME_COLUMNS for name in self.columns]
        lines = (
            _GAP.join(
                cell.ljust(width) if is_left else cell.rjust(width)
                for cell, width, is_left in zip(row, widths, left, strict=True)
            )
            for row in shown
        )
        return "".join(f"{line.rstrip()}\n" for line in lines)


def _plain(cell: Cell) -> Cell:
    return ("yes" if cell else "no") if isinstance(cell, bool) else round(cell, 6) if isinstance(cell, float) else cell


def _shown(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else ""
    return f"{cell:.0%}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else one_line(cell)


@dataclass(frozen=True, eq=False)
class PeopleInRange:
    """The inputs of tables of people.

    sets   change sets with the commits that count
    names  displayed names of the authors
    quiet  bool[a]: authors who have left, or have been inactive for long
    """

    changes: Changes
    sets: ChangeSets
    roster: Roster
    names: tuple[str, ...]
    quiet: Mask

    @staticmethod
    def of(changes: Changes, sets: ChangeSets, roster: Roster, until: int | None = None) -> PeopleInRange:
        """The inputs for a history; `until`: assumed end of the history, seconds since the epoch."""
        changes = by_name(changes)
        roster = roster if len(roster.left) == len(changes.authors) else unknown_roster(changes, roster)
        quiet = quiet_authors(changes, roster.left, until, roster.quiet_days)
        return PeopleInRange(changes, sets, roster, author_names(changes), quiet)

    def team_name(self, author: int) -> str:
        """The team of an author; empty = unknown."""
        team = int(self.roster.team[author])
        return self.roster.teams[team] if team >= 0 else ""


def unknown_roster(changes: Changes, roster: Roster) -> Roster:
    """A roster without any people; it keeps only the number of days after which people count as inactive."""
    people = len(changes.authors)
    return Roster((), np.full(people, -1, np.int32), np.zeros(people, np.bool_), roster.quiet_days)


def author_names(changes: Changes) -> tuple[str, ...]:
    """The name of each author; with the mail address if two would have the same name."""
    names = [changes.name_of(author) for author in range(len(changes.authors))]
    often = Counter(names[person] for person in set(same_people(changes).tolist()))
    return tuple(
        name if often[name] == 1 or name == address else f"{name} <{address}>"
        for name, address in zip(names, changes.authors, strict=True)
    )


MODULE_COLUMNS = (
    "module",
    "commits",
    "authors",
    "bus_factor",
    "main_author",
    "share",
    "main_team",
    "last",
    "quiet_share",
    "island",
    "ask",
)


def table_of_modules(people: PeopleInRange, names: Sequence[str], module: IntColumn) -> PeopleTable:
    """One row for each module with commits: islands first, then by number of commits of inactive people.

    names, module   of the modules; int32[p] the module of each path

    share: of the main author; quiet_share: of authors who left or are inactive; island: all main authors did or are;
    ask: the active person who knows most of the recent changes.
    """
    commit, path = touches_of(people.sets)
    thing = module[path] if len(path) else np.empty(0, np.int32)
    known = knowledge(people.changes, commit, thing, len(names))
    lost, islands = known.share_of(people.quiet), known.islands(people.quiet)
    there = np.flatnonzero(known.total > 0)
    order = there[np.lexsort((there, -lost[there] * known.total[there], ~islands[there]))]
    by_module = np.argsort(thing, kind="stable")
    ends = np.searchsorted(thing[by_module], np.arange(len(names) + 1))
    team_of = _main_teams(people, known)
    rows = []
    for one in order.tolist():
        part = known.rows(one)
        first = int(known.author[part.start])
        asked = whom_to_ask(people.changes, commit[by_module[ends[one] : ends[one + 1]]], people.quiet)
        there_still = [people.names[contact.author] for contact in asked if not contact.quiet]
        rows.append(
            (
                names[one],
                int(known.total[one]),
                part.stop - part.start,
                int(known.bus_factor[one]),
                people.names[first],
                float(known.share[part.start]),
                team_of.get(one, ""),
                day(float(known.last[part].max())),
                float(lost[one]),
                bool(islands[one]),
                there_still[0] if there_still else "",
            )
        )
    return PeopleTable(MODULE_COLUMNS, tuple(rows))


def _main_teams(people: PeopleInRange, known: Knowledge) -> dict[int, str]:
    """Module -> the team with most commits in it; modules without a known team are left out."""
    teams, team = people.roster.teams, people.roster.team[known.author]
    kept = team >= 0
    code, row = np.unique(known.thing[kept] * max(1, len(teams)) + team[kept], return_inverse=True)
    weight = np.bincount(row, known.commits[kept], len(code))
    order = np.lexsort((-code, weight))  # among equals, the team that is named first wins
    return {int(code[one]) // len(teams): teams[int(code[one]) % len(teams)] for one in order.tolist()}


def table_of_authors(people: PeopleInRange) -> PeopleTable:
    """One row for each author of a commit that counts, most commits first."""
    columns = ("author", "commits", "share", "team", "last", "quiet", "left")
    times = np.bincount(people.changes.author[people.sets.commit], minlength=len(people.names))
    last = last_commits(people.changes)
    order = np.argsort(-times, kind="stable")
    rows = tuple(
        (
            people.names[author],
            int(times[author]),
            float(times[author] / max(1, len(people.sets.commit))),
            people.team_name(author),
            day(float(last[author])),
            bool(people.quiet[author]),
            bool(people.roster.left[author]),
        )
        for author in order.tolist()
        if times[author]
    )
    return PeopleTable(columns, rows)


def table_of_teams(people: PeopleInRange) -> PeopleTable:
    """One row for each team with commits that count, most commits first; authors without a team form one row."""
    columns = ("team", "commits", "share", "authors", "quiet", "left")
    author = people.changes.author[people.sets.commit]
    names = (*people.roster.teams, NO_TEAM)
    team = people.roster.team[author] % len(names)  # -1 (no team) becomes the last one
    times = np.bincount(team, minlength=len(names))
    rows = []
    for row in np.argsort(-times, kind="stable").tolist():
        members = np.unique(author[team == row])
        if times[row]:
            quiet, left = int(people.quiet[members].sum()), int(people.roster.left[members].sum())
            rows.append((names[row], int(times[row]), float(times[row] / len(author)), len(members), quiet, left))
    return PeopleTable(columns, tuple(rows))
