"""The task list: what a plan asks people to do, net of every detour, with what it touches and what it may cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import assert_never

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.plan import effort
from cbvtool.plan.clashes import clashes
from cbvtool.plan.compress import compress
from cbvtool.plan.effort import USUAL, Weights
from cbvtool.plan.history import History
from cbvtool.plan.listing import annotations as annotating
from cbvtool.plan.listing.annotations import NONE, Annotation, Annotations, Overtaken
from cbvtool.plan.listing.coupling_notes import CouplingNotes
from cbvtool.plan.listing.keys import each_its_own, step_key, task_key
from cbvtool.plan.listing.order import Stuck, Turn, in_order
from cbvtool.plan.listing.rule_changes import rule_changes
from cbvtool.plan.listing.split_sites import split_sites
from cbvtool.plan.listing.task_words import NamedTask, TaskPart, merge_behind, named, split_behind
from cbvtool.plan.listing.used_first import used_first
from cbvtool.plan.lower import replay
from cbvtool.plan.operations import Operation
from cbvtool.plan.people import People
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.site_words import count_of_sites, where
from cbvtool.plan.sites.circles import new_circles
from cbvtool.plan.sites.code import NO_CODE, Code
from cbvtool.plan.sites.find import find_sites
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Kind, Step, Task, counted
from cbvtool.rules import Rules, dependencies, files

_MOST_CIRCLES = 5  # of one task


def tasks(history: History, changes: Changes | None = None, code: Code = NO_CODE) -> tuple[Task, ...]:
    """The tasks of what is done in `history`; see `task_list`, which also has the steps."""
    return task_list(history, changes, code).tasks


@dataclass(frozen=True, eq=False)
class TaskList:
    """The tasks of a plan.

    tasks      in an order in which they can be done: that which people wish, as far as it is possible
    overtaken  what people noted about tasks that the plan does not have any more
    weights    by which the effort is estimated
    """

    tasks: tuple[Task, ...]
    overtaken: tuple[Overtaken, ...] = ()
    weights: Weights = USUAL
    _listing: _Listing | None = field(default=None, repr=False)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps of all tasks, one refactoring each, in an order in which the code builds after each of them.

        Applied one by one they lead to the same graph as the plan. Where two things swap their places, one has a
        temporary name until the other has left. A site that changes more than once is listed with each of its steps.
        """
        return () if self._listing is None else self._listing.steps(self.tasks)


def task_list(
    history: History,
    changes: Changes | None = None,
    code: Code = NO_CODE,
    *,
    rules: Rules | None = None,
    weights: Weights = USUAL,
    annotations: Annotations = NONE,
    circles: bool = False,
) -> TaskList:
    """The task list of what is done in `history`.

    changes      with it, every task names the people it concerns
    code         with it, more sites are found, and fewer are to be checked
    rules        with them, every task says which it mends and breaks: one look at the whole graph for each task
    weights      of the estimate
    annotations  what people noted, by key
    circles      note the circular imports that a task makes, which takes long for many moves in a large graph
    """
    primitives = compress(history)
    if not primitives:  # what a plan costs need not be asked, which takes long for a huge graph
        return TaskList((), annotating.overtaken(annotations, ()), weights)
    listing = _Listing(history, primitives, changes, code, rules, weights, circles)
    found = listing.tasks(annotations)
    return TaskList(found, annotating.overtaken(annotations, found), weights, listing)


class _Listing:
    """What the tasks and the steps of one plan are made from."""

    def __init__(
        self,
        history: History,
        primitives: Sequence[Primitive],
        changes: Changes | None,
        code: Code,
        rules: Rules | None,
        weights: Weights,
        circles: bool,
    ) -> None:
        self.base, self.target = history.base, history.graph
        self.operations = history.operations
        self.primitives = primitives
        self.code = code
        self.rules = rules or None
        self.weights = weights
        self.people = People(changes)
        self.users = _Users(self.base)
        self.clashing = {key: clash.name for clash in clashes(self.target, self.base) for key in clash.nodes}
        self._index = {primitive: index for index, primitive in enumerate(primitives)}
        self._sites: dict[int, list[Site]] = {}
        found = find_sites(self.base, self.target, primitives, code)
        for site in (*found, *split_sites(self.base, self.target, primitives, found)):
            self._sites.setdefault(site.cause, []).append(site)
        self._coupled = CouplingNotes(self.base, self.target, changes)
        self._circles = new_circles(self.base, self.target, primitives) if circles else {}

    def tasks(self, annotations: Annotations) -> tuple[Task, ...]:
        """The tasks in their order."""
        dissolved: set[int] = set()
        while True:
            groups = _groups(self.base, self.target, self.primitives, self.operations, dissolved)
            told = [named(group, self.base, self.target, self._origin(group[0])) for group in groups]
            keys = each_its_own(
                [
                    task_key(entry.kind, group, self._origin(group[0]), self.base, self.target)
                    for entry, group in zip(told, groups, strict=True)
                ]
            )
            usual = used_first(self.base, self.target, groups, _usual_order(told))
            wished = [usual[index] for index in annotating.wished_order([keys[index] for index in usual], annotations)]
            try:
                turns = in_order(self.base, [groups[index] for index in wished], temporary_names=False)
                break
            except Stuck as stuck:  # two merges whose content goes through each other: their moves come one by one
                waiting = {group[0].origin for unit in stuck.units for group in [groups[wished[unit]]]}
                merges = {p.origin for p in self.primitives if merge_behind(p, self._origin(p), self.target)}
                if not (waiting & merges) - dissolved:
                    raise
                dissolved |= waiting & merges
        listed = [wished[turn.unit] for turn in turns]
        vacated = self._vacated([groups[index] for index in listed])
        changed = (
            rule_changes(self.base, [groups[index] for index in listed], self.rules)
            if self.rules
            else [None] * len(listed)
        )
        return tuple(
            self._task(
                number,
                keys[index],
                told[index],
                groups[index],
                annotations.get(keys[index], Annotation()),
                [
                    *(note for p in groups[index] for note in self._place_notes(p, number, vacated)),
                    *self._circle_notes(groups[index]),
                    *(note for p in groups[index] if isinstance(p, MoveTo) for note in self._coupled.of(p.node)),
                ],
                ((), ()) if change is None else (change.mended, change.broken),
            )
            for number, (index, change) in enumerate(zip(listed, changed, strict=True), start=1)
        )

    def steps(self, tasks: Sequence[Task]) -> tuple[Step, ...]:
        """The steps of the tasks in an order in which the code builds after each."""
        planned = [step for task in tasks for step in task.steps]
        turns = in_order(self.base, [step.primitives for step in planned], temporary_names=True)
        changed = rule_changes(self.base, [turn.primitives for turn in turns], self.rules) if self.rules else []
        meanwhile = self._meanwhile(turns)
        kinds = {task.key: task.kind for task in tasks}
        found = []
        for number, turn in enumerate(turns, start=1):
            step = replace(planned[turn.unit], number=number, primitives=turn.primitives)
            if turn.temporary:
                note = f"Its place is taken until what lies there today has left: call it {turn.temporary} meanwhile."
                step = replace(step, notes=(*step.notes, note))
            if turn.is_late:
                step = self._late(step)
            if sites := meanwhile.get(number - 1):
                is_first = not turn.is_late and planned[turn.unit].number == 1
                step = self._weighed(replace(step, sites=_each_once((*step.sites, *sites))), kinds[step.task], is_first)
            if changed:
                step = replace(step, mended=changed[number - 1].mended, broken=changed[number - 1].broken)
            found.append(step)
        return tuple(found)

    # -- inside

    def _task(
        self,
        number: int,
        key: str,
        told: NamedTask,
        group: Sequence[Primitive],
        annotation: Annotation,
        place_notes: Sequence[str],
        rules: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> Task:
        steps = self._steps_of(key, told)
        task = Task(
            key,
            told.title,
            number,
            tuple(group),
            told.nodes,
            tuple(dict.fromkeys(path for part in told.parts for path in part.places)),
            self._sites_of(group),
            self.users.of(group),
            mended=rules[0],
            broken=rules[1],
            notes=(*dict.fromkeys(place_notes), *_left_out(self._sites_of(group))),
            kind=told.kind,
            origin=group[0].origin,
            before=told.before,
            after=told.after,
            steps=steps,
            note=annotation.note,
            assignee=annotation.assignee,
            done=annotation.done,
        )
        touched = {site.file for site in task.sites}
        return replace(
            task,
            people=self.people.of(touched | _files_of(self.base, told.nodes)),
            minutes=effort.minutes(
                task.kind,
                len(task.nodes),
                len(touched),
                count_of_sites(task.must),
                count_of_sites(task.check),
                self.weights,
            ),
        )

    def _steps_of(self, task: str, told: NamedTask) -> tuple[Step, ...]:
        keys = each_its_own([step_key(task, part.primitives, self.base, self.target) for part in told.parts])
        return tuple(
            self._step(task, key, told, part, number)
            for number, (key, part) in enumerate(zip(keys, told.parts, strict=True), start=1)
        )

    def _step(self, task: str, key: str, told: NamedTask, part: TaskPart, number: int) -> Step:
        nodes = _nodes_of(part.primitives)
        step = Step(
            key,
            part.title,
            number,
            part.primitives,
            nodes,
            part.places,
            self._sites_of(part.primitives),
            self.users.of(part.primitives),
            notes=(*self._circle_notes(part.primitives), *_left_out(self._sites_of(part.primitives))),
            task=task,
        )
        return self._weighed(step, told.kind, is_first=number == 1)

    def _weighed(self, step: Step, kind: Kind, is_first: bool) -> Step:
        """The step with the people and the effort of its sites."""
        touched = {site.file for site in step.sites}
        return replace(
            step,
            people=self.people.of(touched | _files_of(self.base, step.nodes)),
            minutes=effort.minutes_of_step(
                is_first, kind, len(touched), count_of_sites(step.must), count_of_sites(step.check), self.weights
            ),
        )

    def _late(self, step: Step) -> Step:
        """The step that gives something the name that was taken before."""
        renames = [p for p in step.primitives if isinstance(p, RenameNode)]
        names = ", ".join(p.name for p in renames)
        where_it_is = place(self.target, self.target.key_of[renames[0].node])
        return replace(
            step,
            key=f"{step.key}-name",
            title=f"Give {where_it_is} its name, {names}: the place is free now",
            nodes=tuple(p.node for p in renames),
            places=(where_it_is,),
            sites=(),
            dependants=(),
            minutes=1,
            notes=("Whatever was changed to the temporary name changes once more.",),
            is_extra=True,
        )

    def _meanwhile(self, turns: Sequence[Turn]) -> dict[int, tuple[Site, ...]]:
        """Index of a turn -> sites that must change by it, and change again by another one.

        Where both ends of a relation move, one after the other, the net plan may leave its sites alone, or name them
        with one of the moves; in between they do not hold. So these turns are looked at as plans of their own.
        """
        mover = np.full(len(self.base), -1, np.int64)
        moves = [
            (p.node, index)
            for index, turn in enumerate(turns)
            for p in turn.primitives
            if isinstance(p, MoveTo | RenameNode)
        ]
        depth = self.base.tree.depth
        for node, index in sorted(moves, key=lambda entry: int(depth[self.base.key_of.get(entry[0], 0)])):
            if node in self.base.key_of:
                mover[self.base.subtree(self.base.key_of[node])] = index
        rows = dependencies(self.base, type_checking=True)
        source, target = mover[self.base.edges.source[rows]], mover[self.base.edges.target[rows]]
        both = (source != target) & (source >= 0) & (target >= 0)
        entangled = set(source[both].tolist()) | set(target[both].tolist())
        entangled |= {index for index, turn in enumerate(turns) if turn.temporary or turn.is_late}
        found = {}
        done: list[Primitive] = []  # without relations that are put in: at their sites stands something else today
        for index, turn in enumerate(turns):
            mine = [p for p in turn.primitives if not isinstance(p, AddEdge)]
            if index in entangled:
                before, after = replay(self.base, done), replay(self.base, [*done, *mine])
                found[index] = find_sites(before, after, mine, self.code)
            done += mine
        return found

    def _origin(self, primitive: Primitive) -> Operation | None:
        return self.operations[primitive.origin] if 0 <= primitive.origin < len(self.operations) else None

    def _sites_of(self, primitives: Iterable[Primitive]) -> tuple[Site, ...]:
        return _each_once(site for p in primitives for site in self._sites.get(self._index.get(p, -1), ()))

    def _circle_notes(self, primitives: Iterable[Primitive]) -> tuple[str, ...]:
        """The circular imports that these make."""
        circles = [circle for p in primitives for circle in self._circles.get(self._index.get(p, -1), ())]
        told = dict.fromkeys(f"Makes a circular import: {' → '.join((*circle, circle[0]))}." for circle in circles)
        return tuple(told)[:_MOST_CIRCLES]

    def _vacated(self, groups: Sequence[Sequence[Primitive]]) -> dict[str, int]:
        """Path of what leaves its place -> number of the task by which it does."""
        return {
            place(self.base, self.base.key_of[p.node]): number
            for number, group in enumerate(groups, start=1)
            for p in group
            if isinstance(p, MoveTo | RenameNode | RemoveNode)
        }

    def _place_notes(self, primitive: Primitive, number: int, vacated: dict[str, int]) -> list[str]:
        """What stands where something is to go: until later (use another name meanwhile), or for good (a clash)."""
        target = self.target
        if not isinstance(primitive, MoveTo | CreateNode | RenameNode) or primitive.node not in target.key_of:
            return []
        key = target.key_of[primitive.node]
        path = place(target, key)
        if key in self.clashing:
            return [f"Something else is called {self.clashing[key]} in the same place: join the two, or rename one."]
        if vacated.get(path, -1) > number:
            return [f"{path} is taken until what lies there today has left: use another name meanwhile."]
        return []


class _Users:
    """Who depends on what, by file."""

    def __init__(self, base: Graph) -> None:
        self._base = base
        self._item = files(base)
        edges, pos = base.edges, base.tree.pos
        rows = np.flatnonzero(dependencies(base, type_checking=True))
        rows = rows[np.argsort(pos[edges.target[rows]], kind="stable")]
        self._source: npt.NDArray[np.int32] = edges.source[rows]
        self._used = pos[edges.target[rows]]  # ascending: what lies in a subtree is one range

    def of(self, primitives: Iterable[Primitive]) -> tuple[str, ...]:
        """Paths of the files outside that use what is moved, renamed or removed."""
        base, tree = self._base, self._base.tree
        ranges = [
            (int(tree.pos[key]), int(tree.end[key]))
            for p in primitives
            if isinstance(p, MoveTo | RenameNode | RemoveNode) and p.node in base.key_of
            for key in [base.key_of[p.node]]
        ]
        users: set[int] = set()
        for begin, end in ranges:
            first, last = np.searchsorted(self._used, (begin, end))
            users.update(self._source[first:last].tolist())
        inside = {key for key in users if any(begin <= tree.pos[key] < end for begin, end in ranges)}
        found = {int(self._item[key]) for key in users - inside}
        return tuple(sorted({place(base, key) for key in found if key >= 0}))


def _usual_order(told: Sequence[NamedTask]) -> list[int]:
    """Indices of the tasks as the plan puts them: first what makes places and fills them, removals last."""
    late = {"split": 1, "relations": 1, "merge": 2, "remove": 3}
    return sorted(range(len(told)), key=lambda index: (late.get(told[index].kind, 0), index))


def _groups(
    base: Graph, target: Graph, primitives: Sequence[Primitive], operations: Sequence[Operation], dissolved: set[int]
) -> list[list[Primitive]]:
    """The primitives of each task, in the order of the first one; merges in `dissolved` (origins) are single moves."""

    def behind(primitive: Primitive) -> Operation | None:
        return operations[primitive.origin] if 0 <= primitive.origin < len(operations) else None

    moved = {p.node for p in primitives if isinstance(p, MoveTo)}
    renamed = {p.node for p in primitives if isinstance(p, RenameNode)}
    merges = {p.origin for p in primitives if merge_behind(p, behind(p), target)} - dissolved
    groups: dict[tuple[object, ...], list[Primitive]] = {}
    group_of: dict[str, tuple[object, ...]] = {}  # what moves -> its group
    for primitive in primitives:
        key: tuple[object, ...]
        match primitive:
            case RenameNode(node) | MoveTo(node) if node in moved and node in renamed:
                key = ("move", node)
            case MoveTo() | AddEdge() | RemoveNode() if primitive.origin in merges:
                key = ("merge", primitive.origin)
            case MoveTo(node, parent):
                key = ("move", primitive.origin, int(base.parent[base.key_of[node]]), parent)
            case AddEdge() | CutEdge():
                key = group_of.get(primitive.along, ("relations", primitive.origin))
            case RemoveNode():
                key = ("remove", primitive.origin)
            case CreateNode() if split_behind(behind(primitive)):
                key = ("relations", primitive.origin)
            case CreateNode(node) | RenameNode(node):
                key = (type(primitive), node)
            case _:
                assert_never(primitive)
        if isinstance(primitive, MoveTo):
            group_of[primitive.node] = key
        groups.setdefault(key, []).append(primitive)
    return list(groups.values())


def _each_once(sites: Iterable[Site]) -> tuple[Site, ...]:
    """Sites of several causes, each place once, in order: what must change by one need not be checked for another."""
    together: dict[tuple[object, ...], Site] = {}
    for site in sorted(sites, key=lambda site: (where(site), site.certainty == "check", site.cause)):
        known = together.setdefault(where(site), site)
        if known is site:
            continue
        if known.certainty != site.certainty:
            together[where(site)] = replace(known, more=known.more + site.more)
            continue
        reasons = dict.fromkeys(reason for reason in (*known.reason.split("; "), site.reason) if reason)
        names = tuple(dict.fromkeys((*known.names, *site.names)))
        together[where(site)] = replace(known, names=names, reason="; ".join(reasons), more=known.more + site.more)
    return tuple(together.values())


def _left_out(sites: Iterable[Site]) -> tuple[str, ...]:
    """What is said of sites to check that are not listed, being too many."""
    more = sum(site.more for site in sites)
    if not more:
        return ()
    return (f"{counted(more, 'more place')} to check {'is' if more == 1 else 'are'} not listed: search for the name.",)


def _nodes_of(primitives: Iterable[Primitive]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for primitive in primitives:
        match primitive:
            case MoveTo(node) | CreateNode(node) | RemoveNode(node) | RenameNode(node):
                found[node] = None
            case AddEdge(source, target) | CutEdge(source, target):
                found[source] = found[target] = None
            case _:
                assert_never(primitive)
    return tuple(found)


def _files_of(base: Graph, nodes: Iterable[str]) -> set[str]:
    """Paths of the files that the nodes are, hold, or lie in."""
    found = set()
    for node in nodes:
        if node not in base.key_of:
            continue
        key = base.key_of[node]
        inside = base.subtree(key).tolist()
        file = file_of(base, key)
        found |= {base.ids[k] for k in ([*inside, file] if file >= 0 else inside) if base.kind(k) == "file"}
    return found
