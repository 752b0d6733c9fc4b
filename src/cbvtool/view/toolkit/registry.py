"""Tables that others may add rows to: commands, panels, places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar


class NamedRow(Protocol):
    """A row: what it is called never changes."""

    @property
    def name(self) -> str:
        """Its identity in the table."""


R = TypeVar("R", bound=NamedRow)


class RowRegistry(Generic[R]):
    """Rows in their order, by name. A window reads it when it is made."""

    def __init__(self, rows: Iterable[R] = ()) -> None:
        self._rows: dict[str, R] = {}
        for row in rows:
            self.add(row)

    def add(self, row: R, before: str = "") -> R:
        """Add a row at the end, or before that called `before`. Raises ValueError for a name that is taken."""
        if row.name in self._rows:
            raise ValueError(f"there is a row {row.name!r} already")
        rows = list(self._rows.values())
        at = list(self._rows).index(before) if before else len(rows)
        rows.insert(at, row)
        self._rows = {row.name: row for row in rows}
        return row

    def remove(self, name: str) -> None:
        """Take a row out. Raises KeyError where there is none."""
        del self._rows[name]

    def __getitem__(self, name: str) -> R:
        return self._rows[name]

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[R]:
        return iter(tuple(self._rows.values()))

    def __len__(self) -> int:
        return len(self._rows)
