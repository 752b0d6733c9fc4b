"""A hierarchy as a table of the user's: `path,group[,subgroup...]`, one row for a file or a folder.

Cells may be parted by semicolons or tabulators as well, as spreadsheets do in many countries.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import InputError
from cbvtool.formats.content import Damaged, read_content, reading_budget, text_of, why_stopped
from cbvtool.formats.csv_rows import csv_rows
from cbvtool.graph import EXTERNAL, Graph, IntColumn
from cbvtool.hierarchies.classes import OTHER, GroupPath

_HEADER = ("path", "file", "id", "node")
_DELIMITERS = ",;\t"
_SHOWN = 3  # unknown paths that a note names
_LONGEST_SHOWN = 200  # characters of a path in a message
_DEEPEST = 64  # groups of one row
_ROW_SIZE, _GROUP_SIZE = 600, 120  # bytes of memory
_LINE = re.compile(r"[^\r\n]++")


class TableRow(NamedTuple):
    """What one line says; `line` is 1-based."""

    line: int
    path: str
    groups: GroupPath


def read(file: Path) -> list[TableRow]:
    """The rows of `file`. Raises InputError, which names file and line, for what is no such table."""
    budget = reading_budget(file)
    try:
        text = text_of(read_content(file, budget), budget)
        return _rows(text, file, budget)
    except Damaged as error:
        raise InputError(f"{file.name} is not a table of groups: {error}.") from None
    except OverBudget:
        raise InputError(f"{file.name} is not a table of groups: {why_stopped(budget)}.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from None


def _rows(text: str, file: Path, budget: Budget) -> list[TableRow]:
    first = next(filter(None, (line[0].strip() for line in _LINE.finditer(text))), "")
    delimiter = next((mark for mark in _DELIMITERS if mark in first), ",")
    rows: list[TableRow] = []
    seen: dict[str, int] = {}
    try:
        for line, cells in csv_rows(text, delimiter, strict=True):
            cells = [cell.strip() for cell in cells]
            if not any(cells) or (not rows and cells[0].lower() in _HEADER):
                continue
            path, groups = cells[0].removeprefix("./").rstrip("/"), cells[1:]
            while groups and not groups[-1]:
                groups.pop()
            if not path or not groups or not all(groups):
                raise InputError(f"{file.name}, line {line}: a row is a path, a group, and maybe groups inside it.")
            if len(groups) > _DEEPEST:
                raise InputError(f"{file.name}, line {line}: it has more than {_DEEPEST} groups inside one another.")
            if path in seen:
                raise InputError(f"{file.name}, line {line}: {path[:_LONGEST_SHOWN]} is in line {seen[path]} already.")
            budget.spend(1, _ROW_SIZE + _GROUP_SIZE * len(groups))
            seen[path] = line
            rows.append(TableRow(line, path, tuple(groups)))
    except Damaged as error:
        raise InputError(f"{file.name}, {error}.") from None
    if not rows:
        raise InputError(f"{file.name} holds no row such as src/app.py,Ada.")
    return rows


def paths(graph: Graph, keys: IntColumn, rows: list[TableRow]) -> tuple[list[GroupPath], tuple[str, ...]]:
    """(the groups of each leaf, sentences about what the table names and is not there).

    A row for a folder is about everything in it that has no row nearer to it.
    """
    said = {row.path: row.groups for row in rows}
    found: list[GroupPath] = []
    for key in keys.tolist():
        if graph.kind(key) == EXTERNAL:
            found.append(())
            continue
        row = int(graph.file[key])
        place = graph.files[row] if row >= 0 else graph.ids[key]
        names = (place, *(graph.ids[above] for above in (key, *graph.ancestors(key))))
        found.append(next((said[name] for name in names if name in said), (OTHER,)))
    there = graph.key_of.keys() | set(graph.files)
    unknown = [row for row in rows if row.path not in there]
    if not unknown:
        return found, ()
    shown = ", ".join(f"{row.path} (line {row.line})" for row in unknown[:_SHOWN])
    more = f" and {len(unknown) - _SHOWN:,} more" if len(unknown) > _SHOWN else ""
    paths_ = "1 path" if len(unknown) == 1 else f"{len(unknown):,} paths"
    return found, (f"{paths_} of the table {'is' if len(unknown) == 1 else 'are'} not there: {shown}{more}.",)
