"""What happens in a view, as values: the host makes them of mouse, keys and tables."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cbvtool.plots.plot import NOTHING, Hit


class EventKind(Enum):
    """hover     the pointer moved, no button; leave: it left the part
    press     a button went down where the view takes the drag; drag: it moved; drop: it was let go
    click     pressed and let go at one place; double: twice; menu: the right button
    wheel     over a layer with `wheel`, or in a pane without `zoom`
    range     the host zoomed or panned a pane
    key       pressed, `release` = let go
    tap       Shift, Ctrl or Alt was pressed and let go, and nothing else meanwhile: no shortcut, no mouse
    row       a row of a table was chosen; check: its tick was changed; open: it was double-clicked or Enter was pressed
    """

    HOVER = "hover"
    LEAVE = "leave"
    PRESS = "press"
    DRAG = "drag"
    DROP = "drop"
    CLICK = "click"
    DOUBLE = "double"
    MENU = "menu"
    WHEEL = "wheel"
    RANGE = "range"
    KEY = "key"
    RELEASE = "release"
    TAP = "tap"
    ROW = "row"
    CHECK = "check"
    OPEN = "open"


@dataclass(frozen=True)
class Range:
    """New ranges of a pane's axes, in data. moving: the gesture goes on."""

    x: tuple[float, float]
    y: tuple[float, float]
    moving: bool = False


@dataclass(frozen=True)
class ViewEvent:
    """One thing that happened.

    part, pane  where; pane "" = outside of all panes
    x, y        data of the pane; px, py: logical pixels of the part (of its content, where it scrolls)
    hit         what is under the pointer; for tables layer "" and the item of the row
    start       the event with which a drag began
    range       of kind RANGE
    key         name of the key, as "Escape", "Left", "a", "+"; modifiers: of "shift", "ctrl", "alt"
    steps       notches of the wheel, up is positive
    size        width and height of the canvas, logical pixels; (0, 0) for tables
    """

    kind: EventKind
    part: str = ""
    pane: str = ""
    x: float = 0.0
    y: float = 0.0
    px: float = 0.0
    py: float = 0.0
    hit: Hit = NOTHING
    start: ViewEvent | None = None
    range: Range | None = None
    key: str = ""
    modifiers: frozenset[str] = frozenset()
    steps: float = 0.0
    size: tuple[float, float] = (0.0, 0.0)
