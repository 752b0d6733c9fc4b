"""Another version in place of the base, and the present code as the target: what differs is marked as a plan is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cbvtool.errors import InputError
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.graph import Graph
from cbvtool.hierarchies import FOLDERS
from cbvtool.hierarchies.paired import GroupedPlan, Plan
from cbvtool.layout.depth import first_picture
from cbvtool.metrics.metric import Metric
from cbvtool.session.change import Change
from cbvtool.session.groupings import Grouped
from cbvtool.session.jobs import PendingJobs
from cbvtool.session.pictures import Pictures
from cbvtool.session.places import moved
from cbvtool.session.shown_hierarchy import ShownHierarchy
from cbvtool.session.start import metrics_of
from cbvtool.session.state import State
from cbvtool.session.trail import Trail
from cbvtool.session.viewing import Viewing
from cbvtool.versions import Compared


@dataclass(frozen=True, eq=False)
class _Left:
    """What was shown when a comparison began.

    grouped  the plan in the hierarchy `name`; None = that is the one of folders
    """

    plan: Plan
    name: str
    grouped: GroupedPlan | None


class VersionComparison:
    """Shows two versions in place of the plan, which waits, and goes from change to change.

    given   metrics of every subject
    """

    def __init__(
        self,
        given: Mapping[str, Metric],
        state: State,
        trail: Trail,
        viewing: Viewing,
        pictures: Pictures,
        hierarchy: ShownHierarchy,
        jobs: PendingJobs,
    ) -> None:
        self._given = given
        self._state = state
        self._trail = trail
        self._viewing = viewing
        self._pictures = pictures
        self._hierarchy = hierarchy
        self._jobs = jobs
        self._left: _Left | None = None

    @property
    def compared(self) -> Compared | None:
        """What is compared; None = nothing is, and the plan is shown."""
        return self._state.compared

    def why_not(self) -> str:
        """Why no version can be compared now; empty = it can."""
        state = self._state
        if state.project is None or state.history is None:
            return "Open a folder first."
        if state.project.partial:
            return "The folder is still being read: compare it in a moment."
        return ""

    def show(self, found: Compared) -> str | None:
        """Show what differs; the result is why not."""
        if reason := self.why_not():
            return reason
        self._turn(found, found.after)
        return None

    def end(self) -> None:
        """Show the plan again, in the hierarchy that was shown before, with what is selected."""
        self.follow(None)

    def follow(self, found: Compared | None) -> None:
        """Show what another session of the same subject compares; None = it shows the plan."""
        history = self._state.history
        if history is not None and found is not self._state.compared:
            self._turn(found, history.graph if found is None else found.after)

    def _turn(self, found: Compared | None, graph: Graph) -> None:
        state = self._state
        if found is not None and state.compared is None:
            self._left = _Left(state.pair, state.view.hierarchy, state.grouped)
            self._hierarchy.leave()
        self._begin(found, graph)
        left, self._left = (self._left, None) if found is None else (None, self._left)
        if left is None or not left.name or not self._show_again(left):
            state.tell(Change.PLAN, Change.VIEW)

    def _show_again(self, left: _Left) -> bool:
        """Show the hierarchy that was left; False = it cannot be made any more."""
        prepared = Grouped(left.plan, left.name, left.grouped, (), Pipeline(patient=self._pictures.patient))
        folders = self._hierarchy.left.get(FOLDERS)
        try:
            self._hierarchy.show_in(left.name, prepared)
        except InputError:
            return False
        if folders is not None:  # not the place in what was compared
            self._hierarchy.left[FOLDERS] = folders
        self._trail.clear()
        return True

    def _begin(self, found: Compared | None, graph: Graph) -> None:
        """Have versions, or the plan, in the hierarchy of folders."""
        state = self._state
        assert state.project is not None
        self._jobs.drop()
        view = moved(
            replace(state.view, before=False, hierarchy=FOLDERS, only="", changes_only=False), state.graph, graph
        )
        if state.grouped is not None:
            bare = state.planned
            selected = (bare.ids[key] for key in self._hierarchy.selected_in(FOLDERS, bare))
            there = tuple(graph.key_of[node] for node in selected if node in graph.key_of)
            view = replace(view, expanded=first_picture(graph), selected=there)
        state.compared, state.view = found, view
        state.metrics, _ = metrics_of(self._given, replace(state.project, graph=graph), coming=False)
        self._pictures.begin(Pipeline(patient=self._pictures.patient))
        self._hierarchy.begin(None)
        self._trail.clear()

    def next_change(self, step: int) -> int:
        """Select the next change in the order of the ring, or for -1 the one before; its key, -1 = there is none."""
        state = self._state
        changes = self._changes()
        if not changes:
            return -1
        graph, order = state.bare, state.bare.tree.pos
        at = int(order[state.view.selected[0]]) if state.view.selected else -1 if step > 0 else len(graph)
        ahead = [key for key in changes if (order[key] > at if step > 0 else order[key] < at)]
        key = (ahead[0] if step > 0 else ahead[-1]) if ahead else changes[0 if step > 0 else -1]
        above = frozenset(graph.ancestors(key))
        root = state.view.root if state.view.root in above or key == state.view.root else graph.root
        self._viewing.set_view(selected=(key,), expanded=state.view.expanded | above, root=root, before=False)
        return key

    def _changes(self) -> list[int]:
        """Keys of what changed, in the order of the ring; of what is gone, the container that it left."""
        scene = self._pictures.target.scene or self._pictures.scene()
        if scene.plan is None:
            return []
        base, target = scene.plan.base, scene.plan.target
        found = set[int]()
        for key in scene.plan.keys:
            while target.parent[key] < 0 and key != target.root:
                key = int(base.parent[key])
            found.add(key)
        return sorted(found, key=lambda key: int(target.tree.pos[key]))
