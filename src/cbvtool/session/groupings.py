"""The plan in other hierarchies than that of folders, made once for each target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbvtool.errors import InputError
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies import CSV, FOLDERS, Hierarchy, hierarchy
from cbvtool.hierarchies.paired import GroupedPlan, Plan, before_and_after, same_groups
from cbvtool.mining.changes import Changes
from cbvtool.project import Project
from cbvtool.session.picture import changes_of
from cbvtool.versions.aligned import aligned


@dataclass(frozen=True, eq=False)
class Grouped:
    """The slow part of showing another hierarchy, prepared by `Session.grouped` on any thread.

    plan      in the hierarchy of folders
    found     the same in the hierarchy `name`; None = that is the one of folders
    notes     sentences about what did not fit
    pipeline  has made the first scene of a large one
    """

    plan: Plan
    name: str
    found: GroupedPlan | None
    notes: tuple[str, ...]
    pipeline: Pipeline


@dataclass(frozen=True, eq=False)
class Arrival:
    """The slow part of going to a place in another hierarchy.

    grouped   the plan in it; None = that of folders
    pipeline  has made the scene of a large one
    """

    plan: Plan
    place: ViewState
    name: str
    grouped: GroupedPlan | None
    pipeline: Pipeline


@dataclass(frozen=True, eq=False)
class _Known:
    """A plan in a hierarchy; `base`: the code as it is in it, whatever is planned."""

    plan: Plan
    changes: Changes | None
    base: Hierarchy
    found: GroupedPlan


class Groupings:
    """Cache: name of a hierarchy -> the plan in it that was made last."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def of(self, plan: Plan, project: Project | None, name: str) -> tuple[GroupedPlan | None, tuple[str, ...]]:
        """(the plan in the hierarchy `name`, None = in that of folders; sentences about what did not fit).

        Raises InputError where that cannot be made.
        """
        if name == FOLDERS:
            return None, ()
        changes = changes_of(project)
        known = None if name.startswith(CSV) else self._of_base(plan, changes, name)  # a table may have changed
        if known is not None and known.plan[1] is plan[1]:
            return known.found, ()
        made, notes = _made(plan, changes, name, known)
        self._known[name] = made
        return made.found, notes

    def still(self, plan: Plan, project: Project | None, name: str) -> tuple[str, GroupedPlan | None]:
        """(the hierarchy `name`, the plan in it); folders and None where that cannot be made any more."""
        if project is None:
            return FOLDERS, None
        known = self._of_base(plan, changes_of(project), name)
        if known is not None and known.plan[1] is plan[1]:
            return name, known.found
        try:
            found, _ = self.of(plan, project, name)
        except InputError:
            return FOLDERS, None
        return (FOLDERS if found is None else name), found

    def forget_others(self, base: Graph) -> None:
        """Know plans of this base alone."""
        self._known = {name: known for name, known in self._known.items() if known.plan[0] is base}

    def _of_base(self, plan: Plan, changes: Changes | None, name: str) -> _Known | None:
        known = self._known.get(name)  # groups are called after authors, so that another history makes others
        there = known is not None and known.plan[0] is plan[0] and known.changes is changes
        return known if there else None


def _made(plan: Plan, changes: Changes | None, name: str, known: _Known | None) -> tuple[_Known, tuple[str, ...]]:
    """What to know of a plan in the hierarchy `name`; sentences about what did not fit. `known`: of the same base."""
    base, target = plan
    alone = hierarchy(base, changes, name) if known is None else known.base
    if base is target:
        return _Known(plan, changes, alone, GroupedPlan(alone.graph, alone.graph)), alone.notes
    before, after = before_and_after(base, target, changes, name, alone)
    there = np.full(len(before.graph), -1, np.int32)
    there[: len(base)] = np.arange(len(base))
    for key, same in same_groups(before, after).items():
        there[key] = same
    pair = aligned(before.graph, after.graph, there, "")
    return _Known(plan, changes, alone, GroupedPlan(pair.before, pair.after)), after.notes
