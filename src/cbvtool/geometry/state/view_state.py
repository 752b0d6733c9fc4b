"""The view state: one frozen value that decides what is shown. Every change of the view makes a new one."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, field, replace
from typing import Any

from cbvtool.asking.impact import Dependants
from cbvtool.asking.paths import ShortestPaths
from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.geometry.scales import LINEAR, Scale
from cbvtool.graph import HIDDEN, Confidence

VARIABLES = ("angle", "height", "color")


@dataclass(frozen=True)
class Mapping:
    """Which metric drives which visual variable (CBV-4); names as in the metric registry.

    color_map   name of the colour map of `color`: one of `geometry.colors.COLOR_MAPS`; classes have their own colours
    height_scale, color_scale       how values become heights and colours
    angle_by, height_by, color_by   one of `metrics.aggregate.AGGREGATIONS`: how values are combined upward; empty = in
                                    the metric's own way
    thickness   what makes a relation thicker: one of `THICKNESSES`
    relations   colours of relations from dependant to dependency: one of `geometry.colors.RELATION_MAPS`
    blending    how the colours of crossing relations mix: one of `BLENDINGS` (EX-4)
    """

    angle: str = "sloc"
    height: str = "change_frequency"
    color: str = "nl3"
    color_map: str = "ember"
    height_scale: Scale = LINEAR
    color_scale: Scale = LINEAR
    angle_by: str = ""
    height_by: str = ""
    color_by: str = ""
    thickness: str = "weight"
    relations: str = "teal-orange"
    blending: str = "alpha"


BLENDINGS = {"alpha": "Through each other", "minimum": "Darkest colour wins"}
THICKNESSES = {
    "weight": "Weight",
    "count": "Number of relations",
    "calls": "Run-time calls",
    "time": "Run time",
    "none": "All alike",
}
OF_TRACES = ("calls", "time")  # thicknesses that need an open trace


ACTS = ("move", "merge", "pull", "invert", "route")


@dataclass(frozen=True)
class Drag:
    """A drag in progress: what the user holds, and the effect of a drop at the pointer.

    keys      keys of the nodes that are dragged: they leave the ring. Empty while a relation is dragged by its middle
    target    key of the container under the pointer (-1 = none)
    act       one of `ACTS`: the nodes are moved, merged into the target, or pulled out of a container; a relation is
              split in the form `invert` or `route`
    relation  (dependant, dependency): keys of the ends of the dragged relation, for `invert` and `route`;
              (container, neighbour) for `pull`; () = none
    fresh     the drop creates a new node in the target and goes into that
    kind      of the new node; empty = the default
    name      of the new node; empty = the default
    opened    keys of nodes that are expanded only during the drag
    place     id of the source root that the drop goes below, where several are possible; empty = the first
    grip      where the relation is held: 0 = at the dependant, 1 = at the dependency
    """

    keys: tuple[int, ...]
    target: int = -1
    act: str = "move"
    relation: tuple[int, ...] = ()
    fresh: bool = False
    kind: str = ""
    name: str = ""
    opened: frozenset[int] = frozenset()
    grip: float = 0.5
    place: str = ""

    @property
    def splits(self) -> bool:
        """Whether the user drags a relation by its middle."""
        return self.act in ("invert", "route")


NEAREST = 2  # steps in the hierarchy between siblings: the smallest distance of two segments
MODES = ("all", "selection", "indirect")
DIRECTIONS = ("both", "in", "out")
EVIDENCE = ("any", "run", "source", "overlay")


@dataclass(frozen=True)
class RelationFilter:
    """Which relations are shown, of those that pass the switches (CBV-7, DND-6, DND-7).

    mode         `all`; `selection`: only those of the selected subtrees (with nothing selected, of the node under the
                 pointer); `indirect`: also transitive relations of the selection
    depth        longest chain of relations in the mode `indirect`; 0 = any length
    direction    `in`: dependants of the selection; `out`: its dependencies; `both`
    cycles       only relations between segments that depend on each other
    violations   only relations that break a rule
    confidence   the lowest `Confidence` that is shown; guesses also have a switch of their own
    distance     only between segments at least so many steps apart in the hierarchy; 2 = siblings, the minimum
    crossing     draw a relation more strongly, the farther apart its ends are in the hierarchy
    evidence     `run`: only calls at run time that the source does not have; `source`: only calls in the source that
                 did not happen at run time; `overlay`: only relations that a plugin lays over the picture, if there are
                 any; `any` relation
    """

    mode: str = "all"
    depth: int = 2
    direction: str = "both"
    cycles: bool = False
    violations: bool = False
    confidence: int = int(Confidence.GUESS)
    distance: int = NEAREST
    crossing: bool = False
    evidence: str = "any"


def relation_filter(data: Mapping_[str, Any]) -> RelationFilter:
    """The filter that a document holds; unknown or invalid values become defaults."""
    standard = RelationFilter()
    known = {
        name: data[name]
        for name, is_sensible in _SENSIBLE.items()
        if type(data.get(name)) is type(getattr(standard, name)) and is_sensible(data[name])
    }
    return replace(standard, **known)


_SENSIBLE: Mapping_[str, Callable[[Any], bool]] = {
    "mode": MODES.__contains__,
    "depth": lambda depth: depth >= 0,
    "direction": DIRECTIONS.__contains__,
    "cycles": lambda _: True,
    "violations": lambda _: True,
    "confidence": [int(value) for value in Confidence].__contains__,
    "distance": lambda distance: distance >= NEAREST,
    "crossing": lambda _: True,
    "evidence": EVIDENCE.__contains__,
}


@dataclass(frozen=True)
class ViewState:
    """What the 3D circular bundle view shows.

    expanded    keys of the nodes whose children are visible (the root always is)
    opened      those of them that a step of the plan opened: what they show does not count for the scales
    root        key of the node that the view is restricted to; 0 = everything
    hidden      keys of subtrees that are not shown
    only        an expression (`asking.expression`): only nodes that match it are shown, with their surroundings
    guesses     show relations that were found by name alone
    external    show packages outside the project that it uses
    kinds_off   kinds of relations that are not shown; by default `calls back` is one of them
    filter      which of the remaining relations are shown
    path        relations that alone are drawn, as the answer to a question; valid for this graph only, so not saved
    impact      nodes highlighted because a change affects them; not saved either
    selected    keys, in the order of selecting
    hovered     key under the pointer, -1 = none
    since, until  the time range of history metrics, seconds since the epoch; None = open: 6 months for change frequency
    pinned      time ranges that the user keeps for comparison with the current one (`metrics.history.baseline`)
    hierarchy   name of the hierarchy (`cbvtool.hierarchies`); keys may be those of its groups; empty = folders
    mark_violations  draw relations that break a rule over all others, in a colour of their own
    planned     mark the changes of the plan, and leave the places of removed and moved nodes empty
    changes_only  with a plan or a comparison, show only what changed, with its surroundings
    before      show the base of the plan in place of its target
    modules     what counts as a module in the judgement of the plan
    tests       include tests: in the picture, lists, cycles, paths, the matrix, findings and the judgement
    """

    expanded: frozenset[int] = frozenset()
    opened: frozenset[int] = frozenset()
    root: int = 0
    hidden: frozenset[int] = frozenset()
    only: str = ""
    guesses: bool = False
    external: bool = False
    kinds_off: frozenset[str] = HIDDEN
    filter: RelationFilter = RelationFilter()
    path: ShortestPaths | ShownRelations | None = None
    impact: Dependants | None = None
    selected: tuple[int, ...] = ()
    hovered: int = -1
    mapping: Mapping = field(default_factory=Mapping)
    beta: float = 0.8
    since: int | None = None
    until: int | None = None
    pinned: tuple[tuple[int, int], ...] = ()
    theme: str = "light"
    drag: Drag | None = None
    hierarchy: str = ""
    mark_violations: bool = True
    planned: bool = True
    changes_only: bool = False
    before: bool = False
    modules: ModuleChoice = field(default_factory=ModuleChoice)
    tests: bool = True
