"""Everything that decides what is shown, as one frozen value: an edit of the view makes another one."""

from __future__ import annotations

from dataclasses import dataclass, field

VARIABLES = ("angle", "height", "color")


@dataclass(frozen=True)
class Mapping:
    """Which metric drives which visual variable (CBV-4); names as in the metric registry.

    color_map   name of the colour map of `color`: one of `geometry.colors.COLOR_MAPS`
    """

    angle: str = "sloc"
    height: str = "change_frequency"
    color: str = "nl3"
    color_map: str = "ember"


@dataclass(frozen=True)
class Drag:
    """A drag in progress: the node keys that are held, and the container under the pointer (-1 = none)."""

    keys: tuple[int, ...]
    target: int = -1


@dataclass(frozen=True)
class ViewState:
    """What the 3D circular bundle view shows.

    expanded    keys of the nodes whose children are visible (the root always is)
    root        key of the node the view is restricted to; 0 = everything
    hidden      keys of subtrees that are not shown
    guesses     also relations that were found by name alone are shown
    external    also what lies outside the project is shown: packages that it uses
    kinds_off   kinds of relations that are not shown
    selected    keys, in the order of selecting
    hovered     key under the pointer, -1 = none
    since, until  the time range of history metrics, seconds since the epoch; None = the default of 6 months
    """

    expanded: frozenset[int] = frozenset()
    root: int = 0
    hidden: frozenset[int] = frozenset()
    guesses: bool = False
    external: bool = False
    kinds_off: frozenset[str] = frozenset()
    selected: tuple[int, ...] = ()
    hovered: int = -1
    mapping: Mapping = field(default_factory=Mapping)
    beta: float = 0.8
    since: int | None = None
    until: int | None = None
    theme: str = "light"
    drag: Drag | None = None
