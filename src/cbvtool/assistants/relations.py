"""Questions about relations: what a node uses, who uses it, chains of them, and what a change affects."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from cbvtool.asking.impact import impact
from cbvtool.asking.nodes import node_named
from cbvtool.asking.path_text import headline
from cbvtool.asking.paths import PathStep, shortest_paths
from cbvtool.assistants.pages import (
    LONGEST_ID,
    Answer,
    Limit,
    NodeId,
    Offset,
    node_data,
    page,
    relation_data,
    relation_kinds,
    some,
)
from cbvtool.assistants.snapshot import CodeSnapshot
from cbvtool.errors import InputError
from cbvtool.graph import are_dependencies
from cbvtool.metrics.structure.users import is_sure

_MOST_CHANGED = 100
Guesses = Annotated[bool, Meta(description="also relations that were found by name alone")]
File = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]


class AskRelations(Struct, forbid_unknown_fields=True):
    """Which relations, of all that lies in `node` with what lies outside."""

    node: NodeId
    direction: Annotated[Literal["uses", "used_by"], Meta(description="what the node uses, or who uses it")] = "uses"
    kinds: Annotated[list[str], Meta(max_length=20, description="such as import, call, inherit; empty = all")] = []
    guesses: Guesses = True
    limit: Limit = 20
    offset: Offset = 0


class AskPath(Struct, forbid_unknown_fields=True):
    """From where to where."""

    source: NodeId
    target: NodeId
    guesses: Guesses = False
    most: Annotated[int, Meta(ge=1, le=20, description="chains that are listed")] = 5


class AskImpact(Struct, forbid_unknown_fields=True):
    """Of what change."""

    files: Annotated[
        list[File],
        Meta(
            max_length=_MOST_CHANGED,
            description="paths in the folder, or ids of nodes; empty = the files that differ from the commit",
        ),
    ] = []
    depth: Annotated[int, Meta(ge=0, le=1000, description="relations away at most; 0 = any number")] = 0
    guesses: Guesses = False
    limit: Limit = 50
    offset: Offset = 0


def relations(now: CodeSnapshot, asked: AskRelations) -> Answer:
    """The relations between what lies in a node and what lies outside, with their confidence and places."""
    graph, edges = now.graph, now.graph.edges
    key = node_named(graph, asked.node)
    inside = graph.tree.below((key,))
    source, target = inside[edges.source], inside[edges.target]
    counts = (source & ~target) if asked.direction == "uses" else (target & ~source)
    counts &= are_dependencies(edges) & relation_kinds(graph, asked.kinds)
    if not asked.guesses:
        counts &= is_sure(graph)
    found = page(
        np.flatnonzero(counts).tolist(), asked.offset, asked.limit, lambda row: relation_data(graph, row), "relations"
    )
    return {"node": node_data(graph, key), "direction": asked.direction, **found}


def path(now: CodeSnapshot, asked: AskPath) -> Answer:
    """The shortest chains of relations by which one node reaches another."""
    graph = now.graph
    source, target = (node_named(graph, name) for name in (asked.source, asked.target))
    if source == target:
        raise InputError(f"Both ends are {graph.ids[source] or graph.name}.")
    ways = now.all_steps if asked.guesses else now.sure_steps
    found = shortest_paths(graph, ways, source, target, most=asked.most)

    def step(one: PathStep) -> Answer:
        return some([relation_data(graph, row) for row in one.rows], 3, "relations")

    listed = page([*found.chains], 0, asked.most, lambda chain: {"steps": [step(one) for one in chain]}, "chains")
    return {"answer": headline(graph, found), "length": found.length, **listed, "total": found.total}


def impact_of(now: CodeSnapshot, asked: AskImpact) -> Answer:
    """What depends on files, or on what has changed since the commit: the nearest first, tests marked."""
    graph = now.graph
    names = asked.files or list(now.changed or ())
    if not names:
        raise InputError("No file differs from the commit: name the files.")
    gone = [] if asked.files else [name for name in names if name not in graph.key_of]
    keys = tuple(dict.fromkeys(_inside(now, name) for name in names if name not in gone))
    ways = now.all_steps if asked.guesses else now.sure_steps
    found = impact(graph, ways, keys, depth=asked.depth)

    def row(at: int) -> Answer:
        return {
            **node_data(graph, int(found.node[at])),
            "distance": int(found.distance[at]),
            "test": bool(found.test[at]),
            "by": relation_data(graph, int(found.rows_of(at)[0])),
        }

    listed = page(range(len(found)), asked.offset, asked.limit, row, "nodes")
    return {**_named(graph.ids[key] for key in keys), **({"gone": gone[:_MOST_CHANGED]} if gone else {}), **listed}


def _named(ids: Iterable[str]) -> Answer:
    return some(list(ids), _MOST_CHANGED, "changed")


def _inside(now: CodeSnapshot, name: str) -> int:
    """Key of a node, by its id or the path of a file. Raises InputError for a path that leads out of the folder."""
    place = PurePosixPath(name.replace("\\", "/"))
    root = now.project.path
    if place.is_absolute() and place.is_relative_to(root.as_posix()):
        place = place.relative_to(root.as_posix())
    if place.is_absolute() or ".." in place.parts or (len(name) > 1 and name[1] == ":"):
        raise InputError(f"{name!r} lies outside of {now.graph.name}: name a path in it.")
    return node_named(now.graph, place.as_posix() if name not in now.graph.key_of else name)
