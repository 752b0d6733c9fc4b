"""The view state: one frozen value that decides what is shown. An edit of the view makes a new one."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, field, replace
from typing import Any

from cbvtool.asking.impact import Dependants
from cbvtool.asking.paths import ShortestPaths
from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.geometry.scales import LINEAR, Scale
from cbvtool.graph import HIDDEN, Confidence
from cbvtool.plan.judgement.modules import ModuleChoice

VARIABLES = ("angle", "height", "color")


@dataclass(frozen=True)
class Mapping:
    """Which metric drives which visual variable (CBV-4); names as in the metric registry.

    color_map   name of the colour map of `color`: one of `geometry.colors.COLOR_MAPS`; classes have their own colours
    height_scale, color_scale       how values become heights and colours
    angle_by, height_by, color_by   one of `metrics.aggregate.AGGREGATIONS`: how values are combined upward; empty = in
                                    the metric's own way
    thickness   what makes a relation thicker: one of `THICKNESSES`
    relations   colours of relations from the user to the used: one of `geometry.colors.RELATION_MAPS`
    blending    what is seen where relations cross: one of `BLENDINGS` (EX-4)
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
OF_TRACES = ("calls", "time")  # thicknesses that say something only while a trace is open


ACTS = ("move", "merge", "pull", "invert", "route")


@dataclass(frozen=True)
class Drag:
    """A drag in progress: what is held, and what a drop where the pointer is would do.

    keys      keys of the nodes that are held: they leave the ring. None while a relation is held in its middle
    target    key of the container under the pointer (-1 = none)
    act       one of `ACTS`: the nodes are moved, merged into the target, or pulled out of a container; the relation is
              split in the form `invert` or `route`
    relation  (user, used): keys of the ends of the relation that is held, for `invert` and `route`; (container,
              partner) for `pull`; () = none
    fresh     a new node is made in the target, and the drop goes into that
    kind      of the node to make; empty = the usual one
    name      of the node to make; empty = the usual one
    opened    keys of nodes that are expanded while the drag lasts
    grip      where the relation is held: 0 = at the user, 1 = at the used end
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

    @property
    def splits(self) -> bool:
        """Whether a relation is held in its middle."""
        return self.act in ("invert", "route")


NEAREST = 2  # steps in the hierarchy between siblings, the least there is between two segments
MODES = ("all", "selection", "indirect")
DIRECTIONS = ("both", "in", "out")
EVIDENCE = ("any", "run", "source", "overlay")


@dataclass(frozen=True)
class RelationFilter:
    """Which of the relations that there are to show are shown (CBV-7, DND-6, DND-7).

    mode         `all`; only those of the `selection`, with its subtrees (of what is under the pointer while nothing is
                 selected); `indirect`: also those over which one comes from there to others
    depth        relations of a way in the mode `indirect`; 0 = any number
    direction    `in`: by which something uses the selection; `out`: by which the selection uses something; `both`
    cycles       only those between segments that depend on each other
    violations   only those that break a rule
    confidence   the least sure `Confidence` that is shown; guesses have a switch of their own beside it
    distance     only between segments at least so many steps apart in the hierarchy; 2 = siblings, the least there is
    crossing     the farther apart the ends are in the hierarchy, the stronger a relation is drawn
    evidence     `run`: only calls at run time that the source has no call for; `source`: only calls of the source that
                 did not happen; `any` relation
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
    """The filter that a document holds; what is unknown or makes no sense in it is left out."""
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
    root        key of the node the view is restricted to; 0 = everything
    hidden      keys of subtrees that are not shown
    only        an expression (`asking.expression`): only nodes that match it are shown, and what lies around them
    guesses     also relations that were found by name alone are shown
    external    also what lies outside the project is shown: packages that it uses
    kinds_off   kinds of relations that are not shown; `calls back` among them until it is asked for
    filter      which of the others are
    path        relations that are drawn alone, the answer to a question; of this graph alone, so it is not saved
    impact      what is highlighted as affected by a change; likewise
    selected    keys, in the order of selecting
    hovered     key under the pointer, -1 = none
    since, until  the time range of history metrics, seconds since the epoch; None = open: 6 months for change frequency
    pinned      time ranges that the user keeps, to be compared with the one that is shown (`metrics.history.baseline`)
    hierarchy   name of the one that is shown (`cbvtool.hierarchies`), whose groups the keys may be; empty = folders
    mark_violations  relations that break a rule are drawn over all others, in a colour of their own
    planned     what a plan changes is marked, and what it takes away leaves its place empty
    changes_only  of what is compared, only what changed is shown, and what lies around it
    before      what was there before the plan is shown in place of its target
    modules     what counts as a module when the plan is judged
    tests       tests count: in the picture, lists, cycles, paths, the matrix, findings and the judgement
    """

    expanded: frozenset[int] = frozenset()
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
