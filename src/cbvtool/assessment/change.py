"""A step of a plan as what it changes in the columns of a graph: parents, names, relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from cbvtool.assessment.places import FOLDERS
from cbvtool.assessment.prepared import PreparedGraph
from cbvtool.assessment.relations import SureRelations, grained
from cbvtool.graph import NO_DEPENDENCY, REMOVED, Confidence, Graph, When
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode

Name = tuple[int, int, str]  # source, target and kind of a relation


@dataclass(frozen=True, eq=False)
class StepChange:
    """What differs from the graph it starts from.

    parent   key -> its new parent, or REMOVED; keys from n on are created, in order
    created  of each created node: whether it is a file, and whether it holds files
    names    key -> whether its new name is another than in the base
    touched  relations that are cut, or that are put in the place of others
    added    those put in, sure dependencies alone; keys
    present  touched relation -> whether it is there afterwards
    """

    parent: dict[int, int]
    created: list[tuple[bool, bool]]
    names: dict[int, bool]
    touched: tuple[Name, ...]
    added: SureRelations
    present: dict[Name, bool]


def moving(keys: Iterable[int], target: int) -> StepChange:
    """Nodes that get another parent, and nothing else."""
    return StepChange(dict.fromkeys(keys, target), [], {}, (), _as_relations({}), {})


def change(prepared: PreparedGraph, primitives: Sequence[Primitive]) -> StepChange:
    """What `primitives` change, which can be carried out on the graph in this order."""
    graph, base = prepared.graph, prepared.base
    parent: dict[int, int] = {}
    created: list[tuple[bool, bool]] = []
    names: dict[int, bool] = {}
    fresh: dict[str, int] = {}
    edges: dict[Name, AddEdge | None] = {}

    def key_of(node: str) -> int:
        return fresh[node] if node in fresh else graph.key_of[node]

    for primitive in primitives:
        match primitive:
            case MoveTo(node, into):
                parent[key_of(node)] = key_of(into)
            case CreateNode(node, into, _, kind):
                fresh[node] = len(graph) + len(created)
                parent[fresh[node]] = key_of(into)
                created.append((kind == "file", kind in FOLDERS))
            case RemoveNode(node):
                parent[key_of(node)] = REMOVED
            case RenameNode(node, name):
                key = key_of(node)
                names[key] = key >= len(base) or name != base.names[key]
            case AddEdge(source, target, kind):
                edges[key_of(source), key_of(target), kind] = primitive
            case CutEdge(source, target, kind):
                edges[key_of(source), key_of(target), kind] = None
            case _:
                assert_never(primitive)
    added = {name: edge for name, edge in edges.items() if edge is not None}
    present = {name: edge is not None for name, edge in edges.items()}
    return StepChange(parent, created, names, tuple(edges), _as_relations(added), present)


def _as_relations(added: dict[Name, AddEdge]) -> SureRelations:
    sure = [
        (name, edge)
        for name, edge in added.items()
        if name[2] not in NO_DEPENDENCY and edge.confidence != Confidence.GUESS
    ]
    return SureRelations(
        np.full(len(sure), -1, np.int32),
        np.array([name[0] for name, _ in sure], np.int32),
        np.array([name[1] for name, _ in sure], np.int32),
        grained(np.array([edge.weight for _, edge in sure], np.float32)),
        np.array([edge.when != When.TYPE_CHECKING for _, edge in sure], np.bool_),
    )


def needs_replay(graph: Graph, named: Iterable[str], primitives: Sequence[Primitive]) -> bool:
    """Whether rules name a node that `primitives` make: then columns of the graph as it is do not tell of it."""
    wanted = {node for node in named if node not in graph.key_of}
    return any(isinstance(primitive, CreateNode) and primitive.node in wanted for primitive in primitives)
