"""The hierarchy in which the graph is shown, and the places left in others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies import FOLDERS, is_of_folders
from cbvtool.hierarchies.folders import PackageFolders
from cbvtool.hierarchies.paired import GroupedPlan, Plan, same_plan, shown_plan
from cbvtool.layout.depth import first_picture
from cbvtool.project import Project
from cbvtool.session.change import Change
from cbvtool.session.groupings import Grouped, Groupings
from cbvtool.session.picture import Depicted, is_huge
from cbvtool.session.pictures import Pictures
from cbvtool.session.places import moved
from cbvtool.session.state import State
from cbvtool.session.trail import Trail
from cbvtool.session.view_data import place_as_data, place_of

MOST_SELECTED = 100  # files that stand for a group in another hierarchy


class ShownHierarchy:
    """Shows the graph in other hierarchies than that of folders.

    left   hierarchy -> place in it when it was left, with ids
    """

    def __init__(self, state: State, trail: Trail, pictures: Pictures) -> None:
        self._state = state
        self._trail = trail
        self._pictures = pictures
        self._groupings = Groupings()
        self.left: dict[str, Mapping[str, Any]] = {}
        self._folders: PackageFolders | None = None

    @property
    def folders(self) -> PackageFolders | None:
        """Where the groups that are shown lie among folders; None = folders are shown, or groups of another sort."""
        state = self._state
        if state.grouped is None or not is_of_folders(state.view.hierarchy):
            return None
        known = self._folders
        if known is None or known.folders is not state.planned or known.grouped is not state.grouped.target:
            known = self._folders = PackageFolders(state.planned, state.grouped.target)
        return known

    def begin(self, grouped: GroupedPlan | None) -> None:
        """Show another plan: `grouped` in the hierarchy of the view, None = in that of folders."""
        self._state.grouped = grouped
        self._groupings.forget_others(self._state.pair[0])

    def still(self, plan: Plan, project: Project | None, name: str) -> tuple[str, GroupedPlan | None]:
        """(the hierarchy `name`, the plan in it); folders and None where that cannot be made any more."""
        return self._groupings.still(plan, project, name)

    def grouped(self, name: str) -> Grouped:
        """Prepare to `show_in` the hierarchy `name` (see `cbvtool.hierarchies`), on any thread.

        Raises InputError where there is nothing to group by, or the table cannot be read.
        """
        plan, project = self._state.pair, self._state.project
        found, notes = self._groupings.of(plan, project, name)
        graph = shown_plan(plan, found)[1]
        pipeline = self.drawn(plan, found, project, lambda: self._placed(name, graph))
        return Grouped(plan, name, found, notes, pipeline)

    def show_in(self, name: str, prepared: Grouped | None = None) -> tuple[str, ...]:
        """Show the hierarchy `name`; the result is sentences about what did not fit.

        prepared   what `grouped` found, if the plan has not changed since

        Raises what `grouped` does.
        """
        if prepared is None or not same_plan(prepared.plan, self._state.pair):
            prepared = self.grouped(name)
        view = self._placed(name, shown_plan(prepared.plan, prepared.found)[1])
        self._trail.leave(replace(self._state.view, drag=None))
        self.turn(prepared.found, prepared.pipeline)
        self._state.view = view
        self._state.tell(Change.PLAN, Change.VIEW)
        return prepared.notes

    def _placed(self, name: str, graph: Graph) -> ViewState:
        """The present view in another hierarchy: at the place where that was left, or where it begins."""
        state = self._state
        left = self.left.get(name)
        place = {"expanded": first_picture(graph)} if left is None else place_of(left, graph)
        nothing = frozenset[int]()
        fresh = replace(state.view, expanded=nothing, hidden=nothing, root=state.graph.root, before=False)
        selected = self.selected_in(name, graph)
        return replace(moved(fresh, state.graph, graph), hierarchy=name, selected=selected, **place)

    def selected_in(self, name: str, graph: Graph) -> tuple[int, ...]:
        """What is selected, in another hierarchy: of a package its folders, of another group its files."""
        state, found = self._state, list[int]()
        shown, where, other = state.graph, self.folders, None
        if name and is_of_folders(name) and not state.view.hierarchy:
            other = PackageFolders(state.planned, graph) if self._holds_folder(state.view.selected) else None
        for key in state.view.selected:
            if key < len(graph) and key < len(state.planned) and graph.parent[key] >= 0:
                found.append(key)
            elif where is not None and name == FOLDERS and key != shown.root:
                found += where.of(where.path_of(key)).values()
            elif other is not None:
                found += other.group_of(key)
            elif state.view.hierarchy:
                files = [one for one in shown.subtree(key).tolist() if shown.kind(one) == "file"]
                found += files if len(files) <= MOST_SELECTED else ()
        return tuple(dict.fromkeys(found))

    def _holds_folder(self, keys: tuple[int, ...]) -> bool:
        return any(self._state.planned.kind(key) in ("folder", "package") for key in keys)

    def drawn(
        self, plan: Plan, grouped: GroupedPlan | None, project: Project | None, view: Callable[[], ViewState]
    ) -> Pipeline:
        """What makes pictures in another hierarchy; it has made the first one where that takes long."""
        pipeline, state = Pipeline(patient=self._pictures.patient), self._state
        if is_huge(plan[1]):
            shown = shown_plan(plan, grouped)
            pair = state.shown_pair if same_plan(shown, state.bare_pair) else shown
            Depicted(shown[1], plan[1], project, view(), state.metrics, state.rules, pair).made_by(pipeline)
        return pipeline

    def leave(self) -> None:
        """Remember the place in the hierarchy that is shown."""
        self.left[self._state.view.hierarchy] = place_as_data(self._state.view, self._state.graph)

    def turn(self, grouped: GroupedPlan | None, pipeline: Pipeline) -> None:
        """Have the plan in another hierarchy; the place in this one is remembered."""
        self.leave()
        self._state.grouped = grouped
        self._pictures.begin(pipeline)
