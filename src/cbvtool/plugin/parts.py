"""How a view is divided, and the tables that parts of it may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MOST_ROWS = 100_000


@dataclass(frozen=True)
class ViewPart:
    """A part of a view: a canvas for a plot, or a table. share: of the room, beside its neighbours."""

    name: str
    kind: str = "canvas"  # canvas | table
    share: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Rows:
    """Parts one below another, with movable borders between them."""

    parts: tuple[Layout, ...]
    share: float = 1.0


@dataclass(frozen=True)
class Columns:
    """Parts side by side, with movable borders between them."""

    parts: tuple[Layout, ...]
    share: float = 1.0


@dataclass(frozen=True)
class Tabs:
    """Parts of which one is seen; its tab shows its title."""

    parts: tuple[ViewPart, ...]
    share: float = 1.0


Layout = ViewPart | Rows | Columns | Tabs


@dataclass(frozen=True, eq=False)
class ViewColumn:
    """A column of a table. kind: "text", "number", "bar" (a number, also drawn as a bar), "time" (ns) or "change" (ns
    more or less, with its sign).

    Missing numbers are NaN; in columns of time -1.
    """

    name: str
    values: Sequence[str] | npt.NDArray[np.int64] | npt.NDArray[np.float64]
    unit: str = ""
    kind: str = "number"
    help: str = ""


@dataclass(frozen=True, eq=False)
class ViewTable:
    """Rows that users sort, search and copy. At most `MOST_ROWS`, the best first.

    item      int32[r]: number of each row in events and hits
    more      how many rows were left out
    selected  items that are selected
    marked    items that are ticked, in a table of choices; None = rows have no tick
    empty     the sentence that stands there when there is no row
    faint     items of rows in grey: what counts for little
    """

    columns: tuple[ViewColumn, ...]
    item: npt.NDArray[np.int32]
    more: int = 0
    selected: frozenset[int] = frozenset()
    marked: frozenset[int] | None = None
    empty: str = ""
    faint: frozenset[int] = frozenset()


def parts_of(layout: Layout) -> tuple[ViewPart, ...]:
    """All parts of a layout, in reading order."""
    return (
        (layout,) if isinstance(layout, ViewPart) else tuple(part for inner in layout.parts for part in parts_of(inner))
    )
