"""`cbvtool runs similar`: which runs are alike, and which are unlike all others (CF-7)."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import Command, add_format, add_output, whole
from cbvtool.cli.of_runs.reading import add_runs, add_values, read_runs, united_of
from cbvtool.cli.of_runs.tables import Row, RunTable, amount, as_csv, as_markdown, as_text, number, words
from cbvtool.cli.output import DONE, check_result, counted, progress, write_result

if TYPE_CHECKING:
    from cbvtool.trace.ensemble.ensemble import Ensemble

FORMAT, VERSION = "cbvtool-runs-similar", 1
_COLUMNS = ("run", "total", "nearest", "distance", "alone", "odd", "x", "y", "group")
_ODD, _GROUP = _COLUMNS.index("odd"), _COLUMNS.index("group")


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "similar",
        _run,
        "tell which run is most like each, by the call trees with their times, and which runs are unlike all others",
        "cbvtool runs similar profiles/",
        "cbvtool runs similar profiles/ --map --format json",
    )
    add_runs(added)
    add_values(added)
    added.add_argument("--map", action="store_true", help="add places on a map of the runs, and groups of them")
    added.add_argument("--limit", type=whole(1, 10**6), default=20, metavar="N", help="rows of text (default: 20)")
    add_format(added, "text", "json", "csv", "markdown")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    check_result(chosen, "table of runs")
    ensemble = united_of(chosen, read_runs(chosen.paths))
    rows, error = _rows(ensemble, mapped=chosen.map)
    notes = _notes(rows, error)
    if chosen.format == "json":
        content: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "metric": ensemble.metric,
            "unit": ensemble.unit,
            "map_error": error,
            "runs": [dict(zip(_COLUMNS, row, strict=True)) for row in rows],
            "notes": notes,
        }
        text = json.dumps(content, indent=1) + "\n"
    elif chosen.format == "csv":
        text = as_csv(RunTable("", _COLUMNS, (), rows))
    else:
        write = as_text if chosen.format == "text" else as_markdown
        text = write(
            f"{len(ensemble):,}, how alike by {ensemble.metric}", notes, [_table(ensemble, rows)], chosen.limit
        )
    write_result(chosen, text)
    return DONE


def _rows(ensemble: Ensemble, *, mapped: bool) -> tuple[list[Row], float | None]:
    """A row for each run, those furthest from all others first; the error of the map, None = there is none."""
    import numpy as np

    from cbvtool.trace.ensemble.similarity.clusters import point_groups
    from cbvtool.trace.ensemble.similarity.distances import run_neighbours, tree_distances
    from cbvtool.trace.ensemble.similarity.scaling import scaled_map

    with progress() as shown:
        distance = tree_distances(ensemble.inclusive, shown)
        found = run_neighbours(distance)
        place = scaled_map(distance, progress=shown) if mapped else None
    group = None if place is None else point_groups(place.place).group
    names, totals = ensemble.names, ensemble.totals
    rows: list[Row] = []
    for row in np.argsort(-np.nan_to_num(found.alone), kind="stable").tolist():
        nearest = int(found.nearest[row])
        on_map: Row = (None, None, None)
        if place is not None and group is not None:
            on_map = (float(place.place[row, 0]), float(place.place[row, 1]), int(group[row]) + 1)
        rows.append(
            (
                names[row],
                float(totals[row]),
                names[nearest] if nearest >= 0 else None,
                number(found.distance[row]),
                number(found.alone[row]),
                bool(found.is_odd[row]),
                *on_map,
            )
        )
    return rows, None if place is None else place.error


def _notes(rows: list[Row], error: float | None) -> list[str]:
    """What is to be known about the rows."""
    from cbvtool.trace.ensemble.similarity.distances import FEWEST_ODD

    if len(rows) < FEWEST_ODD:
        notes = [f"Of {counted(len(rows), 'run')} none is called odd: {FEWEST_ODD} are needed."]
    else:
        notes = [f"{counted(sum(row[_ODD] for row in rows), 'run')} of {len(rows):,} unlike all others."]
    if error is not None:
        groups = counted(max((row[_GROUP] for row in rows), default=0), "group")
        notes.append(f"The map shows distances with an error of {error:.1%}, and {groups}.")
    return notes


def _table(ensemble: Ensemble, rows: list[Row]) -> RunTable:
    looks = (words, amount(ensemble.unit), _name, _share, _share, _odd, _place, _place, _name)
    used = len(_COLUMNS) if rows and rows[0][_GROUP] is not None else _ODD + 1
    return RunTable("Runs", _COLUMNS[:used], looks[:used], [row[:used] for row in rows])


def _name(cell: object) -> str:
    return "-" if cell is None else words(cell)


def _share(cell: float | None) -> str:
    return "-" if cell is None else f"{cell:.1%}"


def _place(cell: float) -> str:
    return f"{cell:.3f}"


def _odd(cell: bool) -> str:
    return "odd" if cell else ""
