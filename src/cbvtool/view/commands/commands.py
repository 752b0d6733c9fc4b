"""Commands and their registry, from which menus, shortcuts, context menus and the palette are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.registry import RowRegistry


class Scope(Enum):
    """What a command is about: the window with its document, or the view that has the focus (`Desk.here`)."""

    WINDOW = "window"
    VIEW = "view"


def is_open(desk: Desk) -> bool:
    """Whether anything is open."""
    return desk.session.is_open


@dataclass(frozen=True)
class Command:
    """One thing to do.

    name     identity; text: what menus say; menu: which one; "" = not in a menu
    keys     shortcuts, the first is shown
    run      does it; ready: whether it can be done now
    scope    what it is about
    node     it also stands in the context menu of a segment
    space    it also stands in the context menu of empty space
    first    a separator stands above it in the menu
    checked  whether it is switched on, for a switch
    shows    of a switch of a panel: brings it to the front, as links and context menus do; they close nothing
    picture  its keys work while a picture has the focus: elsewhere they are for what is there
    """

    name: str
    text: str
    menu: str
    keys: tuple[str, ...]
    run: Callable[[Desk], object]
    ready: Callable[[Desk], bool] = is_open
    scope: Scope = Scope.WINDOW
    node: bool = False
    space: bool = False
    first: bool = False
    tip: str = ""
    checked: Callable[[Desk], bool] | None = None
    picture: bool = False
    shows: Callable[[Desk], object] | None = None


COMMANDS: RowRegistry[Command] = RowRegistry()
"""All commands, in the order of the menus. `table.py` fills it; others add theirs by `add`."""

WHICH = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")
CONTEXT = ("View", "Relations", "Select", "Edit", "Plan")  # the order in which context menus take from these
MENUS = ("File", "Edit", "Select", "View", "Relations", "Plan", "History", "Traces", "Help")
MNEMONICS = {"History": "H&istory"}  # of menus whose first letter is that of another one
RELATION = (  # of a relation's ends
    "path",
    "impact",
    "rule_forbid",
    "of_selection",
    "relations",
    "matrix",
    "show_only",
    "copy_path",
    "split",
    "pull_out",
)
SUBMENUS = {  # filled by who knows their rows
    **dict.fromkeys(("Presets", "Saved views", "Hierarchy", "Filter"), "View"),
    "Modules": "Plan",
    "Plans": "Plan",
    "Rule": "Relations",
}
ABOVE = {
    "Presets": "unused",
    "Saved views": "back",
    "Hierarchy": "second_view",
    "Filter": "second_view",
    "Modules": "tint_targets",
    "Plans": "tasks",
    "Rule": "only_cycles",
}  # in SUBMENUS

# What the mouse does, for the list of shortcuts (look-and-feel).
MOUSE: tuple[tuple[str, str], ...] = (
    ("Highlight a segment and its neighbours", "Point at it"),
    ("Select", "Click (Ctrl adds, Shift spans siblings)"),
    ("Highlight a relation and its ends", "Point at it"),
    ("Select both ends of a relation", "Click on it"),
    ("Expand or collapse", "Double click"),
    ("List the places of a relation", "Double click on it"),
    ("Move a segment, or the selection", "Drag with the left button"),
    ("Merge it into the container", "Hold Shift at the drop"),
    ("Move it into a new container", "Drop it outside the ring with Ctrl"),
    ("Split a relation over a third node", "Drag its middle third"),
    ("Pull out what takes part in a relation", "Drag the relation near an end"),
    ("Turn the view", "Drag empty space with the left button"),
    ("Shift the view", "Drag with the right or middle button"),
    ("Zoom to the pointer", "Wheel"),
    ("Menu of all commands for it", "Right click on a segment, a relation or empty space"),
    ("Choose what is shown", "Click on a legend (double click: range of its scale)"),
    ("Fit the view", "Double click on empty space"),
    ("Select what lies in a rectangle", "Drag from empty space with Shift (with Ctrl: add)"),
    ("Select by lasso", "The same with Alt, too"),
    ("View back, forward", "The buttons 4 and 5; a long press on the arrow lists places"),
    ("Go to a place of the mini-map", "Click on it"),
)
