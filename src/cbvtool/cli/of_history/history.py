"""`cbvtool history`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import Command, add_format, add_history, add_output, add_path
from cbvtool.cli.of_history.reading import read_with_lines
from cbvtool.cli.of_history.tables import written
from cbvtool.cli.output import DONE, check_result, write_result

if TYPE_CHECKING:
    from cbvtool.history.files import FileRows
    from cbvtool.mining.changes import Changes

COLUMNS = ("path", "commits", "added", "deleted", "authors", "first", "last")


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "history",
        _run,
        "list what commits did to each file of HEAD: commits, lines, authors, first and last day",
        "cbvtool history . --since 1y",
        "cbvtool history ~/src/flask --since 2023-01-01 --until 2023-12-31 --format csv -o 2023.csv",
    )
    add_path(added)
    add_history(added)
    add_format(added, "text", "csv", "json")
    add_output(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.history.files import file_rows

    check_result(chosen, "history")
    changes, choice = read_with_lines(chosen)
    rows = _rows(changes, file_rows(changes, choice))
    write_result(chosen, written(chosen.format, COLUMNS, rows, _text))
    return DONE


def _rows(changes: Changes, files: FileRows) -> list[tuple[object, ...]]:
    from cbvtool.metrics.history.last_change import day

    columns = (files.commits, files.added, files.deleted, files.authors)
    paths = [changes.paths[i] for i in files.path.tolist()]
    days = ([day(time) for time in column.tolist()] for column in (files.first, files.last))
    return list(zip(paths, *(column.tolist() for column in columns), *days, strict=True))


def _text(rows: list[tuple[object, ...]]) -> str:
    lines = [f"{'commits':>8}{'added':>10}{'deleted':>10}{'authors':>9}  {'first':<12}{'last':<12}file"]
    for path, commits, added, deleted, authors, first, last in rows:
        lines.append(f"{commits:>8,}{added:>10,}{deleted:>10,}{authors:>9,}  {first:<12}{last:<12}{path}")
    return "\n".join(lines) + "\n"
