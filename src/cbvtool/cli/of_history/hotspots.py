"""`cbvtool hotspots`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_format, add_history, add_output, add_path, add_reading, moment, node
from cbvtool.cli.of_history.tables import written
from cbvtool.cli.output import DONE, check_result, progress, write_result
from cbvtool.cli.reading import open_into
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.graph import Graph
    from cbvtool.mining.changes import Changes

FUNCTIONS = ("points", "commits", "complexity", "line", "function")
COLUMNS = ("rank", "path", "points", "commits", "complexity", "sloc")


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "hotspots",
        _run,
        "list the files with the most complexity times commits: where work on simpler code pays first",
        "cbvtool hotspots . --since 1y",
        "cbvtool hotspots ~/src/flask --file src/flask/app.py",
        "cbvtool hotspots ~/src/flask --since 2023-01-01 --until 2023-12-31 --format csv",
    )
    add_path(added)
    added.add_argument(
        "--file", type=node, metavar="FILE", help="list the functions of this file, by the commits that changed each"
    )
    add_history(added)
    add_format(added, "text", "csv", "json")
    add_output(added)
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    import numpy as np

    from cbvtool.history.choosing import Choice
    from cbvtool.history.choosing import chosen as choose
    from cbvtool.metrics.metric import Subject
    from cbvtool.metrics.values import Values
    from cbvtool.mining.commit_kinds import BOTS
    from cbvtool.session import Session

    check_result(chosen, "list of hot spots" if chosen.file is None else "list of functions")
    session = Session()
    open_into(session, chosen)
    assert session.project is not None
    changes, graph = session.project.changes, session.planned
    if changes is None or not changes.sha:
        raise InputError(changes.notes[0] if changes is not None and changes.notes else "There is no history.")
    end = int(changes.time[-1])
    since, until = moment(chosen.since, end), moment(chosen.until, end, last=True)
    # Without a range all of the history, as for `history`.
    since = int(changes.time[0]) if since is None else since
    changes = choose(changes, Choice(with_bots=not chosen.without_bots, bots=changes.bots or BOTS))
    if chosen.file is not None:
        write_result(chosen, _functions(chosen, graph, changes, since, until))
        return DONE
    values = Values(Subject(graph, changes, since, until), session.metrics)
    rank, points = values["hot_spot_rank"], values["hot_spots"]
    files = [key for key in np.flatnonzero(~np.isnan(rank)).tolist() if graph.kind(key) == "file"]
    files.sort(key=lambda key: (rank[key], graph.ids[key]))
    columns = (rank, points, values["commits"], values["complexity"], np.nan_to_num(values["sloc"]))
    rows: list[tuple[object, ...]] = []
    for key in files:
        place, *numbers = (int(column[key]) for column in columns)
        rows.append((place, graph.ids[key], *numbers))
    write_result(chosen, written(chosen.format, COLUMNS, rows, _text))
    return DONE


def _functions(chosen: argparse.Namespace, graph: Graph, changes: Changes, since: int, until: int | None) -> str:
    from cbvtool.evolution.functions import commits_by_function

    if not chosen.path.is_dir():
        raise InputError(f"{chosen.path} is not a folder: --file needs the contents of earlier versions.")
    key = graph.key_of.get(chosen.file, -1)
    if key < 0 or graph.kind(key) != "file":
        raise InputError(f"There is no file {chosen.file!r}: name it by its path in the folder, such as src/app.py.")
    with progress() as shown:
        found, _ = commits_by_function(chosen.path, graph, changes, key, since=since, until=until, progress=shown)
    names = (graph.ids[row.key].partition("::")[2] for row in found)
    rows: list[tuple[object, ...]] = [
        (row.points, row.commits, row.complexity, int(graph.line[row.key]), name)
        for row, name in zip(found, names, strict=True)
    ]
    return written(chosen.format, FUNCTIONS, rows, _functions_text)


def _functions_text(rows: list[tuple[object, ...]]) -> str:
    lines = [f"{'points':>10}{'commits':>9}{'complexity':>12}{'line':>9}  function"]
    for points, commits, complexity, line, name in rows:
        lines.append(f"{points:>10,}{commits:>9,}{complexity:>12,}{line:>9,}  {name}")
    return "\n".join(lines) + "\n"


def _text(rows: list[tuple[object, ...]]) -> str:
    lines = [f"{'rank':>5}{'points':>10}{'commits':>9}{'complexity':>12}{'lines':>9}  file"]
    for rank, path, points, commits, complexity, sloc in rows:
        lines.append(f"{rank:>5,}{points:>10,}{commits:>9,}{complexity:>12,}{sloc:>9,}  {path}")
    return "\n".join(lines) + "\n"
