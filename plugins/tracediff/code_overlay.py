"""The overlay of the 3D view: calls that appeared, vanished, became more or fewer from the first trace to the last."""

from __future__ import annotations

import numpy as np

from cbvtool.api import (
    CallChanges,
    Graph,
    NodeMap,
    OverlayColumn,
    OverlayContent,
    OverlayRelations,
    PluginOverlay,
    Trace,
    ViewContext,
    call_changes,
    calls_by_node,
    pair_changes,
)

NAME = "call_changes"
KINDS = ("calls that appeared", "calls that vanished", "more calls", "fewer calls", "as many calls")


def content(context: ViewContext) -> OverlayContent:
    """A column of changes, and those that it is made of; nothing where fewer than two traces are open."""
    traces = [
        (part, known)
        for part, known in zip(context.inputs, context.maps, strict=True)
        if isinstance(part, Trace) and known is not None
    ]
    if len(traces) < 2:
        return OverlayContent()
    found = context.memo(_changes, context.graph, *traces[0], *traces[-1])
    return OverlayContent(
        (
            OverlayColumn("change", "Calls: change from A to B", "%", found.change),
            OverlayColumn("appeared", "Calls that appeared", "calls", found.appeared),
            OverlayColumn("vanished", "Calls that vanished", "calls", found.vanished),
            OverlayColumn("before", "Calls in A", "calls", found.before),
            OverlayColumn("after", "Calls in B", "calls", found.after),
        ),
        context.memo(_relations, len(context.graph), *traces[0], *traces[-1]),
    )


def _changes(graph: Graph, one: Trace, known: NodeMap, other: Trace, known_too: NodeMap) -> CallChanges:
    n = len(graph)
    calls = calls_by_node(one, known, n), calls_by_node(other, known_too, n)
    return call_changes(graph.tree, n, calls)


def _relations(nodes: int, one: Trace, known: NodeMap, other: Trace, known_too: NodeMap) -> OverlayRelations | None:
    """A relation for each pair of caller and callee: what became of its calls, and how many they are more or fewer."""
    found = pair_changes(one, known, other, known_too, nodes)
    before, after = found.before, found.after
    kind = np.select([before == after, before == 0, after == 0, after > before], [4, 0, 1, 2], 3).astype(np.int64)
    weight = np.where(kind == 4, after, np.abs(after - before)).astype(np.float64)
    return OverlayRelations(found.caller, found.callee, kind, weight, KINDS, frozenset({KINDS[4]}))


OVERLAY = PluginOverlay(NAME, "Calls that two traces make differently often", content)
