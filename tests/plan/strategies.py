"""Random graphs and random plans on them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from hypothesis import strategies as st

from cbvtool.graph import REMOVED, Graph, GraphBuilder
from cbvtool.plan import Create, Extract, Merge, Move, Operation, Remove, Rename, Split, run
from cbvtool.plan.operations import KINDS, Node, Nodes
from tests.plan.naive import HOLDS


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A tree of 3 to 20 nodes of every kind, few names (so that they clash), relations between any two of them."""
    builder = GraphBuilder("subject")
    ids, kinds = [""], ["project"]
    for number in range(draw(st.integers(3, 20))):
        holders = [i for i, kind in enumerate(kinds) if HOLDS[kind]]
        above = draw(st.sampled_from(holders))
        kind = draw(st.sampled_from(sorted(HOLDS[kinds[above]])))
        ids.append(f"n{number}")
        kinds.append(kind)
        builder.add_node(ids[-1], ids[above], draw(st.sampled_from("abc")), kind, values={"sloc": float(number)})
    some = st.integers(0, len(ids) - 1)
    for source, target, kind, line in draw(
        st.lists(st.tuples(some, some, st.sampled_from(["import", "call", "inherit"]), st.integers(1, 9)), max_size=25)
    ):
        if source != target:
            builder.add_edge(source, target, kind, weight=0.5 * line, when=line % 3, sites=[(f"{source}.py", line)])
    return builder.freeze()


def _any_operation(graph: Graph) -> st.SearchStrategy[Operation]:
    """Whatever names whatever, also what is not there: mostly refused."""
    nodes = st.sampled_from([*graph.ids, *(f"plan:{i}" for i in range(1, 4)), "ghost"])
    return st.one_of(*(st.builds(kind, **field_strategies(kind, nodes)) for kind in KINDS))


def field_strategies(kind: type[Operation], nodes: Any) -> dict[str, Any]:
    """A strategy for each field of an operation, by its type: whoever adds an operation writes none."""
    types = get_type_hints(kind, include_extras=True)
    return {field.name: _of_type(types[field.name], nodes) for field in fields(kind)}


def _of_type(of: object, nodes: Any) -> Any:
    if get_origin(of) is Literal:
        return st.sampled_from(get_args(of))
    of_type: dict[object, Any] = {
        Node: nodes,
        Nodes: st.lists(nodes, max_size=3).map(tuple) if isinstance(nodes, st.SearchStrategy) else nodes,
        str: st.sampled_from(["a", "x", "", "folder", "class", "project"]),
    }
    return of_type[of]


def _likely_operation(draw: st.DrawFn, graph: Graph) -> Operation:
    """One that is mostly possible: moves to what can hold, splits along relations that are there."""
    there = np.flatnonzero(graph.parent != REMOVED).tolist()
    inner = [key for key in there if key != 0]
    kinds = (["move", "move", "move", "rename", "merge", "remove"] if inner else []) + ["create"]
    kinds += ["split", "split", "extract", "extract"] if len(graph.edges) else []
    kind = draw(st.sampled_from(kinds))
    if kind == "create":
        number = 1 + sum(node.startswith("plan:") for node in graph.ids)
        above = draw(st.sampled_from([key for key in there if HOLDS[graph.kind(key)]]))
        what = draw(st.sampled_from(sorted(HOLDS[graph.kind(above)])))
        return Create(f"plan:{number}", graph.ids[above], draw(st.sampled_from("abx")), what)
    if kind in ("split", "extract"):
        row = draw(st.integers(0, len(graph.edges) - 1))
        ends = [int(graph.edges.source[row]), int(graph.edges.target[row])]
        shared = set(graph.ancestors(ends[0])) & set(graph.ancestors(ends[1]))
        source, target = (
            draw(st.sampled_from([graph.ids[key] for key in [end, *graph.ancestors(end)] if key not in shared]))
            for end in ends
        )
        third = graph.ids[draw(st.sampled_from(there))]
        if kind == "split":
            return Split(
                source, target, third, draw(st.sampled_from(["invert", "route"])), draw(st.sampled_from(["", "a"]))
            )
        return Extract(*draw(st.sampled_from([(source, target), (target, source)])), third)
    key = draw(st.sampled_from(inner))
    holders = [graph.ids[k] for k in there if graph.kind(key) in HOLDS[graph.kind(k)]]
    alike = [graph.ids[k] for k in there if graph.kind(k) == graph.kind(key)]
    if kind == "move":
        others = [k for k in inner if graph.kind(k) == graph.kind(key)]
        more = draw(st.lists(st.sampled_from(others), max_size=2))
        return Move(tuple(graph.ids[k] for k in [key, *more]), draw(st.sampled_from(holders)))
    if kind == "merge":
        return Merge(graph.ids[key], draw(st.sampled_from(alike)))
    return Remove((graph.ids[key],)) if kind == "remove" else Rename(graph.ids[key], draw(st.sampled_from("abx")))


@st.composite
def plans(draw: st.DrawFn, max_size: int = 14) -> tuple[Graph, list[Operation]]:
    """A graph and operations on it, most of them possible."""
    base = graph = draw(graphs())
    operations: list[Operation] = []
    for _ in range(draw(st.integers(0, max_size))):
        wild = draw(st.integers(0, 7)) == 7
        operation = draw(_any_operation(graph)) if wild else _likely_operation(draw, graph)
        operations.append(operation)
        graph = run(graph, [operation]).graph
    return base, operations
