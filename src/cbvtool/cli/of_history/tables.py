"""Rows of a table as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence

Row = tuple[object, ...]


def written(form: str, columns: Sequence[str], rows: Sequence[Row], as_text: Callable[[list[Row]], str]) -> str:
    """The rows as `csv`, `json`, or as text for people."""
    if form == "text":
        return as_text(list(rows))
    return (as_csv if form == "csv" else as_json)(columns, rows)


def as_csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """The names of the columns, then a line for each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def as_json(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """A list with an object for each row."""
    return json.dumps([dict(zip(columns, row, strict=True)) for row in rows], indent=1, ensure_ascii=False) + "\n"
