"""The graph in other hierarchies than that of folders, made once for each graph that is planned."""

from __future__ import annotations

from dataclasses import dataclass

from cbvtool.errors import InputError
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies import CSV, FOLDERS, Hierarchy, hierarchy
from cbvtool.mining.changes import Changes
from cbvtool.project import Project
from cbvtool.session.picture import changes_of


@dataclass(frozen=True, eq=False)
class Grouped:
    """The slow part of showing another hierarchy, prepared by `Session.grouped` on any thread.

    base      the graph in the hierarchy of folders
    graph     the same in the hierarchy `name`
    notes     sentences about what did not fit
    pipeline  has made the first scene of a large one
    """

    base: Graph
    name: str
    graph: Graph
    notes: tuple[str, ...]
    pipeline: Pipeline


@dataclass(frozen=True, eq=False)
class Arrival:
    """The slow part of going to a place in another hierarchy.

    grouped   the graph in it; None = that of folders
    pipeline  has made the scene of a large one
    """

    base: Graph
    place: ViewState
    name: str
    grouped: Graph | None
    pipeline: Pipeline


class Groupings:
    """Cache: name of a hierarchy -> (base graph, its history, regrouped graph)."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Graph, Changes | None, Graph]] = {}

    def keep(self, name: str, base: Graph, project: Project | None, grouped: Graph) -> None:
        """`grouped` is `base` in the hierarchy `name`."""
        self._known[name] = base, changes_of(project), grouped

    def of(self, base: Graph, project: Project | None, name: str) -> Hierarchy:
        """`base` in the hierarchy `name`. Raises InputError where that cannot be made."""
        known = self._of(base, project, name)
        if known is not None and not name.startswith(CSV):  # a table may have changed
            return Hierarchy(known)
        return hierarchy(base, changes_of(project), name)

    def still(self, base: Graph, project: Project | None, name: str) -> tuple[str, Graph | None]:
        """(the hierarchy `name`, the graph in it); folders and None where that cannot be made any more."""
        known = self._of(base, project, name)
        if name == FOLDERS or project is None:
            return FOLDERS, None
        if known is not None:
            return name, known
        try:
            grouped = hierarchy(base, project.changes, name).graph
        except InputError:
            return FOLDERS, None
        self.keep(name, base, project, grouped)
        return name, grouped

    def _of(self, base: Graph, project: Project | None, name: str) -> Graph | None:
        known = self._known.get(name)  # groups are called after authors, so that another history makes others
        there = known is not None and known[0] is base and known[1] is changes_of(project)
        return known[2] if known is not None and there else None
