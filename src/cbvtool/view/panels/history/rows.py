"""What the tables of the history list: pairs that change together, commits, and who knows what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from qtpy.QtWidgets import QWidget

from cbvtool.asking.listing import NodePaths
from cbvtool.graph import Graph
from cbvtool.history.people_table import PeopleTable, author_names
from cbvtool.history.ranking import Ranking
from cbvtool.metrics.history.last_change import day
from cbvtool.mining.changes import Changes
from cbvtool.view.panels.traces.rows_table import TableColumn, TableRows
from cbvtool.view.panels.traces.tables import shown

MOST = 5_000  # rows of a table
_SHA = 8  # characters of a commit's id
_ROOMY, _NARROW = 700, 170  # px: a table that wide has room for names that share what is left; else so much for each


def width_of_names(table: QWidget) -> int:
    """The width of columns of names in a table, for `TableColumn.wide`."""
    return 0 if table.width() >= _ROOMY else _NARROW


def coupling_rows(
    ranked: Ranking, rows: np.ndarray[tuple[int, ...], np.dtype[np.int64]], graph: Graph, wide: int = 0
) -> TableRows:
    """The pairs of these rows of a ranking. With a selection, the other one of each pair alone.

    wide   of the columns of names, as in `TableColumn`
    """
    paths, listed = NodePaths(graph), rows[:MOST]
    found = ranked.found.take(listed)
    related, apart = ranked.related[listed], ranked.apart[listed]

    def name(key: int) -> str:
        return shown(paths[key])

    def tip(row: int) -> str:
        code = "One uses the other in the code" if related[row] else "No relation in the code"
        return "\n".join(
            (
                name(int(found.first[row])),
                name(int(found.second[row])),
                f"{int(found.both[row]):,} commits changed both, {found.lift[row]:,.1f} times as many as by chance",
                f"{found.confidence[row]:.0%} of the commits of the first changed the second, "
                f"{found.back[row]:.0%} the other way round",
                f"{code}, {int(apart[row]):,} steps apart in the hierarchy",
            )
        )

    together = TableColumn("Together", lambda row: f"{int(found.both[row]):,}", found.both, 80)
    lift = TableColumn("Lift", lambda row: f"{found.lift[row]:,.1f}", found.lift, 60)
    code = TableColumn("In the code", lambda row: "related" if related[row] else "", None, 95)
    far = TableColumn("Apart", lambda row: f"{int(apart[row]):,}", apart, 60)
    if ranked.selected >= 0:
        other = np.where(found.first == ranked.selected, found.second, found.first)
        share = np.where(found.first == ranked.selected, found.confidence, found.back)
        columns: tuple[TableColumn, ...] = (
            TableColumn("Changes with the selection", lambda row: name(int(other[row])), None, wide),
            TableColumn("Share", lambda row: f"{share[row]:.0%}", share, 60),
        )
    else:
        columns = (
            TableColumn("One", lambda row: name(int(found.first[row])), None, wide),
            TableColumn("The other", lambda row: name(int(found.second[row])), None, wide),
            TableColumn("One → other", lambda row: f"{found.confidence[row]:.0%}", found.confidence, 100),
            TableColumn("Other → one", lambda row: f"{found.back[row]:.0%}", found.back, 100),
        )
    return TableRows((*columns, together, lift, code, far), len(listed), tip, len(rows) - len(listed))


def commit_rows(changes: Changes, commits: Sequence[int]) -> TableRows:
    """Commits, in this order: when, by whom, what for."""
    names, listed = author_names(changes), list(commits[:MOST])
    author = [shown(names[int(changes.author[row])]) for row in listed]
    said = [shown(changes.subjects[row]) if changes.subjects else changes.sha[row][:_SHA] for row in listed]
    times = changes.time[np.array(listed, np.int64)]
    return TableRows(
        (
            TableColumn("Date", lambda row: day(float(times[row])), times, 95),
            TableColumn("Author", author.__getitem__, None, 110),
            TableColumn("Commit", said.__getitem__, None, 0),
        ),
        len(listed),
        lambda row: f"{changes.sha[listed[row]]}\n{author[row]}, {day(float(times[row]))}\n{said[row]}",
        len(commits) - len(listed),
    )


_WIDE = {"commits": 75, "authors": 70, "bus_factor": 85, "share": 60, "last": 95, "quiet_share": 90, "island": 60}
_TITLES = {"quiet_share": "Gone quiet", "ask": "Ask"}


def people_rows(table: PeopleTable, wide: int = 0) -> TableRows:
    """A table of people as it is on the command line, without columns in which nothing stands.

    wide   of the first column, as in `TableColumn`
    """
    rows = table.rows[:MOST]

    def column(number: int, name: str) -> TableColumn:
        values = [row[number] for row in rows]

        def text(row: int) -> str:
            cell = values[row]
            if isinstance(cell, bool):
                return "yes" if cell else ""
            return f"{cell:.0%}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else shown(cell)

        is_number = bool(values) and isinstance(values[0], int | float) and not isinstance(values[0], bool)
        title = _TITLES.get(name, name.replace("_", " ").capitalize())
        rank = np.array(values, np.float64) if is_number else None
        return TableColumn(title, text, rank, wide if number == 0 else _WIDE.get(name, 130))

    def tip(row: int) -> str:
        return "\n".join(f"{c.title}: {c.text(row)}" for c in columns if c.text(row))

    said = [number for number in range(len(table.columns)) if any(row[number] != "" for row in rows) or not rows]
    columns = tuple(column(number, table.columns[number]) for number in said)
    return TableRows(columns, len(rows), tip, len(table.rows) - len(rows))
