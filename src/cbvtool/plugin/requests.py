"""What a view may ask of the host."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.plugin.parameters import Value
from cbvtool.trace.model.focus import Focus


@dataclass(frozen=True)
class SelectNodes:
    """Select these nodes of the graph in all views. reveal: move there."""

    keys: tuple[int, ...]
    reveal: bool = False


@dataclass(frozen=True)
class SetFocus:
    """Look at another part of the traces, in all views that follow."""

    focus: Focus


@dataclass(frozen=True)
class SetValue:
    """Give a parameter of this view another value."""

    name: str
    value: Value


@dataclass(frozen=True)
class OpenSource:
    """Show the source of a node, or a place in a file inside the subject.

    old, new  commits: show beside it what was changed between them in that file; "" = the source alone
    """

    key: int = -1
    file: str = ""
    line: int = 0
    old: str = ""
    new: str = ""


@dataclass(frozen=True)
class ShowOverlay:
    """Lay the named overlay over the 3D view."""

    name: str


@dataclass(frozen=True)
class OpenView:
    """Open another view by its name on the same inputs."""

    name: str


@dataclass(frozen=True)
class Menu:
    """Show a menu at the pointer: (key, label) of each entry; the chosen one comes back as an event KEY."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Ask:
    """Ask for a line of text; the answer comes back as an event KEY with `key` = name + "=" + text."""

    name: str
    question: str
    text: str = ""


@dataclass(frozen=True)
class Copy:
    """Put text on the clipboard."""

    text: str


@dataclass(frozen=True)
class Say:
    """Show a sentence in the status bar."""

    text: str


Request = SelectNodes | SetFocus | SetValue | OpenSource | ShowOverlay | OpenView | Menu | Ask | Copy | Say
