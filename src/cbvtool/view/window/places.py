"""The registry of places: what may be opened beside the main view, each with a command that does so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qtpy.QtCore import Signal
from qtpy.QtWidgets import QWidget

from cbvtool.view.commands.commands import COMMANDS, Command
from cbvtool.view.desk import Desk, ViewPlace
from cbvtool.view.toolkit.registry import RowRegistry


class PlaceWidget(QWidget):
    """What stands beside the main view. A new one is a subclass, and a row in `PLACES`."""

    closed = Signal()  # the user closes it

    @property
    def place(self) -> ViewPlace:
        """The view in it: commands act on it while it has the focus."""
        raise NotImplementedError

    def prepare(self) -> Callable[[], Any]:
        """What makes what `begin` shows, on another thread."""
        return lambda: None

    def begin(self, prepared: Any) -> None:
        """Show what was prepared. Raises InputError where that is not possible."""

    def close_down(self) -> None:
        """End all that works for it."""


@dataclass(frozen=True)
class PlaceRow:
    """One place.

    name, text, keys, tip   of the command that opens and closes it
    make                    makes it for a window
    """

    name: str
    text: str
    keys: tuple[str, ...]
    tip: str
    make: Callable[[Desk], PlaceWidget]


class Places(RowRegistry[PlaceRow]):
    """Each row has its command in the menu of the view."""

    def add(self, row: PlaceRow, before: str = "") -> PlaceRow:
        """Add a row and its command."""
        COMMANDS.add(
            Command(
                row.name,
                row.text,
                "View",
                row.keys,
                lambda desk: desk.toggle(row.name),
                tip=row.tip,
                checked=lambda desk: desk.is_open(row.name),
            ),
            before="fit",
        )
        return super().add(row, before)

    def remove(self, name: str) -> None:
        """Take a row and its command out."""
        super().remove(name)
        COMMANDS.remove(name)


PLACES = Places()
