"""A hierarchy as a table of the user's: `path,group[,subgroup...]`, one row for a file or a folder.

Cells may be parted by semicolons or tabulators as well, as spreadsheets do in many countries.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

from cbvtool.errors import InputError
from cbvtool.formats.content import Damaged, read_content, text_of
from cbvtool.graph import EXTERNAL, Graph, IntColumn
from cbvtool.hierarchies.classes import OTHER, GroupPath

_HEADER = ("path", "file", "id", "node")
_DELIMITERS = ",;\t"
_SHOWN = 3  # unknown paths that a note names


class Row(NamedTuple):
    """What one line says; `line` is 1-based."""

    line: int
    path: str
    groups: GroupPath


def read(file: Path) -> list[Row]:
    """The rows of `file`. Raises InputError, which names file and line, for what is no such table."""
    try:
        text = text_of(read_content(file))
    except Damaged as error:
        raise InputError(f"{file.name} is no table of groups: {error}.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from None
    first = next(filter(None, map(str.strip, text.splitlines())), "")
    delimiter = next((mark for mark in _DELIMITERS if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    rows: list[Row] = []
    seen: dict[str, int] = {}
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells) or (not rows and not seen and cells[0].lower() in _HEADER):
                continue
            line, path, groups = reader.line_num, cells[0].removeprefix("./").rstrip("/"), cells[1:]
            while groups and not groups[-1]:
                groups.pop()
            if not path or not groups or not all(groups):
                raise InputError(f"{file.name}, line {line}: a row is a path, a group, and maybe groups inside it.")
            if path in seen:
                raise InputError(f"{file.name}, line {line}: {path} is in line {seen[path]} already.")
            seen[path] = line
            rows.append(Row(line, path, tuple(groups)))
    except csv.Error as error:
        raise InputError(f"{file.name}, line {reader.line_num}: it is no CSV ({error}).") from None
    if not rows:
        raise InputError(f"{file.name} holds no row such as src/app.py,Ada.")
    return rows


def paths(graph: Graph, keys: IntColumn, rows: list[Row]) -> tuple[list[GroupPath], tuple[str, ...]]:
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
