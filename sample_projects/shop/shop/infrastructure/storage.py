"""Tables as CSV files in one folder."""

from __future__ import annotations

import csv
import os
from pathlib import Path

from shop.infrastructure.settings import data_folder


class Table:
    """Rows of text with named columns, in the order of the file."""

    def __init__(self, name: str, columns: tuple[str, ...]) -> None:
        self.path = data_folder() / f"{name}.csv"
        self.columns = columns

    def rows(self) -> list[dict[str, str]]:
        """All rows; none when there is no file yet."""
        if not self.path.exists():
            return []
        with self.path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def append(self, row: dict[str, str]) -> None:
        """Add one row at the end."""
        self.replace([*self.rows(), row])

    def replace(self, rows: list[dict[str, str]]) -> None:
        """Write all rows anew, so that a reader sees the old file or the new one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".new")
        with draft.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns)
            writer.writeheader()
            writer.writerows(rows)
        os.replace(draft, self.path)


def backup(folder: Path) -> int:
    """Copy all tables to `folder`; the result is how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for path in sorted(data_folder().glob("*.csv")):
        (folder / path.name).write_bytes(path.read_bytes())
        count += 1
    return count
