"""A user's table of functions that two versions call by different names: CSV with the columns reference,test (TD-12).

A name is a qualified name, or `path::qualified name` with as much of the path's end as tells it from others.
"""

from __future__ import annotations

from cbvtool.errors import InputError
from cbvtool.formats.content import Damaged
from cbvtool.formats.csv_rows import csv_rows

COLUMNS = ["reference", "test"]
LARGEST = 10_000_000  # bytes
MOST_ROWS = 100_000


def function_table(text: str, name: str) -> dict[str, str]:
    """Name in the reference -> name in the test. Raises InputError, which calls the table by `name`."""
    found: dict[str, str] = {}
    try:
        rows = csv_rows(text.lstrip("\ufeff"), ",", strict=True)
        if [cell.strip() for cell in next(rows, (1, []))[1]] != COLUMNS:
            raise InputError(f"{name}, line 1: a table of functions has the columns {','.join(COLUMNS)}.")
        for line, cells in rows:
            names = [cell.strip() for cell in cells]
            if not any(names):
                continue
            if len(names) != len(COLUMNS) or not all(names):
                raise InputError(f"{name}, line {line:,}: name a function of the reference and one of the test.")
            if names[0] in found:
                raise InputError(f"{name}, line {line:,}: {names[0]!r} is there twice.")
            found[names[0]] = names[1]
            if len(found) > MOST_ROWS:
                raise InputError(f"{name} has more than {MOST_ROWS:,} rows.")
    except Damaged as reason:
        raise InputError(f"{name} is no table of functions: {reason}.") from None
    return found
