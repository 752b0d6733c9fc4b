"""Faults of a task list, whatever its plan: called by tests for every list that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from cbvtool.graph import Graph
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.history import History
from cbvtool.plan.lower import replay
from cbvtool.plan.primitives import AddEdge, CutEdge, MoveTo, Primitive, RenameNode
from cbvtool.plan.site_words import where
from cbvtool.plan.sites.site import Site, SiteKind
from cbvtool.plan.task import Step, TaskWork
from cbvtool.plan.tasks import TaskList
from tests.plan.naive import same

_OF_RELATIONS = set(get_args(SiteKind)) - {"definition", "package", "add-import", "drop-import", "text", "relation"}


def faults(found: TaskList, history: History) -> list[str]:
    """One sentence for each fault; none for a list that is as it should be.

    No site under a wrong class, no duplicate, no step without a place, none that ends at a folder, keys unique, numbers
    in order, and steps that say the same as their tasks.
    """
    base, target = history.base, history.graph
    kinds = _kinds_by_place(base)
    told = []
    splits = {task.key for task in found.tasks if task.kind == "split"}
    for work in (*found.tasks, *found.steps):
        is_split = (work.task if isinstance(work, Step) else work.key) in splits
        name = f"{type(work).__name__} {work.number} ({work.title})"
        mine = (*_of_sites(work.sites, kinds), *_of_work(work, base, target, is_split=is_split))
        told += [f"{name}: {fault}" for fault in mine]
    told += _of_keys(found)
    for works in (found.tasks, found.steps):
        if [work.number for work in works] != list(range(1, len(works) + 1)):
            told.append("the numbers are not 1, 2, 3, ...")
    told += _of_steps(found, history)
    return told


def _kinds_by_place(base: Graph) -> dict[tuple[str, int], set[str]]:
    """The kinds of the relations that stand in a line."""
    edges = base.edges
    found: dict[tuple[str, int], set[str]] = {}
    for row in range(len(edges)):
        for file, line in edges.sites(row):
            found.setdefault((base.files[file], line), set()).add(edges.kind_names[edges.kind[row]])
    return found


def _of_sites(sites: Sequence[Site], kinds: dict[tuple[str, int], set[str]]) -> list[str]:
    told = []
    for site in sites:
        if (site.line is None) != (site.kind == "add-import") or (site.line is None) != (site.after is not None):
            told.append(f"{site} is a line to add, or one that is there, not both")
        there = kinds.get((site.file, site.line or 0), set())
        if site.kind in _OF_RELATIONS and there and not _may_be(site.kind, there):
            told.append(f"{site} is under a wrong class: {', '.join(sorted(there))} stand there")
        if site.certainty == "check" and not site.reason:
            told.append(f"{site} is to be checked, nobody says why")
    places = [where(site) for site in sites]
    told += [f"{place} is listed twice" for place in {place for place in places if places.count(place) > 1}]
    return told


def _may_be(kind: str, there: set[str]) -> bool:
    # A line that imports may hold what no relation says: a dotted use in it, say.
    return kind in there or (kind in ("reference", "call", "type-use") and bool(there & {"import", "include"}))


def _of_work(work: TaskWork, base: Graph, target: Graph, *, is_split: bool) -> list[str]:
    told = []
    if not work.places or not all(work.places):
        told.append("it works on no place")
    if not work.nodes:
        told.append("it names no node")
    for primitive in work.primitives:
        if isinstance(primitive, AddEdge) and is_split:
            ends = {_kind(node, base, target) for node in (primitive.source, primitive.target)}
            if ends & CONTAINERS:
                told.append(f"{primitive} ends at a folder")
    if any("@" in person.name for person in work.people):
        told.append("somebody is called by an address")
    if len(set(work.dependants)) != len(work.dependants) or list(work.dependants) != sorted(work.dependants):
        told.append("the dependants are not sorted, each once")
    return told


def _kind(node: str, base: Graph, target: Graph) -> str:
    graph = base if node in base.key_of else target
    return graph.kind(graph.key_of[node]) if node in graph.key_of else ""


def _of_keys(found: TaskList) -> list[str]:
    told = []
    for works in (found.tasks, found.steps):
        keys = [work.key for work in works]
        told += [f"the key {key} is there twice" for key in set(keys) if keys.count(key) > 1]
    tasks = {task.key for task in found.tasks}
    told += [f"{step.title} is of no task" for step in found.steps if step.task not in tasks]
    return told


def _of_steps(found: TaskList, history: History) -> list[str]:
    told = []
    for task in found.tasks:
        mine = [step for step in found.steps if step.task == task.key]
        done = {_net(p) for step in mine for p in step.primitives if not _is_name(p, step)}
        if {_net(p) for p in task.primitives if not isinstance(p, RenameNode)} - done:
            told.append(f"the steps of {task.title} leave something out")
        listed = {where(site) for step in mine for site in step.sites}
        missing = {where(site) for site in task.sites} - listed
        told += [f"no step of {task.title} has the site {place}" for place in missing]
    applied = replay(history.base, [p for step in found.steps for p in step.primitives])
    if not same(applied, history.graph):
        told.append("the steps lead to another graph")
    return told


def _net(primitive: Primitive) -> object:
    """What a primitive does, without a name that may be a temporary one."""
    if isinstance(primitive, MoveTo | RenameNode | AddEdge | CutEdge):
        return primitive
    return type(primitive), primitive.node


def _is_name(primitive: Primitive, step: Step) -> bool:
    return isinstance(primitive, RenameNode) and step.is_extra
