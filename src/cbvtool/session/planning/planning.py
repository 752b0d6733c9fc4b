"""The plan: its steps, what follows from it, and the gestures that make steps. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from cbvtool.geometry.scene.planned import PlannedChanges, planned_of
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.hierarchies import is_of_folders
from cbvtool.hierarchies.paired import GroupedPlan, Plan, same_plan, shown_plan
from cbvtool.plan import (
    Create,
    History,
    Merge,
    Move,
    Operation,
    Refused,
    Remove,
    Rename,
    Split,
    group,
    new_id,
    new_ids,
    refusal_of,
)
from cbvtool.plan.listing.annotations import Annotations
from cbvtool.plan.naming.refusals import SplitPlaces
from cbvtool.plan.operations import creations
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import TaskList
from cbvtool.project import Project
from cbvtool.rules import Violation
from cbvtool.session.background import Background
from cbvtool.session.change import Change
from cbvtool.session.jobs import PendingJob, Prepare
from cbvtool.session.picture import Depicted, is_huge
from cbvtool.session.pictures import Pictures
from cbvtool.session.places import pruned, regrouped, renumbered, topmost
from cbvtool.session.planning.opened import OpenedBySteps
from cbvtool.session.planning.steps import (
    Consequences,
    FoundBroken,
    PlanStep,
    Stepped,
    StepRunner,
    list_of_tasks,
    stepped,
)
from cbvtool.session.planning.translated import FolderOperations, FolderPlace, no_place_for_files, translated
from cbvtool.session.shown_hierarchy import ShownHierarchy
from cbvtool.session.state import State
from cbvtool.session.trail import Trail
from cbvtool.session.viewing import Viewing

ELSEWHERE = "Groups like these are no places in the code: a plan is made in folders or packages."
COMPARED = "Two versions are compared: end that to go on planning."


class Planning:
    """Changes what is planned, and shows it.

    step   carries out a step of the plan in place of `take_step`: for a view of somebody else's plan
    """

    def __init__(
        self,
        state: State,
        trail: Trail,
        viewing: Viewing,
        pictures: Pictures,
        hierarchy: ShownHierarchy,
        background: Background,
        step: StepRunner | None = None,
    ) -> None:
        self._state = state
        self._trail = trail
        self._viewing = viewing
        self._pictures = pictures
        self._hierarchy = hierarchy
        self._background = background
        self._step = step
        self._consequences = Consequences()
        self._opened = OpenedBySteps()
        self._planned: tuple[Plan, PlannedChanges | None] | None = None

    @property
    def elsewhere(self) -> str:
        """Why nothing can be planned in what is shown; empty = it can."""
        if self._state.compared is not None:
            return COMPARED
        return "" if is_of_folders(self._state.view.hierarchy) else ELSEWHERE

    def do(self, *operations: Operation, label: str = "") -> str | None:
        """Carry out one gesture. The result is the reason why not, or None when it is done, or will be in its turn."""
        return self.change(lambda history: operations, label)

    def in_folders(self, operations: Sequence[Operation], place: str = "") -> FolderOperations:
        """Operations on what is shown as operations on folders; see `translated`, which says what it raises."""
        where = self._hierarchy.folders
        return FolderOperations(tuple(operations)) if where is None else translated(operations, where, place)

    def places(self, operation: Operation) -> tuple[FolderPlace, ...]:
        """Where an operation on packages could go, if the source root does not decide; none where it is refused."""
        try:
            return self.in_folders((operation,)).places
        except Refused:
            return ()

    def refusal(self, operation: Operation, place: str = "") -> str:
        """Why an operation on what is shown cannot be done, or would make two of one name; empty = it can be done."""
        graph = self._state.graph
        if self._hierarchy.folders is None:
            return refusal_of((operation,), graph) or ""
        try:
            self.in_folders((operation,), place)
        except Refused as reason:
            return str(reason)
        return ""

    def split_refusals(self, split: Split) -> Callable[[int], str]:
        """Why the new file of a split cannot lie in the container of a key; empty = it can. For many containers."""
        where = self._hierarchy.folders
        if where is None:
            return SplitPlaces(split, self._state.graph).refusal
        return lambda key: no_place_for_files(where.path_of(key)) if where.is_group(key) else ""

    def change(
        self,
        operations: Callable[[History], tuple[Operation, ...]],
        label: str = "",
        *,
        place: str = "",
        opens: Iterable[int] = (),
    ) -> str | None:
        """Carry out the `operations` on what is planned when it is their turn.

        place   where packages are shown: the source root that was chosen, see `translated`
        opens   keys of containers that the step expands; undoing it collapses them again
        """
        if self._state.history is None:
            return "Open a folder first."
        if reason := self.elsewhere:
            return reason
        if self._hierarchy.folders is not None:
            shown = operations(self._state.history)
            try:
                found = self.in_folders(shown, place)
            except Refused as reason:
                return str(reason)
            operations, label = self._named(found), label or group(self._state.graph, *shown).label

        opened = frozenset(self._state.graph.ids[key] for key in opens if key not in self._state.view.expanded)

        def change(history: History) -> History | str:
            planned = history.do(group(history.graph, *operations(history), name=label))
            refused = planned.refusals[len(history.refusals) :]
            if refused:
                return refused[0].reason
            self._opened.note(planned.done[-1], opened)
            return planned

        return self.step(change, "changing the plan")

    @staticmethod
    def _named(found: FolderOperations) -> Callable[[History], tuple[Operation, ...]]:
        asked = creations(found.operations)
        return lambda history: found.named(node for node in new_ids(history) if node not in asked)

    def undo(self) -> None:
        """Take back the last gesture."""
        self.step(History.undo, "undoing")

    def redo(self) -> None:
        """Carry out again what was undone last."""
        self.step(History.redo, "redoing")

    def travel(self, done: int) -> None:
        """Undo or redo until `done` gestures are done, as far as there are so many."""

        def change(history: History) -> History:
            while len(history.done) > done:
                history = history.undo()
            while len(history.done) < done and history.undone:
                history = history.redo()
            return history

        self.step(change, "going through the plan")

    def step(self, change: PlanStep, what: str, then: Callable[[], None] = lambda: None) -> str | None:
        """Have `change` carried out on the plan: of this session, or of the one that it follows; see `StepRunner`."""
        return (self._step or self.take_step)(change, what, then)

    def take_step(
        self,
        change: PlanStep,
        what: str,
        then: Callable[[], None] = lambda: None,
        *,
        with_it: Callable[[], None] = lambda: None,
    ) -> str | None:
        """Carry out `change` on the plan of this session. The result is the reason for a refusal, if known.

        with_it  changes what has to fit the plan, before anybody is told of it
        """
        state = self._state
        if state.history is None:
            return None
        if state.compared is not None:
            return COMPARED

        def begin() -> Prepare:
            before, view, shown, project = state.history, state.view, state.graph, state.project
            assert before is not None
            if self._background.defer is None or not is_huge(shown):
                return lambda: stepped(change, before)
            return lambda: self._stepped_far(change, before, view, shown, project)

        def take(found: Stepped | str) -> str | None:
            if not isinstance(found, str) and found.before is not state.history:  # more is known, or planned, since
                assert state.history is not None
                found = stepped(change, state.history)
            if isinstance(found, str):
                self._viewing.cancel_drag()
                return found
            if found.after is not found.before:
                with_it()
                self._show(found)
                then()
            return None

        return self._background.do(PendingJob(what, True, begin, take))

    def _stepped_far(
        self, change: PlanStep, before: History, view: ViewState, shown: Graph, project: Project | None
    ) -> Stepped | str:
        """A step, with all that a window shows of it: for another thread."""
        found = stepped(change, before)
        if isinstance(found, str) or found.after is before:
            return found
        after, rules, following = found.after, self._state.rules, Consequences()
        grouped, view = self._carried(found, view, shown, project)
        plan = shown_plan(after.pair, grouped)
        observed = self._state.observed(plan[1])
        depicted = Depicted(plan[1], after.graph, project, view, self._state.metrics, rules, plan, observed)
        scene = depicted.made_by(self._pictures.target.pipeline)
        following.tasks(after, project, self._state.annotations)
        following.broken(after.base, after.graph, rules)
        return replace(found, scene=scene, consequences=following)

    def _carried(
        self, found: Stepped, view: ViewState, shown: Graph, project: Project | None
    ) -> tuple[GroupedPlan | None, ViewState]:
        """(the plan in the hierarchy of the view, None = hierarchy of folders; the view after that step)."""
        plan = found.after.pair
        view, grouped = replace(view, drag=None, path=None, impact=None, before=False), None
        if view.hierarchy:  # groups have other keys when there are more nodes
            name, grouped = self._hierarchy.still(plan, project, view.hierarchy)
            view = regrouped(replace(view, hierarchy=name), shown, shown_plan(plan, grouped)[1])
        graph = shown_plan(plan, grouped)[1]
        view = self._opened.carried(view, found.before, found.after, graph)
        return grouped, pruned(view, graph)

    def _show(self, found: Stepped) -> None:
        state = self._state
        if not state.view.hierarchy and (others := found.others()):
            state.view = renumbered(state.view, others)
            self._trail.keep_folders(lambda place: renumbered(place, others))
        state.grouped, state.view = self._carried(found, state.view, state.graph, state.project)
        state.history = found.after
        self._trail.keep_folders()
        self._consequences = found.consequences or self._consequences
        if found.scene is not None and found.scene.graph is state.graph:
            self._pictures.target.scene = found.scene
        state.tell(Change.PLAN, Change.VIEW, Change.FILE)

    def move(self, keys: Iterable[int], target: int) -> str | None:
        """Move nodes, with their subtrees, into `target`."""
        graph = self._state.graph
        return self.do(Move(tuple(graph.ids[key] for key in self.topmost(keys)), graph.ids[target]))

    def create(self, parent: int, name: str, kind: str = "folder", place: str = "") -> str | None:
        """Make an empty container below `parent`; for `place` see `change`."""
        if self._state.history is None:
            return "Open a folder first."
        above = self._state.graph.ids[parent]
        return self.change(lambda history: (Create(new_id(history), above, name, kind),), place=place, opens=(parent,))

    def remove(self, keys: Iterable[int]) -> str | None:
        """Take nodes out of the target design."""
        return self.do(Remove(tuple(self._state.graph.ids[key] for key in self.topmost(keys))))

    def rename(self, key: int, name: str) -> str | None:
        """Give a node another name."""
        return self.do(Rename(self._state.graph.ids[key], name))

    def merge(self, source: int, target: int) -> str | None:
        """Move the content of `source` into `target` and remove `source`."""
        return self.do(Merge(self._state.graph.ids[source], self._state.graph.ids[target]))

    def topmost(self, keys: Iterable[int]) -> list[int]:
        """`keys` without those that lie below another of them."""
        return topmost(self._state.graph, keys)

    @property
    def planned(self) -> PlannedChanges | None:
        """What the plan has done to every node, in the hierarchy that is shown; None = nothing."""
        if self._state.history is None:
            return None
        shown = self._state.bare_pair
        if self._planned is None or not same_plan(self._planned[0], shown):
            scene = self._pictures.target.scene
            drawn = None if scene is None else scene.plan
            is_it = drawn is not None and same_plan((drawn.base, drawn.target), shown)
            self._planned = shown, drawn if is_it else planned_of(*self._state.shown_pair)
        return self._planned[1]

    def tasks(self) -> tuple[Task, ...]:
        """The compressed plan as tasks, in the order that people wish."""
        return self.task_list().tasks

    def task_list(self) -> TaskList:
        """The same with its steps, and with people's notes about tasks that the plan does not have any more."""
        state = self._state
        if state.history is None:
            return TaskList(())
        return self._consequences.tasks(state.history, state.project, state.annotations)

    def full_task_list(self) -> TaskList:
        """The same with the rules that each task mends and breaks, and with circular imports: for an export."""
        state = self._state
        if state.history is None:
            return TaskList(())
        return list_of_tasks(state.history, state.project, state.annotations, state.rules, circles=True)

    def annotate(self, annotations: Annotations) -> None:
        """Keep what people noted about tasks; see `listing.annotations`, `annotated` and `reordered` above all."""
        self._state.annotations = annotations
        self._state.tell(Change.FILE)

    def note_step(self, number: int, note: str) -> None:
        """Note something about one of the `steps` of the history."""
        state = self._state
        if state.history is not None:
            state.history = state.history.noted(number, note)
            state.tell(Change.PLAN, Change.FILE)

    def violations(self) -> tuple[list[Violation], list[Violation]]:
        """What breaks the rules: (as planned, as it is)."""
        state = self._state
        return ([], []) if state.history is None else self._consequences.broken(*state.pair, state.rules)

    def judging_rules(self) -> Callable[[], FoundBroken] | None:
        """What judges rules over chains, on any thread, for `rules_judged`; None = `violations` takes no time."""
        state = self._state
        rules = state.rules
        if state.history is None or rules is None or not rules.has_chains:
            return None
        base, planned = state.pair
        if state.judged[0] is rules and planned in state.judged[1]:
            return None
        return lambda: FoundBroken(rules, base, planned, Consequences().broken(base, planned, rules))

    def rules_judged(self, found: FoundBroken) -> None:
        """Have what was found about the present plan; the picture marks it."""
        state = self._state
        if state.history is None or state.rules is not found.rules or state.pair[1] is not found.planned:
            return
        self._consequences.keep_broken(found)
        state.judged = found.rules, (found.base, found.planned)
        state.tell(Change.VIEW)
