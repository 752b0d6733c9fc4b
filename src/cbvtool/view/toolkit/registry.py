"""Tables to which other code may add rows: commands, panels, places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar


class NamedRow(Protocol):
    """A row with a name that never changes."""

    @property
    def name(self) -> str:
        """Identity of the row in the table."""


R = TypeVar("R", bound=NamedRow)


class RowRegistry(Generic[R]):
    """Rows in order, with unique names. A window reads the table when it is created."""

    def __init__(self, rows: Iterable[R] = ()) -> None:
        self._rows: dict[str, R] = {}
        for row in rows:
            self.add(row)

    def add(self, row: R, before: str = "") -> R:
        """Add a row at the end, or before the row called `before`. Raises ValueError if the name is taken."""
        if row.name in self._rows:
            raise ValueError(f"there is a row {row.name!r} already")
        rows = list(self._rows.values())
        at = list(self._rows).index(before) if before else len(rows)
        rows.insert(at, row)
        self._rows = {row.name: row for row in rows}
        return row

    def remove(self, name: str) -> None:
        """Remove a row. Raises KeyError if there is none of that name."""
        del self._rows[name]

    def __getitem__(self, name: str) -> R:
        return self._rows[name]

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[R]:
        return iter(tuple(self._rows.values()))

    def __len__(self) -> int:
        return len(self._rows)
