"""Tables about runs, as text, Markdown and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cbvtool.words import as_utf8, escaped, harmless, one_line

Row = tuple[Any, ...]
Shown = Callable[[Any], str]
_WIDEST = 80  # letters of a call path


class RunTable(NamedTuple):
    """A table. columns: names, for CSV; shown: how cells of each column are put for people."""

    title: str
    columns: tuple[str, ...]
    shown: tuple[Shown, ...]
    rows: Sequence[Row]


def words(cell: object) -> str:
    """A cell as it is."""
    return one_line(str(cell))


def path_end(cell: str) -> str:
    """The end of a call path, from a whole name on."""
    shown = one_line(cell)
    if len(shown) <= _WIDEST:
        return shown
    at = shown.find(" > ", len(shown) - _WIDEST)
    return f"... {shown[at + 1 :] if at >= 0 else shown[-_WIDEST:]}"


def percent(cell: float | None) -> str:
    """A share, with its sign: +5.0%; empty where there is none."""
    return "" if cell is None or math.isnan(cell) else f"{cell:+.1%}" if math.isfinite(cell) else "new"


def amount(unit: str) -> Shown:
    """How a value of a unit is shown; None = missing, a dash."""
    from cbvtool.trace.model.durations import duration

    def show(cell: float | None) -> str:
        if cell is None:
            return "-"
        if unit == "ns":
            return duration(cell)
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.4g}"

    return show


def chance_text(cell: float) -> str:
    """A probability."""
    return "< 0.0001" if cell < 1e-4 else f"{cell:.2g}"


def number(value: float) -> float | None:
    """A value for a table or JSON: None for what is missing."""
    return None if math.isnan(value) else float(value)


def as_csv(table: RunTable) -> str:
    """The names of the columns, then a line for each row; missing = empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow(["" if cell is None else harmless(cell) for cell in row])
    return text.getvalue()


def as_text(head: str, notes: Sequence[str], tables: Sequence[RunTable], limit: int) -> str:
    """For people: `limit` rows of each table."""
    lines = [f"Runs: {head}", *notes]
    for table in tables:
        lines += ["", table.title]
        cells = [tuple(map(_headed, table.columns)), *_shown(table, limit)]
        wide = [max(len(row[at]) for row in cells) for at in range(len(table.columns))]
        lines += ["  ".join(cell.ljust(size) for cell, size in zip(row, wide, strict=True)).rstrip() for row in cells]
        lines += _rest(table, limit)
    return as_utf8("\n".join(lines) + "\n")


def as_markdown(head: str, notes: Sequence[str], tables: Sequence[RunTable], limit: int) -> str:
    """The same for Markdown."""
    lines = [f"# Runs: {escaped(head)}", *(f"\n{escaped(note)}" for note in notes)]
    for table in tables:
        lines += ["", f"## {escaped(table.title)}", ""]
        cells = [tuple(map(_headed, table.columns)), ("---",) * len(table.columns), *_shown(table, limit)]
        lines += ["| " + " | ".join(cell if cell == "---" else escaped(cell) for cell in row) + " |" for row in cells]
        lines += ["", *_rest(table, limit)] if len(table.rows) > limit or not table.rows else []
    return as_utf8("\n".join(lines) + "\n")


def _headed(column: str) -> str:
    text = " ".join(word.upper() if len(word) == 1 else word for word in column.split("_"))
    return f"{text[:1].upper()}{text[1:]}"


def _shown(table: RunTable, limit: int) -> list[tuple[str, ...]]:
    return [tuple(show(cell) for show, cell in zip(table.shown, row, strict=True)) for row in table.rows[:limit]]


def _rest(table: RunTable, limit: int) -> list[str]:
    if not table.rows:
        return ["nothing"]
    more = len(table.rows) - limit
    return [f"{more:,} more: --limit shows them"] if more > 0 else []
