"""Fields of the view state that one call of `set_view` replaces."""

from __future__ import annotations

from typing import TypedDict

from cbvtool.asking.impact import Dependants
from cbvtool.asking.paths import ShortestPaths
from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.geometry.state.view_state import Drag, Mapping, RelationFilter


class ViewChanges(TypedDict, total=False):
    """Some fields of `ViewState` with their new values, so that mypy checks the names and types (PEP 692)."""

    expanded: frozenset[int]
    opened: frozenset[int]
    root: int
    hidden: frozenset[int]
    only: str
    guesses: bool
    external: bool
    kinds_off: frozenset[str]
    filter: RelationFilter
    path: ShortestPaths | ShownRelations | None
    impact: Dependants | None
    selected: tuple[int, ...]
    hovered: int
    mapping: Mapping
    beta: float
    since: int | None
    until: int | None
    pinned: tuple[tuple[int, int], ...]
    theme: str
    drag: Drag | None
    hierarchy: str
    planned: bool
    changes_only: bool
    mark_violations: bool
    before: bool
    modules: ModuleChoice
    tests: bool
