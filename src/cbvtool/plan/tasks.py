"""The task list: what a plan asks people to do, net of every detour, with what it touches and what it may cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

import numpy as np

from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.plan import effort
from cbvtool.plan.clashes import clashes
from cbvtool.plan.compress import compress
from cbvtool.plan.history import History
from cbvtool.plan.operations import Operation
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from cbvtool.plan.site_words import count_of_sites, where
from cbvtool.plan.sites.code import NO_CODE, Code
from cbvtool.plan.sites.find import find_sites
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Task
from cbvtool.plan.task_words import merge_behind, named, split_behind


def tasks(history: History, changes: Changes | None = None, code: Code = NO_CODE) -> tuple[Task, ...]:
    """The task list of what is done in `history`.

    changes   with it, every task names the people it concerns
    code      with it, more sites are found, and fewer are to be checked
    """
    base, target = history.base, history.graph
    if not (primitives := compress(history)):
        return ()  # what a plan costs need not be asked, which takes long for a huge graph
    groups = _groups(base, target, primitives, history.operations)
    by_cause: dict[int, list[Site]] = {}
    for site in find_sites(base, target, primitives, code):
        by_cause.setdefault(site.cause, []).append(site)
    last_author = {} if changes is None else _last_authors(changes)
    vacated = {
        place(base, base.key_of[p.node]): index
        for index, p in enumerate(primitives)
        if isinstance(p, MoveTo | RenameNode | RemoveNode)
    }
    clashing = {key: clash.name for clash in clashes(target, base) for key in clash.nodes}

    found = []
    for number, group in enumerate(groups, start=1):
        members = [primitives[index] for index in group]
        task = named(number, members, base, target, _origin(members[0], history.operations))
        sites = _each_once(site for index in group for site in by_cause.get(index, ()))
        task = replace(task, sites=sites)
        files = {site.file for site in sites}
        mine = files | _files_of(base, task.nodes)
        found.append(
            replace(
                task,
                people=tuple(
                    who for who, _ in Counter(last_author[f] for f in sorted(mine) if f in last_author).most_common()
                ),
                minutes=effort.minutes(
                    task.kind, len(task.nodes), len(files), count_of_sites(task.must), count_of_sites(task.check)
                ),
                notes=(*task.notes, *_place_notes(members, group, base, target, vacated, clashing)),
            )
        )
    return tuple(found)


def _groups(
    base: Graph, target: Graph, primitives: Sequence[Primitive], operations: Sequence[Operation]
) -> list[list[int]]:
    """Indices of the primitives of each task, in the order of the first one."""
    moved = {p.node for p in primitives if isinstance(p, MoveTo)}
    renamed = {p.node for p in primitives if isinstance(p, RenameNode)}
    merges = {p.origin for p in primitives if merge_behind(p, _origin(p, operations), target)}
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, primitive in enumerate(primitives):
        key: tuple[object, ...]
        match primitive:
            case RenameNode(node) | MoveTo(node) if node in moved and node in renamed:
                key = ("move", node)
            case MoveTo() | AddEdge() | RemoveNode() if primitive.origin in merges:
                key = ("merge", primitive.origin)
            case MoveTo(node, parent):
                key = ("move", primitive.origin, int(base.parent[base.key_of[node]]), parent)
            case AddEdge() | CutEdge():
                key = ("relations", primitive.origin)
            case RemoveNode():
                key = ("remove", primitive.origin)
            case CreateNode() if split_behind(_origin(primitive, operations)):
                key = ("relations", primitive.origin)
            case CreateNode(node) | RenameNode(node):
                key = (type(primitive), node)
            case _:
                assert_never(primitive)
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def _origin(primitive: Primitive, operations: Sequence[Operation]) -> Operation | None:
    return operations[primitive.origin] if 0 <= primitive.origin < len(operations) else None


def _each_once(sites: Iterable[Site]) -> tuple[Site, ...]:
    """Sites of several causes, each place once, in order: what must change by one need not be checked for another."""
    together: dict[tuple[object, ...], Site] = {}
    for site in sorted(sites, key=lambda site: (where(site), site.certainty == "check", site.cause)):
        known = together.setdefault(where(site), site)
        if known is site or known.certainty != site.certainty:
            continue
        reasons = dict.fromkeys(reason for reason in (*known.reason.split("; "), site.reason) if reason)
        names = tuple(dict.fromkeys((*known.names, *site.names)))
        together[where(site)] = replace(known, names=names, reason="; ".join(reasons))
    return tuple(together.values())


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


def _last_authors(changes: Changes) -> dict[str, str]:
    """Path -> author of the last commit that touched it."""
    last = np.full(len(changes.paths), -1, np.int64)
    np.maximum.at(last, changes.touch_path, changes.touch_commit)
    return {
        path: changes.authors[changes.author[commit]]
        for path, commit in zip(changes.paths, last.tolist(), strict=True)
        if commit >= 0
    }


def _place_notes(
    members: Sequence[Primitive],
    group: Sequence[int],
    base: Graph,
    target: Graph,
    vacated: dict[str, int],
    clashing: dict[int, str],
) -> list[str]:
    """What stands where something is to go: until later (use another name meanwhile), or for good (a clash)."""
    notes = []
    for index, primitive in zip(group, members, strict=True):
        if not isinstance(primitive, MoveTo | CreateNode | RenameNode) or primitive.node not in target.key_of:
            continue
        key = target.key_of[primitive.node]
        path = place(target, key)
        if key in clashing:
            notes.append(f"Something else is called {clashing[key]} in the same place: join the two, or rename one.")
        elif vacated.get(path, -1) > index:
            notes.append(f"{path} is taken until what lies there today has left: use another name meanwhile.")
    return list(dict.fromkeys(notes))
